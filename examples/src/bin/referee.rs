//! Referees a match: two built-in players, 500 playouts per move, and the record of the match.

#![allow(clippy::print_stdout, reason = "a program for people")]

use anyhow::Result;
use ludex_arena::{Event, MatchSetup, Observer, Rulebook, run_match};

/// Prints moves as they are made.
struct Printer;

impl Observer for Printer {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Moved { record, .. } = event {
            println!("{}", record.moves.last().map_or_else(String::new, |joint| joint.join("  ")));
        }
    }
}

fn main() -> Result<()> {
    let rulebook = Rulebook::new("tic_tac_toe", ludex_examples::sheet("tic_tac_toe")?)?;
    // A player is a spec, as on the command line; `http://host:port` is a player too.
    let players = vec!["cadia-uct".parse()?, "random".parse()?];
    let setup = MatchSetup { playouts: Some(500), seed: 1, ..MatchSetup::new(players) };
    let record = run_match(&rulebook, &setup, &mut Printer)?;
    println!("goals: {:?}", record.goal_values);
    // The record has the fields of ggp-base's match format.
    println!("the record has {} bytes of JSON", record.to_json().len());
    Ok(())
}
