//! Stratification: no relation may depend on its own negation.
//!
//! Names alone decide most sheets: a component of the dependency graph without a negated edge
//! inside is stratified. Where names form a cycle, values decide, as in the common
//! `(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))`. Rules of the component are then instantiated
//! with the facts that their other conditions name, and the instances are linked where a condition
//! can be the head of another. What stays a variable can be anything, so a cycle that is found may
//! in rare cases not be real, but a sheet that passes is stratified by ground atoms.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Dependencies;
use crate::clause::{ClauseId, LiteralId, LiteralKind, RelationId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::Graph;
use crate::name::Symbol;
use crate::report::Report;
use crate::tree::NodeId;

/// Steps of matching and linking that one sheet may cost.
const MAX_STEPS: usize = 400_000;
/// Instances of rules that one sheet may have.
const MAX_INSTANCES: usize = 5_000;

pub(super) fn check(sheet: &Sheet<'_>, dependencies: &Dependencies, report: &mut Report) {
    // Components with a negated edge inside, with the first such edge.
    let mut suspicious: Vec<(u32, ClauseId, LiteralId)> = Vec::new();
    let mut seen = FxHashSet::default();
    for (id, clause) in sheet.clauses.iter().enumerate() {
        for literal in clause.body.clone() {
            let Some(relation) = sheet.literals[literal].relation else { continue };
            let component = dependencies.component[clause.relation.index()];
            if sheet.literals[literal].kind == LiteralKind::Negative
                && dependencies.mutual(clause.relation, relation)
                && seen.insert(component)
            {
                suspicious.push((component, id, literal));
            }
        }
    }
    if suspicious.is_empty() {
        return;
    }
    let mut rules_of: FxHashMap<u32, Vec<ClauseId>> = FxHashMap::default();
    for (id, clause) in sheet.clauses.iter().enumerate() {
        let component = dependencies.component[clause.relation.index()];
        let inside = |l: LiteralId| {
            sheet.literals[l].relation.is_some_and(|r| dependencies.mutual(clause.relation, r))
        };
        if seen.contains(&component) && clause.body.clone().any(inside) {
            rules_of.entry(component).or_default().push(id);
        }
    }
    let mut steps = MAX_STEPS;
    for (component, clause, literal) in suspicious {
        let rules = rules_of.remove(&component).unwrap_or_default();
        match Instances::decide(sheet, dependencies, &rules, &mut steps) {
            Verdict::Stratified => stratified_by_value(sheet, clause, literal, report),
            Verdict::Cycle(cycle) => unstratified(sheet, &cycle, report),
            Verdict::TooLarge => unstratified(sheet, &[(clause, literal)], report),
        }
    }
}

enum Verdict {
    Stratified,
    /// Conditions that lead from one instance to the next; the first is the negated one.
    Cycle(Vec<(ClauseId, LiteralId)>),
    /// Not decided within the limits: taken for a cycle.
    TooLarge,
}

/// A rule with values for some of its variables.
struct Instance {
    clause: ClauseId,
    values: FxHashMap<Symbol, NodeId>,
}

struct Instances<'a, 's> {
    sheet: &'s Sheet<'a>,
    list: Vec<Instance>,
    /// Relations that were looked at: whether ground facts alone define them.
    given_by_facts: FxHashMap<RelationId, bool>,
    steps: &'s mut usize,
}

impl<'a, 's> Instances<'a, 's> {
    fn decide(
        sheet: &'s Sheet<'a>,
        dependencies: &Dependencies,
        rules: &[ClauseId],
        steps: &'s mut usize,
    ) -> Verdict {
        let mut instances =
            Instances { sheet, list: Vec::new(), given_by_facts: FxHashMap::default(), steps };
        // First without values: enough where constants of the rules decide.
        instances.list =
            rules.iter().map(|&clause| Instance { clause, values: FxHashMap::default() }).collect();
        let by_pattern = match instances.find_cycle(dependencies) {
            Verdict::Cycle(cycle) => cycle,
            decided => return decided,
        };
        instances.list.clear();
        for &clause in rules {
            let facts = instances.fact_conditions(clause);
            if !instances.instantiate(clause, &facts, FxHashMap::default()) {
                return Verdict::Cycle(by_pattern);
            }
        }
        instances.find_cycle(dependencies)
    }

    /// Conditions of a rule whose relation is given by ground facts alone.
    fn fact_conditions(&mut self, clause: ClauseId) -> Vec<LiteralId> {
        let sheet = self.sheet;
        let mut found = Vec::new();
        for (id, literal) in sheet.conditions(sheet.clauses[clause].body.clone()) {
            let relation = literal.relation.filter(|_| literal.kind == LiteralKind::Positive);
            let Some(relation) = relation else { continue };
            let is_given = *self.given_by_facts.entry(relation).or_insert_with(|| {
                let definitions = &sheet.relation(relation).definitions;
                let is_ground_fact = |&c: &ClauseId| {
                    sheet.clauses[c].body.is_empty() && sheet.is_ground(sheet.clauses[c].head)
                };
                !definitions.is_empty() && definitions.iter().all(is_ground_fact)
            });
            if is_given {
                found.push(id);
            }
        }
        found
    }

    /// Adds an instance for every way to match the conditions; false when it becomes too much.
    fn instantiate(
        &mut self,
        clause: ClauseId,
        facts: &[LiteralId],
        values: FxHashMap<Symbol, NodeId>,
    ) -> bool {
        let sheet = self.sheet;
        // Conditions still to be matched are few; the depth of this recursion is their number.
        let Some((&first, rest)) = facts.split_first().filter(|_| facts.len() < 64) else {
            if !self.refuted(clause, &values) {
                self.list.push(Instance { clause, values });
            }
            return self.list.len() <= MAX_INSTANCES;
        };
        let Some(relation) = sheet.literals[first].relation else { return true };
        for &fact in &sheet.relation(relation).definitions {
            let mut values = values.clone();
            let (pattern, head) = (sheet.literals[first].atom, sheet.clauses[fact].head);
            if self.matches(pattern, head, &mut values) && !self.instantiate(clause, rest, values) {
                return false;
            }
            if *self.steps == 0 {
                return false;
            }
        }
        true
    }

    /// Matches a pattern of a rule with a ground term.
    fn matches(&mut self, pattern: NodeId, ground: NodeId, values: &mut FxHashMap<Symbol, NodeId>) -> bool {
        *self.steps = self.steps.saturating_sub(1);
        let tree = self.sheet.tree;
        if let Some(variable) = tree.variable(pattern) {
            return match values.get(&variable) {
                Some(&value) => tree.same(value, ground),
                None => values.insert(variable, ground).is_none(),
            };
        }
        tree.functor(pattern) == tree.functor(ground)
            && tree.arity(pattern) == tree.arity(ground)
            && tree.arguments(pattern).zip(tree.arguments(ground)).all(|(p, g)| self.matches(p, g, values))
    }

    /// Whether a `distinct` of the rule is known not to hold.
    fn refuted(&self, clause: ClauseId, values: &FxHashMap<Symbol, NodeId>) -> bool {
        let tree = self.sheet.tree;
        let value = |node: NodeId| match tree.variable(node) {
            Some(variable) => values.get(&variable).copied(),
            None => self.sheet.is_ground(node).then_some(node),
        };
        self.sheet.conditions(self.sheet.clauses[clause].body.clone()).any(|(_, literal)| {
            let mut terms = tree.arguments(literal.atom);
            literal.kind == LiteralKind::Distinct
                && match (terms.next().and_then(value), terms.next().and_then(value)) {
                    (Some(a), Some(b)) => tree.same(a, b),
                    _ => false,
                }
        })
    }

    fn find_cycle(&mut self, dependencies: &Dependencies) -> Verdict {
        let sheet = self.sheet;
        let mut by_relation: FxHashMap<RelationId, Vec<usize>> = FxHashMap::default();
        for (at, instance) in self.list.iter().enumerate() {
            by_relation.entry(sheet.clauses[instance.clause].relation).or_default().push(at);
        }
        let mut edges = Vec::new();
        let mut conditions = Vec::new();
        for from in 0..self.list.len() {
            let clause = &sheet.clauses[self.list[from].clause];
            for literal in clause.body.clone() {
                let Some(relation) = sheet.literals[literal].relation else { continue };
                if !dependencies.mutual(clause.relation, relation) {
                    continue;
                }
                for &to in by_relation.get(&relation).map_or(&[][..], |v| v) {
                    let head = sheet.clauses[self.list[to].clause].head;
                    if *self.steps == 0 {
                        return Verdict::TooLarge;
                    }
                    if self.can_be(from, sheet.literals[literal].atom, to, head) {
                        edges.push((number(from), number(to)));
                        conditions.push(literal);
                    }
                }
            }
        }
        let graph = Graph::new(self.list.len(), &edges);
        let component = graph.components();
        let negated = (0..edges.len()).find(|&e| {
            let (from, to) = edges[e];
            component[from as usize] == component[to as usize]
                && sheet.literals[conditions[e]].kind == LiteralKind::Negative
        });
        let Some(negated) = negated else {
            return Verdict::Stratified;
        };
        // Walk back from the end of the negated edge to its start, for the message.
        let (from, to) = edges[negated];
        let inside: Vec<_> =
            edges.iter().copied().filter(|&(a, b)| component[a as usize] == component[b as usize]).collect();
        let before = Graph::new(self.list.len(), &inside).reach(&[to]);
        let by_ends: FxHashMap<_, _> = edges.iter().zip(&conditions).collect();
        let mut way = Vec::new();
        let mut at = from;
        while at != to {
            let Some(previous) = before[at as usize] else { break };
            let condition = by_ends.get(&(previous, at));
            way.extend(condition.map(|&&l| (self.list[previous as usize].clause, l)));
            at = previous;
        }
        way.push((self.list[from as usize].clause, conditions[negated]));
        way.reverse();
        Verdict::Cycle(way)
    }

    /// Whether a condition of one instance and the head of another can be the same sentence.
    fn can_be(&mut self, a: usize, a_node: NodeId, b: usize, b_node: NodeId) -> bool {
        *self.steps = self.steps.saturating_sub(1);
        let tree = self.sheet.tree;
        let value = |at: usize, node: NodeId| match tree.variable(node) {
            Some(variable) => self.list[at].values.get(&variable).copied(),
            None => Some(node),
        };
        let (Some(x), Some(y)) = (value(a, a_node), value(b, b_node)) else {
            return true;
        };
        tree.functor(x) == tree.functor(y)
            && tree.arity(x) == tree.arity(y)
            && tree.arguments(x).zip(tree.arguments(y)).all(|(p, q)| self.can_be(a, p, b, q))
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn stratified_by_value(sheet: &Sheet<'_>, clause: ClauseId, literal: LiteralId, report: &mut Report) {
    let name = sheet.relation_name(sheet.clauses[clause].relation);
    report.add(Code::StratifiedByValue, || {
        Diagnostic::at(
            Code::StratifiedByValue,
            sheet.tree.span(sheet.literals[literal].node),
            format!("`{name}` depends on its own negation, though never for the same values"),
        )
        .label("plays well, but is outside the letter of GDL")
        .help(
            "put the conditions into a relation of their own and negate that; some GDL programs refuse this",
        )
    });
}

fn unstratified(sheet: &Sheet<'_>, cycle: &[(ClauseId, LiteralId)], report: &mut Report) {
    let Some(&(clause, literal)) = cycle.first() else { return };
    let name = |c: ClauseId| sheet.relation_name(sheet.clauses[c].relation);
    let mut names: Vec<_> = cycle.iter().map(|&(c, _)| format!("`{}`", name(c))).collect();
    names.push(format!("`{}`", name(clause)));
    const SHOWN: Range<usize> = 0..6;
    if names.len() > SHOWN.end {
        names.splice(SHOWN.end - 2..names.len() - 2, ["...".to_owned()]);
    }
    report.add(Code::Unstratified, || {
        let span = |literal: LiteralId| sheet.tree.span(sheet.literals[literal].node);
        let mut diagnostic = Diagnostic::at(
            Code::Unstratified,
            span(literal),
            format!("`{}` depends on its own negation", name(clause)),
        )
        .label("negated here")
        .help(format!(
            "the cycle is {}; break it, for example with a relation that needs no negation",
            names.join(" -> ")
        ));
        for &(c, l) in cycle.iter().skip(1).take(4) {
            diagnostic = diagnostic.also(span(l), format!("`{}` depends on this", name(c)));
        }
        diagnostic
    });
}
