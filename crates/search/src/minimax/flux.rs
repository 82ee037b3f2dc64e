//! The evaluation of `flux`: how nearly goals hold, by fuzzy logic.
//!
//! After Fluxplayer (Schiffel and Thielscher, AAAI 2007; Finnsson 2007, section 3.5.2). The formulas
//! are those of [`ludex_knowledge::Fuzzy`]; the search is alpha-beta with table and history heuristic.
//! With two or more players, a position is worth 50 + 50 · (h − mean of the others' h) to a player:
//! in games where one wins what the other loses, what is near for one is far for the other.

use ludex_game::Failure;
use ludex_knowledge::{Fuzzy, FuzzyOptions, FuzzyScratch, PlayLimits, Understanding};

use super::evaluation::{Evaluation, Neutral, Positions};
use crate::search::SearchContext;
use crate::utility::is_chance;

/// Steps of random play before the first move: structures need few.
const STEPS: usize = 3_000;

/// Values are guesses: they stay off the ends of the range.
const MARGIN: f32 = 1.0;

/// Goals by fuzzy logic, as an evaluation.
struct FuzzyGoals {
    fuzzy: Fuzzy,
    /// By role: whether it is a player.
    players: Vec<bool>,
    scratch: FuzzyScratch,
    values: Vec<f32>,
}

/// The evaluation of `flux` for a game; the neutral one if its rules are not grounded.
pub fn fuzzy_goals(context: &SearchContext, options: FuzzyOptions) -> Box<dyn Evaluation> {
    let limits = PlayLimits { steps: STEPS, seed: context.seed, ..PlayLimits::default() };
    let understood = Understanding::of(&*context.game, &limits).ok();
    let fuzzy = understood.and_then(|understood| Fuzzy::new(&context.game, &understood, options));
    match fuzzy {
        Some(fuzzy) => Box::new(FuzzyGoals {
            fuzzy,
            players: context.game.roles().iter().map(|name| !is_chance(name)).collect(),
            scratch: FuzzyScratch::default(),
            values: vec![0.0; context.game.role_count()],
        }),
        None => Box::new(Neutral::new(&*context.game)),
    }
}

impl Evaluation for FuzzyGoals {
    fn evaluate(&mut self, positions: &Positions<'_>, values: &mut [f32]) -> Result<(), Failure> {
        let roles = positions.roles();
        #[allow(clippy::cast_precision_loss, reason = "few roles")]
        let count = self.players.iter().filter(|&&player| player).count() as f32;
        for (&words, values) in positions.states().iter().zip(values.chunks_mut(roles.max(1))) {
            self.fuzzy.evaluate(words, &mut self.scratch, &mut self.values);
            let players = self.values.iter().zip(&self.players).filter(|(_, is)| **is);
            let sum: f32 = players.map(|(value, _)| value).sum();
            for (value, own) in values.iter_mut().zip(&self.values) {
                let guess = match count > 1.0 {
                    true => 50.0 + 50.0 * (own - (sum - own) / (count - 1.0)),
                    false => 100.0 * own,
                };
                *value = guess.clamp(MARGIN, 100.0 - MARGIN);
            }
        }
        Ok(())
    }
}
