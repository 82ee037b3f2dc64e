//! `ida-star`: Enhanced IDA*, the player of CADIA-Player 2007 for games for one.
//!
//! # What it does
//! Iterative deepening, depth first, with a transposition table: f = g + h with h = 0, so the limit is
//! the depth and grows by one. The best end found so far is kept and played move by move; 100 ends
//! the search. At the first root (the start clock) it searches as long as it may. With a partial
//! solution, an end with more than 0, it goes on with every new root until 100 or the end of the
//! game. With none it hands over to UCT.
//!
//! A search does not know when the start clock ends and the first move is due, and a solution may
//! never come. So without one the first root is shared with UCT, half of the work each: as on the two
//! clocks of the paper if these are equal.
//!
//! `return` (off; the idea that the thesis leaves open): UCT shares a root with IDA* again when the
//! end is near, that is when what is left has at most [`NEAR`] lines by the number of moves and the
//! mean length of its playouts.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, sections 2.1.1, 3.1.3 and 3.4.1;
//! R. Korf, Depth-first iterative-deepening, 1985; A. Reinefeld, T. A. Marsland, Enhanced
//! iterative-deepening search, 1994.
//!
//! # Status
//! As published; states are expanded in batches.

mod deepening;
mod visited;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, Simulator, SimulatorConfig, State};

use crate::ary::{Incumbent, Pace, Plan};
use crate::budget::Budget;
use crate::report::{Candidate, Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};
use deepening::{Deepening, Solution};
use visited::Visited;

/// Lines that are few enough for exhaustive search.
const NEAR: f64 = 1e7;

/// Positions, or playouts, of a turn, if playouts are counted; a turn by the clock is
/// [`TURN_TIME`].
const TURN: u64 = 2000;
const TURN_TIME: Duration = Duration::from_millis(10);

/// Enhanced IDA*, for a game for one.
pub struct IdaStar {
    context: SearchContext,
    simulator: Box<dyn Simulator>,
    visited: Visited,
    /// Goes back to IDA* near the end.
    returns: bool,
    uct: Box<dyn Search>,
    /// Whether UCT has the root.
    uct_knows: bool,
    root: Option<State>,
    moves: usize,
    /// No root with a choice was searched before this one.
    is_first_root: bool,
    has_thought: bool,
    deepening: Option<Deepening>,
    best: Incumbent,
    /// Everything that can be reached was searched.
    exact: bool,
    pace: Pace,
    /// Positions, and playouts of UCT before this root.
    positions: u64,
    depth: u16,
}

impl IdaStar {
    /// A search for the only role of a game. `uct` takes over when nothing was found.
    pub fn new(context: SearchContext, returns: bool, uct: Box<dyn Search>) -> Self {
        Self {
            simulator: Arc::clone(&context.game).simulator(SimulatorConfig::default()),
            context,
            visited: Visited::default(),
            returns,
            uct,
            uct_knows: false,
            root: None,
            moves: 0,
            is_first_root: true,
            has_thought: false,
            deepening: None,
            best: Incumbent::default(),
            exact: false,
            pace: Pace::default(),
            positions: 0,
            depth: 0,
        }
    }

    /// Whether there is a solution: an end with more than 0.
    fn is_solved(&self) -> bool {
        self.best.plan().is_some_and(|plan| plan.score > 0)
    }

    /// Whether the end is near, as playouts of UCT have it.
    fn is_near_the_end(&self) -> bool {
        let report = self.uct.report();
        let length = report.steps as f64 / report.playouts.max(1) as f64;
        report.playouts > 0 && (length + 1.0) * (self.moves.max(2) as f64).ln() <= NEAR.ln()
    }

    /// Expands states until a limit is reached or everything is known.
    fn deepen(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let Some(mut search) = self.deepening.take() else { return Ok(StopReason::Finished) };
        let reason = self.deepen_with(&mut search, budget);
        self.deepening = Some(search);
        reason
    }

    fn deepen_with(&mut self, search: &mut Deepening, budget: &Budget) -> Result<StopReason, Failure> {
        let mut left = budget.playouts;
        let mut found: Vec<Solution> = Vec::new();
        self.pace.begin(budget);
        loop {
            if self.best.is_perfect() || search.is_exhausted() {
                return Ok(StopReason::Finished);
            }
            let begun = match self.pace.next(budget, left) {
                Ok(begun) => begun,
                Err(reason) => return Ok(reason),
            };
            let best = self.best.plan().map_or(0, |plan| plan.score);
            let made = search.expand(&mut *self.simulator, &mut self.visited, best, &mut found)?;
            for Solution { score, moves } in found.drain(..) {
                self.best.offer(Plan { score, moves });
            }
            self.positions += made;
            self.depth = search.completed();
            self.exact = search.is_exhausted();
            left = left.map(|left| left.saturating_sub(made));
            self.pace.done(begun);
        }
    }

    /// Lets UCT think.
    fn think_by_uct(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if !self.uct_knows
            && let Some(root) = &self.root
        {
            self.uct.set_root(root)?;
            self.uct_knows = true;
        }
        let half = Budget { memory: budget.memory / 2, ..budget.clone() };
        self.uct.think(&half)
    }

    /// Shares the budget between IDA* and UCT, turn by turn, until there is a solution.
    fn take_turns(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let mut left = budget.playouts;
        loop {
            for by_uct in [false, true] {
                if left == Some(0) {
                    return Ok(StopReason::Playouts);
                }
                let now = Instant::now();
                let end = now + TURN_TIME;
                let turn = Budget {
                    deadline: budget.deadline.map(|deadline| deadline.min(end)),
                    playouts: match (left, budget.deadline) {
                        (Some(left), _) => Some(left.min(TURN)),
                        (None, Some(_)) => None,
                        (None, None) => Some(TURN),
                    },
                    ..budget.clone()
                };
                let reason = if by_uct { self.think_by_uct(&turn)? } else { self.deepen(&turn)? };
                left = left.zip(turn.playouts).map(|(left, turn)| left - turn);
                if budget.stop.is_set() {
                    return Ok(StopReason::Requested);
                }
                if budget.deadline.is_some_and(|deadline| Instant::now() + self.pace.time() >= deadline) {
                    return Ok(StopReason::Time);
                }
                if reason == StopReason::Finished && !by_uct {
                    return Ok(StopReason::Finished);
                }
                if self.is_solved() {
                    return self.deepen(&Budget { playouts: left, ..budget.clone() });
                }
                if reason == StopReason::Finished {
                    // UCT has seen everything that it needs; IDA* goes on alone.
                    return self.deepen(&Budget { playouts: left, ..budget.clone() });
                }
            }
        }
    }
}

impl Search for IdaStar {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.positions = 0;
        if self.root.as_ref() == Some(state) {
            return Ok(());
        }
        self.is_first_root = !self.has_thought;
        if let Some(before) = self.root.take() {
            self.best.follow(&self.context.game, &before, state)?;
        }
        let view = self.context.game.view(state)?;
        self.moves = view.legal.first().map_or(0, Vec::len);
        self.uct_knows = false;
        self.exact = false;
        self.depth = 0;
        self.root = Some(state.clone());
        let can_move = !view.terminal && self.moves > 0;
        self.deepening = can_move.then(|| Deepening::new(state.clone(), &mut self.visited));
        // Its report has a legal move at once.
        if !self.is_solved() {
            self.uct.set_root(state)?;
            self.uct_knows = true;
        }
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if self.deepening.is_none() || self.best.is_perfect() || self.exact || self.moves < 2 {
            return Ok(StopReason::Finished);
        }
        self.has_thought = true;
        self.visited.resize(budget.memory / 4);
        if self.is_solved() {
            return self.deepen(budget);
        }
        if self.is_first_root || (self.returns && self.is_near_the_end()) {
            return self.take_turns(budget);
        }
        if self.returns {
            // Playouts tell whether the end is near.
            let first = Budget {
                playouts: Some(budget.playouts.map_or(TURN, |left| left.min(TURN))),
                ..budget.clone()
            };
            let reason = self.think_by_uct(&first)?;
            if reason != StopReason::Playouts || budget.playouts.is_some_and(|left| left <= TURN) {
                return Ok(reason);
            }
            let rest = Budget { playouts: budget.playouts.map(|left| left - TURN), ..budget.clone() };
            return if self.is_near_the_end() { self.take_turns(&rest) } else { self.think_by_uct(&rest) };
        }
        self.think_by_uct(budget)
    }

    fn report(&self) -> SearchReport {
        let layers = self.deepening.as_ref().map_or(0, Deepening::bytes);
        let memory = self.visited.bytes() + layers;
        let by_uct = if self.uct_knows { self.uct.report() } else { SearchReport::default() };
        let steps = by_uct.steps + self.positions;
        let playouts = by_uct.playouts + self.positions;
        let Some(plan) = self.best.plan().filter(|_| self.is_solved()) else {
            // Everything was searched, and nothing is worth more than 0.
            let proof = self.exact.then_some(Proof { low: 0, high: 0, steps: None });
            return SearchReport {
                playouts,
                steps,
                memory: by_uct.memory + memory,
                proven: self.exact || by_uct.proven,
                proof: proof.or(by_uct.proof),
                ..by_uct
            };
        };
        let high = if self.exact { plan.score } else { 100 };
        let proof = Some(Proof { low: plan.score, high, steps: None });
        let legal = self.root.as_ref().and_then(|root| self.context.game.view(root).ok());
        let legal = legal.and_then(|view| view.legal.into_iter().next()).unwrap_or_default();
        let planned = plan.moves.first().copied();
        let candidate = |id, is_planned| Candidate {
            id,
            visits: 0,
            values: if is_planned { vec![f64::from(plan.score)] } else { Vec::new() },
            proof: proof.filter(|_| is_planned),
        };
        let others = legal.into_iter().filter(|&id| Some(id) != planned).map(|id| candidate(id, false));
        SearchReport {
            best: planned,
            values: vec![f64::from(plan.score)],
            candidates: planned.map(|id| candidate(id, true)).into_iter().chain(others).collect(),
            principal_variation: plan.moves.iter().map(|&id| vec![id]).collect(),
            playouts,
            steps,
            nodes: by_uct.nodes,
            depth: u32::from(self.depth),
            memory: by_uct.memory + memory,
            proven: high == plan.score,
            proof,
            ..SearchReport::default()
        }
    }
}
