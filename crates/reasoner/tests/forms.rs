//! The forms between rules and gates: each says the same, and says truly how large it is.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::fmt::Write;

use ludex_game::{Effort, agree};
use ludex_gdl::{Source, load};
use ludex_reasoner::{CircuitGame, CircuitReport, Ground, Limits, Progress, Reference};
use ludex_testkit::{rules, text};

/// A rule with many variables and thousands of instances, so that grounding splits it.
fn wide() -> String {
    let mut text = "(role a) (init (at 1 1)) (init (at 2 2))
        (<= (legal a (put ?x ?y)) (num ?x) (num ?y) (not (true (at ?x ?y))))
        (<= (next (at ?x ?y)) (true (at ?x ?y))) (<= (next (at ?x ?y)) (does a (put ?x ?y)))
        (<= square (true (at ?a ?b)) (true (at ?c ?d)) (true (at ?a ?d)) (true (at ?c ?b)) (distinct ?a ?c) (distinct ?b ?d))
        (<= pairs (true (at ?a ?b)) (true (at ?b ?c)) (true (at ?c ?d)) (true (at ?d ?e)))
        (<= terminal square) (<= (goal a 100) pairs) (<= (goal a 0) (not pairs))"
        .to_owned();
    for number in 1..=7 {
        let _ = write!(text, " (num {number})");
    }
    text
}

fn sheets() -> Vec<String> {
    let reach = "(role a) (role b) (init (at 1)) (edge 1 2) (edge 2 3) (edge 3 1) (<= (init (open ?x ?y)) (edge ?x ?y))
        (<= (reach ?x ?y) (edge ?x ?y) (true (open ?x ?y)))
        (<= (reach ?x ?z) (edge ?y ?z) (true (open ?y ?z)) (reach ?x ?y))
        (<= (legal a (go ?y)) (true (at ?x)) (reach ?x ?y)) (legal a stay)
        (<= (legal b (close ?x ?y)) (true (open ?x ?y))) (legal b stay)
        (<= (next (at ?y)) (does a (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does a stay))
        (<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does b (close ?x ?y))))
        (<= terminal (true (at ?x)) (not (reach ?x ?x)))
        (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3)))) (goal b 1)";
    vec![text("tic_tac_toe").to_owned(), text("connect_four").to_owned(), reach.to_owned(), wide()]
}

#[test]
fn ground_rules_read_back_play_the_same() {
    let mut parts = 0;
    for text in sheets() {
        let sheet = rules(&text);
        let ground = Ground::readable(&sheet, &Limits::default(), &Progress::new()).expect("small");
        let shown: Vec<String> = ground.rules().map(|rule| rule.to_string()).collect();
        assert!(shown.len() > ground.size().instances, "roles and first facts are there too");
        parts += shown.iter().filter(|line| line.contains("part#")).count();
        assert!(!shown.iter().any(|line| line.contains("atom#") || line.contains('?')));
        let back = load(&Source::new("ground.kif", shown.join("\n"))).rules;
        let (one, other) = (Reference::new(sheet).expect("a game"), Reference::new(back).expect("a game"));
        let agreed = agree(&one, &other, &Effort { games: 3, ..Effort::default() });
        assert!(agreed.is_ok(), "{:?}\n{text}", agreed.err());
    }
    assert!(parts > 0, "no sheet was split");
}

#[test]
fn reports_add_up() {
    let (mut built, mut left) = (0, 0);
    for text in sheets() {
        let ground = Ground::new(&rules(&text), &Limits::default()).expect("small");
        let report = CircuitReport::new(ground).expect("a circuit");
        let gates: Vec<usize> = report.cones.iter().map(|cone| cone.gates).collect();
        assert_eq!(gates, report.size.gates);
        assert_eq!(report.cones.iter().map(|cone| cone.inputs).sum::<usize>(), report.size.inputs);
        assert_eq!(report.loops.len(), report.size.loops);
        let (first, last) = (report.passes[0], report.passes[report.passes.len() - 1]);
        assert_eq!((first.name, last.inputs), ("built", report.size.inputs));
        built += first.inputs;
        left += last.inputs;
        for cone in &report.cones {
            assert!(cone.widest <= cone.inputs && cone.inputs >= 2 * cone.gates, "{cone:?}");
            assert_eq!(cone.depth == 0, cone.gates == 0, "{cone:?}");
        }
    }
    assert!(left < built, "passes make circuits smaller, not every one, but all together");
}

#[test]
fn a_drawing_has_every_gate_and_every_result() {
    let ground = Ground::new(&rules(&sheets()[0]), &Limits::default()).expect("small");
    let report = CircuitReport::new(ground).expect("a circuit");
    let mut out = Vec::new();
    report.write_dot(&mut out).expect("written");
    let text = String::from_utf8(out).expect("text");
    assert_eq!(text.matches("label=\"and\"").count(), report.size.gates.iter().sum::<usize>());
    let results = 1 + report.size.moves + report.size.facts;
    assert!(text.matches("peripheries=2").count() > results, "goals come on top");
    let edges = text.matches(" -> ").count();
    assert_eq!(edges, report.size.inputs + text.matches("peripheries=2").count());
}

/// How many inputs a pass leaves, and how many there were before it.
fn around(text: &str, pass: &str) -> (usize, usize) {
    let ground = Ground::new(&rules(text), &Limits::default()).expect("small");
    let report = CircuitReport::new(ground).expect("a circuit");
    let at = report.passes.iter().position(|p| p.name == pass).expect("the pass is run");
    (report.passes[at - 1].inputs, report.passes[at].inputs)
}

/// `p or (p and q)` is `p`.
#[test]
fn absorbed_terms_go() {
    let text = "(role a) (init p) (legal a press) (legal a wait)
        (<= (next p) (does a press)) (<= (next q) (true p)) (<= (next q) (true q) (does a wait)) (<= (next r) (true q) (does a press))
        (<= over (true p) (true q)) (<= over (true p) (true q) (true r)) (<= over (true r) (true q) (true p) (true p))
        (<= terminal over (true r)) (<= (goal a 100) over) (<= (goal a 0) (not over))";
    let (before, after) = around(text, "absorb");
    assert!(after < before, "{before} inputs became {after}");
}

/// A lamp stays lit; what is said of how it gets lit need not ask whether it is: `lit or (press and
/// ((not lit and p) or (lit and q)))` is `lit or (press and p)`. The same for a lock that opens
/// once: `locked and not (press and (locked and p))`.
#[test]
fn facts_that_stay_ask_less() {
    let lamp = "(role a) (init p) (legal a press) (legal a wait) (<= (next p) (does a wait)) (<= (next q) (does a press))
        (<= (next lit) (true lit)) (<= (next lit) (does a press) ready)
        (<= ready (not (true lit)) (true p)) (<= ready (true lit) (true q))
        (<= terminal (true lit) (true q)) (<= (goal a 100) (true lit)) (<= (goal a 0) (not (true lit)))";
    let lock = "(role a) (init locked) (init p) (legal a press) (legal a wait) (<= (next p) (does a wait))
        (<= (next q) (does a press)) (<= (next locked) (true locked) (not opens))
        (<= opens (does a press) (true q) turned) (<= turned (true locked) (true p)) (<= turned (not (true locked)) (true q))
        (<= terminal (not (true locked))) (<= (goal a 100) terminal) (<= (goal a 0) (not terminal))";
    for text in [lamp, lock] {
        let (before, after) = around(text, "latched");
        assert!(after < before, "{before} inputs became {after}");
        let game = CircuitGame::new(Ground::new(&rules(text), &Limits::default()).expect("small"))
            .expect("a circuit");
        let reference = Reference::new(rules(text)).expect("a game");
        let agreed = agree(&reference, &game, &Effort::default());
        assert!(agreed.is_ok(), "{:?}", agreed.err());
    }
}
