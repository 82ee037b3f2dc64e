//! Uniform selection: MC_mem, a Monte Carlo player with a tree in which all moves are equal.
//!
//! # References
//! H. Finnsson, CADIA-Player, 2007, chapter 5.
//!
//! # Status
//! A baseline.

/// A uniformly random edge.
pub(crate) fn uniform(count: usize, random: &mut fastrand::Rng) -> usize {
    random.usize(..count.max(1))
}
