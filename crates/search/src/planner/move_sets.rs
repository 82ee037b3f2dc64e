//! Sets of moves: for games in which a state follows from the moves made, in whatever order.
//!
//! # What it does
//! [`ludex_knowledge::MoveSets`] asks a SAT solver for a set of moves whose final state is terminal and
//! worth a goal, from the highest goal downward. An order is then looked for: depth first, a move of the
//! set that is legal and does not end the game too early. Sets without an order are excluded.
//!
//! Sudoku of 51 empty cells is one question here; unrolled over time it is 51 copies of the circuit, and
//! every plan comes in 51! orders.
//!
//! # What it proves
//! Nothing: a game may need an order.

use std::sync::Arc;
use std::time::Instant;

use ludex_game::{Failure, GroundModel, MoveId, State};
use ludex_knowledge::{MoveSets, MustStop, SetAnswer};

use super::method::{Method, Slice, Status};
use super::problem::Problem;
use super::record::Plan;

const NAME: &str = "move-sets";

/// Decisions for each goal in the first round; they double with each round.
const FIRST_EFFORT: u64 = 5_000;

/// Nodes that a decision of the solver counts as, as in the method `sat`.
const DECISION: u64 = 16;

/// Sets without an order; after so many the method gives up.
const MOST_SPURIOUS: usize = 300;

/// Moves tried for an order of a set, in terms of its size.
const TRIES: usize = 20;

/// Sets of moves.
pub(crate) struct SetsOfMoves {
    /// By fact: whether it holds at the start.
    start: Vec<bool>,
    sets: Option<MoveSets>,
    /// Goals that may have a set, the highest first.
    goals: Vec<u8>,
    /// The next of them to be asked for, and the effort for it.
    turn: usize,
    effort: u64,
    spurious: usize,
}

impl SetsOfMoves {
    /// None without a circuit, or where states are no bits.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let model = problem.game.model()?.ground()?;
        problem.facts.as_ref()?;
        let words = problem.start.words();
        let holds = |fact: usize| words[fact / 64] >> (fact % 64) & 1 == 1;
        let start = (0..model.facts.len()).map(holds).collect();
        Some(Self { start, sets: None, goals: Vec::new(), turn: 0, effort: FIRST_EFFORT, spurious: 0 })
    }

    /// Asks for the next goal.
    fn ask(
        &mut self,
        model: &GroundModel,
        sets: &mut MoveSets,
        slice: &Slice<'_>,
    ) -> Result<Option<Status>, Failure> {
        let (bound, best) = (slice.record.bound().0, slice.record.score());
        self.goals.retain(|&goal| goal <= bound && best.is_none_or(|best| goal > best));
        if self.goals.is_empty() {
            return Ok(Some(Status::Done));
        }
        if self.turn >= self.goals.len() {
            (self.turn, self.effort) = (0, self.effort.saturating_mul(2));
        }
        let goal = self.goals[self.turn];
        let left = slice.nodes.saturating_sub(slice.taken.get()) / DECISION;
        let before = sets.decisions();
        let answer = sets.ask(model, goal, self.effort.min(left.max(1)), must_stop(slice));
        slice.count((sets.decisions() - before).max(1) * DECISION);
        match answer {
            SetAnswer::Open => self.turn += 1,
            SetAnswer::None => {
                self.goals.remove(self.turn);
            }
            SetAnswer::Moves(moves) => match order(slice, &moves, sets.filler(), goal)? {
                Order::Found(moves, score) => {
                    slice.record.offer(slice.problem, Plan { moves, score, method: NAME })?;
                }
                Order::None => {
                    sets.exclude(model, &moves);
                    self.spurious += 1;
                }
                Order::Interrupted => {}
            },
        }
        if self.spurious > MOST_SPURIOUS {
            return Ok(Some(Status::GaveUp(format!("{MOST_SPURIOUS} sets of moves have no order"))));
        }
        Ok(None)
    }
}

/// The search for an order.
enum Order {
    Found(Vec<MoveId>, u8),
    None,
    Interrupted,
}

/// A state on the way: moves of the set that are left there, and what was made.
struct Step {
    state: State,
    legal: Vec<MoveId>,
    next: usize,
    made: Vec<MoveId>,
}

/// Finds an order of moves that ends the game with a goal; not all of them need be made.
fn order(slice: &Slice<'_>, moves: &[MoveId], filler: Option<MoveId>, goal: u8) -> Result<Order, Failure> {
    let game = &slice.problem.game;
    // The last move ends the game; what only passes the time comes at the very end.
    let rank = |id: MoveId| (Some(id) == filler, moves.last() == Some(&id));
    let step = |state: State, made: Vec<MoveId>| -> Result<Step, Failure> {
        let legal = game.view(&state)?.legal.into_iter().next().unwrap_or_default();
        let open = |id: &MoveId| moves.contains(id) && !made.contains(id);
        let mut legal: Vec<MoveId> = legal.into_iter().filter(|id| open(id) || Some(*id) == filler).collect();
        legal.sort_by_key(|&id| rank(id));
        Ok(Step { state, legal, next: 0, made })
    };
    let mut path = vec![step(slice.problem.start.clone(), Vec::new())?];
    let mut tries = (moves.len() + 10) * TRIES;
    while let Some(last) = path.last_mut() {
        let Some(&id) = last.legal.get(last.next) else {
            path.pop();
            continue;
        };
        last.next += 1;
        if tries == 0 {
            return Ok(Order::None);
        }
        tries -= 1;
        slice.count(1);
        if slice.stop.is_set() || slice.until.is_some_and(|until| Instant::now() >= until + GRACE) {
            return Ok(Order::Interrupted);
        }
        let state = game.next(&last.state, &[id])?;
        let mut made = last.made.clone();
        made.push(id);
        if game.view(&state)?.terminal {
            let score = game.goals(&state)?.first().and_then(ludex_game::Goal::value);
            if let Some(score) = score.filter(|&score| score >= goal) {
                return Ok(Order::Found(made, score));
            }
            continue;
        }
        path.push(step(state, made)?);
    }
    Ok(Order::None)
}

/// An order is looked for a little longer than the slice: it is nearly done, and would be lost.
const GRACE: std::time::Duration = std::time::Duration::from_millis(50);

/// When the solver must stop, apart from its effort.
fn must_stop(slice: &Slice<'_>) -> Option<MustStop> {
    let (until, stop) = (slice.until, slice.stop.clone());
    Some(Arc::new(move || stop.is_set() || until.is_some_and(|until| Instant::now() >= until)))
}

impl Method for SetsOfMoves {
    fn name(&self) -> &'static str {
        NAME
    }

    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure> {
        let game = Arc::clone(&slice.problem.game);
        let Some(model) = game.model().and_then(|model| model.ground()) else {
            return Ok(Status::GaveUp("there is no circuit".to_owned()));
        };
        let mut sets = match self.sets.take() {
            Some(sets) => sets,
            None => {
                let Some(sets) = MoveSets::new(model, |fact| self.start[fact]) else {
                    // The order of moves matters.
                    return Ok(Status::Done);
                };
                self.goals = sets.goals();
                sets
            }
        };
        let mut ended = None;
        while !slice.is_over() && ended.is_none() {
            if sets.bytes() > slice.memory {
                ended = Some(Status::GaveUp("no memory for the clauses".to_owned()));
                break;
            }
            ended = self.ask(model, &mut sets, slice)?;
        }
        self.sets = Some(sets);
        Ok(ended.unwrap_or(Status::Working))
    }
}
