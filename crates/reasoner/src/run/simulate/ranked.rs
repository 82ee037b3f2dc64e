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

use super::super::choice::MoveRows;
use super::super::choose::Scratch;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, is_zero};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::rows::Rows;
use super::super::tally::Goals;
use super::super::vector::Vector;
use super::made::Made;
use super::order::Order;
use super::used::Used;
use super::{Chooser, Ended, Play};

/// Bits of the probability of a random move.
const COIN_BITS: u32 = 16;

/// Moves that are gone through before it is asked whether all lanes have theirs.
const PART: usize = 16;

/// Takes the best of a ranking, or chance.
pub(super) struct Ranked<'a, const W: usize> {
    machine: &'a Machine,
    ranking: &'a mut Ranking,
    learned: Learned<W>,
    first_move: u32,
    /// What was made in the last step.
    made: Made,
    /// ε in parts of 2¹⁶.
    coin: u32,
}

/// What goes on from call to call, as long as playouts are under way; and room that is used again.
pub(super) struct Learned<const W: usize> {
    order: Order,
    /// The moves of playouts, by slot of a move made from the first on.
    used: Used<W>,
    /// The best moves that are made in some lane: where, and their slots; with room for one more.
    best: Rows<W>,
    slots: Vec<u32>,
    /// For moves by chance; by role: its choice alone.
    scratch: Scratch<W>,
    choices: Vec<MoveRows>,
}

impl<const W: usize> Learned<W> {
    pub(super) fn new(machine: &Machine) -> Self {
        let moves = machine.program.moves.iter().map(|&(_, count)| count as usize).sum::<usize>();
        let choices = machine.program.choice.iter().flat_map(|choice| &choice.roles);
        Self {
            order: Order::new(machine),
            used: Used::new(machine),
            best: Rows::new(moves + 1),
            slots: vec![0; moves + 1],
            scratch: Scratch::default(),
            choices: choices.map(|role| MoveRows { roles: vec![role.clone()] }).collect(),
        }
    }

    /// What comes next may be another ranking.
    pub(super) fn forget_order(&mut self) {
        self.order.forget();
    }
}

impl<'a, const W: usize> Ranked<'a, W> {
    /// Goes on with what was learned.
    pub(super) fn new(machine: &'a Machine, ranking: &'a mut Ranking, mut learned: Learned<W>) -> Self {
        learned.order.follow(machine, ranking);
        let first_move = machine.program.moves.first().map_or(0, |&(first, _)| first);
        let coin = (ranking.epsilon.clamp(0.0, 1.0) * f64::from(1u32 << COIN_BITS)).round();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^16")]
        let coin = coin as u32;
        Self { machine, ranking, learned, first_move, made: Made::default(), coin }
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
        let active = V::load(&active);
        let mut none = V::zero();
        let mut count = 0;
        let Learned { order, used, best, slots, .. } = &mut self.learned;
        let are_many = used.are_many();
        let (all, rows) = (&lanes.rows[..], &mut best[..]);
        for (alone, order) in order.alone.iter().zip(&order.slots) {
            let mut free = active;
            if let &Some((legal, does)) = alone {
                let legal = V::load(&all[legal as usize]);
                let made = free.and(legal);
                free = free.and_not(legal);
                (rows[count], slots[count]) = (made.store(), does);
                count += usize::from(!made.is_zero());
            }
            for part in order.chunks(PART) {
                if free.is_zero() {
                    break;
                }
                for &(legal, does) in part {
                    let legal = V::load(&all[legal as usize]);
                    let made = free.and(legal);
                    // Of many moves few are made anywhere, and that is foreseen. Of fewer moves every fifth or so is, here and there:
                    // those that are not are written over by the next, without a branch.
                    if are_many && made.is_zero() {
                        continue;
                    }
                    free = free.and_not(legal);
                    (rows[count], slots[count]) = (made.store(), does);
                    count += usize::from(!made.is_zero());
                }
            }
            none = none.or(free);
        }
        self.made.clear(self.machine, lanes);
        let slots = &slots[..count];
        for (&does, row) in slots.iter().zip(&rows[..count]) {
            lanes.rows[does as usize] = *row;
            used.note(does - self.first_move, V::load(row));
        }
        self.made.add_all(slots);
        none.store()
    }

    /// The role that moves in all lanes, while the others can only wait.
    #[inline(always)]
    fn the_one_who_chooses<V: Vector<W>>(&self, lanes: &Lanes<W>, active: Row<W>) -> Option<usize> {
        let chooses = |alone: &Option<(u32, u32)>| match *alone {
            Some((legal, _)) => !V::load(&active).and_not(V::load(&lanes.rows[legal as usize])).is_zero(),
            None => true,
        };
        let order = &self.learned.order;
        let mut choosing = (0..).zip(&order.alone).filter(|(_, alone)| chooses(alone)).map(|(role, _)| role);
        let first = choosing.next()?;
        choosing.next().is_none().then_some(first)
    }

    /// Every lane takes a move by chance. Gives the lanes in which a role has none.
    #[inline(always)]
    fn take_any<V: Vector<W>>(
        &mut self,
        choice: &MoveRows,
        lanes: &mut Lanes<W>,
        active: Row<W>,
        random: &mut Random<W>,
    ) -> Row<W> {
        let role = self.the_one_who_chooses::<V>(lanes, active);
        let Learned { used, scratch, order, choices, .. } = &mut self.learned;
        let choice = match role {
            Some(role) => {
                self.made.clear_others(Some(role), self.machine, lanes);
                // What the others do is known.
                for &(legal, does) in (0..)
                    .zip(&order.alone)
                    .filter(|&(other, _)| other != role)
                    .filter_map(|(_, alone)| alone.as_ref())
                {
                    let made = V::load(&lanes.rows[legal as usize]).and(V::load(&active));
                    lanes.rows[does as usize] = made.store();
                    used.note(does - self.first_move, made);
                    self.made.add(does);
                }
                &choices[role]
            }
            None => {
                self.made.by_others();
                choice
            }
        };
        V::count(&mut lanes.rows, choice, scratch);
        let none = V::draw(&mut lanes.rows, choice, random);
        if !used.are_many() {
            let found = (choice, &*scratch);
            V::find_and_note(&mut lanes.rows, found, active, (used.rows(), self.first_move));
            return none;
        }
        V::find(&mut lanes.rows, choice, scratch);
        let active = V::load(&active);
        for &does in choice.roles.iter().flat_map(|role| &role.does) {
            let made = V::load(&lanes.rows[does as usize]).and(active);
            if !made.is_zero() {
                used.note(does - self.first_move, made);
            }
        }
        none
    }
}

/// Whether a coin shows, with a probability of `parts` of 2¹⁶.
#[inline(always)]
fn toss<const W: usize, V: Vector<W>>(parts: u32, random: &mut Random<W>) -> bool {
    let mut stream = random.stream::<V>();
    let word = stream.row().store()[0];
    random.take(&stream);
    word >> (64 - COIN_BITS) < u64::from(parts)
}

impl<const W: usize> Chooser<W> for Ranked<'_, W> {
    const WAITS: bool = true;

    /// If then only one of them chooses.
    #[inline(always)]
    fn takes_turns(&self) -> bool {
        self.learned.order.alone.iter().all(Option::is_some)
    }

    #[inline(always)]
    fn begin(&mut self, _: Row<W>, _: &[Play]) {}

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
        let by_chance = toss::<W, V>(self.coin, random);
        let none = match &self.machine.program.choice {
            Some(choice) if by_chance => self.take_any::<V>(choice, lanes, active, random),
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
    fn scored<V: Vector<W>>(&mut self, over: Row<W>, outputs: &[Row<W>]) {
        let values = self.machine.goal_values().iter().zip(outputs);
        let goals_of = |role: usize| {
            let own = values.clone().filter_map(move |(&(of, value), &row)| {
                let value = value.filter(|&value| value > 0 && of == role && !is_zero(row))?;
                Some((u64::from(value), row))
            });
            own.collect()
        };
        let goals: Vec<Goals<W>> = (0..self.learned.order.slots.len()).map(goals_of).collect();
        self.learned.used.count::<V>(over, &goals);
    }

    fn lost(&mut self, lanes: Row<W>) {
        self.learned.used.forget(lanes);
    }

    fn done(&mut self) {
        self.learned.used.tell(self.machine, self.ranking);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::vector::Plain;
    use super::*;

    #[test]
    fn a_coin_shows_as_often_as_it_should() {
        for parts in [0u32, 1 << 14, 6554, 1 << 15, 52429, 1 << 16] {
            let mut random: Random<8> = Random::new(3);
            let tosses = 100_000;
            let shows = (0..tosses).filter(|_| toss::<8, Plain<8>>(parts, &mut random)).count();
            let (n, p) = (f64::from(tosses), f64::from(parts) / 65536.0);
            let deviation = (shows as f64 - n * p).abs();
            assert!(deviation <= 4.0 * (n * p * (1.0 - p)).sqrt(), "{shows} for {parts}");
        }
    }
}
