//! Playouts behind many leaves of a tree: a leaf in each lane, which starts again and again there.
//!
//! # One batch
//! 1. Load the states of the leaves, make their moves; what holds behind them is handed out ([`arrive`]).
//! 2. Play: every lane from its own state, as often as asked for ([`run`]). Goals are scored together, as in
//!    [`super::playout`], but each for its lane, with the number of steps that it took.
//!
//! How moves are chosen in 2 is up to a [`Chooser`]: by chance ([`uniform`]), by a ranking ([`ranked`]), or by a
//! policy that sees every choice, lane by lane ([`by_lane`]) or move by move ([`by_move`]).

mod arrive;
mod by_lane;
mod by_move;
mod ranked;
mod run;
mod uniform;

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
use by_move::ByMove;
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
            let first = results.len();
            arrive::arrive(machine, run.lanes, evaluator, leaves, results);
            run.set_up(first, results);
            match &mut simulation.guide {
                // Without numbers for moves there is no chance in lanes, and no ranking either.
                Guide::Uniform | Guide::Ranked(_) if machine.program.choice.is_none() => {
                    let mut chance = Chance;
                    let chooser = ByLane::<W>::new(machine, &mut chance, first, random.word());
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
                    let chooser = ByLane::<W>::new(machine, &mut **policy, first, random.word());
                    run.play::<V, _>(evaluator, chooser, &mut random, results);
                }
                Guide::ByMove(policy) => {
                    let chooser = ByMove::<W>::new(machine, &mut **policy, first, random.word());
                    run.play::<V, _>(evaluator, chooser, &mut random, results);
                }
            }
        }
        spare.give_back(lanes);
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
