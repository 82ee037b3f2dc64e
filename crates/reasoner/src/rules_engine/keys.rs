//! Keys: small tuples of numbers, numbered densely in the order they are met.
//!
//! Indexes, calls and answers are all found by such tuples. The numbers stay, so that what belongs to
//! them lies in plain arrays that are stamped with a time instead of being cleared.

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// Tuples of one width.
///
/// Without columns there is one tuple, number 0; with one column the value is the number.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    width: usize,
    /// The tuples one after the other.
    values: Vec<u32>,
    /// By hash: numbers, or [`NONE`]. A power of two of them, at most half taken.
    slots: Vec<u32>,
}

impl Keys {
    /// No tuples yet.
    pub(super) fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), slots: if width > 1 { vec![NONE; 16] } else { Vec::new() } }
    }

    /// How many tuples are kept; those of up to one column need no keeping.
    pub(super) fn len(&self) -> usize {
        if self.width > 1 { self.values.len() / self.width } else { 0 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.width);
    }

    #[inline]
    fn start(&self, key: &[u32]) -> usize {
        let mut hash = 0u64;
        for &value in key {
            hash = (hash.rotate_left(5) ^ u64::from(value)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        usize::try_from(hash >> 32).unwrap_or(0) & (self.slots.len() - 1)
    }

    /// The number of a tuple, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, key: &[u32]) -> u32 {
        match *key {
            [] => 0,
            [value] => value,
            _ => self.search(key),
        }
    }

    #[inline]
    fn search(&self, key: &[u32]) -> u32 {
        let mut at = self.start(key);
        loop {
            let number = self.slots[at];
            if number == NONE || self.get(number) == key {
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
        if self.len() * 2 > self.slots.len() {
            self.slots = vec![NONE; self.slots.len() * 2];
            for old in 0..number {
                self.place(old);
            }
        }
        self.place(number);
        number
    }

    fn place(&mut self, number: u32) {
        let mut at = self.start(self.get(number));
        while self.slots[at] != NONE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = number;
    }
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
    fn numbers_are_dense_and_stay() {
        let mut keys = Keys::new(2);
        for round in 0..2 {
            for value in 0..1000u32 {
                let expected =
                    if round == 0 && keys.find(&[value, 7]) == NONE { keys.len() } else { value as usize };
                assert_eq!(keys.intern(&[value, 7]) as usize, expected);
            }
        }
        assert_eq!((keys.find(&[3, 7]), keys.find(&[7, 3]), keys.value(3, 0)), (3, NONE, 3));
        assert_eq!((Keys::new(0).intern(&[]), Keys::new(1).intern(&[5])), (0, 5));
    }
}
