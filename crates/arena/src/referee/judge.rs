//! The rules as written have the last word: the reference decides whether a match is over and who
//! gets what. On request it follows every state.

use std::sync::Arc;

use ludex_game::{FactId, Failure, Game, Goal, MoveId, State, View};

use super::setup::Check;
use crate::record::goal_text;

/// Follows a match with the reference.
pub(crate) struct Judge {
    game: Arc<dyn Game>,
    reference: Arc<dyn Game>,
    /// With [`Check::Everything`]: all states of the reference so far. None if the reference gave up.
    states: Option<Vec<State>>,
}

/// The result of a match.
pub(crate) struct Ruling {
    pub(crate) goals: Vec<u8>,
    /// Which engine says so.
    pub(crate) from: &'static str,
}

impl Judge {
    pub(crate) fn new(game: &Arc<dyn Game>, reference: &Arc<dyn Game>, check: Check) -> Self {
        let states = (check == Check::Everything).then(|| vec![reference.initial()]);
        Self { game: Arc::clone(game), reference: Arc::clone(reference), states }
    }

    /// Whether the reference sees what the engine sees; if not, the difference in words.
    pub(crate) fn state(&mut self, facts: &[String], view: &View) -> Result<(), String> {
        let Some(state) = self.states.as_ref().and_then(|states| states.last()) else { return Ok(()) };
        let found = self.reference.describe(state);
        if found != facts {
            return Err(self.differs("state", &facts.join(" "), &found.join(" ")));
        }
        let Ok(expected) = self.reference.view(state) else {
            self.states = None; // too much for it: nothing more is compared
            return Ok(());
        };
        if expected.terminal != view.terminal {
            return Err(self.differs("end", &view.terminal.to_string(), &expected.terminal.to_string()));
        }
        for (moves, expected) in view.legal.iter().zip(&expected.legal) {
            let (moves, expected) = (names(&*self.game, moves), names(&*self.reference, expected));
            if moves != expected {
                return Err(self.differs("legal moves", &moves.join(" "), &expected.join(" ")));
            }
        }
        Ok(())
    }

    /// Goes on with these moves.
    pub(crate) fn moved(&mut self, moves: &[String]) {
        let Some(states) = &mut self.states else { return };
        let joint: Option<Vec<MoveId>> = moves.iter().map(|name| self.reference.find_move(name)).collect();
        // Moves were legal a moment ago: what fails here is a limit.
        let next =
            states.last().zip(joint).and_then(|(state, joint)| self.reference.next(state, &joint).ok());
        match next {
            Some(next) => states.push(next),
            None => self.states = None,
        }
    }

    /// Goes back until so many joint moves are left.
    pub(crate) fn taken_back(&mut self, step: usize) {
        if let Some(states) = &mut self.states {
            states.truncate(step + 1);
        }
    }

    /// Who gets what in a terminal state. As text if the rules or the engine are at fault.
    pub(crate) fn goals(&self, state: &State) -> Result<Ruling, String> {
        match self.reference_goals(state) {
            Ok(goals) => self.ruling(&goals?, &*self.reference),
            // Too much for the reference: what the engine says is the best there is.
            Err(_) => {
                let goals = self.game.goals(state).map_err(|failure| failure.to_string())?;
                self.ruling(&goals, &*self.game)
            }
        }
    }

    fn reference_goals(&self, state: &State) -> Result<Result<Vec<Goal>, String>, Failure> {
        let facts = self.game.facts(state).into_iter().map(|fact| self.game.fact_name(fact));
        let facts: Option<Vec<FactId>> = facts.map(|name| self.reference.find_fact(&name)).collect();
        let Some(facts) = facts else {
            return Ok(Err(format!("the reference does not know all facts of {}", self.game.engine().name)));
        };
        let state = self.reference.state_with(&facts);
        if !self.reference.view(&state)?.terminal {
            return Ok(Err(self.differs("end", "true", "false")));
        }
        self.reference.goals(&state).map(Ok)
    }

    fn ruling(&self, goals: &[Goal], from: &dyn Game) -> Result<Ruling, String> {
        let values: Option<Vec<u8>> = goals.iter().map(Goal::value).collect();
        match values {
            Some(goals) => Ok(Ruling { goals, from: from.engine().name }),
            None => {
                let all: Vec<String> = from
                    .roles()
                    .iter()
                    .zip(goals)
                    .map(|(role, goal)| format!("{role} {}", goal_text(goal)))
                    .collect();
                Err(format!("the goals of the last state are no numbers from 0 to 100: {}", all.join(", ")))
            }
        }
    }

    fn differs(&self, what: &str, engine: &str, reference: &str) -> String {
        format!("{what}: {} says {engine}, the reference says {reference}", self.game.engine().name)
    }
}

fn names(game: &dyn Game, moves: &[MoveId]) -> Vec<String> {
    let mut names: Vec<String> = moves.iter().map(|&id| game.move_name(id)).collect();
    names.sort();
    names
}
