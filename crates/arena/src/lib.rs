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

pub mod player;
pub mod protocol;
