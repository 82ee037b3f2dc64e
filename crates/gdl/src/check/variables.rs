//! Variables that occur once in a clause.
//!
//! That is how GDL says "anything", so by itself it is only a hint. When the name resembles another
//! variable of the clause, one of the two is probably mistyped.

use super::similar;
use crate::clause::Sheet;
use crate::diagnostic::{Code, Diagnostic};
use crate::name::Symbol;
use crate::report::Report;
use crate::tree::NodeId;

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    let mut count = vec![0u32; sheet.tree.names.len()];
    let mut list: Vec<(Symbol, NodeId)> = Vec::new();
    for clause in sheet.clauses.iter().filter(|c| c.is_rule) {
        list.clear();
        for node in sheet.tree.subtree(clause.node) {
            if let Some(variable) = sheet.tree.variable(node) {
                count[variable.index()] += 1;
                if count[variable.index()] == 1 {
                    list.push((variable, node));
                }
            }
        }
        for &(variable, node) in &list {
            if count[variable.index()] == 1 {
                once(sheet, variable, node, &list, report);
            }
        }
        for &(variable, _) in &list {
            count[variable.index()] = 0;
        }
    }
}

fn once(sheet: &Sheet<'_>, variable: Symbol, node: NodeId, all: &[(Symbol, NodeId)], report: &mut Report) {
    let names = &sheet.tree.names;
    let name = names.text(variable);
    // Families such as ?row1, ?row2 and pairs such as ?fromx, ?fromy are no slips.
    let stem = |name: &'_ str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut letters = stem.chars();
        letters.next_back();
        letters.as_str().to_lowercase()
    };
    let own_stem = stem(name);
    let others = all
        .iter()
        .map(|&(v, _)| names.text(v))
        .filter(|other| other.len().min(name.len()) >= MIN_LENGTH && stem(other) != own_stem);
    let meant = (all.len() <= MAX_COMPARED).then(|| similar::closest(name, others)).flatten();
    let span = sheet.tree.span(node);
    let code = match meant {
        Some(_) => Code::MistypedVariable,
        None => Code::SingletonVariable,
    };
    report.add(code, || match meant {
        Some(meant) => Diagnostic::at(code, span, format!("`{name}` occurs only here"))
            .label("can be anything")
            .help(format!("did you mean `{meant}`?")),
        None => Diagnostic::at(code, span, format!("`{name}` occurs only once in this rule"))
            .label("can be anything")
            .help("nothing to do if that is meant"),
    });
}

/// Shorter names, the question mark included, resemble each other too easily.
const MIN_LENGTH: usize = 6;
/// Rules with more variables are not searched for slips: the cost is quadratic.
const MAX_COMPARED: usize = 64;
