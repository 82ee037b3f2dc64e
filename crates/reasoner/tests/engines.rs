//! Every engine against the reference, and machine code against the interpreter.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "tests end by panicking")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use ludex_game::{Effort, End, Game, Playouts, Policy, Request, RoleId, Trace, agree, conforms, verify};
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::{BatchGame, ENGINES, Ground, Limits, Reference, Width, build};

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

fn rules(text: &str) -> Rules {
    load(&Source::new("test.kif", text)).playable().expect("no errors")
}

fn own_games() -> Vec<(String, Rules)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let paths = std::fs::read_dir(folder).expect("games").map(|e| e.expect("an entry").path());
    let mut games: Vec<_> = paths
        .map(|p| (p.display().to_string(), rules(&std::fs::read_to_string(&p).expect("readable"))))
        .collect();
    games.sort_by(|a, b| a.0.cmp(&b.0));
    games.extend(SHEETS.iter().map(|(name, text)| ((*name).to_owned(), rules(text))));
    games
}

#[test]
fn every_engine_keeps_the_contract_and_agrees_with_the_reference() {
    for (name, rules) in own_games() {
        let reference = build(rules.clone(), "reference").expect("a game");
        for engine in ENGINES.iter().skip(1) {
            let game = build(rules.clone(), engine.name).expect("a game");
            let effort = Effort { games: 12, ..Effort::default() };
            let kept = conforms(&*game, &effort);
            assert!(kept.is_ok(), "{name}, {}: {:?}", engine.name, kept.err());
            let agreed = agree(&*reference, &*game, &effort);
            assert!(agreed.is_ok(), "{name}, {}: {:?}", engine.name, agreed.err());
        }
    }
}

fn batch(rules: &Rules, width: Width, compile: bool) -> BatchGame {
    let limits = Limits { time: Duration::from_secs(20), ..Limits::default() };
    BatchGame::new(Ground::new(rules, &limits).expect("small"), width, compile).expect("a circuit")
}

fn play(game: &dyn Game, count: u64, max_steps: u32) -> Playouts {
    let from = game.initial();
    game.playouts(&mut Request { from: &from, count, max_steps, seed: 7, policy: None }).expect("playouts")
}

/// The same seed must give the same playouts, whoever computes the gates.
#[test]
fn machine_code_plays_exactly_like_the_interpreter() {
    let mut compiled = 0;
    for (name, rules) in own_games() {
        for width in Width::ALL {
            let (plain, fast) = (batch(&rules, width, false), batch(&rules, width, true));
            compiled += usize::from(fast.is_compiled());
            let (one, other) = (play(&plain, 3000, 50), play(&fast, 3000, 50));
            assert_eq!(one, other, "{name} with {} lanes", width.lanes());
            assert_eq!(one, play(&plain, 3000, 50), "{name}: not repeatable");
        }
    }
    println!("{compiled} games ran as machine code");
}

/// All widths and the one-by-one playouts of the reference have the same means.
#[test]
fn playouts_of_all_widths_have_the_means_of_the_reference() {
    for (name, rules) in own_games().into_iter().filter(|(name, _)| !name.contains("connect_four")) {
        let reference = Reference::new(rules.clone()).expect("a game");
        let expected = play(&reference, 2000, 60);
        let ended = |p: &Playouts| (p.finished + p.cut_off + p.stuck) as f64;
        for width in Width::ALL {
            let found = play(&batch(&rules, width, true), 40_000, 60);
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

/// Takes the first legal move, and looks at what it is offered.
struct First {
    calls: u64,
}

impl Policy for First {
    fn choose(&mut self, _: RoleId, legal: &[ludex_game::MoveId], _: &mut fastrand::Rng) -> usize {
        assert!(!legal.is_empty() && legal.is_sorted());
        self.calls += 1;
        0
    }
}

#[test]
fn a_policy_decides_in_every_lane() {
    let text = "(role a) (init (n 0)) (succ 0 1) (succ 1 2) (legal a left) (legal a right)
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= (next wrong) (does a right)) (<= (next wrong) (true wrong))
        (<= terminal (true (n 2))) (<= (goal a 100) (not (true wrong))) (<= (goal a 0) (true wrong))";
    let game = batch(&rules(text), Width::best(), true);
    let mut first = First { calls: 0 };
    let from = game.initial();
    let mut request = Request { from: &from, count: 1000, max_steps: 10, seed: 7, policy: Some(&mut first) };
    let result = game.playouts(&mut request).expect("playouts");
    let left_first = game.find_move("left") < game.find_move("right");
    let expected = if left_first { 100 * result.finished } else { 0 };
    assert_eq!(result.goal_sums, [expected]);
    assert!(first.calls >= result.steps);
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
    assert_eq!(game.engine(), "rules");
}

/// Published sheets with recorded games; see `corpus.rs`.
#[test]
fn circuits_agree_with_recorded_games() {
    let Some(corpus) = std::env::var_os("LUDEX_CORPUS").map(PathBuf::from) else {
        println!("LUDEX_CORPUS is not set: recorded games are not verified");
        return;
    };
    let differs = include_str!("data/differs.csv");
    let mut paths: Vec<_> = std::fs::read_dir(corpus.join("games"))
        .expect("games")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    let (mut verified, mut not_grounded) = (0, Vec::new());
    // Every third sheet and the first lines of its trace; all of it is for `ludex trace verify --corpus`.
    for path in paths.iter().step_by(3) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let trace = corpus.join("traces").join(format!("{name}.jsonl.gz"));
        if !trace.exists() || differs.lines().any(|row| row.starts_with(&format!("{name},"))) {
            continue;
        }
        let rules = load(&Source::new(name.as_str(), std::fs::read(path).expect("readable"))).rules;
        let limits = Limits { time: Duration::from_millis(500), ..Limits::default() };
        let Ok(game) = Ground::new(&rules, &limits).and_then(|g| BatchGame::new(g, Width::best(), true))
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
    println!("{verified} sheets verified; not grounded in half a second: {not_grounded:?}");
    assert!(verified > 130, "only {verified} sheets");
}
