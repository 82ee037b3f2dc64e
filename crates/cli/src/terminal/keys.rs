//! What keys do: step through a match, enter moves by text or by cursor, give commands.

use std::time::Duration;

use ludex_arena::PersonAnswer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::{Action, App, DELAYS, Mode, USUAL_DELAY};
use super::cells;
use super::entry::{Choice, Choices, Command, Entry};
use super::line_mode::undo;
use super::showing::{Next, show_me};

/// Positions that a page has.
const PAGE: usize = 10;
/// How long each position of a plan is shown.
const PLAN_DELAY: Duration = Duration::from_millis(400);
/// Longest text that can be typed.
const MAX_INPUT: usize = 200;

impl App<'_> {
    /// Shows a position and stays there.
    fn pause_at(&mut self, step: usize) {
        self.playing = false;
        self.go_to(step);
    }

    /// What a key does.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Action> {
        if key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return Some(Action::Abort);
        }
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            if key.code == KeyCode::Char('u') {
                self.input.clear();
            }
            return None;
        }
        if self.help {
            self.help = false;
            return None;
        }
        if key.code == KeyCode::Char('?') && self.input.is_empty() {
            self.help = true;
            return None;
        }
        if self.browsing() { self.browse(key.code) } else { self.play(key.code) }
    }

    /// Keys that step through a match.
    fn browse(&mut self, key: KeyCode) -> Option<Action> {
        let last = self.story.steps();
        let at = self.at;
        match key {
            KeyCode::Char('q') => return Some(Action::Quit),
            KeyCode::Char('s') => return Some(Action::Save(None)),
            KeyCode::Char('u') if self.mode == Mode::Play => match self.story.back() {
                Some(step) => return Some(Action::Back(step)),
                None => self.message = "There is nothing to take back.".to_owned(),
            },
            KeyCode::Enter if !self.input.is_empty() => {
                let step = self.input.parse().unwrap_or(last);
                self.input.clear();
                self.playing = false;
                self.go_to(step);
            }
            KeyCode::Right | KeyCode::Char('n' | 'l') | KeyCode::Enter => self.pause_at(at + 1),
            KeyCode::Left | KeyCode::Char('b' | 'h') => self.pause_at(at.saturating_sub(1)),
            KeyCode::PageDown | KeyCode::Down => self.pause_at(at + PAGE),
            KeyCode::PageUp | KeyCode::Up => self.pause_at(at.saturating_sub(PAGE)),
            KeyCode::Home | KeyCode::Char('g') => self.pause_at(0),
            KeyCode::End | KeyCode::Char('G') => self.pause_at(last),
            KeyCode::Char(' ') => {
                self.playing = !self.playing;
                if self.playing && self.story.over && self.at == last {
                    self.go_to(0);
                }
                if self.story.over && self.delay == 0 {
                    self.delay = USUAL_DELAY;
                }
                self.since = std::time::Instant::now();
            }
            KeyCode::Char('+' | '=') => self.delay = self.delay.saturating_sub(1),
            KeyCode::Char('-') => self.delay = (self.delay + 1).min(DELAYS.len() - 1),
            KeyCode::Char(digit @ '0'..='9') if self.input.len() < MAX_INPUT => self.input.push(digit),
            KeyCode::Backspace => drop(self.input.pop()),
            KeyCode::Esc => self.input.clear(),
            _ => {}
        }
        None
    }

    /// Keys of a person who plays.
    fn play(&mut self, key: KeyCode) -> Option<Action> {
        self.showing.stop();
        let last = self.story.steps();
        match key {
            KeyCode::PageUp => self.go_to(self.at.saturating_sub(1)),
            KeyCode::PageDown => self.go_to(self.at + 1),
            KeyCode::Home => self.go_to(0),
            KeyCode::End => self.go_to(last),
            KeyCode::Left => self.walk(-1, 0),
            KeyCode::Right => self.walk(1, 0),
            KeyCode::Up => self.walk(0, -1),
            KeyCode::Down => self.walk(0, 1),
            KeyCode::Tab => self.next_board(),
            KeyCode::Esc => {
                self.input.clear();
                self.entered_early = false;
                self.picks.clear();
                self.message.clear();
                self.go_to(last);
            }
            KeyCode::Backspace => {
                self.entered_early = false;
                self.input.pop();
            }
            KeyCode::Char(c) if !c.is_control() && self.input.chars().count() < MAX_INPUT => {
                self.go_to(last);
                if std::mem::take(&mut self.entered_early) {
                    self.input.clear();
                }
                self.input.push(c);
            }
            KeyCode::Enter if self.input.trim().is_empty() => return self.pick(),
            KeyCode::Enter if self.story.request().is_none() && !command_now(&self.input) => {
                self.entered_early = true;
            }
            KeyCode::Enter => {
                let text = std::mem::take(&mut self.input);
                return self.entered(&text);
            }
            _ => {}
        }
        None
    }

    /// The next move of the plan that is shown, or what was entered before the person was asked, when
    /// they are.
    pub(super) fn early(&mut self) -> Option<Action> {
        if let Some(request) = self.story.request().filter(|_| self.since.elapsed() >= PLAN_DELAY) {
            match self.showing.next(&request.legal) {
                Next::Move(name) => return Some(Action::Answer(PersonAnswer::Move(name))),
                Next::Plan => return self.command(Command::Hint),
                Next::Nothing => {}
            }
        }
        if !self.entered_early || self.story.request().is_none() {
            return None;
        }
        self.entered_early = false;
        let text = std::mem::take(&mut self.input);
        self.entered(&text)
    }

    /// A line was typed.
    fn entered(&mut self, text: &str) -> Option<Action> {
        self.message.clear();
        let asked = self.story.request().is_some();
        match self.choices.read(text) {
            Entry::Move(name) if asked => return Some(Action::Answer(PersonAnswer::Move(name))),
            Entry::Several(several) if asked => self.message = Choices::which(text, &several),
            Entry::Unknown if asked => self.message = self.choices.not_legal(text),
            Entry::Command(command) => return self.command(command),
            _ => self.message = "It is not your turn.".to_owned(),
        }
        None
    }

    fn command(&mut self, command: Command) -> Option<Action> {
        let asked = self.story.request().is_some();
        match command {
            Command::Hint | Command::Resign if !asked => self.message = "It is not your turn.".to_owned(),
            Command::Hint => {
                self.message = "Searching for a hint …".to_owned();
                return Some(Action::Hint);
            }
            Command::ShowMe => match show_me(&self.story) {
                Ok(()) => self.showing.begin(),
                Err(why) => self.message = why.to_owned(),
            },
            Command::Resign => return Some(Action::Answer(PersonAnswer::Resign)),
            Command::Undo => match undo(&self.story) {
                Ok(step) => return Some(Action::Answer(PersonAnswer::TakeBack(step))),
                Err(why) => self.message = why.to_owned(),
            },
            Command::Save(file) => return Some(Action::Save(file)),
            Command::Moves => self.message = Choices::listed(self.choices.all(), usize::MAX),
            Command::Help => self.help = true,
            Command::Quit => return Some(Action::Quit),
        }
        None
    }

    /// Moves the cursor; the first time it appears.
    fn walk(&mut self, right: isize, down: isize) {
        let Some(record) = self.story.record.as_ref().filter(|_| self.choosing()) else { return };
        let picture = self.scene.picture(record, self.at);
        self.cursor = match self.cursor {
            Some(place) => Some(cells::step(&picture, place, right, down)),
            None => cells::boards(&picture, self.choices.all())
                .first()
                .and_then(|&grid| cells::first(&picture, self.choices.all(), grid)),
        };
        if self.cursor.is_none() {
            self.message = "The moves of this game do not name cells: type a move.".to_owned();
        }
    }

    /// Puts the cursor on the next board.
    fn next_board(&mut self) {
        let Some(record) = self.story.record.as_ref().filter(|_| self.choosing()) else { return };
        let picture = self.scene.picture(record, self.at);
        let boards = cells::boards(&picture, self.choices.all());
        let now = self.cursor.map(|cursor| cursor.grid);
        let next = boards.iter().find(|&&grid| now.is_none_or(|now| grid > now)).or(boards.first());
        self.cursor = next.and_then(|&grid| cells::first(&picture, self.choices.all(), grid));
    }

    /// Picks the cell under the cursor.
    fn pick(&mut self) -> Option<Action> {
        let place = self.cursor.filter(|_| self.choosing())?;
        let picture = self.scene.picture(self.story.record.as_ref()?, self.at);
        self.message.clear();
        if self.picks.first().is_some_and(|first| first.grid != place.grid) {
            self.picks.clear();
        }
        self.picks.push(place);
        let mut fitting = cells::fitting(&picture, self.choices.all(), &self.picks);
        if fitting.is_empty() {
            // Perhaps another piece is meant.
            self.picks = vec![place];
            fitting = cells::fitting(&picture, self.choices.all(), &self.picks);
        }
        let complete: Vec<&&Choice> =
            fitting.iter().filter(|choice| cells::complete(&picture, choice, &self.picks)).collect();
        match (fitting.len(), complete.len()) {
            (0, _) => {
                self.picks.clear();
                self.message = "No legal move names this cell.".to_owned();
            }
            (1, 1) => {
                let name = fitting[0].name.clone();
                self.picks.clear();
                return Some(Action::Answer(PersonAnswer::Move(name)));
            }
            (_, 0) => {}
            (_, _) => {
                let several: Vec<Choice> = fitting.into_iter().cloned().collect();
                self.message = format!("Several moves: {}. Type a number.", Choices::listed(&several, 8));
            }
        }
        None
    }
}

/// Whether a text is a command that needs no turn.
fn command_now(text: &str) -> bool {
    let read = Choices::default().read(text);
    matches!(read, Entry::Command(Command::Quit | Command::Help | Command::Save(_)))
}
