//! Plain iterative deepening at full width: what `minimax` and `maxn` have in common.
//!
//! Depth first, to depth 1, 2, 3 …; nothing is cut off and nothing is remembered. The last steps are
//! searched in batches ([`super::batches`]). The path is a stack, so that a slice of time ends
//! anywhere. Results are those of the last complete depth: a depth that was not completed says
//! nothing about the moves that it did not reach.

use std::time::{Duration, Instant};

use ludex_game::{Expansion, Failure, MoveId, State};

use super::batches::{At, Backup, Batches, bytes_of};
use super::levels::Levels;
use super::value::Chooser;
use crate::budget::Budget;
use crate::report::{Candidate, Proof, SearchReport};
use crate::search::{SearchContext, StopReason};

/// Depths that are searched at most: games that never end would be searched forever.
const MAX_DEPTH: u16 = 500;

/// Leaves of a batch, nearly.
const BATCH_LEAVES: f64 = 2048.0;

/// The time that a batch should take at most, where there is a deadline.
const BATCH_TIME: Duration = Duration::from_millis(4);

/// What a report needs to know of a value.
pub(super) trait Told: Backup {
    /// The goals of all roles, nearly.
    fn goals(&self, value: &Self::Value) -> Vec<f64>;

    /// What is proved for the searching role.
    fn proof(&self, value: &Self::Value) -> Option<Proof>;

    /// Whether a value is better than another one for the searching role.
    fn is_better(&self, value: &Self::Value, than: &Self::Value) -> bool;
}

/// A state on the path.
struct Node<V> {
    children: Expansion,
    levels: Levels,
    /// Steps to the horizon.
    depth: u16,
    /// The values of the first children.
    values: Vec<V>,
    bytes: usize,
}

/// The walk of a full-width search.
pub(super) struct FullWidth<B: Told> {
    context: SearchContext,
    batches: Batches<B>,
    root: Option<Root<B::Value>>,
    path: Vec<Node<B::Value>>,
    spare: Vec<Expansion>,
    path_bytes: usize,
    longest: Duration,
    /// Positions when the root was set.
    before: u64,
    memory: usize,
}

/// What is known about the root.
struct Root<V> {
    state: State,
    legal: Vec<MoveId>,
    /// By own move: its value, at the last complete depth.
    values: Vec<V>,
    value: Option<V>,
    best: usize,
    /// The joint move of best play, if it is known.
    joint: Option<Vec<MoveId>>,
    depth: u16,
    finished: bool,
}

impl<B: Told> FullWidth<B> {
    /// For a role of a game.
    pub(super) fn new(context: SearchContext, batches: Batches<B>) -> Self {
        Self {
            context,
            batches,
            root: None,
            path: Vec::new(),
            spare: Vec::new(),
            path_bytes: 0,
            longest: Duration::ZERO,
            before: 0,
            memory: Budget::DEFAULT_MEMORY,
        }
    }

    /// Sets the state to search; nothing is kept.
    pub(super) fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.context.game.view(state)?;
        let legal = view.legal.get(self.context.role.index()).cloned().unwrap_or_default();
        let joint_moves = view.legal.iter().map(Vec::len).fold(1, usize::saturating_mul);
        let finished = view.terminal || joint_moves == 0 || joint_moves > self.batches.most_joint_moves();
        self.clear_path();
        self.before = self.batches.positions;
        let state = state.clone();
        let (values, value, joint) = (Vec::new(), None, None);
        self.root = Some(Root { state, legal, values, value, best: 0, joint, depth: 0, finished });
        Ok(())
    }

    fn clear_path(&mut self) {
        self.spare.extend(self.path.drain(..).map(|node| node.children));
        self.path_bytes = 0;
    }

    /// Searches until the budget is used up or the value is proved.
    pub(super) fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        self.memory = budget.memory;
        self.batches.limit(budget.memory / 16);
        // One slow batch must not stop the search for good.
        let time = budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if time.is_some_and(|time| self.longest >= time) {
            self.longest /= 2;
        }
        let result = self.run(budget);
        if result.is_err() {
            self.clear_path();
        }
        result
    }

    fn run(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let most = budget.playouts.map(|more| self.batches.positions.saturating_add(more));
        loop {
            let Some(root) = self.root.as_ref().filter(|root| !root.finished) else {
                return Ok(StopReason::Finished);
            };
            if budget.stop.is_set() {
                return Ok(StopReason::Requested);
            }
            if most.is_some_and(|most| self.batches.positions >= most) {
                return Ok(StopReason::Playouts);
            }
            if budget.deadline.is_some_and(|deadline| Instant::now() + self.longest >= deadline) {
                return Ok(StopReason::Time);
            }
            let begun = Instant::now();
            match self.path.last() {
                None => {
                    let (state, depth) = (root.state.clone(), root.depth + 1);
                    self.push(state.words(), depth)?;
                }
                Some(_) => self.step(budget)?,
            }
            self.longest = self.longest.max(begun.elapsed());
        }
    }

    fn push(&mut self, state: &[u64], depth: u16) -> Result<(), Failure> {
        let mut children = self.spare.pop().unwrap_or_default();
        self.batches.expand(state, &mut children)?;
        let levels = self.batches.backup.seats().levels(&children, 0..children.len());
        let bytes = bytes_of(&children, self.batches.roles());
        self.path_bytes += bytes;
        self.path.push(Node { levels, depth, values: Vec::with_capacity(children.len()), bytes, children });
        Ok(())
    }

    /// One step: a node is complete, or its next child or children get their values.
    fn step(&mut self, budget: &Budget) -> Result<(), Failure> {
        let Some(node) = self.path.last() else { return Ok(()) };
        let next = node.values.len();
        if next == node.children.len() {
            self.complete();
            return Ok(());
        }
        let (depth, height) = (node.depth - 1, self.height(budget));
        let at = At { among: &node.children, child: next };
        let is_large = at.joint_moves(self.batches.roles()) > self.batches.most_joint_moves();
        // What cannot be expanded is judged where it is.
        let stays = is_large || self.path_bytes > self.memory / 4;
        if depth > height && !stays && !node.children.is_terminal(next) {
            let state = node.children.words(next).to_vec();
            return self.push(&state, depth);
        }
        // As many children as fill a batch, or one that stays, and terminal ones between.
        let leaves = self.batches.branching().max(1.0).powi(i32::from(depth.min(height)));
        let mut limit = if depth > height { 1.0 } else { BATCH_LEAVES };
        if let (Some(time), Some(_)) = (self.batches.per_child(), budget.deadline) {
            limit = limit.min(BATCH_TIME.as_secs_f64() / time.as_secs_f64().max(1e-9));
        }
        let (mut open, mut end) = (Vec::new(), next);
        while end < node.children.len() {
            if !node.children.is_terminal(end) {
                if end > next && depth > height || !open.is_empty() && open.len() as f64 * leaves >= limit {
                    break;
                }
                open.push(At { among: &node.children, child: end });
            }
            end += 1;
        }
        let mut values = Vec::with_capacity(open.len());
        self.batches.look_ahead(&open, if stays { 0 } else { depth }, &mut values)?;
        let Some(node) = self.path.last_mut() else { return Ok(()) };
        let (children, backup) = (&node.children, &self.batches.backup);
        let mut values = values.into_iter();
        for child in next..end {
            let value = if children.is_terminal(child) { None } else { values.next() };
            let value = value.unwrap_or_else(|| backup.end(|role| children.goal(child, role)));
            node.values.push(backup.a_step_earlier(value));
        }
        Ok(())
    }

    /// Steps at full width in one batch: as many as fill the lanes, one at least if there are lanes.
    fn height(&self, budget: &Budget) -> u16 {
        let branching = self.batches.branching().max(2.0);
        let time = self.batches.per_child().filter(|_| budget.deadline.is_some());
        let is_slow = time.is_some_and(|time| time.as_secs_f64() * branching > BATCH_TIME.as_secs_f64());
        if self.batches.lanes() < 64 || is_slow {
            return 0;
        }
        if branching * branching <= self.batches.lanes() as f64 { 2 } else { 1 }
    }

    /// The last node has the values of all children.
    fn complete(&mut self) {
        let Some(node) = self.path.pop() else { return };
        self.path_bytes -= node.bytes;
        let backup = &self.batches.backup;
        let value = match node.values.is_empty() {
            true => backup.end(|_| None),
            false => backup.choose(&node.levels, 0, &node.values, 0),
        };
        match self.path.last_mut() {
            Some(above) => above.values.push(backup.a_step_earlier(value)),
            None => self.complete_root(&node, value),
        }
        self.spare.push(node.children);
    }

    /// A depth is complete.
    fn complete_root(&mut self, node: &Node<B::Value>, value: B::Value) {
        let backup = &self.batches.backup;
        let Some(root) = &mut self.root else { return };
        root.depth = node.depth;
        root.joint = None;
        if node.levels.chooser(0) == Chooser::Own && node.levels.len() > 0 {
            let options = node.levels.options(0);
            let of_option = |&option: &u32| backup.choose(&node.levels, 1, &node.values, option);
            root.values = options.iter().map(of_option).collect();
            root.best = 0;
            for at in 1..root.values.len() {
                if backup.is_better(&root.values[at], &root.values[root.best]) {
                    root.best = at;
                }
            }
            root.joint =
                (node.levels.len() == 1).then(|| node.children.joint(options[root.best] as usize).to_vec());
        } else {
            root.values = vec![value.clone(); root.legal.len().min(1)];
        }
        let is_exact = |value: &B::Value| backup.proof(value).is_some_and(|proof| proof.is_exact());
        let is_won = |value: &B::Value| backup.proof(value).is_some_and(|proof| proof.low == 100);
        root.finished =
            is_exact(&value) || root.values.get(root.best).is_some_and(is_won) || root.depth >= MAX_DEPTH;
        root.value = Some(value);
    }

    /// The report.
    pub(super) fn report(&self) -> SearchReport {
        let Some(root) = &self.root else { return SearchReport::default() };
        let backup = &self.batches.backup;
        let positions = self.batches.positions - self.before;
        let mut order: Vec<usize> = (0..root.legal.len()).collect();
        if !root.values.is_empty() && root.values.len() == root.legal.len() {
            order.sort_by(|&a, &b| {
                let better = |a: usize, b: usize| backup.is_better(&root.values[a], &root.values[b]);
                better(b, a).cmp(&better(a, b))
            });
        }
        let goals = |value: Option<&B::Value>| value.map(|value| backup.goals(value)).unwrap_or_default();
        let candidate = |&at: &usize| Candidate {
            id: root.legal[at],
            visits: positions / root.legal.len() as u64,
            values: goals(root.values.get(at)),
            proof: root.values.get(at).and_then(|value| backup.proof(value)),
        };
        let proof = root.value.as_ref().and_then(|value| backup.proof(value));
        let kept: usize = self.path.iter().map(|node| node.bytes).sum();
        SearchReport {
            best: order.first().map(|&best| root.legal[best]),
            values: goals(root.value.as_ref()),
            candidates: order.iter().map(candidate).collect(),
            principal_variation: root.joint.iter().cloned().collect(),
            playouts: positions,
            steps: positions,
            nodes: positions,
            depth: u32::from(root.depth),
            memory: kept + self.batches.bytes(),
            proven: proof.is_some_and(|proof| proof.is_exact()),
            proof,
            ..SearchReport::default()
        }
    }
}
