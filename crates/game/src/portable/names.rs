//! States and moves by name.

use serde::{Deserialize, Serialize};

use super::PortableError;
use super::hex::Fingerprint;
use crate::game::Game;
use crate::ids::{FactId, MoveId};
use crate::state::State;

/// A state as the names of its facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedState {
    /// Hash of the rules; checked if both sides have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Fingerprint>,
    /// The facts that hold, sorted by name.
    pub facts: Vec<String>,
}

impl NamedState {
    /// A state of a game.
    pub fn of(game: &dyn Game, state: &State) -> Self {
        Self { rules: rules_of(game), facts: game.describe(state) }
    }

    /// The state in this game. Letter case, blanks and the order of facts do not matter.
    pub fn read(&self, game: &dyn Game) -> Result<State, PortableError> {
        if let (Some(found), Some(expected)) = (self.rules, rules_of(game))
            && found != expected
        {
            return Err(PortableError::OtherRules { expected, found });
        }
        let find =
            |name: &String| game.find_fact(name).ok_or_else(|| PortableError::UnknownFact(name.clone()));
        let facts: Vec<FactId> = self.facts.iter().map(find).collect::<Result<_, _>>()?;
        Ok(game.state_with(&facts))
    }
}

/// Moves by name; for a joint move one for each role, in the order of the roles.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedMoves {
    /// The names.
    pub moves: Vec<String>,
}

impl NamedMoves {
    /// Moves of a game.
    pub fn of(game: &dyn Game, moves: &[MoveId]) -> Self {
        Self { moves: moves.iter().map(|&id| game.move_name(id)).collect() }
    }

    /// The moves in this game.
    pub fn read(&self, game: &dyn Game) -> Result<Vec<MoveId>, PortableError> {
        let find =
            |name: &String| game.find_move(name).ok_or_else(|| PortableError::UnknownMove(name.clone()));
        self.moves.iter().map(find).collect()
    }
}

fn rules_of(game: &dyn Game) -> Option<Fingerprint> {
    game.model().map(|model| Fingerprint(model.rules().hash()))
}
