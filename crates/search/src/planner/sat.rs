//! Planning as satisfiability: the circuit unrolled over growing horizons.
//!
//! # What it does
//! [`ludex_knowledge::Unrolled`] asks whether a plan of at most h steps is worth the target. The target
//! is the highest goal that is possible; when it is refuted up to the longest game, the next lower one.
//! Short horizons are cheap to refute, long ones often easier to satisfy, so several are tried in turns,
//! each with a share of the effort of the one before it (J. Rintanen, K. Heljanko, I. Niemelä, Planning
//! as satisfiability: parallel plans and algorithms for plan search, 2006, algorithm B).
//!
//! # What it proves
//! A horizon is refuted for all shorter ones too. If no game lasts longer than the steps so far, which
//! is asked as well, the target is refuted altogether, and the bound falls.
//!
//! # Cost
//! A copy of the circuit for each step. It gives up where the next one does not fit into memory.

use std::sync::Arc;
use std::time::Instant;

use ludex_game::{Failure, GroundModel};
use ludex_knowledge::{Answer, MustStop, Unrolled};

use super::method::{Method, Slice, Status};
use super::problem::Problem;
use super::record::Plan;

const NAME: &str = "sat";

/// Decisions for the shortest horizon, in the first turn; they grow with each turn.
const FIRST_EFFORT: u64 = 500;

/// Nodes that a decision of the solver counts as: it takes about as long as so many states.
const DECISION: u64 = 16;

/// The effort of a horizon in terms of that of the next shorter one.
const SHARE: (u64, u64) = (4, 5);

/// Horizons that are open at a time. When there is one more, the shortest is left out: longer ones
/// include it.
const MOST_OPEN: usize = 6;

/// Plans that the rules do not confirm; after so many the method gives up.
const MOST_SPURIOUS: usize = 1000;

/// Planning as satisfiability.
pub(crate) struct Sat {
    unrolled: Option<Unrolled>,
    /// By fact: whether it holds at the start.
    start: Vec<bool>,
    /// Goals that are possible, the highest last; the last one is the target.
    goals: Vec<u8>,
    /// Horizons that are neither refuted nor satisfied, the shortest first.
    open: Vec<usize>,
    /// The next of them to be asked for, and the effort for it.
    turn: usize,
    effort: u64,
    /// No game takes more steps.
    longest: Option<usize>,
    /// Whether the next horizon does not fit into memory.
    is_full: bool,
    spurious: usize,
}

impl Sat {
    /// None without a circuit, or where states are no bits.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let model = problem.game.model()?.ground()?;
        problem.facts.as_ref()?;
        let words = problem.start.words();
        let holds = |fact: usize| words[fact / 64] >> (fact % 64) & 1 == 1;
        Some(Self {
            unrolled: None,
            start: (0..model.facts.len()).map(holds).collect(),
            goals: problem.goals.clone(),
            open: Vec::new(),
            turn: 0,
            effort: FIRST_EFFORT,
            longest: None,
            is_full: false,
            spurious: 0,
        })
    }

    /// The horizon behind the last one: one step more, or a quarter more.
    fn next_horizon(&self, last: usize) -> Option<usize> {
        let next = last + (last / 4).max(1);
        match self.longest {
            Some(longest) if last >= longest => None,
            Some(longest) => Some(next.min(longest)),
            None => Some(next),
        }
    }

    /// Adds a horizon behind the open ones, if there is one and memory allows it.
    fn add_horizon(
        &mut self,
        model: &GroundModel,
        unrolled: &mut Unrolled,
        slice: &Slice<'_>,
        refuted: usize,
    ) {
        let last = self.open.last().copied().unwrap_or(refuted);
        let Some(next) = self.next_horizon(last) else { return };
        // The best plan so far shows how long plans are. It is cheap to get there at once.
        let known = slice.record.best().map_or(0, |plan| plan.moves.len());
        let next = next.max(known.min(self.longest.unwrap_or(known)));
        while unrolled.steps() < next {
            // A move takes a variable and about four clauses.
            let least = model.gates.len() * 16 + model.inputs.len() * 300;
            let step = least.max(unrolled.bytes() / (unrolled.steps() + 1));
            if unrolled.bytes() + 2 * step > slice.memory / 2 || slice.is_over() {
                self.is_full = unrolled.bytes() + 2 * step > slice.memory / 2;
                return;
            }
            unrolled.extend(model);
            if unrolled.has_ended() {
                self.longest = Some(unrolled.steps());
                break;
            }
        }
        self.open.push(next.min(unrolled.steps()));
    }

    /// The target is refuted up to the longest game: the next lower one follows.
    fn lower_target(&mut self, slice: &Slice<'_>) -> Status {
        self.goals.pop();
        let best = slice.record.score();
        match self.goals.last() {
            Some(&next) if best.is_none_or(|best| next > best) => {
                slice.record.prove_bound(next, NAME);
                (self.unrolled, self.is_full) = (None, false);
                Status::Working
            }
            Some(_) => {
                slice.record.settle(NAME);
                Status::Done
            }
            // No goal is possible in any terminal state: plans that count nothing may exist.
            None => {
                slice.record.prove_bound(0, NAME);
                Status::Done
            }
        }
    }

    /// A turn of a horizon.
    fn ask(
        &mut self,
        model: &GroundModel,
        unrolled: &mut Unrolled,
        slice: &Slice<'_>,
    ) -> Result<Option<Status>, Failure> {
        let refuted = |sat: &Self, unrolled: &Unrolled| sat.open.first().map_or(unrolled.steps(), |&h| h - 1);
        if self.turn >= self.open.len() {
            // A new round: one more horizon, and more effort for all.
            if !self.is_full {
                let known = refuted(self, unrolled);
                self.add_horizon(model, unrolled, slice, known);
            }
            if self.open.len() > MOST_OPEN {
                self.open.remove(0);
            }
            if self.open.is_empty() {
                if self.longest.is_some_and(|longest| longest <= unrolled.steps()) {
                    return Ok(Some(self.lower_target(slice)));
                }
                if self.is_full {
                    let steps = unrolled.steps();
                    return Ok(Some(Status::GaveUp(format!("no memory for more than {steps} steps"))));
                }
                return Ok(None);
            }
            self.turn = 0;
            self.effort += self.effort / 4;
        }
        let horizon = self.open[self.turn];
        let share = |effort: u64, _| effort * SHARE.0 / SHARE.1;
        let effort = (0..self.turn).fold(self.effort, share).max(FIRST_EFFORT / 4);
        let left = slice.nodes.saturating_sub(slice.taken.get()) / DECISION;
        let effort = effort.min(left.max(1));
        let before = unrolled.decisions();
        let answer = unrolled.ask(model, horizon, effort, must_stop(slice));
        slice.count((unrolled.decisions() - before).max(1) * DECISION);
        match answer {
            Answer::Open => self.turn += 1,
            Answer::Refuted => {
                self.open.drain(..=self.turn);
                self.turn = 0;
                if self.open.is_empty() && self.longest.is_none() {
                    let before = unrolled.decisions();
                    if unrolled.can_last(FIRST_EFFORT, must_stop(slice)) == Some(false) {
                        self.longest = Some(unrolled.steps());
                    }
                    slice.count((unrolled.decisions() - before) * DECISION);
                }
            }
            Answer::Plan(moves) => match slice.problem.value(&moves)? {
                Some(score) => {
                    let is_wanted = score >= unrolled.target();
                    let excluded = moves.clone();
                    slice.record.offer(slice.problem, Plan { moves, score, method: NAME })?;
                    if !is_wanted {
                        self.reject(model, unrolled, &excluded);
                    }
                }
                None => self.reject(model, unrolled, &moves),
            },
        }
        if self.spurious > MOST_SPURIOUS {
            return Ok(Some(Status::GaveUp("the rules do not confirm its plans".to_owned())));
        }
        Ok(None)
    }

    fn reject(&mut self, model: &GroundModel, unrolled: &mut Unrolled, moves: &[ludex_game::MoveId]) {
        unrolled.exclude(model, moves);
        self.spurious += 1;
    }
}

/// When the solver must stop, apart from its effort.
fn must_stop(slice: &Slice<'_>) -> Option<MustStop> {
    let (until, stop) = (slice.until, slice.stop.clone());
    Some(Arc::new(move || stop.is_set() || until.is_some_and(|until| Instant::now() >= until)))
}

impl Method for Sat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure> {
        let game = Arc::clone(&slice.problem.game);
        let Some(model) = game.model().and_then(|model| model.ground()) else {
            return Ok(Status::GaveUp("there is no circuit".to_owned()));
        };
        while !slice.is_over() {
            let Some(&target) = self.goals.last() else {
                return Ok(Status::GaveUp("no goal is known".to_owned()));
            };
            if target > slice.record.bound().0 {
                self.goals.pop();
                self.unrolled = None;
                continue;
            }
            let mut unrolled = match self.unrolled.take() {
                Some(unrolled) => unrolled,
                None => {
                    (self.open, self.turn) = (Vec::new(), 0);
                    Unrolled::new(model, |fact| self.start[fact], target)
                }
            };
            let status = self.ask(model, &mut unrolled, slice)?;
            // A new target begins with a new solver.
            if self.goals.last() == Some(&target) {
                self.unrolled = Some(unrolled);
            }
            match status {
                None | Some(Status::Working) => {}
                Some(status) => return Ok(status),
            }
        }
        Ok(Status::Working)
    }
}
