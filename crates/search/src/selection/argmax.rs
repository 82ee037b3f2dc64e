//! The highest of several bounds; among equals chance decides.

/// The best so far.
pub(super) struct ArgMax<F> {
    bound: F,
    at: usize,
    equals: u32,
}

impl<F: PartialOrd + Copy> ArgMax<F> {
    /// Nothing yet; everything is above this.
    #[inline(always)]
    pub(super) fn above(lowest: F) -> Self {
        Self { bound: lowest, at: 0, equals: 1 }
    }

    /// One more: of n equals the last takes the place with probability 1 / n.
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

    /// Which one it is.
    #[inline(always)]
    pub(super) fn index(&self) -> usize {
        self.at
    }
}
