//! `alphabeta`: minimax with everything that makes it deep.
//!
//! # What it does
//! Iterative deepening: depth 1, 2, 3 … until the root is decided or the time is up. The searching
//! role maximises its goal, all other players together minimise it, chance gives the mean of its
//! moves ([`super::levels`] for simultaneous moves). A subtree is left as soon as its value cannot
//! matter: outside of the window (α, β) of what both sides have elsewhere (Knuth and Moore 1975).
//!
//! - *Transposition table* ([`super::table`]): bounds, depth and best move of positions.
//! - *Order of moves*: the best move of the table, then children by what the table knows of them,
//!   then killer moves and history ([`super::ordering`]). Children that the table already decides
//!   are looked at first, whatever their order (enhanced transposition cutoffs, Plaat et al. 1996).
//! - *Principal variation search* (Marsland and Campbell 1982): moves after the first are searched
//!   with a null window (α, α + ulp), and again if they turn out better.
//! - *Aspiration windows*: the root is searched in a window around the value of the last depth, and
//!   again in a larger one if the value is outside.
//! - *Full width at the bottom*, in lanes ([`super::batches`]).
//!
//! # Proofs
//! Every value is a guess with proved bounds ([`super::value`]). Bounds come from ends of the game
//! only, so they hold at every depth and are kept for the rest of the match. Guesses never reach
//! the goals at either end: a win is worth more than any guess of one. As depths grow one by one,
//! the first win that is found is a shortest one, and the last move that is refuted is a longest
//! loss. With two players and goals of constant sum that is the game's value; with more players it
//! is what the role can guarantee (the paranoid reduction, [`super::paranoid`]).
//!
//! # Where it differs from the papers
//! The search has its own stack instead of recursion: a slice of time ends anywhere, and the next
//! one goes on there.
//!
//! # References
//! H. Finnsson, CADIA-Player, 2007, section 2.1.3; J. Clune, 2007 (table and aspiration windows).
//! Chance nodes are searched at full width, without the bounds of Ballard 1983.

mod frame;
mod order;
mod step;

use std::time::{Duration, Instant};

use ludex_game::{Failure, MoveId, State};

use super::batches::{Batches, bytes_of};
use super::evaluation::Evaluation;
use super::guarantee::Guarantee;
use super::levels::Order;
use super::options::AlphaBetaOptions;
use super::ordering::Ordering;
use super::root::Root;
use super::table::{Entry, Key, Table};
use super::value::{Chooser, Tally, Value};
use crate::budget::Budget;
use crate::report::{Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};
use frame::{Frame, Node, OPEN, Pass};

/// Depths that are searched at most: games that never end would be searched forever.
const MAX_DEPTH: u16 = 500;

/// Leaves of a batch at most.
const MAX_LEAVES: usize = 4096;

/// Longest reported principal variation, in steps.
const MAX_PV_STEPS: usize = 24;

/// Alpha-beta search.
pub struct AlphaBeta {
    context: SearchContext,
    options: AlphaBetaOptions,
    batches: Batches<Guarantee>,
    table: Table,
    ordering: Ordering,
    root: Option<Root>,
    /// The path from the root: frames, and the nodes that they belong to. Nodes from `used` on are
    /// kept to be filled again.
    frames: Vec<Frame>,
    nodes: Vec<Node>,
    used: usize,
    /// Bytes of the nodes on the path.
    path_bytes: usize,
    /// The longest batch or expansion lately.
    longest: Duration,
    /// Positions when the root was set.
    before: u64,
    /// Memory limit in bytes.
    memory: usize,
}

/// What a step of the search came to.
enum Step {
    /// Go on.
    On,
    /// There is no time for the next batch.
    Late,
    /// The iteration is complete.
    Complete(Value),
}

impl AlphaBeta {
    /// A search for a role of a game.
    pub fn new(context: SearchContext, options: AlphaBetaOptions, evaluation: Box<dyn Evaluation>) -> Self {
        let order = Order::of(options.simultaneous);
        let batches = Batches::new(&context.game, evaluation, Guarantee::new(&context, order));
        Self {
            batches,
            context,
            options,
            table: Table::default(),
            ordering: Ordering::default(),
            root: None,
            frames: Vec::new(),
            nodes: Vec::new(),
            used: 0,
            path_bytes: 0,
            longest: Duration::ZERO,
            before: 0,
            memory: Budget::DEFAULT_MEMORY,
        }
    }

    /// Judges positions at the horizon by this evaluation from now on. Guesses of the last one are
    /// forgotten, proofs are kept.
    pub fn set_evaluation(&mut self, evaluation: Box<dyn Evaluation>) {
        self.batches.evaluation = evaluation;
        self.table.forget_guesses();
        self.clear_path();
        if let Some(root) = &mut self.root {
            root.restart();
        }
    }

    /// Whether players had a choice at the same time in some state that it searched. Its values are
    /// then what the role can guarantee if the others know its move.
    pub fn has_seen_simultaneous_moves(&self) -> bool {
        self.batches.backup.seats.saw_simultaneous_moves()
    }

    /// What is proved about a position: bounds on the goal that the searching role can guarantee, from
    /// ends of the game alone, found at any time of the match; none if nothing is, or if it was
    /// forgotten for want of memory. They hold for any other search of the same game and role.
    pub fn proved(&self, state: &State) -> Option<Proof> {
        self.look_up(Key::new(state.words()))?.value.proof(self.batches.backup.range)
    }

    fn clear_path(&mut self) {
        self.frames.clear();
        (self.used, self.path_bytes) = (0, 0);
    }

    /// Begins an iteration: the frame of the root.
    fn begin_iteration(&mut self) -> Result<(), Failure> {
        self.clear_path();
        let Some(root) = &mut self.root else { return Ok(()) };
        let (depth, window) = root.begin_iteration(self.batches.positions);
        let state = root.state.clone();
        let key = Key::new(state.words());
        // What the table knows of the root is a value without a move that has it.
        self.push_node(state.words(), key, None)?;
        self.push_frame(depth, window, 0, 0);
        let (Some(frame), Some(root)) = (self.frames.last_mut(), &mut self.root) else { return Ok(()) };
        if frame.chooser != Chooser::Own {
            root.shares_choice();
        }
        // The best move so far comes first, table or not.
        let (children, own) = (&self.nodes[0].children, self.batches.backup.seats.own);
        if let (Some(best), Chooser::Own, false) = (root.best_move(), frame.chooser, children.is_empty()) {
            frame.order.sort_by_key(|&option| children.joint(option as usize)[own] != best);
        }
        Ok(())
    }

    /// Expands a state as the next node of the path.
    fn push_node(&mut self, state: &[u64], key: Key, known: Option<Entry>) -> Result<(), Failure> {
        if self.nodes.len() == self.used {
            self.nodes.push(Node::default());
        }
        let node = &mut self.nodes[self.used];
        self.batches.expand(state, &mut node.children)?;
        node.levels = self.batches.backup.seats.levels(&node.children, 0..node.children.len());
        (node.key, node.known) = (Some(key), known);
        node.bytes = bytes_of(&node.children, self.batches.roles());
        self.path_bytes += node.bytes;
        self.used += 1;
        Ok(())
    }

    /// A frame for a level of the last node.
    fn push_frame(&mut self, depth: u16, window: (f32, f32), level: usize, base: u32) {
        let node = self.used - 1;
        let levels = &self.nodes[node].levels;
        let chooser = levels.chooser(level);
        // A mean needs the values of all options, and so does a matrix game.
        let window = match chooser {
            Chooser::Own | Chooser::Others => window,
            Chooser::Chance | Chooser::Both(_) => OPEN,
        };
        let order = self.order(node, level, base);
        self.frames.push(Frame {
            node,
            level,
            base,
            depth,
            window,
            alpha: window.0,
            beta: window.1,
            chooser,
            best: base + order.first().copied().unwrap_or(0),
            at: 0,
            pass: Pass::New,
            tally: Tally::new(
                chooser,
                u32::try_from(order.len()).unwrap_or(u32::MAX),
                self.batches.backup.range,
            ),
            order,
            leaves: self.batches.lanes().clamp(1, MAX_LEAVES),
        });
    }

    fn look_up(&self, key: Key) -> Option<Entry> {
        if self.options.table { self.table.get(key) } else { None }
    }

    /// Where both players choose at once at the root, the move is drawn from the mixed strategy.
    fn mix_root(&mut self, frame: &Frame) {
        let (Some(solution), Some(root)) = (frame.tally.strategies(), &mut self.root) else { return };
        let payoffs: Vec<f64> = frame.tally.guesses().map(f64::from).collect();
        let sample = fastrand::Rng::with_seed(self.context.seed ^ root.state.hash_value()).f64();
        root.mix(&solution, &payoffs, sample);
    }

    /// The line of best play as far as the table knows it, within the time that is left.
    fn principal_variation(&self, budget: &Budget) -> Result<Vec<Vec<MoveId>>, Failure> {
        let mut line: Vec<Vec<MoveId>> = Vec::new();
        let Some(root) = &self.root else { return Ok(line) };
        let mut state = root.state.clone();
        while line.len() < MAX_PV_STEPS && budget.deadline.is_none_or(|deadline| Instant::now() < deadline) {
            let Some(best) = self.look_up(Key::new(state.words())).and_then(|known| known.best) else {
                break;
            };
            let view = self.context.game.view(&state)?;
            let Some(joint) = joint_at(&view.legal, best as usize).filter(|_| !view.terminal) else { break };
            state = self.context.game.next(&state, &joint)?;
            line.push(joint);
        }
        Ok(line)
    }

    /// Searches until the budget is used up or the root is decided.
    fn run(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let most = budget.playouts.map(|more| self.batches.positions.saturating_add(more));
        loop {
            if self.root.as_ref().is_none_or(Root::is_finished) {
                return Ok(StopReason::Finished);
            }
            if budget.stop.is_set() {
                return Ok(StopReason::Requested);
            }
            if most.is_some_and(|most| self.batches.positions >= most) {
                return Ok(StopReason::Playouts);
            }
            if self.frames.is_empty() {
                if !self.has_time(budget) {
                    return Ok(StopReason::Time);
                }
                self.begin_iteration()?;
            }
            match self.step(budget)? {
                Step::On => {}
                Step::Late => return Ok(StopReason::Time),
                Step::Complete(value) => {
                    let Some(root) = &mut self.root else { continue };
                    root.complete(value, self.options.window, self.batches.positions);
                    if root.depth() >= MAX_DEPTH {
                        root.finish();
                    }
                    let line = self.principal_variation(budget)?;
                    if let Some(root) = &mut self.root {
                        root.set_principal_variation(line);
                    }
                }
            }
        }
    }
}

/// The joint move with a place among all, the last role's move fastest.
fn joint_at(legal: &[Vec<MoveId>], place: usize) -> Option<Vec<MoveId>> {
    let mut rest = place;
    let mut joint = Vec::with_capacity(legal.len());
    for moves in legal.iter().rev() {
        joint.push(*moves.get(rest % moves.len().max(1))?);
        rest /= moves.len().max(1);
    }
    joint.reverse();
    (rest == 0).then_some(joint)
}

impl Search for AlphaBeta {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.context.game.view(state)?;
        let own = self.context.role.index();
        let legal = view.legal.get(own).map_or(&[][..], Vec::as_slice);
        self.clear_path();
        self.table.new_search();
        self.ordering.new_root();
        self.before = self.batches.positions;
        let mut root = Root::new(state.clone(), legal, own, self.batches.backup.range);
        let joint_moves = view.legal.iter().map(Vec::len).fold(1, usize::saturating_mul);
        if view.terminal || joint_moves == 0 || joint_moves > self.batches.most_joint_moves() {
            root.finish();
        }
        self.root = Some(root);
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        self.memory = budget.memory;
        self.batches.limit(budget.memory / 16);
        if self.options.table {
            self.table.limit(budget.memory / 8 * 6);
        }
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

    fn report(&self) -> SearchReport {
        let Some(root) = &self.root else { return SearchReport::default() };
        let positions = self.batches.positions - self.before;
        let kept: usize = self.nodes.iter().map(|node| node.bytes).sum();
        SearchReport {
            playouts: positions,
            steps: positions,
            nodes: positions,
            memory: self.table.bytes() + kept + self.batches.bytes(),
            ..root.report(|own| self.batches.backup.all_goals(own))
        }
    }
}
