//! Who chooses moves in playouts, where that takes more than chance or a list: policies see every playout.
//!
//! A lane is a place where one playout after the other runs. Engines run many of them in step, and policies may look at them in
//! either of two ways: lane by lane, with the list of legal moves of each ([`LanePolicy`]); or move by move, with the list of lanes
//! in which each is legal ([`MovePolicy`]), which is how engines with lanes know it: no lists of moves are made.

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

/// Chooses moves in playouts, in many lanes at once.
///
/// For each role: [`ask`](Self::ask), then [`offer`](Self::offer) for every move that is legal in some of these lanes, then
/// [`choices`](Self::choices). Who has one legal move only is not asked.
pub trait MovePolicy {
    /// A playout begins in a lane, behind this leaf.
    fn begin(&mut self, lane: usize, leaf: usize);

    /// A role is to choose in these lanes: in each of them it has at least two legal moves.
    fn ask(&mut self, role: RoleId, lanes: &[u16], random: &mut fastrand::Rng);

    /// A move of the role that was asked is legal in these lanes. Each move comes once, in the order of ids.
    fn offer(&mut self, id: MoveId, lanes: &[u16]);

    /// What was chosen in each of the lanes that were asked for: one of the moves that were offered there.
    fn choices(&mut self, lanes: &[u16], chosen: &mut Vec<MoveId>);

    /// Moves were made in lanes: in `joint`, which goes on without a gap, one for each role.
    fn moved(&mut self, lanes: &[u16], joint: &[MoveId]);

    /// The playout of a lane is over. By role: its goal; none if the playout did not reach an end.
    fn ended(&mut self, lane: usize, goals: Option<&[f64]>);
}
