//! Rule sheets as programs of other logic systems.
//!
//! - [`prolog`]: a Prolog program with the functions that a player needs, as CADIA-Player used it
//!   (Finnsson 2007, §3.3.1).
//! - [`asp`]: an answer-set program whose best answer is the best plan of a game for one role
//!   (Thielscher 2009, Answer set programming for single-player games in general game playing).
//!
//! Both are text. Tests run them with SWI-Prolog and clingo and compare with the reference
//! interpreter.
//!
//! ```
//! use ludex_gdl::{Source, load};
//! use ludex_translate::{asp, prolog};
//!
//! let text = "(role you) (init (left 1)) (legal you take)
//!             (<= (next (left 0)) (does you take))
//!             (<= terminal (true (left 0)))
//!             (goal you 100)";
//! let rules = load(&Source::new("game.kif", text)).playable().expect("no errors");
//! assert!(prolog(&rules).contains("terminal :- true(left(0))."));
//! assert!(asp(&rules, 5)?.contains("terminal(T) :- holds(left(0), T), time(T)."));
//! # Ok::<(), ludex_translate::CannotTranslate>(())
//! ```

mod alternatives;
mod asp;
mod bindings;
mod groups;
mod prolog;
mod spelling;

pub use asp::{CannotTranslate, asp};
pub use prolog::prolog;
