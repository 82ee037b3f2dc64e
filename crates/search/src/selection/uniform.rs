//! Any move, uniformly: MC_mem, a Monte Carlo player that remembers a tree but does not prefer anything in it.
//!
//! # References
//! H. Finnsson, CADIA-Player, 2007, chapter 5.
//!
//! # Status
//! A baseline.

/// A random edge.
pub(crate) fn uniform(count: usize, random: &mut fastrand::Rng) -> usize {
    random.usize(..count.max(1))
}
