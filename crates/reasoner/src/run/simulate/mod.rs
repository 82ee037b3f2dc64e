//! Playouts behind many leaves of a tree: a leaf in each lane, which starts again and again there; or several lanes for each, if
//! there are fewer leaves than lanes.
//!
//! # One batch
//! 1. Load the states of the leaves, make their moves; what holds behind them is handed out ([`arrive`]).
//! 2. Play: every lane from its own state, as often as asked for ([`run`]). Goals are scored together, as in
//!    [`super::playout`], but each for its lane, with the number of steps that it took.
//!
//! How moves are chosen in 2 is up to a [`Chooser`]: by chance ([`uniform`]), by a ranking ([`ranked`]), or by a
//! policy that sees every choice, lane by lane ([`by_lane`]) or in all lanes at once ([`by_step`]).

mod arrive;
mod by_lane;
mod by_step;
mod made;
mod ranked;
mod run;
mod uniform;
mod used;

use std::any::Any;
use std::sync::Mutex;

use ludex_game::{Guide, Leaves, Simulation};

use super::code::Program;
use super::dispatch::Task;
use super::evaluate::Evaluator;
use super::lanes::{Lanes, Row};
use super::machine::Machine;
use super::random::Random;
use super::vector::Vector;
use by_lane::{ByLane, Chance};
use by_step::ByStep;
use ranked::Ranked;
use run::{Limits, Run};
use uniform::Uniform;

/// A simulation in lanes.
pub(super) struct SimulationTask<'a, 'b, 'g> {
    pub machine: &'a Machine,
    pub simulation: &'a mut Simulation<'b, 'g>,
    pub results: &'a mut Leaves,
    pub spare: &'a Spare,
}

/// Lanes that were used and can be used again; getting them anew would cost as much as a few steps.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Box<dyn Any + Send>>>);

impl Spare {
    /// Two sets of lanes of a width, with whatever was left in them.
    fn take<const W: usize>(&self, program: &Program) -> Box<[Lanes<W>; 2]> {
        let used = self.0.lock().ok().and_then(|mut spare| spare.pop());
        let mut lanes = match used.map(|used| used.downcast()) {
            Some(Ok(lanes)) => lanes,
            _ => Box::new([Lanes::new(program), Lanes::new(program)]),
        };
        lanes.iter_mut().for_each(|lanes| lanes.rewind(program));
        lanes
    }

    fn give_back<const W: usize>(&self, lanes: Box<[Lanes<W>; 2]>) {
        if let Ok(mut spare) = self.0.lock() {
            spare.push(lanes);
        }
    }
}

/// Which lane plays behind which leaf. Where there are fewer leaves than lanes, several play behind each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// The leaf of the first lane.
    pub first: usize,
    /// How many there are.
    pub leaves: usize,
    /// How many lanes each of them has.
    pub each: usize,
}

impl Places {
    /// For so many leaves from a number on, with so many playouts behind each.
    fn new(first: usize, leaves: usize, lanes: usize, playouts: u32) -> Self {
        let most = usize::try_from(playouts).unwrap_or(usize::MAX);
        Self { first, leaves, each: (lanes / leaves.max(1)).min(most).max(1) }
    }

    /// Number of lanes that play.
    fn lanes(self) -> usize {
        self.leaves * self.each
    }

    /// The leaf of a lane, among all.
    #[inline(always)]
    fn leaf(self, lane: usize) -> usize {
        self.first + lane % self.leaves.max(1)
    }

    /// How many of the playouts behind its leaf a lane plays.
    fn share(self, lane: usize, playouts: u32) -> u32 {
        let (turn, each) = (lane / self.leaves.max(1), u32::try_from(self.each).unwrap_or(u32::MAX));
        playouts / each + u32::from(turn < (playouts % each) as usize)
    }
}

/// Lanes that end in a step.
#[derive(Clone, Copy)]
pub(super) struct Ended<const W: usize> {
    pub terminal: Row<W>,
    /// A role has no legal move.
    pub stuck: Row<W>,
}

/// How moves are chosen in playouts.
pub(super) trait Chooser<const W: usize> {
    /// Whether lanes that end wait until many of them are scored together, before they start again.
    const WAITS: bool;

    /// Whether it takes less time when the same role is to move in all lanes: then lanes start when it is the turn of whoever
    /// moves first behind their leaf, if roles take turns.
    const TAKES_TURNS: bool = false;

    /// Playouts begin in these lanes.
    fn begin(&mut self, lanes: Row<W>);

    /// Looks at the lanes: which end, and what may be done in the others.
    fn view<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        running: Row<W>,
        random: &mut Random<W>,
    ) -> Ended<W>;

    /// Makes moves in some lanes, and computes what comes next in all. The row of lanes that start again
    /// is set.
    fn advance<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        moving: Row<W>,
        random: &mut Random<W>,
    );

    /// Playouts of lanes have ended with goals: for each goal output the lanes where it holds.
    fn scored(&mut self, over: Row<W>, outputs: &[Row<W>]);

    /// Playouts of lanes have ended without an end of the game.
    fn lost(&mut self, lanes: Row<W>);

    /// All playouts are over.
    fn done(&mut self) {}
}

impl Task for SimulationTask<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const W: usize, V: Vector<W>>(self, evaluator: &mut impl Evaluator<W>) {
        let Self { machine, simulation, results, spare } = self;
        results.clear(machine.roles.len());
        let mut random: Random<W> = Random::new(simulation.seed);
        let limits = Limits {
            playouts: simulation.playouts.max(1),
            max_steps: simulation.max_steps,
            discount: simulation.discount,
        };
        let mut lanes = spare.take::<W>(&machine.program);
        let mut run = Run::<W>::new(machine, &mut lanes, limits);
        for leaves in simulation.leaves.chunks(Lanes::<W>::COUNT) {
            let places = Places::new(results.len(), leaves.len(), Lanes::<W>::COUNT, limits.playouts);
            arrive::arrive::<W, V>(machine, run.lanes, evaluator, (leaves, places), results);
            run.set_up(places, results);
            match &mut simulation.guide {
                // Without numbers for moves there is no chance in lanes, and no ranking either.
                Guide::Uniform | Guide::Ranked(_) if machine.program.choice.is_none() => {
                    let mut chance = Chance;
                    let chooser = ByLane::<W>::new(machine, &mut chance, places, random.word());
                    run.play::<V, _>(evaluator, chooser, &mut random, results);
                }
                Guide::Uniform => {
                    run.play::<V, _>(evaluator, Uniform { machine }, &mut random, results);
                }
                Guide::Ranked(ranking) => {
                    let chooser = Ranked::<W>::new(machine, ranking);
                    run.play::<V, _>(evaluator, chooser, &mut random, results);
                }
                Guide::ByLane(policy) => {
                    let chooser = ByLane::<W>::new(machine, &mut **policy, places, random.word());
                    run.play::<V, _>(evaluator, chooser, &mut random, results);
                }
                Guide::ByStep(policy) => {
                    let chooser = ByStep::<W>::new(machine, &mut **policy, places, random.word());
                    run.play::<V, _>(evaluator, chooser, &mut random, results);
                }
            }
        }
        spare.give_back(lanes);
    }
}

/// By role: the goal of a lane, from the rows of goal outputs.
fn goals_of<const W: usize>(machine: &Machine, outputs: &[Row<W>], lane: usize, goals: &mut Vec<f64>) {
    goals.clear();
    goals.resize(machine.roles.len(), 0.0);
    for (&(role, value), row) in machine.goal_values().iter().zip(outputs) {
        if row[lane / 64] >> (lane % 64) & 1 == 1 {
            goals[role] = f64::from(value.unwrap_or(0));
        }
    }
}

/// The numbers of the bits that are set.
pub(super) fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            let next = (rest != 0).then_some(64 * at + bit);
            rest &= rest.wrapping_sub(1);
            next
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_share_the_playouts_of_their_leaf() {
        for (leaves, lanes, playouts) in [(3, 64, 8), (64, 64, 8), (20, 64, 8), (1, 512, 4096), (100, 256, 1)]
        {
            let places = Places::new(7, leaves, lanes, playouts);
            assert!(places.lanes() <= lanes);
            let mut played = vec![0; leaves];
            for lane in 0..places.lanes() {
                let share = places.share(lane, playouts);
                assert!(share > 0, "an idle lane of {places:?}");
                played[places.leaf(lane) - 7] += share;
            }
            assert!(played.iter().all(|&count| count == playouts), "{places:?}: {played:?}");
        }
    }
}
