//! The number of a joint move in a node where several roles choose.

/// Joint moves of a node, numbered in the mixed radix of the roles' numbers of moves. Nine players
/// with two hundred moves each have more joint moves than 64 bits can number: those beyond get no
/// number, and no child of theirs is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct JointNumber(Option<u64>);

impl JointNumber {
    /// The joint move of no roles.
    pub(crate) const FIRST: Self = Self(Some(0));

    /// Adds a role that chooses one of `count` moves.
    pub(crate) fn then(self, count: usize, chosen: usize) -> Self {
        let next = |number: u64| number.checked_mul(count as u64)?.checked_add(chosen as u64);
        Self(self.0.and_then(next))
    }

    /// The joint move with this number.
    #[cfg(test)]
    pub(crate) fn new(number: u64) -> Self {
        Self(Some(number))
    }

    /// The number; none if it does not fit.
    pub(crate) fn get(self) -> Option<u64> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_differ_and_never_wrap() {
        let mut numbers = Vec::new();
        for a in 0..3 {
            for b in 0..5 {
                numbers.push(JointNumber::FIRST.then(3, a).then(5, b).get().expect("small"));
            }
        }
        assert_eq!(numbers, (0..15).collect::<Vec<_>>());
        let large = (0..4).fold(JointNumber::FIRST, |number, _| number.then(60_000, 59_999));
        assert_eq!(large.get(), Some(60_000u64.pow(4) - 1));
        let wide = (0..9).fold(JointNumber::FIRST, |number, _| number.then(200, 199));
        assert_eq!(wide.get(), None, "200^9 is more than 2^64");
    }
}
