//! State shared by all threads of a search: the tree and the statistics of its root.

use std::time::Instant;

use ludex_game::{Failure, MoveId, State};

use super::batch_sizer::{BatchSize, BatchSizer};
use super::options::UctOptions;
use super::recycling::Recycling;
use super::returns_seen::ReturnsSeen;
use super::solver::Solver;
use crate::budget::Budget;
use crate::memory::{NodeId, NodeKind, Tree};
use crate::search::{SearchContext, SearchTimes, StopReason};
use crate::selection::Selection;
use crate::utility::Utility;

/// Depth from which a new tree is started instead of a deeper subtree.
const MAX_DEPTH: u16 = u16::MAX - 4096;

/// Nodes of the largest tree that is checked in a search with a deadline: about a millisecond.
const MAX_NODES_CHECKED_ON_CLOCK: usize = 20_000;

/// The tree being searched.
pub(crate) struct SharedTree {
    pub(crate) context: SearchContext,
    pub(crate) options: UctOptions,
    pub(crate) utility: Utility,
    pub(crate) selection: Selection,
    pub(crate) random: fastrand::Rng,
    pub(crate) tree: Tree,
    pub(super) solver: Option<Solver>,
    pub(crate) root: NodeId,
    pub(crate) sizer: BatchSizer,
    /// By root move of the searching role, and role: sum of goals of the simulations that began
    /// with the move since the root was set; and their number.
    pub(crate) root_goals: Vec<f64>,
    pub(crate) root_counts: Vec<u64>,
    pub(crate) playouts: u64,
    pub(crate) steps: u64,
    pub(crate) times: SearchTimes,
    pub(crate) deepest: u16,
    /// The tree must not grow: memory is full.
    pub(crate) is_full: bool,
    /// The range of returns, for the exploration constant.
    pub(super) returns_seen: ReturnsSeen,
    /// When nodes are freed.
    pub(super) recycling: Recycling,
    /// Nodes that were expanded and whose children are not looked at yet, with the solver.
    pub(super) unexamined: Vec<NodeId>,
    /// Value of `playouts` at the last check of the tree, in debug builds.
    checked_at: u64,
    /// Playouts that this call of `think` may still begin.
    pub(crate) playouts_left: Option<u64>,
}

impl SharedTree {
    pub(crate) fn new(context: SearchContext, options: UctOptions, utility: Utility) -> Self {
        let tree = match options.uses_rave() {
            true => Tree::with_amaf(context.game.role_count()),
            false => Tree::new(context.game.role_count()),
        };
        let tree = if options.solver { tree.with_proofs() } else { tree };
        Self {
            selection: options.selection(),
            solver: options.solver.then(|| Solver::new(&*context.game)),
            random: fastrand::Rng::with_seed(context.seed),
            tree: if options.transpositions { tree.with_table() } else { tree },
            root: NodeId::NONE,
            sizer: BatchSizer::new(
                context.game.engine().lanes,
                context.threads,
                &options.for_batch_sizer(&utility),
            ),
            root_goals: Vec::new(),
            root_counts: Vec::new(),
            playouts: 0,
            steps: 0,
            times: SearchTimes::default(),
            deepest: 0,
            is_full: false,
            returns_seen: ReturnsSeen::new(&utility, options.normalize),
            recycling: Recycling::default(),
            unexamined: Vec::new(),
            checked_at: 0,
            playouts_left: None,
            context,
            options,
            utility,
        }
    }

    /// Sets the root; keeps the statistics of its subtree.
    pub(crate) fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let known = match self.root {
            NodeId::NONE => None,
            root => self.tree.find_descendant(root, state.words()),
        };
        match known {
            Some(node) if node == self.root => {}
            Some(node) => self.move_root(node),
            None => self.start_tree(state)?,
        }
        let moves = self.own_moves().len();
        self.root_goals = vec![0.0; moves * self.tree.roles()];
        self.root_counts = vec![0; moves];
        (self.playouts, self.steps, self.is_full) = (0, 0, false);
        self.checked_at = 0;
        self.times = SearchTimes::default();
        self.deepest = self.tree.depth(self.root);
        Ok(())
    }

    /// Makes a node the root. The rest of the tree is freed when memory becomes short.
    fn move_root(&mut self, node: NodeId) {
        self.root = node;
        self.tree.note_root(node);
        self.recycling.note_root();
    }

    /// Starts a new subtree at a state that is not in the tree, one step deeper than the last root;
    /// depths only tell equal states apart.
    fn start_tree(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.context.game.view(state)?;
        self.unexamined.clear();
        let depth = match self.root {
            NodeId::NONE => 0,
            root => self.tree.depth(root).saturating_add(1),
        };
        let mut node = NodeId::NONE;
        // Without recycling, what is known about other states would never be freed.
        if self.options.recycle && depth < MAX_DEPTH && self.tree.has_indices() {
            node = self.tree.add_pending(depth);
        }
        if node == NodeId::NONE {
            self.tree = self.tree.empty();
            self.recycling = Recycling::default();
            node = self.tree.add_pending(0);
        }
        // A node that is a leaf of the tree, or was one of the nodes above the last root.
        if let Some(known) = self.tree.find_or_insert(state.words(), node) {
            self.tree.release(node);
            self.move_root(known);
            return Ok(());
        }
        self.tree.fill(node, state.words(), view.terminal, |role| &view.legal[role]);
        self.move_root(node);
        if self.tree.kind(node) == NodeKind::Terminal {
            let goals = self.context.game.goals(state)?;
            self.tree.set_values(node, goals.iter().map(|goal| f64::from(goal.value().unwrap_or(0))));
            self.prove_terminal(node);
        }
        Ok(())
    }

    /// The next batch size, or why the search stops; `begun` is now.
    pub(crate) fn next_size(&mut self, begun: Instant, budget: &Budget) -> Result<BatchSize, StopReason> {
        budget.watch.answer(&*self.context.game, |question| self.look(question));
        if self.playouts_left == Some(0) {
            return Err(StopReason::Playouts);
        }
        if self.is_root_decided() {
            return Err(StopReason::Finished);
        }
        if budget.stop.is_set() {
            return Err(StopReason::Requested);
        }
        self.sizer.next(begun, budget.deadline, self.playouts_left).ok_or(StopReason::Time)
    }

    /// Checks the invariants of the tree in debug builds, after a search.
    ///
    /// A check takes time linear in the tree, so it runs only after as many playouts as half the
    /// nodes; the first search of a tree always has as many. Before a deadline, large trees are not
    /// checked: that would take milliseconds.
    pub(crate) fn debug_check(&mut self, has_deadline: bool) {
        if !cfg!(debug_assertions) || has_deadline && self.tree.len() > MAX_NODES_CHECKED_ON_CLOCK {
            return;
        }
        let done = self.playouts.wrapping_sub(self.checked_at);
        if 2 * done >= self.tree.len() as u64 {
            self.checked_at = self.playouts;
            let checked = self.tree.check(&self.utility);
            debug_assert_eq!(checked.map_err(|broken| broken.to_string()), Ok(()));
        }
    }

    /// The legal moves of the searching role at the root.
    pub(crate) fn own_moves(&self) -> &[MoveId] {
        match self.root {
            NodeId::NONE => &[],
            root => self.tree.moves(root, self.context.role.index()),
        }
    }

    /// Whether the root needs a search: the role has a choice, and every role has a legal move.
    pub(crate) fn can_search(&self) -> bool {
        self.own_moves().len() > 1 && (0..self.tree.roles()).all(|role| self.tree.count(self.root, role) > 0)
    }

    /// Visits and returns of the root's edges.
    pub(crate) fn root_edges(&mut self) -> Vec<(u32, f64)> {
        let edges = self.root_range();
        self.tree.edge_stats(edges).iter().map(|edge| (edge.visits, edge.total)).collect()
    }

    /// Replaces visits and returns of the root's edges.
    pub(crate) fn set_root_edges(&mut self, edges: &[(u32, f64)]) {
        let range = self.root_range();
        self.tree.set_edge_stats(range, edges);
        // Every visit selects one edge for each role that chooses.
        let choosers = self.tree.choosers(self.root).count().max(1);
        let visits = edges.iter().map(|&(visits, _)| u64::from(visits)).sum::<u64>() / choosers as u64;
        self.tree.set_visits(self.root, u32::try_from(visits).unwrap_or(u32::MAX));
    }

    fn root_range(&mut self) -> std::ops::Range<usize> {
        let first = self.tree.expand(self.root);
        let choices: usize =
            self.tree.choosers(self.root).map(|(role, _)| self.tree.count(self.root, role)).sum();
        first..first + choices
    }
}
