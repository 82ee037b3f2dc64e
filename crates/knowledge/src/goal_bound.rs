//! The goals that a role can have at the end of a game, as far as one look at the circuit says.
//!
//! By SAT: can a state be terminal and give the role this value? Mutex groups are assumed to hold, so
//! states that cannot be reached may make the answer too generous, never too strict.

use ludex_game::model::Literal;
use ludex_game::{GroundModel, RoleId};

use crate::cnf::Cnf;

/// Gates that goals and the end may read, and decisions of the solver: bigger questions stay open.
const MAX_GATES: usize = 50_000;
const MAX_DECISIONS: u64 = 100_000;

/// The values that a role can have in a terminal state, rising; possibly some more, never fewer. A
/// value that is no number from 0 to 100 is left out.
pub fn possible_goals(model: &GroundModel, role: RoleId) -> Vec<u8> {
    let of_role = model.goals.iter().filter(|goal| goal.role == role);
    let value = |text: String| text.parse::<u8>().ok().filter(|&value| value <= 100);
    let goals = of_role.filter_map(|goal| Some((value(model.terms.text(goal.value))?, goal.holds)));
    let mut goals: Vec<(u8, Literal)> = goals.collect();
    goals.sort_unstable();
    if let Some(possible) = refine(model, &goals) {
        goals.retain(|(value, _)| possible.contains(value));
    }
    let mut values: Vec<u8> = goals.into_iter().map(|(value, _)| value).collect();
    values.dedup();
    values
}

/// Asks the solver; none if there are too many gates.
fn refine(model: &GroundModel, goals: &[(u8, Literal)]) -> Option<Vec<u8>> {
    let mut cnf = Cnf::new(&model.gates, MAX_GATES);
    let terminal = cnf.literal(model.terminal)?;
    let literals = goals.iter().map(|&(value, holds)| Some((value, cnf.literal(holds)?)));
    let literals = literals.collect::<Option<Vec<_>>>()?;
    cnf.add_mutexes(&model.mutexes)?;
    cnf.limit_effort(MAX_DECISIONS);
    let possible = literals.iter().filter(|&&(_, holds)| cnf.is_possible(&[terminal, holds]) != Some(false));
    Some(possible.map(|&(value, _)| value).collect())
}
