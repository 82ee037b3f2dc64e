//! The Game Description Language: text to checked rules, with diagnostics a person can act on.
//!
//! A sheet goes through these forms, each in a module of its own:
//!
//! | form | module | what it is |
//! |---|---|---|
//! | [`Source`] | `source` | bytes and a name; spans point into it |
//! | tokens | `lexer` | parentheses, words, comments |
//! | [`Tree`] | `parser`, `tree` | words and lists with spans, comments beside them |
//! | clauses | `shape`, `clause` | facts and rules with typed conditions |
//! | [`Report`] | `check/*` | what is wrong with them: one check a file |
//! | [`Rules`] | `lower`, `rules` | what they mean: symbols, numbered variables, alternatives |
//!
//! Beside them: `print` and `format` (trees and sheets as text), `scramble` (other names), `render`
//! (diagnostics as text).
//!
//! ```
//! use ludex_gdl::{Code, Source, check, load};
//!
//! let text = "(role you) (init (left 1)) (legal you take)
//!             (<= (next (left 0)) (does you take))
//!             (<= terminal (true (left 0)))
//!             (goal you 100)";
//! let rules = load(&Source::new("game.kif", text)).playable().expect("no errors");
//! assert_eq!(rules.display(&rules.rules[4]).to_string(), "terminal if true(left(0))");
//!
//! let report = check(&Source::new("game.kif", text.replace("(role you)", "")));
//! assert_eq!(report.diagnostics()[0].code, Code::NoRole);
//! ```
//!
//! No input makes this crate panic, overflow the stack or take more than linear time: lists are
//! kept on a stack of our own, nesting is limited ([`MAX_DEPTH`]), searches have budgets.

mod check;
mod clause;
mod diagnostic;
mod explain;
mod format;
pub mod graph;
mod lexer;
mod lower;
mod name;
mod parser;
mod print;
mod render;
mod report;
mod rules;
mod scramble;
mod shape;
mod source;
mod tree;

pub use check::similar::closest;
pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use explain::{EXAMPLE_GAME, ExampleLine, Explanation, example_bytes};
pub use format::format;
pub use name::{Name, Names, Symbol, keyword};
pub use parser::MAX_DEPTH;
pub use render::{Style, render};
pub use report::{DEFAULT_CAP, Report};
pub use rules::{Atom, Condition, Relation, RelationInfo, Rule, Rules, Term};
pub use scramble::{Scrambled, rename, scramble};
pub use source::{MAX_SOURCE_BYTES, Position, Source, Span};
pub use tree::{Comment, NodeId, NodeKind, Siblings, Tree};

/// Reads a sheet into words and lists. The report has what could not be read.
pub fn parse(source: &Source) -> (Tree, Report) {
    let mut report = Report::default();
    let parsed = parser::parse(source, &mut report);
    report.finish();
    (parsed.tree, report)
}

/// Checks a sheet.
pub fn check(source: &Source) -> Report {
    check_with(source, Report::default())
}

/// Checks a sheet, adding to a report of the caller's, which decides how many findings are kept.
pub fn check_with(source: &Source, mut report: Report) -> Report {
    let parsed = parser::parse(source, &mut report);
    let sheet = shape::build(source, &parsed, &mut report);
    check::check(&sheet, &mut report);
    report.finish();
    report
}

/// A checked sheet: what was found, and what it means.
#[derive(Debug)]
pub struct Loaded {
    /// All findings.
    pub report: Report,
    /// The meaning of every clause that has a usable shape. It is there even when the report has
    /// errors, for tools that look into broken sheets; to play, ask [`Loaded::playable`].
    pub rules: Rules,
}

impl Loaded {
    /// The rules, unless the sheet has errors: then the report.
    pub fn playable(self) -> Result<Rules, Report> {
        if self.report.has_errors() { Err(self.report) } else { Ok(self.rules) }
    }
}

/// Reads, checks and lowers a sheet.
pub fn load(source: &Source) -> Loaded {
    let mut report = Report::default();
    let parsed = parser::parse(source, &mut report);
    let sheet = shape::build(source, &parsed, &mut report);
    let demands = check::check(&sheet, &mut report);
    let mut rules = lower::lower(&sheet, &demands);
    report.finish();
    rules.errors = report.count(Severity::Error);
    Loaded { report, rules }
}
