//! The page: choose a game, play it, look inside. A server for browsers, with everything the page
//! needs in the binary.
//!
//! A match that is played here runs on a thread of its own, with the referee of every other match.
//! People have seats as in [`ludex_arena::Person`]; whoever knows the key of a seat answers for it.
//! What happens goes to every open page by server-sent events.
//!
//! | part | what it is |
//! |---|---|
//! | `server` | listens |
//! | `routes` | what a page may ask |
//! | `door` | connections: bounded in number and idle time |
//! | `guard` | refuses what other pages, other names and strangers send; headers of answers |
//! | `secret` | tokens and keys that cannot be guessed |
//! | `reply` | answers and errors as JSON |
//! | `assets` | the files of the page, embedded |
//! | `gallery` | the games to choose from, and a position of each |
//! | `shelf` | games that are set up, shared by matches |
//! | `sheets` | what the editor wants to know about a sheet |
//! | `shown` | pictures and moves as the page gets them |
//! | `style` | what kind of board a game has |
//! | `strength` | how strong the machine plays, in plain words |
//! | `advice` | what the machine would do, with values |
//! | `keeper` | keeps matches in a store |
//! | `position_sheet` | positions that were set up from facts |
//! | `searches` | trees of searches that think, to be unfolded |
//! | `figures` | the engine and the circuit of a game in numbers |
//! | `plan` | the plan of a puzzle |
//! | `matches` | the matches that are played here |
//! | `manage` | what the page of the game manager may ask |
//! | `contestants` | players behind HTTP that were registered |
//! | `publish` | matches and runs of other processes |
//! | `lab` | experiments: running, finished, to be started |
//! | `tournaments` | everybody meets everybody, with ratings |
//!
//! Nothing that comes from a sheet is ever markup: answers are JSON, and the page puts texts into
//! text nodes only.

mod advice;
mod assets;
mod contestants;
mod door;
mod figures;
mod gallery;
mod guard;
mod keeper;
mod lab;
mod manage;
mod matches;
mod plan;
mod position_sheet;
pub mod publish;
mod reply;
mod routes;
mod searches;
mod secret;
mod server;
mod sheets;
mod shelf;
mod shown;
mod strength;
mod style;
mod tournaments;

pub use server::{WebError, WebOptions, WebServer};
