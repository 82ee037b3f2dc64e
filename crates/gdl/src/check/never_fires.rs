//! Rules that can never fire, because something they ask for can never hold.

use super::domains::{Domains, Obstacle};
use super::{Demands, similar};
use crate::clause::{ClauseId, LiteralId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::keyword;
use crate::report::Report;
use crate::tree::NodeId;

pub(super) fn check(sheet: &Sheet<'_>, demands: &Demands, report: &mut Report) {
    if demands.open_heads || !sheet.lost_words.is_empty() {
        return; // what is missing or unclear could be what makes the rule fire
    }
    let Some(domains) = Domains::compute(sheet) else { return };
    let mut is_dead = vec![false; sheet.clauses.len()];
    for (clause, _) in domains.dead() {
        is_dead[clause] = true;
    }
    for (clause, obstacle) in domains.dead() {
        if !is_consequence(sheet, obstacle, &is_dead) {
            report.add(Code::NeverFires, || describe(sheet, clause, obstacle));
        }
    }
}

/// Whether the obstacle has a message of its own: an undefined relation, or dead rules elsewhere.
fn is_consequence(sheet: &Sheet<'_>, obstacle: Obstacle, is_dead: &[bool]) -> bool {
    match obstacle {
        Obstacle::Empty(literal) => sheet.literals[literal].relation.is_some_and(|r| {
            let relation = sheet.relation(r);
            // Without `init` or `legal` the whole sheet is at fault, which is said once.
            relation.definitions.iter().all(|&c| is_dead[c])
        }),
        Obstacle::Missing(_, node) => {
            // A fact that only dead rules make: they have been reported.
            let makes = |word| {
                sheet.definitions(word, 1).iter().any(|&c| {
                    let fact = sheet.argument(sheet.clauses[c].head, 0);
                    fact.is_some_and(|f| sheet.tree.functor(f) == sheet.tree.functor(node))
                })
            };
            sheet.tree.is_list(node) && (makes(keyword::NEXT) || makes(keyword::INIT))
        }
        Obstacle::NoValue(_) => false,
    }
}

fn describe(sheet: &Sheet<'_>, clause: ClauseId, obstacle: Obstacle) -> Diagnostic {
    let tree = sheet.tree;
    let text = |node: NodeId| {
        let text = sheet.source.text(tree.span(node));
        let short: String = text.chars().take(60).collect();
        short.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (node, label, help) = match obstacle {
        Obstacle::Empty(literal) => {
            (sheet.literals[literal].node, "can never hold".to_owned(), String::new())
        }
        Obstacle::Missing(literal, node) => missing(sheet, literal, node),
        Obstacle::NoValue(node) => (
            node,
            format!("no value of `{}` fits all its conditions", text(node)),
            "the conditions draw their values from sets that have nothing in common".to_owned(),
        ),
    };
    let help = if help.is_empty() { "correct the condition, or remove the rule".to_owned() } else { help };
    Diagnostic::at(Code::NeverFires, tree.span(node), "this rule can never fire")
        .label(label)
        .also(tree.span(sheet.clauses[clause].head), "never derived by this rule")
        .help(help)
}

/// A word or term that never stands where a condition asks for it.
fn missing(sheet: &Sheet<'_>, literal: LiteralId, node: NodeId) -> (NodeId, String, String) {
    let tree = sheet.tree;
    let atom = sheet.literals[literal].atom;
    let asks_for_fact = tree.functor(atom) == Some(keyword::TRUE) && sheet.argument(atom, 0) == Some(node);
    let Some(functor) = tree.functor(node) else {
        return (node, String::new(), String::new());
    };
    let name = tree.names.text(functor);
    if !asks_for_fact {
        let shown = match tree.is_list(node) {
            true => format!("`({name} ...)`"),
            false => format!("`{name}`"),
        };
        return (node, format!("never {shown} here"), String::new());
    }
    let made: Vec<&str> = [keyword::INIT, keyword::NEXT]
        .iter()
        .flat_map(|&word| sheet.definitions(word, 1))
        .filter_map(|&c| tree.functor(sheet.argument(sheet.clauses[c].head, 0)?))
        .map(|symbol| tree.names.text(symbol))
        .take(2000)
        .collect();
    let help = similar::closest(name, made.into_iter()).map(|meant| format!("did you mean `{meant}`?"));
    let label = "no `init` or `next` makes this true".to_owned();
    let default =
        format!("add `(init ({name} ...))` or a rule for `(next ({name} ...))`, or correct the name");
    (node, label, help.unwrap_or(default))
}
