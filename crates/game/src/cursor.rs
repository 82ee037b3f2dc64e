//! Cursors: a current state that playouts move along, in the engine's own representation.
//!
//! [`Game::next`] and [`Game::view`] answer about any state, so they convert it each time. A cursor
//! keeps what it knows about its state from one step to the next.

use crate::game::{Failure, Game, Goal, View};
use crate::ids::{FactId, MoveId};
use crate::state::State;

/// What a random step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomStep {
    /// A joint move was made.
    Moved,
    /// The state is terminal: nothing was done.
    Terminal,
    /// A role has no legal move: nothing was done.
    Stuck,
}

/// A current state of a game.
pub trait Cursor {
    /// Number of roles.
    fn role_count(&self) -> usize;

    /// Goes to a state.
    fn go_to(&mut self, state: &[u64]) -> Result<(), Failure>;

    /// Goes to a state that the cursor is sent back to again and again.
    fn return_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        self.go_to(state)
    }

    /// Makes a joint move: one legal move for each role.
    fn make(&mut self, joint: &[MoveId]) -> Result<(), Failure>;

    /// Writes what holds in the state into a view, whose lists are filled again.
    fn view(&mut self, view: &mut View) -> Result<(), Failure>;

    /// Makes a uniformly random joint move. `random` gives 64 random bits for each call.
    fn random_step(&mut self, random: &mut dyn FnMut() -> u64) -> Result<RandomStep, Failure>;

    /// What each role gets.
    fn goals(&mut self) -> Result<Vec<Goal>, Failure>;

    /// The state.
    fn state(&mut self) -> State;

    /// The facts of the state, sorted by id.
    fn facts(&mut self) -> Vec<FactId>;
}

/// A number below `count`, from 64 random bits (Lemire 2019, without the rejection step: the bias
/// is below count / 2^64).
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "below count, which is a usize")]
pub fn below(count: usize, bits: u64) -> usize {
    ((u128::from(bits) * count as u128) >> 64) as usize
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

    fn random_step(&mut self, random: &mut dyn FnMut() -> u64) -> Result<RandomStep, Failure> {
        let view = self.game.view(&self.state)?;
        if view.terminal {
            return Ok(RandomStep::Terminal);
        }
        if view.legal.iter().any(Vec::is_empty) {
            return Ok(RandomStep::Stuck);
        }
        let joint: Vec<MoveId> = view.legal.iter().map(|legal| legal[below(legal.len(), random())]).collect();
        self.make(&joint)?;
        Ok(RandomStep::Moved)
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
