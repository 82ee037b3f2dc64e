//! A match on a terminal: the board, clocks, expected scores and the last moves. Redrawn in place;
//! the last picture stays.

use std::time::Duration;

use anyhow::Result;
use ludex_arena::{Event, MatchRecord, MoveReport, Observer};

use super::View;
use super::paper::Paper;
use super::plain::{heading, speed};
use super::result::result;
use super::scene::{Scene, moves};
use crate::output::{terminal_height, terminal_width};

/// How often clocks are redrawn.
const EVERY: Duration = Duration::from_millis(100);
/// Cells of a bar.
const BAR: usize = 20;

/// A player as it is shown.
#[derive(Clone, Default)]
struct Seat {
    role: String,
    player: String,
    thinking: bool,
    report: Option<MoveReport>,
    /// What it said last, and how long that took.
    last: String,
    took: Duration,
    errors: usize,
}

/// Draws the match.
pub(super) struct Live {
    scene: Scene,
    paper: Paper,
    seats: Vec<Seat>,
    heading: String,
    board: String,
    moves: Vec<String>,
    clock: Option<Duration>,
    elapsed: Duration,
    /// Lines of the picture that is there.
    drawn: usize,
}

impl Live {
    pub(super) fn new(scene: Scene, paper: Paper) -> Self {
        Self {
            scene,
            paper,
            seats: Vec::new(),
            heading: String::new(),
            board: String::new(),
            moves: Vec::new(),
            clock: None,
            elapsed: Duration::ZERO,
            drawn: 0,
        }
    }

    /// The picture.
    fn frame(&self) -> Vec<String> {
        let mut lines: Vec<String> = vec![self.heading.trim_end().to_owned(), String::new()];
        lines.extend(self.board.lines().map(str::to_owned));
        lines.push(String::new());
        lines.extend(self.lines_of_seats());
        lines.push(String::new());
        lines.push(self.last_moves());
        lines
    }

    /// Puts the picture over the last one.
    fn draw(&mut self) {
        let lines = self.frame();
        // What is higher than the terminal cannot be drawn over: its top is left out.
        let room = terminal_height().saturating_sub(1).max(3);
        let lines = &lines[lines.len().saturating_sub(room)..];
        let mut text = String::new();
        if self.drawn > 0 {
            text += &format!("\x1b[{}A", self.drawn);
        }
        for line in lines {
            text += &format!("\r{line}\x1b[K\n");
        }
        text += "\x1b[J";
        self.drawn = lines.len();
        self.paper.write(&text);
    }

    fn lines_of_seats(&self) -> Vec<String> {
        let width = |text: fn(&Seat) -> &String| {
            self.seats.iter().map(|seat| text(seat).chars().count()).max().unwrap_or(0)
        };
        let (roles, players) = (width(|seat| &seat.role), width(|seat| &seat.player));
        let line = |seat: &Seat| {
            let Seat { role, player, thinking, report, last, took, errors } = seat;
            let bar = bar(report.as_ref().and_then(|report| report.value), self.scene.ascii());
            let state = if *thinking {
                match self.clock {
                    Some(clock) => {
                        format!("thinks {:.1} of {} s", self.elapsed.as_secs_f64(), clock.as_secs_f64())
                    }
                    None => "thinks".to_owned(),
                }
            } else if last.is_empty() {
                String::new()
            } else {
                let speed = report.as_ref().map(speed).filter(|speed| !speed.is_empty());
                let speed = speed.map_or_else(String::new, |speed| format!(", {speed}"));
                format!("{last}, {:.2} s{speed}", took.as_secs_f64())
            };
            let errors = match errors {
                0 => String::new(),
                1 => "  1 error".to_owned(),
                n => format!("  {n} errors"),
            };
            let text = format!("{role:<roles$}  {player:<players$}  {bar}  {state}{errors}");
            cut(&text, terminal_width())
        };
        self.seats.iter().map(line).collect()
    }

    /// As many of the last moves as fit on a line.
    fn last_moves(&self) -> String {
        let room = terminal_width().saturating_sub(4);
        let (mut shown, mut used) = (Vec::new(), 0);
        for told in self.moves.iter().rev() {
            used += told.chars().count() + 2;
            if used > room && !shown.is_empty() {
                shown.push("…".to_owned());
                break;
            }
            shown.push(told.clone());
        }
        shown.reverse();
        cut(&shown.join("  "), terminal_width())
    }
}

/// A text that fits on a line.
fn cut(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

/// What somebody expects to get, of 100.
fn bar(value: Option<f64>, ascii: bool) -> String {
    let (full, empty) = if ascii { ("#", ".") } else { ("█", "░") };
    let Some(value) = value else { return format!("{}    ", " ".repeat(BAR)) };
    let share = (value / 100.0).clamp(0.0, 1.0) * BAR as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
    let cells = share.round() as usize;
    format!("{}{} {value:>3.0}", full.repeat(cells), empty.repeat(BAR - cells))
}

impl Live {
    /// Takes notice of what happened.
    fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { record } => {
                self.heading = heading(&self.scene, record);
                self.board = self.scene.board(record, 0);
                let seats = record.role_names().into_iter().zip(&record.player_names_from_host);
                self.seats = seats
                    .map(|(role, player)| Seat { role, player: player.clone(), ..Seat::default() })
                    .collect();
            }
            Event::Asked { thinking, clock, .. } => {
                for (seat, thinking) in self.seats.iter_mut().zip(*thinking) {
                    seat.thinking = *thinking;
                }
                (self.clock, self.elapsed) = (*clock, Duration::ZERO);
            }
            Event::Waiting { elapsed } => self.elapsed = *elapsed,
            Event::Answered { role, chosen, took, report, fault, .. } => {
                if let Some(seat) = self.seats.get_mut(*role) {
                    seat.thinking = false;
                    seat.took = *took;
                    seat.last = chosen.map_or_else(|| "ready".to_owned(), str::to_owned);
                    seat.errors += usize::from(fault.is_some());
                    if report.is_some() {
                        seat.report = report.cloned();
                    }
                }
            }
            Event::Moved { step, record } => {
                self.board = self.scene.board(record, *step);
                self.moves.push(format!("{step} {}", moves(record, *step)));
            }
            Event::Ended { .. } => self.seats.iter_mut().for_each(|seat| seat.thinking = false),
        }
    }
}

impl Observer for Live {
    fn ticks(&self) -> Option<Duration> {
        Some(EVERY)
    }

    fn event(&mut self, event: &Event<'_>) {
        self.note(event);
        self.draw();
    }
}

impl View for Live {
    fn finish(&mut self, record: &MatchRecord) -> Result<()> {
        self.paper.write(&format!("\n{}\n", result(record).trim_end()));
        self.paper.finish()
    }
}

#[cfg(test)]
mod tests {
    use ludex_arena::{MatchSetup, Rulebook, run_match};
    use ludex_search::Stop;

    use super::*;

    #[test]
    fn the_picture_has_board_players_and_moves() {
        let sheet = ludex_library::find("tic_tac_toe").unwrap();
        let rulebook = Rulebook::new(sheet.name, sheet.text).unwrap();
        let players = ["mc:each=8", "legal"].map(|spec| spec.parse().unwrap()).to_vec();
        let setup = MatchSetup { playouts: Some(80), seed: 3, ..MatchSetup::new(players) };
        let scene = Scene::new(Some(sheet.about().unwrap()), true);
        let mut live = Live::new(scene, Paper::new(Stop::new()));
        let mut thinking = Vec::new();
        let mut watch = |event: &Event<'_>| {
            live.note(event);
            if let Event::Asked { step: 1, .. } = event {
                thinking = live.frame();
            }
        };
        let record = run_match(&rulebook, &setup, &mut watch).unwrap();
        assert_eq!(thinking[0], "Tic-tac-toe: x mc:each=8, o legal; 80 playouts per move, seed 3");
        assert!(thinking.iter().any(|line| line.starts_with("x  mc:each=8") && line.ends_with("thinks")));
        let frame = live.frame();
        let board = live.board.clone();
        assert!(board.lines().all(|line| frame.iter().any(|shown| shown == line)), "{frame:?}");
        let x = frame.iter().find(|line| line.starts_with("x  mc:each=8")).unwrap();
        assert!(x.contains("#") && x.contains("playouts/s"), "{x}");
        let last = format!("{} ", record.steps());
        assert!(frame.last().unwrap().contains(&last), "{frame:?}");
    }

    #[test]
    fn bars_show_what_is_expected() {
        assert_eq!(bar(Some(50.0), true), "##########..........  50");
        assert_eq!(bar(Some(250.0), true), "#################### 250");
        assert_eq!(bar(None, true).len(), 24);
    }
}
