//! Limits of set-up are answers, whichever step reaches them; progress is seen from outside.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::time::{Duration, Instant};

use ludex_gdl::Rules;
use ludex_reasoner::{CircuitGame, Ground, Limits, Phase, Progress, StopReason};
use ludex_testkit::rules;
use ludex_testkit::sheets::ENDLESS;

/// Lights that are switched: a few thousand instances that all become gates.
fn lights() -> Rules {
    let numbers: String = (0..20).map(|n| format!("(num {n}) ")).collect();
    rules(&format!(
        "(role a) {numbers} (init (on 1 2)) (<= (legal a (press ?x ?y)) (num ?x) (num ?y))
         (<= (next (on ?x ?y)) (does a (press ?x ?y)) (not (true (on ?x ?y))))
         (<= (next (on ?x ?y)) (does a (press ?x ?z)) (true (on ?x ?y)) (distinct ?y ?z))
         (<= line (true (on ?x 1)) (true (on ?x 2)) (true (on ?x 3)))
         (<= terminal line) (<= (goal a 100) line) (<= (goal a 0) (not line))"
    ))
}

#[test]
fn another_thread_stops_grounding_and_sees_how_far_it_is() {
    let progress = Progress::new();
    assert_eq!(progress.counts().phase, Phase::Waiting);
    let (result, seen) = std::thread::scope(|scope| {
        let work = scope.spawn(|| Ground::with_progress(&rules(ENDLESS), &Limits::default(), &progress));
        let started = Instant::now();
        while progress.counts().atoms < 10_000 && started.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        let seen = progress.counts();
        progress.cancel();
        (work.join().expect("no panic"), seen)
    });
    assert_eq!(result.err(), Some(StopReason::Cancelled));
    assert_eq!(seen.phase, Phase::Grounding);
    assert!(seen.atoms >= 10_000 && seen.instances > 0 && seen.bytes > 0, "{seen:?}");
}

#[test]
fn cancelling_stops_the_circuit_too() {
    let progress = Progress::new();
    let ground = Ground::with_progress(&lights(), &Limits::default(), &progress).expect("small");
    progress.cancel();
    assert_eq!(CircuitGame::new(ground).err(), Some(StopReason::Cancelled));
}

#[test]
fn time_is_for_all_of_set_up() {
    let time = Duration::from_millis(400);
    let limits = Limits { time, ..Limits::default() };
    let ground = Ground::new(&lights(), &limits).expect("small");
    std::thread::sleep(time);
    assert_eq!(CircuitGame::new(ground).err(), Some(StopReason::Time(time)));
}

#[test]
fn gates_count_as_memory() {
    let progress = Progress::new();
    let ground = Ground::with_progress(&lights(), &Limits::default(), &progress).expect("small");
    let instances = ground.size().instances;
    CircuitGame::new(ground).expect("small");
    let done = progress.counts();
    assert_eq!(done.phase, Phase::Ready);
    assert!(done.gates > 1000 && instances > 1000, "{done:?}");
    // The least memory that grounding is content with is not enough for the gates as well.
    let grounds = |bytes: usize| Ground::new(&lights(), &Limits { bytes, ..Limits::default() });
    let (mut too_little, mut enough) = (0, 1 << 30);
    while enough - too_little > 1024 {
        let middle = usize::midpoint(too_little, enough);
        match grounds(middle) {
            Ok(_) => enough = middle,
            Err(reason) => {
                assert_eq!(reason, StopReason::Bytes(middle));
                too_little = middle;
            }
        }
    }
    let ground = grounds(enough).expect("enough");
    assert_eq!(CircuitGame::new(ground).err(), Some(StopReason::Bytes(enough)));
}
