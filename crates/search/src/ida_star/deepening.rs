//! Iterative deepening from a root: depth-first search of everything within a limit, then within
//! the next limit.
//!
//! With h = 0 the cost of a state is its depth, and the next limit is one more. The search holds a
//! list of states for each depth. It takes a few of the deepest list at a time, as many as have
//! children enough for the lanes of an engine, and expands them in one call.

use ludex_game::{ExpandOptions, Expansion, Failure, MoveId, Simulator, State};

use super::visited::Visited;

/// States of a depth that are still to be expanded.
#[derive(Default)]
struct Layer {
    words: Vec<u64>,
    /// By state: where its words end.
    ends: Vec<usize>,
    /// By state: its place in the layer above, and the move from there.
    from: Vec<(u32, MoveId)>,
    /// How many have been expanded.
    next: usize,
}

impl Layer {
    fn len(&self) -> usize {
        self.from.len()
    }

    fn words(&self, at: usize) -> &[u64] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start..self.ends[at]]
    }

    fn push(&mut self, words: &[u64], from: (u32, MoveId)) {
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.from.push(from);
    }

    fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.from.clear();
        self.next = 0;
    }
}

/// An end of the game that was found.
pub(super) struct Solution {
    pub(super) score: u8,
    pub(super) moves: Vec<MoveId>,
}

/// The search from a root.
pub(super) struct Deepening {
    root: State,
    limit: u16,
    /// By depth; those up to `depth` are in use.
    layers: Vec<Layer>,
    depth: usize,
    /// Whether something lies beyond the limit.
    is_cut: bool,
    /// Everything was searched.
    exhausted: bool,
    children: Expansion,
    /// Mean number of children, to fill lanes.
    branching: f64,
}

impl Deepening {
    /// A search from a state that is not an end.
    pub(super) fn new(root: State, visited: &mut Visited) -> Self {
        let mut search = Self {
            root,
            limit: 0,
            layers: Vec::new(),
            depth: 0,
            is_cut: true,
            exhausted: false,
            children: Expansion::new(),
            branching: 1.0,
        };
        search.deepen(visited);
        search
    }

    /// Whether all that can be reached was searched.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// The depth that was searched completely.
    pub(super) fn completed(&self) -> u16 {
        self.limit - 1
    }

    /// Bytes of the layers.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |layer: &Layer| 8 * layer.words.capacity() + 16 * layer.from.capacity();
        self.layers.iter().map(bytes).sum()
    }

    /// Begins the next iteration, if something lies beyond the limit of the last one.
    fn deepen(&mut self, visited: &mut Visited) {
        if !self.is_cut || self.limit == u16::MAX {
            self.exhausted = !self.is_cut;
            return;
        }
        self.limit += 1;
        self.is_cut = false;
        self.depth = 0;
        visited.begin_iteration();
        visited.visit(self.root.words(), 0);
        if self.layers.is_empty() {
            self.layers.push(Layer::default());
        }
        self.layers[0].clear();
        self.layers[0].push(self.root.words(), (0, MoveId(0)));
    }

    /// Expands a few states; returns how many children they have. Ends with a score above `best` are
    /// solutions, the best of these comes last.
    pub(super) fn expand(
        &mut self,
        simulator: &mut dyn Simulator,
        visited: &mut Visited,
        mut best: u8,
        found: &mut Vec<Solution>,
    ) -> Result<u64, Failure> {
        while self.layers[self.depth].next == self.layers[self.depth].len() {
            if self.depth == 0 {
                self.deepen(visited);
                if self.exhausted || self.limit == u16::MAX {
                    return Ok(0);
                }
                break;
            }
            self.depth -= 1;
        }
        let layer = &mut self.layers[self.depth];
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
        let wanted = (simulator.capabilities().lanes as f64 / self.branching).ceil() as usize;
        let first = layer.next;
        let count = wanted.clamp(1, layer.len() - first);
        layer.next += count;
        let states: Vec<&[u64]> =
            (first..first + count).map(|at| self.layers[self.depth].words(at)).collect();
        let options = ExpandOptions { legal: false, goals: true };
        simulator.expand(&states, options, &mut self.children)?;
        let depth = u16::try_from(self.depth + 1).unwrap_or(u16::MAX);
        if self.layers.len() == self.depth + 1 {
            self.layers.push(Layer::default());
        }
        let (above, below) = self.layers.split_at_mut(self.depth + 1);
        let next = &mut below[0];
        next.clear();
        for child in 0..self.children.len() {
            let parent = first + self.children.parent(child);
            let made = self.children.joint(child)[0];
            if self.children.is_terminal(child) {
                let score = self.children.goal(child, 0).unwrap_or(0);
                if score > best {
                    best = score;
                    let moves = path(above, parent, made);
                    found.push(Solution { score, moves });
                }
            } else if depth == self.limit {
                self.is_cut |= !visited.visit(self.children.words(child), depth);
            } else if !visited.visit(self.children.words(child), depth) {
                let parent = u32::try_from(parent).unwrap_or(u32::MAX);
                next.push(self.children.words(child), (parent, made));
            }
        }
        if next.len() > 0 {
            self.depth += 1;
        }
        let made = self.children.len() as u64;
        let share = made as f64 / count as f64;
        self.branching = (0.9 * self.branching + 0.1 * share).max(1.0);
        // A call without children is work as well.
        Ok(made.max(1))
    }
}

/// The moves to a state of the last of these layers, and one more.
fn path(layers: &[Layer], at: usize, made: MoveId) -> Vec<MoveId> {
    let mut moves = vec![made];
    let mut at = at;
    for layer in layers.iter().skip(1).rev() {
        let (parent, made) = layer.from[at];
        moves.push(made);
        at = parent as usize;
    }
    moves.reverse();
    moves
}
