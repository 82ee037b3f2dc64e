//! A match, from the process that plays it to the page.
//!
//! The thread of the match writes into a `Draft` under a lock that nobody holds while waiting; a
//! thread of its own posts what the page does not have yet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_arena::{End, Event, MatchRecord, MoveReport, Observer};
use ludex_lab::Spectators;

use super::post::{Failed, Target};
use super::publisher::{Place, Publisher};
use super::wire::{Asked, Ended, Known, MatchNews, NewMatch, Opened};

/// The least time between two messages.
const APART: Duration = Duration::from_millis(50);
/// A sign of life while players think, so that the match is not taken for dead.
const ALIVE: Duration = Duration::from_secs(10);
/// How long to wait for a page that does not answer.
const PAUSE: Duration = Duration::from_secs(3);
/// How long the end of a match may take to arrive.
const LAST: Duration = Duration::from_secs(2);
/// Matches of a run that are shorter are not published.
const WORTH: Duration = Duration::from_millis(400);
/// Joint moves in a message.
const MOST_MOVES: usize = 200;

/// A match as far as it goes.
#[derive(Default)]
struct Draft {
    header: Option<MatchRecord>,
    moves: Vec<Vec<String>>,
    errors: Vec<Vec<String>>,
    thinking: Vec<Vec<Option<MoveReport>>>,
    /// By role, and until when.
    asked: Option<(Vec<bool>, Option<Instant>)>,
    ended: Option<Ended>,
    /// Moves were taken back to here since the last message.
    back: Option<usize>,
    /// Grows with every change.
    version: u64,
    /// Nothing more comes.
    closed: bool,
}

type Shared = Arc<(Mutex<Draft>, Condvar)>;

/// Takes what happens in a match and posts it.
pub struct MatchFeed {
    shared: Shared,
    done: Receiver<()>,
    manner: Manner,
    is_silent: Arc<AtomicBool>,
}

/// How a match is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// At once; at its end it is waited a moment for the last message.
    Whole,
    /// In passing: only if it takes long enough to be looked at, and nobody waits for anything.
    Passing,
}

impl MatchFeed {
    /// None if the system gives no thread.
    pub(crate) fn start(
        target: Target,
        record: &MatchRecord,
        place: Place,
        (manner, is_silent): (Manner, Arc<AtomicBool>),
    ) -> Option<Self> {
        let mut header = record.clone();
        header.states.clear();
        header.state_times.clear();
        let moves = std::mem::take(&mut header.moves);
        let errors = std::mem::take(&mut header.errors).into_iter().skip(1).collect();
        let thinking = header.ludex.as_mut().map(|details| std::mem::take(&mut details.thinking));
        let draft = Draft {
            header: Some(header),
            moves,
            errors,
            thinking: thinking.unwrap_or_default(),
            ..Draft::default()
        };
        let shared: Shared = Arc::new((Mutex::new(draft), Condvar::new()));
        let (sender, done) = channel();
        let (of_thread, silent) = (Arc::clone(&shared), Arc::clone(&is_silent));
        let work = move || {
            let _place = place;
            let sending = Sending { target, shared: of_thread, is_silent: silent, sender };
            let is_gone = manner == Manner::Passing && sending.pause(WORTH);
            if !is_gone {
                sending.run();
            }
        };
        std::thread::Builder::new().name("publish".to_owned()).spawn(work).ok()?;
        Some(Self { shared, done, manner, is_silent })
    }

    fn change(&self, change: impl FnOnce(&mut Draft)) {
        let (draft, changed) = &*self.shared;
        let mut draft = lock(draft);
        change(&mut draft);
        draft.version += 1;
        changed.notify_all();
    }

    /// These players are asked.
    pub fn asked(&self, thinking: &[bool], clock: Option<Duration>) {
        let until = clock.map(|clock| Instant::now() + clock);
        self.change(|draft| draft.asked = Some((thinking.to_vec(), until)));
    }

    /// A role has answered.
    pub fn answered(&self, role: usize) {
        self.change(|draft| {
            let asked = draft.asked.as_mut().and_then(|(thinking, _)| thinking.get_mut(role));
            if let Some(thinking) = asked {
                *thinking = false;
            }
        });
    }

    /// A joint move was made.
    pub fn moved(&self, joint: Vec<String>, errors: Vec<String>, thinking: Vec<Option<MoveReport>>) {
        self.change(|draft| {
            draft.moves.push(joint);
            draft.errors.push(errors);
            draft.thinking.push(thinking);
            draft.asked = None;
        });
    }

    /// The joint moves so far, whatever was known before.
    pub fn history(&self, moves: &[Vec<String>]) {
        self.change(|draft| {
            let same = draft.moves.iter().zip(moves).take_while(|(old, new)| old == new).count();
            if same < draft.moves.len() {
                draft.take_back(same);
            }
            draft.moves.extend(moves[same..].iter().cloned());
        });
    }

    /// What a role thought about the move that comes next.
    pub fn thought(&self, roles: usize, role: usize, report: MoveReport) {
        self.change(|draft| {
            let step = draft.moves.len();
            draft.thinking.resize_with(step + 1, || vec![None; roles]);
            if let Some(place) = draft.thinking[step].get_mut(role) {
                *place = Some(report);
            }
        });
    }

    /// So many joint moves are left.
    pub fn taken_back(&self, step: usize) {
        self.change(|draft| draft.take_back(step));
    }

    /// The match is over.
    pub fn ended(&self, goals: Vec<u8>, end: End) {
        self.change(|draft| {
            draft.asked = None;
            draft.ended = Some(Ended { goals, end });
        });
    }
}

impl Drop for MatchFeed {
    fn drop(&mut self) {
        self.change(|draft| draft.closed = true);
        if self.manner == Manner::Whole && !self.is_silent.load(Ordering::Relaxed) {
            let waited = self.done.recv_timeout(LAST);
            self.is_silent.store(waited == Err(RecvTimeoutError::Timeout), Ordering::Relaxed);
        }
    }
}

impl Draft {
    fn take_back(&mut self, step: usize) {
        self.moves.truncate(step);
        self.errors.truncate(step);
        self.thinking.truncate(step);
        self.asked = None;
        self.back = Some(self.back.map_or(step, |back| back.min(step)));
    }

    /// What the page does not have, if it has so many joint moves.
    fn news(&mut self, known: usize) -> MatchNews {
        let known = self.back.take().map_or(known, |back| back.min(known)).min(self.moves.len());
        let end = self.moves.len().min(known + MOST_MOVES);
        let some = |rows: &Vec<Vec<String>>| rows.get(known..end.min(rows.len())).unwrap_or(&[]).to_vec();
        let thinking = self.thinking.get(known..end.min(self.thinking.len())).unwrap_or(&[]).to_vec();
        let is_all = end == self.moves.len();
        let left = |until: Instant| until.saturating_duration_since(Instant::now()).as_secs_f64();
        let asked = self.asked.as_ref().filter(|_| is_all);
        MatchNews {
            key: String::new(),
            from: known,
            moves: some(&self.moves),
            errors: some(&self.errors),
            thinking,
            asked: asked.map(|(thinking, until)| Asked { thinking: thinking.clone(), left: until.map(left) }),
            ended: self.ended.clone().filter(|_| is_all),
        }
    }
}

/// The thread that posts.
struct Sending {
    target: Target,
    shared: Shared,
    is_silent: Arc<AtomicBool>,
    /// Dropped at the end: whoever waits for it goes on.
    #[allow(dead_code, reason = "held, not used")]
    sender: Sender<()>,
}

impl Sending {
    fn run(self) {
        let mut opened: Option<Opened> = None;
        let mut known = 0;
        let mut sent = None;
        loop {
            let (closed, version) = self.wait(sent);
            if sent == Some(version) && closed {
                return;
            }
            match self.send(&mut opened, known) {
                Ok(steps) => {
                    self.is_silent.store(false, Ordering::Relaxed);
                    let whole = steps >= lock(&self.shared.0).moves.len();
                    // What is left goes with the next message, at once.
                    sent = whole.then_some(version);
                    known = steps;
                }
                Err(Failed::Forgotten) if opened.is_some() => (opened, known, sent) = (None, 0, None),
                Err(Failed::Away(reason)) => {
                    tracing::debug!("the page does not answer: {reason}");
                    if self.pause(PAUSE) {
                        return;
                    }
                }
                Err(Failed::Forgotten) => return,
                Err(Failed::Refused(reason)) => {
                    tracing::warn!("the page does not show the match: {reason}");
                    return;
                }
            }
            std::thread::sleep(APART);
        }
    }

    /// Until something has changed, or it is time for a sign of life.
    fn wait(&self, sent: Option<u64>) -> (bool, u64) {
        let (draft, changed) = &*self.shared;
        let mut draft = lock(draft);
        if sent == Some(draft.version) && !draft.closed {
            let waited = changed.wait_timeout(draft, ALIVE);
            draft = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        (draft.closed, draft.version)
    }

    /// Waits so long; true if the match is over meanwhile.
    fn pause(&self, time: Duration) -> bool {
        let (draft, changed) = &*self.shared;
        let until = Instant::now() + time;
        let mut draft = lock(draft);
        while !draft.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            draft = changed.wait_timeout(draft, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn send(&self, opened: &mut Option<Opened>, known: usize) -> Result<usize, Failed> {
        let Opened { id, key } = match opened {
            Some(opened) => opened.clone(),
            None => {
                let header = lock(&self.shared.0).header.clone();
                let record = header.ok_or_else(|| Failed::Refused("there is no record".to_owned()))?;
                let new: Opened = self.target.post("/api/publish/matches", &NewMatch { record })?;
                *opened = Some(new.clone());
                new
            }
        };
        let news = MatchNews { key, ..lock(&self.shared.0).news(known) };
        let answer: Result<Known, Failed> = self.target.post(&format!("/api/publish/matches/{id}"), &news);
        if answer.is_err() {
            // The page may not know of moves that were taken back.
            let mut draft = lock(&self.shared.0);
            draft.back = Some(draft.back.map_or(news.from, |back| back.min(news.from)));
        }
        Ok(answer?.steps)
    }
}

fn lock(draft: &Mutex<Draft>) -> MutexGuard<'_, Draft> {
    draft.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes the events of a match on, and publishes it.
pub struct PublishedMatch<'a> {
    publisher: Publisher,
    feed: Option<MatchFeed>,
    observer: &'a mut dyn Observer,
}

impl<'a> PublishedMatch<'a> {
    pub(crate) fn new(publisher: Publisher, observer: &'a mut dyn Observer) -> Self {
        Self { publisher, feed: None, observer }
    }
}

impl Observer for PublishedMatch<'_> {
    fn event(&mut self, event: &Event<'_>) {
        note(&self.publisher, Manner::Whole, &mut self.feed, event);
        self.observer.event(event);
    }

    fn ticks(&self) -> Option<Duration> {
        self.observer.ticks()
    }
}

/// Writes down what happened.
fn note(publisher: &Publisher, manner: Manner, feed: &mut Option<MatchFeed>, event: &Event<'_>) {
    if let Event::Started { record } = event {
        *feed = publisher.feed(record, manner);
    }
    let Some(feed) = feed else { return };
    match event {
        Event::Asked { thinking, clock, .. } => feed.asked(thinking, *clock),
        Event::Answered { role, .. } => feed.answered(*role),
        Event::Moved { record, .. } => {
            let thinking = record.ludex.as_ref().and_then(|details| details.thinking.last().cloned());
            let errors = record.errors.last().cloned().unwrap_or_default();
            feed.moved(
                record.moves.last().cloned().unwrap_or_default(),
                errors,
                thinking.unwrap_or_default(),
            );
        }
        Event::TakenBack { step, .. } => feed.taken_back(*step),
        Event::Ended { record } => {
            let end = record.ludex.as_ref().map_or(End::Finished, |details| details.end.clone());
            feed.ended(record.goal_values.clone(), end);
        }
        Event::Started { .. } | Event::Waiting { .. } => {}
    }
}

/// Publishes a match of a run.
struct Spectator {
    publisher: Publisher,
    feed: Option<MatchFeed>,
}

impl Observer for Spectator {
    fn event(&mut self, event: &Event<'_>) {
        note(&self.publisher, Manner::Passing, &mut self.feed, event);
    }
}

impl Spectators for Publisher {
    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(Spectator { publisher: self.clone(), feed: None })
    }
}
