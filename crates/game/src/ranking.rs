//! Rankings: the plain data behind ε-greedy playouts.

use crate::ids::MoveId;

/// How often a move was made in playouts, and with which result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Finished playouts in which the move was made.
    pub count: u64,
    /// Sum of the goals of the role that made it.
    pub sum: u64,
}

/// The moves of each role, best first, for ε-greedy playouts: the first legal one is made, or with
/// probability ε a random one.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Probability of a uniformly random move.
    pub epsilon: f64,
    /// By role: moves, best first. Moves that are missing come after all others.
    pub order: Vec<Vec<MoveId>>,
    /// Changes whenever the order changes while playouts are in flight, so that engines need not
    /// compare orders.
    pub version: u64,
    /// By role and move: what playouts add to. As long as needed.
    pub tallies: Vec<Vec<Tally>>,
}

impl Ranking {
    /// The tally of a move of a role.
    pub fn tally(&mut self, role: usize, id: MoveId) -> &mut Tally {
        if self.tallies.len() <= role {
            self.tallies.resize(role + 1, Vec::new());
        }
        let of_role = &mut self.tallies[role];
        if of_role.len() <= id.index() {
            of_role.resize(id.index() + 1, Tally::default());
        }
        &mut of_role[id.index()]
    }
}
