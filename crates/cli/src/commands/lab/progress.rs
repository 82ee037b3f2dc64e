//! How far a run is: a bar on a terminal, a line now and then elsewhere, or JSON for programs.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use ludex_lab::{MatchOutcome, RunEvent, Watcher};
use serde::Serialize;

use crate::output::{remark, stdout};

/// How often a line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// Shows a run.
pub(crate) struct Progress {
    json: bool,
    bar: ProgressBar,
    begun: Instant,
    last: Instant,
    total: u64,
    before: u64,
    done: u64,
    /// What kept us from writing.
    failed: Option<anyhow::Error>,
}

/// A match; the names are a contract with programs that read them.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    score: f64,
    #[serde(flatten)]
    outcome: &'a MatchOutcome,
}

impl Progress {
    pub(crate) fn new(json: bool) -> Self {
        let (bar, now) = (ProgressBar::new(0), Instant::now());
        let style = "{bar:30} {pos}/{len}  {per_sec}  {eta} left  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self { json, bar, begun: now, last: now, total: 0, before: 0, done: 0, failed: None }
    }

    /// The run is over; the error that ended the showing, if there was one.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.bar.finish_and_clear();
        self.failed.take().map_or(Ok(()), Err)
    }

    fn line(&mut self, line: &impl Serialize) {
        let write = || -> Result<()> {
            let mut out = stdout();
            writeln!(out, "{}", serde_json::to_string(line)?)?;
            Ok(out.flush()?)
        };
        if self.json
            && self.failed.is_none()
            && let Err(error) = write()
        {
            self.failed = Some(error);
        }
    }

    fn one_more(&mut self) {
        self.done += 1;
        self.bar.inc(1);
        if self.bar.is_hidden() && self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            let seconds = self.begun.elapsed().as_secs_f64();
            let left = self.total.saturating_sub(self.before + self.done) as f64 * seconds / self.done as f64;
            let there = self.before + self.done;
            remark(format_args!("{there}/{} after {seconds:.0} s, {left:.0} s left", self.total));
        }
    }

    fn tell(&self, text: std::fmt::Arguments<'_>) {
        self.bar.suspend(|| remark(text));
    }
}

impl Watcher for Progress {
    fn event(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Planned { total, before } => {
                (self.total, self.before) = (*total, *before);
                self.bar.set_length(*total);
                self.bar.set_position(*before);
                self.bar.reset_eta();
            }
            RunEvent::Preparing { game } => {
                self.bar.set_message((*game).to_owned());
                self.bar.tick();
            }
            RunEvent::Crowded { game, wanted } => self.tell(format_args!(
                "{game}: a match needs {wanted} cores; with fewer, players with clocks share cores"
            )),
            RunEvent::Finished { id, outcome } => {
                self.line(&Line { id, score: outcome.score(), outcome });
                self.bar.set_message(outcome.cell.game.clone());
                self.one_more();
            }
            RunEvent::Failed { id, problem } => self.tell(format_args!("{id} failed: {problem}")),
            RunEvent::Enough { cell, after, spared } => {
                self.total = self.total.saturating_sub(*spared);
                self.bar.set_length(self.total);
                let ludex_lab::Cell { setting, game, player, opponent } = cell;
                self.tell(format_args!(
                    "{game}, {setting}, {player} against {opponent}: enough after {after} matches"
                ));
            }
            RunEvent::Measured(outcome) => {
                self.line(outcome);
                if let Some(error) = &outcome.error {
                    self.tell(format_args!("{} with {}: {error}", outcome.game, outcome.engine));
                }
                self.one_more();
            }
            RunEvent::Scored(outcome) => {
                self.line(outcome);
                self.one_more();
            }
        }
    }
}
