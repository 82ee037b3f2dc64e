//! What a role may do in many lanes: a table of bits, which engines with lanes can fill at once.
//!
//! Moves that are legal in no lane have no place in it, so that it stays small in games with thousands of moves.

use crate::ids::{MoveId, RoleId};

/// The legal moves of a role in all lanes where it has a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Whose moves they are.
    pub role: RoleId,
    /// Lanes in which it has at least two, in any order: best in that of the table, so that those come together whose words lie side
    /// by side.
    pub lanes: Vec<u16>,
    /// The moves that have a place, in the order of ids.
    pub moves: Vec<MoveId>,
    /// Which are legal where: bit `p % 64` of the word `(64 · (p / 64) + l % 64) · across + l / 64` for the place `p` and the lane
    /// `l`. That is how a table by move and lane is turned with the fewest exchanges.
    pub bits: Vec<u64>,
    /// Words of 64 lanes.
    pub across: usize,
    /// By move, as far as needed: its place; that of a move which has none says anything.
    places: Vec<u32>,
}

/// A word is listed so many places at a time: a processor guesses wrong once for as many, and not once for each.
const AT_ONCE: usize = 4;

impl Choices {
    /// No choice of a role, in so many words of 64 lanes.
    pub fn none(role: RoleId, across: usize) -> Self {
        Self { role, lanes: Vec::new(), moves: Vec::new(), bits: Vec::new(), across, places: Vec::new() }
    }

    /// The choice of a role in a single lane, which has the number 0, between moves in the order of ids.
    pub fn of_one(role: RoleId, legal: &[MoveId]) -> Self {
        let mut choices = Self { lanes: vec![0], moves: legal.to_vec(), ..Self::none(role, 1) };
        choices.bits = vec![0; 64 * choices.words()];
        (0..legal.len()).for_each(|place| choices.bits[64 * (place / 64)] |= 1 << (place % 64));
        choices.note_places();
        choices
    }

    /// Words of a lane.
    pub fn words(&self) -> usize {
        self.moves.len().div_ceil(64)
    }

    /// Has to be called when [`moves`](Self::moves) have been changed.
    pub fn note_places(&mut self) {
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

    /// Whether the move at a place is legal in a lane.
    #[inline(always)]
    pub fn is_legal(&self, lane: u16, place: u32) -> bool {
        let (lane, place) = (usize::from(lane), place as usize);
        let word = (64 * (place / 64) + lane % 64) * self.across + lane / 64;
        self.bits[word] >> (place % 64) & 1 == 1
    }

    /// The place of a move, and whether it is legal in a lane; if not, the place means nothing. Written so that a processor has
    /// nothing to guess.
    #[inline(always)]
    pub fn find(&self, lane: u16, id: MoveId) -> (u32, bool) {
        let place = self.places.get(id.index()).copied().unwrap_or(0);
        // Places that were noted for other choices may be too high.
        let last = u32::try_from(self.moves.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let place = place.min(last);
        let is_known = self.moves.get(place as usize) == Some(&id);
        (place, is_known & self.is_legal(lane, place))
    }

    /// Writes the places of the legal moves of a lane, in order, into a list from an index on; gives where it ends. The list gets
    /// longer if it has to: there are always 64 more behind that end, which may be anything.
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
            // Most words have few, so the first ones are written in any case.
            loop {
                for place in &mut list[end + start..end + start + AT_ONCE] {
                    // Behind the last one this writes what is overwritten next.
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
    fn every_way_to_look_at_a_lane_tells_the_same() {
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
