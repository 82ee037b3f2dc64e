//! The table of players.

use ludex_search::{First, Flat, FlatOptions, Random, Search, Seat};

use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;

/// A kind of player.
#[derive(Debug)]
pub struct Kind {
    /// As specs spell it.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What can be set.
    pub options: &'static [PlayerOption],
    pub(crate) make: fn(Seat, &Player) -> Box<dyn Search>,
}

impl Kind {
    /// What can be set, in words.
    pub(crate) fn option_names(&self) -> String {
        let names: Vec<String> = self.options.iter().map(|option| format!("`{}`", option.name)).collect();
        if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) }
    }
}

/// The strongest so far: who plays if nobody is named.
pub const DEFAULT_PLAYER: &str = "mc";

/// Every player there is.
pub const PLAYERS: &[Kind] = &[
    Kind {
        name: "legal",
        summary: "always the first legal move",
        source: "reference player of the GGP course",
        options: &[],
        make: |seat, _| Box::new(First::new(seat)),
    },
    Kind {
        name: "random",
        summary: "a uniformly random legal move",
        source: "reference player of the GGP course",
        options: &[],
        make: |seat, _| Box::new(Random::new(seat)),
    },
    Kind {
        name: "mc",
        summary: "flat Monte Carlo: uniform playouts behind each move, best average, no memory",
        source: "MC_org, Finnsson 2007, chapter 5",
        options: &[PlayerOption {
            name: "each",
            summary: "playouts for a move at a time; 0: as many as the game has lanes",
            kind: OptionKind::Whole(0, 1 << 20),
            default: "0",
        }],
        make: |seat, player| Box::new(Flat::new(seat, FlatOptions { each: player.whole("each") })),
    },
];
