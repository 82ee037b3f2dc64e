//! A planning problem: a game with one role, a state of it, and what the model says about it.

use std::sync::Arc;

use ludex_game::{Failure, Game, GroundModel, MoveId, RoleId, State};
use ludex_knowledge::{StepCounter, constant_facts, possible_goals, relevant_facts, step_counter};

/// What a plan is wanted for.
#[derive(Clone)]
pub struct Problem {
    /// The game; it has one role.
    pub game: Arc<dyn Game>,
    /// The state where plans begin.
    pub start: State,
    /// No terminal state is worth more.
    pub bound: u8,
    /// Goals that a terminal state may have, rising; empty without a model.
    pub(crate) goals: Vec<u8>,
    /// What the model says about facts; none if there is no model, or states are no bits.
    pub(crate) facts: Option<FactKnowledge>,
}

/// What is known about the facts of a game whose states are a bit for each fact.
#[derive(Clone, Debug)]
pub(crate) struct FactKnowledge {
    /// By fact: it may differ between states, and it matters for the end, goals or legal moves.
    pub relevant: Vec<bool>,
    /// By fact: it never changes.
    pub constant: Vec<bool>,
    /// Facts of which at most one holds.
    pub groups: Vec<Vec<usize>>,
    /// Facts that only end the game at a limit.
    pub counter: Option<StepCounter>,
}

/// Why a game is no planning problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemError {
    /// Plans are for games with one role.
    #[error(
        "the game has {} roles ({}); plans are for games with one role", .0.len(), .0.join(", ")
    )]
    Roles(Vec<String>),
    /// The engine gave up.
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl Problem {
    /// The problem of a game from its initial state.
    pub fn new(game: Arc<dyn Game>) -> Result<Self, ProblemError> {
        if game.role_count() != 1 {
            return Err(ProblemError::Roles(game.roles().to_vec()));
        }
        let model = game.model().and_then(|model| model.ground());
        let goals = model.map(|model| possible_goals(model, RoleId::new(0)));
        // Without any number among the goals every plan is worth nothing.
        let bound = goals.as_ref().map_or(100, |goals| goals.last().copied().unwrap_or(0));
        let facts = model.and_then(|model| knowledge(&*game, model));
        let (start, goals) = (game.initial(), goals.unwrap_or_default());
        Ok(Self { game, start, bound, goals, facts })
    }

    /// The same problem from another state.
    #[must_use]
    pub fn from(&self, start: State) -> Self {
        Self { start, ..self.clone() }
    }

    /// What a plan is worth: the goal of the first terminal state, or 0 where that is not one number.
    /// None if a move is not legal, the game does not end, or it ends before the last move.
    pub fn value(&self, moves: &[MoveId]) -> Result<Option<u8>, Failure> {
        let mut state = self.start.clone();
        for id in moves {
            let view = self.game.view(&state)?;
            if view.terminal || !view.legal.first().is_some_and(|legal| legal.contains(id)) {
                return Ok(None);
            }
            state = self.game.next(&state, &[*id])?;
        }
        if !self.game.view(&state)?.terminal {
            return Ok(None);
        }
        Ok(Some(self.game.goals(&state)?.first().and_then(ludex_game::Goal::value).unwrap_or(0)))
    }
}

/// Reads the model; none if states are not a bit for each fact.
fn knowledge(game: &dyn Game, model: &GroundModel) -> Option<FactKnowledge> {
    let count = model.facts.len();
    let is_bit = |fact: usize| {
        let state = game.state_with(&[ludex_game::FactId::new(fact)]);
        let mut words = vec![0; count.div_ceil(64)];
        words[fact / 64] |= 1 << (fact % 64);
        state.words() == words
    };
    // The layout is uniform: some facts show it.
    let samples = [0, 1, 63, 64, 65, count / 2, count.saturating_sub(1)];
    if count == 0 || !samples.into_iter().filter(|&fact| fact < count).all(is_bit) {
        return None;
    }
    let constant = constant_facts(model);
    let mut relevant = relevant_facts(model);
    relevant.iter_mut().zip(&constant).for_each(|(relevant, &constant)| *relevant &= !constant);
    let group = |facts: &Vec<ludex_game::FactId>| facts.iter().map(|fact| fact.index()).collect();
    Some(FactKnowledge {
        relevant,
        constant,
        groups: model.mutexes.iter().map(|mutex| group(&mutex.facts)).collect(),
        counter: step_counter(model, RoleId::new(0)),
    })
}
