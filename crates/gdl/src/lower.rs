//! From checked clauses to [`Rules`].

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::check::Demands;
use crate::clause::{Clause, LiteralId, LiteralKind, RelationId, Sheet};
use crate::name::{Symbol, keyword};
use crate::rules::{Atom, Condition, Relation, RelationInfo, Rule, Rules, Term};
use crate::tree::NodeId;

/// The meaning of all clauses that have a usable shape.
pub(crate) fn lower(sheet: &Sheet<'_>, demands: &Demands) -> Rules {
    let mut lowering = Lowering {
        sheet,
        numbers: vec![(usize::MAX, 0); sheet.tree.names.len()],
        clause: 0,
        variables: Vec::new(),
    };
    let mut order: Vec<usize> = (0..sheet.clauses.len()).collect();
    order.sort_by_key(|&c| sheet.clauses[c].node);
    let rules: Vec<Rule> = order.into_iter().map(|c| lowering.rule(c, &sheet.clauses[c])).collect();
    let relations = sheet.relations.iter().enumerate().map(|(at, relation)| {
        let given = |&position: &usize| {
            u32::try_from(at).is_ok_and(|id| demands.met.contains(&(RelationId(id), position)))
        };
        RelationInfo {
            symbol: relation.symbol,
            arity: relation.arity,
            given_by_caller: match demands.met.is_empty() {
                true => Vec::new(),
                false => (0..relation.arity).filter(given).collect(),
            },
        }
    });
    let relations: Vec<RelationInfo> = relations.collect();
    let mut seen = FxHashSet::default();
    let is_role = |rule: &&Rule| relations[rule.head.relation.index()].symbol == keyword::ROLE;
    let roles = rules.iter().filter(is_role).filter_map(|rule| rule.head.arguments.first());
    let roles = roles.filter(|&role| seen.insert(role)).cloned().collect();
    Rules { names: sheet.tree.names.clone(), relations, rules, roles, errors: 0 }
}

struct Lowering<'a, 's> {
    sheet: &'s Sheet<'a>,
    /// By name: the last clause that had it as a variable, and its number there.
    numbers: Vec<(usize, u32)>,
    clause: usize,
    variables: Vec<Symbol>,
}

impl Lowering<'_, '_> {
    fn rule(&mut self, id: usize, clause: &Clause) -> Rule {
        self.clause = id;
        let head = self.atom(clause.relation, clause.head);
        let body = self.conditions(clause.body.clone());
        let variables = std::mem::take(&mut self.variables);
        Rule { head, body, variables, span: self.sheet.tree.span(clause.node) }
    }

    fn atom(&mut self, relation: RelationId, node: NodeId) -> Atom {
        let arguments = self.sheet.tree.arguments(node).map(|n| self.term(n)).collect();
        Atom { relation: Relation(relation.0), arguments }
    }

    /// Terms are nested at most [`crate::parser::MAX_DEPTH`] deep, which recursion can bear.
    fn term(&mut self, node: NodeId) -> Term {
        let tree = self.sheet.tree;
        if let Some(variable) = tree.variable(node) {
            return Term::Variable(self.number(variable));
        }
        let symbol = tree.functor(node).unwrap_or(keyword::ARROW);
        let arguments: Box<[Term]> = tree.arguments(node).map(|n| self.term(n)).collect();
        match arguments.is_empty() {
            true => Term::Constant(symbol),
            false => Term::Compound(symbol, arguments),
        }
    }

    fn number(&mut self, variable: Symbol) -> u32 {
        let known = &mut self.numbers[variable.index()];
        if known.0 != self.clause {
            *known = (self.clause, u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
            self.variables.push(variable);
        }
        known.1
    }

    fn conditions(&mut self, range: Range<LiteralId>) -> Vec<Condition> {
        let sheet = self.sheet;
        sheet.conditions(range).map(|(id, _)| self.condition(id)).collect()
    }

    fn condition(&mut self, id: LiteralId) -> Condition {
        let sheet = self.sheet;
        let literal = &sheet.literals[id];
        match (literal.kind, literal.relation) {
            (LiteralKind::Positive, Some(relation)) => Condition::Holds(self.atom(relation, literal.atom)),
            (LiteralKind::Negative, Some(relation)) => Condition::Fails(self.atom(relation, literal.atom)),
            (LiteralKind::Distinct, _) => self.compare(literal.atom, Condition::Differ),
            (LiteralKind::Same, _) => self.compare(literal.atom, Condition::Same),
            (LiteralKind::And, _) => Condition::Any(vec![self.conditions(sheet.inside(id))]),
            _ => {
                let branches = sheet.conditions(sheet.inside(id));
                Condition::Any(branches.map(|(branch, _)| self.conditions(sheet.branch(branch))).collect())
            }
        }
    }

    fn compare(&mut self, atom: NodeId, make: fn(Term, Term) -> Condition) -> Condition {
        let mut terms = self.sheet.tree.arguments(atom).map(|n| self.term(n));
        match (terms.next(), terms.next()) {
            (Some(a), Some(b)) => make(a, b),
            // `distinct` with another number of terms does not get this far.
            _ => Condition::Any(Vec::new()),
        }
    }
}
