//! Goals: whole numbers from 0 to 100, one for each role.

use rustc_hash::FxHashMap;

use super::duplicates::meaning_of_clause;
use crate::clause::{ClauseId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::keyword;
use crate::report::Report;

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    let goals = sheet.definitions(keyword::GOAL, 2);
    let mut by_conditions: FxHashMap<Vec<u64>, ClauseId> = FxHashMap::default();
    for &clause in goals {
        let head = sheet.clauses[clause].head;
        let Some(value) = sheet.argument(head, 1) else { continue };
        let span = sheet.tree.span(value);
        if sheet.tree.variable(value).is_none() && !is_goal_value(&sheet.source.text(span)) {
            report.add(Code::GoalValue, || {
                let shown = sheet.source.text(span);
                Diagnostic::at(Code::GoalValue, span, format!("`{shown}` is not a goal value"))
                    .label("must be a whole number from 0 to 100")
                    .help("100 is the best result and 0 the worst; scale other points into that range")
            });
        }
        // The same player under the same conditions must not get two values.
        let Some(player) = sheet.argument(head, 0) else { continue };
        let key = meaning_of_clause(sheet, Some(player), &sheet.clauses[clause]);
        let first = *by_conditions.entry(key).or_insert(clause);
        let first_value = sheet.argument(sheet.clauses[first].head, 1);
        if first_value.is_some_and(|v| !sheet.tree.same(v, value)) {
            report.add(Code::TwoGoals, || {
                let what = sheet.source.text(sheet.tree.span(player));
                Diagnostic::at(
                    Code::TwoGoals,
                    sheet.tree.span(sheet.clauses[clause].node),
                    format!("`{what}` gets two goal values under the same conditions"),
                )
                .label("one value")
                .also(sheet.tree.span(sheet.clauses[first].node), "the other value")
                .help("give the two rules conditions that exclude each other")
            });
        }
    }
}

/// Whether a word is a whole number from 0 to 100.
pub(crate) fn is_goal_value(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u32>().is_ok_and(|n| n <= 100)
}
