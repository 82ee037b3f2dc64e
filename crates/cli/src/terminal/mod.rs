//! Matches at the terminal: people play, watch and replay here.
//!
//! A match runs on a thread of its own, with the referee of every other match. Its events and its
//! questions to people come through one channel; the thread of the terminal draws, reads keys and
//! answers the questions.
//!
//! | file | what it does |
//! |---|---|
//! | `messages` | events and questions, on their way to the screen |
//! | `story` | the match so far, as the screen knows it |
//! | `entry` | what a person typed: a move, or a command |
//! | `hint` | what the machine would do |
//! | `showing` | the machine plays its plan |
//! | `save` | the record as a file |
//! | `line_mode` | lines of text, for scripts and screen readers |
//! | `screen` | takes the terminal and gives it back |
//! | `app` | the full screen: what it shows, and its loop |
//! | `keys` | what keys do |
//! | `view` | draws the app |
//! | `players` | the lines of the players |
//! | `help` | which keys there are |
//! | `board` | the board: highlights, the cursor, what fits |
//! | `cells` | the cells of the board that moves name |

mod app;
mod board;
mod cells;
mod entry;
mod help;
mod hint;
mod keys;
mod line_mode;
mod messages;
mod players;
mod save;
mod screen;
mod showing;
mod story;
mod view;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::Result;
use ludex_arena::{MatchRecord, MatchSetup, Participant, Person, Rulebook, run_match};
use ludex_engine::HUMAN;
use ludex_web::publish::Publisher;

use self::line_mode::Input;
use self::messages::{Feed, Message};
use crate::commands::matches::scene::Scene;

pub(crate) use app::replay;
pub(crate) use hint::Adviser;
pub(crate) use screen::is_interactive;

/// The people of a match, and the channel that everything comes through.
pub(crate) struct People {
    sender: Sender<Message>,
    incoming: Receiver<Message>,
    clock: Option<Duration>,
    /// Line mode: what was read and not used yet.
    input: RefCell<Input>,
}

/// How the screen was left.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Left {
    /// The match is over.
    Over,
    /// A person left on purpose.
    Quit,
    /// The match is over, and a person wants to go on from an earlier position.
    Back {
        /// How many joint moves are left.
        step: usize,
        /// Before which joint moves a person was asked.
        decisions: Vec<usize>,
    },
    /// By Ctrl-C, or because the input ended.
    Aborted,
}

impl People {
    /// Time for each move of people; none: as long as it takes.
    pub(crate) fn new(clock: Option<Duration>) -> Self {
        let (sender, incoming) = channel();
        Self { sender, incoming, clock, input: RefCell::default() }
    }

    /// Whoever a text names: `human` is a person at this terminal.
    pub(crate) fn participant(&self, spec: &str) -> Result<Participant> {
        if !spec.trim().eq_ignore_ascii_case(HUMAN) {
            return Ok(spec.parse()?);
        }
        let sender = self.sender.clone();
        // If nobody looks any more the request is dropped: the person left.
        let person = Person::new(move |request| drop(sender.send(Message::Request(request))));
        Ok(Participant::Person(person.with_clock(self.clock)))
    }
}

/// Whether people take part.
pub(crate) fn has_people(setup: &MatchSetup) -> bool {
    setup.players.iter().any(|player| matches!(player, Participant::Person(_)))
}

/// A match to be shown at the terminal.
pub(crate) struct Show<'a> {
    pub(crate) rulebook: &'a Rulebook,
    pub(crate) setup: &'a MatchSetup,
    pub(crate) scene: &'a Scene,
    pub(crate) adviser: &'a Adviser,
    /// Lines of text instead of the full screen.
    pub(crate) lines: bool,
    /// Stay at the end of a match that is only watched, to look back.
    pub(crate) stay: bool,
    /// A page that shows the match too.
    pub(crate) page: Option<&'a Publisher>,
}

/// A match that was shown.
pub(crate) struct Shown {
    pub(crate) record: MatchRecord,
    /// A person left on purpose.
    pub(crate) quit: bool,
}

/// Plays a match at the terminal. Whoever takes moves back at its end goes on in a match that begins
/// with the others.
pub(crate) fn show(show: &Show<'_>, people: &People) -> Result<Shown> {
    let mut opening = show.setup.opening.clone();
    let mut decisions = Vec::new();
    loop {
        let setup = MatchSetup { opening, ..show.setup.clone() };
        let (mut record, left) = show_one(&Show { setup: &setup, ..*show }, people, decisions)?;
        match left {
            Left::Back { step, decisions: before } => {
                record.moves.truncate(step);
                (opening, decisions) = (record.moves, before);
            }
            left => return Ok(Shown { record, quit: left == Left::Quit }),
        }
    }
}

fn show_one(show: &Show<'_>, people: &People, decisions: Vec<usize>) -> Result<(MatchRecord, Left)> {
    let abort = show.setup.abort.clone();
    std::thread::scope(|scope| {
        let sender = people.sender.clone();
        let running = scope.spawn(move || {
            // Dropped last, even if the referee panics: otherwise the screen would wait for ever.
            let _over = Over(sender.clone());
            let mut feed = Feed(sender);
            match show.page {
                Some(page) => run_match(show.rulebook, show.setup, &mut page.watch_match(&mut feed)),
                None => run_match(show.rulebook, show.setup, &mut feed),
            }
        });
        let left = if show.lines { line_mode::run(show, people) } else { app::run(show, people, decisions) };
        if !matches!(left, Ok(Left::Over | Left::Back { .. })) {
            abort.set();
        }
        // Whoever is still asked will not answer; what was typed is for the next match.
        for message in people.incoming.try_iter() {
            people.input.borrow_mut().keep(message);
        }
        let record = match running.join() {
            Ok(result) => result?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        Ok((record, left?))
    })
}

/// Says that nothing more comes when it is dropped.
struct Over(Sender<Message>);

impl Drop for Over {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Over);
    }
}

/// The facts of the last position, for a hint to the person who is asked.
fn ask_for_hint(show: &Show<'_>, people: &People, story: &story::Story, stop: &ludex_search::Stop) -> bool {
    let (Some(request), Some(record)) = (story.request(), &story.record) else { return false };
    let step = record.steps();
    let facts = record.facts(step).unwrap_or_default();
    let game: &Arc<dyn ludex_game::Game> = show.rulebook.game();
    show.adviser.ask(game, facts, step, request.role, stop, &people.sender);
    true
}
