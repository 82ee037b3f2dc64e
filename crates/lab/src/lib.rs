//! Experiments: any claim about players or reasoners is one file and one command away.
//!
//! | part | what it is |
//! |---|---|
//! | `experiment` | the file: what is asked |
//! | `outcome` | what came out of each match or measurement |
//! | `published` | figures of others, to stand beside ours |
//! | `report` | tables, plots and pages of what came out |
//! | `statistics` | how much can be believed: intervals, sequential tests, ratings |

mod experiment;
mod outcome;
mod published;
mod report;
pub mod statistics;

pub use experiment::{
    Columns, Experiment, ExternalEngine, Form, Layout, Measure, Pairing, PlayerEntry, Setting, Sprt, Stopping,
};
pub use outcome::{Cell, MatchOutcome, ReasonerRate, ScorePoint};
pub use published::{Published, PublishedError, PublishedFigure};
pub use report::{Measured, Provenance, Report, ReportError, write_report};
