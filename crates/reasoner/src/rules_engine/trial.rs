//! Trials: random play with some plans, to see what states look like and what the plans cost.

use std::sync::Arc;

use super::code::{PlanCode, PlanId};
use super::interpreter::{InterpreterLimits, PlanInterpreter};
use super::lots::Lots;
use crate::term::{TermId, Terms};
use ludex_game::Failure;

/// The plans of the queries that play needs, where the sheet has the relation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueryPlans {
    /// Yes or no.
    pub terminal: Option<PlanId>,
    /// The moves of a role.
    pub legal: Option<PlanId>,
    /// The facts of the next state.
    pub next: Option<PlanId>,
    /// The goal values of a role.
    pub goal: Option<PlanId>,
}

/// What came of a trial.
pub(super) struct Trial {
    /// The machine after it.
    pub machine: PlanInterpreter,
    /// All states.
    pub states: Vec<Vec<TermId>>,
    /// Work in all.
    pub work: u64,
}

/// How long a trial is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// States.
    pub states: usize,
    /// Work after which it ends.
    pub work: u64,
}

/// Plays at random from the first state on. The same plays come about whatever the plans are.
pub(super) fn play(
    code: &Arc<PlanCode>,
    asked: &QueryPlans,
    terms: &Terms,
    initial: &[TermId],
    limits: InterpreterLimits,
    length: Length,
) -> Trial {
    let limits = InterpreterLimits { work: length.work, ..limits };
    let mut machine = PlanInterpreter::new(Arc::clone(code), terms.clone(), limits);
    let mut random = fastrand::Rng::with_seed(0);
    let mut lots = Lots::default();
    let mut states: Vec<Vec<TermId>> = Vec::new();
    let mut state = initial.to_vec();
    while states.len() < length.states && machine.work() < length.work {
        machine.set_state(state.iter().copied());
        states.push(state.clone());
        // A failure will show again in play; set-up goes on with what it has learnt.
        match step(&mut machine, asked, &mut lots, &mut random) {
            Ok(Some(next)) => state = next,
            Ok(None) => state = initial.to_vec(),
            Err(_) => break,
        }
    }
    let work = machine.work();
    Trial { machine, states, work }
}

/// One step of play: the next state, if the game goes on.
fn step(
    machine: &mut PlanInterpreter,
    asked: &QueryPlans,
    lots: &mut Lots,
    random: &mut fastrand::Rng,
) -> Result<Option<Vec<TermId>>, Failure> {
    let code = Arc::clone(&machine.code);
    let over = match asked.terminal {
        Some(plan) => machine.holds(plan, &[])?,
        None => false,
    };
    let mut found = Vec::new();
    let mut joint = Vec::new();
    for &role in &code.roles {
        found.clear();
        if over {
            if let Some(plan) = asked.goal {
                machine.answers(plan, &[role], &mut found)?;
            }
            continue;
        }
        if let Some(plan) = asked.legal {
            machine.answers(plan, &[role], &mut found)?;
        }
        match lots.draw(&machine.terms, &found, &mut || random.u64(..)) {
            Some(chosen) => joint.push(chosen),
            None => return Ok(None),
        }
    }
    if over {
        return Ok(None);
    }
    machine.set_moves(joint);
    found.clear();
    if let Some(plan) = asked.next {
        machine.answers(plan, &[], &mut found)?;
    }
    Ok(Some(found))
}
