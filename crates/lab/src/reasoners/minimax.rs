//! States per second in plain minimax search: deeper and deeper until the time is used up.
//!
//! The first role with a player gets as much as it can, all others together leave it as little as
//! they can. Nothing is cut off and nothing is remembered, so every engine visits the same states
//! in the same order, and their number per second depends on the engine alone.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{ExpandOptions, Expansion, Failure, Game, MoveId, Simulator, SimulatorConfig};

use crate::cpu_time::thread_time;
use crate::games::is_chance;
use crate::outcome::Visited;

/// Searches do not go deeper: each step takes a frame of the stack.
const DEEPEST: u32 = 200;
/// The value of a state that is not looked into.
const UNKNOWN: u8 = 50;

/// Searches from the initial state until the time is used up; what is solved before is searched
/// again.
pub(super) fn measure(game: &Arc<dyn Game>, seconds: Duration) -> Result<Visited, Failure> {
    let role = game.roles().iter().position(|role| !is_chance(role)).unwrap_or(0);
    let mut search = Minimax::new(game, role, seconds);
    let initial = game.initial();
    if game.view(&initial)?.terminal {
        return Ok(Visited { states: 0, seconds: 0.0, depth: 0 });
    }
    let (mut depth, mut deepest) = (1, 0);
    loop {
        search.cut = false;
        search.value(initial.words(), depth)?;
        if search.out {
            break;
        }
        deepest = deepest.max(depth);
        depth = if search.cut && depth < DEEPEST { depth + 1 } else { 1 };
        // A game that is over at once has nothing to search.
        if search.states == 0 {
            break;
        }
    }
    let used = thread_time() - search.begun;
    Ok(Visited { states: search.states, seconds: used.as_secs_f64(), depth: deepest })
}

struct Minimax {
    simulator: Box<dyn Simulator>,
    role: usize,
    begun: Duration,
    limit: Duration,
    states: u64,
    /// Lists of children that are not in use, to be filled again.
    spare: Vec<Expansion>,
    /// Whether something was left out because it was too deep.
    cut: bool,
    /// Whether the time is used up: values mean nothing any more.
    out: bool,
}

impl Minimax {
    fn new(game: &Arc<dyn Game>, role: usize, limit: Duration) -> Self {
        Self {
            simulator: Arc::clone(game).simulator(SimulatorConfig::default()),
            role,
            begun: thread_time(),
            limit,
            states: 0,
            spare: Vec::new(),
            cut: false,
            out: false,
        }
    }

    /// The value of a state that is not terminal.
    fn value(&mut self, state: &[u64], depth: u32) -> Result<u8, Failure> {
        if depth == 0 {
            self.cut = true;
            return Ok(UNKNOWN);
        }
        if thread_time() - self.begun >= self.limit {
            self.out = true;
            return Ok(UNKNOWN);
        }
        let mut children = self.spare.pop().unwrap_or_default();
        // Legal moves of children are found when they are expanded themselves.
        let options = ExpandOptions { legal: false, goals: true };
        self.simulator.expand(&[state], options, &mut children)?;
        self.states += children.len() as u64;
        let value = self.best(&children, depth);
        self.spare.push(children);
        value
    }

    /// The best that the role can get with one of its moves, whatever the others do.
    fn best(&mut self, children: &Expansion, depth: u32) -> Result<u8, Failure> {
        // By own move: the least that the others leave.
        let mut least: Vec<(MoveId, u8)> = Vec::new();
        for child in 0..children.len() {
            let value = match children.is_terminal(child) {
                true => children.goal(child, self.role).unwrap_or(0),
                false => self.value(children.words(child), depth - 1)?,
            };
            if self.out {
                return Ok(UNKNOWN);
            }
            let own = children.joint(child)[self.role];
            match least.iter_mut().find(|(known, _)| *known == own) {
                Some((_, known)) => *known = value.min(*known),
                None => least.push((own, value)),
            }
        }
        Ok(least.into_iter().map(|(_, value)| value).max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(name: &str, depth: u32) -> (u8, u64, bool) {
        let game = ludex_testkit::game(name, "circuit");
        let mut search = Minimax::new(&game, 0, Duration::from_secs(1000));
        let value = search.value(game.initial().words(), depth).unwrap();
        (value, search.states, search.cut)
    }

    #[test]
    fn values_and_counts_are_right() {
        // Two plies of tic-tac-toe: 9 + 9 * 8 states.
        assert_eq!(solved("tic_tac_toe", 2), (UNKNOWN, 81, true));
        // Both choose at once, so whatever one does, the other has an answer.
        let (value, states, cut) = solved("rock_paper_scissors", 1);
        assert!(states == 9 && (value == 0 || cut), "{value} {states} {cut}");
    }
}
