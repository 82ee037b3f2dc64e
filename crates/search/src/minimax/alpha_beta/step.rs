//! Steps of an alpha-beta search: down to a child, or a batch of children; and back up.

use std::time::{Duration, Instant};

use ludex_game::Failure;

use super::super::batches::At;
use super::super::levels::move_of_level;
use super::super::table::{Bound, Entry, Key};
use super::super::value::{Chooser, Value};
use super::frame::Pass;
use super::{AlphaBeta, MAX_LEAVES, Step};
use crate::budget::Budget;

/// Steps at full width at most.
const MAX_FULL_WIDTH: u16 = 4;

/// Engines with fewer lanes search one move after the other.
const FEWEST_LANES: usize = 64;

/// The time that a batch should take at most, where there is a deadline.
const BATCH_TIME: Duration = Duration::from_millis(4);

impl AlphaBeta {
    /// One step of the search.
    pub(super) fn step(&mut self, budget: &Budget) -> Result<Step, Failure> {
        let pvs = self.options.pvs;
        let Some(frame) = self.frames.last_mut() else { return Ok(Step::Late) };
        let node = &self.nodes[frame.node];
        if node.children.is_empty() {
            // A role has no legal move: an end without goals.
            return Ok(self.finish(Value::of_end(None)));
        }
        if frame.is_cut() || frame.at == frame.order.len() {
            let value = frame.tally.value();
            return Ok(self.finish(value));
        }
        let child = frame.next_child();
        let place = child as usize;
        if (frame.node, frame.level, frame.chooser) == (0, 0, Chooser::Own)
            && let Some(value) = self.root.as_ref().and_then(|root| root.proved(node.children.joint(place)))
        {
            self.deliver(value, child);
            return Ok(Step::On);
        }
        if frame.level + 1 < node.levels.len() {
            let (depth, level) = (frame.depth, frame.level + 1);
            let window = frame.window_of_option(pvs);
            self.push_frame(depth, window, level, child);
            return Ok(Step::On);
        }
        if node.children.is_terminal(place) {
            let value = Value::of_end(node.children.goal(place, self.batches.backup.seats.own));
            self.deliver(value.a_step_earlier(), child);
            return Ok(Step::On);
        }
        let depth = frame.depth - 1;
        if depth <= self.full_width(budget) {
            self.step_in_batch(depth, budget)
        } else {
            self.step_into(depth, budget)
        }
    }

    /// Steps at full width below a frame whose children are searched in batches.
    fn full_width(&self, budget: &Budget) -> u16 {
        if let Some(steps) = self.options.full_width {
            return steps.min(MAX_FULL_WIDTH);
        }
        let (lanes, branching) = (self.batches.lanes(), self.batches.branching().max(2.0));
        let time = self.batches.per_child().filter(|_| budget.deadline.is_some());
        let is_slow = time.is_some_and(|time| time.as_secs_f64() * branching > BATCH_TIME.as_secs_f64());
        if lanes < FEWEST_LANES || is_slow {
            return 0;
        }
        let mut steps = 1;
        while steps < MAX_FULL_WIDTH && branching.powi(i32::from(steps) + 1) <= lanes as f64 {
            steps += 1;
        }
        steps
    }

    /// Whether there is time for as much as took longest lately. What took longest is forgotten by and
    /// by: where other programs interrupt, a short batch may once take as long as a whole slice.
    pub(super) fn has_time(&self, budget: &Budget) -> bool {
        budget.deadline.is_none_or(|deadline| Instant::now() + self.longest < deadline)
    }

    /// A batch or an expansion took so long.
    fn took(&mut self, time: Duration) {
        self.longest = time.max(self.longest * 63 / 64);
    }

    /// Searches the next child of the last frame: from the table, or as the next node of the path.
    fn step_into(&mut self, depth: u16, budget: &Budget) -> Result<Step, Failure> {
        if !self.has_time(budget) {
            return Ok(Step::Late);
        }
        let pvs = self.options.pvs;
        let Some(frame) = self.frames.last_mut() else { return Ok(Step::Late) };
        let (node, child) = (frame.node, frame.next_child());
        let window = frame.window_of_option(pvs);
        let children = &self.nodes[node].children;
        let state = children.words(child as usize).to_vec();
        let key = Key::new(&state);
        let known = self.look_up(key);
        if let Some(value) = known.and_then(|known| resolve(known, depth, window)) {
            self.deliver(value.a_step_earlier(), child);
            return Ok(Step::On);
        }
        let at = At { among: children, child: child as usize };
        let is_large = at.joint_moves(self.batches.roles()) > self.batches.most_joint_moves();
        if is_large || self.path_bytes > self.memory / 4 {
            let mut values = Vec::new();
            self.batches.judge(&[at], &mut values)?;
            let unknown = || self.batches.backup.range.guess(f32::NAN);
            let value = values.first().copied().unwrap_or_else(unknown);
            self.deliver(value, child);
            return Ok(Step::On);
        }
        let begun = Instant::now();
        self.push_node(&state, key, known)?;
        self.push_frame(depth, window, 0, 0);
        self.took(begun.elapsed());
        Ok(Step::On)
    }

    /// Searches the next children of the last frame at full width, as many as fill a batch.
    fn step_in_batch(&mut self, depth: u16, budget: &Budget) -> Result<Step, Failure> {
        let branching = self.batches.branching().max(1.0);
        let Some(frame) = self.frames.last() else { return Ok(Step::Late) };
        let children = &self.nodes[frame.node].children;
        let leaves_of_child = branching.powi(i32::from(depth));
        let mut limit = frame.leaves as f64;
        if let (Some(time), Some(_)) = (self.batches.per_child(), budget.deadline) {
            limit = limit.min(BATCH_TIME.as_secs_f64() / time.as_secs_f64().max(1e-9));
        }
        let (window, own) = ((frame.alpha, frame.beta), self.batches.backup.seats.own);
        let mut found: Vec<(u32, Option<Value>)> = Vec::new();
        let (mut open, mut keys) = (Vec::new(), Vec::new());
        for &option in &frame.order[frame.at..] {
            let child = frame.base + option;
            let place = child as usize;
            if children.is_terminal(place) {
                found.push((child, Some(Value::of_end(children.goal(place, own)))));
                continue;
            }
            let key = Key::new(children.words(place));
            let value = self.look_up(key).and_then(|known| resolve(known, depth, window));
            found.push((child, value));
            if value.is_none() {
                keys.push(key);
                open.push(At { among: children, child: place });
                if open.len() as f64 * leaves_of_child >= limit {
                    break;
                }
            }
        }
        let mut values = Vec::with_capacity(open.len());
        if !open.is_empty() {
            if !self.has_time(budget) {
                return Ok(Step::Late);
            }
            let begun = Instant::now();
            self.batches.look_ahead(&open, depth, &mut values)?;
            self.took(begun.elapsed());
        }
        if self.options.table && depth > 0 {
            for (&key, &value) in keys.iter().zip(&values) {
                let entry = Entry { value, bound: Bound::Exact, depth: Some(depth), best: None };
                self.table.store(key, entry);
            }
        }
        let mut values = values.into_iter();
        for (child, value) in found {
            let Some(value) = value.or_else(|| values.next()) else { break };
            let Some(frame) = self.frames.last_mut() else { break };
            if frame.is_cut() {
                break;
            }
            frame.pass = Pass::Whole;
            self.deliver(value.a_step_earlier(), child);
        }
        if let Some(frame) = self.frames.last_mut() {
            // Without a cutoff so far, there will hardly be one soon.
            frame.leaves = (frame.leaves * 2).min(MAX_LEAVES);
        }
        Ok(Step::On)
    }

    /// The value of the last frame's next option is found; it leads to a child.
    fn deliver(&mut self, value: Value, child: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        let is_inside = value.guess > frame.alpha && value.guess < frame.beta;
        if frame.pass == Pass::Null && is_inside && !value.is_exact() {
            // Better than the null window can say: the same option again.
            frame.pass = Pass::Whole;
            return;
        }
        if frame.tally.add(value) {
            frame.best = child;
        }
        match frame.chooser {
            Chooser::Own => frame.alpha = frame.alpha.max(value.guess),
            Chooser::Others => frame.beta = frame.beta.min(value.guess),
            Chooser::Chance | Chooser::Both(_) => {}
        }
        frame.at += 1;
        frame.pass = Pass::New;
        if let (0, 0, Chooser::Own, Some(root)) = (frame.node, frame.level, frame.chooser, &mut self.root) {
            root.found(self.nodes[0].children.joint(child as usize), value, self.batches.positions);
        }
    }

    /// Ends the last frame with its value, which goes to the frame above.
    fn finish(&mut self, value: Value) -> Step {
        let Some(frame) = self.frames.pop() else { return Step::Complete(value) };
        let node = &self.nodes[frame.node];
        if frame.alpha >= frame.beta && frame.order.len() > 1 && self.options.history {
            let level = (frame.chooser, node.levels.options(frame.level));
            if let Some(made) =
                move_of_level(&self.batches.backup.seats, &node.children, level, frame.best as usize)
            {
                self.ordering.reward(frame.node, made, frame.depth);
            }
        }
        if frame.level > 0 {
            self.deliver(value, frame.best);
            return Step::On;
        }
        let known = node.known.map_or(value, |known| known.value);
        let value = value.within(known.low, known.high, known.steps);
        let bound = match frame.chooser {
            Chooser::Own | Chooser::Others if value.guess <= frame.window.0 => Bound::Upper,
            Chooser::Own | Chooser::Others if value.guess >= frame.window.1 => Bound::Lower,
            _ => Bound::Exact,
        };
        if let (true, Some(key)) = (self.options.table, node.key) {
            let entry = Entry { value, bound, depth: Some(frame.depth), best: Some(frame.best) };
            self.table.store(key, entry);
        }
        self.path_bytes -= node.bytes;
        self.used -= 1;
        let Some(above) = self.frames.last() else {
            self.mix_root(&frame);
            return Step::Complete(value);
        };
        let child = above.next_child();
        self.deliver(value.a_step_earlier(), child);
        Step::On
    }
}

/// What an entry says about a position that is to be searched to a depth in a window, if it is enough.
fn resolve(known: Entry, depth: u16, (alpha, beta): (f32, f32)) -> Option<Value> {
    let value = known.value;
    if value.is_exact() {
        return Some(value);
    }
    if value.low >= beta {
        return Some(Value { guess: value.low, ..value });
    }
    if value.high <= alpha {
        return Some(Value { guess: value.high, ..value });
    }
    let is_enough = match known.bound {
        Bound::Exact => true,
        Bound::Lower => value.guess >= beta,
        Bound::Upper => value.guess <= alpha,
    };
    (is_enough && known.depth.is_some_and(|known| known >= depth)).then_some(value)
}
