//! A model alone is enough to play: gates are evaluated here, by a reader of their documentation,
//! and give what the engines say.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::model::{Condition, Literal, Node};
use ludex_game::{
    FactId, Game, Goal, GroundModel, Model, MoveId, NamedMoves, NamedState, RoleId, State, joint_moves,
};
use ludex_reasoner::build;
use ludex_testkit::{library_rules as built_in, rules};

fn model(game: &dyn Game) -> &dyn Model {
    game.model().expect("a model")
}

fn ground(game: &dyn Game) -> &GroundModel {
    model(game).ground().expect("a ground model")
}

/// Recursion through the state: two loops, of which the second needs the negation of the first.
const LOOPS: &str = "(role a) (init (at 1)) (init (open 1 2)) (init (open 2 3)) (init (open 3 1))
    (edge 1 2) (edge 2 3) (edge 3 1) (edge 3 4)
    (<= (reach ?x ?y) (true (open ?x ?y)))
    (<= (reach ?x ?z) (edge ?y ?z) (true (open ?y ?z)) (reach ?x ?y))
    (<= (cut ?x ?y) (edge ?x ?y) (not (reach ?x ?y)))
    (<= (cut ?x ?z) (cut ?x ?y) (edge ?y ?z) (not (true (at ?z))))
    (<= (legal a (close ?x ?y)) (true (open ?x ?y))) (legal a stay)
    (<= (legal a (go ?y)) (true (at ?x)) (reach ?x ?y))
    (<= (next (at ?y)) (does a (go ?y))) (<= (next (at ?x)) (true (at ?x)) (not went))
    (<= went (does a (go ?y))) (<= (next seen) (cut 3 1))
    (<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does a (close ?x ?y))))
    (<= terminal (true (at ?x)) (not (reach ?x ?x)))
    (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3))))";

/// All nodes, as the documentation of gates and loops says.
fn nodes(model: &GroundModel, facts: &BTreeSet<FactId>, joint: &[MoveId]) -> Vec<bool> {
    let gates = &model.gates;
    let value = |values: &[bool], literal: Literal| {
        literal.constant().unwrap_or_else(|| values[literal.node() as usize] != literal.is_inverted())
    };
    let mut values = vec![false; gates.len()];
    let compute = |values: &mut Vec<bool>, node: usize| match gates.nodes()[node] {
        Node::False | Node::Loop(_) => {}
        Node::Fact(fact) => values[node] = facts.contains(&fact),
        Node::Does(input) => {
            let input = &model.inputs[input as usize];
            values[node] = joint.get(input.role.index()) == Some(&input.choice);
        }
        Node::And { .. } => {
            let inputs = gates.inputs(u32::try_from(node).expect("small"));
            values[node] = inputs.iter().all(|&input| value(values, input));
        }
    };
    let mut node = 0;
    while node < gates.len() {
        let Some(group) = gates.loops().iter().find(|group| group.first as usize == node) else {
            compute(&mut values, node);
            node += 1;
            continue;
        };
        for round in 0.. {
            assert!(round <= group.nodes.len(), "every round but the last adds something");
            (group.first as usize..group.end as usize).for_each(|node| compute(&mut values, node));
            let new: Vec<bool> = group.becomes.iter().map(|&literal| value(&values, literal)).collect();
            let old: Vec<bool> = group.nodes.iter().map(|&node| values[node as usize]).collect();
            group.nodes.iter().zip(&new).for_each(|(&node, &value)| values[node as usize] = value);
            if old == new {
                break;
            }
        }
        node = group.end as usize;
    }
    values
}

/// Compares everything up to a depth, for all joint moves. Gives the number of states.
fn unroll(game: &dyn Game, state: &State, facts: &BTreeSet<FactId>, depth: usize) -> usize {
    let model = ground(game);
    assert!(game.facts(state).iter().eq(facts), "{:?}", game.describe(state));
    let values = nodes(model, facts, &[]);
    let holds = |values: &[bool], literal: Literal| {
        literal.constant().unwrap_or_else(|| values[literal.node() as usize] != literal.is_inverted())
    };
    let view = game.view(state).expect("a view");
    assert_eq!(view.terminal, holds(&values, model.terminal));
    for (role, goal) in game.goals(state).expect("goals").iter().enumerate() {
        let own = model.goals.iter().filter(|g| g.role == RoleId::new(role) && holds(&values, g.holds));
        let texts: Vec<String> = own.map(|goal| model.terms.text(goal.value)).collect();
        match goal {
            Goal::Value(value) => assert_eq!(texts, [value.to_string()]),
            Goal::Undefined => assert!(texts.is_empty()),
            Goal::Faulty(values) => assert_eq!(texts.len(), values.len()),
        }
    }
    if view.terminal {
        return 1;
    }
    for (role, moves) in view.legal.iter().enumerate() {
        let legal = model.inputs.iter().filter(|i| i.role.index() == role && holds(&values, i.legal));
        assert!(legal.map(|input| input.choice).eq(moves.iter().copied()));
    }
    let mut seen = 1;
    if depth == 0 {
        return seen;
    }
    for joint in joint_moves(&view) {
        let values = nodes(model, facts, &joint);
        let next = model.facts.iter().enumerate().filter(|(_, fact)| holds(&values, fact.next));
        let next: BTreeSet<FactId> = next.map(|(at, _)| FactId::new(at)).collect();
        seen += unroll(game, &game.next(state, &joint).expect("a state"), &next, depth - 1);
    }
    seen
}

#[test]
fn the_model_alone_plays_like_the_engine() {
    let games = [
        ("tic_tac_toe", built_in("tic_tac_toe"), 2, 1 + 9 + 72),
        ("blocker_simultaneous", built_in("blocker_simultaneous"), 1, 1 + 256),
        ("breakthrough_small", built_in("breakthrough_small"), 2, 0),
        ("connect_four", built_in("connect_four"), 3, 0),
        ("loops", rules(LOOPS), 4, 0),
    ];
    for (name, rules, depth, states) in games {
        for engine in ["circuit", "batch"] {
            let game = build(rules.clone(), engine).expect("a game");
            let model = ground(&*game);
            let initial = model.facts.iter().enumerate().filter(|(_, fact)| fact.initial);
            let facts = initial.map(|(at, _)| FactId::new(at)).collect();
            let seen = unroll(&*game, &game.initial(), &facts, depth);
            assert!(seen > 10 && (states == 0 || seen == states), "{name}, {engine}: {seen}");
            assert_eq!(name == "loops", !model.gates.loops().is_empty(), "{name}");
        }
    }
}

/// Where `batch` derives next values from mutex groups, the model still says what the rules say.
#[test]
fn gates_equal_the_rules_in_states_that_cannot_be_reached() {
    let sheet = built_in("tic_tac_toe");
    let reference = build(sheet.clone(), "reference").expect("a game");
    let batch = build(sheet, "batch").expect("a game");
    let model = ground(&*batch);
    assert!(model.mutexes.iter().any(|group| group.exactly_one), "cells hold one mark");
    let mut random = fastrand::Rng::with_seed(3);
    let mut steps = 0;
    for _ in 0..200 {
        let facts: Vec<FactId> = (0..model.facts.len()).map(FactId::new).filter(|_| random.bool()).collect();
        let state = batch.state_with(&facts);
        let same = NamedState::of(&*batch, &state).read(&*reference).expect("the same facts");
        let values = model.evaluate(&facts, &[]);
        let view = model.view(&values);
        assert_eq!(view, batch.view(&state).expect("a view"));
        let Some(joint) =
            view.legal.iter().map(|moves| random.choice(moves).copied()).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let names = NamedMoves::of(&*batch, &joint).read(&*reference).expect("the same moves");
        let next = batch.state_with(&model.next_facts(&model.evaluate(&facts, &joint)));
        let expected = reference.next(&same, &names).expect("a state");
        assert_eq!(batch.describe(&next), reference.describe(&expected));
        steps += 1;
    }
    assert!(steps > 20, "{steps}");
}

#[test]
fn atoms_have_structure() {
    ["circuit", "batch"].iter().for_each(|engine| atoms(engine));
}

fn atoms(engine: &str) {
    let game = build(built_in("tic_tac_toe"), engine).expect("a game");
    let model = ground(&*game);
    let cell = game.find_fact("(cell 1 2 blank)").expect("a fact");
    let term = model.facts[cell.index()].term;
    assert_eq!((model.terms.name(term), model.terms.text(term)), ("cell", "(cell 1 2 blank)".to_owned()));
    let arguments: Vec<&str> = model.terms.arguments(term).iter().map(|&t| model.terms.name(t)).collect();
    assert_eq!(arguments, ["1", "2", "blank"]);
    // Equal terms are one term, and names are those of the rules.
    let other = model.facts[game.find_fact("(cell 2 1 blank)").expect("a fact").index()].term;
    let swapped = model.terms.arguments(other);
    assert_eq!(model.terms.arguments(term)[0], swapped[1]);
    assert_eq!(game.model().expect("a model").rules().symbols.find("cell"), model.terms.symbol(term));
    assert_eq!(model.inputs.len(), 20, "nine cells and a no-op for each of two roles");
    // Marks stay.
    let mark = game.find_fact("(cell 1 1 x)").expect("a fact");
    assert!(model.stays_on.contains(&mark), "{:?}", model.stays_on);
    let blank = game.find_fact("(cell 1 1 blank)").expect("a fact");
    assert!(model.stays_off.contains(&blank), "{:?}", model.stays_off);
}

#[test]
fn engines_without_gates_have_rules_and_static_relations() {
    let mut hashes = BTreeSet::new();
    let mut ground_hashes = BTreeSet::new();
    for engine in ["reference", "rules", "circuit", "batch"] {
        let game: Arc<dyn Game> = build(built_in("chess"), engine).expect("a game");
        let model = model(&*game);
        hashes.insert(model.rules().hash());
        match model.ground() {
            Some(ground) => drop(ground_hashes.insert((ground.hash(), model.hash()))),
            None => assert_eq!(model.hash(), model.rules().hash()),
        }
        let rules = model.rules();
        let next = rules.relation("next", 1).expect("a relation");
        let rule = rules.rules.iter().find(|rule| rule.head.relation == next).expect("a rule");
        assert!(rule.body.iter().any(|condition| matches!(condition, Condition::Holds(_))));
        if let Some(variable) = (0..).zip(&rule.variables).map(|(at, _)| at).next() {
            assert!(!rule.places(variable).is_empty());
        }
        let statics = model.statics().expect("small enough");
        let role = statics.relation("role", 1).expect("roles");
        let roles: Vec<String> = role.rows().map(|row| statics.terms.text(row[0])).collect();
        assert_eq!(roles, game.roles());
    }
    assert_eq!(hashes.len(), 1);
    assert_eq!(ground_hashes.len(), 1, "circuit and batch have the same atoms: {ground_hashes:?}");
}

#[test]
fn static_relations_are_complete_and_nothing_else() {
    let sheet = "(role a) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) flag
        (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
        (<= (odd ?y) (less 0 ?y) (not (less 1 ?y))) (<= (now ?x) (true (n ?x)))
        (<= (legal a go) flag) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
        (<= (base (n ?x)) (only_base ?x)) (only_base 7)
        (<= terminal (now ?x) (less 2 ?x)) (<= (goal a 100) (now ?x) (odd ?x)) (goal a 0)";
    let game = build(rules(sheet), "rules").expect("a game");
    let statics = model(&*game).statics().expect("small");
    let rows = |name: &str, arity: usize| {
        let relation = statics.relation(name, arity)?;
        let mut rows: Vec<String> = relation
            .rows()
            .map(|row| row.iter().map(|&term| statics.terms.text(term)).collect::<Vec<_>>().join(" "))
            .collect();
        rows.sort();
        Some(rows.join(", "))
    };
    assert_eq!(rows("less", 2).as_deref(), Some("0 1, 0 2, 0 3, 1 2, 1 3, 2 3"));
    assert_eq!(rows("odd", 1).as_deref(), Some("1"));
    assert_eq!(rows("flag", 0).as_deref(), Some(""));
    assert_eq!((rows("now", 1), rows("only_base", 1), rows("init", 1)), (None, None, None));
}

/// Stores keep hashes: they must be the same tomorrow, and in another order of rules.
#[test]
fn hashes_are_pinned_and_depend_on_nothing_but_meaning() {
    let game = build(built_in("tic_tac_toe"), "batch").expect("a game");
    let own = (model(&*game).rules().hash(), model(&*game).hash());
    assert_eq!(own, PINNED);
    let one =
        "(role a) (init p) (legal a go) (<= (next ?f) (true ?f)) (<= terminal (not (true p))) (goal a 1)";
    let same = "; another layout
        (ROLE a) (goal a 1) (init P) (<= (next ?Fact) (true ?Fact)) (legal a go) (<= terminal (not (true p)))";
    let other =
        "(role a) (init q) (legal a go) (<= (next ?f) (true ?f)) (<= terminal (not (true q))) (goal a 1)";
    let hash = |text: &str, engine: &str| model(&*build(rules(text), engine).expect("a game")).hash();
    for engine in ["rules", "circuit"] {
        assert_eq!(hash(one, engine), hash(same, engine));
        assert_ne!(hash(one, engine), hash(other, engine));
    }
}

const PINNED: (u64, u64) = (6_553_500_448_688_352_242, 12_520_134_538_930_817_437);
