//! From the ids of one engine to those of another, by name.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::PortableError;
use crate::game::Game;
use crate::ids::{FactId, MoveId};
use crate::state::State;

/// Takes states and moves of one game over to another of the same rules.
///
/// It gives what writing with [`super::NamedState`] and reading again gives, but looks up each name
/// only once: many states are translated quickly.
pub struct IdMap {
    from: Arc<dyn Game>,
    to: Arc<dyn Game>,
    /// By id in `from`: what it is in `to`, once it has been looked up.
    facts: FxHashMap<FactId, Option<FactId>>,
    moves: FxHashMap<MoveId, Option<MoveId>>,
}

impl IdMap {
    /// Both must be games of the same rules; a fact or move that only one has is an error later.
    pub fn new(from: Arc<dyn Game>, to: Arc<dyn Game>) -> Self {
        Self { from, to, facts: FxHashMap::default(), moves: FxHashMap::default() }
    }

    /// The same state in the other game.
    pub fn state(&mut self, state: &State) -> Result<State, PortableError> {
        let facts = self.from.facts(state);
        let facts: Vec<FactId> = facts.into_iter().map(|fact| self.fact(fact)).collect::<Result<_, _>>()?;
        Ok(self.to.state_with(&facts))
    }

    /// The same fact in the other game.
    pub fn fact(&mut self, fact: FactId) -> Result<FactId, PortableError> {
        let (from, to) = (&self.from, &self.to);
        let found = self.facts.entry(fact).or_insert_with(|| to.find_fact(&from.fact_name(fact)));
        found.ok_or_else(|| PortableError::UnknownFact(from.fact_name(fact)))
    }

    /// The same move in the other game.
    pub fn move_id(&mut self, id: MoveId) -> Result<MoveId, PortableError> {
        let (from, to) = (&self.from, &self.to);
        let found = self.moves.entry(id).or_insert_with(|| to.find_move(&from.move_name(id)));
        found.ok_or_else(|| PortableError::UnknownMove(from.move_name(id)))
    }
}
