//! States per second in random playouts from the initial state.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Failure, Game, Simulator, SimulatorConfig};

use crate::cpu_time::thread_time;
use crate::outcome::Visited;

/// Longest playout that is followed to its end.
const MAX_STEPS: u32 = 1000;

fn simulator(game: &Arc<dyn Game>) -> Box<dyn Simulator> {
    Arc::clone(game).simulator(SimulatorConfig { max_steps: MAX_STEPS, ..SimulatorConfig::default() })
}

/// One playout, so that everything is ready.
pub(super) fn first(game: &Arc<dyn Game>) -> Result<(), Failure> {
    simulator(game).playouts(&game.initial(), 1, 0).map(|_| ())
}

/// Playouts until the time is used up.
pub(super) fn measure(game: &Arc<dyn Game>, seconds: Duration, seed: u64) -> Result<Visited, Failure> {
    // Larger and larger requests, so that starting one costs nothing.
    let (mut simulator, from) = (simulator(game), game.initial());
    let mut count = game.engine().lanes as u64;
    let (mut states, mut used, mut seed) = (0, Duration::ZERO, seed.wrapping_mul(1_000_003));
    loop {
        let begun = thread_time();
        states += simulator.playouts(&from, count, seed)?.steps;
        let took = thread_time() - begun;
        used += took;
        if used >= seconds {
            return Ok(Visited { states, seconds: used.as_secs_f64(), depth: 0 });
        }
        seed = seed.wrapping_add(1);
        if took < seconds / 20 {
            count *= 2;
        }
    }
}
