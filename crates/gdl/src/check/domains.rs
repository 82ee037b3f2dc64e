//! Which values can stand at which place: an over-approximation of everything that can ever hold.
//!
//! A *slot* is an argument position of a relation or function; a *value* is a constant or the name
//! of a function. `true`, `init` and `next` share one slot, `does` takes its values from `legal`.
//! A rule fires once each of its positive conditions can hold: every constant of a condition is
//! among the values of its slot, and every variable has a value that is in all slots where it
//! stands. Then the values of the head flow on. Negation, `distinct` and the connection between
//! variables are ignored, so whatever this analysis denies is really impossible.
//!
//! A slot is *open* if anything may stand there: a variable of a head without a value
//! ([`super::safety`]) flows into it, or a clause that could not be read may define it. Conditions
//! on open slots are taken for granted.
//!
//! Every pair of slot and value enters once, and then meets each place where a rule looks at the
//! slot. The work is capped in proportion to the size of the sheet.

mod open;

use rustc_hash::FxHashMap;

use super::Demands;
use crate::clause::{ClauseId, LiteralId, LiteralKind, RelationId, Sheet};
use crate::name::{Symbol, keyword};
use crate::tree::NodeId;

type Slot = u32;
type Value = u32;
type RuleId = u32;
type VariableId = u32;

/// Why a rule cannot fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// No rule or fact for this condition can ever hold.
    Empty(LiteralId),
    /// This word or term never stands at its place.
    Missing(LiteralId, NodeId),
    /// This variable has no value that fits all its places.
    NoValue(NodeId),
    /// These two conditions cannot hold together; one condition if it cannot hold by itself.
    Contradiction(LiteralId, LiteralId),
}

/// What must become possible before a rule can fire.
#[derive(Clone, Copy)]
enum Condition {
    /// A pair of slot and value: of a constant, of a function, or "the relation holds somewhere".
    Pair(Slot, Value, Obstacle),
    /// A variable with a value.
    Variable(VariableId),
}

struct Rule {
    clause: ClauseId,
    /// Conditions that are not yet possible; at 0 the rule fires.
    unmet: u32,
    conditions: Vec<Condition>,
    /// Pairs that are possible once the rule fires.
    gives: Vec<(Slot, Value)>,
}

/// A variable of a rule.
struct Variable {
    rule: RuleId,
    /// Where it must have values; if `any`, one of them is enough (branches of an `or`).
    sources: Vec<Slot>,
    any: bool,
    values: Vec<Value>,
    /// Slots of the head that its values flow into.
    targets: Vec<Slot>,
    node: NodeId,
}

/// A pair of slot and value.
#[derive(Default)]
struct Pair {
    possible: bool,
    /// Everyone who looks at the slot has been told.
    told: bool,
    /// Rules that wait for it.
    waiting: Vec<RuleId>,
}

/// The value that stands for "holds somewhere" in the slot of a relation itself.
const EXISTS: Value = 0;
/// A variable that stands in more places is judged by the first ones only.
const MAX_SOURCES: usize = 16;

/// A condition that no rule waits for: negated, or inside an `or`; with the values that it names.
struct Probe {
    clause: ClauseId,
    literal: LiteralId,
    names: Vec<(Slot, Value, NodeId)>,
}

/// The finished analysis.
pub(super) struct Domains {
    rules: Vec<Rule>,
    probes: Vec<Probe>,
    variables: Vec<Variable>,
    pairs: FxHashMap<(Slot, Value), Pair>,
}

impl Domains {
    /// Runs the analysis; `None` if it would take too long.
    pub(super) fn compute(sheet: &Sheet<'_>, demands: &Demands) -> Option<Self> {
        let mut flow = Flow::new(sheet);
        flow.open_slots(demands)?;
        for clause in 0..sheet.clauses.len() {
            flow.enter(clause);
        }
        flow.run()
    }

    /// The conditions, negated or inside an `or`, that name something which never stands there: each
    /// with its clause and the word or term.
    pub(super) fn never_hold(&self) -> impl Iterator<Item = (ClauseId, LiteralId, NodeId)> + '_ {
        self.probes.iter().filter_map(|probe| {
            let possible = |slot, value| self.pairs.get(&(slot, value)).is_some_and(|p| p.possible);
            let mut missing = probe.names.iter().filter(|&&(slot, value, _)| !possible(slot, value));
            missing.next().map(|&(_, _, node)| (probe.clause, probe.literal, node))
        })
    }

    /// The clauses that can never fire, each with the plainest thing that stands in the way.
    pub(super) fn dead(&self) -> impl Iterator<Item = (ClauseId, Obstacle)> + '_ {
        let dead = self.rules.iter().filter(|rule| rule.unmet > 0);
        dead.filter_map(|rule| {
            let obstacles = rule.conditions.iter().filter_map(|condition| match *condition {
                Condition::Pair(slot, value, obstacle) => {
                    let possible = self.pairs.get(&(slot, value)).is_some_and(|p| p.possible);
                    (!possible).then_some(obstacle)
                }
                Condition::Variable(id) => {
                    let variable = &self.variables[id as usize];
                    variable.values.is_empty().then_some(Obstacle::NoValue(variable.node))
                }
            });
            let plainest = obstacles.min_by_key(|obstacle| match obstacle {
                Obstacle::Empty(_) => 0,
                Obstacle::Missing(..) => 1,
                Obstacle::NoValue(_) | Obstacle::Contradiction(..) => 2,
            });
            Some((rule.clause, plainest?))
        })
    }
}

/// The analysis while it runs.
struct Flow<'a, 's> {
    sheet: &'s Sheet<'a>,
    pairs: FxHashMap<(Slot, Value), Pair>,
    rules: Vec<Rule>,
    probes: Vec<Probe>,
    variables: Vec<Variable>,
    /// By relation: the slot for "holds somewhere"; those of the arguments follow it.
    relation_slots: Vec<Slot>,
    function_slots: FxHashMap<(Symbol, usize), Slot>,
    values: FxHashMap<(Symbol, usize), Value>,
    /// By slot: the variables that look at it.
    watchers: Vec<Vec<VariableId>>,
    /// By slot: anything may stand there.
    open: Vec<bool>,
    /// The slot of facts, if a clause for `init` or `next` could not be read: its words may be there.
    unread_facts: Option<Slot>,
    /// Pairs that have become possible, in order.
    queue: Vec<(Slot, Value)>,
    /// By name: the last rule that had it as a variable, and which.
    current: Vec<(RuleId, VariableId)>,
    /// Nodes of a sentence that are still to be walked.
    pending: Vec<(NodeId, Slot)>,
    budget: usize,
}

impl<'a, 's> Flow<'a, 's> {
    fn new(sheet: &'s Sheet<'a>) -> Self {
        let mut flow = Self {
            sheet,
            pairs: FxHashMap::default(),
            rules: Vec::new(),
            probes: Vec::new(),
            variables: Vec::new(),
            relation_slots: Vec::new(),
            function_slots: FxHashMap::default(),
            values: FxHashMap::default(),
            watchers: Vec::new(),
            open: Vec::new(),
            unread_facts: None,
            queue: Vec::new(),
            current: vec![(RuleId::MAX, 0); sheet.tree.names.len()],
            pending: Vec::new(),
            budget: 100_000 + 60 * sheet.tree.node_count(),
        };
        // `init` and `next` make true, `does` is chosen from `legal`: they share slots.
        let mut shared: FxHashMap<Symbol, Slot> = FxHashMap::default();
        for relation in &sheet.relations {
            let meaning = match relation.symbol {
                keyword::INIT | keyword::NEXT | keyword::TRUE => Some(keyword::TRUE),
                keyword::DOES | keyword::LEGAL => Some(keyword::LEGAL),
                _ => None,
            };
            let known = meaning.and_then(|m| shared.get(&m).copied());
            let slot = known.unwrap_or_else(|| flow.new_slots(relation.arity + 1));
            shared.extend(meaning.map(|m| (m, slot)));
            flow.relation_slots.push(slot);
        }
        flow
    }

    fn new_slots(&mut self, count: usize) -> Slot {
        let first = number(self.watchers.len());
        self.watchers.resize_with(self.watchers.len() + count, Vec::new);
        self.open.resize(self.watchers.len(), false);
        first
    }

    fn value(&mut self, symbol: Symbol, arity: usize) -> Value {
        let next = number(self.values.len()) + 1; // behind EXISTS
        *self.values.entry((symbol, arity)).or_insert(next)
    }

    /// The slot of the first argument of a function.
    fn function(&mut self, symbol: Symbol, arity: usize) -> Slot {
        if let Some(&slot) = self.function_slots.get(&(symbol, arity)) {
            return slot;
        }
        let slot = self.new_slots(arity);
        self.function_slots.insert((symbol, arity), slot);
        slot
    }

    /// Walks the terms of a sentence: each node with its slot, and its value unless it is a
    /// variable. `visit` says whether to go on inside the node.
    fn terms(
        &mut self,
        relation: RelationId,
        sentence: NodeId,
        mut visit: impl FnMut(&mut Self, NodeId, Slot, Option<Value>) -> bool,
    ) {
        let tree = self.sheet.tree;
        let first = self.relation_slots[relation.index()] + 1;
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend(tree.arguments(sentence).zip(first..));
        while let Some((node, slot)) = pending.pop() {
            let Some(symbol) = tree.functor(node) else {
                visit(self, node, slot, None);
                continue;
            };
            let arity = tree.arity(node);
            let value = self.value(symbol, arity);
            if visit(self, node, slot, Some(value)) && arity > 0 {
                let first = self.function(symbol, arity);
                pending.extend(tree.arguments(node).zip(first..));
            }
        }
        self.pending = pending;
    }

    fn enter(&mut self, id: ClauseId) {
        let sheet = self.sheet;
        let clause = &sheet.clauses[id];
        let exists = self.relation_slots[clause.relation.index()];
        if clause.body.is_empty() {
            self.possible(exists, EXISTS);
            self.terms(clause.relation, clause.head, |flow, _, slot, value| {
                if let Some(value) = value {
                    flow.possible(slot, value);
                }
                true
            });
            return;
        }
        let rule = number(self.rules.len());
        self.rules.push(Rule { clause: id, unmet: 0, conditions: Vec::new(), gives: vec![(exists, EXISTS)] });
        // Conditions inside an `or` come second: they matter only to variables that have no others.
        for (literal, condition) in sheet.conditions(clause.body.clone()) {
            match condition.kind {
                LiteralKind::Positive => self.condition(rule, literal, false),
                LiteralKind::Negative => self.probe(id, literal),
                _ => {}
            }
        }
        for (or, condition) in sheet.conditions(clause.body.clone()) {
            for literal in sheet.inside(or).filter(|_| condition.kind == LiteralKind::Or) {
                match sheet.literals[literal].kind {
                    LiteralKind::Positive => {
                        self.condition(rule, literal, true);
                        self.probe(id, literal);
                    }
                    LiteralKind::Negative => self.probe(id, literal),
                    _ => {}
                }
            }
        }
        self.terms(clause.relation, clause.head, |flow, node, slot, value| {
            match value {
                Some(value) => flow.rules[rule as usize].gives.push((slot, value)),
                None => {
                    let variable = sheet.tree.variable(node).map(|v| flow.current[v.index()]);
                    if let Some((_, id)) = variable.filter(|&(of, _)| of == rule) {
                        flow.variables[id as usize].targets.push(slot);
                    }
                }
            }
            true
        });
        let unmet = self.rules[rule as usize].conditions.len();
        self.rules[rule as usize].unmet = number(unmet);
        if unmet == 0 {
            self.fire(rule);
        }
    }

    /// Enters what a positive condition demands.
    fn condition(&mut self, rule: RuleId, literal: LiteralId, in_or: bool) {
        let atom = self.sheet.literals[literal].atom;
        let Some(relation) = self.sheet.literals[literal].relation else { return };
        if !in_or {
            let exists = self.relation_slots[relation.index()];
            self.demand(rule, exists, EXISTS, Obstacle::Empty(literal));
        }
        self.terms(relation, atom, |flow, node, slot, value| {
            if flow.is_open(slot, flow.sheet.tree.functor(node)) {
                return false;
            }
            match value {
                None => flow.source(rule, node, slot, in_or),
                Some(value) if !in_or => flow.demand(rule, slot, value, Obstacle::Missing(literal, node)),
                Some(_) => {}
            }
            true
        });
    }

    /// Notes what a condition names, to look at it when everything possible is known.
    fn probe(&mut self, clause: ClauseId, literal: LiteralId) {
        let Some(relation) = self.sheet.literals[literal].relation else { return };
        let mut names = Vec::new();
        self.terms(relation, self.sheet.literals[literal].atom, |flow, node, slot, value| {
            if flow.is_open(slot, flow.sheet.tree.functor(node)) {
                return false;
            }
            names.extend(value.map(|value| (slot, value, node)));
            true
        });
        if !names.is_empty() {
            self.probes.push(Probe { clause, literal, names });
        }
    }

    fn demand(&mut self, rule: RuleId, slot: Slot, value: Value, obstacle: Obstacle) {
        self.rules[rule as usize].conditions.push(Condition::Pair(slot, value, obstacle));
        self.pairs.entry((slot, value)).or_default().waiting.push(rule);
    }

    fn source(&mut self, rule: RuleId, node: NodeId, slot: Slot, in_or: bool) {
        let Some(variable) = self.sheet.tree.variable(node) else { return };
        let (of, mut id) = self.current[variable.index()];
        if of != rule {
            id = number(self.variables.len());
            self.variables.push(Variable {
                rule,
                sources: Vec::new(),
                any: in_or,
                values: Vec::new(),
                targets: Vec::new(),
                node,
            });
            self.rules[rule as usize].conditions.push(Condition::Variable(id));
            self.current[variable.index()] = (rule, id);
        }
        let variable = &mut self.variables[id as usize];
        let full = !in_or && variable.sources.len() >= MAX_SOURCES;
        if variable.any == in_or && !full && !variable.sources.contains(&slot) {
            variable.sources.push(slot);
            self.watchers[slot as usize].push(id);
        }
    }

    /// Notes that a value can stand in a slot.
    fn possible(&mut self, slot: Slot, value: Value) {
        let pair = self.pairs.entry((slot, value)).or_default();
        if !std::mem::replace(&mut pair.possible, true) {
            self.queue.push((slot, value));
        }
    }

    fn run(mut self) -> Option<Domains> {
        let mut at = 0;
        while let Some(&(slot, value)) = self.queue.get(at) {
            at += 1;
            let pair = self.pairs.entry((slot, value)).or_default();
            pair.told = true;
            let waiting = std::mem::take(&mut pair.waiting);
            let watching = self.watchers[slot as usize].len();
            self.budget = self.budget.checked_sub(1 + waiting.len() + watching)?;
            for rule in waiting {
                self.meet(rule);
            }
            for watcher in 0..watching {
                self.offer(self.watchers[slot as usize][watcher], slot, value);
            }
        }
        Some(Domains { rules: self.rules, probes: self.probes, variables: self.variables, pairs: self.pairs })
    }

    fn meet(&mut self, rule: RuleId) {
        let unmet = &mut self.rules[rule as usize].unmet;
        *unmet -= 1;
        if *unmet == 0 {
            self.fire(rule);
        }
    }

    /// A value has become possible in one of the places of a variable.
    fn offer(&mut self, id: VariableId, slot: Slot, value: Value) {
        let variable = &self.variables[id as usize];
        let told = |&s: &Slot| self.pairs.get(&(s, value)).is_some_and(|p| p.told);
        let mut others = variable.sources.iter().filter(|&&s| s != slot);
        // The last place of all, or the first of any, brings the value in: exactly once.
        let fits = if variable.any { !others.any(told) } else { others.all(told) };
        if !fits {
            return;
        }
        let rule = variable.rule;
        let variable = &mut self.variables[id as usize];
        variable.values.push(value);
        if variable.values.len() == 1 {
            self.meet(rule);
        } else if self.rules[rule as usize].unmet == 0 {
            let targets = std::mem::take(&mut variable.targets);
            self.spend(targets.len());
            for &target in &targets {
                self.possible(target, value);
            }
            self.variables[id as usize].targets = targets;
        }
    }

    fn fire(&mut self, rule: RuleId) {
        for (slot, value) in std::mem::take(&mut self.rules[rule as usize].gives) {
            self.possible(slot, value);
        }
        for condition in 0..self.rules[rule as usize].conditions.len() {
            let Condition::Variable(id) = self.rules[rule as usize].conditions[condition] else { continue };
            let variable = &mut self.variables[id as usize];
            let (targets, values) =
                (std::mem::take(&mut variable.targets), std::mem::take(&mut variable.values));
            self.spend(targets.len() * values.len());
            if self.budget > 0 {
                for &target in &targets {
                    for &value in &values {
                        self.possible(target, value);
                    }
                }
            }
            let variable = &mut self.variables[id as usize];
            (variable.targets, variable.values) = (targets, values);
        }
    }

    fn spend(&mut self, steps: usize) {
        self.budget = self.budget.saturating_sub(steps);
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
