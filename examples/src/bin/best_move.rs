//! Asks a built-in player for a move in the initial state of connect four.

#![allow(clippy::print_stdout, reason = "a program for people")]

use std::sync::Arc;

use anyhow::{Context, Result};
use ludex_engine::Player;
use ludex_game::RoleId;
use ludex_search::{Budget, SearchContext};

fn main() -> Result<()> {
    let game = ludex_examples::game("connect_four")?;
    let player = Player::new("cadia-uct:c=40")?;
    let context = SearchContext { game: Arc::clone(&game), role: RoleId::new(0), seed: 1, threads: 1 };
    let mut search = player.search(context);
    search.set_root(&game.initial())?;
    // A number of playouts gives the same result on every machine; `Budget::until` takes a deadline.
    search.think(&Budget::playouts(20_000))?;
    let report = search.report();
    for candidate in &report.candidates {
        let value = candidate.values.first().copied().unwrap_or(0.0);
        println!("{:10} {:6} playouts, value {value:.1}", game.move_name(candidate.id), candidate.visits);
    }
    let best = report.best.context("the game is over")?;
    println!("best: {}", game.move_name(best));
    Ok(())
}
