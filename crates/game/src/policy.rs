//! Who chooses moves in playouts, where that takes more than chance or a list: policies see every playout.
//!
//! A lane is a place where one playout after the other runs. Engines run many of them in step, and policies may look at them in
//! either of two ways: lane by lane, with the list of legal moves of each ([`LanePolicy`]); or a step of all lanes at a time, with a
//! table of what is legal ([`StepPolicy`]), which is how engines with lanes know it.

use crate::choices::Choices;
use crate::ids::{FactId, MoveId, RoleId};

/// Chooses moves in playouts, one lane (a place where one playout after the other runs) at a time.
pub trait LanePolicy {
    /// A playout begins in a lane, behind this leaf.
    fn begin(&mut self, lane: usize, leaf: usize);

    /// Whether it is told what holds where moves are chosen. Finding that out takes time, so nobody does
    /// unless this says so; the answer stays the same for a whole simulation.
    fn looks_at_facts(&self) -> bool {
        false
    }

    /// What holds in a lane, sorted by id: before the moves of a step are chosen, if it
    /// [looks at facts](Self::looks_at_facts).
    fn sees(&mut self, _lane: usize, _facts: &[FactId]) {}

    /// The move of a role: an index into `legal`, which is not empty and sorted by id.
    fn choose(&mut self, lane: usize, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize;

    /// These moves were made in a lane.
    fn moved(&mut self, lane: usize, joint: &[MoveId]);

    /// The playout of a lane is over. By role: its goal; none if the playout did not reach an end.
    fn ended(&mut self, lane: usize, goals: Option<&[f64]>);
}

/// Chooses moves in playouts, in all lanes at once, a step at a time.
pub trait StepPolicy {
    /// A playout begins in a lane, behind this leaf.
    fn begin(&mut self, lane: usize, leaf: usize);

    /// What a role does: for each of the lanes in which it has a choice, the place of one of the moves that are legal there. Who
    /// has one legal move only is not asked.
    fn choose(&mut self, choices: &Choices, random: &mut fastrand::Rng, chosen: &mut Vec<u32>);

    /// Moves were made: for each role those of all lanes, one role after the other. What it says of lanes whose playouts have
    /// ended, or not begun, means nothing.
    fn moved(&mut self, joint: &[MoveId]);

    /// The playout of a lane is over, after so many steps. By role: its goal; none if the playout did not reach an end. Steps that
    /// other lanes have made since do not count.
    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>);
}
