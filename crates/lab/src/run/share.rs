//! A player that uses only part of its time or playouts, where players get different amounts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_arena::{Participant, ParticipantError};
use ludex_game::{Failure, State};
use ludex_search::{Budget, Search, SearchReport, SearchTimes, StopReason};

use crate::experiment::PlayerEntry;

/// A player as records have it: `cadia-uct`, or `cadia-uct@0.5` with half of what others get.
pub(crate) fn spec_text(player: &PlayerEntry) -> String {
    if player.share < 1.0 { format!("{}@{}", player.spec, player.share) } else { player.spec.clone() }
}

/// Somebody to take a seat.
pub(crate) fn participant(player: &PlayerEntry) -> Result<Participant, ParticipantError> {
    let share = player.share;
    match player.spec.parse()? {
        Participant::BuiltIn(built_in) if share < 1.0 => Ok(Participant::Own {
            name: spec_text(player),
            make: Arc::new(move |context| Box::new(Sharing { search: built_in.search(context), share })),
        }),
        other => Ok(other),
    }
}

/// A search that gives the rest of its budget away.
struct Sharing {
    search: Box<dyn Search>,
    share: f64,
}

impl Search for Sharing {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.search.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let now = Instant::now();
        let deadline = budget.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(now);
            now + Duration::from_secs_f64(left.as_secs_f64() * self.share)
        });
        let playouts = budget.playouts.map(|playouts| part(playouts, self.share));
        self.search.think(&Budget { deadline, playouts, ..budget.clone() })
    }

    fn report(&self) -> SearchReport {
        self.search.report()
    }

    fn times(&self) -> SearchTimes {
        self.search.times()
    }
}

/// A share of some playouts; at least one, for a player that may not think cannot move.
fn part(playouts: u64, share: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not more than it was")]
    let part = (playouts as f64 * share).round() as u64;
    part.clamp(1, playouts.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_at_least_one_playout() {
        assert_eq!(part(1000, 0.25), 250);
        assert_eq!(part(3, 0.01), 1);
        assert_eq!(part(5, 1.0), 5);
    }

    #[test]
    fn records_say_the_share() {
        let player = |share| PlayerEntry { name: "a".to_owned(), spec: "cadia-uct:k=3".to_owned(), share };
        assert_eq!(spec_text(&player(0.5)), "cadia-uct:k=3@0.5");
        assert_eq!(spec_text(&player(1.0)), "cadia-uct:k=3");
    }
}
