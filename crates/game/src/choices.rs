//! The choices of a role in many lanes: a table of bits, which engines with lanes fill at once.
//!
//! Moves that are legal in no lane are not in it, so it stays small in games with thousands of
//! moves.

use crate::cursor::below;
use crate::ids::{MoveId, RoleId};

/// The legal moves of a role in all lanes where it has a choice.
///
/// Moves are given by index into [`moves`](Self::moves).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    role: RoleId,
    /// Lanes in which the role has at least two legal moves. In any order; best in the order of the
    /// table, so that neighbours share cache lines.
    lanes: Vec<u16>,
    /// The moves that are legal in some lane, in the order of ids.
    moves: Vec<MoveId>,
    /// See [`ChoiceTable::bits`].
    bits: Vec<u64>,
    /// Words of 64 lanes.
    across: usize,
    /// By move, as far as needed: its index; anything for a move that has none.
    places: Vec<u32>,
}

/// The table behind [`Choices`], for engines that fill it and for vector code that reads it.
#[derive(Debug)]
pub struct ChoiceTable<'a> {
    /// See [`Choices::lanes`].
    pub lanes: &'a mut Vec<u16>,
    /// See [`Choices::moves`].
    pub moves: &'a mut Vec<MoveId>,
    /// Bit `p % 64` of the word `(64 · (p / 64) + l % 64) · across + l / 64`: whether the move with
    /// the index `p` is legal in the lane `l`. A table by move and lane is transposed into this
    /// order with the fewest exchanges.
    pub bits: &'a mut Vec<u64>,
}

/// Moves that [`Choices::list`] writes at a time: a misprediction per so many moves, not per move.
const AT_ONCE: usize = 4;

impl Choices {
    /// No choice, in so many words of 64 lanes.
    pub fn none(role: RoleId, across: usize) -> Self {
        Self { role, lanes: Vec::new(), moves: Vec::new(), bits: Vec::new(), across, places: Vec::new() }
    }

    /// The choice of a role in a single lane, number 0, between moves in the order of ids.
    pub fn of_one(role: RoleId, legal: &[MoveId]) -> Self {
        let mut choices = Self { lanes: vec![0], moves: legal.to_vec(), ..Self::none(role, 1) };
        choices.bits = vec![0; 64 * choices.words()];
        (0..legal.len()).for_each(|place| choices.bits[64 * (place / 64)] |= 1 << (place % 64));
        choices.note_places();
        choices
    }

    /// For engines: the table, to be filled. [`finish`](Self::finish) ends that.
    #[inline(always)]
    pub fn table_mut(&mut self) -> ChoiceTable<'_> {
        let Self { lanes, moves, bits, .. } = self;
        ChoiceTable { lanes, moves, bits }
    }

    /// For engines: the table is filled, with the choices of this role.
    #[inline(always)]
    pub fn finish(&mut self, role: RoleId) {
        self.role = role;
        self.note_places();
    }

    /// Whose moves they are.
    #[inline(always)]
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// Lanes in which the role has at least two legal moves.
    #[inline(always)]
    pub fn lanes(&self) -> &[u16] {
        &self.lanes
    }

    /// The moves that are legal in some lane, in the order of ids.
    #[inline(always)]
    pub fn moves(&self) -> &[MoveId] {
        &self.moves
    }

    /// For vector code: the words of [`ChoiceTable::bits`], and the number of words of 64 lanes.
    #[inline(always)]
    pub fn table(&self) -> (&[u64], usize) {
        (&self.bits, self.across)
    }

    /// Words of a lane.
    #[inline(always)]
    pub fn words(&self) -> usize {
        self.moves.len().div_ceil(64)
    }

    fn note_places(&mut self) {
        let Some(highest) = self.moves.last() else { return };
        if self.places.len() <= highest.index() {
            self.places.resize(highest.index() + 1, 0);
        }
        for (place, id) in (0..).zip(&self.moves) {
            self.places[id.index()] = place;
        }
    }

    /// The words of a lane.
    #[inline(always)]
    fn of_lane(&self, lane: u16) -> impl Iterator<Item = u64> {
        let lane = usize::from(lane);
        let first = (lane % 64) * self.across + lane / 64;
        self.bits[first..].iter().step_by(64 * self.across).take(self.words()).copied()
    }

    /// Whether a move is legal in a lane.
    #[inline(always)]
    pub fn is_legal(&self, lane: u16, place: u32) -> bool {
        let (lane, place) = (usize::from(lane), place as usize);
        let word = (64 * (place / 64) + lane % 64) * self.across + lane / 64;
        self.bits[word] >> (place % 64) & 1 == 1
    }

    /// The index of a move, and whether it is legal in a lane; if not, the index means nothing.
    /// Without branches, which would be mispredicted.
    #[inline(always)]
    pub fn find(&self, lane: u16, id: MoveId) -> (u32, bool) {
        let place = self.places.get(id.index()).copied().unwrap_or(0);
        // Indices that were noted for another table may be too high. A table has at most as many
        // moves as there are ids, which are 32 bits.
        let last = u32::try_from(self.moves.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let place = place.min(last);
        let is_known = self.moves.get(place as usize) == Some(&id);
        (place, is_known & self.is_legal(lane, place))
    }

    /// The index of a uniformly random legal move of a lane, by 64 random bits.
    #[inline(always)]
    pub fn uniform(&self, lane: u16, random: u64) -> u32 {
        let count: usize = self.of_lane(lane).map(|word| word.count_ones() as usize).sum();
        let mut left = below(count, random);
        let mut start = 0;
        for word in self.of_lane(lane) {
            let here = word.count_ones() as usize;
            if left < here {
                let mut bits = word;
                (0..left).for_each(|_| bits &= bits - 1);
                return start + bits.trailing_zeros();
            }
            left -= here;
            start += 64;
        }
        0
    }

    /// Writes the indices of a lane's legal moves, in order, into a list from `from` on; returns
    /// where they end. The list grows as needed: there are always 64 more entries behind that end,
    /// with any content.
    #[inline(always)]
    pub fn list(&self, lane: u16, list: &mut Vec<u32>, from: usize) -> usize {
        let room = from + 64 * (self.words() + 1);
        if list.len() < room {
            list.resize(2 * room, 0);
        }
        let mut end = from;
        for (at, word) in (0u32..).zip(self.of_lane(lane)) {
            let mut bits = word;
            let count = word.count_ones() as usize;
            let mut start = 0;
            // Most words have few bits, so the first ones are written in any case.
            loop {
                for place in &mut list[end + start..end + start + AT_ONCE] {
                    // Behind the last bit this writes what is overwritten next.
                    *place = 64 * at + bits.trailing_zeros();
                    bits &= bits.wrapping_sub(1);
                }
                start += AT_ONCE;
                if start >= count {
                    break;
                }
            }
            end += count;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_views_of_a_lane_agree() {
        let mut random = fastrand::Rng::with_seed(1);
        for moves in [2u32, 3, 63, 64, 65, 300] {
            let mut choices = Choices {
                lanes: (0..9).map(|at| 13 * at).collect(),
                moves: (0..moves).map(|at| MoveId(3 * at + 1)).collect(),
                ..Choices::none(RoleId::new(0), 2)
            };
            let expected: Vec<Vec<u32>> = (0..9)
                .map(|density| (0..moves).filter(|place| random.u32(..9) <= density || *place < 2).collect())
                .collect();
            // Not all in the first 64 lanes.
            let lane_of = |at: u16| 13 * at;
            choices.bits = vec![0; 128 * choices.words()];
            for (lane, places) in (0..).zip(&expected) {
                let lane = usize::from(lane_of(lane));
                places.iter().map(|&place| place as usize).for_each(|place| {
                    let word = (64 * (place / 64) + lane % 64) * 2 + lane / 64;
                    choices.bits[word] |= 1 << (place % 64);
                });
            }
            choices.note_places();
            let (mut list, mut from) = (Vec::new(), 0);
            for (lane, expected) in (0..).map(lane_of).zip(&expected) {
                let end = choices.list(lane, &mut list, from);
                assert_eq!(list[from..end], expected[..]);
                from = end;
                // Every legal move is drawn, and no other.
                let count = expected.len() as u64;
                let drawn: Vec<u32> = (0..count)
                    .map(|at| choices.uniform(lane, (2 * at + 1) * (u64::MAX / (2 * count))))
                    .collect();
                assert_eq!(drawn, expected[..]);
                for place in 0..moves {
                    assert_eq!(choices.is_legal(lane, place), expected.contains(&place));
                    let (found, is_legal) = choices.find(lane, MoveId(3 * place + 1));
                    assert_eq!((found, is_legal), (place, expected.contains(&place)));
                    assert!(!choices.find(lane, MoveId(3 * place)).1);
                }
            }
        }
    }

    #[test]
    fn a_single_lane_has_all_moves() {
        let choices = Choices::of_one(RoleId::new(1), &[MoveId(5), MoveId(9)]);
        assert_eq!(choices.find(0, MoveId(9)), (1, true));
        assert!(!choices.find(0, MoveId(7)).1);
        let mut list = Vec::new();
        assert_eq!(choices.list(0, &mut list, 0), 2);
        assert_eq!(list[..2], [0, 1]);
    }
}
