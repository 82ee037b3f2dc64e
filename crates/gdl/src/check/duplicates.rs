//! Clauses that say the same as an earlier one.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::clause::{Clause, ClauseId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::keyword;
use crate::report::Report;
use crate::tree::{NodeId, NodeKind};

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    // A hash sorts out nearly all clauses; only those that share one are compared in full.
    let mut seen: FxHashMap<u64, ClauseId> = FxHashMap::default();
    seen.reserve(sheet.clauses.len());
    for (id, clause) in sheet.clauses.iter().enumerate() {
        // Declared roles have a message of their own.
        if sheet.relation(clause.relation).symbol == keyword::ROLE {
            continue;
        }
        let first = *seen.entry(hash_of_clause(sheet, clause)).or_insert(id);
        let key = |c: &Clause| meaning_of_clause(sheet, Some(c.head), c);
        if first != id && key(clause) == key(&sheet.clauses[first]) {
            report.add(Code::DuplicateClause, || {
                let kind = if clause.is_rule { "rule" } else { "fact" };
                Diagnostic::at(
                    Code::DuplicateClause,
                    sheet.tree.span(clause.node),
                    format!("this {kind} stands here twice"),
                )
                .label("says nothing new")
                .also(sheet.tree.span(sheet.clauses[first].node), "first here")
                .help("remove one of the two, or correct what should differ")
            });
        }
    }
}

/// Equal for clauses that mean the same; names of variables and the order of conditions do not count.
fn hash_of_clause(sheet: &Sheet<'_>, clause: &Clause) -> u64 {
    let tree = sheet.tree;
    let of_subtree = |node: NodeId| {
        let mut hasher = FxHasher::default();
        for node in tree.subtree(node) {
            match tree.kind(node) {
                // A list matters only by its length, so that `(p)` counts like `p`.
                NodeKind::List if tree.arity(node) == 0 => {}
                NodeKind::List => tree.arity(node).hash(&mut hasher),
                NodeKind::Word(name) => tree.names.symbol(name).hash(&mut hasher),
                NodeKind::Variable(_) => u32::MAX.hash(&mut hasher),
            }
        }
        hasher.finish()
    };
    let conditions = sheet.conditions(clause.body.clone()).map(|(_, literal)| of_subtree(literal.node));
    conditions.fold(of_subtree(clause.head).rotate_left(7), u64::wrapping_add)
}

/// A key that is equal for clauses that mean the same up to names of variables and the order of
/// their conditions. `front` (the head or a part of it) is read before the conditions.
///
/// Conditions are sorted by a form in which every variable looks the same, then variables are
/// numbered in that order: conditions that differ only by variables may keep their order, which
/// makes some equal clauses look different, and never the other way round.
pub(super) fn meaning_of_clause(sheet: &Sheet<'_>, front: Option<NodeId>, clause: &Clause) -> Vec<u64> {
    let tree = sheet.tree;
    let mut conditions: Vec<(Vec<u64>, NodeId)> = sheet
        .conditions(clause.body.clone())
        .map(|(_, literal)| {
            let form = tree.meaning(literal.node).map(|(symbol, arity)| {
                let is_variable = tree.names.text(symbol).starts_with('?');
                if is_variable { u64::MAX } else { pack(u64::from(symbol.0), arity) }
            });
            (form.collect(), literal.node)
        })
        .collect();
    conditions.sort();
    let mut numbers = FxHashMap::default();
    let mut key = Vec::new();
    for node in front.into_iter().chain(conditions.into_iter().map(|(_, node)| node)) {
        for (symbol, arity) in tree.meaning(node) {
            if tree.names.text(symbol).starts_with('?') {
                let next = numbers.len() as u64;
                key.push(u64::MAX - *numbers.entry(symbol).or_insert(next));
            } else {
                key.push(pack(u64::from(symbol.0), arity));
            }
        }
    }
    key
}

fn pack(symbol: u64, arity: usize) -> u64 {
    symbol << 32 | arity as u64
}
