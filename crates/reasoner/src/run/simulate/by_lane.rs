//! A policy that sees every choice in every lane.

use ludex_game::{FactId, LanePolicy, MoveId, RoleId};

use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::transpose::lanes_from_rows;
use super::super::vector::Vector;
use super::run::for_each_lane;
use super::{Chooser, Ended, Play, goals_of, set_bits};

/// Chance, lane by lane: for roles with more moves than can be counted in lanes.
pub(super) struct Chance;

impl LanePolicy for Chance {
    fn begin(&mut self, _: usize, _: usize) {}

    fn choose(&mut self, _: usize, _: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize {
        random.usize(..legal.len())
    }

    fn moved(&mut self, _: usize, _: &[MoveId]) {}

    fn ended(&mut self, _: usize, _: Option<&[f64]>) {}
}

/// Asks a policy.
pub(super) struct ByLane<'a, const W: usize> {
    machine: &'a Machine,
    policy: &'a mut dyn LanePolicy,
    random: fastrand::Rng,
    /// By role: legal moves of each lane, a bit for each in the order of ids.
    legal: Vec<Vec<u64>>,
    /// By role, in the order of ids: the move, and the slot that says whether it is made.
    in_order: Vec<Vec<(MoveId, u32)>>,
    /// The state of each lane, a bit for each fact: if the policy looks at facts.
    states: Option<Vec<u64>>,
    ranks: Vec<usize>,
    moves: Vec<MoveId>,
    facts: Vec<FactId>,
    goals: Vec<f64>,
}

impl<'a, const W: usize> ByLane<'a, W> {
    pub(super) fn new(machine: &'a Machine, policy: &'a mut dyn LanePolicy, seed: u64) -> Self {
        let legal = vec![Vec::new(); machine.roles.len()];
        let random = fastrand::Rng::with_seed(seed);
        let in_order = |(role, &(first, _)): (usize, &(u32, u32))| {
            let ranks = 0..machine.ranks(role).len();
            ranks.map(|rank| (machine.move_at(role, rank), first + machine.index_at(role, rank))).collect()
        };
        let in_order = machine.program.moves.iter().enumerate().map(in_order).collect();
        let states = policy.looks_at_facts().then(Vec::new);
        let (ranks, moves, facts, goals) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { machine, policy, random, legal, in_order, states, ranks, moves, facts, goals }
    }

    /// Tells the policy what holds in a lane.
    fn tell_facts(&mut self, lane: usize) {
        let Some(states) = &self.states else { return };
        let words = self.machine.fact_count().div_ceil(64);
        self.facts.clear();
        self.facts.extend(set_bits(&states[lane * words..(lane + 1) * words]).map(FactId::new));
        self.policy.sees(lane, &self.facts);
    }
}

impl<const W: usize> Chooser<W> for ByLane<'_, W> {
    const WAITS: bool = true;

    fn begin(&mut self, lanes: Row<W>, plays: &[Play]) {
        for_each_lane(lanes, |lane| self.policy.begin(lane, plays[lane].leaf as usize));
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
        for (role, words) in self.legal.iter_mut().enumerate() {
            let mut any = [0; W];
            let rows = self.machine.legal_in_order(role).map(|output| {
                let row = lanes.get(output);
                any = or(any, row);
                row
            });
            lanes_from_rows::<W, V>(rows, 0..Lanes::<W>::COUNT, words);
            stuck = or(stuck, and_not(running, any));
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
        for &(first, count) in &self.machine.program.moves {
            lanes.rows[first as usize..(first + count) as usize].fill([0; W]);
        }
        let mut joint = vec![MoveId(0); self.machine.roles.len()];
        for_each_lane(moving, |lane| {
            self.tell_facts(lane);
            for (role, legal) in self.legal.iter().enumerate() {
                let in_order = &self.in_order[role];
                let words = in_order.len().div_ceil(64);
                let of_lane = &legal[lane * words..(lane + 1) * words];
                // Who has one move only is not asked: in games with turns that is every second choice.
                if let Some(rank) = only(of_lane) {
                    let (id, slot) = in_order[rank];
                    joint[role] = id;
                    lanes.rows[slot as usize][lane / 64] |= 1 << (lane % 64);
                    continue;
                }
                self.ranks.clear();
                self.moves.clear();
                for (at, &word) in of_lane.iter().enumerate() {
                    let mut bits = word;
                    while bits != 0 {
                        let rank = 64 * at + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        self.ranks.push(rank);
                        self.moves.push(in_order[rank].0);
                    }
                }
                if self.moves.is_empty() {
                    continue;
                }
                let chosen = self.policy.choose(lane, RoleId::new(role), &self.moves, &mut self.random);
                let chosen = chosen.min(self.moves.len() - 1);
                joint[role] = self.moves[chosen];
                let slot = in_order[self.ranks[chosen]].1;
                lanes.rows[slot as usize][lane / 64] |= 1 << (lane % 64);
            }
            self.policy.moved(lane, &joint);
        });
        evaluator.next(lanes);
    }

    fn scored<V: Vector<W>>(&mut self, over: Row<W>, outputs: &[Row<W>]) {
        for_each_lane(over, |lane| {
            goals_of(self.machine, outputs, lane, &mut self.goals);
            self.policy.ended(lane, Some(&self.goals));
        });
    }

    fn lost(&mut self, lanes: Row<W>) {
        for_each_lane(lanes, |lane| self.policy.ended(lane, None));
    }
}

/// The place of the bit, if there is exactly one.
#[inline(always)]
fn only(words: &[u64]) -> Option<usize> {
    let count: u32 = words.iter().map(|word| word.count_ones()).sum();
    if count != 1 {
        return None;
    }
    words.iter().position(|&word| word != 0).map(|at| 64 * at + words[at].trailing_zeros() as usize)
}
