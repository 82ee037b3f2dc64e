//! What came of the leaves of a simulation.

use crate::ids::MoveId;

/// What came of leaves, by their numbers. Kept by callers and filled again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leaves {
    roles: usize,
    /// By number.
    places: Vec<Place>,
    sums: Vec<f64>,
    goals: Vec<f64>,
    /// Leaves whose playouts are all over since the last call.
    finished: Vec<usize>,
    /// State transitions in playouts since the last call; those to the leaves are not among them.
    pub steps: u64,
    /// How many playouts could begin at once.
    pub room: usize,
}

/// What holds behind a leaf, and how many playouts there are.
#[derive(Clone, Debug, Default, PartialEq)]
struct Place {
    words: Vec<u64>,
    terminal: bool,
    /// The legal moves of all roles, and where those of each end.
    legal: Vec<MoveId>,
    legal_ends: Vec<usize>,
    count: u32,
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
        &self.places[leaf].words
    }

    /// Whether that state is the end of the game.
    pub fn is_terminal(&self, leaf: usize) -> bool {
        self.places[leaf].terminal
    }

    /// The legal moves of a role there, sorted by id; none in terminal states.
    pub fn legal(&self, leaf: usize, role: usize) -> &[MoveId] {
        let Place { legal, legal_ends, .. } = &self.places[leaf];
        let start = if role == 0 { 0 } else { legal_ends[role - 1] };
        &legal[start..legal_ends[role]]
    }

    /// By role: the sum of discounted goals over the playouts of a leaf.
    pub fn sums(&self, leaf: usize) -> &[f64] {
        &self.sums[leaf * self.roles..(leaf + 1) * self.roles]
    }

    /// By role: the sum of goals as they are over the playouts of a leaf.
    pub fn goals(&self, leaf: usize) -> &[f64] {
        &self.goals[leaf * self.roles..(leaf + 1) * self.roles]
    }

    /// How many playouts there were behind a leaf.
    pub fn count(&self, leaf: usize) -> u32 {
        self.places[leaf].count
    }

    /// A leaf has been reached: its state, and whether it is terminal. Its legal moves follow, role by role.
    pub fn arrive(&mut self, leaf: usize, words: &[u64], terminal: bool) {
        if self.places.len() <= leaf {
            self.places.resize_with(leaf + 1, Place::default);
            self.sums.resize((leaf + 1) * self.roles, 0.0);
            self.goals.resize((leaf + 1) * self.roles, 0.0);
        }
        let place = &mut self.places[leaf];
        place.words.clear();
        place.words.extend_from_slice(words);
        place.legal.clear();
        place.legal_ends.clear();
        (place.terminal, place.count) = (terminal, 0);
        self.sums[leaf * self.roles..(leaf + 1) * self.roles].fill(0.0);
        self.goals[leaf * self.roles..(leaf + 1) * self.roles].fill(0.0);
    }

    /// Enters the legal moves of the next role of a leaf.
    #[inline]
    pub fn push_legal(&mut self, leaf: usize, moves: impl IntoIterator<Item = MoveId>) {
        let place = &mut self.places[leaf];
        place.legal.extend(moves);
        place.legal_ends.push(place.legal.len());
    }

    /// The same, where a bit says for each of some moves whether it is legal. Gives how many are.
    #[inline]
    pub fn push_legal_bits(&mut self, leaf: usize, moves: &[MoveId], bits: &[u64]) -> usize {
        let Place { legal, legal_ends, .. } = &mut self.places[leaf];
        let count = bits.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        legal.reserve(count);
        for (&word, moves) in bits.iter().zip(moves.chunks(64)) {
            let mut bits = word;
            while bits != 0 {
                legal.push(moves[bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
        legal_ends.push(legal.len());
        count
    }

    /// Adds the goal of a role to a leaf, and what it counts after its discount.
    #[inline]
    pub fn add(&mut self, leaf: usize, role: usize, goal: f64, discount: f64) {
        self.sums[leaf * self.roles + role] += goal * discount;
        self.goals[leaf * self.roles + role] += goal;
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
