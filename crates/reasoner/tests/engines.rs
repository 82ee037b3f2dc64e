//! Every engine against the reference, and machine code against the interpreter.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "tests end by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ludex_game::{Effort, End, Game, Playouts, Trace, agree, conforms, verify};
use ludex_gdl::Rules;
use ludex_reasoner::{
    BatchGame, ENGINES, Ground, Limits, MachineCode, Progress, Reference, Stats, Width, build,
};
use ludex_testkit::playouts;
use ludex_testkit::{Corpus, library, rules};

/// Small games, each with something odd.
const SHEETS: &[(&str, &str)] = &[
    (
        "simultaneous moves, goals doubled and missing",
        "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2)
         (<= (legal ?r (say ?x)) (role ?r) (succ ?x ?y)) (<= (legal a rest) (true (n 0)))
         (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
         (<= (next (said ?r ?x)) (does ?r (say ?x))) (<= (next (said ?r ?x)) (true (said ?r ?x)))
         (<= terminal (true (n 2)))
         (<= (goal a 30) (true (said a 0))) (<= (goal a 60) (true (said b 1))) (goal b 10)",
    ),
    (
        "recursion through the state",
        "(role a) (init (at 1)) (init (open 1 2)) (init (open 2 3)) (init (open 3 1)) (edge 1 2) (edge 2 3) (edge 3 1) (edge 3 4)
         (<= (reach ?x ?y) (true (open ?x ?y)))
         (<= (reach ?x ?z) (edge ?y ?z) (true (open ?y ?z)) (reach ?x ?y))
         (<= (legal a (close ?x ?y)) (true (open ?x ?y))) (legal a stay) (<= (legal a (go ?y)) (true (at ?x)) (reach ?x ?y))
         (<= (next (at ?y)) (does a (go ?y))) (<= (next (at ?x)) (true (at ?x)) (not went))
         (<= went (does a (go ?y)))
         (<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does a (close ?x ?y))))
         (<= terminal (true (at ?x)) (not (reach ?x ?x)))
         (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3))))",
    ),
    (
        "facts that are variables, compound moves, unbound does",
        "(role a) (role b) (init (p (q 1 x))) (init flag) (other a b) (other b a)
         (<= (legal ?r (swap (pair ?r ?s))) (other ?r ?s)) (<= (legal ?r keep) (role ?r))
         (<= (next ?f) (true ?f) (not changed)) (<= changed (does ?r (swap ?what)))
         (<= (next (p (q 2 ?r))) (does ?r (swap (pair ?r ?s))) (true flag))
         (<= terminal (true (p (q 2 ?x)))) (<= (goal ?r 50) (role ?r) (not (true (p (q 2 ?r))))) (<= (goal ?r 100) (true (p (q 2 ?r))))",
    ),
    (
        "abbreviations, negation for no value, goals by negation, or",
        "(role a) (init (v 1)) (init (w 2)) (num 1) (num 2) (num 3) (less 1 2) (less 2 3)
         (<= (differ ?x ?y) (distinct ?x ?y))
         (<= (legal a (set ?x ?y)) (num ?x) (num ?y) (differ ?x ?y) (or (true (v ?x)) (and (true (w ?y)) (not (true (v ?y))))))
         (legal a wait)
         (<= (next (v ?y)) (does a (set ?x ?y))) (<= (next (v ?x)) (true (v ?x)) (does a wait)) (<= (next (w ?x)) (does a (set ?x ?y)))
         (<= (next late) (does a wait))
         (<= top (true (v ?x)) (not (less ?x ?y))) (<= terminal top) (<= terminal (true late))
         (<= (goal a 100) top) (<= (goal a 0) (not (goal a 100)))",
    ),
    (
        "terms that occur only in comparisons",
        "(role a) (init (on 1 2)) (num 1) (num 2) (<= (legal a (press ?x ?y)) (num ?x) (num ?y))
         (<= (next (on ?x ?y)) (does a (press ?x ?y)) (not (true (on ?x ?y))))
         (<= (next (on ?x ?y)) (does a (press ?i ?j)) (true (on ?x ?y)) (distinct (cell ?x ?y) (cell ?i ?j)))
         (<= terminal (true (on 1 1)) (true (on 2 2))) (<= (goal a 100) (true (on 2 1))) (<= (goal a 0) (not (true (on 2 1))))",
    ),
    (
        "a role that gets stuck",
        "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (legal a step) (true (n ?x))) (<= (legal b step) (true (n 0))) (<= (legal b other) (true (n 1)))
         (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 3))) (goal a 1) (goal b 2)",
    ),
];

/// A sheet and how large it is: the reference takes milliseconds for a state of a large one.
struct Own {
    name: String,
    rules: Rules,
    gates: usize,
}

/// The games that come with Ludex, then the sheets above.
fn own_games() -> Vec<Own> {
    let mut sheets = library();
    sheets.extend(SHEETS.iter().map(|(name, text)| (*name, rules(text))));
    let own = |(name, rules): (&'static str, Rules)| {
        let stats = Stats::new(&rules, &Limits::default(), &Progress::new()).expect("it grounds");
        let gates = stats.circuit.size.gates.iter().sum();
        Own { name: name.to_owned(), rules, gates }
    };
    sheets.into_iter().map(own).collect()
}

impl Own {
    /// Whether it is one of the small sheets above, or as quick.
    fn is_small(&self) -> bool {
        self.gates < 60
    }

    /// Every game is looked at, large ones for a shorter time.
    fn effort(&self) -> Effort {
        match self.gates {
            0..60 => Effort { games: 12, ..Effort::default() },
            60..1000 => Effort { games: 2, max_steps: 15, max_joint_moves: 16, ..Effort::default() },
            _ => Effort { games: 1, max_steps: 5, max_joint_moves: 8, playouts: 2, ..Effort::default() },
        }
    }
}

/// Does something with each game, on all processors.
fn each(what: impl Fn(&Own) + Sync) {
    let (games, next) = (own_games(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(own) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    what(own);
                }
            });
        }
    });
}

#[test]
fn every_engine_keeps_the_contract_and_agrees_with_the_reference() {
    each(|own| {
        let (name, effort) = (&own.name, own.effort());
        let reference = build(own.rules.clone(), "reference").expect("a game");
        for engine in ENGINES.iter().skip(1) {
            let game = build(own.rules.clone(), engine.name).expect("a game");
            let kept = conforms(&game, &effort);
            assert!(kept.is_ok(), "{name}, {}: {:?}", engine.name, kept.err());
            let agreed = agree(&*reference, &*game, &effort);
            assert!(agreed.is_ok(), "{name}, {}: {:?}", engine.name, agreed.err());
        }
    });
}

fn batch(rules: &Rules, width: Width, machine_code: MachineCode) -> Arc<BatchGame> {
    let limits = Limits { time: Duration::from_secs(20), ..Limits::default() };
    let ground = Ground::new(rules, &limits).expect("small");
    Arc::new(BatchGame::new(ground, width, machine_code).expect("a circuit"))
}

fn play<G: Game>(game: &Arc<G>, count: u64, max_steps: u32) -> Playouts {
    playouts(game, count, max_steps, 7)
}

/// The same seed must give the same playouts, whoever computes the gates.
#[test]
fn machine_code_plays_exactly_like_the_interpreter() {
    let compiled = AtomicUsize::new(0);
    each(|own| {
        let (name, count) = (&own.name, if own.is_small() { 3000 } else { 800 });
        for width in Width::ALL {
            let plain = batch(&own.rules, width, MachineCode::Never);
            let fast = batch(&own.rules, width, MachineCode::AtOnce);
            compiled.fetch_add(usize::from(fast.engine().compiled), Ordering::Relaxed);
            let (one, other) = (play(&plain, count, 50), play(&fast, count, 50));
            assert_eq!(one, other, "{name} with {} lanes", width.lanes());
            if own.is_small() {
                assert_eq!(one, play(&plain, count, 50), "{name}: not repeatable");
            }
        }
    });
    println!("{} games ran as machine code", compiled.into_inner());
}

/// All widths and the one-by-one playouts of the reference have the same means, for small games:
/// the reference plays thousands of them.
#[test]
fn playouts_of_all_widths_have_the_means_of_the_reference() {
    for Own { name, rules, .. } in own_games().into_iter().filter(Own::is_small) {
        let reference = Arc::new(Reference::new(rules.clone()).expect("a game"));
        let expected = play(&reference, 2000, 60);
        let ended = |p: &Playouts| p.ended() as f64;
        for width in Width::ALL {
            let found = play(&batch(&rules, width, MachineCode::AtOnce), 40_000, 60);
            // Shares are binomial: allow five standard deviations of the smaller sample.
            let near = |a: u64, b: u64| {
                (a as f64 / ended(&expected) - b as f64 / ended(&found)).abs() < 5.0 * 0.5 / 2000f64.sqrt()
            };
            assert!(near(expected.finished, found.finished), "{name} {width:?}: {expected:?} {found:?}");
            assert!(near(expected.stuck, found.stuck), "{name} {width:?}: {expected:?} {found:?}");
            for role in 0..expected.goal_sums.len() {
                let mean = |p: &Playouts| p.goal_sums[role] as f64 / ended(p);
                assert!(
                    (mean(&expected) - mean(&found)).abs() < 5.0 * 50.0 / 2000f64.sqrt(),
                    "{name} {width:?}"
                );
            }
        }
    }
}

#[test]
fn limits_are_answers() {
    let rules = rules(
        "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n end))) (goal a 0)",
    );
    for limits in [
        Limits { atoms: 1000, ..Limits::default() },
        Limits { time: Duration::from_millis(50), ..Limits::default() },
    ] {
        assert!(Ground::new(&rules, &limits).is_err(), "terms grow without end");
    }
    let game = build(rules, "auto").expect("the rules engine needs no grounding");
    assert_eq!(game.engine().name, "rules");
}

/// Published sheets with recorded games; see `corpus.rs`.
#[test]
fn circuits_agree_with_recorded_games() {
    let Some(corpus) = Corpus::find("recorded games are not verified") else { return };
    let differs = include_str!("data/differs.csv");
    let (mut verified, mut not_grounded) = (0, Vec::new());
    // Every third sheet and the first lines of its trace; all of it is for `ludex trace verify
    // --corpus`.
    for sheet in corpus.sheets("games").into_iter().step_by(3) {
        let (name, rules) = (sheet.name.clone(), sheet.rules());
        let Some(trace) = corpus.trace(&name) else { continue };
        if differs.lines().any(|row| row.starts_with(&format!("{name},"))) {
            continue;
        }
        // Time to spare: other tests run at the same time.
        let limits = Limits { time: Duration::from_secs(2), ..Limits::default() };
        let Ok(game) =
            Ground::new(&rules, &limits).and_then(|g| BatchGame::new(g, Width::best(), MachineCode::AtOnce))
        else {
            not_grounded.push(name);
            continue;
        };
        let file = std::io::BufReader::new(std::fs::File::open(trace).expect("readable"));
        let mut trace = Trace::read(file).expect("a trace");
        trace.lines.truncate(12);
        let result = verify(&game, &trace);
        assert!(matches!(result.end, End::Agreed), "{name}: {:?}", result.end);
        verified += 1;
    }
    println!("{verified} sheets verified; not grounded in two seconds: {not_grounded:?}");
    assert!(verified > 130, "only {verified} sheets");
}
