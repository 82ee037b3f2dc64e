//! Models of games for those who look inside: see [`ludex_game::model`].
//!
//! Nothing is built before someone asks. Until then a game keeps its rules and, if it runs a
//! circuit, the gates: 0.55 MB for chess (22,447 nodes), 0.03 MB for breakthrough. The first question
//! for the ground model took 3 % to 14 % of set-up with `batch` in chess, breakthrough, amazons and
//! checkers. `circuit` looks for mutex groups only then: 13 % to 64 % of its shorter set-up.
//!
//! | file | from | to |
//! |---|---|---|
//! | `lifted` | checked rules | [`LiftedRules`] |
//! | `statics` | grounding of what never changes | [`Statics`] |
//! | `ground` | the kept gates of a circuit | [`GroundModel`] |

mod ground;
mod lifted;
mod statics;

use std::sync::{Arc, OnceLock};

use ludex_game::model::{GroundModel, LiftedRules, Model, Statics};
use ludex_gdl::Rules;

pub(crate) use ground::{Kept, Named};
use lifted::Lifted;

/// The rules of a game, and the parts of its model that need no circuit.
#[derive(Debug)]
pub(crate) struct SheetModel {
    pub rules: Arc<Rules>,
    lifted: OnceLock<Lifted>,
    statics: OnceLock<Option<Statics>>,
}

impl SheetModel {
    pub(crate) fn new(rules: Arc<Rules>) -> Self {
        Self { rules, lifted: OnceLock::new(), statics: OnceLock::new() }
    }

    fn lifted(&self) -> &Lifted {
        self.lifted.get_or_init(|| Lifted::new(&self.rules))
    }

    /// The ground model of a circuit of these rules; none if it does not fit them.
    pub(crate) fn ground(&self, kept: &Kept, named: &Named<'_>) -> Option<GroundModel> {
        let lifted = self.lifted();
        GroundModel::new(ground::parts(kept, named, lifted)?, &lifted.rules).ok()
    }
}

impl Model for SheetModel {
    fn rules(&self) -> &LiftedRules {
        &self.lifted().rules
    }

    fn statics(&self) -> Option<&Statics> {
        self.statics.get_or_init(|| statics::statics(&self.rules, self.lifted())).as_ref()
    }

    fn ground(&self) -> Option<&GroundModel> {
        None
    }
}
