//! Before the first move: is everybody there who plays behind HTTP, and what do they read?

use std::time::Duration;

use ludex_arena::protocol::Status;
use ludex_arena::{Address, MatchSetup, Participant, probe};
use ludex_game::{Game, Observability};

use crate::output::{remark, report_error};

/// How long a player may take to answer INFO; managers allow a second.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks all players behind HTTP whether they are there, and finds out which of them read whole
/// seconds only. False if one is missing and nobody wants to go on without it.
pub(super) fn check(setup: &mut MatchSetup, keep_going: bool) -> bool {
    let mut addresses: Vec<Address> = Vec::new();
    for player in &setup.players {
        if let Participant::Http(address) = player
            && !addresses.contains(address)
        {
            addresses.push(address.clone());
        }
    }
    let mut all_there = true;
    let mut reading_whole_seconds = Vec::new();
    for address in addresses {
        let reads_fractions = match probe(&address, PATIENCE) {
            Ok(presence) => {
                if presence.status == Some(Status::Busy) {
                    remark(format_args!("{address} is busy: it may refuse the match"));
                }
                presence.is_ludex
            }
            Err(error) => {
                all_there = false;
                let error = error.to_string();
                let place = if error.contains(&address.to_string()) {
                    String::new()
                } else {
                    format!(" at {address}")
                };
                let text = anyhow::anyhow!("no player answers{place}: {error}");
                if keep_going {
                    remark(format_args!("{text}; random moves are played for it"));
                } else {
                    report_error(&text);
                }
                false
            }
        };
        if !reads_fractions {
            reading_whole_seconds.push(address);
        }
    }
    if !all_there && !keep_going {
        remark(format_args!(
            "start the player first (`ludex serve` is one), or play without it with --keep-going"
        ));
        return false;
    }
    let clocks = [setup.start_clock, setup.play_clock];
    if clocks.iter().any(|clock| clock.subsec_nanos() > 0) {
        for address in &reading_whole_seconds {
            remark(format_args!(
                "{address} may read whole seconds only: for it, clocks are rounded up to {} s and {} s",
                clocks[0].as_secs_f64().ceil(),
                clocks[1].as_secs_f64().ceil(),
            ));
        }
        setup.whole_seconds = reading_whole_seconds;
    }
    true
}

/// A sheet in GDL-II is played as if all roles saw everything: prints a warning.
pub(super) fn warn_of_percepts(game: &dyn Game) {
    if game.info().observability == Some(Observability::Partial) {
        remark(format_args!(
            "warning: the sheet has `sees` rules (GDL-II), but here every role sees the whole state and all moves"
        ));
    }
}
