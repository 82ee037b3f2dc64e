//! The root of an iterative deepening search: what is known of each own move, the window of the next
//! iteration, and the report.

use ludex_game::{MoveId, State};

use super::matrix_game::Solution;
use super::value::{Range, Value};
use crate::report::{Candidate, SearchReport};

/// A move of the searching role.
#[derive(Clone, Copy, Debug)]
struct RootMove {
    id: MoveId,
    /// The value as it was last found; a guess may be a bound, if another move was better.
    value: Value,
    /// Depth of the iteration that found it; 0 before the first.
    depth: u16,
    /// Positions searched below the move.
    positions: u64,
}

/// What is known about the root.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) state: State,
    own: usize,
    range: Range,
    /// In the order of ids.
    moves: Vec<RootMove>,
    /// Whether the searching role alone chooses first, so that each of its moves has a value.
    chooses: bool,
    /// Index of the best move.
    best: usize,
    /// The value of the last complete iteration, with all that is proved.
    value: Value,
    /// Completed depth, and half of the window of the next search.
    depth: u16,
    half_window: f32,
    /// The window that is searched, and the highest guess in this iteration.
    window: (f32, f32),
    highest: f32,
    /// Positions when the last move was found.
    counted: u64,
    /// Probabilities of own moves, where both players choose at once.
    mixed: Option<Vec<f64>>,
    principal_variation: Vec<Vec<MoveId>>,
    /// Nothing is left to be found.
    finished: bool,
}

/// Windows that fail grow by this factor; beyond the range they are open.
const GROWTH: f32 = 4.0;

/// Depths below this are searched with the whole range: their values say little about the next.
const FIRST_WINDOW: u16 = 3;

impl Root {
    /// A state with these legal moves of the searching role.
    pub(super) fn new(state: State, legal: &[MoveId], own: usize, range: Range) -> Self {
        let open = Value { guess: f32::midpoint(range.low, range.high), ..range.guess(f32::NAN) };
        let new = |&id: &MoveId| RootMove { id, value: open, depth: 0, positions: 0 };
        Self {
            state,
            own,
            range,
            moves: legal.iter().map(new).collect(),
            chooses: legal.len() > 1,
            best: 0,
            value: open,
            depth: 0,
            half_window: f32::INFINITY,
            window: (f32::NEG_INFINITY, f32::INFINITY),
            highest: f32::NEG_INFINITY,
            counted: 0,
            mixed: None,
            principal_variation: Vec::new(),
            finished: legal.is_empty(),
        }
    }

    /// Searches from depth 1 again, with another evaluation; proofs are kept.
    pub(super) fn restart(&mut self) {
        self.depth = 0;
        self.half_window = f32::INFINITY;
    }

    /// Whether nothing is left to be found.
    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Nothing is to be searched.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// Completed depth.
    pub(super) fn depth(&self) -> u16 {
        self.depth
    }

    /// The searching role does not choose alone: moves have no values of their own.
    pub(super) fn shares_choice(&mut self) {
        self.chooses = false;
    }

    /// Depth and window of the next iteration.
    pub(super) fn begin_iteration(&mut self, positions: u64) -> (u16, (f32, f32)) {
        let guess = self.value.guess;
        self.window = match self.half_window {
            half if self.depth < FIRST_WINDOW || half > self.range.high - self.range.low => {
                (f32::NEG_INFINITY, f32::INFINITY)
            }
            half => (guess - half, guess + half),
        };
        self.highest = self.window.0;
        self.counted = positions;
        (self.depth + 1, self.window)
    }

    /// The id of the best move so far.
    pub(super) fn best_move(&self) -> Option<MoveId> {
        self.moves.get(self.best).map(|best| best.id)
    }

    /// The value of a move, if it is proved.
    pub(super) fn proved(&self, joint: &[MoveId]) -> Option<Value> {
        let found = self.chooses.then(|| self.place(joint)).flatten()?;
        let value = self.moves[found].value;
        value.is_exact().then_some(value)
    }

    fn place(&self, joint: &[MoveId]) -> Option<usize> {
        let made = joint.get(self.own)?;
        self.moves.binary_search_by_key(made, |known| known.id).ok()
    }

    /// The value of the first own move in a joint move was found.
    pub(super) fn found(&mut self, joint: &[MoveId], value: Value, positions: u64) {
        let Some(at) = self.place(joint).filter(|_| self.chooses) else { return };
        let known = &mut self.moves[at];
        known.value = value.within(known.value.low, known.value.high, known.value.steps);
        known.depth = self.depth + 1;
        known.positions += positions.saturating_sub(self.counted);
        self.counted = positions;
        if known.value.guess > self.highest {
            self.highest = known.value.guess;
            self.best = at;
        }
    }

    /// An iteration is complete. A value outside of the window means the same depth again.
    pub(super) fn complete(&mut self, value: Value, half_window: f32, positions: u64) {
        let (low, high) = (self.value.low, self.value.high);
        let value = value.within(low, high, self.value.steps);
        let is_outside = value.guess <= self.window.0 || value.guess >= self.window.1;
        self.value = value;
        if is_outside && !value.is_exact() {
            self.half_window *= GROWTH;
            return;
        }
        self.half_window = if half_window > 0.0 { half_window } else { f32::INFINITY };
        self.depth += 1;
        if let ([only], false) = (&mut self.moves[..], self.chooses) {
            only.value = value;
            only.depth = self.depth;
            only.positions += positions.saturating_sub(self.counted);
            self.counted = positions;
        }
        self.finished |= self.is_decided();
    }

    /// Both players choose at once, and this is how. `sample` is a random number from 0 to 1.
    pub(super) fn mix(&mut self, solution: &Solution, payoffs: &[f64], sample: f64) {
        let mut sum = 0.0;
        let drawn = solution.rows.iter().position(|share| {
            sum += share;
            sample < sum
        });
        let likeliest =
            || (0..solution.rows.len()).max_by(|&a, &b| solution.rows[a].total_cmp(&solution.rows[b]));
        self.best = drawn.or_else(likeliest).unwrap_or(0);
        for (known, row) in self.moves.iter_mut().zip(payoffs.chunks(solution.columns.len().max(1))) {
            let worth: f64 = row.iter().zip(&solution.columns).map(|(payoff, share)| payoff * share).sum();
            #[allow(clippy::cast_possible_truncation, reason = "goals need few digits")]
            let guess = worth as f32;
            known.value.guess = guess;
            known.depth = self.depth + 1;
        }
        self.mixed = Some(solution.rows.clone());
    }

    /// The line of best play.
    pub(super) fn set_principal_variation(&mut self, line: Vec<Vec<MoveId>>) {
        self.principal_variation = line;
    }

    /// Bounds that are proved for the root.
    fn bounds(&self) -> (f32, f32) {
        let (mut low, mut high) = (self.value.low, self.value.high);
        if self.chooses {
            low = self.moves.iter().map(|known| known.value.low).fold(low, f32::max);
            high = high.min(self.moves.iter().map(|known| known.value.high).fold(0.0, f32::max));
        }
        (low, high)
    }

    /// Whether the choice is made: the value is proved, or no other move can be better.
    fn is_decided(&self) -> bool {
        let (low, high) = self.bounds();
        if low >= high {
            return true;
        }
        let best = self.preferred();
        let others = self.moves.iter().enumerate().filter(|&(at, _)| at != best);
        self.chooses
            && self.moves[best].value.low > self.range.low
            && others.map(|(_, other)| other.value.high).fold(0.0, f32::max) <= self.moves[best].value.low
    }

    /// Index of the move to make: the best guess, unless another one is proved to be as good.
    fn preferred(&self) -> usize {
        let Some(best) = self.moves.get(self.best).filter(|_| self.chooses) else { return self.best };
        let low = self.moves.iter().map(|known| known.value.low).fold(0.0, f32::max);
        let (_, high) = self.bounds();
        // Of moves that are proved to be best: soon if it is good, late if it is not.
        if low >= high || best.value.high < low {
            let soon = low > f32::midpoint(self.range.low, self.range.high);
            let mut chosen = None;
            for (at, known) in self.moves.iter().enumerate().filter(|(_, known)| known.value.low >= low) {
                let is_better = |other: usize| {
                    let (new, old) = (known.value, self.moves[other].value);
                    let steps = new.is_exact() && old.is_exact();
                    steps && if soon { new.steps < old.steps } else { new.steps > old.steps }
                };
                if chosen.is_none_or(is_better) {
                    chosen = Some(at);
                }
            }
            return chosen.unwrap_or(self.best);
        }
        self.best
    }

    /// The report. `values` turns a value of the searching role into those of all roles.
    pub(super) fn report(&self, values: impl Fn(f32) -> Vec<f64>) -> SearchReport {
        let preferred = self.preferred();
        let mut order: Vec<usize> = (0..self.moves.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |at: usize| (at == preferred, self.moves[at].value.guess);
            let (a, b) = (key(a), key(b));
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        let candidate = |&at: &usize| {
            let known = &self.moves[at];
            Candidate {
                id: known.id,
                visits: known.positions,
                values: if known.depth > 0 { values(known.value.guess) } else { Vec::new() },
                proof: if self.chooses { known.value.proof(self.range) } else { None },
            }
        };
        let (low, high) = self.bounds();
        let best = self.moves.get(preferred);
        let steps = best.filter(|best| self.chooses && best.value.is_exact()).map(|best| best.value.steps);
        let value = self.value.within(low, high, 0);
        let value = Value { steps: steps.unwrap_or(self.value.steps), ..value };
        let guess = match best {
            Some(best) if self.chooses && best.depth > 0 => best.value.guess,
            _ => value.guess,
        };
        let is_known = self.depth > 0 || best.is_some_and(|best| best.depth > 0);
        let id = best.map(|best| best.id);
        let leads = |joint: &Vec<MoveId>| joint.get(self.own).copied() == id;
        let fits = self.principal_variation.first().is_some_and(leads);
        SearchReport {
            best: id,
            values: if is_known { values(guess) } else { Vec::new() },
            candidates: order.iter().map(candidate).collect(),
            principal_variation: if fits { self.principal_variation.clone() } else { Vec::new() },
            depth: u32::from(self.depth),
            proven: value.is_exact() && !self.moves.is_empty(),
            proof: if self.moves.is_empty() { None } else { value.proof(self.range) },
            ..SearchReport::default()
        }
    }
}
