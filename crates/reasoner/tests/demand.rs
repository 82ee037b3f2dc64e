//! Relations that cannot be computed as a whole: the circuits of their sheets agree with the
//! reference.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Effort, Game, agree, conforms};
use ludex_gdl::Rules;
use ludex_reasoner::{BatchGame, Ground, GroundSize, Limits, MachineCode, Reference, StopReason, Width};
use ludex_testkit::rules;

/// Grounds a sheet, compares its circuit with the reference, and says how large it is.
fn agrees(rules: &Rules) -> GroundSize {
    let limits = Limits { time: Duration::from_secs(50), ..Limits::default() };
    let ground = Ground::new(rules, &limits).expect("grounds on demand");
    let size = ground.size();
    let game: Arc<dyn Game> =
        Arc::new(BatchGame::new(ground, Width::best(), MachineCode::AtOnce).expect("a circuit"));
    let effort = Effort { games: 8, ..Effort::default() };
    assert!(conforms(&game, &effort).is_ok());
    let agreed = agree(&Reference::new(rules.clone()).expect("a game"), &*game, &effort);
    assert!(agreed.is_ok(), "{:?}", agreed.err());
    size
}

/// Nine places with eight values each are 134 million rows; asked for are those of four marks.
#[test]
fn a_relation_with_many_places_is_computed_where_it_is_asked_for() {
    let numbers: String = (1..=8).map(|n| format!("(num {n}) (succ {n} {}) ", n + 1)).collect();
    let places = ["?a", "?b", "?c", "?d", "?e", "?f", "?g", "?h", "?i"];
    let all: String = places.iter().map(|p| format!("(num {p}) ")).collect();
    let text = format!(
        "(role w) {numbers} (init (mark 1 1)) (init (step 1))
         (<= (legal w (put ?x ?n)) (num ?x) (true (step ?x)) (num ?n))
         (<= (next (mark ?x ?n)) (does w (put ?x ?n))) (<= (next (mark ?x ?n)) (true (mark ?x ?n)))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= (good {names}) {all} (distinct ?a ?b) (distinct ?b ?c))
         (<= line (true (mark 1 ?m)) (true (mark 2 ?n)) (good ?m ?n ?m ?n ?m ?n ?m ?n ?m))
         (<= odd (true (mark 3 ?m)) (not (good ?m 2 ?m ?m 3 3 4 ?m ?m)))
         (<= terminal (true (step 4))) (<= (goal w 100) line) (<= (goal w 40) (not line) odd)
         (<= (goal w 0) (not line) (not odd))",
        names = places.join(" "),
    );
    let size = agrees(&rules(&text));
    assert!(size.instances < 20_000, "{size:?}");
}

/// A relation whose rules leave values to their callers, and which uses itself.
#[test]
fn recursion_over_values_that_callers_give() {
    let size = agrees(&rules(
        "(role w) (init (lamp a off)) (init (lamp b off)) (init (lamp c off)) (init (step 0))
         (succ 0 1) (succ 1 2) (succ 2 3) (after a b) (after b c)
         (<= (legal w (press ?l)) (true (lamp ?l off))) (legal w wait)
         (<= (next (lamp ?l on)) (does w (press ?l)))
         (<= (next (lamp ?l ?v)) (true (lamp ?l ?v)) (not (does w (press ?l))))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= (count c ?n ?m) (one c ?n ?m))
         (<= (count ?l ?n ?m) (after ?l ?k) (one ?l ?n ?o) (count ?k ?o ?m))
         (<= (one ?l ?n ?n) (true (lamp ?l off)))
         (<= (one ?l ?n ?m) (true (lamp ?l on)) (succ ?n ?m))
         (<= terminal (true (step 3)))
         (<= (goal w ?g) (count a 0 ?n) (worth ?n ?g)) (worth 0 0) (worth 1 30) (worth 2 60) (worth 3 100)",
    ));
    assert!(size.atoms < 1000, "{size:?}");
}

/// Lists of all lengths: only those that begin somewhere are ever made.
#[test]
fn lists_are_made_where_they_are_asked_for() {
    let items = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let elements: String = items.iter().map(|i| format!("(item {i}) ")).collect();
    // Lists of up to eight items, each length by a rule of its own: 12^8 of them.
    let mut lists = String::from("(list nil) ");
    for length in 1..=8 {
        let term = (1..=length).rev().fold("nil".to_owned(), |tail, n| format!("(cons ?x{n} {tail})"));
        let body: String = (1..=length).map(|n| format!("(item ?x{n}) ")).collect();
        lists.push_str(&format!("(<= (list {term}) {body}) "));
    }
    let text = format!(
        "(role w) {elements} {lists} (init (picked a)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (legal w (pick ?i)) (item ?i) (not (true (picked ?i))))
         (<= (next (picked ?i)) (does w (pick ?i))) (<= (next (picked ?i)) (true (picked ?i)))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= won (true (picked b)) (true (picked ?i)) (list (cons ?i (cons b (cons ?i (cons b (cons ?i nil)))))) (distinct ?i a))
         (<= terminal (true (step 3))) (<= (goal w 100) won) (<= (goal w 0) (not won))"
    );
    let size = agrees(&rules(&text));
    assert!(size.instances < 20_000, "{size:?}");
}

/// Four places compared two by two, in a rule with many more: it has to be taken apart.
#[test]
fn comparisons_of_many_places_are_taken_apart() {
    let numbers: String = (1..=7).map(|n| format!("(num {n}) ")).collect();
    let size = agrees(&rules(&format!(
        "(role w) {numbers} (init (at 1 1)) (init (at 3 3)) (init (step 0)) (succ 0 1) (succ 1 2)
         (<= (other ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?a ?c))
         (<= (other ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?b ?d))
         (<= (legal w (go ?x ?y ?u ?v)) (true (at ?x ?y)) (num ?u) (num ?v) (other ?x ?y ?u ?v)
             (not (blocked ?x ?y ?u ?v ?x ?v ?u)))
         (<= (blocked ?x ?y ?u ?v ?i ?j ?k) (true (at ?p ?q)) (other ?p ?q ?x ?y) (num ?i) (num ?j) (num ?k)
             (num ?u) (num ?v) (true (at ?u ?v)) (other ?p ?q ?i ?j))
         (<= (next (at ?u ?v)) (does w (go ?x ?y ?u ?v)))
         (<= (next (at ?p ?q)) (true (at ?p ?q)) (does w (go ?x ?y ?u ?v)) (other ?p ?q ?x ?y))
         (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
         (<= terminal (true (step 2))) (<= (goal w 100) (true (at 5 5))) (<= (goal w 0) (not (true (at 5 5))))"
    )));
    assert!(size.instances < 3_000_000, "{size:?}");
}

/// What the first state needs is computed as a whole; if that cannot be, it is said.
#[test]
fn what_explodes_before_the_first_state_is_a_limit() {
    let all: String = (0..9).map(|n| format!("(num ?v{n}) ")).collect();
    let names: String = (0..9).map(|n| format!("?v{n} ")).collect();
    let numbers: String = (0..20).map(|n| format!("(num {n}) ")).collect();
    let text = format!(
        "(role w) {numbers} (<= (wide {names}) {all}) (<= (init (n ?v0)) (wide {names}))
         (legal w go) (<= (next (n 1)) (does w go)) (<= terminal (true (n 1))) (goal w 0)"
    );
    let limits = Limits { time: Duration::from_secs(2), ..Limits::default() };
    assert_eq!(Ground::new(&rules(&text), &limits).err(), Some(StopReason::Time(limits.time)));
}
