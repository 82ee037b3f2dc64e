//! Keys: small tuples of numbers, numbered densely in the order they are met.
//!
//! Indexes, calls and answers are all found by such tuples. The numbers stay, so that what belongs
//! to them lies in plain arrays that are stamped with a time instead of being cleared.

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// Tuples of one width.
///
/// Without columns there is one tuple, number 0; with one column the value is the number. Wider
/// tuples are found in a grid with a side for each column while it is small, and by hash when it is
/// not.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    width: usize,
    /// The tuples one after the other.
    values: Vec<u32>,
    grid: Option<RankGrid>,
    /// By hash: hash and number, or [`NONE`]. A power of two of them, at most half taken.
    slots: Vec<(u32, u32)>,
}

/// Numbers of tuples by the ranks of their values in each column.
#[derive(Clone, Debug, Default)]
struct RankGrid {
    columns: Vec<Column>,
    numbers: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Column {
    /// By value: its rank, or [`NONE`].
    ranks: Vec<u32>,
    count: u32,
    /// Ranks are below two to the power of this.
    bits: u32,
}

/// Grids do not grow above two to the power of this.
const GRID_BITS: u32 = 16;

impl RankGrid {
    fn new(width: usize) -> Self {
        let numbers = vec![NONE; 1 << width];
        Self { columns: vec![Column { bits: 1, ..Column::default() }; width], numbers }
    }

    #[inline]
    fn find(&self, key: &[u32]) -> u32 {
        let mut at = 0usize;
        for (column, &value) in self.columns.iter().zip(key) {
            match column.ranks.get(value as usize) {
                Some(&rank) if rank != NONE => at = at << column.bits | rank as usize,
                _ => return NONE,
            }
        }
        self.numbers[at]
    }

    /// Makes room for the values of a tuple. Whether the sides have grown, or `None` if too much.
    fn admit(&mut self, key: &[u32]) -> Option<bool> {
        let mut grown = false;
        for (column, &value) in self.columns.iter_mut().zip(key) {
            let rank = place(&mut column.ranks, value, NONE);
            if *rank == NONE {
                *rank = column.count;
                column.count += 1;
                grown |= column.count > 1 << column.bits;
                column.bits += u32::from(column.count > 1 << column.bits);
            }
        }
        let bits: u32 = self.columns.iter().map(|column| column.bits).sum();
        if bits > GRID_BITS {
            return None;
        }
        if grown {
            self.numbers = vec![NONE; 1 << bits];
        }
        Some(grown)
    }

    fn set(&mut self, key: &[u32], number: u32) {
        let mut at = 0usize;
        for (column, &value) in self.columns.iter().zip(key) {
            at = at << column.bits | column.ranks[value as usize] as usize;
        }
        self.numbers[at] = number;
    }
}

impl Keys {
    /// No tuples yet.
    pub(super) fn new(width: usize) -> Self {
        let bits = u32::try_from(width).unwrap_or(GRID_BITS);
        let grid = (width > 1 && bits < GRID_BITS).then(|| RankGrid::new(width));
        Self { width, grid, values: Vec::new(), slots: vec![(0, NONE); 16] }
    }

    /// How many tuples are kept; those of up to one column need no keeping.
    pub(super) fn len(&self) -> usize {
        if self.width > 1 { self.values.len() / self.width } else { 0 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.width);
    }

    /// The number of a tuple, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, key: &[u32]) -> u32 {
        match *key {
            [] => 0,
            [value] => value,
            _ => match &self.grid {
                Some(grid) => grid.find(key),
                None => self.search(key),
            },
        }
    }

    fn search(&self, key: &[u32]) -> u32 {
        let hash = hash(key);
        let mut at = hash as usize & (self.slots.len() - 1);
        loop {
            let (known, number) = self.slots[at];
            if number == NONE || (known == hash && self.get(number).iter().eq(key)) {
                return number;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn get(&self, number: u32) -> &[u32] {
        let start = number as usize * self.width;
        &self.values[start..start + self.width]
    }

    /// A tuple.
    #[inline]
    pub(super) fn tuple<'a>(&'a self, number: &'a u32) -> &'a [u32] {
        if self.width > 1 { self.get(*number) } else { std::slice::from_ref(number) }
    }

    /// One value of a tuple.
    #[inline]
    pub(super) fn value(&self, number: u32, column: usize) -> u32 {
        if self.width > 1 { self.values[number as usize * self.width + column] } else { number }
    }

    /// The number of a tuple, given out if it is new.
    #[inline]
    pub(super) fn intern(&mut self, key: &[u32]) -> u32 {
        let found = self.find(key);
        if found != NONE { found } else { self.add(key) }
    }

    fn add(&mut self, key: &[u32]) -> u32 {
        let number = u32::try_from(self.len()).unwrap_or(NONE);
        self.values.extend_from_slice(key);
        match self.grid.as_mut().map(|grid| grid.admit(key)) {
            Some(Some(false)) => self.enter(number),
            Some(Some(true)) => (0..=number).for_each(|number| self.enter(number)),
            Some(None) => {
                self.grid = None;
                self.rehash(number);
            }
            None if self.len() * 2 > self.slots.len() => self.rehash(number),
            None => self.enter(number),
        }
        number
    }

    /// Puts all tuples up to this one into slots, of which there are enough.
    fn rehash(&mut self, number: u32) {
        self.slots = vec![(0, NONE); (self.len() * 4).next_power_of_two()];
        (0..=number).for_each(|number| self.enter(number));
    }

    /// Puts a tuple where it is found.
    fn enter(&mut self, number: u32) {
        let start = number as usize * self.width;
        let key = &self.values[start..start + self.width];
        if let Some(grid) = &mut self.grid {
            grid.set(key, number);
            return;
        }
        let hash = hash(key);
        let mut at = hash as usize & (self.slots.len() - 1);
        while self.slots[at].1 != NONE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = (hash, number);
    }
}

#[inline]
fn hash(key: &[u32]) -> u32 {
    let mut hash = 0u64;
    for &value in key {
        hash = (hash.rotate_left(5) ^ u64::from(value)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    // The high bits of a product are the well mixed ones.
    u32::try_from(hash >> 32).unwrap_or(0)
}

/// The place in an array that belongs to a number, made if it is not there yet.
#[inline]
pub(super) fn place<T: Clone>(list: &mut Vec<T>, number: u32, empty: T) -> &mut T {
    let index = number as usize;
    if index >= list.len() {
        list.resize(index + 1 + index / 2, empty);
    }
    &mut list[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_stay_when_the_grid_gives_way_to_hashing() {
        let mut keys = Keys::new(2);
        for round in 0..2 {
            for value in 0..50_000u32 {
                assert_eq!(keys.intern(&[value, value % 7]), value, "round {round}");
            }
        }
        assert!(keys.grid.is_none());
        assert_eq!((keys.find(&[3, 3]), keys.find(&[3, 4]), keys.value(9, 1)), (3, NONE, 2));
    }

    #[test]
    fn small_tuples_stay_in_the_grid() {
        let mut keys = Keys::new(3);
        let tuples: Vec<[u32; 3]> = (0..512u32).map(|n| [n % 8, 100 + n / 8 % 8, 5000 + n / 64]).collect();
        for (number, tuple) in tuples.iter().enumerate() {
            assert_eq!(keys.intern(tuple) as usize, number);
        }
        assert!(tuples.iter().enumerate().all(|(number, tuple)| keys.find(tuple) as usize == number));
        assert!(keys.grid.is_some());
        assert_eq!(keys.find(&[8, 100, 5000]), NONE);
    }

    #[test]
    fn up_to_one_column_needs_no_table() {
        assert_eq!((Keys::new(0).intern(&[]), Keys::new(1).intern(&[5])), (0, 5));
    }
}
