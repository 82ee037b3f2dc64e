//! A match as plain text, for files and pipes: a line for each step, the board at the end.

use anyhow::Result;
use ludex_arena::{Event, MatchRecord, MoveReport, Observer};

use super::View;
use super::paper::Paper;
use super::result::result;
use super::scene::{Scene, moves, short};

/// The title line: players, clocks or playouts, seed.
pub(crate) fn heading(scene: &Scene, record: &MatchRecord) -> String {
    let roles = record.role_names();
    let names: Vec<String> = roles
        .iter()
        .zip(&record.player_names_from_host)
        .map(|(role, player)| format!("{role} {player}"))
        .collect();
    let details = record.ludex.as_ref();
    let limit = match details.and_then(|details| details.playouts) {
        Some(playouts) => format!("{playouts} playouts per move"),
        None => format!("{} s per move", record.play_clock),
    };
    let seed = details.map_or_else(String::new, |details| format!(", seed {}", details.seed));
    format!("{}: {}; {limit}{seed}\n", scene.title(record), names.join(", "))
}

/// A player's search report, in a few words.
pub(crate) fn thought(report: &MoveReport) -> String {
    let value = report.value.map(|value| format!("expects {value:.0}"));
    let parts: Vec<String> =
        value.into_iter().chain([speed(report)]).filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// Playouts per second; empty without playouts.
pub(crate) fn speed(report: &MoveReport) -> String {
    match report.playouts {
        0 => String::new(),
        _ => format!("{} playouts/s", short(report.playouts_per_second())),
    }
}

/// Writes a line for each step.
pub(super) struct Plain {
    scene: Scene,
    paper: Paper,
    /// Whether another match was shown before.
    again: bool,
    notes: Vec<String>,
}

impl Plain {
    pub(super) fn new(scene: Scene, paper: Paper, again: bool) -> Self {
        Self { scene, paper, again, notes: Vec::new() }
    }
}

impl Observer for Plain {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { record } => {
                let gap = if self.again { "\n" } else { "" };
                self.paper.write(&format!("{gap}{}\n", heading(&self.scene, record)));
            }
            Event::Answered { report, fault, .. } => {
                self.notes.extend(fault.map(|fault| format!("error: {fault}")));
                self.notes.extend(report.map(thought).filter(|thought| !thought.is_empty()));
            }
            Event::Moved { step, record } => {
                let notes = std::mem::take(&mut self.notes).join("; ");
                let line = format!("{step:>4}  {:<32}  {notes}", moves(record, *step));
                self.paper.write(&format!("{}\n", line.trim_end()));
            }
            Event::Asked { .. } | Event::Waiting { .. } | Event::TakenBack { .. } | Event::Ended { .. } => {}
        }
    }
}

impl View for Plain {
    fn finish(&mut self, record: &MatchRecord) -> Result<()> {
        let board = self.scene.board(record, record.steps());
        self.paper.write(&format!("\n{board}\n{}", result(record)));
        self.paper.finish()
    }
}

/// Writes the result only.
pub(super) struct Quiet {
    paper: Paper,
}

impl Quiet {
    pub(super) fn new(paper: Paper) -> Self {
        Self { paper }
    }
}

impl Observer for Quiet {
    fn event(&mut self, _: &Event<'_>) {}
}

impl View for Quiet {
    fn finish(&mut self, record: &MatchRecord) -> Result<()> {
        self.paper.write(&result(record));
        self.paper.finish()
    }
}
