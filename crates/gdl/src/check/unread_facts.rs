//! Facts of the first state that no rule reads.
//!
//! A fact is read where a condition asks for it with `true`, negated or not; carrying it from state
//! to state does not count. A fact that holds in every state, because its rule for `next` asks for
//! nothing that changes, is there for people and programs that watch: walls, for instance.

use rustc_hash::FxHashSet;

use crate::clause::{LiteralId, LiteralKind, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, keyword};
use crate::report::Report;
use crate::tree::NodeId;

use super::similar;

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    let Some(true_relation) = sheet.find_relation(keyword::TRUE, 1) else { return };
    let name = |fact: NodeId| Some((sheet.tree.functor(fact)?, sheet.tree.arity(fact)));
    let made = |clause: usize| {
        let clause = &sheet.clauses[clause];
        let makes = matches!(sheet.relation(clause.relation).symbol, keyword::INIT | keyword::NEXT);
        sheet.argument(clause.head, 0).filter(|_| makes).and_then(name)
    };
    let mut read: FxHashSet<(Symbol, usize)> = FxHashSet::default();
    for &(clause, literal) in &sheet.relation(true_relation).uses {
        let literal = &sheet.literals[literal];
        debug_assert!(matches!(literal.kind, LiteralKind::Positive | LiteralKind::Negative));
        let Some(fact) = sheet.argument(literal.atom, 0) else { continue };
        match name(fact) {
            Some(name) if made(clause) == Some(name) => {} // carried on
            Some(name) => _ = read.insert(name),
            None => return, // a variable reads every fact
        }
    }
    for &clause in sheet.definitions(keyword::NEXT, 1) {
        let changes = |literal: LiteralId| {
            let relation = sheet.literals[literal].relation;
            relation.is_some_and(|r| matches!(sheet.relation(r).symbol, keyword::TRUE | keyword::DOES))
        };
        if !sheet.clauses[clause].body.clone().any(changes) {
            read.extend(made(clause));
        }
    }
    // A clause that could not be read may read what it names.
    let may_be_read = |word| sheet.lost_words.contains(&keyword::TRUE) && sheet.lost_words.contains(&word);
    let mut reported = FxHashSet::default();
    for &clause in sheet.definitions(keyword::INIT, 1) {
        let Some(fact) = sheet.argument(sheet.clauses[clause].head, 0) else { continue };
        let Some(key) = name(fact) else { continue };
        if read.contains(&key) || may_be_read(key.0) || !reported.insert(key) {
            continue;
        }
        report.add(Code::UnreadFact, || {
            let word = sheet.tree.names.text(key.0);
            let known = read.iter().filter(|(symbol, _)| *symbol != key.0);
            let mut known: Vec<&str> = known.map(|&(symbol, _)| sheet.tree.names.text(symbol)).collect();
            known.sort_unstable();
            let help = match similar::closest(word, known.into_iter()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("ask for it with `(true ({word} ...))` in some rule, or remove it"),
            };
            let help = if key.1 == 0 { help.replace(&format!("({word} ...)"), word) } else { help };
            Diagnostic::at(
                Code::UnreadFact,
                sheet.tree.span(fact),
                format!("no rule reads the fact `{word}`"),
            )
            .label("set here, and never asked for")
            .help(help)
        });
    }
}
