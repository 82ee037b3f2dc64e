//! One number for what a player does: it changes when its choices change, and with nothing else.
//!
//! A player searches the initial state of each game, and the state after one step, with a fixed
//! seed and a fixed number of playouts. Everything in its report goes into the number: moves,
//! visits, values bit by bit. The games should run in lanes of one width, because the width decides
//! which playouts are played; the instructions and machine code do not matter.

use std::sync::Arc;

use ludex_game::{Failure, Game, RoleId, joined};
use ludex_search::{Budget, SearchContext, SearchReport};

use crate::player::Player;

/// Playouts of each search: enough for a few levels of the tree and for tables of policies to
/// matter.
const PLAYOUTS: u64 = 1500;

/// Steps that are searched in each game.
const STEPS: usize = 2;

/// Seed of all searches.
const SEED: u64 = 2026;

/// The number of a player in these games.
pub fn player_signature(player: &Player, games: &[Arc<dyn Game>]) -> Result<u64, Failure> {
    let mut numbers = Vec::new();
    for game in games {
        for role in 0..game.role_count() {
            numbers.push(in_game(player, game, RoleId::new(role))?);
        }
    }
    Ok(joined(numbers))
}

fn in_game(player: &Player, game: &Arc<dyn Game>, role: RoleId) -> Result<u64, Failure> {
    let context = SearchContext { game: Arc::clone(game), role, seed: SEED, threads: 1 };
    let mut search = player.search(context);
    let mut state = game.initial();
    let mut numbers = Vec::new();
    for _ in 0..STEPS {
        search.set_root(&state)?;
        search.think(&Budget::playouts(PLAYOUTS))?;
        let report = search.report();
        numbers.extend(of_report(&report));
        let view = game.view(&state)?;
        if view.terminal || view.legal.iter().any(Vec::is_empty) {
            break;
        }
        let own = |at: usize| (at == role.index()).then_some(report.best).flatten();
        let joint: Vec<_> = (0..).zip(&view.legal).map(|(at, legal)| own(at).unwrap_or(legal[0])).collect();
        state = game.next(&state, &joint)?;
    }
    Ok(joined(numbers))
}

/// What a search found. Ids of moves are stable for equal rules.
fn of_report(report: &SearchReport) -> Vec<u64> {
    let mut numbers = vec![report.playouts, report.steps, report.nodes, u64::from(report.depth)];
    numbers.push(report.best.map_or(u64::MAX, |id| id.index() as u64));
    for candidate in &report.candidates {
        numbers.extend([candidate.id.index() as u64, candidate.visits]);
        numbers.extend(candidate.values.iter().map(|value| value.to_bits()));
    }
    numbers.push(u64::from(report.proven));
    numbers
}

#[cfg(test)]
mod tests {
    use ludex_reasoner::{BatchGame, BatchOptions, Ground, Instructions, Limits, MachineCode, Width};

    use super::*;

    /// Scores with vector instructions and without are the same.
    #[test]
    fn instructions_do_not_change_the_number() {
        let number = |instructions| {
            let options =
                BatchOptions { width: Width::Lanes512, instructions, machine_code: MachineCode::Never };
            let rules = ludex_testkit::library_rules("connect_four");
            let ground = Ground::new(&rules, &Limits::default()).expect("small");
            let games: [Arc<dyn Game>; 1] =
                [Arc::new(BatchGame::with_options(ground, options).expect("small"))];
            let player = Player::new("cadia-lgr-nst").expect("a player");
            player_signature(&player, &games).expect("a number")
        };
        assert_eq!(number(Instructions::Plain), number(Instructions::best()));
    }

    #[test]
    fn the_number_depends_on_the_player_and_on_nothing_else() {
        let games = ["tic_tac_toe", "rock_paper_scissors"].map(|name| ludex_testkit::game(name, "batch"));
        let number =
            |text: &str| player_signature(&Player::new(text).expect("a player"), &games).expect("a number");
        assert_eq!(number("cadia-uct"), number("cadia-uct"));
        assert_eq!(number("cadia-uct"), number("cadia-uct:c=40"), "the default, written out");
        assert_ne!(number("cadia-uct"), number("cadia-uct:c=60"));
        assert_ne!(number("cadia-uct"), number("cadia-mastg"));
    }
}
