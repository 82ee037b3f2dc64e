//! The recursion restriction: recursion must not build ever larger terms.
//!
//! In a rule whose condition `q(v1, ..., vk)` depends back on the head `p(t1, ..., tn)`, every `vj`
//! must be ground, or be one of `t1, ..., tn`, or take its values from a condition outside the
//! cycle (Love et al. 2008, definition 14). The last case is read with `?x` inside a compound term
//! of such a condition allowed too: values are then still drawn from finitely many.

use super::Dependencies;
use crate::clause::{Clause, ClauseId, LiteralId, LiteralKind, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::report::Report;
use crate::tree::NodeId;

pub(super) fn check(sheet: &Sheet<'_>, dependencies: &Dependencies, report: &mut Report) {
    let mut walk = Walk {
        sheet,
        dependencies,
        bound: vec![0; sheet.tree.names.len()],
        in_head: vec![usize::MAX; sheet.tree.names.len()],
        clause_id: 0,
        violations: Vec::new(),
    };
    for (id, clause) in sheet.clauses.iter().enumerate() {
        let recursive = |l: LiteralId| walk.is_recursive(clause, l);
        if clause.body.clone().any(recursive) {
            walk.clause_id = id;
            for variable in sheet.tree.arguments(clause.head).filter_map(|a| sheet.tree.variable(a)) {
                walk.in_head[variable.index()] = id;
            }
            walk.conjunction(clause, clause.body.clone());
        }
        for (literal, argument) in walk.violations.drain(..) {
            let atom = sheet.literals[literal].atom;
            let shown = sheet.source.text(sheet.tree.span(argument));
            let name = sheet.relation_name(clause.relation);
            report.add(Code::Recursion, || {
                Diagnostic::at(
                    Code::Recursion,
                    sheet.tree.span(argument),
                    format!("the recursion of `{name}` does not limit `{shown}`"),
                )
                .label("may take ever new values")
                .also(sheet.tree.span(atom), "depends on the head again")
                .also(sheet.tree.span(clause.head), "the head")
                .help(format!(
                    "pass `{shown}` on unchanged from the head, or add a condition outside the cycle that lists its values"
                ))
            });
        }
    }
}

struct Walk<'a, 's> {
    sheet: &'s Sheet<'a>,
    dependencies: &'s Dependencies,
    /// How many conditions outside the cycle that hold here give a variable its values.
    bound: Vec<u32>,
    /// The last clause that had the variable as an argument of its head.
    in_head: Vec<ClauseId>,
    clause_id: ClauseId,
    violations: Vec<(LiteralId, NodeId)>,
}

impl Walk<'_, '_> {
    fn is_recursive(&self, clause: &Clause, literal: LiteralId) -> bool {
        let relation = self.sheet.literals[literal].relation;
        relation.is_some_and(|r| self.dependencies.mutual(clause.relation, r))
    }

    fn conjunction(&mut self, clause: &Clause, range: std::ops::Range<LiteralId>) {
        let sheet = self.sheet;
        let bind = |walk: &mut Self, by: i32| {
            for (id, literal) in sheet.conditions(range.clone()) {
                if literal.kind == LiteralKind::Positive && !walk.is_recursive(clause, id) {
                    for node in sheet.tree.subtree(literal.atom) {
                        if let Some(variable) = sheet.tree.variable(node) {
                            let count = &mut walk.bound[variable.index()];
                            *count = count.wrapping_add_signed(by);
                        }
                    }
                }
            }
        };
        bind(self, 1);
        for (id, literal) in sheet.conditions(range.clone()) {
            match literal.kind {
                LiteralKind::Positive if self.is_recursive(clause, id) => {
                    let limited = |a: NodeId| self.is_limited(clause, a);
                    if let Some(argument) = sheet.tree.arguments(literal.atom).find(|&a| !limited(a)) {
                        self.violations.push((id, argument));
                    }
                }
                LiteralKind::Or => {
                    for (branch, _) in sheet.conditions(sheet.inside(id)) {
                        self.conjunction(clause, sheet.branch(branch));
                    }
                }
                _ => {}
            }
        }
        bind(self, -1);
    }

    fn is_limited(&self, clause: &Clause, argument: NodeId) -> bool {
        let tree = self.sheet.tree;
        let has_values = |n| tree.variable(n).is_none_or(|v| self.bound[v.index()] > 0);
        if let Some(variable) = tree.variable(argument) {
            return self.bound[variable.index()] > 0 || self.in_head[variable.index()] == self.clause_id;
        }
        // Few heads have compound terms at all; the bound keeps odd ones from costing a square.
        let mut compound = tree.arguments(clause.head).filter(|&t| tree.is_list(t)).take(64);
        tree.subtree(argument).all(has_values) || compound.any(|t| tree.same(t, argument))
    }
}
