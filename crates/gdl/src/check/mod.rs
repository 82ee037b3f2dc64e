//! Checks over clauses, one concept a file. Each adds its findings to the report.
//!
//! The order does not matter for what is found, except that `domains` needs to know which
//! variables get their values from callers ([`safety`]).

mod arity;
mod dependencies;
mod domains;
mod duplicates;
mod game;
mod goals;
mod letter_case;
mod never_fires;
mod recursion;
mod safety;
pub(crate) mod similar;
mod strata;
mod usage;
mod variables;

pub(crate) use dependencies::Dependencies;
pub(crate) use goals::is_goal_value;
pub(crate) use safety::Demands;

use crate::clause::Sheet;
use crate::report::Report;

/// Runs every check; gives what later stages need to know.
pub(crate) fn check(sheet: &Sheet<'_>, report: &mut Report) -> Demands {
    let dependencies = Dependencies::new(sheet);
    let demands = safety::check(sheet, report);
    dependencies::check(sheet, &dependencies, report);
    strata::check(sheet, &dependencies, report);
    recursion::check(sheet, &dependencies, report);
    game::check(sheet, report);
    goals::check(sheet, report);
    if sheet.has_stray_words {
        return demands; // remarks on the names of something that is not GDL only distract
    }
    arity::check(sheet, report);
    letter_case::check(sheet, report);
    usage::check(sheet, report);
    duplicates::check(sheet, report);
    variables::check(sheet, report);
    never_fires::check(sheet, &demands, report);
    demands
}
