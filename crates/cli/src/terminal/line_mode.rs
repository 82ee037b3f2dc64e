//! A match as lines of text: the board, the numbered moves, a line with the choice. For scripts,
//! pipes and screen readers.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::Result;
use ludex_search::Stop;

use super::entry::{Choices, Command, Entry, HELP, spoken};
use super::messages::Message;
use super::showing::{Next, Showing, show_me};
use super::story::Story;
use super::{Left, People, Show, ask_for_hint, save};
use crate::commands::matches::plain::{heading, thought};
use crate::commands::matches::result::result;
use crate::commands::matches::scene::{moves, wrapped};
use crate::output::{stdout, terminal_width};
use ludex_arena::PersonAnswer;

/// Longest line that is read: no move is so long.
const MAX_LINE: u64 = 1 << 16;

/// What was read and not used yet.
#[derive(Default)]
pub(super) struct Input {
    lines: VecDeque<String>,
    /// Somebody reads.
    begun: bool,
    /// There is no more.
    ended: bool,
}

impl Input {
    /// Keeps a line for later; other messages are for nobody.
    pub(super) fn keep(&mut self, message: Message) {
        match message {
            Message::Line(Some(line)) => self.lines.push_back(line),
            Message::Line(None) => self.ended = true,
            _ => {}
        }
    }
}

/// Plays the match.
pub(super) fn run(show: &Show<'_>, people: &People) -> Result<Left> {
    if !people.input.borrow().begun {
        people.input.borrow_mut().begun = true;
        read_ahead(people)?;
    }
    let mut lines = Lines {
        show,
        people,
        story: Story::default(),
        hint: false,
        showing: Showing::default(),
        prompted: false,
        left: Left::Over,
        typed: io::stdin().is_terminal(),
        stop: Stop::new(),
    };
    let done = lines.follow();
    lines.stop.set();
    done.map(|()| lines.left)
}

/// Reads lines on a thread of its own.
fn read_ahead(people: &People) -> Result<()> {
    let sender = people.sender.clone();
    // Ends with the program: reading a terminal cannot be interrupted.
    std::thread::Builder::new().name("standard input".to_owned()).spawn(move || {
        while let Ok(line) = read_line() {
            let end = line.is_none();
            if sender.send(Message::Line(line)).is_err() || end {
                return;
            }
        }
        let _ = sender.send(Message::Line(None));
    })?;
    Ok(())
}

/// A line of standard input without its end; none at the end of the input.
fn read_line() -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock();
    if io::Read::take(&mut input, MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

struct Lines<'a> {
    show: &'a Show<'a>,
    people: &'a People,
    story: Story,
    /// A hint is being searched for.
    hint: bool,
    /// The machine plays its plan.
    showing: Showing,
    /// The person knows that they are asked.
    prompted: bool,
    left: Left,
    /// The terminal shows what is typed.
    typed: bool,
    /// Stops a hint.
    stop: Stop,
}

impl Lines<'_> {
    fn follow(&mut self) -> Result<()> {
        while !self.story.over {
            let Ok(message) = self.people.incoming.recv() else { break };
            let told = self.told(&message);
            match message {
                message @ Message::Line(_) => self.people.input.borrow_mut().keep(message),
                Message::Hint(hint) => {
                    self.hint = false;
                    self.showing.planned(&hint);
                    let role = self.story.request().map(|request| request.role);
                    let role = role.and_then(|role| self.story.roles().get(role).cloned());
                    self.say(&hint.text, &role.unwrap_or_default())?;
                }
                Message::Ended(record) => {
                    self.story.note(Message::Ended(record));
                    self.the_end()?;
                }
                message => self.story.note(message),
            }
            if let Some(text) = told {
                self.print(&wrapped(&text, terminal_width()))?;
            }
            self.go_on()?;
        }
        Ok(())
    }

    /// What is said about a message.
    fn told(&mut self, message: &Message) -> Option<String> {
        match message {
            Message::Started(record) => Some(heading(self.show.scene, record)),
            Message::Asked { .. } => {
                self.prompted = false;
                None
            }
            Message::Moved(made) => {
                let record = self.story.record.as_mut()?;
                // For the words only; the story takes note of the rest.
                record.moves.push(made.moves.clone());
                let step = record.steps();
                let mut line = format!("{step:>4}  {}", moves(record, step));
                record.moves.pop();
                for report in made.thinking.iter().flatten() {
                    line += &format!("  {}", thought(report));
                }
                for error in made.errors.last().into_iter().flatten().filter(|error| !error.is_empty()) {
                    line += &format!("  error: {error}");
                }
                Some(line)
            }
            Message::TakenBack(step) => Some(format!("Back to step {step}.")),
            _ => None,
        }
    }

    /// Asks the person, and uses what they have written.
    fn go_on(&mut self) -> Result<()> {
        loop {
            let Some(request) = self.story.request() else { return Ok(()) };
            if self.hint {
                return Ok(());
            }
            if !self.people.input.borrow().lines.is_empty() {
                self.showing.stop();
            }
            match self.showing.next(&request.legal) {
                Next::Move(name) => {
                    self.answer(PersonAnswer::Move(name));
                    continue;
                }
                Next::Plan => {
                    self.hint = ask_for_hint(self.show, self.people, &self.story, &self.stop);
                    continue;
                }
                Next::Nothing => {}
            }
            let choices = Choices::new(&request.legal);
            let role = self.story.roles().get(request.role).cloned().unwrap_or_default();
            if !self.prompted {
                self.prompted = true;
                self.position(&role, &choices)?;
            }
            let next = self.people.input.borrow_mut().lines.pop_front();
            let Some(line) = next else {
                if self.people.input.borrow().ended {
                    self.left = Left::Aborted;
                    self.print("The input has ended: the match is aborted.")?;
                    self.show.setup.abort.set();
                    self.story.leave();
                }
                return Ok(());
            };
            if !self.typed {
                // Nobody sees what they typed.
                self.print(&line)?;
            }
            if line.is_empty() {
                self.prompted = false;
                continue;
            }
            match choices.read(&line) {
                Entry::Move(name) => self.answer(PersonAnswer::Move(name)),
                Entry::Several(several) => self.say(&Choices::which(&line, &several), &role)?,
                Entry::Unknown => self.say(&choices.not_legal(&line), &role)?,
                Entry::Command(command) => self.command(command, &choices, &role)?,
            }
        }
    }

    fn command(&mut self, command: Command, choices: &Choices, role: &str) -> Result<()> {
        match command {
            Command::Hint => self.hint = ask_for_hint(self.show, self.people, &self.story, &self.stop),
            Command::ShowMe => match show_me(&self.story) {
                Ok(()) => self.showing.begin(),
                Err(why) => self.say(why, role)?,
            },
            Command::Undo => match undo(&self.story) {
                Ok(step) => self.answer(PersonAnswer::TakeBack(step)),
                Err(why) => self.say(why, role)?,
            },
            Command::Resign => self.answer(PersonAnswer::Resign),
            Command::Save(file) => {
                let told = self.story.record.as_ref().map(|record| save::save(record, file.as_deref()));
                self.say(&told.unwrap_or_default(), role)?;
            }
            Command::Moves => self.say(&Choices::listed(choices.all(), usize::MAX), role)?,
            Command::Help => {
                for (typed, meaning) in HELP {
                    self.print(&format!("  {typed:<12}  {meaning}"))?;
                }
                self.say("", role)?;
            }
            Command::Quit => {
                self.left = Left::Quit;
                self.show.setup.abort.set();
                self.story.leave();
            }
        }
        Ok(())
    }

    fn answer(&mut self, answer: PersonAnswer) {
        self.prompted = false;
        if let Some(request) = self.story.take_request() {
            request.answer(answer);
        }
    }

    /// The board and the moves of whoever is asked.
    fn position(&mut self, role: &str, choices: &Choices) -> Result<()> {
        const SHOWN: usize = 40;
        let Some(record) = &self.story.record else { return Ok(()) };
        let step = record.steps();
        let board = self.show.scene.board(record, step);
        let listed = Choices::listed(choices.all(), SHOWN);
        let asked = wrapped(&format!("{role}, step {}: {listed}", step + 1), terminal_width());
        self.print(&format!("\n{board}\n{asked}"))?;
        self.prompt(role)
    }

    /// Says something to the person and asks again.
    fn say(&mut self, text: &str, role: &str) -> Result<()> {
        if !text.is_empty() {
            self.print(&wrapped(text, terminal_width()))?;
        }
        self.prompt(role)
    }

    fn prompt(&self, role: &str) -> Result<()> {
        let mut out = stdout();
        write!(out, "{role}> ")?;
        Ok(out.flush()?)
    }

    fn print(&self, text: &str) -> Result<()> {
        let mut out = stdout();
        writeln!(out, "{}", text.trim_end())?;
        Ok(out.flush()?)
    }

    fn the_end(&self) -> Result<()> {
        let Some(record) = &self.story.record else { return Ok(()) };
        let board = self.show.scene.board(record, record.steps());
        self.print(&format!("\n{board}\n{}", wrapped(&result(record), terminal_width())))
    }
}

/// Where a take-back goes, or why there is none.
pub(super) fn undo(story: &Story) -> Result<usize, &'static str> {
    match story.request() {
        Some(request) if !request.can_take_back => {
            Err("Moves cannot be taken back: players behind HTTP know them already.")
        }
        Some(_) => story.back().ok_or("There is nothing to take back."),
        None => Err("Moves can be taken back when it is your turn."),
    }
}

/// A joint move with the moves as people say them.
pub(super) fn log_line(record: &ludex_arena::MatchRecord, step: usize) -> String {
    format!("{step} {}", moves(record, step).split(", ").map(plain).collect::<Vec<_>>().join(", "))
}

/// `red (drop 4)` as `red drop 4`.
fn plain(text: &str) -> String {
    match text.split_once(' ') {
        Some((role, name)) => format!("{role} {}", spoken(name)),
        None => text.to_owned(),
    }
}
