//! Options of the players that search a tree, with the values that the papers give.

use ludex_search::{Decision, NoopContexts, Parallel, Policy, Refill, UctOptions, Unseen};

use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;

const POLICIES: &[&str] = &["uniform", "untried", "mast", "nst", "lgr-mast", "lgr-nst", "past"];

const PARALLEL: &[&str] = &["tree", "leaf", "root", "root-merged"];

/// The table of options; presets differ in their defaults.
macro_rules! tree_options {
    ($name:ident: $($option:ident = $default:literal),*) => {
        pub(crate) const $name: &[PlayerOption] = &{
            let mut options = DEFAULTS;
            let mut at = 0;
            while at < options.len() {
                $(if matches_name(options[at].name, stringify!($option)) { options[at].default = $default; })*
                at += 1;
            }
            options
        };
    };
}

const fn matches_name(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn option(
    name: &'static str,
    symbol: &'static str,
    summary: &'static str,
    kind: OptionKind,
    default: &'static str,
) -> PlayerOption {
    PlayerOption { name, symbol, summary, kind, default }
}

const DEFAULTS: [PlayerOption; 23] = [
    option(
        "select",
        "",
        "selection in the tree: UCB1, with the variance bound of UCB1-tuned, or uniformly random",
        OptionKind::Word(&["ucb1", "ucb1-tuned", "uniform"]),
        "ucb1",
    ),
    option(
        "c",
        "C_p",
        "exploration constant of UCB1, on the scale of goals (0 to 100)",
        OptionKind::Number(0.0, 10_000.0),
        "40",
    ),
    option(
        "fpu",
        "",
        "first-play urgency: untried moves have the mean of their node plus this; 10000: they come first",
        OptionKind::Number(0.0, 10_000.0),
        "10000",
    ),
    option(
        "normalize",
        "",
        "scale the exploration constant by the range of returns seen",
        OptionKind::Switch,
        "off",
    ),
    option(
        "rave",
        "k",
        "RAVE equivalence parameter: visits at which AMAF and UCT values weigh the same; 0: no RAVE",
        OptionKind::Number(0.0, 1_000_000_000.0),
        "0",
    ),
    option("gamma", "γ", "discount factor per step of backpropagation", OptionKind::Number(0.0, 1.0), "0.99"),
    option("policy", "", "playout policy", OptionKind::Word(POLICIES), "uniform"),
    option(
        "gibbs",
        "",
        "playout policy by Gibbs (softmax) measure, instead of ε-greedy",
        OptionKind::Switch,
        "off",
    ),
    option("tau", "τ", "temperature of the Gibbs measure", OptionKind::Number(0.001, 1000.0), "10"),
    option(
        "epsilon",
        "ε",
        "probability of a uniformly random move in an ε-greedy playout policy",
        OptionKind::Number(0.0, 1.0),
        "0.2",
    ),
    option(
        "k",
        "k",
        "visits that a bigram or trigram needs before NST uses it",
        OptionKind::Whole(1, 255),
        "7",
    ),
    option(
        "threshold",
        "",
        "visits that a pair of fact and move needs before PAST uses it",
        OptionKind::Whole(1, 1_000_000),
        "3",
    ),
    option(
        "unseen",
        "",
        "score of moves that playouts never made: 100, or the average of the state's other moves",
        OptionKind::Word(&["100", "average"]),
        "100",
    ),
    option(
        "noops",
        "",
        "whether no-ops count in the contexts of N-grams and last good replies",
        OptionKind::Word(&["count", "skip"]),
        "count",
    ),
    option("batch", "", "leaves per batch; 0: chosen by game and time", OptionKind::Whole(0, 65_536), "0"),
    option(
        "playouts",
        "",
        "playouts per leaf; 0: chosen by game and time",
        OptionKind::Whole(0, 65_536),
        "0",
    ),
    option(
        "refill",
        "",
        "lane refilling: lanes whose playout is over take the next leaf; auto: on with clocks",
        OptionKind::Word(&["auto", "on", "off"]),
        "auto",
    ),
    option("transpositions", "", "one node for equal states of the same depth", OptionKind::Switch, "on"),
    option(
        "solver",
        "",
        "proved bounds on goals, carried from terminal nodes to the root",
        OptionKind::Switch,
        "off",
    ),
    option(
        "expand",
        "",
        "visits of a leaf before it becomes a node; 0: the first visit adds a node",
        OptionKind::Whole(0, 1_000_000),
        "0",
    ),
    option(
        "recycle",
        "",
        "when memory is full, free the least visited subtrees instead of no longer growing",
        OptionKind::Switch,
        "off",
    ),
    option("parallel", "", "parallelization with several threads", OptionKind::Word(PARALLEL), "tree"),
    option(
        "final",
        "",
        "final move: best mean (q), most visits, best lower bound (secure); auto: q with batch=1, otherwise secure",
        OptionKind::Word(&["auto", "q", "visits", "secure"]),
        "auto",
    ),
];

tree_options!(MC_MEM: select = "uniform");
pub(crate) const CP_UCT: &[PlayerOption] = &DEFAULTS;
tree_options!(LUDEX_TREE: solver = "on", expand = "1", recycle = "on");
tree_options!(CP_IMP: policy = "untried");
tree_options!(CP_MAST: policy = "mast", gibbs = "on");
tree_options!(CP_MASTG: policy = "mast", epsilon = "0.4");
tree_options!(CP_NST: policy = "nst");
tree_options!(CP_LGR_MASTG: policy = "lgr-mast");
tree_options!(CP_LGR_NST: policy = "lgr-nst");
tree_options!(CP_RAVE: rave = "1000");
tree_options!(CP_PAST: policy = "past", gibbs = "on");

/// The tree's options, and the share of the prover.
pub(crate) const LUDEX: &[PlayerOption] = &{
    let mut options = [PROVER; DEFAULTS.len() + 1];
    let mut at = 0;
    while at < LUDEX_TREE.len() {
        options[at] = LUDEX_TREE[at];
        at += 1;
    }
    options
};

const PROVER: PlayerOption = option(
    "prover",
    "",
    "share of the work for alpha-beta that looks for proofs",
    OptionKind::Number(0.0, 0.9),
    "0.1",
);

/// What a player's options mean.
pub(crate) fn uct_options(player: &Player) -> UctOptions {
    let policy = match player.word("policy") {
        "untried" => Policy::Untried,
        "mast" => Policy::Mast,
        "nst" => Policy::Nst,
        "lgr-mast" => Policy::LgrMast,
        "lgr-nst" => Policy::LgrNst,
        "past" => Policy::Past,
        _ => Policy::Uniform,
    };
    UctOptions {
        ucb: player.word("select") != "uniform",
        exploration: player.number("c"),
        urgency: Some(player.number("fpu")).filter(|&urgency| urgency < 10_000.0),
        tuned: player.word("select") == "ucb1-tuned",
        normalize: player.switch("normalize"),
        rave: player.number("rave"),
        discount: player.number("gamma"),
        policy,
        gibbs: player.switch("gibbs"),
        temperature: player.number("tau"),
        epsilon: player.number("epsilon"),
        k: player.whole("k"),
        threshold: player.whole("threshold"),
        unseen: match player.word("unseen") {
            "average" => Unseen::Average,
            _ => Unseen::Highest,
        },
        noops: match player.word("noops") {
            "skip" => NoopContexts::Skip,
            _ => NoopContexts::Count,
        },
        batch: usize::try_from(player.whole("batch")).unwrap_or(usize::MAX),
        playouts: u32::try_from(player.whole("playouts")).unwrap_or(u32::MAX),
        refill: match player.word("refill") {
            "on" => Refill::Always,
            "off" => Refill::Never,
            _ => Refill::Auto,
        },
        transpositions: player.switch("transpositions"),
        solver: player.switch("solver"),
        expand: u32::try_from(player.whole("expand")).unwrap_or(u32::MAX),
        recycle: player.switch("recycle"),
        decision: match player.word("final") {
            "q" => Decision::MaxChild,
            "visits" => Decision::RobustChild,
            "secure" => Decision::SecureChild,
            _ => Decision::Auto,
        },
        parallel: match player.word("parallel") {
            "leaf" => Parallel::Leaf,
            "root" => Parallel::Root,
            "root-merged" => Parallel::RootMerged,
            _ => Parallel::Tree,
        },
    }
}
