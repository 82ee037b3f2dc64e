//! Where to publish.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ludex_arena::{MatchRecord, Observer};
use ludex_lab::Watcher;

use super::match_feed::{Manner, MatchFeed, PublishedMatch};
use super::post::Target;
use super::run_feed::PublishedRun;

/// Matches of one process that are on the page at the same time; further ones are not shown.
const MOST_AT_ONCE: usize = 8;

/// Not the address of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{url}` is not the address of a page: {reason}; `ludex web` prints it")]
pub struct PublishError {
    pub(crate) url: String,
    pub(crate) reason: &'static str,
}

/// A page to publish to. Clones share what they may publish at the same time.
#[derive(Clone, Debug)]
pub struct Publisher {
    target: Target,
    running: Arc<AtomicUsize>,
    /// The page did not answer when it was waited for: that is not done again before it does.
    is_silent: Arc<AtomicBool>,
}

/// A place among the matches that are published at the same time.
#[derive(Debug)]
pub(crate) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Publisher {
    /// The page at this address, as `ludex web` prints it.
    pub fn new(url: &str) -> Result<Self, PublishError> {
        Ok(Self { target: Target::parse(url)?, running: Arc::default(), is_silent: Arc::default() })
    }

    /// Publishes a match, and passes its events on.
    pub fn watch_match<'a>(&self, observer: &'a mut dyn Observer) -> PublishedMatch<'a> {
        PublishedMatch::new(self.clone(), observer)
    }

    /// Publishes a match in passing, of which only the beginning is known so far. None if too many
    /// are published already.
    pub fn match_feed(&self, record: &MatchRecord) -> Option<MatchFeed> {
        self.feed(record, Manner::Passing)
    }

    pub(crate) fn feed(&self, record: &MatchRecord, manner: Manner) -> Option<MatchFeed> {
        let before = self.running.fetch_add(1, Ordering::Relaxed);
        let place = Place(Arc::clone(&self.running));
        if before >= MOST_AT_ONCE {
            return None;
        }
        MatchFeed::start(self.target.clone(), record, place, (manner, Arc::clone(&self.is_silent)))
    }

    /// Publishes a run of the lab, and passes its events on.
    pub fn watch_run<'a>(&self, title: &str, watcher: &'a mut dyn Watcher) -> PublishedRun<'a> {
        PublishedRun::new(self.target.clone(), title, watcher)
    }
}
