//! Demand transformation (magic sets): relations are computed only for the arguments in use.
//!
//! Found from the facts upwards, a relation with seven places can have millions of rows of which
//! the rules ever look at a few thousand, and a relation that leaves values to its callers has no
//! end of them. Such a relation gets, for each way in which it is called (which places have values
//! then), a *demand* relation over these places: its rules fire only for what is in there. A
//! condition that calls it gives a rule for the demand, whose body is what is matched before the
//! call:
//!
//! ```text
//! win(R) if role(R), line(R, nil)               demand(R, nil) if role(R)
//! line(R, L) if member(R, L)                    line(R, L) if demand(R, L), member(R, L)
//! ```
//!
//! Demands are part of grounding only. They come from conditions that may hold, whatever the state,
//! so they are too many, never too few, and a rule whose demand is met is the rule as it was:
//! demands leave no trace in the instances. Negated conditions demand as positive ones do: what is
//! demanded and not found fails.
//!
//! Magic sets: Bancilhon, Maier, Sagiv, Ullman, Magic sets and other strange ways to implement
//! logic programs, PODS 1986; Beeri, Ramakrishnan, On the power of magic, JLP 1991.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::demand_choice::DemandChoice;
use super::program::{NormalLiteral, NormalPattern, NormalProgram, NormalRule, Rel, variables_of};
use crate::limits::StopReason;

/// Places of a relation that have values when it is called, as bits.
type Places = u64;

/// A relation that is called in more ways is called with fewer values, as much like one of these
/// ways as can be.
const MAX_WAYS: usize = 6;

/// Rewrites a program so that the chosen relations are computed on demand.
pub(crate) fn demand_driven(
    program: NormalProgram,
    choice: &mut DemandChoice,
) -> Result<NormalProgram, StopReason> {
    let mut of_head: Vec<Vec<usize>> = vec![Vec::new(); program.relations.len()];
    for (at, rule) in program.rules.iter().enumerate() {
        of_head[rule.head.0 as usize].push(at);
    }
    let originals = program.rules.clone();
    let mut rewriting =
        Rewriting { choice, program, demands: BTreeMap::new(), todo: Vec::new(), rules: Vec::new() };
    for rule in &originals {
        if !rewriting.choice.is_on_demand(rule.head.0) {
            rewriting.rule(rule, 0)?;
        }
    }
    while let Some((relation, places)) = rewriting.todo.pop() {
        for &at in &of_head[relation as usize] {
            rewriting.rule(&originals[at], places)?;
        }
    }
    let Rewriting { mut program, demands, rules, .. } = rewriting;
    // Where a relation is needed as a whole, its rules for single demands are superfluous.
    let is_whole = |relation: Rel| demands.contains_key(&(relation, 0));
    program.rules = rules
        .into_iter()
        .filter(|(rule, places)| *places == 0 || !is_whole(rule.head.0))
        .map(|r| r.0)
        .collect();
    Ok(program)
}

struct Rewriting<'a> {
    choice: &'a mut DemandChoice,
    program: NormalProgram,
    /// By relation and way of calling it: the demand.
    demands: BTreeMap<(Rel, Places), Rel>,
    /// Ways of calling for which there are no rules yet.
    todo: Vec<(Rel, Places)>,
    /// The rules so far, each with the way of calling that it is for.
    rules: Vec<(NormalRule, Places)>,
}

impl Rewriting<'_> {
    /// Adds a rule for one way of calling its head, and the demands of its conditions.
    fn rule(&mut self, rule: &NormalRule, places: Places) -> Result<(), StopReason> {
        let mut matched: Vec<NormalLiteral> = Vec::new();
        let mut bound = FxHashSet::default();
        if places != 0 {
            let demand = self.demands[&(rule.head.0, places)];
            let guard = NormalLiteral::Holds(demand, chosen(&rule.head.1, places));
            bound.extend(guard.variables());
            matched.push(guard);
        }
        let guards = matched.len();
        let mut todo: Vec<&NormalLiteral> = rule.body.iter().collect();
        while !todo.is_empty() {
            let next = self.next(&todo, &bound)?;
            let literal = todo.remove(next);
            if let NormalLiteral::Holds(relation, arguments) | NormalLiteral::Fails(relation, arguments) =
                literal
                && self.choice.is_on_demand(*relation)
            {
                // A call with the values that the rule itself is called with is met already.
                let met = places != 0
                    && *relation == rule.head.0
                    && chosen(arguments, places) == chosen(&rule.head.1, places);
                if !met {
                    self.call(*relation, arguments, &matched, &bound, rule.variables);
                }
            }
            match literal {
                NormalLiteral::Holds(..) => {
                    bound.extend(literal.variables());
                    matched.push(literal.clone());
                }
                NormalLiteral::Differ(..) => matched.push(literal.clone()),
                // Demands do not depend on conditions decided in play.
                NormalLiteral::Fails(..) => {}
            }
        }
        matched.truncate(guards);
        matched.extend_from_slice(&rule.body);
        self.rules.push((NormalRule { body: matched, ..rule.clone() }, places));
        Ok(())
    }

    /// Which condition to match next: the one with the fewest expected matches; negated ones last.
    fn next(&mut self, todo: &[&NormalLiteral], bound: &FxHashSet<u32>) -> Result<usize, StopReason> {
        let mut best: Option<(f64, usize)> = None;
        for (at, literal) in todo.iter().enumerate() {
            let cost = match literal {
                NormalLiteral::Differ(..) if literal.variables().is_subset(bound) => 0.0,
                NormalLiteral::Differ(..) => continue,
                NormalLiteral::Fails(..) => f64::INFINITY,
                NormalLiteral::Holds(relation, arguments) => {
                    let given = self.program.relations[*relation as usize].given;
                    let places = bound_places(arguments, bound);
                    if places & given != given {
                        continue;
                    }
                    // A call without bound arguments computes the whole relation, so it goes last.
                    match places == 0 && self.choice.is_on_demand(*relation) {
                        true => f64::MAX,
                        false => self.choice.expected(*relation, arguments, bound),
                    }
                }
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, at));
            }
        }
        let unbound = || StopReason::Unsupported("a condition leaves a variable without a value".into());
        best.map(|(_, at)| at).ok_or_else(unbound)
    }

    /// Adds the demand of a call, from what is matched before it.
    fn call(
        &mut self,
        relation: Rel,
        arguments: &[NormalPattern],
        matched: &[NormalLiteral],
        bound: &FxHashSet<u32>,
        variables: u32,
    ) {
        let places = self.way(relation, bound_places(arguments, bound));
        let Some(&demand) = self.demands.get(&(relation, places)).filter(|_| places != 0) else { return };
        let head = chosen(arguments, places);
        let body = connected(&head, matched);
        let is_itself = |literal: &NormalLiteral| matches!(literal, NormalLiteral::Holds(r, a) if *r == demand && *a == head);
        if !body.iter().any(is_itself) {
            self.rules.push((NormalRule { head: (demand, head), body, variables }, 0));
        }
    }

    /// The way in which a relation is called when these places have values: this one, if there are
    /// not too many already.
    fn way(&mut self, relation: Rel, mut places: Places) -> Places {
        let first = (relation, 0);
        let known: Vec<Places> =
            self.demands.range(first..=(relation, Places::MAX)).map(|(&(_, known), _)| known).collect();
        if known.contains(&0) {
            return 0;
        }
        if !known.contains(&places) && known.len() >= MAX_WAYS {
            let most = known.iter().map(|way| way & places).max_by_key(|common| common.count_ones());
            places = most.unwrap_or(0);
        }
        if !known.contains(&places) {
            let demand = self.program.add_relation(places.count_ones() as usize);
            self.program.relations[demand as usize].is_demand = true;
            self.demands.insert((relation, places), demand);
            self.todo.push((relation, places));
        }
        places
    }
}

/// The places of a call that have values.
fn bound_places(arguments: &[NormalPattern], bound: &FxHashSet<u32>) -> Places {
    let mut places = 0;
    for (at, argument) in arguments.iter().enumerate().take(Places::BITS as usize) {
        let mut own = FxHashSet::default();
        variables_of(argument, &mut own);
        places |= u64::from(own.is_subset(bound)) << at;
    }
    places
}

fn chosen(arguments: &[NormalPattern], places: Places) -> Vec<NormalPattern> {
    let is_chosen = |at: usize| at < Places::BITS as usize && places >> at & 1 == 1;
    arguments.iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, a)| a.clone()).collect()
}

/// The conditions that have to do with the head, directly or through others. The rest would only
/// say whether there is a demand at all, and multiply the matches.
fn connected(head: &[NormalPattern], matched: &[NormalLiteral]) -> Vec<NormalLiteral> {
    let mut reached = FxHashSet::default();
    head.iter().for_each(|p| variables_of(p, &mut reached));
    let mut taken = vec![false; matched.len()];
    loop {
        let mut changed = false;
        for (at, literal) in matched.iter().enumerate() {
            let own = literal.variables();
            if !taken[at] && (own.is_empty() || own.iter().any(|v| reached.contains(v))) {
                taken[at] = true;
                changed = true;
                reached.extend(own);
            }
        }
        if !changed {
            return matched.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(l, _)| l.clone()).collect();
        }
    }
}

/// The bit of a place.
pub(crate) fn places_of(positions: &[usize]) -> u64 {
    positions.iter().filter(|&&at| at < Places::BITS as usize).fold(0, |all, &at| all | 1 << at)
}
