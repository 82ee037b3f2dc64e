//! State shared by all threads of a search: the tree and the statistics of its root.

use std::time::{Duration, Instant};

use ludex_game::{Failure, MoveId, State};

use super::batch_sizer::{BatchSize, BatchSizer};
use super::options::UctOptions;
use super::solver::Solver;
use crate::budget::Budget;
use crate::memory::{NodeId, TranspositionTable, Tree};
use crate::search::{SearchContext, SearchTimes, StopReason};
use crate::selection::Selection;
use crate::utility::Utility;

/// Nodes of the largest tree that is checked in a search with a deadline: about a millisecond.
const MAX_NODES_CHECKED_ON_CLOCK: usize = 20_000;

/// Time to copy a node, before it is measured.
const COPY_TIME: Duration = Duration::from_nanos(500);

/// The tree being searched.
pub(crate) struct SharedTree {
    pub(crate) context: SearchContext,
    pub(crate) options: UctOptions,
    pub(crate) utility: Utility,
    pub(crate) selection: Selection,
    pub(crate) random: fastrand::Rng,
    pub(crate) tree: Tree,
    pub(crate) table: Option<TranspositionTable>,
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
    /// There are nodes that the root does not reach.
    has_unreachable: bool,
    /// Nodes that were expanded and whose children are not looked at yet, with the solver.
    pub(super) unexamined: Vec<NodeId>,
    /// Time to copy a node when unreachable ones are dropped, as far as it is known.
    copy_time: Duration,
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
        Self {
            selection: options.selection(),
            solver: options.solver.then(|| Solver::new(&*context.game)),
            random: fastrand::Rng::with_seed(context.seed),
            tree: if options.solver { tree.with_proofs() } else { tree },
            table: options.transpositions.then(TranspositionTable::default),
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
            has_unreachable: false,
            unexamined: Vec::new(),
            copy_time: COPY_TIME,
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
            // Unreachable nodes are dropped only when memory is full: copying the rest takes time.
            Some(node) => (self.root, self.has_unreachable) = (node, true),
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

    /// Starts a new tree at a state.
    fn start_tree(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.context.game.view(state)?;
        self.tree = self.tree.empty();
        self.unexamined.clear();
        self.has_unreachable = false;
        self.table = self.options.transpositions.then(TranspositionTable::default);
        self.root = self.tree.add_pending(0);
        self.tree.fill(self.root, state.words(), view.terminal);
        for (role, moves) in view.legal.iter().enumerate() {
            self.tree.set_moves(self.root, role, moves);
        }
        if view.terminal {
            let goals = self.context.game.goals(state)?;
            self.tree.set_values(self.root, goals.iter().map(|goal| f64::from(goal.value().unwrap_or(0))));
            self.prove_terminal(self.root);
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

    /// Checks the memory limit. If it is reached, the tree gets no new nodes.
    pub(crate) fn check_memory(&mut self, memory: usize) -> bool {
        let bytes = self.tree.bytes() + self.table.as_ref().map_or(0, TranspositionTable::bytes);
        // Re-rooting holds two trees. Arrays that are not reserved double when they grow: three times
        // the size must fit.
        let parts = if self.tree.reserved() > 0 { 2 } else { 3 };
        self.is_full = bytes > memory / parts || !self.tree.has_indices();
        self.is_full
    }

    /// Whether unreachable nodes should be dropped now: memory is full, and copying the rest ends
    /// long before the deadline.
    pub(crate) fn should_drop(&mut self, now: Instant, budget: &Budget) -> bool {
        if !self.check_memory(budget.memory) || !self.has_unreachable {
            return false;
        }
        let nodes = u32::try_from(self.tree.len()).unwrap_or(u32::MAX);
        let expected = self.copy_time * nodes;
        budget.deadline.is_none_or(|deadline| deadline.saturating_duration_since(now) > 3 * expected)
    }

    /// Enforces the memory limit: drops unreachable nodes; if that is not enough, the tree gets no
    /// new nodes. Nobody may hold node ids.
    pub(crate) fn limit_memory(&mut self, memory: usize) {
        if self.check_memory(memory) && self.has_unreachable {
            self.drop_unreachable();
            self.check_memory(memory);
        }
    }

    /// Drops unreachable nodes. Node ids change: nobody may hold any.
    pub(crate) fn drop_unreachable(&mut self) {
        let begun = Instant::now();
        self.unexamined.clear();
        self.tree = self.tree.subtree(self.root, &mut self.table);
        let kept = u32::try_from(self.tree.len()).unwrap_or(u32::MAX).max(1);
        // The longest time per node so far; short copies say little.
        if kept > 10_000 {
            self.copy_time = self.copy_time.max(begun.elapsed() / kept);
        }
        (self.root, self.has_unreachable) = (NodeId(0), false);
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
            let checked = self.tree.check(&self.utility, self.table.as_ref());
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
