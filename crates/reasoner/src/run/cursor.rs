//! The cursor of the engine `circuit`: playouts with one evaluator, which computes what changes.

use ludex_game::{Cursor, FactId, Failure, Game, Goal, MoveId, RandomStep, State, View, below};

use super::scalar::{Scalar, nth_one, ones};
use super::single::CircuitGame;

/// A current state, in an evaluator.
pub(super) struct CircuitCursor<'a, S> {
    pub(super) game: &'a CircuitGame,
    pub(super) scalar: S,
    /// By role: the index of the move that is made.
    chosen: Vec<u32>,
}

impl<'a, S: Scalar> CircuitCursor<'a, S> {
    pub(super) fn new(game: &'a CircuitGame, scalar: S) -> Self {
        Self { game, scalar, chosen: vec![0; game.machine.roles.len()] }
    }
}

impl<S: Scalar> Cursor for CircuitCursor<'_, S> {
    fn role_count(&self) -> usize {
        self.game.machine.roles.len()
    }

    fn go_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        self.scalar.load(state);
        Ok(())
    }

    fn return_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        self.scalar.load_often(state);
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

    fn random_step(&mut self, random: &mut dyn FnMut() -> u64) -> Result<RandomStep, Failure> {
        let machine = &self.game.machine;
        self.scalar.look();
        if self.scalar.is_terminal() {
            return Ok(RandomStep::Terminal);
        }
        let roles = machine.roles.len();
        if (0..roles).any(|role| self.scalar.legal(role).iter().all(|&word| word == 0)) {
            return Ok(RandomStep::Stuck);
        }
        for (role, chosen) in self.chosen.iter_mut().enumerate() {
            let legal = self.scalar.legal(role);
            let count: usize = legal.iter().map(|word| word.count_ones() as usize).sum();
            *chosen = machine.index_at(role, nth_one(legal, below(count, random())));
        }
        for (role, &index) in self.chosen.iter().enumerate() {
            self.scalar.make(role, Some(index));
        }
        self.scalar.step();
        Ok(RandomStep::Moved)
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
