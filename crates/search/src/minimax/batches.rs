//! The bottom of a search, in batches: children of many positions at once, to a depth of a few
//! steps, at full width.
//!
//! Engines with lanes make hundreds of children in about the time of one. So the last steps before
//! the horizon are not searched move by move: all positions of a step are expanded in one call, goals
//! of terminal ones included, and the values are carried back up. What that wastes on moves that
//! alpha-beta would have cut off is less than the lanes give.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{ExpandOptions, Expansion, Failure, Game, Simulator, SimulatorConfig};

use super::evaluation::{Evaluation, Positions};
use super::levels::{Levels, Seats};

/// Children that one call makes, as far as positions are not larger alone: bounds memory, and the
/// time between two looks at the clock.
const MAX_CALL: usize = 1 << 14;

/// Children of one position. A position with more joint moves is judged where it is: they would take
/// longer than they tell.
const MAX_JOINT_MOVES: usize = 1 << 16;

/// Children that a call may make, however little memory there is.
const MIN_CALL: usize = 256;

/// A position: a child of an expansion that lists legal moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) among: &'a Expansion,
    pub(super) child: usize,
}

impl At<'_> {
    /// Number of joint moves.
    pub(super) fn joint_moves(self, roles: usize) -> usize {
        let counts = (0..roles).map(|role| self.among.legal_count(self.child, role));
        counts.fold(1, usize::saturating_mul)
    }
}

/// How values come about: from goals, from an evaluation, and from choices.
pub(super) trait Backup: Send {
    /// The value of a position.
    type Value: Clone;

    /// Who chooses in which order.
    fn seats(&self) -> &Seats;

    /// The value of an end, by the goal of each role.
    fn end(&self, goal: impl Fn(usize) -> Option<u8>) -> Self::Value;

    /// The value of a position at the horizon, by what the evaluation says of each role.
    fn guess(&self, judged: &[f32]) -> Self::Value;

    /// The same value, seen a step earlier.
    fn a_step_earlier(&self, value: Self::Value) -> Self::Value;

    /// The value of a choice on a level from the values of all children, below options of earlier
    /// levels whose offsets have this sum.
    fn choose(&self, levels: &Levels, level: usize, values: &[Self::Value], base: u32) -> Self::Value;

    /// The value of a choice of one role among all children.
    fn choose_alone(&self, role: usize, values: &[Self::Value]) -> Self::Value;
}

/// Expands and judges positions.
pub(super) struct Batches<B: Backup> {
    pub(super) backup: B,
    simulator: Box<dyn Simulator>,
    pub(super) evaluation: Box<dyn Evaluation>,
    roles: usize,
    /// By height above the horizon: children, kept to be filled again.
    layers: Vec<Expansion>,
    /// Values of all roles, as the evaluation writes them.
    judged: Vec<f32>,
    mobility: Vec<u32>,
    /// Children made so far.
    pub(super) positions: u64,
    /// Positions expanded so far.
    expanded: u64,
    /// Time of a child, as measured in calls that make many; none before the first.
    per_child: Option<Duration>,
    /// Bytes of a child, nearly, and how many children may be made of it at once.
    child_bytes: usize,
    most_children: usize,
}

impl<B: Backup> Batches<B> {
    /// For a game.
    pub(super) fn new(game: &Arc<dyn Game>, evaluation: Box<dyn Evaluation>, backup: B) -> Self {
        Self {
            backup,
            simulator: Arc::clone(game).simulator(SimulatorConfig::default()),
            evaluation,
            roles: game.role_count(),
            layers: Vec::new(),
            judged: Vec::new(),
            mobility: Vec::new(),
            positions: 0,
            expanded: 0,
            per_child: None,
            child_bytes: child_bytes(game.initial().words().len(), game.role_count()),
            most_children: MAX_JOINT_MOVES,
        }
    }

    /// Number of roles.
    pub(super) fn roles(&self) -> usize {
        self.roles
    }

    /// States that are handled at once.
    pub(super) fn lanes(&self) -> usize {
        self.simulator.capabilities().lanes
    }

    /// Mean number of children so far.
    pub(super) fn branching(&self) -> f64 {
        self.positions as f64 / self.expanded.max(1) as f64
    }

    /// Time of a child; none if no call was large enough to tell.
    pub(super) fn per_child(&self) -> Option<Duration> {
        self.per_child
    }

    /// Limits the memory of a call, in bytes.
    pub(super) fn limit(&mut self, memory: usize) {
        self.most_children = (memory / self.child_bytes.max(1)).clamp(MIN_CALL, MAX_JOINT_MOVES);
    }

    /// Positions with more joint moves are not expanded.
    pub(super) fn most_joint_moves(&self) -> usize {
        self.most_children
    }

    /// Bytes of the children that are kept for later calls.
    pub(super) fn bytes(&self) -> usize {
        self.layers.iter().map(|layer| bytes_of(layer, self.roles)).sum()
    }

    /// The children of a state, with legal moves.
    pub(super) fn expand(&mut self, state: &[u64], into: &mut Expansion) -> Result<(), Failure> {
        self.call(&[state], true, into)
    }

    fn call(&mut self, states: &[&[u64]], legal: bool, into: &mut Expansion) -> Result<(), Failure> {
        let begun = Instant::now();
        self.simulator.expand(states, ExpandOptions { legal, goals: true }, into)?;
        self.positions += into.len() as u64;
        self.expanded += states.len() as u64;
        // Smaller calls are mostly overhead, unless the engine makes one child at a time.
        if into.len() >= self.lanes().min(64) {
            let time = begun.elapsed() / u32::try_from(into.len()).unwrap_or(u32::MAX);
            self.per_child = Some(self.per_child.map_or(time, |known| (known * 7 + time) / 8));
        }
        Ok(())
    }

    /// The values of positions that are not terminal, searched to a depth at full width.
    pub(super) fn look_ahead(
        &mut self,
        positions: &[At<'_>],
        depth: u16,
        into: &mut Vec<B::Value>,
    ) -> Result<(), Failure> {
        if depth == 0 {
            return self.judge(positions, into);
        }
        let height = usize::from(depth);
        if self.layers.len() <= height {
            self.layers.resize_with(height + 1, Expansion::new);
        }
        // Taken out, because calls for the next step fill other layers.
        let mut children = std::mem::take(&mut self.layers[height]);
        let result = self.look_ahead_with(positions, depth, &mut children, into);
        self.layers[height] = children;
        result
    }

    fn look_ahead_with(
        &mut self,
        positions: &[At<'_>],
        depth: u16,
        children: &mut Expansion,
        into: &mut Vec<B::Value>,
    ) -> Result<(), Failure> {
        let mut rest = positions;
        while let Some((first, later)) = rest.split_first() {
            let size = first.joint_moves(self.roles);
            if size > self.most_children {
                self.judge(&[*first], into)?;
                rest = later;
                continue;
            }
            // As many positions as fit into one call.
            let (mut sum, most) = (size, MAX_CALL.min(self.most_children));
            let fits = |position: &&At<'_>| {
                sum = sum.saturating_add(position.joint_moves(self.roles));
                sum <= most
            };
            let count = 1 + later.iter().take_while(fits).count();
            let (now, next) = rest.split_at(count);
            rest = next;
            let states: Vec<&[u64]> = now.iter().map(|at| at.among.words(at.child)).collect();
            let legal = depth > 1 || self.evaluation.reads_mobility();
            self.call(&states, legal, children)?;
            let values = self.values_of_children(children, depth - 1)?;
            let mut start = 0;
            for parent in 0..now.len() {
                let belongs = |&child: &usize| children.parent(child) == parent;
                let end = start + (start..children.len()).take_while(belongs).count();
                into.push(self.choose(children, start..end, &values));
                start = end;
            }
        }
        Ok(())
    }

    /// The values of all children of an expansion, seen a step earlier.
    fn values_of_children(&mut self, children: &Expansion, depth: u16) -> Result<Vec<B::Value>, Failure> {
        let open: Vec<At<'_>> = (0..children.len())
            .filter(|&child| !children.is_terminal(child))
            .map(|child| At { among: children, child })
            .collect();
        let mut searched = Vec::with_capacity(open.len());
        self.look_ahead(&open, depth, &mut searched)?;
        let mut searched = searched.into_iter();
        let value = |child: usize| {
            let value = match children.is_terminal(child) {
                true => None,
                false => searched.next(),
            };
            value.unwrap_or_else(|| self.backup.end(|role| children.goal(child, role)))
        };
        let values: Vec<B::Value> = (0..children.len()).map(value).collect();
        Ok(values.into_iter().map(|value| self.backup.a_step_earlier(value)).collect())
    }

    /// The value of a position from those of its children. A position without children, where a
    /// role has no legal move, is an end without goals.
    fn choose(&self, children: &Expansion, range: std::ops::Range<usize>, values: &[B::Value]) -> B::Value {
        if range.is_empty() {
            return self.backup.end(|_| None);
        }
        // In turns, which is nearly always, all children are options of one role.
        let (first, last) = (children.joint(range.start), children.joint(range.end - 1));
        let mut choosing = (0..self.roles).filter(|&role| first[role] != last[role]);
        match (choosing.next(), choosing.next()) {
            (None, _) => values[range.start].clone(),
            (Some(role), None) => self.backup.choose_alone(role, &values[range]),
            _ => {
                let levels = self.backup.seats().levels(children, range.clone());
                self.backup.choose(&levels, 0, &values[range], 0)
            }
        }
    }

    /// The values of positions at the horizon.
    pub(super) fn judge(&mut self, positions: &[At<'_>], into: &mut Vec<B::Value>) -> Result<(), Failure> {
        if positions.is_empty() {
            return Ok(());
        }
        let states: Vec<&[u64]> = positions.iter().map(|at| at.among.words(at.child)).collect();
        self.mobility.clear();
        if self.evaluation.reads_mobility() {
            for at in positions {
                let count = |role| u32::try_from(at.among.legal_count(at.child, role)).unwrap_or(u32::MAX);
                self.mobility.extend((0..self.roles).map(count));
            }
        }
        self.judged.clear();
        self.judged.resize(positions.len() * self.roles, f32::NAN);
        let asked = Positions::new(&states, self.roles, &self.mobility);
        self.evaluation.evaluate(&asked, &mut self.judged)?;
        let backup = &self.backup;
        into.extend(self.judged.chunks(self.roles.max(1)).map(|judged| backup.guess(judged)));
        Ok(())
    }
}

/// Bytes of an expansion, nearly.
pub(super) fn bytes_of(children: &Expansion, roles: usize) -> usize {
    let words = if children.is_empty() { 0 } else { children.words(0).len() };
    children.len() * child_bytes(words, roles)
}

/// Bytes of a child: words, joint moves, goals, and legal moves as bits or lists.
fn child_bytes(words: usize, roles: usize) -> usize {
    16 * words + 6 * roles + 8
}
