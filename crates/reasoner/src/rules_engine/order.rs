//! Order: which condition of a clause comes next.
//!
//! An order costs the sum, over its conditions, of what the condition costs each time and how often
//! the conditions before it hold. Cheap tests come as soon as their values are known; for the rest
//! the order that costs least is searched for.

use super::code::Mode;
use super::compile::Compiler;
use super::estimate::{CostEstimate, estimate};
use super::program::{BodyGoal, Clause, RulesLiteral, RulesPattern};

/// Facts about the variables of a clause that do not depend on the order of its conditions.
#[derive(Debug)]
pub(super) struct VariableUses {
    /// By variable: in how many conditions it occurs, the head being one where it is asked for.
    uses: Vec<usize>,
    /// By variable: some condition, or the call, can give it a value.
    pub can_have_value: Vec<bool>,
}

impl VariableUses {
    /// Of a clause that answers calls of this kind.
    pub(super) fn new(clause: &Clause, modes: &[Mode]) -> Self {
        let mut uses = vec![0; clause.variables];
        let mut last = vec![usize::MAX; clause.variables];
        let mut can_have_value = vec![false; clause.variables];
        let mut count = |at: usize, v: usize| {
            if std::mem::replace(&mut last[v], at) != at {
                uses[v] += 1;
            }
        };
        for (argument, mode) in clause.head.arguments.iter().zip(modes) {
            match mode {
                Mode::Given => argument.variables(&mut |v| can_have_value[v] = true),
                Mode::Asked => argument.variables(&mut |v| count(clause.body.len(), v)),
                Mode::Ignored => {}
            }
        }
        for (at, goal) in clause.body.iter().enumerate() {
            goal.variables(&mut |v| count(at, v));
            if let BodyGoal::Holds(_) | BodyGoal::Same(..) = goal {
                goal.variables(&mut |v| can_have_value[v] = true);
            }
        }
        Self { uses, can_have_value }
    }

    /// Whether the value of a variable is used by more than the condition that gives it.
    pub(super) fn matters(&self, variable: usize) -> bool {
        self.uses[variable] > 1
    }
}

/// How a condition calls its relation.
pub(super) fn modes(
    literal: &RulesLiteral,
    knowledge: &VariableUses,
    bound: &[bool],
    negated: bool,
) -> Vec<Mode> {
    let occurrences = |variable: usize| {
        let mut count = 0;
        literal.variables(&mut |v| count += usize::from(v == variable));
        count
    };
    let mode = |pattern: &RulesPattern| {
        let mut known = true;
        pattern.variables(&mut |v| known &= bound[v]);
        match pattern {
            _ if known => Mode::Given,
            RulesPattern::Variable(v) if negated || (!knowledge.matters(*v) && occurrences(*v) == 1) => {
                Mode::Ignored
            }
            _ => Mode::Asked,
        }
    };
    literal.arguments.iter().map(mode).collect()
}

/// The condition that should come next, if any can.
pub(super) fn best(
    compiler: &mut Compiler<'_>,
    knowledge: &VariableUses,
    left: &[&BodyGoal],
    bound: &[bool],
) -> Option<(usize, CostEstimate)> {
    let mut best: Option<(usize, CostEstimate, (u8, f64))> = None;
    for (at, goal) in left.iter().enumerate() {
        let Some(estimate) = estimate(compiler, knowledge, goal, bound) else { continue };
        let rank = rank(estimate);
        if best.is_none_or(|(_, _, other)| rank.0 < other.0 || (rank.0 == other.0 && rank.1 < other.1)) {
            best = Some((at, estimate, rank));
        }
    }
    best.map(|(at, estimate, _)| (at, estimate))
}

/// A beginning of an order.
#[derive(Clone)]
struct Beginning {
    taken: Vec<usize>,
    bound: Vec<bool>,
    /// Ways in which all of it holds.
    rows: f64,
    /// What it costs to find them.
    cost: f64,
}

/// How many beginnings are followed at a time.
const BEAM: usize = 12;
/// Clauses with more conditions are ordered one condition at a time.
const MAX_SEARCHED: usize = 24;

/// The order in which the conditions of a clause should come, as positions in the body. It is
/// shorter than the body if some variables never get values.
///
/// Beginnings of orders are extended side by side, and those that promise the least cost are kept.
pub(super) fn order(
    compiler: &mut Compiler<'_>,
    knowledge: &VariableUses,
    clause: &Clause,
    bound: &[bool],
) -> Vec<usize> {
    let beam = if compiler.choice.greedy || clause.body.len() > MAX_SEARCHED { 1 } else { BEAM };
    let start = Beginning { taken: Vec::new(), bound: bound.to_vec(), rows: 1.0, cost: 0.0 };
    let mut beginnings = vec![start];
    for length in 0..clause.body.len() {
        let mut longer: Vec<(f64, Beginning)> = Vec::new();
        for beginning in &beginnings {
            extend(compiler, knowledge, clause, beginning, beam == 1, &mut longer);
        }
        if longer.is_empty() {
            break;
        }
        // Each tuple will cost something more for every condition that is left.
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let later = (clause.body.len() - length - 1) as f64 * 4.0;
        for (score, beginning) in &mut longer {
            *score = beginning.cost + beginning.rows * later;
        }
        longer.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        beginnings.clear();
        for (_, beginning) in longer {
            let mut set = beginning.taken.clone();
            set.sort_unstable();
            let same = |other: &Beginning| {
                let mut other = other.taken.clone();
                other.sort_unstable();
                other == set
            };
            // The same conditions in a worse order.
            if !beginnings.iter().any(same) {
                beginnings.push(beginning);
                if beginnings.len() == beam {
                    break;
                }
            }
        }
    }
    beginnings.into_iter().next().map(|beginning| beginning.taken).unwrap_or_default()
}

/// Adds all ways to go on: a cheap test if there is one, otherwise every condition that can come.
fn extend(
    compiler: &mut Compiler<'_>,
    knowledge: &VariableUses,
    clause: &Clause,
    beginning: &Beginning,
    greedy: bool,
    longer: &mut Vec<(f64, Beginning)>,
) {
    let mut ways: Vec<(usize, CostEstimate)> = Vec::new();
    for (at, goal) in clause.body.iter().enumerate() {
        if beginning.taken.contains(&at) {
            continue;
        }
        let Some(estimate) = estimate(compiler, knowledge, goal, &beginning.bound) else { continue };
        if rank(estimate).0 == 0 && gives_nothing(goal, &beginning.bound) {
            ways = vec![(at, estimate)];
            break;
        }
        ways.push((at, estimate));
    }
    if greedy {
        ways.sort_by(|(_, a), (_, b)| {
            let (a, b) = (rank(*a), rank(*b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        ways.truncate(1);
    }
    for (at, estimate) in ways {
        let mut next = beginning.clone();
        next.taken.push(at);
        next.cost += next.rows * estimate.cost;
        next.rows = (next.rows * estimate.rows).max(1e-3);
        if let BodyGoal::Holds(_) | BodyGoal::Same(..) = &clause.body[at] {
            clause.body[at].variables(&mut |v| next.bound[v] = true);
        }
        longer.push((0.0, next));
    }
}

/// Whether the condition is a mere test.
fn gives_nothing(goal: &BodyGoal, bound: &[bool]) -> bool {
    let mut known = true;
    goal.variables(&mut |v| known &= bound[v]);
    known || matches!(goal, BodyGoal::Fails(_))
}

/// Small for what should come soon: each tuple is taken to cost so much more later.
fn rank(estimate: CostEstimate) -> (u8, f64) {
    const CHEAP: f64 = 3.0;
    const LATER: f64 = 20.0;
    let CostEstimate { rows, cost } = estimate;
    match rows <= 1.0 && cost <= CHEAP {
        true => (0, rows + cost / 100.0),
        false => (1, cost + rows * LATER),
    }
}
