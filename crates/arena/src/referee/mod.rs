//! The referee: plays a match between any players, by the rules of a game manager.
//!
//! Late, illegal or garbled answers are replaced by a random legal move, drawn by the seed, and
//! recorded as an error of that kind; a player that is gone does not stop the others. The rules
//! have the last word in the form of the reference interpreter. A match that cannot go on (a role
//! without a legal move, goals that are none) ends as a fault, and its record is kept.
//!
//! | file | what it does |
//! |---|---|
//! | `rulebook` | the rules, set up once for many matches |
//! | `setup` | who plays, for how long, by which seed |
//! | `opening` | checks the setup, seats the players, begins the record |
//! | `run` | plays the match from START to STOP |
//! | `choice` | turns an answer into a move, or draws one |
//! | `table` | asks players and collects answers |
//! | `thinker` | players in this process: a `SearchRunner` on a thread, or called in turn |
//! | `person` | seats whose moves come from the caller: people |
//! | `judge` | compares with the reference interpreter |
//! | `words` | scrambles and unscrambles words for players behind HTTP |
//! | `event` | events for observers |

mod choice;
mod event;
mod judge;
mod opening;
mod person;
mod rulebook;
mod run;
mod setup;
mod table;
mod thinker;
mod words;

pub use event::{Event, Observer};
pub use person::{Person, PersonAnswer, Request};
pub use rulebook::{Rulebook, RulebookError};
pub use run::run_match;
pub use setup::{Check, MatchSetup, Participant, ParticipantError, SetupError};
