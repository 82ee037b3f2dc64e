//! Simulators of the engines that run circuits: playouts and expansion in lanes.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use ludex_game::{
    Capabilities, ExpandOptions, Expansion, Failure, Game, Leaves, Simulation, Simulator, SimulatorConfig,
    State, expand_state, simulate_one_by_one, simulate_with_cursor,
};

use super::batch::BatchGame;
use super::cursor::CircuitCursor;
use super::dispatch::run;
use super::expand::{ExpandTask, Kept};
use super::machine::Machine;
use super::simulate::SimulationTask;
use super::single::CircuitGame;

/// The simulator of the engine `batch`.
pub(super) struct BatchSimulator {
    game: Arc<BatchGame>,
    config: SimulatorConfig,
    /// Playouts in flight: lanes of the width of the game.
    in_flight: Option<Box<dyn Any + Send>>,
    expanding: Kept,
    time_in_steps: Duration,
}

impl BatchSimulator {
    pub(super) fn new(game: Arc<BatchGame>, config: SimulatorConfig) -> Self {
        Self { game, config, in_flight: None, expanding: None, time_in_steps: Duration::ZERO }
    }

    fn simulate_in_lanes(&mut self, simulation: &mut Simulation<'_, '_>, results: &mut Leaves) {
        let game = &*self.game;
        let task = SimulationTask {
            machine: &game.machine,
            config: self.config,
            simulation,
            results,
            in_flight: &mut self.in_flight,
            time_in_steps: &mut self.time_in_steps,
        };
        run(game.options, &game.machine.program, game.compiled.as_ref(), task);
    }
}

impl Simulator for BatchSimulator {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lanes: self.game.lanes(), refills: true }
    }

    fn simulate(&mut self, simulation: &mut Simulation<'_, '_>, results: &mut Leaves) -> Result<(), Failure> {
        let game = Arc::clone(&self.game);
        for leaf in simulation.leaves.iter().filter(|leaf| !leaf.joint.is_empty()) {
            game.machine.check_joint(leaf.joint)?;
        }
        let leaves = simulation.leaves;
        if leaves.iter().all(|leaf| game.machine.expects_playouts(leaf.from)) {
            self.simulate_in_lanes(simulation, results);
            return Ok(());
        }
        // Playouts in flight are finished first.
        (simulation.leaves, simulation.keep_busy) = (&[], 0);
        self.simulate_in_lanes(simulation, results);
        let (finished, steps) = (results.finished().to_vec(), results.steps);
        simulation.leaves = leaves;
        simulate_one_by_one(&*game, &self.config, simulation, results)?;
        results.finish(finished);
        results.steps += steps;
        Ok(())
    }

    fn expand(
        &mut self,
        states: &[&[u64]],
        options: ExpandOptions,
        into: &mut Expansion,
    ) -> Result<(), Failure> {
        let game = &*self.game;
        let machine = &game.machine;
        begin(machine, into);
        for_each_run(
            states,
            |state| machine.expects(state),
            |places, is_expected| {
                if !is_expected {
                    return one_by_one(game, states, places, options, into);
                }
                let kept = &mut self.expanding;
                let task = ExpandTask { machine, states, places, options, into, kept };
                run(game.options, &machine.program, game.compiled.as_ref(), task)
            },
        )
    }

    fn reset(&mut self) {
        self.in_flight = None;
    }

    fn time_in_steps(&self) -> Duration {
        self.time_in_steps
    }
}

/// The simulator of the engine `circuit`: one playout after the other, expansion in lanes.
pub(super) struct CircuitSimulator {
    game: Arc<CircuitGame>,
    config: SimulatorConfig,
    expanding: Kept,
}

impl CircuitSimulator {
    pub(super) fn new(game: Arc<CircuitGame>, config: SimulatorConfig) -> Self {
        Self { game, config, expanding: None }
    }
}

impl Simulator for CircuitSimulator {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lanes: self.game.lanes(), refills: false }
    }

    fn simulate(&mut self, simulation: &mut Simulation<'_, '_>, results: &mut Leaves) -> Result<(), Failure> {
        let Self { game, config, .. } = self;
        game.with(|scalar| {
            simulate_with_cursor(&mut CircuitCursor { game, scalar }, config, simulation, results)
        })
    }

    fn expand(
        &mut self,
        states: &[&[u64]],
        options: ExpandOptions,
        into: &mut Expansion,
    ) -> Result<(), Failure> {
        let machine = &self.game.machine;
        begin(machine, into);
        let (places, kept) = (0..states.len(), &mut self.expanding);
        let task = ExpandTask { machine, states, places, options, into, kept };
        run(CircuitGame::EXPANSION, &machine.program, None, task)
    }

    fn reset(&mut self) {}
}

/// Children have as many words as states of the machine, and bits for all of its moves.
fn begin(machine: &Machine, into: &mut Expansion) {
    let roles = 0..machine.roles.len();
    into.begin_rows(machine.fact_count().div_ceil(64), roles.map(|role| machine.moves_in_order(role)));
}

/// Calls `expand` with consecutive states that are all expected, or all not.
fn for_each_run(
    states: &[&[u64]],
    expects: impl Fn(&[u64]) -> bool,
    mut expand: impl FnMut(std::ops::Range<usize>, bool) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut start = 0;
    while start < states.len() {
        let is_expected = expects(states[start]);
        let others = states[start..].iter().position(|state| expects(state) != is_expected);
        let end = others.map_or(states.len(), |others| start + others);
        expand(start..end, is_expected)?;
        start = end;
    }
    Ok(())
}

/// States that the code does not expect, because they cannot be reached.
fn one_by_one(
    game: &BatchGame,
    states: &[&[u64]],
    places: std::ops::Range<usize>,
    options: ExpandOptions,
    into: &mut Expansion,
) -> Result<(), Failure> {
    for place in places {
        let parent = u32::try_from(place).map_err(|_| Failure::Limit("too many states at once".into()))?;
        expand_state(game, (parent, &State::from_words(states[place])), options, into)?;
    }
    Ok(())
}
