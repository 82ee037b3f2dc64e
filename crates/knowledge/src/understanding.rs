//! Everything that is understood of a game, in one place.

use ludex_game::{Failure, Game};
use serde::Serialize;

use crate::constant_sum::constant_sum;
use crate::estimates::{Estimates, estimates};
use crate::facts::Facts;
use crate::goal_rules::{GoalRule, goal_rules};
use crate::pieces::{Kind, kinds};
use crate::random_play::{PlayLimits, PlayedGame, random_games};
use crate::shapes::{Role, Shape, shapes};
use crate::successions::{Succession, successions};
use crate::symmetry::{Symmetry, symmetries};
use crate::turns::{Turns, turns};

/// What the rules and random play show of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Understanding {
    /// Names of the roles.
    pub roles: Vec<String>,
    /// Who moves when.
    pub turns: Turns,
    /// The variable that says whose turn it is.
    pub control: Option<String>,
    /// What the goals of two players add up to, if that is always the same (proved).
    pub constant_sum: Option<u32>,
    /// Whether the rules were grounded; without, less is found.
    pub ground: bool,
    /// Successor relations and orders.
    pub successions: Vec<Succession>,
    /// What each fluent is.
    pub shapes: Vec<Shape>,
    /// What lies on boards.
    pub kinds: Vec<Kind>,
    /// Symmetries of the largest board.
    pub symmetries: Vec<Symmetry>,
    /// Sizes.
    pub estimates: Estimates,
    /// Goals in words.
    pub goals: Vec<GoalRule>,
    /// The facts behind all this.
    #[serde(skip)]
    pub facts: Facts,
    /// The random games that confirmed it.
    #[serde(skip)]
    pub games: Vec<PlayedGame>,
}

impl Understanding {
    /// Studies a game: reads its model and plays at random. Equal limits give equal results.
    pub fn of(game: &dyn Game, limits: &PlayLimits) -> Result<Self, Failure> {
        Self::with_games(game, random_games(game, limits, &mut || true)?)
    }

    /// The same with games that were played already.
    pub fn with_games(game: &dyn Game, games: Vec<PlayedGame>) -> Result<Self, Failure> {
        let model = game.model();
        let statics = model.and_then(|model| model.statics());
        let mut facts = Facts::new(game, &games);
        let successions = successions(statics, &mut facts);
        let shapes = shapes(&facts, statics, &successions, &games);
        let kinds = kinds(&facts, &shapes, game.roles(), &games);
        let (turns, control) = turns(game.roles(), &facts, &shapes, &games);
        let symmetries = symmetries(game, &facts, &shapes, &games)?;
        Ok(Self {
            roles: game.roles().to_vec(),
            turns,
            control,
            constant_sum: constant_sum(game),
            ground: model.is_some_and(|model| model.ground().is_some()),
            symmetries,
            estimates: estimates(game, &games),
            goals: model.map_or_else(Vec::new, |model| goal_rules(model.rules())),
            successions,
            shapes,
            kinds,
            facts,
            games,
        })
    }

    /// The shapes with this role.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Shape> {
        self.shapes.iter().filter(move |shape| shape.role == role)
    }

    /// Whether there is any structure to speak of: boards, counters, quantities or orders.
    pub fn has_structure(&self) -> bool {
        let of_shape = |shape: &Shape| matches!(shape.role, Role::Board | Role::StepCounter | Role::Quantity);
        !self.successions.is_empty() || self.shapes.iter().any(of_shape)
    }
}
