//! An experiment as its file says it: which games, which players, who meets whom, for how long, how
//! often.
//!
//! Every experiment has two forms: a quick one that takes minutes, and the full one of the paper.
//!
//! | file | what it does |
//! |---|---|
//! | `read` | any text to an experiment, or what is wrong with it and in which line |
//! | `check` | what a file may say and still make no sense |
//! | `problem` | the words for it |
//! | `place` | which line something stands in |

mod check;
mod place;
mod problem;
mod read;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use problem::{ExperimentError, Problem};
pub use read::ExperimentFile;

/// What is asked, and how the answer is laid out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// For people, in one line.
    pub title: String,
    /// Where the question comes from: authors, year, table.
    pub source: Option<String>,
    /// What is measured.
    #[serde(default)]
    pub measure: Measure,
    /// Built-in games, or paths of sheets relative to the file.
    pub games: Vec<String>,
    /// Who takes part.
    #[serde(default)]
    pub players: Vec<PlayerEntry>,
    /// Engines of ours, for comparisons of reasoners.
    #[serde(default)]
    pub engines: Vec<String>,
    /// Engines of others, run as processes.
    #[serde(default)]
    pub external: Vec<ExternalEngine>,
    /// Who meets whom.
    #[serde(default)]
    pub pairing: Pairing,
    /// How the table looks.
    #[serde(default)]
    pub layout: Layout,
    /// What the columns of a grid are.
    #[serde(default)]
    pub columns: Columns,
    /// For scores: games of which a table shows how often each score was reached.
    #[serde(default)]
    pub histograms: Vec<String>,
    /// Minutes.
    pub quick: Form,
    /// As published.
    pub full: Option<Form>,
}

/// Which form of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    /// Minutes.
    Quick,
    /// As published.
    Full,
}

impl fmt::Display for FormName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FormName::Quick => "quick",
            FormName::Full => "full",
        })
    }
}

impl Experiment {
    /// One of its forms, if it has it.
    pub fn form(&self, name: FormName) -> Option<&Form> {
        match name {
            FormName::Quick => Some(&self.quick),
            FormName::Full => self.full.as_ref(),
        }
    }

    /// The player that tables call so.
    pub fn player(&self, name: &str) -> Option<&PlayerEntry> {
        self.players.iter().find(|player| player.name == name)
    }

    /// The games of a form: those it names, or all.
    pub fn games_of<'a>(&'a self, form: &'a Form) -> &'a [String] {
        if form.games.is_empty() { &self.games } else { &form.games }
    }

    /// Those of them that are played under a setting.
    pub fn games_under<'a>(
        &'a self,
        form: &'a Form,
        setting: &'a Setting,
    ) -> impl Iterator<Item = &'a String> {
        self.games_of(form).iter().filter(|game| !setting.leaves_out(game))
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Who wins.
    #[default]
    Wins,
    /// How many states per second players visit while they think in matches.
    Rates,
    /// How many states per second engines visit, at random and in minimax search of a fixed depth.
    Reasoners,
    /// Single-player games: how good is what is found in 0.1, 0.2, 0.4 … seconds, or 64, 128 …
    /// playouts.
    Scores,
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerEntry {
    /// What tables call it.
    pub name: String,
    /// A player of the table, with options; or `http://host:port`.
    pub spec: String,
    /// How much of the time or the playouts it uses, where players get different amounts.
    #[serde(default = "all")]
    pub share: f64,
}

fn all() -> f64 {
    1.0
}

/// An external engine, run by the gdl-perf contract: the command gets the file of the
/// rules, the file for the result, and the seconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalEngine {
    /// What tables call it.
    pub name: String,
    /// The program and its first arguments.
    pub command: Vec<String>,
}

/// Who meets whom. Each seat is taken equally often: with three and more roles all ways to seat two
/// players are played, but those where one of them has every seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Everybody meets everybody.
    #[default]
    AllPairs,
    /// Everybody meets this one.
    Against(String),
    /// These, by name.
    Pairs(Vec<[String; 2]>),
}

/// How the table looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A row for each game; a table for each setting.
    #[default]
    Grid,
    /// Players against players, with the average of each row; a table for each game and setting.
    Cross,
}

/// What the columns of a grid are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Columns {
    /// Pairs of players.
    #[default]
    Players,
    /// Settings.
    Settings,
}

/// How long and how often.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Matches for each game, pair and setting; the most, if there is a rule to stop.
    pub matches: u64,
    /// When to stop before that.
    pub stop: Option<Stopping>,
    /// About how many minutes it takes on two cores, as measured: for estimates of the time left.
    pub minutes: Option<f64>,
    /// Decides everything random.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// Only these of the games; all if there are none.
    #[serde(default)]
    pub games: Vec<String>,
    /// Clocks or playouts.
    pub settings: Vec<Setting>,
}

fn first_seed() -> u64 {
    1
}

/// Clocks, or a number of playouts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// What tables call it.
    pub name: String,
    /// Seconds to get ready; as long as `play` if nothing is said.
    pub start: Option<f64>,
    /// Seconds for each move.
    pub play: Option<f64>,
    /// Playouts for each move, instead of clocks.
    pub playouts: Option<u64>,
    /// For the measure of the same name: how a run uses its time or playouts.
    #[serde(default)]
    pub scores: ScoreKind,
    /// Threads of each player.
    #[serde(default = "one_thread")]
    pub threads: usize,
    /// Options of all players that have them, `name=value,name=value`. What a player's own spec says
    /// goes before.
    #[serde(default)]
    pub options: String,
    /// The setting of the published figures to compare with; its own name by default.
    pub published: Option<String>,
    /// Games of the form that are left out here, because they would take too long.
    #[serde(default)]
    pub without: Vec<String>,
}

/// What a score is, and what the amounts of a setting are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreKind {
    /// The goal of a match in which the first move has 0.1, 0.2, 0.4 … of the time and all others have
    /// next to nothing.
    #[default]
    FirstMove,
    /// The goal of a match in which every move has all of the time.
    EveryMove,
    /// The best score seen in a search of the first position, after 0.1, 0.2, 0.4 … of the time.
    Seen,
}

impl Setting {
    /// Whether a game is not played under it.
    pub fn leaves_out(&self, game: &str) -> bool {
        self.without.iter().any(|one| one == game)
    }
}

fn one_thread() -> usize {
    1
}

/// When there have been enough matches of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopping {
    /// When half the width of the 95 % interval is at most this many percent.
    HalfWidth(f64),
    /// When a sequential test has decided.
    Sprt(Sprt),
}

/// A sequential probability ratio test: is the first player at least `elo1` better, or at most
/// `elo0`?
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// The difference of the first hypothesis.
    pub elo0: f64,
    /// The difference of the second.
    pub elo1: f64,
    /// How often the second may be believed though the first is true.
    #[serde(default = "one_in_twenty")]
    pub alpha: f64,
    /// How often the first may be believed though the second is true.
    #[serde(default = "one_in_twenty")]
    pub beta: f64,
}

fn one_in_twenty() -> f64 {
    0.05
}
