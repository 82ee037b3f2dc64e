//! The report of a tree search about its root.

use std::cmp::Ordering;
use std::time::Duration;

use ludex_game::MoveId;

use super::options::Decision;
use super::shared_tree::SharedTree;
use crate::memory::{JointNumber, NodeId};
use crate::report::{Candidate, SearchReport};

/// Longest reported principal variation, in steps: later moves have few visits.
const MAX_PV_STEPS: usize = 12;

/// The value that the final move selection compares: the mean return, or its lower bound (secure
/// child).
fn decision_value(visits: u64, total: f64, half_range: f64, decision: Decision) -> f64 {
    if visits == 0 {
        return f64::NEG_INFINITY;
    }
    let visits = visits as f64;
    let doubt = if decision == Decision::SecureChild { half_range / visits.sqrt() } else { 0.0 };
    total / visits - doubt
}

/// The order of moves when the choice is decided: the highest guarantee; among equal ones the
/// shortest win or the longest loss, as far as it was searched; then the most visits.
fn in_best_play(a: &Candidate, b: &Candidate) -> Ordering {
    let low = |of: &Candidate| of.proof.map_or(0, |proof| proof.low);
    let high = |of: &Candidate| of.proof.map_or(100, |proof| proof.high);
    let steps = |of: &Candidate| of.proof.and_then(|proof| proof.steps);
    let by_steps = |wins: bool| match (steps(a), steps(b)) {
        (Some(a), Some(b)) if wins => a.cmp(&b),
        (Some(a), Some(b)) => b.cmp(&a),
        // A loss that is not searched to its end may be longer, a win is better known.
        (a, b) => {
            if wins {
                b.is_some().cmp(&a.is_some())
            } else {
                a.is_some().cmp(&b.is_some())
            }
        }
    };
    low(b)
        .cmp(&low(a))
        .then_with(|| high(b).cmp(&high(a)))
        .then_with(|| by_steps(low(a) >= 50))
        .then_with(|| b.visits.cmp(&a.visits))
}

impl SharedTree {
    /// The combined report of searches with the same root; all must be given. If root statistics
    /// are `shared`, each search already has those of all.
    pub(crate) fn report(parts: &[&SharedTree], shared: bool) -> SearchReport {
        let Some(first) = parts.first().filter(|part| part.root != NodeId::NONE) else {
            return SearchReport::default();
        };
        let own = first.context.role.index();
        let roles = first.tree.roles();
        let decision = first.options.decision(first.context.threads);
        let statistics_from = if shared { &parts[..1] } else { parts };
        let mut candidates: Vec<(Candidate, f64)> = Vec::new();
        for (at, &id) in first.own_moves().iter().enumerate() {
            let (mut visits, mut total) = (0, 0.0);
            for part in statistics_from {
                let edge = part.root_statistics(own, at);
                (visits, total) = (visits + u64::from(edge.0), total + edge.1);
            }
            let count: u64 = parts.iter().map(|part| part.root_counts[at]).sum();
            let sum = |role: usize| parts.iter().map(|part| part.root_goals[at * roles + role]).sum::<f64>();
            let values = match (first.proved_goals_of_move(at), count) {
                (Some(goals), _) => goals,
                (None, 0) => Vec::new(),
                (None, count) => (0..roles).map(|role| sum(role) / count as f64).collect(),
            };
            let decision_value = decision_value(visits, total, first.utility.half_range(own), decision);
            let decision_value = first.proved_value(at, decision_value).unwrap_or(f64::NEG_INFINITY);
            candidates.push((Candidate { id, visits, values, proof: first.move_proof(at) }, decision_value));
        }
        match decision {
            _ if first.is_root_decided() => candidates.sort_by(|a, b| in_best_play(&a.0, &b.0)),
            Decision::RobustChild => {
                candidates.sort_by(|a, b| b.0.visits.cmp(&a.0.visits).then(b.1.total_cmp(&a.1)));
            }
            _ => candidates.sort_by(|a, b| b.1.total_cmp(&a.1)),
        }
        let candidates: Vec<Candidate> = candidates.into_iter().map(|(candidate, _)| candidate).collect();
        let depth = |part: &&SharedTree| u32::from(part.deepest - part.tree.depth(part.root));
        SearchReport {
            best: candidates.first().map(|best| best.id),
            values: candidates.first().map(|best| best.values.clone()).unwrap_or_default(),
            principal_variation: first.principal_variation(candidates.first().map(|best| best.id)),
            candidates,
            playouts: parts.iter().map(|part| part.playouts).sum(),
            steps: parts.iter().map(|part| part.steps).sum(),
            nodes: parts.iter().map(|part| part.nodes()).sum(),
            depth: parts.iter().map(depth).max().unwrap_or(0),
            memory: parts.iter().map(|part| part.tree.bytes()).sum(),
            proven: first.is_root_decided() && first.root_proof().is_some_and(|proof| proof.is_exact()),
            proof: first.root_proof(),
            elapsed: Duration::ZERO,
        }
    }

    /// Nodes in memory; if leaves become nodes later, the positions that have statistics.
    pub(super) fn nodes(&self) -> u64 {
        let nodes = self.tree.len();
        (if self.options.expand > 0 { nodes.max(self.tree.positions()) } else { nodes }) as u64
    }

    /// Visits and sum of returns of a role's root move.
    fn root_statistics(&self, role: usize, at: usize) -> (u32, f64) {
        let edges = self.tree.edges(self.root);
        let chooser = self.tree.choosers(self.root).find(|&(chooser, _)| chooser == role);
        let Some((first, (_, offset))) = edges.zip(chooser) else { return (0, 0.0) };
        let edge = first + offset + at;
        let edge = self.tree.edge_stats(edge..edge + 1)[0];
        (edge.visits, edge.total)
    }

    /// The expected continuation: the chosen move, then the most visited moves of all roles.
    fn principal_variation(&self, best: Option<MoveId>) -> Vec<Vec<MoveId>> {
        let first = best.map(|best| (self.context.role.index(), best));
        self.variation(self.root, first, MAX_PV_STEPS)
    }

    /// The continuation below a node: a role's first move if it is given, then the most visited moves
    /// of all roles, at most so many steps.
    pub(super) fn variation(
        &self,
        mut node: NodeId,
        beginning: Option<(usize, MoveId)>,
        steps: usize,
    ) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        while line.len() < steps {
            let Some(first) = self.tree.edges(node) else { break };
            let mut joint: Vec<MoveId> = (0..self.tree.roles())
                .filter_map(|role| self.tree.moves(node, role).first().copied())
                .collect();
            if joint.len() < self.tree.roles() {
                break;
            }
            let (mut number, mut edge, mut choosers) = (JointNumber::FIRST, first, 0);
            for (role, offset) in self.tree.choosers(node) {
                let count = self.tree.count(node, role);
                let edges = self.tree.edge_stats(first + offset..first + offset + count);
                let wanted = beginning.filter(|&(of, _)| line.is_empty() && role == of);
                let most = (0..count).rev().max_by_key(|&at| edges[at].visits).unwrap_or(0);
                let moves = self.tree.moves(node, role);
                let at = wanted.and_then(|(_, id)| moves.iter().position(|&m| m == id)).unwrap_or(most);
                joint[role] = moves[at];
                number = number.then(count, at);
                edge = first + offset + at;
                choosers += 1;
            }
            line.push(joint);
            node = self.tree.child(node, edge, (choosers > 1).then_some(number));
            if node == NodeId::NONE {
                break;
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mean of 58 over 12 visits is less certain than one of 50 over 5,906.
    #[test]
    fn the_secure_child_needs_visits() {
        let decision_value =
            |visits, mean: f64, decision| decision_value(visits, mean * visits as f64, 100.0, decision);
        assert!(
            decision_value(12, 58.0, Decision::MaxChild) > decision_value(5906, 50.0, Decision::MaxChild)
        );
        assert!(
            decision_value(12, 58.0, Decision::SecureChild)
                < decision_value(5906, 50.0, Decision::SecureChild)
        );
        assert!(
            decision_value(5000, 58.0, Decision::SecureChild)
                > decision_value(5906, 50.0, Decision::SecureChild)
        );
        assert_eq!(decision_value(0, 0.0, Decision::SecureChild), f64::NEG_INFINITY);
    }
}
