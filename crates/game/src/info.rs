//! Static facts about a game and its engine, for reports and for players that adapt to them.

use crate::game::Game;
use crate::model::Model;

/// The engine that runs a game, with figures for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineInfo {
    /// Short name, as options and reports spell it.
    pub name: &'static str,
    /// States that are handled at once.
    pub lanes: usize,
    /// Whether machine code was emitted for this game.
    pub compiled: bool,
    /// Instruction set that is used at most: `plain`, or the name of vector instructions.
    pub instructions: &'static str,
}

impl EngineInfo {
    /// An engine that handles one state at a time, without machine code.
    pub fn scalar(name: &'static str) -> Self {
        Self { name, lanes: 1, compiled: false, instructions: "plain" }
    }
}

/// What a role is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleKind {
    /// Chooses its moves and wants a high goal.
    Player,
    /// The role `random` of GDL-II: its moves are uniformly random, its goal means nothing.
    Chance,
}

impl RoleKind {
    /// The kind of a role with this name; letter case does not matter.
    pub fn of(name: &str) -> Self {
        if name.eq_ignore_ascii_case("random") { Self::Chance } else { Self::Player }
    }
}

/// Who sees what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observability {
    /// Every role sees the state and all moves (GDL).
    Full,
    /// The sheet has `sees` rules: roles see their percepts only (GDL-II).
    Partial,
}

/// Static facts about a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// By role.
    pub roles: Vec<RoleKind>,
    /// Whether several players have a choice in the same state: true if the initial state shows
    /// it, false with a single player, unknown otherwise.
    pub simultaneous: Option<bool>,
    /// Who sees what; unknown if the engine does not show its rules.
    pub observability: Option<Observability>,
    /// The engine.
    pub engine: EngineInfo,
}

impl GameInfo {
    /// Reads the facts off a game. Looks at the initial state, so it is not for inner loops.
    pub fn of<G: Game + ?Sized>(game: &G) -> Self {
        let roles: Vec<RoleKind> = game.roles().iter().map(|name| RoleKind::of(name)).collect();
        let is_player = |role: usize| roles[role] == RoleKind::Player;
        let players = (0..roles.len()).filter(|&role| is_player(role)).count();
        let choosing = || {
            let view = game.view(&game.initial()).ok()?;
            let several = |(role, legal): (usize, &Vec<_>)| is_player(role) && legal.len() > 1;
            Some(view.legal.iter().enumerate().filter(|&at| several(at)).count())
        };
        let simultaneous = match players {
            0 | 1 => Some(false),
            _ => choosing().filter(|&count| count > 1).map(|_| true),
        };
        let observability = game.model().map(observability);
        Self { simultaneous, observability, engine: game.engine(), roles }
    }
}

fn observability(model: &dyn Model) -> Observability {
    let rules = model.rules();
    match rules.relation("sees", 2) {
        Some(_) => Observability::Partial,
        None => Observability::Full,
    }
}
