//! Simulators: many playouts and expansions at once.
//!
//! A [`Game`] knows the rules; a [`Simulator`] of it does bulk work. It owns the
//! playouts in flight between two calls, so every search thread has its own.
//! Engines with lanes run hundreds of states at once; [`OneByOne`] serves all others, and is what
//! fast simulators are tested against.

use std::sync::Arc;
use std::time::Duration;

use crate::expansion::{ExpandOptions, Expansion, expand_one_by_one};
use crate::game::{Failure, Game};
use crate::leaf_results::LeafResults;
use crate::playouts::{Playouts, playouts_from};
use crate::simulate::{Simulation, simulate_one_by_one};
use crate::state::State;

/// Settings for all playouts of a simulator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatorConfig {
    /// Longer playouts are cut off: a goal of 0 for every role.
    pub max_steps: u32,
    /// γ: a goal that is reached n steps after the leaf counts γⁿ times its value.
    pub discount: f64,
}

impl SimulatorConfig {
    /// Longest playout, in steps, unless a caller sets another limit: far above the longest game of
    /// the published sheets, so it only ends playouts of sheets that do not terminate.
    pub const MAX_STEPS: u32 = 10_000;
}

impl Default for SimulatorConfig {
    fn default() -> Self {
        Self { max_steps: Self::MAX_STEPS, discount: 1.0 }
    }
}

/// What a simulator can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// States that are handled at once.
    pub lanes: usize,
    /// Lane refilling: a call may return while playouts are in flight, for policies that allow it.
    pub refills: bool,
}

/// Bulk work on one game: playouts from many leaves, and expansion of many states.
pub trait Simulator: Send {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Runs playouts from leaves; results are added by leaf number.
    ///
    /// With [`Simulation::keep_busy`] the call may return early, with playouts in flight; the next
    /// call goes on with them. All calls until then use the same kind of policy.
    fn simulate(
        &mut self,
        simulation: &mut Simulation<'_, '_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure>;

    /// Uniform playouts from one state, each to its end: a simulation with one leaf. The same seed
    /// gives the same playouts.
    fn playouts(&mut self, from: &State, count: u64, seed: u64) -> Result<Playouts, Failure> {
        playouts_from(self, from, count, seed)
    }

    /// Makes every joint move in every one of `states` and writes the children to `into`.
    ///
    /// Terminal states, and states in which a role has no legal move, have no children. Playouts in
    /// flight are not touched.
    fn expand(
        &mut self,
        states: &[&[u64]],
        options: ExpandOptions,
        into: &mut Expansion,
    ) -> Result<(), Failure>;

    /// Abandons all playouts in flight.
    fn reset(&mut self);

    /// Time spent in steps of playouts so far, without set-up and scoring; zero if not measured.
    fn time_in_steps(&self) -> Duration {
        Duration::ZERO
    }
}

/// The simulator of a game without lanes: one playout and one child after the other.
#[derive(Debug)]
pub struct OneByOne<G: ?Sized> {
    game: Arc<G>,
    config: SimulatorConfig,
}

impl<G: Game + ?Sized> OneByOne<G> {
    /// A simulator of this game.
    pub fn new(game: Arc<G>, config: SimulatorConfig) -> Self {
        Self { game, config }
    }
}

impl<G: Game + ?Sized> Simulator for OneByOne<G> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lanes: self.game.engine().lanes, refills: false }
    }

    fn simulate(
        &mut self,
        simulation: &mut Simulation<'_, '_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        simulate_one_by_one(&*self.game, &self.config, simulation, results)
    }

    fn expand(
        &mut self,
        states: &[&[u64]],
        options: ExpandOptions,
        into: &mut Expansion,
    ) -> Result<(), Failure> {
        into.begin(self.game.role_count());
        expand_one_by_one(&*self.game, states, options, into)
    }

    fn reset(&mut self) {}
}
