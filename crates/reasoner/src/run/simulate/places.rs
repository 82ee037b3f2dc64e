//! Which of the lanes that are free plays behind which new leaf. Where there are fewer leaves than lanes, several play behind each.

/// So many lanes for so many leaves: the lanes in order, and leaf after leaf in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    leaves: usize,
    /// How many lanes each of them has.
    each: usize,
}

impl Places {
    /// For so many leaves, with so many playouts behind each, where so many lanes are free.
    pub(super) fn new(leaves: usize, lanes: usize, playouts: u32) -> Self {
        let most = usize::try_from(playouts).unwrap_or(usize::MAX);
        Self { leaves, each: (lanes / leaves.max(1)).min(most).max(1) }
    }

    /// Number of lanes that play.
    pub(super) fn lanes(self) -> usize {
        self.leaves * self.each
    }

    /// The leaf of a lane.
    pub(super) fn leaf(self, lane: usize) -> usize {
        lane % self.leaves.max(1)
    }

    /// How many of the playouts behind its leaf a lane plays.
    pub(super) fn share(self, lane: usize, playouts: u32) -> u32 {
        let (turn, each) = (lane / self.leaves.max(1), u32::try_from(self.each).unwrap_or(u32::MAX));
        playouts / each + u32::from(turn < (playouts % each) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_share_the_playouts_of_their_leaf() {
        for (leaves, lanes, playouts) in [(3, 64, 8), (64, 64, 8), (20, 64, 8), (1, 512, 4096), (100, 256, 1)]
        {
            let places = Places::new(leaves, lanes, playouts);
            assert!(places.lanes() <= lanes);
            let mut played = vec![0; leaves];
            for lane in 0..places.lanes() {
                let share = places.share(lane, playouts);
                assert!(share > 0, "an idle lane of {places:?}");
                played[places.leaf(lane)] += share;
            }
            assert!(played.iter().all(|&count| count == playouts), "{places:?}: {played:?}");
        }
    }
}
