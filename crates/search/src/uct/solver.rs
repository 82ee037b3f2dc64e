//! The solver: carries proved bounds on goals from the ends of the game to the root.
//!
//! # What it does
//! Every node has bounds L and U on the goal that each role gets in best play. A terminal node has
//! its goals. Where one role chooses, it takes the maximum of its own L and U over its moves; the
//! other roles are not sure of more than their minimal L. Where several choose,
//! `L = max_a min_b L(a, b)`: what a role can guarantee whatever the others do. Chance gives the
//! mean, rounded outwards. Moves without a child count as 0 to 100.
//!
//! If the goals of two players have a constant sum ([`ludex_knowledge::constant_sum`]), what one
//! can guarantee is what the other cannot get: `U = sum - L`. Elsewhere nobody is assumed to be
//! hostile, and U is the most that a role gets if all help.
//!
//! # What it is used for
//! - A move is not selected if its U is at most the L of another move of its role. Without a
//!   constant sum, only the searching role's moves are dropped: others may not know better.
//! - A subtree in which all goals are known is not entered while anything else is left. A path that
//!   ends there backpropagates the goals.
//! - Returns are cut to the bounds of each edge that they pass: what is explored beside a sure win
//!   does not make the win look worse.
//! - The search ends when the root is decided.
//! - Equal states of different depths are different nodes, so there are no cycles.
//!
//! # References
//! M. Winands, Y. Björnsson, J.-T. Saito, Monte-Carlo tree search solver, 2008; T. Cazenave,
//! A. Saffidine, Score bounded Monte-Carlo tree search, 2010.

use ludex_game::{Game, MoveId};
use ludex_knowledge::constant_sum;

use super::descend::Descent;
use super::shared_tree::SharedTree;
use crate::memory::{Bounds, Edge, NodeId, NodeKind, Tree};
use crate::report::Proof;
use crate::utility::Utility;

/// Joint moves of a node that are looked at. Nodes with more stay open: each would have to be
/// visited.
const MAX_JOINT_MOVES: usize = 4096;

/// Facts of the game that the solver needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Solver {
    /// The sum of the two players' goals in every terminal state, if it is proved to be constant.
    sum: Option<u8>,
}

impl Solver {
    /// For a game; looks at its model.
    pub(crate) fn new(game: &dyn Game) -> Self {
        Self { sum: constant_sum(game).and_then(|sum| u8::try_from(sum).ok()) }
    }

    /// Whether the two players' goals have a constant sum.
    pub(super) fn has_constant_sum(self) -> bool {
        self.sum.is_some()
    }

    /// Whether moves of `role` may be dropped in a search for `own`.
    fn drops_moves_of(self, role: usize, own: usize) -> bool {
        self.sum.is_some() || role == own
    }

    /// The utility of a role that gets a goal for sure; none if it depends on other goals.
    fn utility(self, utility: &Utility, role: usize, goal: u8) -> Option<f64> {
        let own = f64::from(goal);
        match (utility.opponent(role), self.sum) {
            (None, _) => Some(own),
            (Some(_), Some(sum)) => Some(own - (f64::from(sum) - own)),
            (Some(_), None) => None,
        }
    }
}

/// The edges that may be selected. Reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenEdges {
    /// Indices among the role's edges.
    pub(super) places: Vec<usize>,
    pub(super) edges: Vec<Edge>,
}

impl SharedTree {
    /// Finds the edges of a node that are worth selecting. False if that is all of them, as they
    /// are.
    pub(super) fn find_open_edges(
        &self,
        open: &mut OpenEdges,
        node: NodeId,
        role: usize,
        edges: std::ops::Range<usize>,
    ) -> bool {
        let Some(solver) = self.solver else { return false };
        if !solver.drops_moves_of(role, self.context.role.index()) || self.tree.chooser(node).is_none() {
            return false;
        }
        let Some(bounds) = self.tree.edge_bounds(node, edges.clone()) else { return false };
        let best = best_guarantee(bounds);
        open.places.clear();
        open.edges.clear();
        for (at, (edge, bounds)) in self.tree.edge_stats(edges).iter().zip(bounds).enumerate() {
            if bounds.high > bounds_low(best) && !bounds.is_exact() {
                open.places.push(at);
                open.edges.push(*edge);
            }
        }
        // Nothing left to find out: the other roles' goals may still be open.
        !open.places.is_empty()
    }

    /// A return for a role, cut to the bounds of the edge.
    #[inline(always)]
    pub(super) fn cut_to_bounds(&self, edge: usize, role: usize, value: f64) -> f64 {
        let (Some(solver), Some(bounds)) = (self.solver, self.tree.bounds_of_edge(edge)) else {
            return value;
        };
        if bounds == Bounds::OPEN || self.utility.is_chance(role) {
            return value;
        }
        let limit = |goal: u8| solver.utility(&self.utility, role, goal);
        match (limit(bounds.low), limit(bounds.high)) {
            (Some(low), Some(high)) => value.clamp(low, high),
            _ => value,
        }
    }

    /// Carries new bounds of a descent's last node up along its path.
    pub(super) fn prove(&mut self, descent: &Descent) {
        if self.solver.is_none() {
            return;
        }
        for &node in descent.nodes.iter().rev() {
            if !self.update_bounds(node) {
                break;
            }
        }
    }

    /// Computes the bounds of a node from its children. Returns whether they changed.
    pub(super) fn update_bounds(&mut self, node: NodeId) -> bool {
        let Some(solver) = self.solver else { return false };
        let (bounds, distance) = match self.tree.chooser(node) {
            Some((role, count)) => {
                let Some(first) = self.tree.edges(node) else { return false };
                for edge in first..first + count {
                    let child = self.tree.edge_stats(edge..edge + 1)[0].child();
                    if child != NodeId::NONE {
                        let bounds = self.tree.bounds(child)[role];
                        self.tree.set_edge_bounds(node, edge, bounds);
                    }
                }
                one_chooses(&self.tree, &self.utility, solver, (role, first, count))
            }
            None => match several_choose(&self.tree, &self.utility, solver, node) {
                Some(found) => found,
                None => return false,
            },
        };
        self.tree.set_bounds(node, &bounds, distance)
    }

    /// Sets the bounds of a terminal node.
    pub(super) fn prove_terminal(&mut self, node: NodeId) {
        if self.tree.has_proofs() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "goals are 0 to 100")]
            let bounds: Vec<Bounds> =
                self.tree.values(node).map(|goal| Bounds::exactly(goal.clamp(0.0, 100.0) as u8)).collect();
            self.tree.set_bounds(node, &bounds, 0);
        }
    }

    /// Learns what another search has proved about moves of the searching role at the root.
    pub(crate) fn learn(&mut self, proofs: &[(MoveId, Proof)]) {
        let (own, Some(solver)) = (self.context.role.index(), self.solver) else { return };
        if self.root == NodeId::NONE || self.tree.chooser(self.root).is_none_or(|(role, _)| role != own) {
            return;
        }
        let first = self.tree.expand(self.root);
        for (id, proof) in proofs {
            let Ok(at) = self.tree.moves(self.root, own).binary_search(id) else { continue };
            let bounds = Bounds { low: proof.low, high: proof.high };
            self.tree.set_edge_bounds(self.root, first + at, bounds);
            let child = self.tree.child(self.root, first + at, None);
            if child != NodeId::NONE && self.tree.kind(child) == NodeKind::Open {
                let mut of_roles = vec![Bounds::OPEN; self.tree.roles()];
                of_roles[own] = bounds;
                if let (Some(opponent), Some(sum)) = (self.utility.opponent(own), solver.sum) {
                    of_roles[opponent] = bounds.of_opponent(sum);
                }
                let distance = proof.steps.map_or(0, |steps| steps.saturating_sub(1));
                self.tree.set_bounds(child, &of_roles, distance);
            }
        }
        self.update_bounds(self.root);
    }

    /// The goals of a decided node.
    pub(super) fn proved_goals(&self, node: NodeId) -> Vec<f64> {
        self.tree.bounds(node).iter().map(|bounds| f64::from(bounds.low)).collect()
    }

    /// Whether the choice at the root is made: its value is known, or one move is at least as good
    /// as all others. Where several roles choose there are no bounds for single moves, so a known
    /// value does not say which move has it, and the search goes on.
    pub(crate) fn is_root_decided(&self) -> bool {
        if self.root == NodeId::NONE || self.solver.is_none() {
            return false;
        }
        let Some(bounds) = self.own_root_bounds() else { return false };
        if self.tree.bounds(self.root)[self.context.role.index()].is_exact() {
            return true;
        }
        let best = best_guarantee(bounds);
        let is_other = |at: usize| Some(at) != best.map(|(at, _)| at);
        bounds_low(best) > 0
            && (0..bounds.len()).all(|at| !is_other(at) || bounds[at].high <= bounds_low(best))
    }

    /// The bounds of the searching role's moves at the root, if it is the only one to choose.
    fn own_root_bounds(&self) -> Option<&[Bounds]> {
        let (role, count) = self.tree.chooser(self.root)?;
        let first = self.tree.edges(self.root)?;
        (role == self.context.role.index())
            .then(|| self.tree.edge_bounds(self.root, first..first + count))
            .flatten()
    }

    /// What is proved about the root for the searching role.
    pub(super) fn root_proof(&self) -> Option<Proof> {
        let bounds = *self.tree.bounds(self.root).get(self.context.role.index())?;
        let steps = self.tree.is_decided(self.root).then(|| self.tree.distance(self.root));
        (bounds != Bounds::OPEN).then_some(Proof { low: bounds.low, high: bounds.high, steps })
    }

    /// What is proved about a root move of the searching role.
    pub(super) fn move_proof(&self, at: usize) -> Option<Proof> {
        let bounds = *self.own_root_bounds()?.get(at)?;
        let edge = self.tree.edges(self.root)? + at;
        let child = self.tree.edge_stats(edge..edge + 1)[0].child();
        let decided = child != NodeId::NONE && self.tree.is_decided(child);
        let steps = decided.then(|| self.tree.distance(child).saturating_add(1));
        (bounds != Bounds::OPEN).then_some(Proof { low: bounds.low, high: bounds.high, steps })
    }

    /// The goals of all roles after a root move, if they are proved.
    pub(super) fn proved_goals_of_move(&self, at: usize) -> Option<Vec<f64>> {
        self.own_root_bounds()?;
        let edge = self.tree.edges(self.root)? + at;
        let child = self.tree.edge_stats(edge..edge + 1)[0].child();
        (child != NodeId::NONE && self.tree.is_decided(child)).then(|| self.proved_goals(child))
    }

    /// The value by which a root move with a proof is compared: its mean, corrected by its bounds.
    /// None if another move is proved to be at least as good.
    pub(super) fn proved_value(&self, at: usize, mean: f64) -> Option<f64> {
        let (Some(solver), Some(bounds)) = (self.solver, self.own_root_bounds()) else { return Some(mean) };
        let best = best_guarantee(bounds);
        let own = bounds[at];
        let is_best = best.is_some_and(|(best, _)| best == at);
        if own.high <= bounds_low(best) && !is_best && own.low < bounds_low(best) {
            return None;
        }
        let role = self.context.role.index();
        let limit = |goal: u8| solver.utility(&self.utility, role, goal);
        let (low, high) = (limit(own.low), limit(own.high));
        Some(mean.max(low.unwrap_or(f64::NEG_INFINITY)).min(high.unwrap_or(f64::INFINITY)))
    }
}

/// The move with the highest guarantee, the first of them; none if nothing is guaranteed.
fn best_guarantee(bounds: &[Bounds]) -> Option<(usize, u8)> {
    let mut best: Option<(usize, u8)> = None;
    for (at, bounds) in bounds.iter().enumerate() {
        if bounds.low > bounds_low(best) {
            best = Some((at, bounds.low));
        }
    }
    best
}

fn bounds_low(best: Option<(usize, u8)>) -> u8 {
    best.map_or(0, |(_, low)| low)
}

/// The bounds of a child, or of none.
fn child_bounds(tree: &Tree, child: NodeId, role: usize) -> Bounds {
    match child {
        NodeId::NONE => Bounds::OPEN,
        child if tree.kind(child) == NodeKind::Pending => Bounds::OPEN,
        child => tree.bounds(child)[role],
    }
}

/// Bounds and distance of a node in which one role chooses: the role, its first edge, their number.
fn one_chooses(
    tree: &Tree,
    utility: &Utility,
    solver: Solver,
    (chooser, first, count): (usize, usize, usize),
) -> (Vec<Bounds>, u16) {
    let edges = tree.edge_stats(first..first + count);
    // For the role that chooses, edges know as much as their children, or more: children may have
    // been dropped.
    let over = |role: usize| {
        edges.iter().enumerate().map(move |(at, edge)| {
            let of_edge = (role == chooser).then(|| tree.bounds_of_edge(first + at)).flatten();
            child_bounds(tree, edge.child(), role).and(of_edge.unwrap_or(Bounds::OPEN))
        })
    };
    let of = |role: usize| -> Bounds {
        if utility.is_chance(role) {
            return Bounds::exactly(0);
        }
        if utility.is_chance(chooser) {
            return mean(over(role), count);
        }
        let (mut low, mut high) = if role == chooser { (0, 0) } else { (100, 0) };
        for bounds in over(role) {
            low = if role == chooser { bounds.low.max(low) } else { bounds.low.min(low) };
            high = bounds.high.max(high);
        }
        Bounds { low, high }
    };
    let mut bounds: Vec<Bounds> = (0..tree.roles()).map(of).collect();
    if let (Some(sum), Some(opponent), false) =
        (solver.sum, utility.opponent(chooser), utility.is_chance(chooser))
    {
        bounds[opponent] = bounds[chooser].of_opponent(sum);
    }
    let distance = match bounds.iter().all(|bounds| bounds.is_exact()) {
        true => distance(tree, utility, (chooser, bounds[chooser].low), edges),
        false => 0,
    };
    (bounds, distance)
}

/// Steps to the end in best play, by the goal that the choosing role gets: it wins as soon and loses
/// as late as it can.
fn distance(tree: &Tree, utility: &Utility, (chooser, goal): (usize, u8), edges: &[Edge]) -> u16 {
    let best = edges.iter().map(Edge::child).filter(|&child| {
        child != NodeId::NONE
            && tree.is_decided(child)
            && (utility.is_chance(chooser) || tree.bounds(child)[chooser].low == goal)
    });
    let distances = best.map(|child| tree.distance(child));
    let shortest = goal >= 50 && !utility.is_chance(chooser);
    let steps = if shortest { distances.min() } else { distances.max() };
    steps.unwrap_or(0).saturating_add(1)
}

/// The mean of bounds, rounded outwards.
fn mean(all: impl Iterator<Item = Bounds>, count: usize) -> Bounds {
    let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
    let (low, high) = all.fold((0u32, 0u32), |(low, high), bounds| {
        (low + u32::from(bounds.low), high + u32::from(bounds.high))
    });
    let byte = |goal: u32| u8::try_from(goal.min(100)).unwrap_or(100);
    Bounds { low: byte(low / count), high: byte(high.div_ceil(count)) }
}

/// Bounds and distance of a node in which several roles choose; none if it has too many joint moves,
/// or chance is among them.
fn several_choose(
    tree: &Tree,
    utility: &Utility,
    solver: Solver,
    node: NodeId,
) -> Option<(Vec<Bounds>, u16)> {
    let choosers: Vec<(usize, usize)> =
        tree.choosers(node).map(|(role, _)| (role, tree.count(node, role))).collect();
    let product = choosers.iter().try_fold(1usize, |all, &(_, count)| all.checked_mul(count));
    let product = product.filter(|&product| product <= MAX_JOINT_MOVES)?;
    if choosers.iter().any(|&(role, _)| utility.is_chance(role)) {
        return None;
    }
    let mut children = vec![NodeId::NONE; product];
    for (number, child) in tree.children(node) {
        *children.get_mut(usize::try_from(number).ok()?)? = child;
    }
    let bounds = |role: usize| -> Bounds {
        if utility.is_chance(role) {
            return Bounds::exactly(0);
        }
        // The role's move in a joint move: a digit of its number.
        let place = choosers.iter().position(|&(chooser, _)| chooser == role);
        let count = place.map_or(1, |place| choosers[place].1);
        let below: usize = place.map_or(1, |place| choosers[place + 1..].iter().map(|&(_, n)| n).product());
        let mut lows = vec![100u8; count];
        let mut high = 0;
        for (number, &child) in children.iter().enumerate() {
            let bounds = child_bounds(tree, child, role);
            let own = number / below % count;
            lows[own] = lows[own].min(bounds.low);
            high = bounds.high.max(high);
        }
        Bounds { low: lows.into_iter().max().unwrap_or(0), high }
    };
    let mut all: Vec<Bounds> = (0..tree.roles()).map(bounds).collect();
    if let Some(sum) = solver.sum {
        let lows: Vec<u8> = all.iter().map(|bounds| bounds.low).collect();
        for (role, bounds) in all.iter_mut().enumerate() {
            if let Some(opponent) = utility.opponent(role) {
                bounds.high = bounds.high.min(sum.saturating_sub(lows[opponent]));
            }
        }
    }
    let steps = children.iter().filter(|&&child| child != NodeId::NONE && tree.is_decided(child));
    let distance = steps.map(|&child| tree.distance(child)).max().unwrap_or(0).saturating_add(1);
    Some((all, distance))
}
