//! Which move is followed down the tree.

mod argmax;
mod rave;
mod ucb1;
mod uniform;

pub(crate) use rave::rave;
pub(crate) use ucb1::ucb1;
pub(crate) use uniform::uniform;

/// How the edges of a role are chosen from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Selection {
    /// The highest upper confidence bound, with this exploration constant.
    Ucb1(f64),
    /// The same, with what moves gave later counting half after this many visits: exploration constant, `k`.
    Rave(f64, f64),
    /// Chance.
    Uniform,
}
