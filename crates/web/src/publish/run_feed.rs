//! A run of the lab, from the process that runs it to the page: its state as a whole, now and then.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use ludex_lab::{RunEvent, Watcher};

use super::post::{Failed, Target};
use super::runs::RunBoard;
use super::wire::{Opened, RunNews, RunState};

/// The least time between two messages.
const APART: Duration = Duration::from_millis(500);
/// A sign of life.
const ALIVE: Duration = Duration::from_secs(15);
/// How long the last message may take.
const LAST: Duration = Duration::from_secs(2);

/// Passes the events of a run on, and publishes it. Dropping it says that the run is over.
pub struct PublishedRun<'a> {
    board: RunBoard,
    watcher: &'a mut dyn Watcher,
    news: Option<SyncSender<RunState>>,
    done: Receiver<()>,
    last: Option<Instant>,
}

impl<'a> PublishedRun<'a> {
    pub(crate) fn new(target: Target, title: &str, watcher: &'a mut dyn Watcher) -> Self {
        // One state may wait; a newer one makes it worthless.
        let (news, states) = sync_channel(1);
        let (sender, done) = channel();
        let work = move || send(&target, &states, sender);
        let spawned = std::thread::Builder::new().name("publish".to_owned()).spawn(work);
        let mut own = Self {
            board: RunBoard::new(title),
            watcher,
            news: spawned.is_ok().then_some(news),
            done,
            last: None,
        };
        own.tell();
        own
    }

    fn tell(&mut self) {
        let due = self.last.is_none_or(|last| last.elapsed() >= APART);
        if let Some(news) = self.news.as_ref().filter(|_| due) {
            let _ = news.try_send(self.board.now());
            self.last = Some(Instant::now());
        }
    }
}

impl Watcher for PublishedRun<'_> {
    fn event(&mut self, event: &RunEvent<'_>) {
        self.board.event(event);
        self.tell();
        self.watcher.event(event);
    }
}

impl Drop for PublishedRun<'_> {
    fn drop(&mut self) {
        self.board.state.over = true;
        let last = self.board.now();
        let Some(news) = self.news.take() else { return };
        // The state before it may still wait: the channel is free soon, or the page does not answer.
        let until = Instant::now() + LAST;
        let mut last = Some(last);
        while let Some(state) = last.take() {
            match news.try_send(state) {
                Err(std::sync::mpsc::TrySendError::Full(state)) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(20));
                    last = Some(state);
                }
                _ => {}
            }
        }
        drop(news);
        let _ = self.done.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// Posts states until there are no more. The sender is dropped at the end: whoever waits goes on.
fn send(target: &Target, states: &Receiver<RunState>, _done: Sender<()>) {
    let mut opened: Option<Opened> = None;
    let mut last: Option<RunState> = None;
    loop {
        let state = match states.recv_timeout(ALIVE) {
            Ok(state) => state,
            Err(RecvTimeoutError::Timeout) => match last.clone() {
                Some(state) => state,
                None => continue,
            },
            Err(RecvTimeoutError::Disconnected) => return,
        };
        last = Some(state.clone());
        let answer = match &opened {
            None => target
                .post("/api/publish/runs", &RunNews { key: String::new(), run: state })
                .map(|new: Opened| opened = Some(new)),
            Some(Opened { id, key }) => {
                let news = RunNews { key: key.clone(), run: state };
                target.post::<serde_json::Value>(&format!("/api/publish/runs/{id}"), &news).map(drop)
            }
        };
        match answer {
            Ok(()) => {}
            Err(Failed::Forgotten) => opened = None,
            Err(Failed::Away(reason)) => tracing::debug!("the page does not answer: {reason}"),
            Err(Failed::Refused(reason)) => {
                tracing::warn!("the page does not show the run: {reason}");
                return;
            }
        }
    }
}
