//! Whether the goals of two players always add up to the same number: one wins what the other
//! loses.
//!
//! # How
//! By SAT over the circuit. For goal values v and w of the two players with another sum: can the
//! game be over, with v the only goal of the one and w the only goal of the other? Facts that
//! exclude each other (mutex groups) are assumed to do so. If every such question is unsatisfiable,
//! the sum is proved for every state with well-defined goals. States that cannot be reached may
//! spoil a proof, never make a wrong one.
//!
//! # Cost
//! Milliseconds: the goals and the end of a game read few gates. Games with more than
//! [`MAX_GATES`] of them, or more than [`MAX_PAIRS`] pairs of goal values, are not decided.

use ludex_game::model::Literal;
use ludex_game::{Game, GroundModel, RoleId, RoleKind};
use rustsat::types::Lit;

use crate::cnf::Cnf;

/// Gates that goals and the end may read. The solver has no time limit, and circuits of this size
/// take it milliseconds.
const MAX_GATES: usize = 20_000;

/// Pairs of goal values: each is a question to the solver.
const MAX_PAIRS: usize = 256;

/// The sum of the goals in every terminal state, if the game has two players (and maybe chance) and
/// the model proves it. None if it is not proved.
pub fn constant_sum(game: &dyn Game) -> Option<u32> {
    let kinds = game.roles().iter().map(|name| RoleKind::of(name));
    let players: Vec<RoleId> = kinds
        .enumerate()
        .filter(|&(_, kind)| kind == RoleKind::Player)
        .map(|(at, _)| RoleId::new(at))
        .collect();
    let [one, other] = players[..] else { return None };
    let model = game.model()?.ground()?;
    let goals = [goals(model, one)?, goals(model, other)?];
    if goals[0].len() * goals[1].len() > MAX_PAIRS {
        return None;
    }
    prove(model, &goals)
}

/// The goal values of a role, and whether it has them; none if a value is no number.
fn goals(model: &GroundModel, role: RoleId) -> Option<Vec<(u32, Literal)>> {
    let of_role = model.goals.iter().filter(|goal| goal.role == role);
    of_role.map(|goal| Some((model.terms.text(goal.value).parse().ok()?, goal.holds))).collect()
}

fn prove(model: &GroundModel, goals: &[Vec<(u32, Literal)>; 2]) -> Option<u32> {
    let mut cnf = Cnf::new(&model.gates, MAX_GATES);
    let terminal = cnf.literal(model.terminal)?;
    let mut known: [Vec<(u32, Lit)>; 2] = [Vec::new(), Vec::new()];
    for (known, goals) in known.iter_mut().zip(goals) {
        for &(value, holds) in goals {
            known.push((value, cnf.literal(holds)?));
        }
    }
    cnf.add_mutexes(&model.mutexes)?;
    // A goal is the only one: the others do not hold.
    let only = |goals: &[(u32, Lit)], at: usize| -> Vec<Lit> {
        goals.iter().enumerate().map(|(other, &(_, lit))| if other == at { lit } else { !lit }).collect()
    };
    let mut sum = None;
    for (i, &(v, _)) in known[0].iter().enumerate() {
        for (j, &(w, _)) in known[1].iter().enumerate() {
            if sum == Some(v + w) {
                continue;
            }
            let mut all = only(&known[0], i);
            all.extend(only(&known[1], j));
            all.push(terminal);
            if cnf.is_possible(&all)? && sum.replace(v + w).is_some() {
                return None;
            }
        }
    }
    sum
}
