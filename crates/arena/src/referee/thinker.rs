//! Players in this process: a search that answers the referee.
//!
//! The search runs in a [`SearchRunner`], the same as behind the HTTP server, so that a panic or a
//! failure becomes a [`PlayerFault`]. The referee itself then draws a legal move: the record must
//! show the fault, while a session would hide it behind its guard's move.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use ludex_engine::SearchRunner;
use ludex_game::State;
use ludex_search::Budget;

use super::table::{Outcome, Said};
use crate::record::PlayerFault;

/// Searches a state within a budget.
pub(crate) fn think(runner: &mut SearchRunner, state: &State, budget: &Budget) -> Outcome {
    let begun = Instant::now();
    let report = runner
        .set_root(state)
        .and_then(|()| runner.think(budget))
        .and_then(|_| runner.report())
        .map_err(|fault| PlayerFault::connection(&fault.to_string()));
    Outcome { said: report.map(Said::Report), took: begun.elapsed() }
}

/// A state to search, for a step of the match.
pub(crate) struct Order {
    pub(crate) step: usize,
    pub(crate) state: State,
    pub(crate) budget: Budget,
}

/// Runs a search on a thread of its own, which ends when the sender of orders is dropped. Outcomes
/// go to `done` with their step; an order that a newer one has replaced is skipped.
pub(crate) fn on_own_thread(
    mut runner: SearchRunner,
    name: &str,
    mut done: impl FnMut(usize, Outcome) + Send + 'static,
) -> std::io::Result<Sender<Order>> {
    let (sender, orders): (Sender<Order>, Receiver<Order>) = channel();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        while let Ok(mut order) = orders.recv() {
            while let Ok(newer) = orders.try_recv() {
                order = newer;
            }
            let outcome = think(&mut runner, &order.state, &order.budget);
            done(order.step, outcome);
        }
    })?;
    Ok(sender)
}
