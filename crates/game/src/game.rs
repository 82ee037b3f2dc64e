//! The contract: what every engine answers about a game, and all that players need.

use std::sync::Arc;

use crate::ids::{FactId, MoveId, RoleId};
use crate::info::{EngineInfo, GameInfo};
use crate::model::Model;
use crate::simulator::{OneByOne, Simulator, SimulatorConfig};
use crate::state::State;

/// Why an engine could not answer. A fault of the rules in play, or a limit; never a panic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A role has nothing to do in a state that is not terminal.
    #[error("the role {role} has no legal move in the state ({state})")]
    NoLegalMove {
        /// Name of the role.
        role: String,
        /// The facts of the state.
        state: String,
    },
    /// The engine would need more than it may use.
    #[error("{0}")]
    Limit(String),
    /// The caller asked with ids or a number of moves that the game does not have.
    #[error("{0}")]
    Misuse(String),
}

/// What holds in a state, apart from goals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The game is over.
    pub terminal: bool,
    /// By role: its legal moves, sorted by id. All empty in a terminal state; in others a role
    /// without moves is a fault of the rules, and the caller decides what to do.
    pub legal: Vec<Vec<MoveId>>,
}

/// What a role gets in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Exactly one value from 0 to 100.
    Value(u8),
    /// No value: a fault of the rules if the state is terminal.
    Undefined,
    /// Several values, or one that is not a number from 0 to 100: as written, sorted.
    Faulty(Vec<String>),
}

impl Goal {
    /// The value, if there is exactly one.
    pub fn value(&self) -> Option<u8> {
        match self {
            Goal::Value(value) => Some(*value),
            _ => None,
        }
    }
}

/// A game that runs.
///
/// Ids belong to the game and mean nothing to another one. Engines that do not know all facts and
/// moves beforehand assign ids on first use; ids are stable for the lifetime of the game.
pub trait Game: Send + Sync + 'static {
    /// The engine that runs the game.
    fn engine(&self) -> EngineInfo;

    /// Static facts about the game; see [`GameInfo`].
    fn info(&self) -> GameInfo {
        GameInfo::of(self)
    }

    /// Names of the roles, in the order of the rule sheet.
    fn roles(&self) -> &[String];

    /// The first state.
    fn initial(&self) -> State;

    /// Whether the game is over, and what everyone may do if not.
    fn view(&self, state: &State) -> Result<View, Failure>;

    /// The state after a joint move: one move for each role, in the order of the roles.
    ///
    /// The moves must be legal. The result for illegal moves is unspecified, but never a panic.
    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure>;

    /// What each role gets; any state may be asked for.
    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure>;

    /// A move as text, in prefix form with single blanks and lower-case: `(mark 1 2)`.
    fn move_name(&self, id: MoveId) -> String;

    /// The move with this text; letter case and blanks do not matter.
    fn find_move(&self, text: &str) -> Option<MoveId>;

    /// A fact as text, in prefix form with single blanks and lower-case.
    fn fact_name(&self, id: FactId) -> String;

    /// The fact with this text, if it can occur in a state; letter case and blanks do not matter.
    fn find_fact(&self, text: &str) -> Option<FactId>;

    /// The facts that hold in a state, sorted by id.
    fn facts(&self, state: &State) -> Vec<FactId>;

    /// The state in which exactly these facts hold.
    fn state_with(&self, facts: &[FactId]) -> State;

    /// The structure of the game, for planners and provers; see [`Model`]. None if the engine has none.
    fn model(&self) -> Option<&dyn Model> {
        None
    }

    /// Number of roles.
    fn role_count(&self) -> usize {
        self.roles().len()
    }

    /// The role with this name; letter case does not matter.
    fn find_role(&self, name: &str) -> Option<RoleId> {
        self.roles().iter().position(|r| r.eq_ignore_ascii_case(name)).map(RoleId::new)
    }

    /// The facts of a state as text, sorted.
    fn describe(&self, state: &State) -> Vec<String> {
        let mut names: Vec<_> = self.facts(state).into_iter().map(|f| self.fact_name(f)).collect();
        names.sort();
        names
    }

    /// A simulator of this game: playouts from many leaves and expansion of many states at once.
    fn simulator(self: Arc<Self>, config: SimulatorConfig) -> Box<dyn Simulator> {
        Box::new(OneByOne::new(self, config))
    }
}
