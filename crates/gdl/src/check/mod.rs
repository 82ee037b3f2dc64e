//! Checks over clauses, one concept a file. Each adds its findings to the report.
//!
//! Checks are independent: what one finds does not hide what another would say of another clause.
//! Three look at findings before them: `domains` needs to know which variables get their values
//! from callers ([`safety`]), `unread_facts` and `mistyped_names` do not repeat that a word is wrong.

mod arity;
mod dependencies;
mod domains;
mod duplicates;
mod game;
mod goals;
mod letter_case;
mod mistyped_names;
mod never_fires;
mod recursion;
mod safety;
pub(crate) mod similar;
mod strata;
mod unread_facts;
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
    if sheet.stray_words > sheet.clauses.len() / 4 {
        return demands; // remarks on the names of something that is not GDL only distract
    }
    arity::check(sheet, report);
    letter_case::check(sheet, report);
    usage::check(sheet, report);
    duplicates::check(sheet, report);
    variables::check(sheet, report);
    never_fires::check(sheet, &demands, report);
    unread_facts::check(sheet, report);
    mistyped_names::check(sheet, report);
    demands
}
