//! The full screen: what it shows, and what keys do. One app plays, watches and replays: a match is
//! a growing record, and the screen is at one of its positions.

use std::time::{Duration, Instant};

use anyhow::Result;
use ludex_arena::{MatchRecord, Participant, PersonAnswer};
use ludex_library::Place;
use ludex_search::Stop;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::cells;
use super::entry::{Choice, Choices, Command, Entry};
use super::line_mode::undo;
use super::messages::Message;
use super::screen::Screen;
use super::story::Story;
use super::view;
use super::{Left, People, Show, ask_for_hint, has_people, save};
use crate::commands::matches::scene::Scene;

/// What the screen is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// People have seats.
    Play,
    /// A match without people.
    Watch,
    /// A record.
    Replay,
}

/// How long a position is shown when a match is played back; the first is as fast as it comes.
const DELAYS: [Duration; 7] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];
/// The delay of replays that are started with the space bar.
const USUAL_DELAY: usize = 4;
/// How often clocks are redrawn and messages are looked for.
const EVERY: Duration = Duration::from_millis(50);
/// Positions that a page has.
const PAGE: usize = 10;
/// Longest text that can be typed.
const MAX_INPUT: usize = 200;

/// What a key asks of those outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Answer(PersonAnswer),
    Hint,
    Save(Option<String>),
    /// The match is over: go on from an earlier position.
    Back(usize),
    /// Leave on purpose.
    Quit,
    /// Ctrl-C.
    Abort,
}

/// The state of the screen.
pub(super) struct App<'a> {
    pub(super) scene: &'a Scene,
    pub(super) mode: Mode,
    pub(super) story: Story,
    /// The position that is shown, as a number of joint moves.
    pub(super) at: usize,
    /// Go on to the next position by itself.
    pub(super) playing: bool,
    /// Index of the delay between positions.
    delay: usize,
    /// When the position was reached.
    since: Instant,
    pub(super) input: String,
    /// The input was entered before a person was asked: it is read when that happens.
    entered_early: bool,
    /// Time that people have for a move.
    pub(super) human_clock: Option<Duration>,
    pub(super) choices: Choices,
    pub(super) cursor: Option<Place>,
    pub(super) picks: Vec<Place>,
    pub(super) message: String,
    pub(super) help: bool,
    pub(super) colours: bool,
}

impl<'a> App<'a> {
    pub(super) fn new(scene: &'a Scene, mode: Mode, story: Story) -> Self {
        Self {
            scene,
            mode,
            story,
            at: 0,
            playing: mode != Mode::Replay,
            delay: if mode == Mode::Replay { USUAL_DELAY } else { 0 },
            since: Instant::now(),
            input: String::new(),
            entered_early: false,
            human_clock: None,
            choices: Choices::default(),
            cursor: None,
            picks: Vec::new(),
            message: String::new(),
            help: false,
            colours: !matches!(anstream::ColorChoice::global(), anstream::ColorChoice::Never),
        }
    }

    /// Whether a person is choosing a move, and the position is the one to choose in.
    pub(super) fn choosing(&self) -> bool {
        self.story.request().is_some() && self.at == self.story.steps()
    }

    /// Whether keys step through the match instead of entering moves.
    pub(super) fn browsing(&self) -> bool {
        self.mode != Mode::Play || self.story.over
    }

    /// The moves that are listed: those that fit the picked cells.
    pub(super) fn listed(&self) -> Vec<&Choice> {
        let Some(record) = self.story.record.as_ref().filter(|_| self.choosing()) else { return Vec::new() };
        let picture = self.scene.picture(record, self.at);
        cells::fitting(&picture, self.choices.all(), &self.picks)
    }

    /// How fast positions follow each other, in words.
    pub(super) fn speed(&self) -> String {
        match DELAYS[self.delay] {
            Duration::ZERO => "full speed".to_owned(),
            delay => format!("{} s a step", delay.as_secs_f64()),
        }
    }

    /// Takes notice of news.
    pub(super) fn note(&mut self, message: Message) {
        match message {
            Message::Hint(hint) if hint.step == self.story.steps() => self.message = hint.text,
            Message::Hint(_) | Message::Line(_) => {}
            message => {
                let followed = self.at == self.story.steps();
                let asked = self.story.request().map(|request| (request.step, request.role));
                if let Message::Moved(_) | Message::TakenBack(_) = message {
                    self.message.clear();
                }
                let over = self.story.over;
                self.story.note(message);
                self.asked(asked);
                if self.mode == Mode::Play && followed {
                    self.go_to(self.story.steps());
                }
                self.at = self.at.min(self.story.steps());
                if self.story.over && !over {
                    self.playing &= self.mode != Mode::Play;
                }
            }
        }
    }

    /// Another question may be open now.
    fn asked(&mut self, before: Option<(usize, usize)>) {
        let now = self.story.request().map(|request| (request.step, request.role));
        if now != before {
            self.picks.clear();
            self.cursor = None;
            let choices = self.story.request().map(|request| Choices::new(&request.legal));
            self.choices = choices.unwrap_or_default();
        }
    }

    /// Goes on by itself when it is time. Whether anything changed.
    pub(super) fn tick(&mut self) -> bool {
        let next = self.at < self.story.steps();
        if self.mode == Mode::Play || !self.playing || !next {
            return false;
        }
        let delay = DELAYS[self.delay];
        if delay.is_zero() {
            self.go_to(self.story.steps());
        } else if self.since.elapsed() >= delay {
            self.go_to(self.at + 1);
        } else {
            return false;
        }
        true
    }

    /// Shows a position.
    fn go_to(&mut self, step: usize) {
        self.at = step.min(self.story.steps());
        self.since = Instant::now();
    }

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
                self.since = Instant::now();
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

    /// What was entered before the person was asked, when they are.
    fn early(&mut self) -> Option<Action> {
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

/// Shows a match while it is played.
pub(super) fn run(show: &Show<'_>, people: &People, decisions: Vec<usize>) -> Result<Left> {
    let mode = if has_people(show.setup) { Mode::Play } else { Mode::Watch };
    let mut app = App::new(show.scene, mode, Story::after(decisions));
    app.human_clock = people.clock;
    let hints = Stop::new();
    let stay = |app: &App<'_>| mode == Mode::Play || show.stay || app.at < app.story.steps();
    let fixed = show.setup.players.iter().any(|player| matches!(player, Participant::Http(_)));
    let mut screen = Screen::enter()?;
    let mut drawn = Instant::now();
    let mut dirty = true;
    let left = loop {
        while let Ok(message) = people.incoming.try_recv() {
            app.note(message);
            dirty = true;
        }
        dirty |= app.tick();
        // A match that never began has nothing to show.
        if app.story.over && (app.story.record.is_none() || !stay(&app)) {
            break Left::Over;
        }
        // Clocks run.
        let running = app.story.thinking.contains(&true) && drawn.elapsed() >= EVERY * 2;
        if dirty || running {
            screen.draw(|frame| view::draw(frame, &app))?;
            (drawn, dirty) = (Instant::now(), false);
        }
        let early = app.early();
        dirty |= early.is_some();
        let action = match early {
            Some(action) => Some(action),
            None => next_action(&mut app, &screen, &mut dirty)?,
        };
        let Some(action) = action else { continue };
        match action {
            Action::Answer(answer) => {
                hints.set();
                hints.clear();
                if let Some(request) = app.story.take_request() {
                    let role = app.story.roles().get(request.role).cloned().unwrap_or_default();
                    request.answer(answer);
                    let others = app.story.thinking.iter().filter(|thinking| **thinking).count();
                    app.asked(None);
                    if others > 1 {
                        app.message = format!("{role} has chosen.");
                    }
                }
            }
            Action::Hint => {
                ask_for_hint(show, people, &app.story, &hints);
            }
            Action::Save(file) => save_to(&mut app, file.as_deref()),
            Action::Back(step) if fixed => {
                app.message = format!("Step {step} is past: players behind HTTP know the moves already.");
            }
            Action::Back(step) => break Left::Back { step, decisions: app.story.decisions(step) },
            // The whole match was played: nothing is left to abort.
            Action::Quit | Action::Abort if app.story.over => break Left::Over,
            Action::Quit => break Left::Quit,
            Action::Abort => break Left::Aborted,
        }
    };
    hints.set();
    app.story.leave();
    Ok(left)
}

/// Shows a record.
pub(crate) fn replay(scene: &Scene, record: MatchRecord, delay: Option<Duration>) -> Result<()> {
    let mut app = App::new(scene, Mode::Replay, Story::of(record));
    if let Some(wanted) = delay {
        app.playing = true;
        app.delay = DELAYS.iter().position(|delay| *delay >= wanted).unwrap_or(DELAYS.len() - 1).max(1);
    }
    let mut screen = Screen::enter()?;
    let mut dirty = true;
    loop {
        dirty |= app.tick();
        if std::mem::take(&mut dirty) {
            screen.draw(|frame| view::draw(frame, &app))?;
        }
        match next_action(&mut app, &screen, &mut dirty)? {
            Some(Action::Quit | Action::Abort) => return Ok(()),
            Some(Action::Save(file)) => save_to(&mut app, file.as_deref()),
            _ => {}
        }
    }
}

/// Waits a little for a key.
fn next_action(app: &mut App<'_>, screen: &Screen, dirty: &mut bool) -> Result<Option<Action>> {
    if screen.interrupted.is_set() {
        return Ok(Some(Action::Abort));
    }
    if !event::poll(EVERY)? {
        return Ok(None);
    }
    *dirty = true;
    Ok(match event::read()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => app.key(key),
        _ => None,
    })
}

fn save_to(app: &mut App<'_>, file: Option<&str>) {
    if let Some(record) = &app.story.record {
        app.message = save::save(record, file);
    }
}
