//! Fault injection: many fast matches against players that drop connections, delay, talk nonsense
//! and die in the middle. Every match ends with a consistent record in the store, and the player
//! that behaves has no error in any of them.
//!
//! `LUDEX_FAULTS=1000 cargo test -p ludex-arena --test faults -- --nocapture` for the long run.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

mod common;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::rulebook;
use common::scripted::{Manner, Scripted};
use ludex_arena::{MatchSetup, Rulebook, Store, Verdict, run_match, verify_record};

const DEFAULT: u64 = 50;
/// Matches that are played at the same time.
const AT_ONCE: usize = 4;

/// What a bad player does with a message: mostly what it should.
fn manner(random: &mut fastrand::Rng) -> Manner {
    if random.f32() < 0.7 {
        return Manner::Good;
    }
    let bad = [
        Manner::Silent,
        Manner::Slow(random.u64(20..200)),
        Manner::Drip(5),
        Manner::Noise,
        Manner::Garbage,
        Manner::Half,
        Manner::WrongMove,
        Manner::HangUp,
        Manner::Huge(1 << 22),
        Manner::Endless,
        Manner::Status,
    ];
    bad[random.usize(..bad.len())]
}

/// A match between a player with faults and one without; errors of the first by kind.
fn play(rulebook: &Rulebook, seed: u64, store: &Mutex<Store>) -> BTreeMap<String, u64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut script = random.fork();
    let bad = Scripted::new(Arc::clone(rulebook.game()), move |_, _| manner(&mut script));
    let good = Scripted::new(Arc::clone(rulebook.game()), |_, _| Manner::Good);
    // The player that behaves is on a socket or in this process.
    let other = if random.bool() { good.spec() } else { "random".to_owned() };
    let bad_role = random.usize(..2);
    let mut specs = [other.clone(), other];
    specs[bad_role] = bad.spec();
    let setup = MatchSetup {
        // Whoever behaves answers in a millisecond; the grace is for loaded processors.
        start_clock: Duration::from_millis(500),
        play_clock: Duration::from_millis(50),
        grace: Duration::from_millis(450),
        seed,
        ..MatchSetup::new(specs.iter().map(|spec| spec.parse().unwrap()).collect())
    };
    // Some players die while they play.
    let dies = random.f32() < 0.2;
    let after = Duration::from_millis(random.u64(..300));
    let record = std::thread::scope(|scope| {
        let keep = if dies {
            scope.spawn(move || {
                std::thread::sleep(after);
                drop(bad);
            });
            None
        } else {
            Some(bad)
        };
        let record = run_match(rulebook, &setup, &mut ()).unwrap();
        drop(keep);
        record
    });
    store.lock().unwrap().append(&record).unwrap();
    let mut kinds = BTreeMap::new();
    for (state, role, fault) in record.faults() {
        assert_eq!(role, bad_role, "seed {seed}: the good player was harmed at {state}: {fault}");
        let kind: String = fault.to_string().split_whitespace().next().unwrap().to_owned();
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}

#[test]
fn matches_with_faults_end_with_consistent_records() {
    let many = std::env::var("LUDEX_FAULTS").ok().and_then(|text| text.parse().ok()).unwrap_or(DEFAULT);
    let rulebook = rulebook("tic_tac_toe");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    let store = Mutex::new(Store::open(&path).unwrap());
    let next = AtomicU64::new(0);
    let kinds: Mutex<BTreeMap<String, u64>> = Mutex::default();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= many {
                        return;
                    }
                    for (kind, count) in play(&rulebook, seed, &store) {
                        *kinds.lock().unwrap().entry(kind).or_default() += count;
                    }
                }
            });
        }
    });
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.damage().unwrap(), None);
    let rows = store.list(None, 0, usize::MAX).unwrap();
    assert_eq!(rows.len() as u64, many);
    let mut moves = 0;
    for row in &rows {
        let record = store.record(row.number).unwrap().unwrap();
        assert!(record.is_completed, "{}", record.match_id);
        assert_eq!(verify_record(&record, &**rulebook.reference()), Verdict::Agrees, "{}", record.match_id);
        assert_eq!(row.errors, record.error_count() as u64);
        moves += row.moves;
    }
    let kinds = kinds.into_inner().unwrap();
    println!("{many} matches, {moves} moves in {:.1} s; errors {kinds:?}", begun.elapsed().as_secs_f64());
    for kind in ["TO", "IL", "CE"] {
        assert!(kinds.get(kind).is_some_and(|&count| count > 0), "no fault of kind {kind} in {many} matches");
    }
}
