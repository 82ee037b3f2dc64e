//! Step counters: facts that count steps and do nothing but end the game.
//!
//! # What is found
//! A mutex group whose next value depends on nothing but itself. From the initial state it takes the
//! values c₀, c₁, c₂, …; no move and no other fact depends on it. With the group fixed at cᵢ, let Tᵢ be
//! whether the game is over and Gᵢ the goal, as functions of all other facts. The group is a step
//! counter if there is a limit L so that Tᵢ = T₀ for all i < L, T_L is true, and Gᵢ₊₁ ≤ Gᵢ wherever the
//! game is over, for all i + 1 < L: later is never better.
//!
//! # What it is good for
//! Of two states that differ only in the counter, the one with the lower value has every future of the
//! other one that ends before the limit, with goals that are no lower. So a search that reaches the one
//! with the lower value first need not tell them apart, unless a goal at the limit is worth more:
//! [`StepCounter::best_at_limit`] bounds what a game can be worth that only the limit ends.
//!
//! Functions are compared as shared gates: equal functions that look different make the answer "no
//! counter", never a wrong one.

use std::collections::HashSet;

use ludex_game::model::{GroundModel, Literal, Node};
use ludex_game::{FactId, RoleId};

use crate::cnf::Cnf;
use crate::cofactor::Cofactors;
use crate::relevance::cone;

/// Values of a counter that are looked at: each needs a cofactor of terminal and goals.
const MAX_VALUES: usize = 1024;

/// Gates that all cofactors together may have.
const MAX_GATES: usize = 2_000_000;

/// Decisions of the SAT solver for each goal at the limit.
const MAX_DECISIONS: u64 = 100_000;

/// Facts that count steps and end the game at a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCounter {
    /// The facts of the counter, sorted.
    pub facts: Vec<FactId>,
    /// Steps after which the game is over, whatever has happened.
    pub limit: u32,
    /// No game that lasts until the limit, and is not over for another reason, is worth more.
    pub best_at_limit: u8,
}

/// The step counter of a game, for a role's goals; none if there is none, or the model does not show
/// it.
pub fn step_counter(model: &GroundModel, role: RoleId) -> Option<StepCounter> {
    model.mutexes.iter().find_map(|group| check(model, role, &group.facts))
}

fn check(model: &GroundModel, role: RoleId, group: &[FactId]) -> Option<StepCounter> {
    let mut inside = vec![false; model.facts.len()];
    group.iter().for_each(|fact| inside[fact.index()] = true);
    if !group.iter().all(|fact| reads_only(model, model.facts[fact.index()].next, &inside)) {
        return None;
    }
    let others = model.facts.iter().zip(&inside).filter(|&(_, &inside)| !inside).map(|(fact, _)| fact.next);
    let legal = model.inputs.iter().map(|input| input.legal);
    let used = cone(model, others.chain(legal));
    if group.iter().any(|fact| used[fact.index()]) {
        return None;
    }
    let of_role = model.goals.iter().filter(|goal| goal.role == role);
    let values: Vec<Option<u8>> =
        of_role.clone().map(|goal| model.terms.text(goal.value).parse().ok()).collect();
    let mut roots = vec![model.terminal];
    roots.extend(of_role.map(|goal| goal.holds));
    let mut cofactors = Cofactors::new(model);
    let mut last: Option<Vec<Literal>> = None;
    let initial = |fact: &&FactId| model.facts[fact.index()].initial;
    let mut counter: Vec<FactId> = group.iter().filter(initial).copied().collect();
    for step in 0..MAX_VALUES {
        let fixed = |fact: usize| inside[fact].then(|| counter.contains(&FactId::new(fact)));
        let now = cofactors.of(&roots, fixed)?;
        if cofactors.gates.len() > MAX_GATES {
            return None;
        }
        if now[0] == Literal::TRUE {
            let before = last?;
            let best_at_limit = best_at_limit(model, &cofactors, &values, &before, &now);
            let limit = u32::try_from(step).ok()?;
            return Some(StepCounter { facts: group.to_vec(), limit, best_at_limit });
        }
        if let Some(before) = &last
            && before != &now
            && !(before[0] == now[0] && is_no_better(model, &cofactors, &values, before, &now)?)
        {
            return None;
        }
        last = Some(now);
        let next = model.evaluate(&counter, &[]);
        let follows = |fact: &&FactId| next.of(model.facts[fact.index()].next);
        let next: Vec<FactId> = group.iter().filter(follows).copied().collect();
        if next == counter {
            return None;
        }
        counter = next;
    }
    None
}

/// Whether a gate reads these facts and nothing else. Ends at the first other thing that it reads.
fn reads_only(model: &GroundModel, root: Literal, inside: &[bool]) -> bool {
    let (mut seen, mut stack) = (HashSet::new(), vec![root.node()]);
    while let Some(node) = stack.pop() {
        if !seen.insert(node) {
            continue;
        }
        match model.gates.nodes()[node as usize] {
            Node::False => {}
            Node::Fact(fact) if inside[fact.index()] => {}
            Node::Fact(_) | Node::Does(_) | Node::Loop(_) => return false,
            Node::And { .. } => stack.extend(model.gates.inputs(node).iter().map(|input| input.node())),
        }
    }
    true
}

/// Whether a game that is over has no higher goal now than before: for each goal there is one before that
/// is worth as much. None if that is not decided.
fn is_no_better(
    model: &GroundModel,
    cofactors: &Cofactors<'_>,
    values: &[Option<u8>],
    before: &[Literal],
    now: &[Literal],
) -> Option<bool> {
    let all = || values.iter().zip(before[1..].iter().zip(&now[1..]));
    for (&value, (_, &holds)) in all().filter(|(_, (before, now))| before != now) {
        let value = value?;
        let as_good = all().filter(|&(&other, _)| other.is_some_and(|other| other >= value));
        let as_good: Vec<Literal> = as_good.map(|(_, (&before, _))| before).collect();
        if holds == Literal::FALSE || as_good.contains(&holds) {
            continue;
        }
        let mut cnf = Cnf::new(&cofactors.gates, MAX_GATES);
        let mut question = vec![cnf.literal(before[0])?, cnf.literal(holds)?];
        for literal in as_good {
            question.push(!cnf.literal(literal)?);
        }
        cnf.add_mutexes(&model.mutexes)?;
        cnf.limit_effort(MAX_DECISIONS);
        if cnf.is_possible(&question)? {
            return Some(false);
        }
    }
    Some(true)
}

/// The highest goal of a game that is over because of the limit. `before`, `now`: terminal and the
/// goals, before the limit and at it. If goals at the limit differ from those before, it includes games
/// that are over for another reason in the same step.
fn best_at_limit(
    model: &GroundModel,
    cofactors: &Cofactors<'_>,
    values: &[Option<u8>],
    before: &[Literal],
    now: &[Literal],
) -> u8 {
    let highest = || values.iter().flatten().copied().max().unwrap_or(0).min(100);
    let same_goals = before[1..] == now[1..];
    let ask = || {
        let mut cnf = Cnf::new(&cofactors.gates, MAX_GATES);
        let over = cnf.literal(before[0])?;
        let goals = values.iter().zip(&now[1..]).filter_map(|(value, &holds)| Some(((*value)?, holds)));
        let goals = goals.map(|(value, holds)| Some((value, cnf.literal(holds)?)));
        let goals = goals.collect::<Option<Vec<_>>>()?;
        cnf.add_mutexes(&model.mutexes)?;
        cnf.limit_effort(MAX_DECISIONS);
        let mut best = 0;
        for (value, holds) in goals {
            let question = if same_goals { vec![!over, holds] } else { vec![holds] };
            if value > best && cnf.is_possible(&question) != Some(false) {
                best = value;
            }
        }
        Some(best.min(100))
    };
    ask().unwrap_or_else(highest)
}
