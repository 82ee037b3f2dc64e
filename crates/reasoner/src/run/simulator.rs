//! Simulators of the engines that run circuits: playouts and expansion in lanes.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{
    Capabilities, Endings, ExpandOptions, Expansion, Failure, Game, Leaf, LeafResults, PlayoutPolicy,
    Simulation, Simulator, SimulatorConfig, State, expand_state, simulate_one_by_one, simulate_with_cursor,
};

use super::batch::BatchGame;
use super::choice::MoveRows;
use super::dispatch::run;
use super::expand::{ExpandTask, Kept};
use super::machine::Machine;
use super::simulate::{OneLeafTask, SimulationTask};
use super::single::CircuitGame;

/// The simulator of the engine `batch`.
pub(super) struct BatchSimulator {
    game: Arc<BatchGame>,
    config: SimulatorConfig,
    /// Playouts in flight: lanes of the width of the game.
    in_flight: Option<Box<dyn Any + Send>>,
    /// Leaves whose playouts are in flight.
    open: usize,
    expanding: Kept,
    time_in_steps: Duration,
}

impl BatchSimulator {
    pub(super) fn new(game: Arc<BatchGame>, config: SimulatorConfig) -> Self {
        Self { game, config, in_flight: None, open: 0, expanding: None, time_in_steps: Duration::ZERO }
    }

    fn simulate_in_lanes(&mut self, simulation: &mut Simulation<'_, '_>, results: &mut LeafResults) {
        let game = &*self.game;
        let task = SimulationTask {
            machine: &game.machine,
            config: self.config,
            simulation,
            results,
            kept: &mut self.in_flight,
            time_in_steps: &mut self.time_in_steps,
        };
        run(game.options, &game.machine.program, game.compiled.as_ref(), task);
        self.open = self.open + simulation.leaves.len() - results.finished().len();
    }

    /// Whether a simulation is uniform playouts from one leaf, enough to fill all lanes.
    fn is_one_leaf(&self, simulation: &Simulation<'_, '_>) -> bool {
        let lanes = self.game.options.width.lanes();
        matches!(simulation.policy, PlayoutPolicy::Uniform)
            && simulation.leaves.len() == 1
            && simulation.playouts as usize >= lanes
            && (self.config.discount, simulation.keep_busy, self.open) == (1.0, 0, 0)
    }

    /// Runs the playouts of a single leaf.
    fn simulate_one_leaf(
        &mut self,
        leaf: &Leaf<'_>,
        (count, seed): (u32, u64),
        choice: &MoveRows,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let game = &*self.game;
        let from = State::from_words(leaf.from);
        let state = if leaf.joint.is_empty() { from } else { game.next(&from, leaf.joint)? };
        let view = game.view(&state)?;
        results.begin(game.machine.roles.len());
        results.arrive(leaf.number, state.words(), view.terminal);
        view.legal.iter().for_each(|moves| results.push_legal(leaf.number, moves.iter().copied()));
        let count = if view.terminal { 1 } else { count };
        let from = game.machine.bits(&state);
        let task = OneLeafTask {
            machine: &game.machine,
            choice,
            from: &from,
            count: u64::from(count),
            max_steps: self.config.max_steps,
            seed,
        };
        let all = run(game.options, &game.machine.program, game.compiled.as_ref(), task);
        for (role, &sum) in all.goal_sums.iter().enumerate() {
            results.add(leaf.number, role, sum as f64, 1.0);
        }
        results.steps = all.steps;
        results.endings = Endings {
            finished: all.finished,
            cut_off: all.cut_off,
            stuck: all.stuck,
            faulty_goals: all.faulty_goals,
        };
        results.count_playouts(leaf.number, count);
        results.finish([leaf.number]);
        results.room = game.options.width.lanes();
        self.time_in_steps += begun.elapsed();
        Ok(())
    }
}

impl Simulator for BatchSimulator {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lanes: self.game.engine().lanes, refills: true }
    }

    fn simulate(
        &mut self,
        simulation: &mut Simulation<'_, '_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        let game = Arc::clone(&self.game);
        for leaf in simulation.leaves.iter().filter(|leaf| !leaf.joint.is_empty()) {
            game.machine.check_joint(leaf.joint)?;
        }
        let leaves = simulation.leaves;
        if leaves.iter().all(|leaf| game.machine.expects_playouts(leaf.from)) {
            if let Some(choice) =
                game.machine.program.choice.as_ref().filter(|_| self.is_one_leaf(simulation))
            {
                let amount = (simulation.playouts, simulation.seed);
                return self.simulate_one_leaf(&leaves[0], amount, choice, results);
            }
            self.simulate_in_lanes(simulation, results);
            return Ok(());
        }
        // Playouts in flight are finished first.
        (simulation.leaves, simulation.keep_busy) = (&[], 0);
        self.simulate_in_lanes(simulation, results);
        let (finished, steps, endings) =
            (results.finished().to_vec(), results.steps, results.endings.clone());
        simulation.leaves = leaves;
        simulate_one_by_one(&*game, &self.config, simulation, results)?;
        results.finish(finished);
        results.steps += steps;
        results.endings.add(&endings);
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
        (self.in_flight, self.open) = (None, 0);
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
        Capabilities { lanes: self.game.engine().lanes, refills: false }
    }

    fn simulate(
        &mut self,
        simulation: &mut Simulation<'_, '_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        let Self { game, config, .. } = self;
        game.with_cursor(|cursor| simulate_with_cursor(cursor, config, simulation, results))
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
