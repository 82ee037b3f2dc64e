//! The table of players.

use ludex_search::{First, Flat, FlatOptions, Random, Search, SearchContext, tree_search};

use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;
use crate::tree_options::{
    CP_IMP, CP_LGR_MASTG, CP_LGR_NST, CP_MAST, CP_MASTG, CP_NST, CP_PAST, CP_RAVE, CP_UCT, MC_MEM,
    uct_options,
};

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
    pub(crate) make: fn(SearchContext, &Player) -> Box<dyn Search>,
}

impl Kind {
    /// What can be set, in words.
    pub(crate) fn option_names(&self) -> String {
        let names: Vec<String> = self.options.iter().map(|option| format!("`{}`", option.name)).collect();
        if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) }
    }
}

/// The strongest so far: who plays if nobody is named.
pub const DEFAULT_PLAYER: &str = "cadia-uct";

/// The name of a seat that a person takes: not a player of the table.
pub const HUMAN: &str = "human";

/// Every player there is.
pub const PLAYERS: &[Kind] = &[
    Kind {
        name: "legal",
        summary: "always the first legal move",
        source: "reference player of the GGP course",
        options: &[],
        make: |context, _| Box::new(First::new(context)),
    },
    Kind {
        name: "random",
        summary: "a uniformly random legal move",
        source: "reference player of the GGP course",
        options: &[],
        make: |context, _| Box::new(Random::new(context)),
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
        make: |context, player| Box::new(Flat::new(context, FlatOptions { each: player.whole("each") })),
    },
    Kind {
        name: "mc-mem",
        summary: "Monte Carlo that remembers a tree but prefers nothing in it",
        source: "MC_mem, Finnsson 2007, chapter 5",
        options: MC_MEM,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-uct",
        summary: "UCT with a value for every role, uniform playouts",
        source: "CP_uct, Finnsson 2007, chapter 4",
        options: CP_UCT,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-imp",
        summary: "UCT; averages of moves decide among untried ones",
        source: "CP_imp, Finnsson 2007, section 4.5",
        options: CP_IMP,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-mast",
        summary: "UCT with MAST: averages of moves, by Gibbs measure",
        source: "CP_MAST, Tak, Winands, Björnsson 2012, IV-A",
        options: CP_MAST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-mastg",
        summary: "UCT with MAST, ε-greedy",
        source: "CP_MASTG, Tak, Winands, Björnsson 2012, IV-A",
        options: CP_MASTG,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-nst",
        summary: "UCT with N-grams: averages of sequences of moves, ε-greedy",
        source: "CP_NST, Tak, Winands, Björnsson 2012, IV-B",
        options: CP_NST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-lgr-mastg",
        summary: "UCT with last good replies, otherwise MAST",
        source: "CP_LGR-MASTG, Tak, Winands, Björnsson 2012, IV-C",
        options: CP_LGR_MASTG,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-lgr-nst",
        summary: "UCT with last good replies, otherwise N-grams",
        source: "CP_LGR-NST, Tak, Winands, Björnsson 2012, IV-C",
        options: CP_LGR_NST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-past",
        summary: "UCT with PAST: averages of moves where facts hold, by Gibbs measure",
        source: "PAST, Finnsson, Björnsson 2010",
        options: CP_PAST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-rave",
        summary: "UCT with RAVE: in new nodes, what moves gave when they were made later counts",
        source: "RAVE, Gelly, Silver 2007; Finnsson, Björnsson 2010",
        options: CP_RAVE,
        make: |context, player| tree_search(context, uct_options(player)),
    },
];
