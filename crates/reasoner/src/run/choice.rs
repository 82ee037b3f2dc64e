//! What choosing a move needs to know: the rows of legal moves and of moves made, in groups.
//!
//! Moves are counted in groups of seven (three bits) and blocks of nine groups (six bits), and found
//! the same way back; see [`super::choose`].

/// Moves in a group: as many as a three-bit number can count.
pub(crate) const GROUP: usize = 7;
/// Groups in a block: as many as a six-bit number can count.
pub(crate) const BLOCK: usize = 9;
/// The largest number of bit planes of a count.
pub(crate) const MAX_PLANES: usize = 14;

/// How the moves of all roles are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveRows {
    pub roles: Vec<RoleChoice>,
}

/// How the moves of one role are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleChoice {
    /// Slots that say whether a move is legal, and slots that say whether it is made. Moves that are
    /// never legal are left out.
    pub legal: Vec<u32>,
    pub does: Vec<u32>,
    /// First slot of the count of legal moves, a slot for each bit; later the number that was drawn.
    pub number: u32,
    /// How many bits that count has.
    pub planes: usize,
}

impl MoveRows {
    /// From the slots of legal moves by role (`None`: never legal) and where the slots of moves
    /// start. Takes slots for the numbers. `None` when a role has too many moves.
    pub(crate) fn new(legal: &[Vec<Option<u32>>], moves: &[(u32, u32)], slots: &mut u32) -> Option<Self> {
        let mut roles = Vec::with_capacity(legal.len());
        for (legal, &(first, _)) in legal.iter().zip(moves) {
            let pairs = legal.iter().zip(first..).filter_map(|(slot, does)| slot.map(|slot| (slot, does)));
            let (legal, does): (Vec<u32>, Vec<u32>) = pairs.unzip();
            let planes = (usize::BITS - legal.len().leading_zeros()).max(1) as usize;
            if planes > MAX_PLANES {
                return None;
            }
            let number = *slots;
            *slots += u32::try_from(planes).unwrap_or(u32::MAX);
            roles.push(RoleChoice { legal, does, number, planes });
        }
        Some(Self { roles })
    }
}

impl RoleChoice {
    /// The slots of the count, lowest bit first.
    pub(crate) fn number(&self) -> std::ops::Range<usize> {
        self.number as usize..self.number as usize + self.planes
    }
}
