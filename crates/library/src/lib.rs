//! The built-in games: rule sheets, their descriptions, and boards for people.
//!
//! A [`Sheet`] is a rule sheet with its description. An [`About`] is that description, read: title,
//! kind, figures that tests check, and how to draw its states. A [`Picture`] is a drawn state: from
//! the hints of a description or, without any, by detecting board facts.
//!
//! ```
//! let chess = ludex_library::find("chess").expect("a game");
//! assert!(chess.text.contains("(role white)"));
//! assert_eq!(chess.about()?.title, "Chess");
//! assert!(ludex_library::similar("ches").contains(&"chess"));
//! # Ok::<(), ludex_library::AboutError>(())
//! ```

mod about;
mod board;
mod colours;
mod detect;
mod draw;
mod pattern;
mod picture;
mod sheet;
mod short_names;
mod spots;

pub use about::{About, AboutError, Beside, Board, Corpus, Kind, Layer, Shape};
pub use colours::styles;
pub use draw::{Look, Piece, Place};
pub use pattern::{Pattern, PatternError};
pub use picture::{Axis, Cell, Grid, Line, Picture, Value};
pub use sheet::{Sheet, find, sheets, similar};
pub use spots::{Spot, spots};
