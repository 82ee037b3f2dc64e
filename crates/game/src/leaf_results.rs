//! Results of the leaves of a simulation.

use crate::ids::MoveId;

/// Legal moves per leaf that there is room for at first; rows grow as needed.
const FEW_MOVES: usize = 32;

/// How the playouts of a call ended, over all leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endings {
    /// Playouts that reached a terminal state.
    pub finished: u64,
    /// Playouts that were cut off at the step limit.
    pub cut_off: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
    /// By role: finished playouts without exactly one goal value; such a goal counts 0.
    pub faulty_goals: Vec<u64>,
}

impl Endings {
    /// Adds those of other playouts of the same game.
    pub fn add(&mut self, other: &Self) {
        self.finished += other.finished;
        self.cut_off += other.cut_off;
        self.stuck += other.stuck;
        for (sum, count) in self.faulty_goals.iter_mut().zip(&other.faulty_goals) {
            *sum += count;
        }
    }
}

/// Results of leaves, by their numbers. Kept by callers and filled again.
///
/// All leaves share a few long lists: there are hundreds of thousands of leaves per second, too
/// many for allocations of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafResults {
    roles: usize,
    /// By number.
    places: Vec<Place>,
    /// By number: the words of its state.
    words: Table<u64>,
    /// By number: the legal moves of all roles; and by number and role, where those of the role end.
    legal: Table<MoveId>,
    legal_ends: Vec<u32>,
    /// By number: for each role the sum of discounted goals, then for each the sum of goals without
    /// discount.
    totals: Vec<f64>,
    /// Leaves whose last playout ended in this call.
    finished: Vec<usize>,
    /// State transitions in the playouts of this call; those to the leaves do not count.
    pub steps: u64,
    /// How the playouts of this call ended.
    pub endings: Endings,
    /// Playouts that could begin at once.
    pub room: usize,
}

/// State and playout count of a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Place {
    /// Words of its state, and roles whose legal moves are entered.
    words: u32,
    roles: u32,
    count: u32,
    terminal: bool,
}

/// A row for each leaf, all of the same length.
#[derive(Clone, Debug, PartialEq)]
struct Table<T> {
    cells: Vec<T>,
    /// Cells of a row.
    width: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { cells: Vec::new(), width: 0 }
    }
}

impl<T: Copy> Table<T> {
    /// Makes room for at least so many rows of at least so many cells.
    fn make_room(&mut self, rows: usize, width: usize, filler: T) {
        if width <= self.width {
            let cells = self.cells.len().max(rows * self.width);
            self.cells.resize(cells, filler);
            return;
        }
        let rows = self.cells.len().checked_div(self.width).unwrap_or(0).max(rows);
        let mut wider = vec![filler; rows * width];
        if self.width > 0 {
            for (to, from) in wider.chunks_mut(width).zip(self.cells.chunks(self.width)) {
                to[..from.len()].copy_from_slice(from);
            }
        }
        *self = Self { cells: wider, width };
    }

    #[inline]
    fn row(&self, at: usize) -> &[T] {
        &self.cells[at * self.width..][..self.width]
    }

    #[inline]
    fn row_mut(&mut self, at: usize) -> &mut [T] {
        &mut self.cells[at * self.width..][..self.width]
    }
}

impl LeafResults {
    /// No results yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a call, in a game with this many roles: nothing is finished, no step made. Results of
    /// leaves in flight stay.
    pub fn begin(&mut self, roles: usize) {
        if self.roles != roles {
            *self = Self { roles, ..Self::default() };
        }
        self.finished.clear();
        self.steps = 0;
        let Endings { finished, cut_off, stuck, faulty_goals } = &mut self.endings;
        (*finished, *cut_off, *stuck) = (0, 0, 0);
        faulty_goals.clear();
        faulty_goals.resize(roles, 0);
    }

    /// The leaves that were finished by the last call, in order.
    pub fn finished(&self) -> &[usize] {
        &self.finished
    }

    /// The words of a leaf's state: the one behind its joint move.
    pub fn words(&self, leaf: usize) -> &[u64] {
        &self.words.row(leaf)[..self.places[leaf].words as usize]
    }

    /// Whether that state is terminal.
    pub fn is_terminal(&self, leaf: usize) -> bool {
        self.places[leaf].terminal
    }

    /// The legal moves of a role there, sorted by id; none in terminal states.
    pub fn legal(&self, leaf: usize, role: usize) -> &[MoveId] {
        let ends = &self.legal_ends[leaf * self.roles..][..self.roles];
        let start = if role == 0 { 0 } else { ends[role - 1] };
        &self.legal.row(leaf)[start as usize..ends[role] as usize]
    }

    /// By role: the sum of discounted goals over the playouts of a leaf.
    pub fn sums(&self, leaf: usize) -> &[f64] {
        &self.totals[2 * leaf * self.roles..][..self.roles]
    }

    /// By role: the sum of goals, without discount, over the playouts of a leaf.
    pub fn goals(&self, leaf: usize) -> &[f64] {
        &self.totals[(2 * leaf + 1) * self.roles..][..self.roles]
    }

    /// Number of playouts from a leaf.
    pub fn count(&self, leaf: usize) -> u32 {
        self.places[leaf].count
    }

    /// Enters the state of a leaf, and whether it is terminal. Its legal moves follow, role by role.
    pub fn arrive(&mut self, leaf: usize, words: &[u64], terminal: bool) {
        if self.places.len() <= leaf || self.words.width < words.len() {
            self.make_room(leaf + 1, words.len());
        }
        self.words.row_mut(leaf)[..words.len()].copy_from_slice(words);
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        self.places[leaf] = Place { words: count, roles: 0, count: 0, terminal };
        self.totals[2 * leaf * self.roles..][..2 * self.roles].fill(0.0);
    }

    /// Makes room for at least so many leaves, and so many words for the state of each.
    #[cold]
    fn make_room(&mut self, leaves: usize, words: usize) {
        let leaves = leaves.max(self.places.len());
        self.words.make_room(leaves, words, 0);
        self.legal.make_room(leaves, FEW_MOVES, MoveId(0));
        self.places.resize(leaves, Place::default());
        self.legal_ends.resize(leaves * self.roles, 0);
        self.totals.resize(2 * leaves * self.roles, 0.0);
    }

    /// Enters the legal moves of the next role of a leaf.
    pub fn push_legal(&mut self, leaf: usize, moves: impl IntoIterator<Item = MoveId>) {
        let mut end = self.legal_end(leaf);
        for id in moves {
            if end == self.legal.width {
                self.legal.make_room(0, 2 * end, MoveId(0));
            }
            self.legal.row_mut(leaf)[end] = id;
            end += 1;
        }
        self.end_legal(leaf, end);
    }

    /// Where the legal moves of the next role of a leaf begin.
    #[inline]
    fn legal_end(&self, leaf: usize) -> usize {
        match self.places[leaf].roles as usize {
            0 => 0,
            roles => self.legal_ends[leaf * self.roles + roles - 1] as usize,
        }
    }

    /// Ends the legal moves of a role.
    #[inline]
    fn end_legal(&mut self, leaf: usize, end: usize) {
        let roles = &mut self.places[leaf].roles;
        self.legal_ends[leaf * self.roles + *roles as usize] = u32::try_from(end).unwrap_or(u32::MAX);
        *roles += 1;
    }

    /// The same from bits: one for each of `moves`. Returns the number of legal moves. Always inlined,
    /// so that callers compiled with `popcnt` use it here too.
    #[inline(always)]
    pub fn push_legal_bits(&mut self, leaf: usize, moves: &[MoveId], bits: &[u64]) -> usize {
        // Writes several at a time, whether there are so many or not: the number of bits of a word
        // is unpredictable. What is too much is overwritten by the next moves.
        const AT_ONCE: usize = 4;
        let count = bits.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let mut next = self.legal_end(leaf);
        let end = next + count;
        if self.legal.width < end + AT_ONCE - 1 {
            self.legal.make_room(0, 2 * (end + AT_ONCE), MoveId(0));
        }
        let legal = self.legal.row_mut(leaf);
        for (&word, moves) in bits.iter().zip(moves.chunks(64)) {
            let (mut bits, mut at) = (word, next);
            while bits != 0 {
                for place in &mut legal[at..at + AT_ONCE] {
                    *place = moves[bits.trailing_zeros() as usize % 64];
                    bits &= bits.wrapping_sub(1);
                }
                at += AT_ONCE;
            }
            next += word.count_ones() as usize;
        }
        self.end_legal(leaf, end);
        count
    }

    /// Adds the goal of a role to a leaf, with its discount factor.
    #[inline]
    pub fn add(&mut self, leaf: usize, role: usize, goal: f64, discount: f64) {
        let at = 2 * leaf * self.roles + role;
        self.totals[at] += goal * discount;
        self.totals[at + self.roles] += goal;
    }

    /// Counts playouts of a leaf.
    pub fn count_playouts(&mut self, leaf: usize, more: u32) {
        self.places[leaf].count += more;
    }

    /// Marks leaves as finished: all of their playouts have ended.
    pub fn finish(&mut self, leaves: impl IntoIterator<Item = usize>) {
        self.finished.extend(leaves);
        self.finished.sort_unstable();
    }
}
