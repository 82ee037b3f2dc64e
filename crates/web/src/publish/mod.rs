//! Matches and runs of other processes on the page: `--publish URL`.
//!
//! The other process posts what is new as JSON, a few times a second at most, to the address of the
//! page, with its token if it has one. The page checks each joint move against the rules and works out
//! the positions by itself, so a message is small and cannot show what the rules do not allow. The
//! answer says how many joint moves the page has; the next message goes on from there. A page that is
//! started again is told everything again.
//!
//! A match is never held up: its thread only notes what happened, and another one posts. A page that
//! does not answer is tried again every few seconds; what is noted is the match itself and no more.
//!
//! | file | what it does |
//! |---|---|
//! | `wire` | the messages |
//! | `post` | sends one |
//! | `publisher` | where to publish; what `--publish` means |
//! | `match_feed` | a match, from the process that plays it |
//! | `run_feed` | a run of the lab, from the process that runs it |
//! | `received` | takes messages on the page |
//! | `runs` | runs of the lab that the page shows |

mod match_feed;
mod post;
mod publisher;
mod received;
mod run_feed;
mod runs;
mod wire;

pub use match_feed::{MatchFeed, PublishedMatch};
pub use publisher::{PublishError, Publisher};
pub(crate) use received::{Feed, routes};
pub use run_feed::PublishedRun;
pub(crate) use runs::{Run, RunBoard, Runs};
pub(crate) use wire::{MatchNews, RunState};
