//! Cursors: a current state that playouts move along, in the engine's own representation.
//!
//! [`Game::next`] and [`Game::view`] answer about any state, so they convert it each time. A cursor
//! keeps what it knows about its state from one step to the next.

use crate::game::{Failure, Game, Goal, View};
use crate::ids::{FactId, MoveId};
use crate::state::State;

/// A current state of a game.
pub trait Cursor {
    /// Number of roles.
    fn role_count(&self) -> usize;

    /// Goes to a state.
    fn go_to(&mut self, state: &[u64]) -> Result<(), Failure>;

    /// Makes a joint move: one legal move for each role.
    fn make(&mut self, joint: &[MoveId]) -> Result<(), Failure>;

    /// Writes what holds in the state into a view, whose lists are filled again.
    fn view(&mut self, view: &mut View) -> Result<(), Failure>;

    /// What each role gets.
    fn goals(&mut self) -> Result<Vec<Goal>, Failure>;

    /// The state.
    fn state(&mut self) -> State;

    /// The facts of the state, sorted by id.
    fn facts(&mut self) -> Vec<FactId>;
}

/// The cursor of any game: one question after the other.
#[derive(Debug)]
pub struct GameCursor<'a, G: ?Sized> {
    game: &'a G,
    state: State,
}

impl<'a, G: Game + ?Sized> GameCursor<'a, G> {
    /// A cursor at the initial state.
    pub fn new(game: &'a G) -> Self {
        Self { state: game.initial(), game }
    }
}

impl<G: Game + ?Sized> Cursor for GameCursor<'_, G> {
    fn role_count(&self) -> usize {
        self.game.role_count()
    }

    fn go_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        self.state = State::from_words(state);
        Ok(())
    }

    fn make(&mut self, joint: &[MoveId]) -> Result<(), Failure> {
        self.state = self.game.next(&self.state, joint)?;
        Ok(())
    }

    fn view(&mut self, view: &mut View) -> Result<(), Failure> {
        *view = self.game.view(&self.state)?;
        Ok(())
    }

    fn goals(&mut self) -> Result<Vec<Goal>, Failure> {
        self.game.goals(&self.state)
    }

    fn state(&mut self) -> State {
        self.state.clone()
    }

    fn facts(&mut self) -> Vec<FactId> {
        self.game.facts(&self.state)
    }
}
