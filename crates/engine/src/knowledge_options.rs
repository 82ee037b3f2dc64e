//! Options of the players that read the rules: `clune` and `flux`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ludex_knowledge::{FuzzyOptions, TransferStore};
use ludex_search::{AlphaBeta, Clune, CluneOptions, FeatureWeights, Search, SearchContext, fuzzy_goals};

use crate::minimax_options::{FULL_WIDTH, HISTORY, PVS, SIMULTANEOUS, TABLE, WINDOW, alpha_beta_options};
use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;

const GAMES: PlayerOption = PlayerOption {
    name: "games",
    symbol: "",
    summary: "random games before the first move; with a clock twice as many, again and again",
    kind: OptionKind::Whole(1, 6_400),
    default: "25",
};

const WEIGHTS: PlayerOption = PlayerOption {
    name: "weights",
    symbol: "",
    summary: "weights of features: stability and correlation, or a regression on results",
    kind: OptionKind::Word(&["stability", "regression"]),
    default: "regression",
};

const FEATURES: PlayerOption = PlayerOption {
    name: "features",
    symbol: "",
    summary: "beside fuzzy goals the features of clune, weighted by a regression; off: as published",
    kind: OptionKind::Switch,
    default: "on",
};

const TRANSFER: PlayerOption = PlayerOption {
    name: "transfer",
    symbol: "",
    summary: "weights by regression are kept for copies of a game and larger boards; see LUDEX_TRANSFER",
    kind: OptionKind::Switch,
    default: "off",
};

/// Names a file in which weights are kept; without it they are kept as long as the program runs.
const FILE: &str = "LUDEX_TRANSFER";

/// The store of this process, if a player wants it. A file that cannot be read is as good as none.
fn transfer(player: &Player) -> Option<Arc<TransferStore>> {
    static STORE: OnceLock<Arc<TransferStore>> = OnceLock::new();
    let open = || {
        let file = std::env::var_os(FILE).map(PathBuf::from);
        let opened = file.and_then(|file| TransferStore::open(&file).ok());
        Arc::new(opened.unwrap_or_else(TransferStore::in_memory))
    };
    player.switch("transfer").then(|| Arc::clone(STORE.get_or_init(open)))
}

const TRUTH: PlayerOption = PlayerOption {
    name: "truth",
    symbol: "p",
    summary: "value of a true fact; a false one has 1 - p",
    kind: OptionKind::Number(0.5, 1.0),
    default: "0.75",
};

const NORM: PlayerOption = PlayerOption {
    name: "norm",
    symbol: "q",
    summary: "exponent of the connectives: 1 adds, large ones take the greatest part",
    kind: OptionKind::Number(1.0, 100.0),
    default: "25",
};

const THRESHOLD: PlayerOption = PlayerOption {
    name: "threshold",
    symbol: "t",
    summary: "least value of a conjunction of true facts",
    kind: OptionKind::Number(0.5, 1.0),
    default: "0.6",
};

const DISTANCES: PlayerOption = PlayerOption {
    name: "distances",
    symbol: "",
    summary: "false facts count by their distance from true ones",
    kind: OptionKind::Switch,
    default: "on",
};

/// Options of `clune`.
pub(crate) const CLUNE: &[PlayerOption] =
    &[GAMES, WEIGHTS, TRANSFER, TABLE, PVS, HISTORY, WINDOW, FULL_WIDTH, SIMULTANEOUS];

/// Options of `flux`. Values of fuzzy logic are close to each other, so the window is the whole range.
pub(crate) const FLUX: &[PlayerOption] = &[
    FEATURES,
    GAMES,
    TRANSFER,
    TRUTH,
    NORM,
    THRESHOLD,
    DISTANCES,
    TABLE,
    PVS,
    HISTORY,
    PlayerOption { default: "0", ..WINDOW },
    FULL_WIDTH,
    SIMULTANEOUS,
];

/// What the options of `clune` mean.
pub(crate) fn clune_options(player: &Player) -> CluneOptions {
    CluneOptions {
        search: alpha_beta_options(player),
        games: usize::try_from(player.whole("games")).unwrap_or(1),
        weights: match player.word("weights") {
            "stability" => FeatureWeights::Stability,
            _ => FeatureWeights::Regression,
        },
        fuzzy: None,
        transfer: transfer(player),
    }
}

/// The search of `flux`.
pub(crate) fn flux(context: SearchContext, player: &Player) -> Box<dyn Search> {
    let (search, fuzzy) = (alpha_beta_options(player), fuzzy_options(player));
    if !player.switch("features") {
        let evaluation = fuzzy_goals(&context, fuzzy);
        return Box::new(AlphaBeta::new(context, search, evaluation));
    }
    let games = usize::try_from(player.whole("games")).unwrap_or(1);
    let weights = FeatureWeights::Regression;
    let transfer = transfer(player);
    Box::new(Clune::new(context, CluneOptions { search, games, weights, fuzzy: Some(fuzzy), transfer }))
}

/// What the options of `flux` mean.
#[allow(clippy::cast_possible_truncation, reason = "options have few digits")]
fn fuzzy_options(player: &Player) -> FuzzyOptions {
    FuzzyOptions {
        truth: player.number("truth") as f32,
        q: player.number("norm") as f32,
        threshold: player.number("threshold") as f32,
        distances: player.switch("distances"),
    }
}
