//! States per second in plain minimax search: deeper and deeper until the time is used up.
//!
//! The first role with a player gets as much as it can, all others together leave it as little as
//! they can. Nothing is cut off and nothing is remembered, so every engine visits the same states
//! in the same order, and their number per second depends on the engine alone.

use std::time::Duration;

use ludex_game::{Failure, Game, State, View};

use crate::cpu_time::thread_time;
use crate::games::is_chance;
use crate::outcome::Visited;

/// Searches do not go deeper: each step takes a frame of the stack.
const DEEPEST: u32 = 200;
/// The value of a state that is not looked into.
const UNKNOWN: u8 = 50;

/// Searches from the initial state until the time is used up; what is solved before is searched
/// again.
pub(super) fn measure(game: &dyn Game, seconds: Duration) -> Result<Visited, Failure> {
    let role = game.roles().iter().position(|role| !is_chance(role)).unwrap_or(0);
    let mut search =
        Minimax { game, role, begun: thread_time(), limit: seconds, states: 0, cut: false, out: false };
    let initial = game.initial();
    let view = game.view(&initial)?;
    let (mut depth, mut deepest) = (1, 0);
    loop {
        search.cut = false;
        search.value(&initial, &view, depth)?;
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

struct Minimax<'a> {
    game: &'a dyn Game,
    role: usize,
    begun: Duration,
    limit: Duration,
    states: u64,
    /// Whether something was left out because it was too deep.
    cut: bool,
    /// Whether the time is used up: values mean nothing any more.
    out: bool,
}

impl Minimax<'_> {
    fn value(&mut self, state: &State, view: &View, depth: u32) -> Result<u8, Failure> {
        if view.terminal {
            let goal = self.game.goals(state)?.get(self.role).and_then(|goal| goal.value());
            return Ok(goal.unwrap_or(0));
        }
        if depth == 0 {
            self.cut = true;
            return Ok(UNKNOWN);
        }
        if thread_time() - self.begun >= self.limit {
            self.out = true;
            return Ok(UNKNOWN);
        }
        let children = self.game.expand(state, &[])?.children;
        self.states += children.len() as u64;
        // By own move: the least that the others leave.
        let mut least: Vec<(ludex_game::MoveId, u8)> = Vec::new();
        for child in &children {
            let value = self.value(&child.state, &child.view, depth - 1)?;
            if self.out {
                return Ok(UNKNOWN);
            }
            let own = child.joint[self.role];
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
        let limit = Duration::from_secs(1000);
        let begun = thread_time();
        let mut search = Minimax { game: &*game, role: 0, begun, limit, states: 0, cut: false, out: false };
        let initial = game.initial();
        let value = search.value(&initial, &game.view(&initial).unwrap(), depth).unwrap();
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
