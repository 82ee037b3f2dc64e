//! Prolog programs against the reference: SWI-Prolog plays random matches, the reference replays
//! them and must see the same states, legal moves, ends and goals.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::io::Write;
use std::process::Command;

use ludex_game::{Game, Goal};
use ludex_gdl::load;
use ludex_reasoner::build;
use ludex_testkit::{Corpus, game, game_from, has_program, library_rules, rules};
use ludex_translate::prolog;

/// Plays a random match and prints what it sees, a line for each thing.
const DRIVER: &str = r"
kif(Term) :- atomic(Term), !, write(Term).
kif(Term) :-
    Term =.. [Name|Arguments],
    write('('), write(Name),
    forall(member(Argument, Arguments), (write(' '), kif(Argument))),
    write(')').

show(Label, Term) :- write(Label), write(' '), kif(Term), nl.

play(Steps) :- initial(State), set_state(State), step(Steps).

step(Left) :-
    state(State),
    forall(member(Fact, State), show(fact, Fact)),
    forall(role(Role), (goal(Role, Value), show(goal, of(Role, Value)) ; true)),
    ( terminal -> writeln(terminal) ; Left > 0 -> go_on(Left) ; writeln(stopped) ).

go_on(Left) :-
    forall((role(Role), legal_moves(Role, Moves), member(Move, Moves)), show(legal, of(Role, Move))),
    findall(does(Role, Move), (legal_moves(Role, Moves), random_member(Move, Moves)), Joint),
    forall(member(does(_, Move), Joint), show(move, Move)),
    writeln(step),
    make_transition(Joint),
    Next is Left - 1,
    step(Next).
";

/// What Prolog saw in one state.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    facts: Vec<String>,
    goals: Vec<String>,
    legal: Vec<String>,
    terminal: bool,
}

/// Plays with SWI-Prolog: states and the joint moves between them.
fn played(name: &str, program: &str, steps: usize) -> (Vec<Seen>, Vec<Vec<String>>) {
    let mut file = tempfile::NamedTempFile::with_suffix(".pl").expect("a temporary file");
    write!(file, "{program}\n{DRIVER}\n").expect("written");
    let goal = format!("set_random(seed(7)), play({steps}), halt");
    let output = Command::new("swipl")
        .args(["-q", "-g", &goal, "-t", "halt(1)"])
        .arg(file.path())
        .output()
        .expect("swipl runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{name}: {errors}");
    let (mut states, mut joints) = (vec![Seen::default()], vec![Vec::new()]);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (label, rest) = line.split_once(' ').unwrap_or((line, ""));
        let seen = states.last_mut().expect("there is always one");
        match label {
            "fact" => seen.facts.push(rest.into()),
            "goal" => seen.goals.push(rest.into()),
            "legal" => seen.legal.push(rest.into()),
            "move" => joints.last_mut().expect("there is always one").push(rest.into()),
            "terminal" => seen.terminal = true,
            "step" => {
                states.push(Seen::default());
                joints.push(Vec::new());
            }
            "stopped" => seen.legal.clear(),
            _ => panic!("{name}: {line}"),
        }
    }
    joints.pop();
    for seen in &mut states {
        seen.goals.sort();
        seen.goals.dedup();
        seen.facts.sort();
        seen.legal.sort();
    }
    (states, joints)
}

/// The same by the reference.
fn replayed(name: &str, game: &dyn Game, joints: &[Vec<String>], stopped: bool) -> Vec<Seen> {
    let mut state = game.initial();
    let mut all = Vec::new();
    for at in 0..=joints.len() {
        let view = game.view(&state).expect("rules without faults");
        let goals = game.goals(&state).expect("rules without faults");
        let roles: Vec<_> = game.roles().iter().map(|role| role.to_lowercase()).collect();
        let mut seen = Seen {
            facts: game.describe(&state),
            goals: Vec::new(),
            legal: Vec::new(),
            terminal: view.terminal,
        };
        for (role, goal) in roles.iter().zip(&goals) {
            match goal {
                Goal::Value(value) => seen.goals.push(format!("(of {role} {value})")),
                Goal::Undefined => {}
                Goal::Faulty(values) => {
                    seen.goals.extend(values.iter().map(|value| format!("(of {role} {value})")));
                }
            }
        }
        if !(stopped && at == joints.len()) {
            for (role, moves) in roles.iter().zip(&view.legal) {
                seen.legal.extend(moves.iter().map(|&id| format!("(of {role} {})", game.move_name(id))));
            }
        }
        seen.goals.sort();
        seen.legal.sort();
        all.push(seen);
        if let Some(joint) = joints.get(at) {
            let moves: Vec<_> = joint
                .iter()
                .map(|text| game.find_move(text).unwrap_or_else(|| panic!("{name}: no move {text}")))
                .collect();
            state = game.next(&state, &moves).expect("legal moves");
        }
    }
    all
}

fn compare(name: &str, program: &str, reference: &dyn Game, steps: usize) {
    let (prolog, joints) = played(name, program, steps);
    let stopped = !prolog.last().expect("a state").terminal;
    let reference = replayed(name, reference, &joints, stopped);
    for (at, (prolog, reference)) in prolog.iter().zip(&reference).enumerate() {
        assert_eq!(prolog, reference, "{name}, state {at}");
    }
    assert_eq!(prolog.len(), reference.len(), "{name}");
}

#[test]
fn swi_prolog_plays_library_games_like_the_reference() {
    if !has_program("swipl", "swi-prolog-nox") {
        return;
    }
    // A game of each kind: recursion, negation, disjunctions, simultaneous moves, quoted names.
    for name in [
        "tic_tac_toe",
        "connect_four",
        "breakthrough_small",
        "hex_small",
        "chinook",
        "chinese_checkers_3",
        "blocks_world_parallel",
        "hanoi",
        "sudoku_easy",
        "nine_board_tic_tac_toe",
        "rule_depth_quadratic",
        "more_money",
        "two_buttons",
        "ghost_maze",
        "english_draughts",
    ] {
        let rules = library_rules(name);
        compare(name, &prolog(&rules), &*game(name, "reference"), 12);
    }
}

#[test]
fn odd_names_and_circles_survive() {
    if !has_program("swipl", "swi-prolog-nox") {
        return;
    }
    // Names that are built-in predicates, have capitals or signs; numbers with leading zeros; a
    // relation that goes in circles; tests before what binds their variables.
    let sheet = "(role Player-1) (role member)
        (init (at 007 it's)) (init (append 1))
        (edge 007 it's) (edge it's x+y) (edge x+y 007)
        (<= (succ ?a ?b) (distinct ?a ?b) (edge ?a ?b))
        (<= (succ ?a ?b) (distinct ?a ?c) (succ ?c ?b) (edge ?a ?c))
        (<= (legal Player-1 (go ?b)) (not (edge ?a ?b)) (or (succ ?a ?b) (succ ?b ?a)) (true (at ?a ?c)))
        (legal member Length)
        (<= (next (at ?b ?a)) (true (at ?a ?c)) (does Player-1 (go ?b)))
        (<= (next (append ?b)) (true (append ?a)) (write ?a ?b))
        (write 1 2) (write 2 3) (write 3 4) (write 4 5)
        (<= terminal (true (append 5)))
        (<= (goal Player-1 100) (true (at 007 ?c)))
        (<= (goal Player-1 0) (not (true (at 007 it's))))
        (goal member 50)";
    let rules = rules(sheet);
    compare("odd names", &prolog(&rules), &*game_from(sheet, "reference"), 10);
}

#[test]
fn swi_prolog_plays_the_corpus_like_the_reference() {
    if !has_program("swipl", "swi-prolog-nox") {
        return;
    }
    let Some(corpus) = Corpus::find("Prolog programs of published sheets") else { return };
    let mut compared = 0;
    for sheet in corpus.sheets("games").iter().step_by(9) {
        let small = std::fs::metadata(&sheet.path).is_ok_and(|file| file.len() < 6000);
        let Some(rules) = small.then(|| load(&sheet.source()).playable().ok()).flatten() else { continue };
        let program = prolog(&rules);
        let reference = build(rules, "reference").expect("playable rules");
        compare(&sheet.name, &program, &*reference, 4);
        compared += 1;
    }
    assert!(compared > 10, "only {compared} sheets");
}

#[test]
fn the_program_of_tic_tac_toe() {
    insta::assert_snapshot!(prolog(&library_rules("tic_tac_toe")));
}
