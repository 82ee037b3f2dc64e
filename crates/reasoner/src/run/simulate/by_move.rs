//! A policy that sees every choice, move by move: the lanes of each move are listed, and no list of moves is made for any lane.
//!
//! What that takes grows with the number of legal moves of all lanes, not with the number of moves that there are in the game:
//! rows without a lane are passed over once a step.

use std::num::NonZeroU32;

use ludex_game::{MoveId, MovePolicy, RoleId};

use super::super::code::Output;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, is_zero, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;
use super::made::Made;
use super::run::for_each_lane;
use super::{Chooser, Ended, Places, goals_of};

/// A move of a role.
struct Move {
    id: MoveId,
    /// Says where it is legal: the slot if it can be read as it is, and the output in any case.
    slot: Option<NonZeroU32>,
    legal: Output,
    /// Says where it is made.
    does: u32,
}

impl Move {
    fn new(id: MoveId, legal: Output, does: u32, facts: usize) -> Self {
        let slot = match legal {
            // Facts are elsewhere in every second step.
            Output::Slot { slot, inverted: false } if slot as usize >= facts => NonZeroU32::new(slot),
            _ => None,
        };
        Self { id, slot, legal, does }
    }

    /// The lanes in which it is legal.
    #[inline(always)]
    fn lanes<const W: usize, V: Vector<W>>(&self, lanes: &Lanes<W>) -> V {
        match self.slot {
            Some(slot) => V::load(&lanes.rows[slot.get() as usize]),
            None => V::load(&lanes.get(self.legal)),
        }
    }
}

/// The moves of a role in the order of ids, and what is known of them in a step.
struct Moves {
    all: Vec<Move>,
    /// By index of a move, counted from the lowest of the role: its place in the list.
    places: Vec<u32>,
    lowest: usize,
    /// Places of moves that are legal in some lane.
    somewhere: Vec<u32>,
}

/// Asks a policy.
pub(super) struct ByMove<'a, const W: usize> {
    machine: &'a Machine,
    policy: &'a mut dyn MovePolicy,
    places: Places,
    random: fastrand::Rng,
    roles: Vec<Moves>,
    /// By role: lanes in which it has a choice.
    several: Vec<Row<W>>,
    /// What was made in the last step.
    made: Made,
    /// By lane and role: what is made.
    joint: Vec<MoveId>,
    asked: List,
    list: List,
    chosen: Vec<MoveId>,
    goals: Vec<f64>,
}

impl<'a, const W: usize> ByMove<'a, W> {
    pub(super) fn new(
        machine: &'a Machine,
        policy: &'a mut dyn MovePolicy,
        places: Places,
        seed: u64,
    ) -> Self {
        let moves = |(role, &(slot, _)): (usize, &(u32, u32))| {
            let all: Vec<Move> = (machine.legal_in_order(role).enumerate())
                .map(|(rank, legal)| {
                    let does = slot + machine.index_at(role, rank);
                    Move::new(machine.move_at(role, rank), legal, does, machine.fact_count())
                })
                .collect();
            let lowest = all.first().map_or(0, |known| known.id.index());
            let highest = all.last().map_or(0, |known| known.id.index());
            let mut places = vec![0; highest - lowest + 1];
            for (place, known) in (0..).zip(&all) {
                places[known.id.index() - lowest] = place;
            }
            Moves { all, places, lowest, somewhere: Vec::new() }
        };
        let roles: Vec<Moves> = machine.program.moves.iter().enumerate().map(moves).collect();
        Self {
            machine,
            policy,
            places,
            random: fastrand::Rng::with_seed(seed),
            several: vec![[0; W]; roles.len()],
            joint: vec![MoveId(0); Lanes::<W>::COUNT * roles.len()],
            roles,
            made: Made::default(),
            asked: List::new(W),
            list: List::new(W),
            chosen: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// Makes moves in some lanes.
    #[inline(always)]
    fn make<V: Vector<W>>(&mut self, lanes: &mut Lanes<W>, moving: Row<W>) {
        self.made.clear(self.machine, lanes);
        let count = self.roles.len();
        for (role, moves) in self.roles.iter().enumerate() {
            let choosing = V::load(&self.several[role]).and(V::load(&moving));
            let forced = V::load(&moving).and_not(choosing);
            let asked = self.asked.fill(choosing);
            if !asked.is_empty() {
                self.policy.ask(RoleId::new(role), asked, &mut self.random);
            }
            for &place in &moves.somewhere {
                let known = &moves.all[place as usize];
                let &Move { id, does, .. } = known;
                let row: V = known.lanes(lanes);
                let only = row.and(forced);
                if !only.is_zero() {
                    lanes.rows[does as usize] = only.store();
                    self.made.add(does);
                    for &lane in self.list.fill(only) {
                        self.joint[usize::from(lane) * count + role] = id;
                    }
                }
                let offered = row.and(choosing);
                if !offered.is_zero() {
                    self.policy.offer(id, self.list.fill(offered));
                }
            }
            if asked.is_empty() {
                continue;
            }
            self.chosen.clear();
            self.policy.choices(asked, &mut self.chosen);
            for (&lane, &id) in asked.iter().zip(&self.chosen) {
                let lane = usize::from(lane);
                let place = moves.places.get(id.index().wrapping_sub(moves.lowest)).copied().unwrap_or(0);
                let does = moves.all[place as usize].does;
                lanes.rows[does as usize][lane / 64] |= 1 << (lane % 64);
                self.made.add(does);
                self.joint[lane * count + role] = id;
            }
        }
        self.tell::<V>(moving);
    }

    /// Tells the policy what was made in some lanes.
    #[inline(always)]
    fn tell<V: Vector<W>>(&mut self, moving: Row<W>) {
        let count = self.roles.len();
        let moved = self.list.fill(V::load(&moving));
        if moved.len() < Lanes::<W>::COUNT {
            // Only what moved, without a gap. Lanes are in order, so nothing is overwritten before it has been copied.
            for (at, &lane) in moved.iter().enumerate() {
                let from = usize::from(lane) * count;
                for role in 0..count {
                    self.joint[at * count + role] = self.joint[from + role];
                }
            }
        }
        self.policy.moved(moved, &self.joint[..moved.len() * count]);
    }
}

impl<const W: usize> Chooser<W> for ByMove<'_, W> {
    const WAITS: bool = true;

    fn begin(&mut self, lanes: Row<W>) {
        for_each_lane(lanes, |lane| self.policy.begin(lane, self.places.leaf(lane)));
    }

    #[inline(always)]
    fn view<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        running: Row<W>,
        _: &mut Random<W>,
    ) -> Ended<W> {
        evaluator.view(lanes);
        let terminal = and(lanes.get(self.machine.program.terminal), running);
        let mut stuck = [0; W];
        for (moves, several) in self.roles.iter_mut().zip(&mut self.several) {
            let (mut one, mut two) = (V::zero(), V::zero());
            moves.somewhere.resize(moves.all.len(), 0);
            let mut count = 0;
            for (place, known) in (0..).zip(&moves.all) {
                let row: V = known.lanes(lanes);
                two = two.or(one.and(row));
                one = one.or(row);
                // Without a branch: whether a move is legal somewhere is hard to guess.
                moves.somewhere[count] = place;
                count += usize::from(!row.is_zero());
            }
            moves.somewhere.truncate(count);
            *several = two.store();
            stuck = or(stuck, and_not(running, one.store()));
        }
        Ended { terminal, stuck: and_not(stuck, terminal) }
    }

    #[inline(always)]
    fn advance<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        moving: Row<W>,
        _: &mut Random<W>,
    ) {
        if !is_zero(moving) {
            self.make::<V>(lanes, moving);
        }
        evaluator.next(lanes);
    }

    fn scored(&mut self, over: Row<W>, outputs: &[Row<W>]) {
        for_each_lane(over, |lane| {
            goals_of(self.machine, outputs, lane, &mut self.goals);
            self.policy.ended(lane, Some(&self.goals));
        });
    }

    fn lost(&mut self, lanes: Row<W>) {
        for_each_lane(lanes, |lane| self.policy.ended(lane, None));
    }
}

/// How many lanes are written at a time; a processor guesses wrong once for as many, and not once for each word.
const AT_ONCE: usize = 4;

/// Room for a list of lanes.
struct List(Vec<u16>);

impl List {
    /// For rows of so many words.
    fn new(words: usize) -> Self {
        Self(vec![0; 64 * words + AT_ONCE])
    }

    /// The lanes whose bits are set, in order.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "there are at most 512 lanes")]
    fn fill<const W: usize, V: Vector<W>>(&mut self, row: V) -> &[u16] {
        let (mut words, row) = (row.words(), row.store());
        let mut length = 0;
        while words != 0 {
            let word = words.trailing_zeros() as usize;
            words &= words - 1;
            let mut bits = row[word % W];
            let count = bits.count_ones() as usize;
            for start in (0..count).step_by(AT_ONCE) {
                for lane in &mut self.0[length + start..length + start + AT_ONCE] {
                    // Behind the last one this writes what is overwritten next.
                    *lane = (64 * word) as u16 + bits.trailing_zeros() as u16;
                    bits &= bits.wrapping_sub(1);
                }
            }
            length += count;
        }
        &self.0[..length]
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::vector::Plain;
    use super::*;

    #[test]
    fn lanes_are_listed_in_order() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut list = List::new(8);
        for kind in 0..300u32 {
            let row: Row<8> = std::array::from_fn(|_| match kind % 5 {
                0 => random.u64(..) & random.u64(..) & random.u64(..) & random.u64(..),
                1 => random.u64(..),
                2 => u64::MAX,
                3 => 0,
                _ => 1 << random.u32(..64),
            });
            let mut expected = Vec::new();
            for_each_lane(row, |lane| expected.push(u16::try_from(lane).unwrap()));
            assert_eq!(list.fill(Plain::load(&row)), expected);
        }
    }
}
