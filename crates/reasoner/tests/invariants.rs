//! What is claimed of all states that can be reached: found where it holds, not claimed where it
//! does not, and harmless in states that cannot be reached.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::fmt::Write;
use std::sync::Arc;

use ludex_game::{Effort, Game, MoveId, State, agree, children};
use ludex_reasoner::{
    BatchGame, CircuitGame, CircuitReport, Ground, Limits, MachineCode, Progress, Reference, Stats, Width,
};
use ludex_testkit::{rules, simulator};

fn report(text: &str) -> CircuitReport {
    Stats::new(&rules(text), &Limits::default(), &Progress::new()).expect("it grounds").circuit
}

fn ground(text: &str) -> Ground {
    Ground::new(&rules(text), &Limits::default()).expect("it grounds")
}

fn batch(text: &str) -> BatchGame {
    BatchGame::new(ground(text), Width::Lanes64, MachineCode::Never).expect("a circuit")
}

/// Whether exactly one (or at most one) of these facts is said to hold.
fn claims(report: &CircuitReport, exactly_one: bool, facts: &[&str]) -> bool {
    let mut wanted: Vec<&str> = facts.to_vec();
    wanted.sort_unstable();
    report.groups.iter().any(|group| {
        let mut found: Vec<&str> = group.facts.iter().map(String::as_str).collect();
        found.sort_unstable();
        group.exactly_one == exactly_one && found == wanted
    })
}

/// Two take turns to paint a tile; `extra` spoils it.
fn tile(extra: &str) -> String {
    let mut text = format!(
        "(role a) (role b) (init (turn a)) (init (tile plain)) (init (n 0)) (colour a red) (colour b blue) (other a b) (other b a)
        (<= (legal ?r paint) (true (turn ?r))) (<= (legal ?r pass) (true (turn ?r)))
        (<= (legal ?r wait) (true (turn ?s)) (other ?r ?s))
        (<= (next (turn ?r)) (true (turn ?s)) (other ?r ?s)) (<= painted (does ?r paint))
        (<= (next (tile ?c)) (does ?r paint) (colour ?r ?c)) (<= (next (tile ?c)) (true (tile ?c)) (not painted))
        (<= (next ever) (does a paint)) (<= (next ever) (true ever))
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 150)))
        (<= (goal ?r 100) (colour ?r ?c) (true (tile ?c))) (<= (goal ?r 0) (role ?r) (true (tile plain)))\n{extra}\n"
    );
    for number in 0..150 {
        let _ = write!(text, "(succ {number} {})", number + 1);
    }
    text
}

const TILE: [&str; 3] = ["(tile plain)", "(tile red)", "(tile blue)"];

#[test]
fn groups_and_latches_are_found() {
    let found = report(&tile(""));
    assert!(claims(&found, true, &TILE), "{:?}", found.groups);
    assert!(claims(&found, true, &["(turn a)", "(turn b)"]), "{:?}", found.groups);
    assert!(found.stay_on.iter().any(|fact| fact == "ever"), "{:?}", found.stay_on);
    assert!(found.stay_off.iter().any(|fact| fact == "(tile plain)"), "{:?}", found.stay_off);
    // The step counter has no next value at the end, where no step is made.
    let numbers: Vec<String> = (0..=150).map(|n| format!("(n {n})")).collect();
    assert!(claims(&found, true, &numbers.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(found.derived.len(), 1, "{:?}", found.derived);
}

/// What is wrong comes up so late that trying does not show it: only the proof can tell.
#[test]
fn nothing_is_claimed_that_ends_late_in_the_game() {
    let two = report(&tile("(<= (next (tile plain)) (true (n 148)))"));
    assert!(!claims(&two, true, &TILE) && !claims(&two, false, &TILE), "{:?}", two.groups);
    assert!(!two.stay_off.iter().any(|fact| fact == "(tile plain)"), "{:?}", two.stay_off);
    assert!(claims(&two, true, &["(turn a)", "(turn b)"]), "the rest stays");

    let none = tile("").replace("(not painted))", "(not painted) (not (true (n 148))))");
    let none = report(&none);
    assert!(!claims(&none, true, &TILE) && claims(&none, false, &TILE), "{:?}", none.groups);

    let latch =
        tile("").replace("(<= (next ever) (true ever))", "(<= (next ever) (true ever) (not (true (n 148))))");
    assert!(!report(&latch).stay_on.iter().any(|fact| fact == "ever"));
}

#[test]
fn what_does_not_hold_at_first_is_not_claimed() {
    let found = report(&tile("(init (tile red))"));
    assert!(!claims(&found, true, &TILE) && !claims(&found, false, &TILE), "{:?}", found.groups);
}

#[test]
fn moves_at_the_same_time_can_collide() {
    let text = "(role a) (role b) (init (at 0)) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal ?r (go ?x)) (role ?r) (index ?x)) (index 0) (index 1)
        (<= (next (at ?x)) (does GOER (go ?x))) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
        (<= terminal (true (n 3))) (<= (goal ?r 100) (role ?r) (true (at 1))) (<= (goal ?r 0) (role ?r) (true (at 0)))";
    assert!(claims(&report(&text.replace("GOER", "a")), true, &["(at 0)", "(at 1)"]));
    let both = report(&text.replace("GOER", "?r"));
    assert!(!both.groups.iter().any(|group| group.facts[0].starts_with("(at")), "{:?}", both.groups);
}

/// A game of three dials that moves turn, with something wrong here and there.
fn dials(random: &mut fastrand::Rng) -> String {
    let mut text = "(role a) (role b) (init (n 0)) (init (turn a)) (value x) (value y) (value z)
        (<= (legal ?r (set ?i ?v)) (true (turn ?r)) (dial ?i) (value ?v)) (<= (legal ?r rest) (role ?r))
        (<= (set ?i) (does ?r (set ?i ?v))) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 7)))
        (<= (goal a 100) (true (dial 0 x))) (<= (goal a 0) (not (true (dial 0 x)))) (goal b 50)\n"
        .to_owned();
    for number in 0..7 {
        let _ = writeln!(text, "(succ {number} {})", number + 1);
    }
    let _ = match random.u8(..3) {
        0 => writeln!(text, "(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))"),
        1 => writeln!(text, "(<= (next (turn ?r)) (role ?r) (true (n ?x)))"),
        _ => writeln!(text, "(<= (next (turn ?r)) (does ?r rest))"),
    };
    for dial in 0..3 {
        let other = random.usize(..3);
        let value = ["x", "y", "z"][random.usize(..3)];
        let _ = writeln!(text, "(dial {dial}) (init (dial {dial} {value}))");
        let but = match random.u8(..6) {
            0 => format!("(true (dial {other} {value}))"),
            1 => format!("(not (true (n {})))", random.u8(..7)),
            _ => String::new(),
        };
        let _ = match random.u8(..5) {
            0 => writeln!(text, "(<= (next (dial {dial} ?v)) (does ?r (set {dial} ?v)) {but})"),
            1 => writeln!(text, "(<= (next (dial {dial} ?v)) (does a (set {dial} ?v)))"),
            _ => writeln!(text, "(<= (next (dial {dial} ?v)) (does ?r (set {dial} ?v)))"),
        };
        let frame = if random.u8(..5) == 0 { other } else { dial };
        let _ =
            writeln!(text, "(<= (next (dial {dial} ?v)) (true (dial {dial} ?v)) (not (set {frame})) {but})");
        let _ = writeln!(
            text,
            "(<= (next (seen {dial})) (true (dial {dial} x))) (<= (next (seen {dial})) (true (seen {dial})) {but})"
        );
    }
    text
}

/// One step of a random game; `None` at its end.
fn step(game: &dyn Game, state: &State, random: &mut fastrand::Rng) -> Option<State> {
    let view = game.view(state).expect("a view");
    if view.terminal || view.legal.iter().any(Vec::is_empty) {
        return None;
    }
    let joint: Vec<MoveId> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
    Some(game.next(state, &joint).expect("a state"))
}

/// Plays with an engine that takes nothing for granted, and looks whether all claims hold.
fn check(game: &dyn Game, report: &CircuitReport, games: usize, steps: usize, random: &mut fastrand::Rng) {
    let id = |fact: &String| game.find_fact(fact).expect("a fact");
    let groups: Vec<_> =
        report.groups.iter().map(|g| (g.exactly_one, g.facts.iter().map(id).collect::<Vec<_>>())).collect();
    let on: Vec<_> = report.stay_on.iter().map(id).collect();
    let off: Vec<_> = report.stay_off.iter().map(id).collect();
    for _ in 0..games {
        let mut state = game.initial();
        let mut before = None;
        for _ in 0..steps {
            let facts = game.facts(&state);
            let holds = |fact| facts.binary_search(fact).is_ok();
            for (exactly_one, group) in &groups {
                let count = group.iter().filter(|fact| holds(fact)).count();
                assert!(count == 1 || (count == 0 && !exactly_one), "{:?}", game.describe(&state));
            }
            if let Some(old) = before.replace(facts.clone()) {
                assert!(on.iter().all(|fact| old.binary_search(fact).is_err() || holds(fact)));
                assert!(off.iter().all(|fact| old.binary_search(fact).is_ok() || !holds(fact)));
            }
            let Some(next) = step(game, &state, random) else { break };
            state = next;
        }
    }
}

#[test]
fn claims_hold_in_random_sheets() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut one_of, mut fewer, mut derived) = (0, 0, 0);
    for _ in 0..120 {
        let text = dials(&mut random);
        let found = report(&text);
        let dials = found
            .groups
            .iter()
            .filter(|group| group.exactly_one && group.facts[0].starts_with("(dial"))
            .count();
        one_of += dials;
        fewer += usize::from(dials < 3);
        derived += found.derived.len();
        let plain = CircuitGame::new(ground(&text)).expect("a circuit");
        check(&plain, &found, 12, 9, &mut random);
        let reference = Reference::new(rules(&text)).expect("a game");
        let effort = Effort { games: 2, ..Effort::default() };
        agree(&batch(&text), &reference, &effort).unwrap_or_else(|violation| panic!("{violation}\n{text}"));
    }
    // Both kinds came up.
    assert!(one_of > 40 && fewer > 40 && derived > 40, "{one_of} {fewer} {derived}");
}

/// Facts by number, as many as there are.
fn fact_names(game: &dyn Game) -> Vec<String> {
    let names = (0..).map(|fact| game.fact_name(ludex_game::FactId::new(fact)));
    names.take_while(|name| !name.is_empty()).collect()
}

fn with_facts(game: &dyn Game, names: &[&String]) -> State {
    let facts: Vec<_> = names.iter().map(|name| game.find_fact(name).expect("a fact")).collect();
    game.state_with(&facts)
}

/// Compares what two engines say of any state at all, reachable or not.
fn compare_anywhere(game: BatchGame, other: &dyn Game, states: usize, random: &mut fastrand::Rng) {
    let game = Arc::new(game);
    let names = fact_names(&*game);
    let shared: Arc<dyn Game> = game.clone();
    let mut steps = 0;
    for _ in 0..states {
        let chosen: Vec<&String> = names.iter().filter(|_| random.u8(..3) == 0).collect();
        let (here, there) = (with_facts(&*game, &chosen), with_facts(other, &chosen));
        let view = game.view(&here).expect("a view");
        assert_eq!(view.terminal, other.view(&there).expect("a view").terminal);
        for child in children(&shared, &here).expect("children").iter().take(9) {
            let by_name = child.joint.iter().map(|&id| other.find_move(&game.move_name(id)).expect("a move"));
            let next = other.next(&there, &by_name.collect::<Vec<_>>()).expect("a state");
            assert_eq!(game.describe(&child.state), other.describe(&next), "after {chosen:?}");
            assert_eq!(game.next(&here, &child.joint).expect("a state"), child.state);
            steps += 1;
        }
        simulator(&game, 3).playouts(&here, 3, 1).expect("playouts");
    }
    assert!(steps > states / 4, "only {steps} steps");
}

#[test]
fn states_that_cannot_be_reached_are_answered_by_the_rules() {
    let mut random = fastrand::Rng::with_seed(6);
    let text = include_str!("../../../games/tic_tac_toe.kif");
    assert!(report(text).derived.len() > 8, "there is something to get wrong");
    compare_anywhere(batch(text), &Reference::new(rules(text)).expect("a game"), 60, &mut random);
    for _ in 0..30 {
        let text = dials(&mut random);
        let plain = CircuitGame::new(ground(&text)).expect("a circuit");
        compare_anywhere(batch(&text), &plain, 20, &mut random);
    }
}

#[test]
fn playouts_from_anywhere_follow_the_rules() {
    // Two tiles at once: whoever derives one from the other loses one.
    let text = tile("").replace("150)))", "2)))").replace("(init (n 0))", "(init (n 0)) (init (m 0))");
    let game = Arc::new(batch(&text));
    let both = ["(tile red)", "(tile blue)", "(turn a)", "(n 0)"].map(str::to_owned);
    let from = with_facts(&*game, &both.iter().collect::<Vec<_>>());
    let result = simulator(&game, 9).playouts(&from, 200, 1).expect("playouts");
    // Both tiles stay if nobody paints, and then both players win.
    let reference = Arc::new(Reference::new(rules(&text)).expect("a game"));
    let from = with_facts(&*reference, &both.iter().collect::<Vec<_>>());
    let expected = simulator(&reference, 9).playouts(&from, 200, 1).expect("playouts");
    assert_eq!(result.finished, expected.finished);
    let (one, other) = (result.goal_sums.iter().sum::<u64>(), expected.goal_sums.iter().sum::<u64>());
    assert!(one > 100 * 200 && one.abs_diff(other) < 4000, "{one} {other}");
}
