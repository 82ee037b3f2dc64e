//! Playout policies: how moves are chosen in playouts.
//!
//! A lane is a place where one playout after the other runs. Engines run many lanes in lockstep, so
//! policies that see every choice are asked for one step of all lanes at a time ([`StepPolicy`]).

use crate::choices::Choices;
use crate::ids::{FactId, MoveId};
use crate::ranking::Ranking;

/// How moves are chosen in playouts.
pub enum PlayoutPolicy<'a> {
    /// Uniformly at random.
    Uniform,
    /// ε-greedily by a ranking of each role's moves. Plain data.
    Ranked(&'a mut Ranking),
    /// By a policy that sees every choice.
    Step(&'a mut dyn StepPolicy),
}

/// Chooses moves in playouts: one step of all lanes at a time.
pub trait StepPolicy {
    /// A playout from this leaf begins in a lane.
    fn begin(&mut self, lane: usize, leaf: usize);

    /// Whether the policy needs the facts of states. Finding them takes time, so engines do it only
    /// if this is true; the answer stays the same for a whole simulation.
    fn needs_facts(&self) -> bool {
        false
    }

    /// The facts that hold in a lane, sorted by id. Called in every step before moves are chosen,
    /// if the policy [needs facts](Self::needs_facts).
    fn set_facts(&mut self, _lane: usize, _facts: &[FactId]) {}

    /// Chooses for a role: for each of the choosing [lanes](Choices::lanes), in order, the index of
    /// a move that is legal there. Roles with a forced move are not asked.
    ///
    /// `seed` is new for every call: same seeds, same choices.
    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>);

    /// Moves were made: for each role those of all lanes, one role after the other. Entries of
    /// lanes without a running playout mean nothing.
    fn moved(&mut self, joint: &[MoveId]);

    /// The playout of a lane ended after so many steps. `goals` is by role; none if the playout did
    /// not reach a terminal state. Steps that other lanes have made since do not count.
    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>);
}
