//! Novelty: whether a state has a fact, or a pair of facts, that no state before it had (N. Lipovetzky,
//! H. Geffner, Width and serialization of classical planning problems, 2012).
//!
//! States are compared with those that are equally near to the goal (the same stage). A pair counts only
//! if one of its facts is new against the parent.

/// Stages that are told apart.
pub(crate) const STAGES: usize = 32;

/// Bits for all stages together, at most: pairs are left out where they need more.
const MOST_BITS: usize = 1 << 30;

/// What has been seen.
pub(crate) struct Novelty {
    facts: usize,
    /// By stage and fact, as bits.
    single: Vec<u64>,
    /// By stage and pair of facts, as bits; empty if they are too many.
    pairs: Vec<u64>,
}

impl Novelty {
    /// For states of so many facts.
    pub(crate) fn new(facts: usize) -> Self {
        let pairs = facts.saturating_mul(facts).saturating_mul(STAGES);
        let pairs = if pairs <= MOST_BITS { pairs.div_ceil(64) } else { 0 };
        Self { facts, single: vec![0; (facts * STAGES).div_ceil(64)], pairs: vec![0; pairs] }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        (self.single.len() + self.pairs.len()) * 8
    }

    /// Notes a state of a stage: 0 if a fact is new, 1 if a pair is, otherwise 2.
    pub(crate) fn note(&mut self, state: &[u64], parent: &[u64], stage: usize) -> u8 {
        let stage = stage.min(STAGES - 1);
        let mut class = 2;
        let all = || bits(state.iter().copied());
        let new = || bits(state.iter().zip(parent).map(|(state, parent)| state & !parent));
        for fact in new() {
            if set(&mut self.single, stage * self.facts + fact) {
                class = 0;
            }
            if self.pairs.is_empty() {
                continue;
            }
            for other in all() {
                let (low, high) = (fact.min(other), fact.max(other));
                if set(&mut self.pairs, (stage * self.facts + low) * self.facts + high) {
                    class = class.min(1);
                }
            }
        }
        class
    }
}

/// The numbers of the bits that are set.
fn bits(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(at, word)| {
        std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|&rest| rest != 0)
            .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
    })
}

/// Sets a bit; true if it was not set.
fn set(words: &mut [u64], bit: usize) -> bool {
    let mask = 1 << (bit % 64);
    let Some(word) = words.get_mut(bit / 64) else { return false };
    let is_new = *word & mask == 0;
    *word |= mask;
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_and_pairs_are_new_once_in_each_stage() {
        let mut novelty = Novelty::new(70);
        let state = |facts: &[usize]| {
            let mut words = vec![0u64; 2];
            facts.iter().for_each(|fact| words[fact / 64] |= 1 << (fact % 64));
            words
        };
        let none = state(&[]);
        assert_eq!(novelty.note(&state(&[1, 65]), &none, 0), 0);
        assert_eq!(novelty.note(&state(&[1, 65]), &none, 0), 2);
        assert_eq!(novelty.note(&state(&[2, 65]), &none, 0), 0);
        assert_eq!(novelty.note(&state(&[1, 2]), &none, 0), 1, "each is known, the pair is not");
        assert_eq!(novelty.note(&state(&[1, 2]), &none, 0), 2);
        assert_eq!(novelty.note(&state(&[1, 2]), &none, 1), 0, "another stage");
    }
}
