//! Running experiments: as much in parallel as the machine allows, to be taken up again after a
//! kill.
//!
//! | file | what it does |
//! |---|---|
//! | `matches` | plays the matches of a design that are not there yet |
//! | `queue` | which match is next |
//! | `stopping` | when there have been enough |
//! | `cores` | how many cores a match takes |
//! | `noted` | where results come from |
//! | `share` | players that use only part of their time |

mod cores;
mod matches;
mod noted;
pub(crate) mod queue;
pub(crate) mod share;
pub(crate) mod stopping;

use std::path::PathBuf;

use noted::Noted;

use ludex_arena::{Observer, ParticipantError, RulebookError, StoreError};
use ludex_game::Failure;
use ludex_search::Stop;

use crate::experiment::{ExperimentError, ExperimentFile, FormName, Measure};
use crate::folder::{Asked, FolderError, ResultFolder};
use crate::journal::JournalError;
use crate::outcome::{Cell, MatchOutcome, ReasonerOutcome, ScoreOutcome};
use crate::provenance::Provenance;
use crate::{reasoners, scores};

/// How an experiment is to be run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Where results are kept.
    pub folder: PathBuf,
    /// How many cores may be used.
    pub cores: usize,
    /// Another number of matches than the file says.
    pub matches: Option<u64>,
    /// Only these of the games; all if there are none.
    pub games: Vec<String>,
    /// Throw away the results that are there.
    pub fresh: bool,
    /// Kept next to the results, if this run adds any.
    pub provenance: Option<Provenance>,
    /// Ends the run when it is set: matches that are being played are given up. Also set by the run
    /// itself when results cannot be kept.
    pub stop: Stop,
}

/// What happens in a run, for those who watch.
#[derive(Clone, Debug)]
pub enum RunEvent<'a> {
    /// What there is to do.
    Planned {
        /// Matches or measurements in all.
        total: u64,
        /// Those that are there already.
        before: u64,
    },
    /// A game is set up.
    Preparing {
        /// Its name.
        game: &'a str,
    },
    /// Players with clocks have to share cores: there are too few.
    Crowded {
        /// Name of the game.
        game: &'a str,
        /// How many cores a match should have.
        wanted: usize,
    },
    /// A match was played and is kept.
    Finished {
        /// Its id.
        id: &'a str,
        /// What came out.
        outcome: &'a MatchOutcome,
    },
    /// A match could not be played to its end. It is not kept, and tried again in the next run.
    Failed {
        /// Its id.
        id: &'a str,
        /// Why.
        problem: &'a str,
    },
    /// The rule to stop has seen enough of a cell.
    Enough {
        /// Which one.
        cell: &'a Cell,
        /// After how many matches.
        after: u64,
        /// Matches that need not be played.
        spared: u64,
    },
    /// An engine was measured.
    Measured(&'a ReasonerOutcome),
    /// A player was measured.
    Scored(&'a ScoreOutcome),
}

/// Somebody who watches a run. Events come on the thread that called [`run`].
pub trait Watcher {
    /// Something happened.
    fn event(&mut self, event: &RunEvent<'_>);
}

/// Nobody watches.
impl Watcher for () {
    fn event(&mut self, _: &RunEvent<'_>) {}
}

/// Everything goes to a function.
impl<F: FnMut(&RunEvent<'_>)> Watcher for F {
    fn event(&mut self, event: &RunEvent<'_>) {
        self(event);
    }
}

/// Those who look at the matches of a run while they are played.
pub trait Spectators: Sync {
    /// Somebody for the next match. Called and used on the thread of that match.
    fn observer(&self) -> Box<dyn Observer + '_>;
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Results that were there before.
    pub before: u64,
    /// Results that were added.
    pub finished: u64,
    /// Ids of matches that failed, with reasons.
    pub failed: Vec<(String, String)>,
    /// Whether somebody wanted an end before everything was done.
    pub interrupted: bool,
}

/// Why an experiment cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such form.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// The folder cannot take the results.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Measurements cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A game that the form does not have.
    #[error("the experiment has no game `{name}`; it has {}", .known.join(", "))]
    UnknownGame {
        /// As asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A game cannot be set up.
    #[error("the game `{game}`: {problem}")]
    Game {
        /// Its name.
        game: String,
        /// Why not.
        problem: RulebookError,
    },
    /// A player cannot be had.
    #[error(transparent)]
    Player(#[from] ParticipantError),
    /// The system gives no thread or file.
    #[error("the system says: {0}")]
    System(#[from] std::io::Error),
}

impl RunError {
    pub(crate) fn game(game: &str, problem: impl Into<RulebookError>) -> Self {
        RunError::Game { game: game.to_owned(), problem: problem.into() }
    }

    pub(crate) fn failure(game: &str, failure: Failure) -> Self {
        Self::game(game, RulebookError::Reference(failure))
    }
}

/// Runs what is not there yet of a form of an experiment, and keeps it in the folder.
pub fn run(
    file: &ExperimentFile,
    form_name: FormName,
    options: &RunOptions,
    watcher: &mut dyn Watcher,
) -> Result<Summary, RunError> {
    run_watched(file, form_name, options, watcher, None)
}

/// The same while spectators look at its matches.
pub fn run_watched(
    file: &ExperimentFile,
    form_name: FormName,
    options: &RunOptions,
    watcher: &mut dyn Watcher,
    spectators: Option<&dyn Spectators>,
) -> Result<Summary, RunError> {
    let form = file.form(form_name)?;
    let known = file.experiment.games_of(form);
    if let Some(name) = options.games.iter().find(|game| !known.contains(game)) {
        return Err(RunError::UnknownGame { name: name.clone(), known: known.to_vec() });
    }
    let is_wanted = |game: &String| options.games.is_empty() || options.games.contains(game);
    let games: Vec<&str> = known.iter().filter(|game| is_wanted(game)).map(String::as_str).collect();
    let count = options.matches.unwrap_or(form.matches);
    let asked = Asked { matches: options.matches, games: options.games.clone() };
    let folder = ResultFolder::open(&options.folder, file, form_name, asked, options.fresh)?;
    let order = Order {
        file,
        form_name,
        form,
        games,
        count,
        cores: options.cores.max(1),
        folder,
        stop: &options.stop,
        spectators,
    };
    let mut noted = Noted::new(watcher, &order.folder.file("runs.jsonl"), options.provenance.as_ref())?;
    let summary = match file.experiment.measure {
        Measure::Wins | Measure::Rates => matches::run(&order, &mut noted),
        Measure::Reasoners => reasoners::run(&order, &mut noted),
        Measure::Scores => scores::run(&order, &mut noted),
    }?;
    noted.finish()?;
    Ok(summary)
}

/// What is to be done, with everything looked up.
pub(crate) struct Order<'a> {
    pub(crate) file: &'a ExperimentFile,
    pub(crate) form_name: FormName,
    pub(crate) form: &'a crate::Form,
    /// Names of the games, in the order of the file.
    pub(crate) games: Vec<&'a str>,
    /// Matches of a cell.
    pub(crate) count: u64,
    pub(crate) cores: usize,
    pub(crate) folder: ResultFolder,
    pub(crate) stop: &'a Stop,
    pub(crate) spectators: Option<&'a dyn Spectators>,
}
