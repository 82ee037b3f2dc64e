//! How strong the machine plays, in plain words.
//!
//! The weaker ones are the strongest player with few playouts per move: they make human mistakes
//! rather than absurd ones, and what they play does not depend on the speed of the machine.

use std::sync::Arc;

use ludex_arena::{MakeSearch, Participant};
use ludex_engine::{DEFAULT_PLAYER, Player, PlayerError};
use ludex_game::{Failure, State};
use ludex_search::{Budget, Search, SearchReport, SearchTimes, StopReason};
use serde::{Deserialize, Serialize};

/// A strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Strength {
    /// Any legal move.
    Random,
    /// Sees what is next.
    Easy,
    /// A good opponent.
    Medium,
    /// Thinks as long as it may.
    Strong,
}

impl Strength {
    /// Playouts per move, if they are limited.
    fn playouts(self) -> Option<u64> {
        match self {
            Strength::Random | Strength::Strong => None,
            Strength::Easy => Some(40),
            Strength::Medium => Some(1000),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Strength::Random => "random",
            Strength::Easy => "easy",
            Strength::Medium => "medium",
            Strength::Strong => "strong",
        }
    }

    /// Who plays like that.
    pub(crate) fn participant(self) -> Result<Participant, PlayerError> {
        let player = match self {
            Strength::Random => Player::new("random")?,
            _ => Player::new(DEFAULT_PLAYER)?,
        };
        let Some(playouts) = self.playouts() else { return Ok(Participant::BuiltIn(player)) };
        let make: MakeSearch =
            Arc::new(move |context| Box::new(Limited { search: player.search(context), playouts }));
        Ok(Participant::Own { name: self.name().to_owned(), make })
    }
}

/// A search that never runs more playouts for a move, however much time there is.
struct Limited {
    search: Box<dyn Search>,
    playouts: u64,
}

impl Search for Limited {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.search.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let done = self.search.report().playouts;
        let left = self.playouts.saturating_sub(done);
        if left == 0 {
            return Ok(StopReason::Finished);
        }
        let playouts = Some(budget.playouts.map_or(left, |most| most.min(left)));
        self.search.think(&Budget { playouts, ..budget.clone() })
    }

    fn report(&self) -> SearchReport {
        self.search.report()
    }

    fn times(&self) -> SearchTimes {
        self.search.times()
    }
}
