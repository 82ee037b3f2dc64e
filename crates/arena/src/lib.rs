//! Matches: a player that never times out, a referee that never loses a match.
//!
//! | part | what it is |
//! |---|---|
//! | `protocol` | the messages of the GGP protocol, as text |
//! | `player` | the HTTP player that game managers talk to |
//! | `client` | players behind HTTP, as the referee sees them |
//! | `referee` | plays a match between any players |
//! | `record` | what is kept of a match |
//! | `store` | results of many matches |
//!
//! ```
//! use ludex_arena::{MatchSetup, Rulebook, run_match};
//!
//! let rulebook = Rulebook::new("tic_tac_toe", ludex_testkit::text("tic_tac_toe"))?;
//! let players = vec!["mc".parse()?, "random".parse()?];
//! let setup = MatchSetup { playouts: Some(200), seed: 1, ..MatchSetup::new(players) };
//! let record = run_match(&rulebook, &setup, &mut ())?;
//! assert_eq!(record.goal_values.iter().map(|&goal| u32::from(goal)).sum::<u32>(), 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
pub mod player;
pub mod protocol;
mod record;
mod referee;
mod store;

pub use client::{Address, AddressError, ClientError, DEFAULT_PORT, MAX_ANSWER_BYTES, Presence, post, probe};
pub use ludex_engine::MakeSearch;
pub use record::{
    Details, End, MAX_RECORD_BYTES, MatchRecord, MoveReport, PlayerDetails, PlayerFault, RecordDifference,
    RecordError, UnknownFault, Verdict, verify_record,
};
pub use referee::{
    Check, Event, MatchSetup, Observer, Participant, ParticipantError, Person, PersonAnswer, Request,
    Rulebook, RulebookError, SetupError, run_match,
};
pub use store::{Row, Store, StoreError};
