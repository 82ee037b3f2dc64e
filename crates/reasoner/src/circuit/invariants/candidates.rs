//! Candidates for mutex groups, by the shape of fact terms.
//!
//! A candidate consists of facts of a relation that agree in all but some arguments: `(cell 1 1
//! x)`, `(cell 1 1 o)` and `(cell 1 1 b)` differ in the last one only, `(robot 2 3)` and `(robot 2
//! 4)` in any. All subsets of arguments are tried. A group that fails in the initial state is no
//! candidate.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Circuit;
use super::super::gate::Signal;
use super::GroupKind;

/// Relations with more arguments get only groups that differ in one argument or in all, because the
/// number of subsets doubles with each argument.
const MAX_SUBSETS: usize = 4;
/// Maximum facts of a group: larger ones are too much work to prove.
const MAX_FACTS: usize = 1024;

/// A group that holds in the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupCandidate {
    pub facts: Vec<u32>,
    pub kind: GroupKind,
    /// The stage at which it is tried, likely ones first: a proof may use only groups of its own
    /// stage or an earlier one.
    pub stage: u8,
}

/// All candidates, in the order of their first facts.
pub(super) fn candidates(circuit: &Circuit) -> Vec<GroupCandidate> {
    // Facts, and whether they differ in the last arguments: those mostly hold the value of the
    // others.
    let mut groups: Vec<(Vec<u32>, bool)> = Vec::new();
    let mut by_key: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    for (number, fact) in (0..).zip(&circuit.facts) {
        if is_constant(fact.initial, fact.next) {
            continue;
        }
        let arguments = circuit.terms.arguments(fact.term);
        for differ in subsets(arguments.len()) {
            let mut key =
                vec![u32::try_from(circuit.terms.symbol(fact.term).index()).unwrap_or(u32::MAX), differ];
            let fixed = arguments.iter().enumerate().filter(|(at, _)| differ >> at & 1 == 0);
            key.extend(fixed.map(|(_, argument)| argument.0));
            key.push(u32::try_from(arguments.len()).unwrap_or(u32::MAX));
            let next = groups.len();
            let at = *by_key.entry(key).or_insert(next);
            if at == next {
                groups.push((Vec::new(), are_last(differ, arguments.len())));
            }
            groups[at].0.push(number);
        }
    }
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
    let mut found = Vec::new();
    for (facts, likely) in groups {
        let at_first = facts.iter().filter(|&&fact| circuit.facts[fact as usize].initial).count();
        if facts.len() < 2 || facts.len() > MAX_FACTS || at_first > 1 || !seen.insert(facts.clone()) {
            continue;
        }
        let kind = if at_first == 1 { GroupKind::OneOf } else { GroupKind::Exclusive };
        found.push(GroupCandidate { facts, kind, stage: if likely { 0 } else { 2 } });
    }
    found
}

/// Whether a fact trivially keeps its initial value.
pub(super) fn is_constant(initial: bool, next: Signal) -> bool {
    next == if initial { Signal::TRUE } else { Signal::FALSE }
}

/// Whether the set of arguments is a suffix of the argument list.
fn are_last(differ: u32, arguments: usize) -> bool {
    let end = 1u64 << arguments.min(31);
    u64::from(differ) + (1 << differ.trailing_zeros()) == end
}

/// Sets of arguments that may differ, as bits.
fn subsets(arguments: usize) -> Vec<u32> {
    match arguments {
        0 => Vec::new(),
        1..=MAX_SUBSETS => (1..1 << arguments).collect(),
        _ => {
            let bits = arguments.min(31);
            (0..bits).map(|at| 1 << at).chain([(1 << bits) - 1]).collect()
        }
    }
}
