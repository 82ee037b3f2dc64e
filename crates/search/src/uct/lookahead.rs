//! One step of lookahead for the solver: the children of every newly expanded node are computed in
//! lanes, and those that end the game join the tree at once.
//!
//! So a win in one is never overlooked, and a move that lets the opponent win in one is dropped as
//! soon as the node behind it is expanded. All nodes of a batch are looked at in one call: it costs
//! about a step of a playout for each child.

use ludex_game::{ExpandOptions, Failure};

use super::shared_tree::SharedTree;
use super::worker::Worker;
use crate::memory::NodeId;

/// Nodes with more moves than this are not looked at.
const MAX_MOVES: usize = 512;

/// Looking at a child takes about a step. Nodes are not looked at if that would take more than this
/// part of the steps of a leaf's playouts, as in amazons with its hundreds of moves.
const PART_OF_PLAYOUTS: u64 = 4;

/// Nodes with at most so many moves are always looked at.
const FEW_MOVES: u64 = 16;

impl SharedTree {
    /// Expands a node. If that is new, its children will be looked at.
    pub(super) fn expand(&mut self, node: NodeId) -> usize {
        if self.solver.is_some() && self.tree.edges(node).is_none() {
            self.unexamined.push(node);
        }
        self.tree.expand(node)
    }

    /// Looks at the children of all nodes that were expanded since the last call.
    pub(crate) fn look_ahead(&mut self, worker: &mut Worker) -> Result<(), Failure> {
        if self.unexamined.is_empty() {
            return Ok(());
        }
        let mut nodes = std::mem::take(&mut self.unexamined);
        let length = self.steps / self.playouts.max(1);
        let steps = length * u64::from(worker.weight());
        let most = usize::try_from((steps / PART_OF_PLAYOUTS).max(FEW_MOVES)).unwrap_or(MAX_MOVES);
        let is_small = |&node: &NodeId| match self.tree.chooser(node) {
            Some((_, count)) => count <= most.min(MAX_MOVES),
            None => false,
        };
        nodes.retain(|node| is_small(node) && !self.is_full);
        let states: Vec<&[u64]> = nodes.iter().map(|&node| self.tree.words(node)).collect();
        let options = ExpandOptions { legal: false, goals: true };
        worker.simulator.expand(&states, options, &mut worker.expansion)?;
        for child in 0..worker.expansion.len() {
            if worker.expansion.is_terminal(child) {
                self.add_terminal(worker, nodes[worker.expansion.parent(child)], child);
            }
        }
        nodes.clear();
        self.unexamined = nodes;
        Ok(())
    }

    /// Adds a terminal child of a node, which is a child of the worker's expansion.
    fn add_terminal(&mut self, worker: &Worker, node: NodeId, child: usize) {
        let expansion = &worker.expansion;
        let (Some((role, _)), Some(first)) = (self.tree.chooser(node), self.tree.edges(node)) else { return };
        let made = expansion.joint(child)[role];
        let Ok(at) = self.tree.moves(node, role).binary_search(&made) else { return };
        let edge = first + at;
        if self.tree.child(node, edge, None) != NodeId::NONE {
            return;
        }
        let depth = self.tree.depth(node).saturating_add(1);
        let leaf = self.tree.add_pending(depth);
        if leaf == NodeId::NONE {
            return;
        }
        let words = expansion.words(child);
        if let Some(known) = self.tree.find_or_insert(words, leaf) {
            self.tree.release(leaf);
            self.tree.set_child(node, edge, None, known);
        } else {
            self.tree.fill(leaf, words, true, |_| &[]);
            let goals =
                (0..self.tree.roles()).map(|role| f64::from(expansion.goal(child, role).unwrap_or(0)));
            self.tree.set_values(leaf, goals);
            self.prove_terminal(leaf);
            self.tree.set_child(node, edge, None, leaf);
        }
        self.update_bounds(node);
    }
}
