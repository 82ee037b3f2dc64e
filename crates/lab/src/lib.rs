//! Experiments: any claim about players or reasoners is one file and one command away.
//!
//! | part | what it is |
//! |---|---|
//! | `experiment` | the file: what is asked |
//! | `outcome` | what came out of each match or measurement |

mod experiment;
mod outcome;

pub use experiment::{
    Columns, Experiment, ExternalEngine, Form, Layout, Measure, Pairing, PlayerEntry, Setting, Sprt, Stopping,
};
pub use outcome::{Cell, MatchOutcome};
