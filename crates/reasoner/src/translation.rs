//! From one engine of a game to another: states and moves, by name.
//!
//! Ids belong to the game that gave them out. Two engines of the same rules give different numbers to
//! the same facts, and one may not know a fact that cannot be reached; but names are the same.

use std::sync::Arc;

use ludex_game::{FactId, Game, MoveId, State};

/// Takes states and moves of one game over to another of the same rules. Remembers numbers, so that
/// many states are translated quickly.
pub struct Translation {
    from: Arc<dyn Game>,
    to: Arc<dyn Game>,
    /// By number of a fact of `from`: what it is in `to`, once it has been looked up.
    facts: Vec<Option<Option<FactId>>>,
    moves: Vec<Option<Option<MoveId>>>,
}

impl Translation {
    /// Both must be games of the same rules.
    pub fn new(from: Arc<dyn Game>, to: Arc<dyn Game>) -> Self {
        Self { from, to, facts: Vec::new(), moves: Vec::new() }
    }

    /// The same state in the other game; none if it has a fact that the other game does not know.
    pub fn state(&mut self, state: &State) -> Option<State> {
        let facts = self.from.facts(state);
        let facts: Option<Vec<FactId>> = facts.into_iter().map(|fact| self.fact(fact)).collect();
        Some(self.to.state_with(&facts?))
    }

    /// The same fact in the other game.
    pub fn fact(&mut self, fact: FactId) -> Option<FactId> {
        let (from, to) = (&self.from, &self.to);
        *entry(&mut self.facts, fact.index()).get_or_insert_with(|| to.find_fact(&from.fact_name(fact)))
    }

    /// The same move in the other game.
    pub fn move_id(&mut self, id: MoveId) -> Option<MoveId> {
        let (from, to) = (&self.from, &self.to);
        *entry(&mut self.moves, id.index()).get_or_insert_with(|| to.find_move(&from.move_name(id)))
    }
}

/// The entry with this number; the list becomes as long as needed.
fn entry<T: Clone>(list: &mut Vec<Option<T>>, at: usize) -> &mut Option<T> {
    if list.len() <= at {
        list.resize(at + 1, None);
    }
    &mut list[at]
}
