//! Open slots: places where anything may stand, for a reason that the rules do not show.
//!
//! A variable of a head without a value can be whatever the caller gives; a clause that could not be
//! read may define what it names. What flows from there is open too.

use rustc_hash::FxHashSet;

use super::{EXISTS, Flow, Slot};
use crate::check::Demands;
use crate::clause::{ClauseId, LiteralKind};
use crate::name::{Symbol, keyword};

/// Rounds in which open slots may open others; sheets need two or three.
const MAX_ROUNDS: usize = 16;

impl Flow<'_, '_> {
    /// Whether a term with this name may stand in a slot for a reason that the rules do not show.
    pub(super) fn is_open(&self, slot: Slot, symbol: Option<Symbol>) -> bool {
        let unread = self.unread_facts == Some(slot);
        self.open[slot as usize] || unread && symbol.is_none_or(|s| self.sheet.lost_words.contains(&s))
    }

    /// Opens the slots of clauses that could not be read and of head variables without a value, and
    /// those that they flow into; `None` if that does not come to an end.
    pub(super) fn open_slots(&mut self, demands: &Demands) -> Option<()> {
        let sheet = self.sheet;
        let lost = &sheet.lost_words;
        if demands.open_heads.is_empty() && lost.is_empty() {
            return Some(());
        }
        for (relation, first) in sheet.relations.iter().zip(self.relation_slots.clone()) {
            match relation.symbol {
                keyword::TRUE | keyword::INIT | keyword::NEXT => {
                    if !lost.contains(&keyword::INIT) && !lost.contains(&keyword::NEXT) {
                        continue;
                    }
                    self.unread_facts = Some(first + 1);
                }
                symbol => {
                    let name = if symbol == keyword::DOES { keyword::LEGAL } else { symbol };
                    if !lost.contains(&name) {
                        continue;
                    }
                    self.open[first as usize + 1..][..relation.arity].fill(true);
                }
            }
            self.possible(first, EXISTS);
        }
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for clause in 0..sheet.clauses.len() {
                changed |= self.open_head(clause, demands);
            }
            if !changed {
                return Some(());
            }
        }
        None
    }

    /// Opens the slots of a head whose variables can be anything; says whether there are new ones.
    fn open_head(&mut self, id: ClauseId, demands: &Demands) -> bool {
        let sheet = self.sheet;
        let clause = &sheet.clauses[id];
        let mut head: Vec<(Symbol, Slot)> = Vec::new();
        self.terms(clause.relation, clause.head, |flow, node, slot, _| {
            let variable = sheet.tree.variable(node);
            head.extend(variable.filter(|_| !flow.open[slot as usize]).map(|v| (v, slot)));
            true
        });
        if head.is_empty() {
            return false;
        }
        // Where each variable stands: in a condition (all must hold), or only inside an `or`.
        let (mut plain, mut closed, mut open_in_or) =
            (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        let top = sheet.conditions(clause.body.clone());
        let conditions = top.flat_map(|(at, literal)| {
            let in_or = literal.kind == LiteralKind::Or;
            (if in_or { sheet.inside(at) } else { at..at + 1 }).map(move |l| (l, in_or))
        });
        for (literal, in_or) in conditions {
            let Some(relation) = sheet.literals[literal].relation else { continue };
            if sheet.literals[literal].kind != LiteralKind::Positive {
                continue;
            }
            self.terms(relation, sheet.literals[literal].atom, |flow, node, slot, _| {
                let open = flow.is_open(slot, sheet.tree.functor(node));
                let inside = sheet.tree.subtree(node).filter_map(|n| sheet.tree.variable(n));
                match (in_or, open) {
                    (false, true) => plain.extend(inside),
                    (true, true) => open_in_or.extend(inside),
                    (false, false) => closed.extend(sheet.tree.variable(node)),
                    (true, false) => {}
                }
                !open
            });
        }
        let mut changed = false;
        for (variable, slot) in head {
            let without_value = demands.open_heads.contains(&(id, variable));
            let anything = !closed.contains(&variable)
                && (without_value || plain.contains(&variable) || open_in_or.contains(&variable));
            if anything {
                changed |= !std::mem::replace(&mut self.open[slot as usize], true);
            }
        }
        changed
    }
}
