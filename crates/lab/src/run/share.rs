//! From an entry of an experiment to a player: its spec, the options of the setting, its share of
//! the time or playouts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_arena::{Participant, ParticipantError};
use ludex_engine::{PLAYERS, PlayerError, Spec, SpecError};
use ludex_game::{Failure, State};
use ludex_search::{Budget, Search, SearchReport, SearchTimes, StopReason};

use crate::experiment::{PlayerEntry, Setting};

/// A player as records have it: `cadia-uct`, or `cadia-uct@0.5` with half of what others get.
pub(crate) fn spec_text(player: &PlayerEntry) -> String {
    if player.share < 1.0 { format!("{}@{}", player.spec, player.share) } else { player.spec.clone() }
}

/// The options of a setting, as a spec without a name.
pub(crate) fn options_of(setting: &Setting) -> Result<Vec<(String, String)>, SpecError> {
    Ok(format!("options:{}", setting.options).parse::<Spec>()?.options)
}

/// Whether a player of the table takes an option.
pub(crate) fn takes(player: &PlayerEntry, option: &str) -> bool {
    let Ok(spec) = player.spec.parse::<Spec>() else { return false };
    let kind = PLAYERS.iter().find(|kind| kind.name == spec.name);
    kind.is_some_and(|kind| kind.options.iter().any(|known| known.name == option))
}

/// The spec of a player under a setting: with those options of the setting that the player has and
/// does not set itself.
pub(crate) fn spec_under(player: &PlayerEntry, setting: &Setting) -> Result<String, SpecError> {
    if setting.options.trim().is_empty() || player.spec.contains("://") {
        return Ok(player.spec.clone());
    }
    let mut spec: Spec = player.spec.parse()?;
    for (name, value) in options_of(setting)? {
        if takes(player, &name) && !spec.options.iter().any(|(known, _)| *known == name) {
            spec.options.push((name, value));
        }
    }
    Ok(spec.to_string())
}

/// Somebody to take a seat under a setting.
pub(crate) fn participant(player: &PlayerEntry, setting: &Setting) -> Result<Participant, ParticipantError> {
    let share = player.share;
    let player =
        PlayerEntry { spec: spec_under(player, setting).map_err(PlayerError::from)?, ..player.clone() };
    match player.spec.parse()? {
        Participant::BuiltIn(built_in) if share < 1.0 => Ok(Participant::Own {
            name: spec_text(&player),
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

    /// The options of a setting reach the players that have them; their own go before.
    #[test]
    fn a_setting_has_options_for_its_players() {
        let under = |spec: &str| {
            let player = PlayerEntry { name: "a".to_owned(), spec: spec.to_owned(), share: 1.0 };
            let options = "batch=1, playouts=1,each=2".to_owned();
            let setting = Setting {
                name: "s".to_owned(),
                start: None,
                play: None,
                playouts: Some(5),
                threads: 1,
                options,
                published: None,
                scores: Default::default(),
                without: Vec::new(),
            };
            spec_under(&player, &setting).unwrap()
        };
        assert_eq!(under("cadia-uct"), "cadia-uct:batch=1,playouts=1");
        assert_eq!(under("cadia-uct:batch=8"), "cadia-uct:batch=8,playouts=1");
        assert_eq!(under("mc"), "mc:each=2");
        assert_eq!(under("random"), "random");
        assert_eq!(under("http://localhost:9147"), "http://localhost:9147");
    }

    #[test]
    fn records_say_the_share() {
        let player = |share| PlayerEntry { name: "a".to_owned(), spec: "cadia-uct:k=3".to_owned(), share };
        assert_eq!(spec_text(&player(0.5)), "cadia-uct:k=3@0.5");
        assert_eq!(spec_text(&player(1.0)), "cadia-uct:k=3");
    }
}
