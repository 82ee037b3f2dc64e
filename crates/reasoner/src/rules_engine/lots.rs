//! Lots: random choice among moves that does not depend on the order in which they are found.
//!
//! Each move draws a lot that depends on its names and a random number; the lowest wins. So the
//! same seed gives the same playouts, whatever the plans and whatever was played before.

use super::keys::NONE;
use crate::term::{TermId, Terms};

/// Hashes of terms that depend on nothing but their names.
#[derive(Debug, Default)]
pub(super) struct Lots {
    hashes: Vec<u64>,
}

impl Lots {
    fn hash(&mut self, terms: &Terms, term: TermId) -> u64 {
        // Parts have smaller numbers than the whole.
        for number in self.hashes.len()..=term.index() {
            let part = TermId(u32::try_from(number).unwrap_or(NONE));
            let mut hash = mix(terms.symbol(part).index() as u64 + 1);
            for argument in terms.arguments(part) {
                hash = mix(hash.rotate_left(7) ^ self.hashes[argument.index()]);
            }
            self.hashes.push(hash);
        }
        self.hashes[term.index()]
    }

    /// One of the moves, if there are any.
    pub(super) fn draw(
        &mut self,
        terms: &Terms,
        moves: &[TermId],
        random: &mut dyn FnMut() -> u64,
    ) -> Option<TermId> {
        if let [only] = *moves {
            return Some(only);
        }
        let lot = random();
        moves.iter().copied().min_by_key(|&term| mix(self.hash(terms, term) ^ lot))
    }
}

/// Spreads the bits of a number (the finaliser of splitmix64, Steele et al. 2014).
#[inline]
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
