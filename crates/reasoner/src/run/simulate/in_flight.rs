//! Playouts that are under way: which lane plays behind which leaf, since when, and how often still. It outlives a call, if there is
//! something left to do in the next.

use super::super::ages::Ages;
use super::super::lanes::{Lanes, Row, count_ones, or};
use super::super::machine::Machine;
use super::ranked::Learned;
use super::run::Limits;

/// What a lane plays; small, because it is looked at with every playout.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Play {
    pub(super) leaf: u32,
    /// Playouts to come, the running one included.
    left: u32,
    /// The step in which its playout began, without its upper half.
    begun: u32,
    /// How long that one took which is to be scored.
    pub(super) length: u32,
}

/// What happens in all lanes.
pub(super) struct InFlight<const W: usize> {
    pub(super) lanes: Lanes<W>,
    /// Terminal states whose goals have not been scored; when there are none, the place where new leaves are looked at.
    pub(super) side: Lanes<W>,
    /// By goal output: where it holds in those states, if goals are so simple that they are found at once.
    pub(super) goals: Vec<Row<W>>,
    pub(super) filled: Row<W>,
    /// Lanes with a playout.
    pub(super) running: Row<W>,
    /// Lanes that start when others have been scored, and lanes that start as soon as it is their turn.
    pub(super) waiting: Row<W>,
    pub(super) due: Row<W>,
    /// By role: lanes in which it moves first, or everyone could.
    pub(super) first: Vec<Row<W>>,
    /// By lane: what it plays.
    pub(super) plays: Vec<Play>,
    /// The longest of the playouts that are to be scored.
    pub(super) longest: u32,
    pub(super) ages: Ages<W>,
    pub(super) step: u64,
    /// Playouts that are over, and the steps of all, since lanes were last empty.
    pub(super) ended: u64,
    pub(super) steps: u64,
    /// How many playouts lanes were last given.
    pub(super) share: u32,
    /// By leaf: playouts that are not over.
    pub(super) open: Vec<u32>,
    /// Leaves that have none, but of which not all may have been scored.
    pub(super) over: Vec<usize>,
    /// What those who go by a ranking keep.
    pub(super) learned: Option<Learned<W>>,
}

impl<const W: usize> InFlight<W> {
    pub(super) fn new(machine: &Machine, limits: Limits) -> Self {
        let count = Lanes::<W>::COUNT;
        Self {
            lanes: Lanes::new(&machine.program),
            side: Lanes::new(&machine.program),
            goals: vec![[0; W]; machine.program.goal_outputs.len()],
            filled: [0; W],
            running: [0; W],
            waiting: [0; W],
            due: [0; W],
            first: vec![[0; W]; machine.roles.len()],
            plays: vec![Play::default(); count],
            longest: 0,
            ages: Ages::new(limits.max_steps),
            step: 0,
            ended: 0,
            steps: 0,
            share: 1,
            open: Vec::new(),
            over: Vec::new(),
            learned: None,
        }
    }

    /// Gets ready for a call. Where nothing is under way everything begins anew, as if there had been no call before.
    pub(super) fn begin(&mut self, machine: &Machine, limits: Limits) {
        if self.room() == Lanes::<W>::COUNT {
            self.lanes.rewind(&machine.program);
            self.ages = Ages::new(limits.max_steps);
            (self.step, self.ended, self.steps) = (0, 0, 0);
            self.learned.iter_mut().for_each(Learned::forget_order);
        }
    }

    /// Lanes that have something to do.
    #[inline(always)]
    pub(super) fn busy(&self) -> Row<W> {
        or(self.running, or(self.waiting, self.due))
    }

    /// Number of lanes that have nothing to do.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        Lanes::<W>::COUNT - count_ones(self.busy()) as usize
    }

    /// The first lanes that have nothing to do, so many of them.
    pub(super) fn free(&self, count: usize) -> Vec<usize> {
        let mut free = Vec::with_capacity(count);
        for (word, busy) in self.busy().into_iter().enumerate() {
            let mut bits = !busy;
            while bits != 0 && free.len() < count {
                free.push(64 * word + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        free
    }

    /// A lane has playouts to play behind a leaf. Who moves first there: a role, or all if it does not matter.
    pub(super) fn assign(&mut self, lane: usize, leaf: usize, share: u32, mover: Option<usize>) {
        let (word, bit) = (lane / 64, 1 << (lane % 64));
        let play = &mut self.plays[lane];
        (play.leaf, play.left) = (u32::try_from(leaf).unwrap_or(u32::MAX), share);
        if share > 0 {
            self.due[word] |= bit;
        }
        for (role, row) in self.first.iter_mut().enumerate() {
            match mover.is_none_or(|mover| mover == role) {
                true => row[word] |= bit,
                false => row[word] &= !bit,
            }
        }
    }

    /// A playout of a lane begins.
    #[inline(always)]
    pub(super) fn start(&mut self, lane: usize) {
        self.plays[lane].begun = lower_half(self.step);
    }

    /// A playout of a lane is over, and to be scored unless it is lost. Whether the lane has another to begin.
    #[inline(always)]
    pub(super) fn end(&mut self, lane: usize, is_lost: bool) -> bool {
        let play = &mut self.plays[lane];
        if !is_lost {
            play.length = lower_half(self.step).wrapping_sub(play.begun);
            self.longest = self.longest.max(play.length);
        }
        play.left -= 1;
        let open = &mut self.open[play.leaf as usize];
        *open -= 1;
        if *open == 0 {
            self.over.push(play.leaf as usize);
        }
        play.left > 0
    }

    /// Steps of a playout, on average.
    #[inline(always)]
    #[allow(clippy::cast_precision_loss, reason = "a mean of small numbers")]
    pub(super) fn mean_length(&self) -> f64 {
        (self.steps as f64 / self.ended.max(1) as f64).max(1.0)
    }
}

/// Playouts have fewer steps than this can count.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the lower half")]
fn lower_half(step: u64) -> u32 {
    step as u32
}
