//! What `ary-uct` reports about its root.

use std::cmp::Reverse;

use ludex_game::MoveId;

use super::plan::{BEST_SCORE, Plan};
use super::tree::{NodeId, Tree};
use crate::report::{Candidate, Proof, SearchReport};

/// Steps of a principal variation.
const LONGEST_LINE: usize = 100;

/// The report for a role; with a plan, its first move is the best.
pub(super) fn report(tree: &Tree, own: usize, plan: Option<&Plan>) -> SearchReport {
    if tree.len() == 0 {
        return SearchReport::default();
    }
    let roles = tree.counts(0).len();
    let legal = tree.legal(0, own);
    let planned = plan.and_then(|plan| plan.moves.first().copied());
    let mut sums = vec![(vec![0.0; roles], 0u64); legal.len()];
    for (place, &child) in tree.children(0).iter().enumerate() {
        let (sums, visits) = &mut sums[tree.index_in_arc(0, place, own)];
        let more = tree.completed(child);
        for (role, sum) in sums.iter_mut().enumerate() {
            *sum += tree.mean(child, role) * more as f64;
        }
        *visits += more;
    }
    let is_alone = roles == 1;
    let exact = |at: usize| {
        let child =
            tree.children(0).iter().enumerate().find(|&(place, _)| tree.index_in_arc(0, place, own) == at);
        let goals = child.filter(|_| is_alone).and_then(|(_, &child)| tree.exact(child))?;
        goals.get(own).map(|&goal| proof(goal, goal))
    };
    let candidate = |(at, (&id, (sums, visits))): (usize, (&MoveId, &(Vec<f64>, u64)))| {
        let promised = plan.filter(|_| planned == Some(id));
        let lower = promised.map(|plan| Proof { low: plan.score, high: BEST_SCORE, steps: None });
        Candidate {
            id,
            visits: *visits,
            values: match (promised, visits) {
                (Some(plan), _) => vec![f64::from(plan.score)],
                (None, 0) => Vec::new(),
                (None, &visits) => sums.iter().map(|sum| sum / visits as f64).collect(),
            },
            proof: exact(at).or(lower),
        }
    };
    let mut candidates: Vec<Candidate> = legal.iter().zip(&sums).enumerate().map(candidate).collect();
    // The sort is stable: of equal moves, the one with the lowest id comes first.
    let mean = |c: &Candidate| c.values.get(own).copied().unwrap_or(-1.0);
    candidates.sort_by(|a, b| {
        let first = |c: &Candidate| Reverse(planned == Some(c.id));
        first(a).cmp(&first(b)).then(mean(b).total_cmp(&mean(a)))
    });
    let root = tree.exact(0).filter(|_| !legal.is_empty());
    let values = match plan {
        Some(plan) => vec![f64::from(plan.score)],
        None if tree.visits(0) == 0 && root.is_none() => Vec::new(),
        None => (0..roles).map(|role| tree.mean(0, role)).collect(),
    };
    let lower = plan.map(|plan| Proof { low: plan.score, high: BEST_SCORE, steps: None });
    SearchReport {
        best: candidates.first().map(|best| best.id),
        values,
        principal_variation: match plan {
            Some(plan) => plan.moves.iter().map(|&id| vec![id]).collect(),
            None => line(tree, own, candidates.first().map(|best| best.id)),
        },
        candidates,
        nodes: tree.len() as u64,
        memory: tree.bytes(),
        proven: root.is_some(),
        proof: root.and_then(|goals| goals.get(own)).map(|&goal| proof(goal, goal)).or(lower),
        ..SearchReport::default()
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "goals: 0 to 100")]
fn proof(low: f64, high: f64) -> Proof {
    Proof { low: low as u8, high: high as u8, steps: None }
}

/// The most visited children, from the best move on.
fn line(tree: &Tree, own: usize, best: Option<MoveId>) -> Vec<Vec<MoveId>> {
    let mut line: Vec<Vec<MoveId>> = Vec::new();
    let mut id: NodeId = 0;
    while line.len() < LONGEST_LINE {
        let fits = |place: usize| {
            !line.is_empty() || best == Some(tree.legal(0, own)[tree.index_in_arc(0, place, own)])
        };
        let children = tree.children(id).iter().enumerate().filter(|&(place, _)| fits(place));
        let most = children.reduce(|a, b| if tree.visits(*b.1) > tree.visits(*a.1) { b } else { a });
        let Some((place, &child)) = most else { break };
        let mut joint = Vec::new();
        tree.joint(id, place as u64, &mut joint);
        line.push(joint);
        id = child;
    }
    line
}
