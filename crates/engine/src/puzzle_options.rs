//! Options of the players for games with one role.

use ludex_search::{AryMaxOptions, AryUctOptions, NestedOptions, UctOptions};

use crate::options::{OptionKind, PlayerOption};
use crate::player::Player;

const LEVEL: PlayerOption = PlayerOption {
    name: "level",
    symbol: "n",
    summary: "level of nested search: a move is looked at by a search of level n - 1, or a playout",
    kind: OptionKind::Whole(1, 9),
    default: "1",
};

const BATCH: PlayerOption = PlayerOption {
    name: "batch",
    symbol: "",
    summary: "playouts side by side; 1: as published; 0: as many as suit the engine",
    kind: OptionKind::Whole(0, 1 << 16),
    default: "0",
};

const C_ONE: PlayerOption = PlayerOption {
    name: "c-one",
    symbol: "C",
    summary: "exploration constant of UCT with one role, on the scale of goals (0 to 100)",
    kind: OptionKind::Number(0.0, 10_000.0),
    default: "100",
};

const C: PlayerOption = PlayerOption {
    name: "c",
    symbol: "C",
    summary: "exploration constant of UCT with several roles",
    kind: OptionKind::Number(0.0, 10_000.0),
    default: "40",
};

/// Options of `ary-uct` and `ary-uct+t`.
pub(crate) const ARY_UCT: &[PlayerOption] = &[C_ONE, C, BATCH];

/// Options of `ary-nmc`; those of UCT are for games with several roles.
pub(crate) const ARY_NMC: &[PlayerOption] = &[LEVEL, C, BATCH];

const THREADS: PlayerOption = PlayerOption {
    name: "threads",
    symbol: "",
    summary: "1: MAX1, both searches share the time; 2: MAX2, each has a thread",
    kind: OptionKind::Whole(1, 2),
    default: "1",
};

const SHARE: PlayerOption = PlayerOption {
    name: "share",
    symbol: "",
    summary: "part of the time that UCT+T has in MAX1",
    kind: OptionKind::Number(0.0, 1.0),
    default: "0.5",
};

/// Options of `ary-max`.
pub(crate) const ARY_MAX: &[PlayerOption] = &[THREADS, SHARE, LEVEL, C_ONE, C, BATCH];

const RETURN: PlayerOption = PlayerOption {
    name: "return",
    symbol: "",
    summary: "go back from UCT to IDA* near the end",
    kind: OptionKind::Switch,
    default: "off",
};

/// Options of `ida-star`.
pub(crate) const IDA_STAR: &[PlayerOption] = &[RETURN, C];

/// Options of `cadia-2007`.
pub(crate) const CADIA_2007: &[PlayerOption] = &[C];

/// The UCT of CADIA-Player, which IDA* hands over to.
pub(crate) fn hand_over_options(player: &Player) -> UctOptions {
    UctOptions { exploration: player.number("c"), ..UctOptions::default() }
}

/// What the options of nested Monte Carlo search mean.
pub(crate) fn nested_options(player: &Player) -> NestedOptions {
    NestedOptions {
        level: u32::try_from(player.whole("level")).unwrap_or(1),
        batch: usize::try_from(player.whole("batch")).unwrap_or(0),
    }
}

/// What the options of Ary's UCT mean, with transpositions or without.
pub(crate) fn ary_uct_options(player: &Player, table: bool) -> AryUctOptions {
    AryUctOptions {
        table,
        c_one: player.number("c-one"),
        c: player.number("c"),
        batch: usize::try_from(player.whole("batch")).unwrap_or(0),
    }
}

/// What the options of MAX mean.
pub(crate) fn ary_max_options(player: &Player) -> AryMaxOptions {
    AryMaxOptions {
        threads: player.whole("threads") == 2,
        share: player.number("share"),
        uct: ary_uct_options(player, true),
        nested: nested_options(player),
    }
}
