//! ε-greedy moves by a ranking, without looking at single lanes.
//!
//! # How
//! Moves are gone through from the best to the worst: a lane that is still free takes the first that
//! is legal there, two operations a move. A coin for every step, which shows ε on average, says when uniformly
//! random moves are made instead, in all lanes: so each step needs only one of the two. Every choice of every playout is
//! random with probability ε, independently of the others of its playout; playouts beside it choose at random at
//! the same times, but not the same.
//!
//! What was made in a playout needs no history: a row for each move says in which lanes it was made, and is
//! counted against the rows of the goals when playouts are scored.

use ludex_game::{Ranking, Tally};

use super::super::choose::Scratch;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, count_ones, is_zero, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::rows::Rows;
use super::super::vector::Vector;
use super::made::Made;
use super::{Chooser, Ended};

/// With more moves than this a branch for each costs less than writing two rows: 342 moves (checkers) were slower with it, 3,586
/// (skirmish) and 6,082 (amazons) faster.
const MANY: usize = 1024;

/// Bits of the probability of a random move.
const COIN_BITS: u32 = 16;

/// Takes the best of a ranking, or chance.
pub(super) struct Ranked<'a, const W: usize> {
    machine: &'a Machine,
    ranking: &'a mut Ranking,
    /// By role: slots of legal moves and of moves made, the best first; only moves that can be legal.
    order: Vec<Vec<(u32, u32)>>,
    /// Facts that are the slot of a legal move themselves.
    legal_facts: Vec<u32>,
    /// By slot of a move made, from the first on: the lanes in which it was made in this playout.
    used: Rows<W>,
    first_move: u32,
    /// Which rows of `used` may have lanes: all, or those that are listed.
    touched: Touched,
    /// What was made in the last step.
    made: Made,
    scratch: Scratch<W>,
    /// ε in parts of 2¹⁶.
    coin: u32,
}

impl<'a, const W: usize> Ranked<'a, W> {
    pub(super) fn new(machine: &'a Machine, ranking: &'a mut Ranking) -> Self {
        let program = &machine.program;
        let mut order = Vec::new();
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
        let first_move = program.moves.first().map_or(0, |&(first, _)| first);
        let moves: u32 = program.moves.iter().map(|&(_, count)| count).sum();
        let coin = (ranking.epsilon.clamp(0.0, 1.0) * f64::from(1u32 << COIN_BITS)).round();
        Self {
            machine,
            ranking,
            order,
            legal_facts,
            used: Rows::new(moves as usize),
            first_move,
            touched: Touched::new(moves as usize),
            made: Made::default(),
            scratch: Scratch::default(),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^16")]
            coin: coin as u32,
        }
    }
}

impl<const W: usize> Ranked<'_, W> {
    /// Every lane takes its best move. Gives the lanes in which a role has none.
    #[inline(always)]
    fn take_best<V: Vector<W>>(&mut self, lanes: &mut Lanes<W>, active: Row<W>) -> Row<W> {
        if self.used.len() > MANY {
            return self.take_best_of_many::<V>(lanes, active);
        }
        let active = V::load(&active);
        let mut none = V::zero();
        for order in &self.order {
            let mut free = active;
            for &(legal, does) in order {
                let legal = V::load(&lanes.rows[legal as usize]);
                let made = free.and(legal);
                free = free.and_not(legal);
                lanes.rows[does as usize] = made.store();
                let used = &mut self.used[(does - self.first_move) as usize];
                *used = V::load(used).or(made).store();
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
        for order in &self.order {
            let mut free = V::load(&active);
            for &(legal, does) in order {
                let legal = V::load(&lanes.rows[legal as usize]);
                let row = free.and(legal);
                if row.is_zero() {
                    continue;
                }
                lanes.rows[does as usize] = row.store();
                self.made.add(does);
                let used = &mut self.used[(does - self.first_move) as usize];
                *used = V::load(used).or(row).store();
                self.touched.add(does - self.first_move);
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
        let many = self.used.len() > MANY;
        let active = V::load(&active);
        for &(_, does) in self.order.iter().flatten() {
            let row = V::load(&lanes.rows[does as usize]).and(active);
            if many && row.is_zero() {
                continue;
            }
            let used = &mut self.used[(does - self.first_move) as usize];
            *used = V::load(used).or(row).store();
            if many {
                self.touched.add(does - self.first_move);
            }
        }
    }
}

/// The rows of moves that were made in some playout, where there are so many moves that looking at all of them takes long.
struct Touched {
    rows: Vec<u32>,
    is_listed: Vec<bool>,
}

impl Touched {
    /// For so many moves.
    fn new(moves: usize) -> Self {
        match moves > MANY {
            true => Self { rows: Vec::new(), is_listed: vec![false; moves] },
            // All of them, always.
            false => Self { rows: (0..).take(moves).collect(), is_listed: Vec::new() },
        }
    }

    #[inline(always)]
    fn add(&mut self, row: u32) {
        let listed = &mut self.is_listed[row as usize];
        if !*listed {
            *listed = true;
            self.rows.push(row);
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

    fn begin(&mut self, lanes: Row<W>) {
        let Self { used, touched: Touched { rows, is_listed }, .. } = self;
        rows.retain(|&row| {
            let used = &mut used[row as usize];
            *used = and_not(*used, lanes);
            let stays = is_listed.is_empty() || !is_zero(*used);
            if !stays {
                is_listed[row as usize] = false;
            }
            stays
        });
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
        lanes.bring_to_front(&self.legal_facts);
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

    fn scored(&mut self, over: Row<W>, outputs: &[Row<W>]) {
        let values = self.machine.goal_values().iter().zip(outputs);
        let goals_of = |role: usize| {
            let own = values.clone().filter_map(move |(&(of, value), &row)| {
                let value = value.filter(|&value| value > 0 && of == role && !is_zero(row))?;
                Some((u64::from(value), row))
            });
            own.collect::<Vec<(u64, Row<W>)>>()
        };
        let goals: Vec<_> = (0..self.order.len()).map(goals_of).collect();
        let moves = &self.machine.program.moves;
        for &row in &self.touched.rows {
            let used = and(self.used[row as usize], over);
            if is_zero(used) {
                continue;
            }
            let does = self.first_move + row;
            let of = |&(first, count): &(u32, u32)| (first..first + count).contains(&does);
            let Some(role) = moves.iter().position(of) else { continue };
            let points = |(value, row): &(u64, Row<W>)| value * u64::from(count_ones(and(used, *row)));
            let sum = goals[role].iter().map(points).sum();
            let id = self.machine.id_of(role, does - moves[role].0);
            add(self.ranking.tally(role, id), u64::from(count_ones(used)), sum);
        }
    }

    fn lost(&mut self, _: Row<W>) {}
}

fn add(tally: &mut Tally, count: u64, sum: u64) {
    tally.count += count;
    tally.sum += sum;
}

#[cfg(test)]
mod tests {
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
