//! Playouts from many leaves of a tree: a leaf in each lane, which runs its playouts one after the
//! other; or several lanes for each leaf, if there are fewer leaves than lanes.
//!
//! # One batch
//! 1. Load the states of the leaves, make their joint moves, report state and legal moves
//!    ([`arrive`]).
//! 2. Run playouts: every lane from its own state, as often as asked for ([`run`]). Goals of many
//!    lanes are computed together, as in [`one_leaf`], but added by lane, with its discount.
//! 3. With lane refilling, return when many lanes are idle, with the leaves that are finished.
//!    Playouts [`in_flight`] continue in the next batch, which takes the idle lanes: no lane waits
//!    for the longest playout.
//!
//! How moves are chosen in 2 is up to a [`Chooser`]: uniformly ([`uniform`]), by a ranking
//! ([`ranked`]), or by a policy that sees every choice ([`by_step`]). Uniform playouts from one leaf
//! have a loop of their own ([`one_leaf`]).

mod arrive;
mod by_step;
mod in_flight;
mod made;
mod one_leaf;
mod order;
mod places;
mod ranked;
mod run;
mod uniform;
mod used;

use std::any::Any;
use std::time::Duration;

use ludex_game::{LeafResults, PlayoutPolicy, Simulation, SimulatorConfig};

use super::dispatch::Task;
use super::evaluate::Evaluator;
use super::lanes::{Lanes, Row};
use super::machine::Machine;
use super::random::Random;
use super::vector::Vector;
use by_step::{ByStep, UniformSteps};
use in_flight::{InFlight, Play};
pub(super) use one_leaf::OneLeafTask;
use ranked::{Learned, Ranked};
pub(super) use run::for_each_lane;
use run::{Limits, Run};
use uniform::Uniform;

/// A simulation in lanes.
pub(super) struct SimulationTask<'a, 'b, 'g> {
    pub machine: &'a Machine,
    pub config: SimulatorConfig,
    pub simulation: &'a mut Simulation<'b, 'g>,
    pub results: &'a mut LeafResults,
    /// Playouts in flight, of the width of the game.
    pub kept: &'a mut Option<Box<dyn Any + Send>>,
    pub time_in_steps: &'a mut Duration,
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

    /// Playouts begin in these lanes; by lane: what it plays.
    fn begin(&mut self, lanes: Row<W>, plays: &[Play]);

    /// Whether it takes less time when the same role is to move in all lanes: then lanes start when it is the turn of whoever
    /// moves first behind their leaf, if roles take turns.
    #[inline(always)]
    fn takes_turns(&self) -> bool {
        false
    }

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
    fn scored<V: Vector<W>>(&mut self, over: Row<W>, outputs: &[Row<W>]);

    /// Playouts of lanes have ended without an end of the game.
    fn lost(&mut self, lanes: Row<W>);

    /// All playouts are over.
    fn done(&mut self) {}
}

impl Task for SimulationTask<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const W: usize, V: Vector<W>>(self, evaluator: &mut impl Evaluator<W>) {
        let Self { machine, config, simulation, results, kept, time_in_steps } = self;
        results.begin(machine.roles.len());
        let mut random: Random<W> = Random::new(simulation.seed);
        let limits = Limits { max_steps: config.max_steps, discount: config.discount };
        let playouts = simulation.playouts.max(1);
        let in_flight = kept.take().and_then(|kept| kept.downcast::<InFlight<W>>().ok());
        let mut way = in_flight.unwrap_or_else(|| Box::new(InFlight::new(machine, limits)));
        way.begin(machine, limits);
        let steps = way.steps;
        let mut rest = simulation.leaves;
        loop {
            let (now, later) = rest.split_at(rest.len().min(way.room()));
            if !now.is_empty() {
                arrive::arrive::<W, V>(machine, &mut way, evaluator, (now, playouts), results);
            }
            // As long as there are leaves all lanes are needed.
            let crew = if later.is_empty() { simulation.keep_busy.min(Lanes::<W>::COUNT) } else { 0 };
            let mut run = Run::<W>::new(machine, &mut way, limits);
            match &mut simulation.policy {
                // A role with more moves than can be counted in lanes: neither bit-sliced uniform
                // choice nor rankings.
                PlayoutPolicy::Uniform | PlayoutPolicy::Ranked(_) if machine.program.choice.is_none() => {
                    let mut policy = UniformSteps;
                    let mut chooser = ByStep::<W>::new(machine, &mut policy, random.word());
                    run.play::<V, _>(evaluator, &mut chooser, (&mut random, 0), results);
                }
                PlayoutPolicy::Uniform => {
                    run.play::<V, _>(evaluator, &mut Uniform { machine }, (&mut random, crew), results);
                }
                PlayoutPolicy::Ranked(ranking) => {
                    let kept = run.way.learned.take();
                    let learned = kept.unwrap_or_else(|| Learned::new(machine));
                    let mut chooser = Ranked::<W>::new(machine, ranking, learned);
                    run.play::<V, _>(evaluator, &mut chooser, (&mut random, crew), results);
                    run.way.learned = Some(chooser.into_learned());
                }
                PlayoutPolicy::Step(policy) => {
                    let mut chooser = ByStep::<W>::new(machine, &mut **policy, random.word());
                    run.play::<V, _>(evaluator, &mut chooser, (&mut random, 0), results);
                }
            }
            *time_in_steps += run.stepping;
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        results.steps = way.steps - steps;
        results.room = way.room();
        *kept = Some(way);
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
