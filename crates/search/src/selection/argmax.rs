//! Argmax with random tie-breaking.

/// The highest bound so far.
pub(super) struct ArgMax<F> {
    bound: F,
    at: usize,
    equals: u32,
}

impl<F: PartialOrd + Copy> ArgMax<F> {
    /// No candidate yet; `lowest` is below all bounds.
    #[inline(always)]
    pub(super) fn above(lowest: F) -> Self {
        Self { bound: lowest, at: 0, equals: 1 }
    }

    /// Considers one more candidate. Of n equal ones the last replaces the best with probability 1
    /// / n, so all are equally likely.
    #[inline(always)]
    pub(super) fn consider(&mut self, at: usize, bound: F, random: &mut fastrand::Rng) {
        if bound > self.bound {
            *self = Self { bound, at, equals: 1 };
        } else if bound == self.bound {
            self.equals += 1;
            if random.u32(..self.equals) == 0 {
                self.at = at;
            }
        }
    }

    /// Index of the best candidate.
    #[inline(always)]
    pub(super) fn index(&self) -> usize {
        self.at
    }
}
