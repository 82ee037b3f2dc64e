//! Experiments: any claim about players or reasoners is one file and one command away.
//!
//! | part | what it is |
//! |---|---|
//! | `experiment` | the file: what is asked |
//! | `built_in` | experiments in the binary |
//! | `design` | the matches that answer it: seats, seeds, ids |
//! | `run` | plays them, in parallel and to be taken up again |
//! | `reasoners`, `scores` | measurements that are not matches |
//! | `folder` | where results are kept |
//! | `results`, `outcome` | what came out of each match or measurement |
//! | `behaviour` | the search signature: recognises results of players that choose differently now |
//! | `provenance` | when, with what and on which machine they were found |
//! | `published`, `companions` | figures of others, and what people say, to compare with ours |
//! | `report` | tables, plots and pages of the results |
//! | `statistics` | how much can be believed: intervals, sequential tests, ratings |
//!
//! ```
//! use ludex_lab::statistics::Interval;
//!
//! // 70 points of 100 matches: the 95 % Wilson interval.
//! let interval = Interval::wilson(0.7, 100);
//! assert!(interval.contains(0.65) && !interval.contains(0.5));
//! ```

mod behaviour;
mod built_in;
mod companions;
mod cpu_time;
mod design;
mod experiment;
mod folder;
mod games;
mod journal;
mod outcome;
mod provenance;
mod published;
mod reasoners;
mod report;
mod results;
mod rulebook;
mod run;
mod scores;
mod stable_hash;
pub mod statistics;

pub use behaviour::{SignatureError, search_signature, signature_games};
pub use built_in::{BUILT_IN, BuiltIn};
pub use companions::{CompanionError, Companions};
pub use cpu_time::{process_time, thread_time};
pub use design::{CellPlan, PlannedMatch, cells, seating};
pub use experiment::{
    Columns, Experiment, ExperimentError, ExperimentFile, ExternalEngine, Form, FormName, Layout, Measure,
    Pairing, PlayerEntry, Problem, ScoreKind, Setting, Sprt, Stopping,
};
pub use folder::FolderError;
pub use games::{GameError, GameSheet};
pub use journal::JournalError;
pub use outcome::{Cell, MatchOutcome, ReasonerOutcome, ScoreOutcome, Visited};
pub use provenance::Provenance;
pub use published::{Published, PublishedError, PublishedFigure};
pub use report::{CellFigures, Measured, Report, ReportError, write_report};
pub use results::{Results, ResultsError, read_outcomes, read_results};
pub use run::{RunError, RunEvent, RunOptions, Spectators, Summary, Watcher, run, run_watched};
