//! What is kept of a match, as JSON.
//!
//! The fields of [`MatchRecord`] are those of ggp-base's match format, so that its viewers can read
//! our records; what only Ludex knows is in [`Details`], under `ludex`. Records of others have no
//! such part and can be read all the same.
//!
//! | file | what it does |
//! |---|---|
//! | `read` | any bytes to a record, or what is wrong with them |
//! | `from_log` | what the HTTP player keeps, as a record |
//! | `report` | the search report of a move |
//! | `verify` | plays a record again and compares |
//! | `fault` | what a player did wrong |
//! | `terms` | states and moves as text |

mod fault;
mod from_log;
mod read;
mod report;
pub(crate) mod terms;
mod verify;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use fault::{PlayerFault, UnknownFault};
pub use read::{MAX_RECORD_BYTES, RecordError};
pub use report::MoveReport;
pub(crate) use verify::goal_text;
pub use verify::{RecordDifference, Verdict, verify_record};

/// A match: who played, what was done, what came of it. Times are milliseconds since 1970, clocks
/// are seconds. What is there for each role is in the order of the roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchRecord {
    /// The name that players knew it by.
    pub match_id: String,
    /// When it began.
    pub start_time: u64,
    /// Tells matches with the same id apart.
    pub random_token: String,
    /// Where the rules come from. Left out if that is no web address: programs that read records
    /// load the game from there. Ours carry the rules under `ludex`.
    #[serde(
        rename = "gameMetaURL",
        default,
        deserialize_with = "address",
        skip_serializing_if = "Option::is_none"
    )]
    pub game_meta_url: Option<String>,
    /// Whether it was played to its end.
    pub is_completed: bool,
    /// Whether it was given up.
    #[serde(default)]
    pub is_aborted: bool,
    /// All states, the first one included: `( fact fact … )`.
    pub states: Vec<String>,
    /// The joint moves between them.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached.
    pub state_times: Vec<u64>,
    /// For each state, by role: what went wrong on the way to it, as a [`PlayerFault`] is written,
    /// or nothing. For the first state: at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Vec<String>>,
    /// What each role got; empty if there was no end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal_values: Vec<u8>,
    /// Seconds to get ready.
    #[serde(serialize_with = "clock")]
    pub start_clock: f64,
    /// Seconds for each move.
    #[serde(serialize_with = "clock")]
    pub play_clock: f64,
    /// Seconds to look at the rules before the start; -1: there was no preview.
    #[serde(serialize_with = "clock", default = "no_preview")]
    pub preview_clock: f64,
    /// Who played each role.
    #[serde(default)]
    pub player_names_from_host: Vec<String>,
    /// Whether a person played it.
    #[serde(default)]
    pub is_player_human: Vec<bool>,
    /// Which tournament the match belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_name_from_host: Option<String>,
    /// Whether players saw other words than this record has.
    #[serde(default)]
    pub scrambled: bool,
    /// What only Ludex writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ludex: Option<Details>,
}

/// What Ludex keeps of a match beyond ggp-base's format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// Version of Ludex.
    pub version: String,
    /// Name of the game.
    pub game: String,
    /// The rule sheet as written.
    pub rules: String,
    /// Names of the roles.
    pub roles: Vec<String>,
    /// Who played them, with all settings.
    pub players: Vec<PlayerDetails>,
    /// Which engine ran the game for the referee and its built-in players.
    pub engine: String,
    /// Decides everything that is random.
    pub seed: u64,
    /// Playouts for each move of built-in players, instead of clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// Whether players were seated by the seed.
    #[serde(default)]
    pub shuffled: bool,
    /// Whether built-in players thought while others were to move.
    #[serde(default)]
    pub pondering: bool,
    /// Threads of each built-in player.
    pub threads: usize,
    /// New and old words, if the rules were scrambled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<(String, String)>,
    /// How the match ended.
    pub end: End,
    /// Which engine the goals come from: the reference, unless the game was too much for it.
    #[serde(default)]
    pub goals_from: String,
    /// When it ended.
    pub finish_time: u64,
    /// For each joint move, by role: what the player thought, if it says so.
    #[serde(default)]
    pub thinking: Vec<Vec<Option<MoveReport>>>,
}

/// A player as it took part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerDetails {
    /// As people write it.
    pub spec: String,
    /// All its options, also those that nobody set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "reason", rename_all = "kebab-case")]
pub enum End {
    /// By the rules.
    Finished,
    /// After as many steps as were allowed.
    StepLimit,
    /// Somebody wanted an end.
    Aborted,
    /// The person who played this role gave the match up.
    Resigned(String),
    /// The rules are at fault, or the engine: why it could not go on.
    Fault(String),
}

impl MatchRecord {
    /// As JSON, on one line.
    pub fn to_json(&self) -> String {
        // Nothing in it can fail: keys are texts, numbers are finite or become null.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The same without everything that two runs with one seed may differ in: times, and the names
    /// that tell them apart.
    pub fn without_times(&self) -> Self {
        let mut record = self.clone();
        record.match_id.clear();
        record.random_token.clear();
        record.start_time = 0;
        record.state_times.fill(0);
        if let Some(details) = &mut record.ludex {
            details.finish_time = 0;
            for report in details.thinking.iter_mut().flatten().flatten() {
                report.seconds = 0.0;
            }
        }
        record
    }

    /// The facts of a state, sorted; none if there is no such state.
    pub fn facts(&self, state: usize) -> Option<Vec<String>> {
        terms::facts(self.states.get(state)?)
    }

    /// Names of the roles; made up if the record does not say them.
    pub fn role_names(&self) -> Vec<String> {
        match &self.ludex {
            Some(details) => details.roles.clone(),
            None => {
                let count = self.moves.first().map_or(self.goal_values.len(), Vec::len);
                (1..=count).map(|number| format!("role {number}")).collect()
            }
        }
    }

    /// How long the match took, in seconds.
    pub fn seconds(&self) -> f64 {
        let last = self.state_times.last().copied().unwrap_or(self.start_time);
        let end = self.ludex.as_ref().map_or(last, |details| details.finish_time);
        end.saturating_sub(self.start_time) as f64 / 1000.0
    }

    /// Number of joint moves.
    pub fn steps(&self) -> usize {
        self.moves.len()
    }

    /// How often something went wrong with a player.
    pub fn error_count(&self) -> usize {
        self.errors.iter().flatten().filter(|error| !error.is_empty()).count()
    }

    /// What went wrong: state, role, fault.
    pub fn faults(&self) -> impl Iterator<Item = (usize, usize, PlayerFault)> {
        let rows = self.errors.iter().enumerate();
        rows.flat_map(|(state, row)| {
            let written = row.iter().enumerate();
            written.filter_map(move |(role, error)| Some((state, role, error.parse().ok()?)))
        })
    }
}

/// An address that is not empty.
fn address<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.filter(|address| !address.is_empty()))
}

fn no_preview() -> f64 {
    -1.0
}

/// Whole seconds are whole numbers: others read nothing else.
fn clock<S: serde::Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if seconds.fract() == 0.0 && seconds.abs() < 1e9 {
        #[allow(clippy::cast_possible_truncation, reason = "whole and small")]
        serializer.serialize_i64(*seconds as i64)
    } else {
        serializer.serialize_f64(*seconds)
    }
}
