//! What is played for a role: its own move if that is legal, or else one that is drawn.

use ludex_game::{Game, MoveId};

use super::person::PersonAnswer;
use super::table::{Outcome, Said};
use super::words::Words;
use crate::protocol::{Kind, Reply};
use crate::record::{MoveReport, PlayerFault};

/// What is played for a role in a step.
pub(crate) struct PlayedMove {
    pub(crate) id: MoveId,
    pub(crate) name: String,
    pub(crate) report: Option<MoveReport>,
    pub(crate) fault: Option<PlayerFault>,
}

impl PlayedMove {
    /// A move that nobody says anything about.
    pub(crate) fn plain(game: &dyn Game, id: MoveId) -> Self {
        Self { id, name: game.move_name(id), report: None, fault: None }
    }
}

/// Where random moves come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    /// A random legal move of a role in a step: it does not matter who else needed one, or when.
    /// Drawn in the order of names, since numbers are the engine's own.
    pub(crate) fn draw(self, game: &dyn Game, legal: &[MoveId], step: usize, role: usize) -> MoveId {
        if let [only] = legal {
            return *only;
        }
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let place = (step as u64) << 16 | role as u64;
        let mut random = fastrand::Rng::with_seed(self.0 ^ place.wrapping_mul(ODD));
        let mut named: Vec<(String, MoveId)> = legal.iter().map(|&id| (game.move_name(id), id)).collect();
        named.sort();
        named[random.usize(..named.len())].1
    }
}

/// What is played for an answer, if it is a legal move.
pub(crate) fn judged(
    game: &dyn Game,
    words: Option<&Words>,
    role: usize,
    legal: &[MoveId],
    outcome: &Outcome,
) -> Result<PlayedMove, PlayerFault> {
    match outcome.said.as_ref().map_err(PlayerFault::clone)? {
        Said::Report(report) => match report.best {
            Some(id) if legal.contains(&id) => {
                let named = report.named(usize::MAX, |id| game.move_name(id));
                let report = MoveReport::new(named, role, outcome.took);
                Ok(PlayedMove { id, name: report.chosen.clone(), report: Some(report), fault: None })
            }
            Some(id) => Err(PlayerFault::illegal(&game.move_name(id))),
            None => Err(PlayerFault::illegal("no move")),
        },
        Said::Person(answer) => {
            let text = match answer {
                PersonAnswer::Move(text) => text.as_str(),
                PersonAnswer::TakeBack(_) | PersonAnswer::Resign => "no move",
            };
            let id = game.find_move(text).filter(|id| legal.contains(id));
            id.map(|id| PlayedMove::plain(game, id)).ok_or_else(|| PlayerFault::illegal(text))
        }
        Said::Text(text) => {
            let heard = match Reply::parse(text.as_bytes(), Kind::Play) {
                Ok(Reply::Move(term)) => Some(words.map_or(term.clone(), |words| words.heard(&term))),
                _ => None,
            };
            let id = heard.and_then(|term| game.find_move(&term)).filter(|id| legal.contains(id));
            id.map(|id| PlayedMove::plain(game, id)).ok_or_else(|| PlayerFault::illegal(text))
        }
    }
}
