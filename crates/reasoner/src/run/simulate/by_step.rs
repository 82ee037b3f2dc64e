//! Playouts by a policy that sees every choice, one step of all lanes at a time. Legal moves are a
//! table of bits without the moves that are legal in no lane.

use std::num::NonZeroU32;

use ludex_game::{Choices, FactId, MoveId, RoleId, StepPolicy};

use super::super::code::Output;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, is_zero, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::transpose::{lanes_from_rows, transpose};
use super::super::vector::Vector;
use super::made::Made;
use super::run::for_each_lane;
use super::{Chooser, Ended, Play, goals_of, set_bits};

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
    /// Those that are legal in some lane.
    somewhere: Vec<u32>,
}

/// Asks a policy.
pub(super) struct ByStep<'a, const W: usize> {
    machine: &'a Machine,
    policy: &'a mut dyn StepPolicy,
    random: fastrand::Rng,
    roles: Vec<Moves>,
    /// By role: lanes in which it has a choice.
    several: Vec<Row<W>>,
    /// What was made in the last step.
    made: Made,
    /// By role and lane: what is made.
    joint: Vec<MoveId>,
    /// What a role may do; by place: where that is made; and what the policy has chosen.
    choices: Choices,
    does: Vec<u32>,
    chosen: Vec<u32>,
    /// Moves that are the only ones somewhere.
    forced: Vec<u32>,
    /// Steps so far, lanes that moved in the last one, and by lane: the first step of its playout, then how many it had.
    step: usize,
    moving: Row<W>,
    steps: Vec<usize>,
    goals: Vec<f64>,
    /// The state of each lane, a bit for each fact, if the policy needs facts; and those of a lane.
    states: Option<Vec<u64>>,
    facts: Vec<FactId>,
}

/// Uniformly random moves, for games in which a role has more moves than can be counted in lanes.
pub(super) struct UniformSteps;

impl StepPolicy for UniformSteps {
    fn begin(&mut self, _: usize, _: usize) {}

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        let mut random = fastrand::Rng::with_seed(seed);
        chosen.extend(choices.lanes().iter().map(|&lane| choices.uniform(lane, random.u64(..))));
    }

    fn moved(&mut self, _: &[MoveId]) {}

    fn ended(&mut self, _: usize, _: usize, _: Option<&[f64]>) {}
}

impl<'a, const W: usize> ByStep<'a, W> {
    pub(super) fn new(machine: &'a Machine, policy: &'a mut dyn StepPolicy, seed: u64) -> Self {
        let moves = |(role, &(slot, _)): (usize, &(u32, u32))| {
            let moves = machine.legal_in_order(role).enumerate().map(|(rank, legal)| {
                let does = slot + machine.index_at(role, rank);
                Move::new(machine.move_at(role, rank), legal, does, machine.fact_count())
            });
            Moves { all: moves.collect(), somewhere: Vec::new() }
        };
        let roles: Vec<Moves> = machine.program.moves.iter().enumerate().map(moves).collect();
        Self {
            machine,
            states: policy.needs_facts().then(Vec::new),
            facts: Vec::new(),
            policy,
            random: fastrand::Rng::with_seed(seed),
            several: vec![[0; W]; roles.len()],
            joint: vec![MoveId(0); Lanes::<W>::COUNT * roles.len()],
            roles,
            made: Made::default(),
            choices: Choices::none(RoleId::new(0), W),
            does: Vec::new(),
            chosen: Vec::new(),
            forced: Vec::new(),
            step: 0,
            moving: [0; W],
            steps: vec![0; Lanes::<W>::COUNT],
            goals: Vec::new(),
        }
    }

    /// Makes moves in some lanes.
    #[inline(always)]
    fn make<V: Vector<W>>(&mut self, lanes: &mut Lanes<W>, moving: Row<W>) {
        self.made.clear(self.machine, lanes);
        self.pass_facts(moving);
        for role in 0..self.roles.len() {
            let choosing = and(self.several[role], moving);
            self.make_forced_and_offer::<V>(lanes, role, moving);
            if is_zero(choosing) {
                continue;
            }
            let choices = &mut self.choices;
            let table = choices.table_mut();
            match table.moves.len().div_ceil(64) > MANY_WORDS {
                true => list_across(choosing, table.lanes),
                false => list_in_order(choosing, table.lanes),
            }
            for block in table.bits.as_chunks_mut().0.as_chunks_mut().0 {
                transpose::<W, V>(block);
            }
            choices.finish(RoleId::new(role));
            self.chosen.clear();
            self.policy.choose(choices, self.random.u64(..), &mut self.chosen);
            let (joint, moves) = (&mut self.joint[role * Lanes::<W>::COUNT..], choices.moves());
            for (&lane, &place) in choices.lanes().iter().zip(&self.chosen) {
                let lane = usize::from(lane);
                let place = (place as usize).min(self.does.len() - 1);
                lanes.rows[self.does[place] as usize][lane / 64] |= 1 << (lane % 64);
                joint[lane] = moves[place];
            }
        }
        self.policy.moved(&self.joint);
    }

    /// Gives the policy the facts of lanes, if it needs them.
    #[inline(always)]
    fn pass_facts(&mut self, moving: Row<W>) {
        let Some(states) = &self.states else { return };
        let words = self.machine.fact_count().div_ceil(64);
        for_each_lane(moving, |lane| {
            self.facts.clear();
            self.facts.extend(set_bits(&states[lane * words..(lane + 1) * words]).map(FactId::new));
            self.policy.set_facts(lane, &self.facts);
        });
    }

    /// Makes the forced moves of a role, and enters the moves of lanes with a choice, with a row of
    /// lanes for each.
    #[inline(always)]
    fn make_forced_and_offer<V: Vector<W>>(&mut self, lanes: &mut Lanes<W>, role: usize, moving: Row<W>) {
        let several = V::load(&self.several[role]);
        let moving = V::load(&moving);
        let (choosing, forced) = (moving.and(several), moving.and_not(several));
        let Moves { all, somewhere } = &self.roles[role];
        let (choices, most) = (self.choices.table_mut(), somewhere.len().next_multiple_of(64));
        choices.moves.resize(most, MoveId(0));
        choices.bits.resize(most * W, 0);
        self.does.resize(most, 0);
        self.forced.resize(most, 0);
        let rows: &mut [Row<W>] = choices.bits.as_chunks_mut().0;
        let (mut offers, mut forces) = (0, 0);
        // Without branches, which would be mispredicted.
        for &at in somewhere {
            let known = &all[at as usize];
            let row: V = known.lanes(lanes);
            let (only, offered) = (row.and(forced), row.and(choosing));
            choices.moves[offers] = known.id;
            self.does[offers] = known.does;
            rows[offers] = offered.store();
            offers += usize::from(!offered.is_zero());
            self.forced[forces] = at;
            forces += usize::from(!only.is_zero());
        }
        rows[offers..].fill([0; W]);
        choices.moves.truncate(offers);
        choices.bits.truncate(offers.next_multiple_of(64) * W);
        self.does.truncate(offers);
        self.made.add_all(&self.does);
        let joint = &mut self.joint[role * Lanes::<W>::COUNT..][..Lanes::<W>::COUNT];
        for &at in &self.forced[..forces] {
            let known = &all[at as usize];
            let row: V = known.lanes(lanes);
            let only = row.and(forced).store();
            lanes.rows[known.does as usize] = only;
            self.made.add(known.does);
            // No-ops are forced in most lanes.
            match only == moving.store() {
                true => joint.fill(known.id),
                false => for_each_lane(only, |lane| joint[lane] = known.id),
            }
        }
    }
}

/// A table with more words a lane than this does not fit into the nearest cache.
const MANY_WORDS: usize = 6;

/// Lists lanes in order.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "there are at most 512 lanes")]
fn list_in_order<const W: usize>(lanes: Row<W>, list: &mut Vec<u16>) {
    list.clear();
    for_each_lane(lanes, |lane| list.push(lane as u16));
}

/// Lists lanes as the words of a table lie: first all that are the first of 64, and so on.
#[inline(always)]
fn list_across<const W: usize>(lanes: Row<W>, list: &mut Vec<u16>) {
    list.resize(Lanes::<W>::COUNT, 0);
    let mut count = 0;
    for bit in 0..64u16 {
        for (word, first) in lanes.iter().zip((0..).step_by(64)) {
            list[count] = first + bit;
            count += usize::from(word >> bit & 1 == 1);
        }
    }
    list.truncate(count);
}

impl<const W: usize> Chooser<W> for ByStep<'_, W> {
    const WAITS: bool = true;

    #[inline(always)]
    fn takes_turns(&self) -> bool {
        true
    }

    fn begin(&mut self, lanes: Row<W>, plays: &[Play]) {
        for_each_lane(lanes, |lane| {
            self.steps[lane] = self.step;
            self.policy.begin(lane, plays[lane].leaf as usize);
        });
        self.moving = or(self.moving, lanes);
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
                // Without a branch, which would be mispredicted.
                moves.somewhere[count] = place;
                count += usize::from(!row.is_zero());
            }
            moves.somewhere.truncate(count);
            *several = two.store();
            stuck = or(stuck, and_not(running, one.store()));
        }
        if let Some(states) = &mut self.states {
            let facts = &lanes.rows[lanes.state..lanes.state + self.machine.fact_count()];
            lanes_from_rows::<W, V>(facts.iter().copied(), 0..Lanes::<W>::COUNT, states);
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
        for_each_lane(and_not(self.moving, moving), |lane| self.steps[lane] = self.step - self.steps[lane]);
        self.moving = moving;
        if !is_zero(moving) {
            self.make::<V>(lanes, moving);
            self.step += 1;
        }
        evaluator.next(lanes);
    }

    fn scored<V: Vector<W>>(&mut self, over: Row<W>, outputs: &[Row<W>]) {
        for_each_lane(over, |lane| {
            goals_of(self.machine, outputs, lane, &mut self.goals);
            self.policy.ended(lane, self.steps[lane], Some(&self.goals));
        });
    }

    fn lost(&mut self, lanes: Row<W>) {
        for_each_lane(lanes, |lane| self.policy.ended(lane, self.steps[lane], None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lanes_are_listed() {
        let row: Row<4> = [0x8000_0000_0000_0005, 0, 1, u64::MAX];
        let mut list = Vec::new();
        list_across(row, &mut list);
        assert_eq!(list[..5], [0, 128, 192, 193, 2]);
        list.sort_unstable();
        let mut expected = Vec::new();
        list_in_order(row, &mut expected);
        assert_eq!(list, expected);
    }
}
