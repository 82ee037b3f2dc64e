//! How fast engines are: each engine with each game, one after the other, so that nothing disturbs.
//!
//! | file | what it measures |
//! |---|---|
//! | `monte_carlo` | states per second in random playouts from the initial state |
//! | `minimax` | states per second in minimax search of a fixed depth |
//! | `external` | engines of others, as processes: random playouts only |
//!
//! Rates of our engines are by CPU time of the thread; those of others are by their own account.

mod external;
mod minimax;
mod monte_carlo;

use std::time::{Duration, Instant};

use ludex_gdl::Rules;
use ludex_reasoner::{BuildOptions, Progress, build_with};

use crate::experiment::{ExternalEngine, Setting};
use crate::games::GameSheet;
use crate::journal::Journal;
use crate::outcome::ReasonerOutcome;
use crate::rulebook::rules;
use crate::run::{Order, RunError, RunEvent, Summary, Watcher};

/// An engine to measure.
#[derive(Clone, Copy, Debug)]
enum Candidate<'a> {
    Own(&'a str),
    External(&'a ExternalEngine),
}

/// Measures what is not there yet. What ended in an error is tried again.
pub(crate) fn run(order: &Order<'_>, watcher: &mut dyn Watcher) -> Result<Summary, RunError> {
    let (mut journal, known) = Journal::<ReasonerOutcome>::open(&order.folder.file("reasoners.jsonl"))?;
    let experiment = &order.file.experiment;
    let ours = experiment.engines.iter().map(|name| Candidate::Own(name));
    let candidates: Vec<Candidate<'_>> =
        ours.chain(experiment.external.iter().map(Candidate::External)).collect();
    let mut wanted = Vec::new();
    for setting in &order.form.settings {
        for &game in order.games.iter().filter(|game| !setting.leaves_out(game)) {
            for &candidate in &candidates {
                wanted.extend((0..order.count).map(|number| (setting, game, candidate, number)));
            }
        }
    }
    let total = wanted.len() as u64;
    wanted.retain(|&(setting, game, candidate, number)| {
        let blank = blank(setting, game, candidate, number);
        !known.iter().any(|outcome| outcome.is_same(&blank) && outcome.error.is_none())
    });
    let before = total - wanted.len() as u64;
    watcher.event(&RunEvent::Planned { total, before });
    let mut summary = Summary { before, ..Summary::default() };
    for (setting, game, candidate, number) in wanted {
        if order.stop.is_set() {
            summary.interrupted = true;
            break;
        }
        let Some(sheet) = order.file.sheet(game) else { continue };
        watcher.event(&RunEvent::Preparing { game });
        let mut outcome = blank(setting, game, candidate, number);
        let seconds = Duration::from_secs_f64(setting.play.unwrap_or(1.0));
        let measured = match candidate {
            Candidate::Own(engine) => measure(&mut outcome, sheet, engine, seconds, number),
            Candidate::External(engine) => external::run(engine, sheet, seconds, order.stop)
                .map(|visited| outcome.monte_carlo = Some(visited))
                .map_err(|error| error.to_string()),
        };
        if order.stop.is_set() {
            // Cut off: measured again the next time.
            summary.interrupted = true;
            break;
        }
        outcome.error = measured.err();
        journal.append(&outcome)?;
        watcher.event(&RunEvent::Measured(&outcome));
        match &outcome.error {
            None => summary.finished += 1,
            Some(error) => summary.failed.push((format!("{} with {}", game, outcome.engine), error.clone())),
        }
    }
    Ok(summary)
}

fn blank(setting: &Setting, game: &str, candidate: Candidate<'_>, number: u64) -> ReasonerOutcome {
    let engine = match candidate {
        Candidate::Own(name) => name,
        Candidate::External(engine) => &engine.name,
    };
    ReasonerOutcome {
        setting: setting.name.clone(),
        game: game.to_owned(),
        engine: engine.to_owned(),
        number,
        setup_seconds: None,
        monte_carlo: None,
        minimax: None,
        error: None,
    }
}

/// Measures an engine of ours; what was measured before an error stays.
fn measure(
    outcome: &mut ReasonerOutcome,
    sheet: &GameSheet,
    engine: &str,
    seconds: Duration,
    number: u64,
) -> Result<(), String> {
    let started = Instant::now();
    let rules: Rules = rules(sheet).map_err(|error| error.to_string())?;
    let built = build_with(rules, engine, &BuildOptions::default(), &Progress::new());
    let game = built.map_err(|error| error.to_string())?.game;
    monte_carlo::first(&game).map_err(|failure| failure.to_string())?;
    outcome.setup_seconds = Some(started.elapsed().as_secs_f64());
    let seed = number.wrapping_add(1);
    outcome.monte_carlo =
        Some(monte_carlo::measure(&game, seconds, seed).map_err(|failure| failure.to_string())?);
    outcome.minimax = Some(minimax::measure(&game, seconds).map_err(|failure| failure.to_string())?);
    Ok(())
}
