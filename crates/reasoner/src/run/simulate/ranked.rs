//! ε-greedy moves by a ranking, without looking at single lanes.
//!
//! # How
//! Moves are gone through from the best to the worst: a lane that is still free takes the first that
//! is legal there, two operations a move. A coin for every step, which shows ε on average, says when uniformly
//! random moves are made instead, in all lanes: so each step needs only one of the two. Every choice of every playout is
//! random with probability ε, independently of the others of its playout; playouts beside it choose at random at
//! the same times, but not the same.
//!
//! What was made is kept by move, not by playout: see [`Used`].

use ludex_game::Ranking;

use super::super::choose::Scratch;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, is_zero, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;
use super::made::Made;
use super::used::Used;
use super::{Chooser, Ended};

/// Bits of the probability of a random move.
const COIN_BITS: u32 = 16;

/// Takes the best of a ranking, or chance.
pub(super) struct Ranked<'a, const W: usize> {
    machine: &'a Machine,
    ranking: &'a mut Ranking,
    learned: Learned<W>,
    first_move: u32,
    /// What was made in the last step.
    made: Made,
    scratch: Scratch<W>,
    /// ε in parts of 2¹⁶.
    coin: u32,
}

/// What goes on from call to call, as long as playouts are under way.
pub(super) struct Learned<const W: usize> {
    order: Order,
    /// The moves of playouts, by slot of a move made from the first on.
    used: Used<W>,
}

impl<const W: usize> Learned<W> {
    pub(super) fn new<V: Vector<W>>(machine: &Machine, ranking: &Ranking) -> Self {
        Self { order: Order::new(machine, ranking), used: Used::new(machine, V::IS_AVX512) }
    }

    /// What comes next may be another ranking.
    pub(super) fn forget_order(&mut self) {
        self.order.version = None;
    }
}

/// The order of a ranking, in slots.
struct Order {
    /// Of the ranking; none if it is not known any more.
    version: Option<u64>,
    /// By role: slots of legal moves and of moves made, the best first; only moves that can be legal.
    slots: Vec<Vec<(u32, u32)>>,
    /// Facts that are the slot of a legal move themselves.
    legal_facts: Vec<u32>,
}

impl Order {
    fn new(machine: &Machine, ranking: &Ranking) -> Self {
        let program = &machine.program;
        let mut order: Vec<Vec<(u32, u32)>> = Vec::new();
        for (role, choice) in program.choice.iter().flat_map(|choice| &choice.roles).enumerate() {
            let (first, count) = program.moves[role];
            // By index of a move: its legal slot.
            let mut legal: Vec<Option<u32>> = vec![None; count as usize];
            for (&slot, &does) in choice.legal.iter().zip(&choice.does) {
                legal[(does - first) as usize] = Some(slot);
            }
            let ranked = ranking.order.get(role).map_or(&[][..], Vec::as_slice).iter();
            let ranked = ranked.filter_map(|&id| machine.index_of(role, id));
            let mut slots = Vec::with_capacity(choice.legal.len());
            for index in ranked.chain(0..count) {
                if let Some(slot) = legal[index as usize].take() {
                    slots.push((slot, first + index));
                }
            }
            order.push(slots);
        }
        let legal = order.iter().flatten().map(|&(legal, _)| legal);
        let legal_facts = legal.filter(|&slot| (slot as usize) < program.facts).collect();
        Self { version: Some(ranking.version), slots: order, legal_facts }
    }
}

impl<'a, const W: usize> Ranked<'a, W> {
    /// Goes on with what was learned, if the ranking is of the same version.
    pub(super) fn new(machine: &'a Machine, ranking: &'a mut Ranking, mut learned: Learned<W>) -> Self {
        if learned.order.version != Some(ranking.version) {
            learned.order = Order::new(machine, ranking);
        }
        let first_move = machine.program.moves.first().map_or(0, |&(first, _)| first);
        let coin = (ranking.epsilon.clamp(0.0, 1.0) * f64::from(1u32 << COIN_BITS)).round();
        Self {
            machine,
            ranking,
            learned,
            first_move,
            made: Made::default(),
            scratch: Scratch::default(),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^16")]
            coin: coin as u32,
        }
    }
}

impl<const W: usize> Ranked<'_, W> {
    /// For playouts that are not over.
    pub(super) fn into_learned(self) -> Learned<W> {
        self.learned
    }

    /// Every lane takes its best move. Gives the lanes in which a role has none.
    #[inline(always)]
    fn take_best<V: Vector<W>>(&mut self, lanes: &mut Lanes<W>, active: Row<W>) -> Row<W> {
        if self.learned.used.are_many() {
            return self.take_best_of_many::<V>(lanes, active);
        }
        let (active, fresh) = (V::load(&active), V::load(&self.learned.used.take_fresh()));
        let mut none = V::zero();
        for order in &self.learned.order.slots {
            let mut free = active;
            for &(legal, does) in order {
                let legal = V::load(&lanes.rows[legal as usize]);
                let made = free.and(legal);
                free = free.and_not(legal);
                lanes.rows[does as usize] = made.store();
                self.learned.used.note(does - self.first_move, made, fresh);
            }
            none = none.or(free);
        }
        none.store()
    }

    /// The same where most moves are legal nowhere, or come after the best of every lane: their rows are only looked at, and not
    /// written.
    #[inline(always)]
    fn take_best_of_many<V: Vector<W>>(&mut self, lanes: &mut Lanes<W>, active: Row<W>) -> Row<W> {
        self.made.clear(self.machine, lanes);
        let mut none = [0; W];
        for order in &self.learned.order.slots {
            let mut free = V::load(&active);
            for &(legal, does) in order {
                let legal = V::load(&lanes.rows[legal as usize]);
                let row = free.and(legal);
                if row.is_zero() {
                    continue;
                }
                lanes.rows[does as usize] = row.store();
                self.made.add(does);
                self.learned.used.note_one_of_many(does - self.first_move, row);
                free = free.and_not(legal);
                if free.is_zero() {
                    break;
                }
            }
            none = or(none, free.store());
        }
        none
    }

    /// Notes the moves that were made by chance.
    #[inline(always)]
    fn remember<V: Vector<W>>(&mut self, lanes: &Lanes<W>, active: Row<W>) {
        self.made.by_others();
        let are_many = self.learned.used.are_many();
        let (active, fresh) = (V::load(&active), V::load(&self.learned.used.take_fresh()));
        for &(_, does) in self.learned.order.slots.iter().flatten() {
            let made = V::load(&lanes.rows[does as usize]).and(active);
            if !are_many {
                self.learned.used.note(does - self.first_move, made, fresh);
            } else if !made.is_zero() {
                self.learned.used.note_one_of_many(does - self.first_move, made);
            }
        }
    }
}

/// Lanes in which a coin shows: each with probability `parts` of 2¹⁶. The bits of the probability, the lowest
/// first, decide between "and" and "or" with a random bit.
#[inline(always)]
fn toss<const W: usize, V: Vector<W>>(parts: u32, random: &mut Random<W>) -> Row<W> {
    if parts >> COIN_BITS != 0 {
        return [u64::MAX; W];
    }
    let mut stream = random.stream::<V>();
    let mut shows = V::zero();
    for bit in parts.trailing_zeros().min(COIN_BITS)..COIN_BITS {
        let row = stream.row();
        shows = if parts >> bit & 1 == 1 { shows.or(row) } else { shows.and(row) };
    }
    random.take(&stream);
    shows.store()
}

impl<const W: usize> Chooser<W> for Ranked<'_, W> {
    const WAITS: bool = true;

    fn begin(&mut self, lanes: Row<W>, _: &[usize]) {
        self.learned.used.begin(lanes);
    }

    /// Makes the moves as well: which lanes have none is known when they have been looked for.
    #[inline(always)]
    fn view<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        running: Row<W>,
        random: &mut Random<W>,
    ) -> Ended<W> {
        evaluator.view(lanes);
        lanes.bring_to_front(&self.learned.order.legal_facts);
        let terminal = and(lanes.get(self.machine.program.terminal), running);
        let active = and_not(running, terminal);
        let by_chance = toss::<W, V>(self.coin, random)[0] & 1 == 1;
        let none = match &self.machine.program.choice {
            Some(choice) if by_chance => {
                V::count(&mut lanes.rows, choice, &mut self.scratch);
                let none = V::draw(&mut lanes.rows, choice, random);
                V::find(&mut lanes.rows, choice, &self.scratch);
                self.remember::<V>(lanes, active);
                none
            }
            _ => self.take_best::<V>(lanes, active),
        };
        Ended { terminal, stuck: and(none, active) }
    }

    #[inline(always)]
    fn advance<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        _: Row<W>,
        _: &mut Random<W>,
    ) {
        evaluator.next(lanes);
    }

    #[inline(always)]
    fn scored(&mut self, over: Row<W>, outputs: &[Row<W>]) {
        let values = self.machine.goal_values().iter().zip(outputs);
        let goals_of = |role: usize| {
            let own = values.clone().filter_map(move |(&(of, value), &row)| {
                let value = value.filter(|&value| value > 0 && of == role && !is_zero(row))?;
                Some((u64::from(value), row))
            });
            own.collect::<Vec<(u64, Row<W>)>>()
        };
        let goals: Vec<_> = (0..self.learned.order.slots.len()).map(goals_of).collect();
        self.learned.used.count(over, &goals);
    }

    fn lost(&mut self, _: Row<W>) {}

    fn done(&mut self) {
        self.learned.used.tell(self.machine, self.ranking);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lanes::count_ones;
    use super::super::super::vector::Plain;
    use super::*;

    #[test]
    fn a_coin_shows_as_often_as_it_should() {
        for parts in [0u32, 1 << 14, 6554, 1 << 15, 52429, 1 << 16] {
            let mut random: Random<8> = Random::new(3);
            let tosses = 2000;
            let shows: u32 = (0..tosses).map(|_| count_ones(toss::<8, Plain<8>>(parts, &mut random))).sum();
            let (n, p) = (f64::from(tosses * 512), f64::from(parts) / 65536.0);
            let deviation = (f64::from(shows) - n * p).abs();
            assert!(deviation <= 4.0 * (n * p * (1.0 - p)).sqrt(), "{shows} for {parts}");
        }
    }
}
