//! The full screen: what it shows, and the loop around it. One app plays, watches and replays: a match is
//! a growing record, and the screen is at one of its positions.

use std::time::{Duration, Instant};

use anyhow::Result;
use ludex_arena::{MatchRecord, Participant, PersonAnswer};
use ludex_library::Place;
use ludex_search::Stop;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::cells;
use super::entry::{Choice, Choices};
use super::messages::Message;
use super::screen::Screen;
use super::showing::Showing;
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
pub(super) const DELAYS: [Duration; 7] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];
/// The delay of replays that are started with the space bar.
pub(super) const USUAL_DELAY: usize = 4;
/// How often clocks are redrawn and messages are looked for.
const EVERY: Duration = Duration::from_millis(50);

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
    pub(super) delay: usize,
    /// When the position was reached.
    pub(super) since: Instant,
    pub(super) input: String,
    /// The input was entered before a person was asked: it is read when that happens.
    pub(super) entered_early: bool,
    /// Time that people have for a move.
    pub(super) human_clock: Option<Duration>,
    /// The machine plays its plan.
    pub(super) showing: Showing,
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
            showing: Showing::default(),
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
            Message::Hint(hint) if hint.step == self.story.steps() => {
                self.showing.planned(&hint);
                self.message = hint.text;
            }
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
    pub(super) fn go_to(&mut self, step: usize) {
        self.at = step.min(self.story.steps());
        self.since = Instant::now();
    }
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
