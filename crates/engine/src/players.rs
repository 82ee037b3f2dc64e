//! The table of players.

use ludex_search::{
    AlphaBeta, AryMax, AryUct, Clune, First, Flat, FlatOptions, IdaStar, MaxN, Minimax, Nested,
    PlannerSearch, Random, Search, SearchContext, champion, is_puzzle, tree_search,
};

use crate::knowledge_options::{CLUNE, FLUX, clune_options, flux};
use crate::minimax_options::{
    ALPHA_BETA, MAXN, MINIMAX, PARANOID, alpha_beta_options, evaluation, simultaneous,
};
use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;
use crate::puzzle_options::{
    ARY_MAX, ARY_NMC, ARY_UCT, CADIA_2007, IDA_STAR, ary_max_options, ary_uct_options, hand_over_options,
    nested_options,
};
use crate::tree_options::{
    CP_IMP, CP_LGR_MASTG, CP_LGR_NST, CP_MAST, CP_MASTG, CP_NST, CP_PAST, CP_RAVE, CP_UCT, LUDEX, MC_MEM,
    uct_options,
};

/// A kind of player.
#[derive(Debug)]
pub struct Kind {
    /// As specs spell it.
    pub name: &'static str,
    /// Players of one kind are listed together.
    pub family: Family,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What can be set.
    pub options: &'static [PlayerOption],
    pub(crate) make: fn(SearchContext, &Player) -> Box<dyn Search>,
}

/// What players have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// No search.
    Baseline,
    /// Monte Carlo without a guided tree.
    MonteCarlo,
    /// UCT with uniform playouts.
    Uct,
    /// UCT with playouts that learn.
    Learning,
    /// Look-ahead without playouts.
    Minimax,
    /// For games with one role; in others they play as a search for several.
    Puzzle,
    /// Look-ahead with what the rules show.
    Knowledge,
}

impl Family {
    /// A heading.
    pub fn title(self) -> &'static str {
        match self {
            Family::Baseline => "Baselines",
            Family::MonteCarlo => "Monte Carlo",
            Family::Uct => "UCT, uniform playouts",
            Family::Learning => "UCT, learned playout policies",
            Family::Minimax => "The minimax family",
            Family::Puzzle => "Games for one",
            Family::Knowledge => "Knowledge from rules",
        }
    }
}

impl Kind {
    /// What can be set, in words.
    pub(crate) fn option_names(&self) -> String {
        let names: Vec<String> = self.options.iter().map(|option| format!("`{}`", option.name)).collect();
        if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) }
    }
}

/// The strongest so far: who plays if nobody is named.
pub const DEFAULT_PLAYER: &str = "ludex";

/// Who plays games with one role if nobody is named.
pub const DEFAULT_PUZZLE_PLAYER: &str = "planner";

/// Who plays a game with so many roles if nobody is named.
pub fn default_player(roles: usize) -> &'static str {
    if roles == 1 { DEFAULT_PUZZLE_PLAYER } else { DEFAULT_PLAYER }
}

/// The name of a seat that a person takes: not a player of the table.
pub const HUMAN: &str = "human";

/// Every player there is.
pub const PLAYERS: &[Kind] = &[
    Kind {
        name: "legal",
        family: Family::Baseline,
        summary: "always the first legal move",
        source: "reference player of the GGP course",
        options: &[],
        make: |context, _| Box::new(First::new(context)),
    },
    Kind {
        name: "random",
        family: Family::Baseline,
        summary: "a uniformly random legal move",
        source: "reference player of the GGP course",
        options: &[],
        make: |context, _| Box::new(Random::new(context)),
    },
    Kind {
        name: "mc",
        family: Family::MonteCarlo,
        summary: "flat Monte Carlo: uniform playouts of each move, best mean",
        source: "MC_org, Finnsson 2007, chapter 5",
        options: &[PlayerOption {
            name: "each",
            symbol: "",
            summary: "playouts per move and round; 0: as many as the engine has lanes",
            kind: OptionKind::Whole(0, 1 << 20),
            default: "0",
        }],
        make: |context, player| Box::new(Flat::new(context, FlatOptions { each: player.whole("each") })),
    },
    Kind {
        name: "mc-mem",
        family: Family::MonteCarlo,
        summary: "Monte Carlo with a tree, uniformly random selection",
        source: "MC_mem, Finnsson 2007, chapter 5",
        options: MC_MEM,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-uct",
        family: Family::Uct,
        summary: "UCT with a value for every role",
        source: "CP_uct, Finnsson 2007, chapter 4",
        options: CP_UCT,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "ludex",
        family: Family::Uct,
        summary: "UCT with proofs, and alpha-beta beside it",
        source: "score bounded search, Cazenave and Saffidine 2010; MCTS-Solver, Winands, Björnsson, Saito 2008",
        options: LUDEX,
        make: |context, player| champion(context, uct_options(player), player.number("prover")),
    },
    Kind {
        name: "cadia-imp",
        family: Family::Learning,
        summary: "UCT; mean returns of moves choose among unvisited ones",
        source: "CP_imp, Finnsson 2007, section 4.5",
        options: CP_IMP,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-mast",
        family: Family::Learning,
        summary: "MAST: mean returns of moves, Gibbs measure",
        source: "CP_MAST, Tak, Winands, Björnsson 2012, IV-A",
        options: CP_MAST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-mastg",
        family: Family::Learning,
        summary: "MAST, ε-greedy",
        source: "CP_MASTG, Tak, Winands, Björnsson 2012, IV-A",
        options: CP_MASTG,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-nst",
        family: Family::Learning,
        summary: "N-grams (NST): mean returns of move sequences, ε-greedy",
        source: "CP_NST, Tak, Winands, Björnsson 2012, IV-B",
        options: CP_NST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-lgr-mastg",
        family: Family::Learning,
        summary: "last good replies, otherwise MAST",
        source: "CP_LGR-MASTG, Tak, Winands, Björnsson 2012, IV-C",
        options: CP_LGR_MASTG,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-lgr-nst",
        family: Family::Learning,
        summary: "last good replies, otherwise N-grams",
        source: "CP_LGR-NST, Tak, Winands, Björnsson 2012, IV-C",
        options: CP_LGR_NST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-past",
        family: Family::Learning,
        summary: "PAST: mean returns of moves by fact, Gibbs measure",
        source: "PAST, Finnsson, Björnsson 2010",
        options: CP_PAST,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "cadia-rave",
        family: Family::Uct,
        summary: "UCT with RAVE: AMAF statistics in nodes with few visits",
        source: "RAVE, Gelly, Silver 2007; Finnsson, Björnsson 2010",
        options: CP_RAVE,
        make: |context, player| tree_search(context, uct_options(player)),
    },
    Kind {
        name: "alphabeta",
        family: Family::Minimax,
        summary: "alpha-beta in batches, with a table; more players: paranoid",
        source: "Knuth, Moore 1975; Schaeffer 1989; Finnsson 2007, section 2.1.3",
        options: ALPHA_BETA,
        make: |context, player| {
            let evaluation = evaluation(player, &context);
            Box::new(AlphaBeta::new(context, alpha_beta_options(player), evaluation))
        },
    },
    Kind {
        name: "minimax",
        family: Family::Minimax,
        summary: "plain minimax, deeper and deeper; more: all against one",
        source: "Finnsson 2007, section 2.1.2; Thielscher, slides",
        options: MINIMAX,
        make: |context, player| {
            let evaluation = evaluation(player, &context);
            Box::new(Minimax::new(context, simultaneous(player), evaluation))
        },
    },
    Kind {
        name: "maxn",
        family: Family::Minimax,
        summary: "maxⁿ: every player maximises its own value",
        source: "Luckhart, Irani 1986; Finnsson 2007, section 2.1.4",
        options: MAXN,
        make: |context, player| {
            let evaluation = evaluation(player, &context);
            Box::new(MaxN::new(context, evaluation))
        },
    },
    Kind {
        name: "paranoid",
        family: Family::Minimax,
        summary: "all others together minimise: alpha-beta with a table",
        source: "Sturtevant, Korf 2000; Finnsson 2007, section 2.1.4",
        options: PARANOID,
        make: |context, player| {
            let evaluation = evaluation(player, &context);
            Box::new(AlphaBeta::new(context, alpha_beta_options(player), evaluation))
        },
    },
    Kind {
        name: "ary-nmc",
        family: Family::Puzzle,
        summary: "nested Monte Carlo search; several roles: UCT+T",
        source: "NMC, Méhat, Cazenave 2010, section 4",
        options: ARY_NMC,
        make: |context, player| match is_puzzle(&*context.game) {
            true => Box::new(Nested::new(context, nested_options(player))),
            false => Box::new(AryUct::new(context, ary_uct_options(player, true))),
        },
    },
    Kind {
        name: "ary-uct",
        family: Family::Puzzle,
        summary: "Ary's UCT: statistics in nodes; plays the best playout",
        source: "UCT-T, Méhat, Cazenave 2010, section 3",
        options: ARY_UCT,
        make: |context, player| Box::new(AryUct::new(context, ary_uct_options(player, false))),
    },
    Kind {
        name: "ary-uct+t",
        family: Family::Puzzle,
        summary: "the same with a transposition table",
        source: "UCT+T, Méhat, Cazenave 2010, section 3.2",
        options: ARY_UCT,
        make: |context, player| Box::new(AryUct::new(context, ary_uct_options(player, true))),
    },
    Kind {
        name: "ary-max",
        family: Family::Puzzle,
        summary: "UCT+T and nested Monte Carlo, the better playout",
        source: "MAX1 and MAX2, Méhat, Cazenave 2010, section 6",
        options: ARY_MAX,
        make: |context, player| match is_puzzle(&*context.game) {
            true => Box::new(AryMax::new(context, ary_max_options(player))),
            false => Box::new(AryUct::new(context, ary_uct_options(player, true))),
        },
    },
    Kind {
        name: "ida-star",
        family: Family::Puzzle,
        summary: "iterative deepening, then UCT; several roles: UCT",
        source: "Enhanced IDA*, Finnsson 2007, sections 2.1.1 and 3.4.1",
        options: IDA_STAR,
        make: ida_star,
    },
    Kind {
        name: "cadia-2007",
        family: Family::Puzzle,
        summary: "`ida-star` with one role, `cadia-uct` with several",
        source: "Finnsson 2007",
        options: CADIA_2007,
        make: ida_star,
    },
    Kind {
        name: "clune",
        family: Family::Knowledge,
        summary: "alpha-beta; features of the rules, weighed by random games",
        source: "Cluneplayer, Clune 2007; Finnsson 2007, section 3.5.1",
        options: CLUNE,
        make: |context, player| Box::new(Clune::new(context, clune_options(player))),
    },
    Kind {
        name: "flux",
        family: Family::Knowledge,
        summary: "alpha-beta; fuzzy goals and distances, beside features",
        source: "Fluxplayer, Schiffel, Thielscher 2007; Finnsson 2007, section 3.5.2",
        options: FLUX,
        make: flux,
    },
    Kind {
        name: "planner",
        family: Family::Puzzle,
        summary: "a portfolio of searches and SAT",
        source: "Kautz, Selman 1992; Lipovetzky, Geffner 2017; Rosin 2011",
        options: CP_UCT,
        make: |context, player| Box::new(PlannerSearch::new(context, uct_options(player))),
    },
];

/// Enhanced IDA* with one role, UCT with several.
fn ida_star(context: SearchContext, player: &Player) -> Box<dyn Search> {
    let uct = tree_search(context.clone(), hand_over_options(player));
    match is_puzzle(&*context.game) {
        true => Box::new(IdaStar::new(context, player.switch("return"), uct)),
        false => uct,
    }
}
