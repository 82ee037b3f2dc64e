//! Evaluation functions: what the positions at the horizon of a search are worth.
//!
//! A search of the minimax family ends at a horizon. What lies there and is not terminal gets a value
//! for each role, an expected goal from 0 to 100. Searches ask for many positions at once (the children
//! of a whole batch of nodes), so an evaluation may use lanes as playouts do.
//!
//! Values are guesses and are treated as such: they never enter what is proved about a position, and
//! an evaluation that says 100 is not a win.

use ludex_game::{Failure, Game, RoleId};

/// Positions to evaluate; none of them is terminal.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    states: &'a [&'a [u64]],
    roles: usize,
    mobility: &'a [u32],
}

impl<'a> Positions<'a> {
    /// States of a game with so many roles. `mobility` has the numbers of legal moves, by state and
    /// role, or nothing.
    pub fn new(states: &'a [&'a [u64]], roles: usize, mobility: &'a [u32]) -> Self {
        debug_assert!(mobility.is_empty() || mobility.len() == states.len() * roles);
        Self { states, roles, mobility }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Number of roles, chance included.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// The words of all states.
    pub fn states(&self) -> &'a [&'a [u64]] {
        self.states
    }

    /// How many legal moves a role has in a position; none if [`Evaluation::reads_mobility`] did not
    /// ask for it.
    pub fn mobility(&self, at: usize, role: RoleId) -> Option<u32> {
        self.mobility.get(at * self.roles + role.index()).copied()
    }
}

/// What a position is worth to each role.
pub trait Evaluation: Send {
    /// Whether [`Positions::mobility`] is needed. It costs a search time.
    fn reads_mobility(&self) -> bool {
        false
    }

    /// Writes a value from 0 to 100 for every position and role: that of `role` in the position `at`
    /// is `values[at * roles + role]`. Values beyond the range are cut to it, and one that is not a
    /// number counts as 50. Equal positions get equal values, whatever was asked before.
    fn evaluate(&mut self, positions: &Positions<'_>, values: &mut [f32]) -> Result<(), Failure>;
}

/// An evaluation that knows nothing: every position is worth the middle between the lowest and the
/// highest goal that the rules give a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Neutral {
    /// By role.
    middles: Vec<f32>,
}

/// What a role is worth if its goals are not known.
const MIDDLE: f32 = 50.0;

impl Neutral {
    /// For a game; reads the goal values off its model, if it has one.
    pub fn new(game: &dyn Game) -> Self {
        let middle = |role: usize| {
            let goals = goal_values(game, RoleId::new(role));
            match (goals.iter().min(), goals.iter().max()) {
                (Some(&low), Some(&high)) => f32::midpoint(f32::from(low), f32::from(high)),
                _ => MIDDLE,
            }
        };
        Self { middles: (0..game.role_count()).map(middle).collect() }
    }
}

impl Evaluation for Neutral {
    fn evaluate(&mut self, positions: &Positions<'_>, values: &mut [f32]) -> Result<(), Failure> {
        for of_position in values.chunks_mut(positions.roles().max(1)) {
            of_position.copy_from_slice(&self.middles);
        }
        Ok(())
    }
}

/// The goals that the rules give a role, as far as the ground model shows them; empty if it does not.
pub(super) fn goal_values(game: &dyn Game, role: RoleId) -> Vec<u8> {
    let Some(model) = game.model().and_then(|model| model.ground()) else { return Vec::new() };
    let of_role = model.goals.iter().filter(|goal| goal.role == role);
    let values = of_role.filter_map(|goal| model.terms.text(goal.value).parse::<u8>().ok());
    values.filter(|&value| value <= 100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_is_the_middle_of_the_goals() {
        let game = ludex_testkit::game_from(
            "(role a) (role b) (init (s 1)) (legal a go) (legal b go) (<= (next (s 2)) (does a go))
             (<= terminal (true (s 2))) (goal a 40) (<= (goal b 20) (true (s 2))) (<= (goal b 100) (true (s 1)))",
            "batch",
        );
        let initial = game.initial();
        let states = [initial.words(), initial.words()];
        let mut values = [0.0; 4];
        let mut neutral = Neutral::new(&*game);
        neutral.evaluate(&Positions::new(&states, 2, &[]), &mut values).unwrap();
        assert_eq!(values[..2], values[2..]);
        assert_eq!(values[1], 60.0);
        let unknown = ludex_testkit::game("tic_tac_toe", "reference");
        assert_eq!(Neutral::new(&*unknown).middles, [50.0, 50.0]);
    }

    #[test]
    fn mobility_is_by_position_and_role() {
        let states: [&[u64]; 2] = [&[1], &[2]];
        let positions = Positions::new(&states, 2, &[7, 1, 1, 9]);
        assert_eq!(positions.mobility(1, RoleId(1)), Some(9));
        assert_eq!(Positions::new(&states, 2, &[]).mobility(1, RoleId(1)), None);
        assert!(!positions.is_empty() && positions.len() == 2);
    }
}
