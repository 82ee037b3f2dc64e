//! What a tree search says about its root.

use ludex_game::MoveId;

use super::Uct;
use crate::memory::NodeId;
use crate::thinking::{Candidate, Thinking};

/// Steps of the principal line that are told.
const LINE: usize = 12;

impl Uct {
    pub(super) fn report(&self) -> Thinking {
        if self.root == NodeId::NONE {
            return Thinking::default();
        }
        let own = self.seat.role.index();
        let roles = self.tree.roles();
        let mut candidates: Vec<(Candidate, f64)> = Vec::new();
        for (at, &id) in self.own_moves().iter().enumerate() {
            let (visits, mean) = self.root_statistics(own, at);
            let count = self.root_counts[at];
            let sums = &self.root_goals[at * roles..(at + 1) * roles];
            let values = match count {
                0 => Vec::new(),
                count => sums.iter().map(|sum| sum / count as f64).collect(),
            };
            candidates.push((Candidate { id, visits: u64::from(visits), values }, mean));
        }
        match self.options.most_visited {
            true => candidates.sort_by(|a, b| b.0.visits.cmp(&a.0.visits).then(b.1.total_cmp(&a.1))),
            false => candidates.sort_by(|a, b| b.1.total_cmp(&a.1)),
        }
        let candidates: Vec<Candidate> = candidates.into_iter().map(|(candidate, _)| candidate).collect();
        Thinking {
            best: candidates.first().map(|best| best.id),
            values: candidates.first().map(|best| best.values.clone()).unwrap_or_default(),
            line: self.line(candidates.first().map(|best| best.id)),
            candidates,
            playouts: self.playouts,
            steps: self.steps,
            nodes: self.tree.len() as u64,
            depth: u32::from(self.deepest - self.tree.depth(self.root)),
            memory: self.tree.bytes(),
            proven: false,
        }
    }

    /// Visits and mean return of a role's move at the root; unvisited ones are worse than all others.
    fn root_statistics(&self, role: usize, at: usize) -> (u32, f64) {
        let edges = self.tree.edges(self.root);
        let chooser = self.tree.choosers(self.root).find(|&(chooser, _)| chooser == role);
        match edges.zip(chooser) {
            Some((first, (_, offset))) => {
                let edge = first + offset + at;
                let edge = self.tree.statistics(edge..edge + 1)[0];
                let visits = f64::from(edge.visits);
                (edge.visits, if edge.visits == 0 { f64::NEG_INFINITY } else { edge.total / visits })
            }
            None => (0, f64::NEG_INFINITY),
        }
    }

    /// How the game is expected to go on: the most visited moves of all roles, behind the move that was chosen.
    fn line(&self, best: Option<MoveId>) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut node = self.root;
        while line.len() < LINE {
            let Some(first) = self.tree.edges(node) else { break };
            let mut joint: Vec<MoveId> = (0..self.tree.roles())
                .filter_map(|role| self.tree.moves(node, role).first().copied())
                .collect();
            if joint.len() < self.tree.roles() {
                break;
            }
            let (mut number, mut edge, mut choosers) = (0u32, first, 0);
            for (role, offset) in self.tree.choosers(node) {
                let count = self.tree.count(node, role);
                let edges = self.tree.statistics(first + offset..first + offset + count);
                let wanted = best.filter(|_| line.is_empty() && role == self.seat.role.index());
                let most = (0..count).rev().max_by_key(|&at| edges[at].visits).unwrap_or(0);
                let moves = self.tree.moves(node, role);
                let at = wanted.and_then(|id| moves.iter().position(|&m| m == id)).unwrap_or(most);
                joint[role] = moves[at];
                number = number.wrapping_mul(u32::try_from(count).unwrap_or(u32::MAX));
                number = number.wrapping_add(u32::try_from(at).unwrap_or(u32::MAX));
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
