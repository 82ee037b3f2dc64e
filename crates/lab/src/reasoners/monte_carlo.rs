//! States per second in random playouts from the initial state.

use std::time::Duration;

use ludex_game::{Failure, Game, Playouts, Request};

use crate::cpu_time::thread_time;
use crate::outcome::Visited;

/// Longest playout that is followed to its end.
const MAX_STEPS: u32 = 1000;

fn playouts(game: &dyn Game, count: u64, seed: u64) -> Result<Playouts, Failure> {
    let from = game.initial();
    game.playouts(&mut Request { from: &from, count, max_steps: MAX_STEPS, seed, policy: None })
}

/// One playout, so that everything is ready.
pub(super) fn first(game: &dyn Game) -> Result<(), Failure> {
    playouts(game, 1, 0).map(|_| ())
}

/// Playouts until the time is used up.
pub(super) fn measure(game: &dyn Game, seconds: Duration, seed: u64) -> Result<Visited, Failure> {
    // Larger and larger requests, so that starting one costs nothing.
    let mut count = game.lanes() as u64;
    let (mut states, mut used, mut seed) = (0, Duration::ZERO, seed.wrapping_mul(1_000_003));
    loop {
        let begun = thread_time();
        states += playouts(game, count, seed)?.steps;
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
