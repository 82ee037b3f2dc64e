//! What came of the leaves of a simulation.

use crate::ids::MoveId;

/// Legal moves for which there is room at once.
const FEW_MOVES: usize = 32;

/// What came of leaves, by their numbers. Kept by callers and filled again.
///
/// Everything is in a few long lists, and nothing in one of its own for each leaf: there are hundreds of thousands of leaves a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leaves {
    roles: usize,
    /// By number.
    places: Vec<Place>,
    /// By number: the words of its state.
    words: Table<u64>,
    /// By number: the legal moves of all roles; and by number and role, where those of the role end.
    legal: Table<MoveId>,
    legal_ends: Vec<u32>,
    /// By number: for each role the sum of discounted goals, then for each the sum of goals as they are.
    totals: Vec<f64>,
    /// Leaves whose playouts are all over since the last call.
    finished: Vec<usize>,
    /// State transitions in playouts since the last call; those to the leaves are not among them.
    pub steps: u64,
    /// How many playouts could begin at once.
    pub room: usize,
}

/// What holds behind a leaf, and how many playouts there are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Place {
    /// How many words its state has, and how many roles have said what they may do.
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
    /// At least so many rows of at least so many cells; what they are filled with at first does not matter.
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

impl Leaves {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A simulation goes on, in a game with this many roles: nothing is finished, no step made. What is known of leaves that are under way
    /// stays.
    pub fn begin(&mut self, roles: usize) {
        if self.roles != roles {
            *self = Self { roles, ..Self::default() };
        }
        self.finished.clear();
        self.steps = 0;
    }

    /// The leaves that were finished by the last call, in order.
    pub fn finished(&self) -> &[usize] {
        &self.finished
    }

    /// The words of the state behind a leaf's moves.
    pub fn words(&self, leaf: usize) -> &[u64] {
        &self.words.row(leaf)[..self.places[leaf].words as usize]
    }

    /// Whether that state is the end of the game.
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

    /// By role: the sum of goals as they are over the playouts of a leaf.
    pub fn goals(&self, leaf: usize) -> &[f64] {
        &self.totals[(2 * leaf + 1) * self.roles..][..self.roles]
    }

    /// How many playouts there were behind a leaf.
    pub fn count(&self, leaf: usize) -> u32 {
        self.places[leaf].count
    }

    /// A leaf has been reached: its state, and whether it is terminal. Its legal moves follow, role by role.
    pub fn arrive(&mut self, leaf: usize, words: &[u64], terminal: bool) {
        if self.places.len() <= leaf || self.words.width < words.len() {
            self.make_room(leaf + 1, words.len());
        }
        self.words.row_mut(leaf)[..words.len()].copy_from_slice(words);
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        self.places[leaf] = Place { words: count, roles: 0, count: 0, terminal };
        self.totals[2 * leaf * self.roles..][..2 * self.roles].fill(0.0);
    }

    /// Room for so many leaves at least, and so many words for the state of each.
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

    /// These were the legal moves of a role.
    #[inline]
    fn end_legal(&mut self, leaf: usize, end: usize) {
        let roles = &mut self.places[leaf].roles;
        self.legal_ends[leaf * self.roles + *roles as usize] = u32::try_from(end).unwrap_or(u32::MAX);
        *roles += 1;
    }

    /// The same, where a bit says for each of some moves whether it is legal. Gives how many are. Inlined always: those who count bits
    /// with an instruction of their processor do it here too.
    #[inline(always)]
    pub fn push_legal_bits(&mut self, leaf: usize, moves: &[MoveId], bits: &[u64]) -> usize {
        // Several at a time, whether there are so many or not: how many bits a word has is hard to guess. What is too much is
        // written over by what comes next.
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

    /// Adds the goal of a role to a leaf, and what it counts after its discount.
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

    /// All playouts of some leaves are over.
    pub fn finish(&mut self, leaves: impl IntoIterator<Item = usize>) {
        self.finished.extend(leaves);
        self.finished.sort_unstable();
    }
}
