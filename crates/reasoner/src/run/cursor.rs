//! The cursor of the engine `circuit`: playouts with one evaluator, which computes what changes.

use ludex_game::{Cursor, FactId, Failure, Game, Goal, MoveId, State, View};

use super::scalar::{Scalar, ones};
use super::single::CircuitGame;

/// A current state, in an evaluator.
pub(super) struct CircuitCursor<'a> {
    pub(super) game: &'a CircuitGame,
    pub(super) scalar: &'a mut dyn Scalar,
}

impl Cursor for CircuitCursor<'_> {
    fn role_count(&self) -> usize {
        self.game.machine.roles.len()
    }

    fn go_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        self.scalar.load(state);
        Ok(())
    }

    fn make(&mut self, joint: &[MoveId]) -> Result<(), Failure> {
        let machine = &self.game.machine;
        machine.check_joint(joint)?;
        for (role, &id) in joint.iter().enumerate() {
            self.scalar.make(role, machine.index_of(role, id));
        }
        self.scalar.step();
        Ok(())
    }

    fn view(&mut self, view: &mut View) -> Result<(), Failure> {
        let machine = &self.game.machine;
        self.scalar.look();
        view.terminal = self.scalar.is_terminal();
        view.legal.resize(machine.roles.len(), Vec::new());
        for (role, moves) in view.legal.iter_mut().enumerate() {
            moves.clear();
            if !view.terminal {
                moves.extend(ones(self.scalar.legal(role)).map(|rank| machine.move_at(role, rank)));
            }
        }
        Ok(())
    }

    fn goals(&mut self) -> Result<Vec<Goal>, Failure> {
        self.game.goals(&State::from_words(self.scalar.facts()))
    }

    fn state(&mut self) -> State {
        State::from_words(self.scalar.facts())
    }

    fn facts(&mut self) -> Vec<FactId> {
        ones(self.scalar.facts()).map(FactId::new).collect()
    }
}
