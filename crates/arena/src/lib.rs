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

mod client;
pub mod player;
pub mod protocol;
mod record;
mod referee;
mod store;

pub use client::{Address, AddressError, ClientError, DEFAULT_PORT, MAX_ANSWER_BYTES, post};
pub use ludex_engine::MakeSearch;
pub use record::{
    Details, End, MAX_RECORD_BYTES, MatchRecord, MoveReport, PlayerDetails, PlayerFault, RecordDifference,
    RecordError, UnknownFault, Verdict, verify_record,
};
pub use referee::{
    Check, Event, MatchSetup, Observer, Participant, ParticipantError, Rulebook, RulebookError, SetupError,
    run_match,
};
pub use store::{Row, Store, StoreError};
