//! The games that come with Ludex: rule sheets, what is known of them, and boards for people.
//!
//! A [`Sheet`] is a rule sheet with its description. An [`About`] is that description, read: title,
//! kind, figures that tests hold the sheet to, and how to show its states. A [`Picture`] is a state
//! made visible: from the hints of a description, or, without any, from what its facts look like.

mod about;
mod board;
mod colours;
mod detect;
mod draw;
mod pattern;
mod picture;
mod sheet;
mod short_names;

pub use about::{About, AboutError, Beside, Board, Corpus, Kind, Layer, Shape};
pub use draw::Look;
pub use pattern::{Pattern, PatternError};
pub use picture::{Axis, Cell, Grid, Line, Picture, Value};
pub use sheet::{Sheet, find, sheets, similar};
