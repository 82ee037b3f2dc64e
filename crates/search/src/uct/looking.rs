//! What a tree says to a [`Question`]: the moves of a node, their figures, and continuations.

use ludex_game::MoveId;

use super::shared_tree::SharedTree;
use crate::look::{Choice, Line, Look, LookError, LookMove, Question};
use crate::memory::{Bounds, JointNumber, NodeId, NodeKind};
use crate::report::Proof;

impl SharedTree {
    /// What is known about the node that a question asks for.
    pub(crate) fn look(&self, question: &Question) -> Result<Look, LookError> {
        if self.root == NodeId::NONE {
            return Err(LookError::NoTree);
        }
        let mut node = self.root;
        for (step, joint) in question.path.iter().enumerate() {
            node = self.child_after(node, joint).ok_or(LookError::NotInTree(step))?;
        }
        let choices = self.choices(node);
        let lines = self.lines(node, &choices, question);
        let proofs = (0..self.tree.roles()).map(|role| self.proof_of_node(node, role)).collect();
        let visits = u64::from(self.tree.node_visits(node));
        Ok(Look { visits, proofs, choices, lines, nodes: self.nodes() })
    }

    /// The child behind a joint move, if its state is known.
    fn child_after(&self, node: NodeId, joint: &[MoveId]) -> Option<NodeId> {
        let first = self.tree.edges(node)?;
        let is_legal = |(role, id): (usize, &MoveId)| self.tree.moves(node, role).contains(id);
        if joint.len() != self.tree.roles() || !joint.iter().enumerate().all(is_legal) {
            return None;
        }
        let (mut number, mut edge, mut choosers) = (JointNumber::FIRST, first, 0);
        for (role, offset) in self.tree.choosers(node) {
            let moves = self.tree.moves(node, role);
            let at = moves.iter().position(|id| *id == joint[role])?;
            number = number.then(moves.len(), at);
            edge = first + offset + at;
            choosers += 1;
        }
        let child = self.tree.child(node, edge, (choosers > 1).then_some(number));
        (child != NodeId::NONE && self.tree.kind(child) != NodeKind::Pending).then_some(child)
    }

    fn choices(&self, node: NodeId) -> Vec<Choice> {
        let Some(first) = self.tree.edges(node) else { return Vec::new() };
        let alone = self.tree.chooser(node).is_some();
        let mut choices = Vec::new();
        for (role, offset) in self.tree.choosers(node) {
            let moves = self.tree.moves(node, role);
            let range = first + offset..first + offset + moves.len();
            let edges = self.tree.edge_stats(range.clone());
            let mut known: Vec<LookMove> = Vec::new();
            for ((&id, edge), at) in moves.iter().zip(edges).zip(range) {
                let bounds = if alone { self.tree.bounds_of_edge(at) } else { None };
                let child = edge.child();
                let is_decided = child != NodeId::NONE && self.tree.is_decided(child);
                let steps = is_decided.then(|| self.tree.distance(child).saturating_add(1));
                known.push(LookMove {
                    id,
                    visits: u64::from(edge.visits),
                    value: (edge.visits > 0)
                        .then(|| self.utility.as_goal(role, edge.total / f64::from(edge.visits))),
                    proof: bounds.and_then(|bounds| as_proof(bounds, steps)),
                });
            }
            known.sort_by_key(|known| std::cmp::Reverse(known.visits));
            choices.push(Choice { role, moves: known });
        }
        choices
    }

    fn proof_of_node(&self, node: NodeId, role: usize) -> Option<Proof> {
        let bounds = *self.tree.bounds(node).get(role)?;
        as_proof(bounds, self.tree.is_decided(node).then(|| self.tree.distance(node)))
    }

    /// Continuations that differ in the first move of one role: of the searching role if it chooses.
    /// At the root its moves are in the order of the report.
    fn lines(&self, node: NodeId, choices: &[Choice], question: &Question) -> Vec<Line> {
        let own = self.context.role.index();
        let Some(choice) = choices.iter().find(|choice| choice.role == own).or(choices.first()) else {
            return Vec::new();
        };
        let is_own_root = node == self.root && choice.role == own;
        let order: Vec<MoveId> = match is_own_root {
            true => Self::report(&[self], true).candidates.iter().map(|candidate| candidate.id).collect(),
            false => choice.moves.iter().map(|known| known.id).collect(),
        };
        let mut lines = Vec::new();
        for id in order {
            let Some(known) = choice.moves.iter().find(|known| known.id == id) else { continue };
            if known.visits == 0 || lines.len() >= question.lines {
                continue;
            }
            let moves = self.variation(node, Some((choice.role, id)), question.steps);
            lines.push(Line { moves, visits: known.visits, value: known.value });
        }
        lines
    }
}

/// Bounds as a proof; none if nothing is known.
fn as_proof(bounds: Bounds, steps: Option<u16>) -> Option<Proof> {
    (bounds != Bounds::OPEN).then_some(Proof { low: bounds.low, high: bounds.high, steps })
}
