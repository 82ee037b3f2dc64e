//! `paranoid`: all others play together against the searching role.
//!
//! # What it does
//! A game of more players becomes one of two: the searching role maximises its goal, the others
//! choose together and minimise it, so alpha-beta applies. "It is also possible to reduce multi-player
//! games to two-player games, but it comes at a cost and some information is lost" (Finnsson 2007).
//! In plain form: no null windows, no aspiration window, no history; options add them.
//! [`AlphaBeta`](super::AlphaBeta) makes the same reduction with all of them.
//!
//! What is proved is what the role can guarantee, whatever the others do. Two players: plain
//! alpha-beta. One player: it maximises. Simultaneous moves, chance: [`super::levels`].
//!
//! # References
//! N. Sturtevant, R. Korf, On pruning techniques for multi-player games, 2000; H. Finnsson,
//! CADIA-Player, 2007, section 2.1.4.

use super::options::AlphaBetaOptions;

impl AlphaBetaOptions {
    /// Alpha-beta without enhancements but a table, as the papers' paranoid search has it.
    pub fn paranoid() -> Self {
        Self { pvs: false, history: false, window: 0.0, ..Self::default() }
    }
}
