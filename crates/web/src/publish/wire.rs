//! The messages between a process that publishes and the page.

use ludex_arena::{End, MatchRecord, MoveReport};
use serde::{Deserialize, Serialize};

/// The answer to a first message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    pub(crate) id: String,
    /// Needed for all further messages about it.
    pub(crate) key: String,
}

/// A match is to be shown: its record without states and moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewMatch {
    pub(crate) record: MatchRecord,
}

/// What happened in a match.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MatchNews {
    pub(crate) key: String,
    /// After so many joint moves come these; later ones that the page knows were taken back.
    pub(crate) from: usize,
    pub(crate) moves: Vec<Vec<String>>,
    /// By move and role: what went wrong.
    #[serde(default)]
    pub(crate) errors: Vec<Vec<String>>,
    /// By move and role: what players thought.
    #[serde(default)]
    pub(crate) thinking: Vec<Vec<Option<MoveReport>>>,
    /// Who is asked now.
    #[serde(default)]
    pub(crate) asked: Option<Asked>,
    /// How it ended.
    #[serde(default)]
    pub(crate) ended: Option<Ended>,
}

/// Who is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// By role.
    pub(crate) thinking: Vec<bool>,
    /// Seconds that are left.
    #[serde(default)]
    pub(crate) left: Option<f64>,
}

/// The end of a match.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) goals: Vec<u8>,
    pub(crate) end: End,
}

/// How many joint moves the page has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Known {
    pub(crate) steps: usize,
}

/// How far a run of the lab is: sent as a whole each time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunState {
    pub(crate) title: String,
    /// Matches or measurements in all, and those that are there.
    pub(crate) total: u64,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    /// Since it began.
    pub(crate) seconds: f64,
    pub(crate) over: bool,
    /// What went wrong with the run as a whole.
    #[serde(default)]
    pub(crate) problem: Option<String>,
    /// The table so far.
    #[serde(default)]
    pub(crate) cells: Vec<RunCell>,
    /// The last results in words, the newest first.
    #[serde(default)]
    pub(crate) last: Vec<String>,
}

/// A place in the table of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCell {
    pub(crate) setting: String,
    pub(crate) game: String,
    pub(crate) player: String,
    pub(crate) opponent: String,
    pub(crate) matches: u64,
    pub(crate) points: f64,
}

/// A run, with its key after the first message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RunNews {
    #[serde(default)]
    pub(crate) key: String,
    pub(crate) run: RunState,
}
