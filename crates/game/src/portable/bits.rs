//! States as bits and moves as numbers, over the atoms of a ground model in the order of names.

use serde::{Deserialize, Serialize};

use super::PortableError;
use super::hex::{Bits, Fingerprint};
use crate::conversion::number;
use crate::game::Game;
use crate::ids::{FactId, MoveId};
use crate::model::GroundModel;
use crate::state::State;

/// A state as a bit for each fact of a ground model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BitState {
    /// Hash of the model.
    pub model: Fingerprint,
    /// As many bytes as are needed; bits behind the last fact are 0.
    pub bits: Bits,
}

impl BitState {
    /// A state of a game; an error if the game has no ground model.
    pub fn of(game: &dyn Game, state: &State) -> Result<Self, PortableError> {
        let model = ground(game)?;
        let mut bits = Bits::zeros(model.facts.len());
        for fact in game.facts(state) {
            let unknown = || PortableError::UnknownFact(game.fact_name(fact));
            bits.set(model.fact_rank(fact).ok_or_else(unknown)?);
        }
        Ok(Self { model: Fingerprint(model.hash()), bits })
    }

    /// The state in this game.
    pub fn read(&self, game: &dyn Game) -> Result<State, PortableError> {
        let model = checked(game, self.model)?;
        let (order, found) = (model.facts_by_name(), self.bits.0.len());
        if found != order.len().div_ceil(8) {
            return Err(PortableError::Length { facts: order.len(), found });
        }
        let fact = |at: usize| {
            order.get(at).copied().ok_or_else(|| PortableError::UnknownFact(format!("number {at}")))
        };
        let facts: Vec<FactId> = self.bits.ones().map(fact).collect::<Result<_, _>>()?;
        Ok(game.state_with(&facts))
    }
}

/// Moves as numbers in the order of the names of all moves; for a joint move one for each role.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberedMoves {
    /// Hash of the model.
    pub model: Fingerprint,
    /// The numbers.
    pub numbers: Vec<u32>,
}

impl NumberedMoves {
    /// Moves of a game; an error if the game has no ground model.
    pub fn of(game: &dyn Game, moves: &[MoveId]) -> Result<Self, PortableError> {
        let model = ground(game)?;
        let rank = |&id: &MoveId| {
            let unknown = || PortableError::UnknownMove(game.move_name(id));
            model.move_rank(id).map(number).ok_or_else(unknown)
        };
        let numbers = moves.iter().map(rank).collect::<Result<_, _>>()?;
        Ok(Self { model: Fingerprint(model.hash()), numbers })
    }

    /// The moves in this game.
    pub fn read(&self, game: &dyn Game) -> Result<Vec<MoveId>, PortableError> {
        let order = checked(game, self.model)?.moves_by_name();
        let find = |&at: &u32| {
            let unknown = || PortableError::UnknownMove(format!("number {at}"));
            order.get(at as usize).copied().ok_or_else(unknown)
        };
        self.numbers.iter().map(find).collect()
    }
}

fn ground(game: &dyn Game) -> Result<&GroundModel, PortableError> {
    let model = game.model().and_then(|model| model.ground());
    model.ok_or_else(|| PortableError::NoGroundModel(game.engine().name))
}

/// The model of a game, if it has this hash.
fn checked(game: &dyn Game, found: Fingerprint) -> Result<&GroundModel, PortableError> {
    let model = ground(game)?;
    let expected = Fingerprint(model.hash());
    match found == expected {
        true => Ok(model),
        false => Err(PortableError::OtherModel { expected, found }),
    }
}
