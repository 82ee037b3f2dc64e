//! Safety: every variable of a head, a negated condition or a `distinct` must get its values from
//! a condition that holds in every branch (Love et al. 2008, definition 13).
//!
//! Published sheets break this in three ways whose meaning is plain; they are warnings:
//! - the variable stands for the player in `legal` or `goal`, and players are known;
//! - the relation is an abbreviation, used only where its arguments have values already
//!   (`(<= (differ ?x ?y) (distinct ?x ?y))`): see [`Demands`];
//! - the variable occurs in one negated condition only, beside others that have values: the
//!   condition is read as "for no value of it".

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::{Clause, ClauseId, LiteralId, LiteralKind, RelationId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, keyword, relation_keyword_arity};
use crate::report::Report;
use crate::tree::NodeId;

/// Where a variable without values stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    Negation(LiteralId),
    Distinct,
}

/// A variable without values: the clause, and its first occurrence that needs one.
struct Unsafe {
    clause: ClauseId,
    variable: Symbol,
    node: NodeId,
    place: Place,
}

/// Argument positions of relations that must have a value where the relation is used, because the
/// rules of the relation give it none.
#[derive(Debug, Default)]
pub(crate) struct Demands {
    /// Relation and position.
    pub met: FxHashSet<(RelationId, usize)>,
    /// Variables of heads without a value, excused or not: with their clauses.
    pub open_heads: FxHashSet<(ClauseId, Symbol)>,
}

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) -> Demands {
    let mut finder = Finder {
        sheet,
        bound: vec![0; sheet.tree.names.len()],
        reported: vec![usize::MAX; sheet.tree.names.len()],
        found: Vec::new(),
    };
    for (id, clause) in sheet.clauses.iter().enumerate() {
        finder.clause(id, clause);
    }
    let found = finder.found;
    if found.is_empty() {
        return Demands::default();
    }
    // A sheet with this many is not one of the published ones with a slip: excuse nothing.
    let excuse = found.len() <= MAX_EXCUSED;
    let mut demands = if excuse { Closure::new(sheet, &found).run() } else { Demands::default() };
    // Findings of one clause stand together.
    let mut head: (ClauseId, FxHashSet<Symbol>) = (usize::MAX, FxHashSet::default());
    for one in &found {
        if head.0 != one.clause {
            head = (one.clause, variables(sheet, sheet.clauses[one.clause].head).collect());
        }
        if head.1.contains(&one.variable) {
            demands.open_heads.insert((one.clause, one.variable));
        }
    }
    for unsafe_variable in &found {
        if !excuse || !excused(sheet, unsafe_variable, &demands, report) {
            refuse(sheet, unsafe_variable, report);
        }
    }
    demands
}

/// Up to how many variables without values the sheet is searched for an excuse.
const MAX_EXCUSED: usize = 500;
/// How many nodes that search may look at.
const MAX_SEARCH: usize = 5_000_000;

struct Finder<'a, 's> {
    sheet: &'s Sheet<'a>,
    /// By variable: in how many ways it has values here.
    bound: Vec<u32>,
    /// By variable: the last clause it was found in, so that each is found once a clause.
    reported: Vec<ClauseId>,
    found: Vec<Unsafe>,
}

impl Finder<'_, '_> {
    fn clause(&mut self, id: ClauseId, clause: &Clause) {
        let range = clause.body.clone();
        let given = self.gives_values(range.clone());
        self.shift(&given, 1);
        self.conditions(id, range);
        self.need(id, clause.head, Place::Head);
        self.shift(&given, -1);
    }

    fn shift(&mut self, variables: &[Symbol], by: i32) {
        for variable in variables {
            let count = &mut self.bound[variable.index()];
            *count = count.wrapping_add_signed(by);
        }
    }

    /// The variables that get values when all conditions of the range hold (with repetitions).
    fn gives_values(&self, range: std::ops::Range<LiteralId>) -> Vec<Symbol> {
        let sheet = self.sheet;
        let mut given = Vec::new();
        for (id, literal) in sheet.conditions(range) {
            match literal.kind {
                LiteralKind::Positive => given.extend(variables(sheet, literal.atom)),
                LiteralKind::And => given.extend(self.gives_values(sheet.inside(id))),
                LiteralKind::Or => {
                    // Only what every branch gives counts.
                    let mut branches = 0;
                    let mut counts: FxHashMap<Symbol, usize> = FxHashMap::default();
                    for (branch, _) in sheet.conditions(sheet.inside(id)) {
                        for variable in self.gives_values(sheet.whole(branch)) {
                            let count = counts.entry(variable).or_default();
                            if *count == branches {
                                *count += 1;
                            }
                        }
                        branches += 1;
                    }
                    let mut common: Vec<_> =
                        counts.into_iter().filter(|&(_, n)| n == branches).map(|(v, _)| v).collect();
                    common.sort_unstable();
                    given.extend(common);
                }
                _ => {}
            }
        }
        given
    }

    fn conditions(&mut self, clause: ClauseId, range: std::ops::Range<LiteralId>) {
        let sheet = self.sheet;
        for (id, literal) in sheet.conditions(range) {
            match literal.kind {
                LiteralKind::Negative => self.need(clause, literal.atom, Place::Negation(id)),
                LiteralKind::Distinct | LiteralKind::Same => self.need(clause, literal.atom, Place::Distinct),
                LiteralKind::Or => {
                    for (branch, _) in sheet.conditions(sheet.inside(id)) {
                        let given = self.gives_values(sheet.whole(branch));
                        self.shift(&given, 1);
                        self.conditions(clause, sheet.branch(branch));
                        self.shift(&given, -1);
                    }
                }
                LiteralKind::And | LiteralKind::Positive => {}
            }
        }
    }

    fn need(&mut self, clause: ClauseId, node: NodeId, place: Place) {
        for node in self.sheet.tree.subtree(node) {
            if let Some(variable) = self.sheet.tree.variable(node) {
                let at = variable.index();
                if self.bound[at] == 0 && self.reported[at] != clause {
                    self.reported[at] = clause;
                    self.found.push(Unsafe { clause, variable, node, place });
                }
            }
        }
    }
}

fn variables(sheet: &Sheet<'_>, node: NodeId) -> impl Iterator<Item = Symbol> {
    sheet.tree.subtree(node).filter_map(|n| sheet.tree.variable(n))
}

/// Finds out which variables without values get them from all places where the relation is used.
///
/// Demands spread: when the value must come from a variable that the using rule does not know
/// either, its own relation demands it in turn. A demand on a relation that is never used, or that
/// the language itself asks for, cannot be met; nor can one that spreads to such a demand.
struct Closure<'a, 's> {
    sheet: &'s Sheet<'a>,
    index: FxHashMap<(RelationId, usize), usize>,
    list: Vec<(RelationId, usize)>,
    /// How many of them come from rules with unsafe variables; the others have spread.
    own: usize,
    /// For each demand, those that it rests on.
    rests_on: Vec<Vec<usize>>,
    failed: Vec<bool>,
    /// Nodes that may still be looked at.
    budget: std::cell::Cell<usize>,
}

impl<'a, 's> Closure<'a, 's> {
    fn new(sheet: &'s Sheet<'a>, found: &[Unsafe]) -> Self {
        let mut closure = Self {
            sheet,
            index: FxHashMap::default(),
            list: Vec::new(),
            own: 0,
            rests_on: Vec::new(),
            failed: Vec::new(),
            budget: std::cell::Cell::new(MAX_SEARCH),
        };
        for one in found {
            let clause = &sheet.clauses[one.clause];
            let position = head_position(sheet, clause, one.variable);
            if let Some(position) = position.filter(|_| clause.is_rule) {
                closure.demand((clause.relation, position));
            }
        }
        closure.own = closure.list.len();
        closure
    }

    fn demand(&mut self, key: (RelationId, usize)) -> usize {
        if let Some(&at) = self.index.get(&key) {
            return at;
        }
        let at = self.list.len();
        self.index.insert(key, at);
        self.list.push(key);
        self.rests_on.push(Vec::new());
        self.failed.push(false);
        at
    }

    fn run(mut self) -> Demands {
        // A new demand can take away what another rested on, so go round until nothing is new;
        // sheets need two or three rounds, and giving up means that nothing is excused.
        for _ in 0..16 {
            let before = self.list.len();
            let mut at = 0;
            while at < self.list.len() {
                if self.budget.get() == 0 {
                    return Demands::default();
                }
                self.visit(at);
                at += 1;
            }
            if self.list.len() == before {
                return self.finish();
            }
        }
        Demands::default()
    }

    fn visit(&mut self, at: usize) {
        let sheet = self.sheet;
        let (id, position) = self.list[at];
        let relation = sheet.relation(id);
        self.rests_on[at].clear();
        if position == 0 && relation.arity == 2 && matches!(relation.symbol, keyword::LEGAL | keyword::GOAL) {
            return; // the players are known
        }
        let asked_by_language = relation_keyword_arity(relation.symbol).is_some();
        // A relation that nothing uses is no excuse for its own rules, but does not ask others.
        let unused = at < self.own && relation.uses.is_empty();
        self.failed[at] = asked_by_language || unused;
        for &(user, literal) in &relation.uses {
            let clause = &sheet.clauses[user];
            let Some(argument) = sheet.argument(sheet.literals[literal].atom, position) else {
                continue;
            };
            for variable in variables(sheet, argument) {
                if self.has_value_elsewhere(clause, variable) {
                    continue;
                }
                match head_position(sheet, clause, variable) {
                    Some(position) => {
                        let on = self.demand((clause.relation, position));
                        self.rests_on[at].push(on);
                    }
                    None => self.failed[at] = true,
                }
            }
        }
    }

    /// Whether some condition of the clause gives the variable a value at a place without demand.
    fn has_value_elsewhere(&self, clause: &Clause, variable: Symbol) -> bool {
        let sheet = self.sheet;
        let cost = sheet.tree.size(clause.node);
        self.budget.set(self.budget.get().saturating_sub(cost));
        if self.budget.get() == 0 {
            return false;
        }
        sheet.conditions(clause.body.clone()).any(|(_, literal)| {
            let Some(relation) = literal.relation.filter(|_| literal.kind == LiteralKind::Positive) else {
                return false;
            };
            let mut arguments = sheet.tree.arguments(literal.atom).enumerate();
            arguments.any(|(position, argument)| {
                !self.index.contains_key(&(relation, position))
                    && variables(sheet, argument).any(|v| v == variable)
            })
        })
    }

    fn finish(mut self) -> Demands {
        // A demand fails when one that it rests on fails.
        loop {
            let fails = (0..self.list.len())
                .find(|&at| !self.failed[at] && self.rests_on[at].iter().any(|&on| self.failed[on]));
            match fails {
                Some(at) => self.failed[at] = true,
                None => break,
            }
        }
        let met = self.list.iter().zip(&self.failed).filter(|(_, failed)| !**failed);
        Demands { met: met.map(|(&key, _)| key).collect(), ..Demands::default() }
    }
}

/// The first argument of the head that has the variable.
fn head_position(sheet: &Sheet<'_>, clause: &Clause, variable: Symbol) -> Option<usize> {
    let mut arguments = sheet.tree.arguments(clause.head);
    arguments.position(|argument| variables(sheet, argument).any(|v| v == variable))
}

/// Reports a variable whose meaning is plain all the same; says whether it is one.
fn excused(sheet: &Sheet<'_>, one: &Unsafe, demands: &Demands, report: &mut Report) -> bool {
    let clause = &sheet.clauses[one.clause];
    let span = sheet.tree.span(one.node);
    let shown = sheet.source.text(span);
    let position = head_position(sheet, clause, one.variable);
    if clause.is_rule && position.is_some_and(|p| demands.met.contains(&(clause.relation, p))) {
        let name = sheet.relation_name(clause.relation);
        report.add(Code::BoundByCaller, || {
            Diagnostic::at(Code::BoundByCaller, span, format!("the rule itself gives `{shown}` no value"))
                .label(format!("gets one only where `{name}` is used"))
                .help(format!("add a condition that lists the values of `{shown}`, such as `(role {shown})`; some GDL programs refuse this"))
        });
        return true;
    }
    let Place::Negation(literal) = one.place else {
        return false;
    };
    let excused = is_for_no_value(sheet, clause, literal, one.variable);
    if excused {
        report.add(Code::NegationForNoValue, || {
            Diagnostic::at(
                Code::NegationForNoValue,
                span,
                format!("`{shown}` has no value in this negated condition"),
            )
            .label(format!("read as \"for no {shown}\""))
            .help("define a relation that hides the variable and negate that; some GDL programs refuse this")
        });
    }
    excused
}

fn refuse(sheet: &Sheet<'_>, one: &Unsafe, report: &mut Report) {
    let clause = &sheet.clauses[one.clause];
    let span = sheet.tree.span(one.node);
    let shown = sheet.source.text(span);
    let (code, message) = match one.place {
        Place::Head if !clause.is_rule => {
            (Code::VariableInFact, format!("a fact cannot have the variable `{shown}`"))
        }
        Place::Head => {
            (Code::UnsafeHead, format!("nothing gives the variable `{shown}` of the head a value"))
        }
        Place::Negation(_) => (
            Code::UnsafeNegation,
            format!("nothing gives the variable `{shown}` a value before it is negated"),
        ),
        Place::Distinct => (
            Code::UnsafeDistinct,
            format!("nothing gives the variable `{shown}` a value before it is compared"),
        ),
    };
    report.add(code, || {
        let help = if clause.is_rule {
            format!("add a condition that lists the values of `{shown}`, such as `(role {shown})`; in an `or`, every branch needs one")
        } else {
            format!("write one fact for each value, or a rule with a condition that lists the values of `{shown}`")
        };
        let mut diagnostic = Diagnostic::at(code, span, message).label("could be anything").help(help);
        if one.place != Place::Head {
            diagnostic = diagnostic.also(sheet.tree.span(clause.head), "in this rule");
        }
        diagnostic
    });
}

/// The variable occurs in this negated condition only, and another variable there has values.
fn is_for_no_value(sheet: &Sheet<'_>, clause: &Clause, literal: LiteralId, variable: Symbol) -> bool {
    let atom = sheet.literals[literal].atom;
    let inside = variables(sheet, atom).filter(|&v| v == variable).count();
    let everywhere = variables(sheet, clause.node).filter(|&v| v == variable).count();
    let positive = |v: Symbol| {
        sheet
            .conditions(clause.body.clone())
            .any(|(_, l)| l.kind == LiteralKind::Positive && variables(sheet, l.atom).any(|w| w == v))
    };
    inside == everywhere && variables(sheet, atom).any(|v| v != variable && positive(v))
}
