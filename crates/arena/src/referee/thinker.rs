//! A player in this process: a search that is asked for a move and may break down.
//!
//! Whatever a search does (panic, fail, answer nonsense), the referee gets an answer it can use. A search
//! that panicked is made anew, since nobody knows what it left behind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game, MoveId, State};
use ludex_search::{Budget, Search, Seat, Thinking};

use super::setup::MakeSearch;
use crate::record::{MoveReport, PlayerFault};

/// What came of thinking.
#[derive(Clone, Debug)]
pub(crate) struct Thought {
    /// What the search says, or why it says nothing.
    pub(crate) thinking: Result<Thinking, PlayerFault>,
    pub(crate) took: Duration,
}

/// A search and how to make it again.
pub(crate) struct Thinker {
    make: MakeSearch,
    seat: Seat,
    search: Option<Box<dyn Search>>,
}

impl Thinker {
    pub(crate) fn new(make: MakeSearch, seat: Seat) -> Self {
        Self { make, seat, search: None }
    }

    /// Thinks about a state.
    pub(crate) fn think(&mut self, state: &State, budget: &Budget) -> Thought {
        let begun = Instant::now();
        // Nothing of the search is used again after a panic.
        let result = catch_unwind(AssertUnwindSafe(|| self.search(state, budget)));
        let thinking = match result {
            Ok(Ok(thinking)) => Ok(thinking),
            Ok(Err(failure)) => Err(PlayerFault::connection(&failure.to_string())),
            Err(panic) => {
                // What is left of the search may panic as well when it is dropped.
                let rest = self.search.take();
                let _ = catch_unwind(AssertUnwindSafe(|| drop(rest)));
                Err(PlayerFault::connection(&format!("the player panicked: {}", message(&*panic))))
            }
        };
        Thought { thinking, took: begun.elapsed() }
    }

    fn search(&mut self, state: &State, budget: &Budget) -> Result<Thinking, Failure> {
        let search = self.search.get_or_insert_with(|| (self.make)(self.seat.clone()));
        search.set_root(state)?;
        search.think(budget)?;
        Ok(search.thinking())
    }
}

/// What a panic said.
fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// A thought about a step.
pub(crate) struct Order {
    pub(crate) step: usize,
    pub(crate) state: State,
    pub(crate) budget: Budget,
}

/// Puts a thinker on a thread of its own, which ends when nobody can order any more. Thoughts go to
/// `done` with the step that they are about; orders that were overtaken by another one are left out.
pub(crate) fn on_own_thread(
    mut thinker: Thinker,
    name: &str,
    mut done: impl FnMut(usize, Thought) + Send + 'static,
) -> std::io::Result<Sender<Order>> {
    let (sender, orders): (Sender<Order>, Receiver<Order>) = channel();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        while let Ok(mut order) = orders.recv() {
            while let Ok(newer) = orders.try_recv() {
                order = newer;
            }
            let thought = thinker.think(&order.state, &order.budget);
            done(order.step, thought);
        }
    })?;
    Ok(sender)
}

/// A thought as records have it.
pub(crate) fn report(
    game: &dyn Game,
    role: usize,
    thinking: &Thinking,
    chosen: MoveId,
    took: Duration,
) -> MoveReport {
    /// Longer lines say nothing.
    const LINE: usize = 12;
    let candidate = thinking.chosen();
    let values = candidate.map(|chosen| &chosen.values).filter(|values| !values.is_empty());
    let values: Vec<f64> = values.unwrap_or(&thinking.values).iter().map(|&value| rounded(value)).collect();
    let names = |joint: &Vec<MoveId>| joint.iter().map(|&id| game.move_name(id)).collect();
    MoveReport {
        chosen: game.move_name(chosen),
        value: values.get(role).copied(),
        values,
        visits: candidate.map_or(0, |chosen| chosen.visits),
        playouts: thinking.playouts,
        steps: thinking.steps,
        nodes: thinking.nodes,
        proven: thinking.proven,
        line: thinking.line.iter().take(LINE).map(names).collect(),
        seconds: took.as_secs_f64(),
    }
}

/// More digits would only fill records.
fn rounded(value: f64) -> f64 {
    if value.is_finite() { (value * 100.0).round() / 100.0 } else { 0.0 }
}
