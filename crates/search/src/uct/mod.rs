//! Tree search with playouts: UCT, in batches.
//!
//! # What it does
//! Algorithm 6 of the thesis, for many leaves at once. [`descend`] follows the tree for every role until it leaves it;
//! [`batch`] gathers leaves, has the game play behind all of them in one call, adds one node for each and hands the
//! returns up the tree. Visits of leaves that are on their way count as the worst return until they are back (virtual loss),
//! so that a batch spreads. With one leaf and one playout at a time (`batch=1,playouts=1`) it is what the papers describe.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, chapters 3 and 4.

mod amaf;
mod batch;
mod descend;
mod options;
mod pace;
mod report;

pub use options::{Policy, UctOptions};

use std::time::{Duration, Instant};

use ludex_game::{Failure, Leaves, MoveId, State};

use crate::budget::Budget;
use crate::memory::{NodeId, Table, Tree};
use crate::playout::{Path, Strategy};
use crate::search::{Search, Seat, Stopped};
use crate::selection::Selection;
use crate::thinking::Thinking;
use pace::Pace;

/// Tree search with playouts.
pub struct Uct {
    seat: Seat,
    options: UctOptions,
    selection: Selection,
    strategy: Box<dyn Strategy>,
    random: fastrand::Rng,
    tree: Tree,
    table: Option<Table>,
    root: NodeId,
    pace: Pace,
    /// By own move and role: sum of goals in simulations that began with it, since the root was set; and how many.
    root_goals: Vec<f64>,
    root_counts: Vec<u64>,
    playouts: u64,
    steps: u64,
    playout_time: Duration,
    deepest: u16,
    /// The tree may not grow any more.
    full: bool,
    /// There are nodes that cannot be reached any more.
    has_moved_on: bool,
    /// The strategy looks at paths.
    keeps_paths: bool,
    /// Somebody looks at the nodes of paths.
    keeps_nodes: bool,
    /// What was made below the nodes of a way, for RAVE.
    amaf: Option<amaf::Amaf>,
    // What a batch needs, kept for the next.
    untried: Vec<usize>,
    untried_moves: Vec<MoveId>,
    descents: Vec<descend::Descent>,
    paths: Vec<Path>,
    results: Leaves,
}

impl Uct {
    /// A player for a seat.
    pub fn new(seat: Seat, options: UctOptions) -> Self {
        let roles = seat.game.role_count();
        let strategy = options.strategy(roles);
        Self {
            selection: options.selection(),
            keeps_paths: strategy.keeps_paths() || options.is_rave(),
            keeps_nodes: strategy.looks_at_facts() || options.is_rave(),
            amaf: options.is_rave().then(|| amaf::Amaf::new(roles, options.discount)),
            strategy,
            untried: Vec::new(),
            untried_moves: Vec::new(),
            random: fastrand::Rng::with_seed(seat.seed),
            tree: if options.is_rave() { Tree::with_later(roles) } else { Tree::new(roles) },
            table: options.transpositions.then(Table::default),
            root: NodeId::NONE,
            pace: Pace::new(seat.game.lanes(), &options),
            root_goals: Vec::new(),
            root_counts: Vec::new(),
            playouts: 0,
            steps: 0,
            playout_time: Duration::ZERO,
            deepest: 0,
            full: false,
            has_moved_on: false,
            descents: Vec::new(),
            paths: Vec::new(),
            results: Leaves::new(),
            seat,
            options,
        }
    }

    /// Starts a new tree at a state.
    fn plant(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.seat.game.view(state)?;
        self.tree = self.tree.empty();
        self.has_moved_on = false;
        self.table = self.options.transpositions.then(Table::default);
        self.root = self.tree.add_pending(0);
        self.tree.fill(self.root, state.words(), view.terminal);
        for (role, moves) in view.legal.iter().enumerate() {
            self.tree.set_moves(self.root, role, moves);
        }
        if view.terminal {
            let goals = self.seat.game.goals(state)?;
            self.tree.set_values(self.root, goals.iter().map(|goal| f64::from(goal.value().unwrap_or(0))));
        }
        Ok(())
    }

    /// Sees to it that the tree does not outgrow its memory: what cannot be reached any more is given up; if that is
    /// not enough, there are no new nodes.
    fn keep_within(&mut self, memory: usize) {
        let bytes = |uct: &Self| uct.tree.bytes() + uct.table.as_ref().map_or(0, Table::bytes);
        // Arrays double when they grow, and there are two trees while one is copied: together not more than all.
        let limit = memory / 3;
        self.full = bytes(self) > limit;
        if self.full && self.has_moved_on {
            self.tree = self.tree.below(self.root, &mut self.table);
            (self.root, self.has_moved_on) = (NodeId(0), false);
            self.full = bytes(self) > limit;
        }
    }

    /// The legal moves of the searching role at the root.
    fn own_moves(&self) -> &[MoveId] {
        match self.root {
            NodeId::NONE => &[],
            root => self.tree.moves(root, self.seat.role.index()),
        }
    }

    /// Whether there is anything to think about: a choice, and moves for everyone.
    fn can_think(&self) -> bool {
        self.own_moves().len() > 1 && (0..self.tree.roles()).all(|role| self.tree.count(self.root, role) > 0)
    }
}

impl Search for Uct {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let words = state.words();
        let known = match self.root {
            NodeId::NONE => None,
            root => self.tree.find_below(root, words),
        };
        match known {
            Some(node) if node == self.root => {}
            // What cannot be reached any more is given up when its place is needed: copying the rest takes time.
            Some(node) => (self.root, self.has_moved_on) = (node, true),
            None => self.plant(state)?,
        }
        let moves = self.own_moves().len();
        self.root_goals = vec![0.0; moves * self.tree.roles()];
        self.root_counts = vec![0; moves];
        (self.playouts, self.steps, self.full) = (0, 0, false);
        self.playout_time = Duration::ZERO;
        self.deepest = self.tree.depth(self.root);
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<Stopped, Failure> {
        if !self.can_think() {
            return Ok(Stopped::Finished);
        }
        let mut left = budget.playouts;
        loop {
            if left == Some(0) {
                return Ok(Stopped::Playouts);
            }
            if budget.stop.is_set() {
                return Ok(Stopped::Asked);
            }
            let begun = Instant::now();
            let Some(size) = self.pace.next(begun, budget.deadline, left) else { return Ok(Stopped::Time) };
            self.keep_within(budget.memory);
            let done = self.run_batch(size, left)?;
            left = left.map(|left| left.saturating_sub(done));
            self.pace.measured(size, begun.elapsed());
        }
    }

    fn thinking(&self) -> Thinking {
        self.report()
    }

    fn playout_time(&self) -> Duration {
        self.playout_time
    }
}
