//! Options of the players of the minimax family.

use ludex_search::{AlphaBetaOptions, CurrentGoals, Evaluation, Neutral, SearchContext, Simultaneous};

use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;

pub(crate) const SIMULTANEOUS: PlayerOption = PlayerOption {
    name: "simultaneous",
    symbol: "",
    summary: "moves at once: the others know the own move, or the matrix game of two players",
    kind: OptionKind::Word(&["pessimistic", "matrix"]),
    default: "pessimistic",
};

pub(crate) const TABLE: PlayerOption = PlayerOption {
    name: "table",
    symbol: "",
    summary: "transposition table, as large as memory allows",
    kind: OptionKind::Switch,
    default: "on",
};

pub(crate) const PVS: PlayerOption = PlayerOption {
    name: "pvs",
    symbol: "",
    summary: "principal variation search: null windows after the first move",
    kind: OptionKind::Switch,
    default: "on",
};

pub(crate) const HISTORY: PlayerOption = PlayerOption {
    name: "history",
    symbol: "",
    summary: "order moves by killers and history",
    kind: OptionKind::Switch,
    default: "on",
};

pub(crate) const WINDOW: PlayerOption = PlayerOption {
    name: "window",
    symbol: "",
    summary: "half width of the aspiration window, in goal points; 0: the whole range",
    kind: OptionKind::Number(0.0, 100.0),
    default: "8",
};

pub(crate) const FULL_WIDTH: PlayerOption = PlayerOption {
    name: "full-width",
    symbol: "",
    summary: "last steps in batches at full width: 0 to 4; auto: as many as fill the lanes",
    kind: OptionKind::Word(&["auto", "0", "1", "2", "3", "4"]),
    default: "auto",
};

const EVALUATION: PlayerOption = PlayerOption {
    name: "evaluation",
    symbol: "",
    summary: "value at the horizon: the middle of a role's goals, or the goals that hold there",
    kind: OptionKind::Word(&["neutral", "goals"]),
    default: "neutral",
};

/// Options of `alphabeta`.
pub(crate) const ALPHA_BETA: &[PlayerOption] =
    &[EVALUATION, TABLE, PVS, HISTORY, WINDOW, FULL_WIDTH, SIMULTANEOUS];

/// Options of `paranoid`: the same, plain by default.
pub(crate) const PARANOID: &[PlayerOption] = &[
    EVALUATION,
    TABLE,
    PlayerOption { default: "off", ..PVS },
    PlayerOption { default: "off", ..HISTORY },
    PlayerOption { default: "0", ..WINDOW },
    FULL_WIDTH,
    SIMULTANEOUS,
];

/// Options of `minimax`.
pub(crate) const MINIMAX: &[PlayerOption] = &[EVALUATION, SIMULTANEOUS];

/// Options of `maxn`.
pub(crate) const MAXN: &[PlayerOption] = &[EVALUATION];

/// The evaluation that a player's options name.
pub(crate) fn evaluation(player: &Player, context: &SearchContext) -> Box<dyn Evaluation> {
    match player.word("evaluation") {
        "goals" => Box::new(CurrentGoals::new(&context.game)),
        _ => Box::new(Neutral::new(&*context.game)),
    }
}

/// What the options of alpha-beta mean.
pub(crate) fn alpha_beta_options(player: &Player) -> AlphaBetaOptions {
    #[allow(clippy::cast_possible_truncation, reason = "at most 100")]
    let window = player.number("window") as f32;
    AlphaBetaOptions {
        table: player.switch("table"),
        pvs: player.switch("pvs"),
        history: player.switch("history"),
        window,
        full_width: player.word("full-width").parse().ok(),
        simultaneous: simultaneous(player),
    }
}

/// How simultaneous moves are valued.
pub(crate) fn simultaneous(player: &Player) -> Simultaneous {
    match player.word("simultaneous") {
        "matrix" => Simultaneous::Matrix,
        _ => Simultaneous::Pessimistic,
    }
}
