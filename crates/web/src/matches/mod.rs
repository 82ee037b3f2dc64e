//! The matches that are played here.
//!
//! | file | what it does |
//! |---|---|
//! | `new_match` | what a match is to be, as the page asks for it |
//! | `live` | one match: its thread, its people, what they may do |
//! | `recorded` | records, to be looked at |
//! | `story` | the match so far |
//! | `view` | what somebody gets to see of it |
//! | `winning` | the cells that decided it |
//! | `events` | what happens, as server-sent events |

mod events;
mod live;
mod new_match;
pub(crate) mod recorded;
mod story;
mod view;
mod winning;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use events::{events, news};
pub(crate) use live::{Hall, Live, MAX_STEPS, Opened};
pub(crate) use new_match::{NewMatch, Seat};
pub(crate) use view::{Listed, Seen, View, asked_position, facts, position};

use ludex_arena::MatchRecord;

use crate::publish::Feed;
use crate::reply::Refusal;
use crate::shelf::Game;

/// Matches that are kept at the same time, running or over.
const MOST_MATCHES: usize = 96;
/// How long nobody must look before a match that is not over can go.
const LEFT_ALONE: Duration = Duration::from_secs(300);

/// All matches.
#[derive(Default)]
pub(crate) struct Matches {
    all: Mutex<Vec<Arc<Live>>>,
}

impl Matches {
    /// The match with this id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Live>, Refusal> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|live| live.id() == id).map(Arc::clone);
        found.ok_or_else(|| Refusal::missing("this match is not here any more"))
    }

    /// Begins a match.
    pub(crate) fn begin(&self, game: Arc<Game>, wanted: NewMatch, hall: Hall) -> Result<Opened, Refusal> {
        self.make_room()?;
        let opened = Live::open(game, wanted, hall, None, Vec::new())?;
        self.keep(Arc::clone(&opened.live));
        Ok(opened)
    }

    /// Another match that begins with the first moves of this one, where whoever asks has all seats.
    pub(crate) fn branch(&self, live: &Arc<Live>, step: usize, hall: Hall) -> Result<Opened, Refusal> {
        self.make_room()?;
        let opened = live.branch(step, hall)?;
        self.keep(Arc::clone(&opened.live));
        Ok(opened)
    }

    /// Keeps a match that was played elsewhere.
    pub(crate) fn replay(
        &self,
        game: Arc<Game>,
        wanted: NewMatch,
        record: MatchRecord,
    ) -> Result<Arc<Live>, Refusal> {
        self.make_room()?;
        let live = Live::replay(game, wanted, record)?;
        self.keep(Arc::clone(&live));
        Ok(live)
    }

    /// Keeps a match that another process plays.
    pub(crate) fn follow(
        &self,
        game: Arc<Game>,
        wanted: NewMatch,
        record: MatchRecord,
        feed: Feed,
    ) -> Result<Arc<Live>, Refusal> {
        self.make_room()?;
        let live = Live::follow(game, wanted, record, feed)?;
        self.keep(Arc::clone(&live));
        Ok(live)
    }

    /// The same again, with everybody one seat further if they want to swap. Whoever was in the match
    /// keeps their key.
    pub(crate) fn again(&self, live: &Arc<Live>, key: &str, swap: bool) -> Result<Opened, Refusal> {
        self.make_room()?;
        let opened = live.again(key, swap)?;
        self.keep(Arc::clone(&opened.live));
        Ok(opened)
    }

    /// All of them, the newest first.
    pub(crate) fn list(&self) -> Vec<Arc<Live>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rev().map(Arc::clone).collect()
    }

    fn keep(&self, live: Arc<Live>) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(live);
    }

    /// Lets the oldest match go that nobody looks at; those that are over first.
    fn make_room(&self) -> Result<(), Refusal> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MOST_MATCHES {
            return Ok(());
        }
        let alone = |live: &Arc<Live>| {
            live.viewers() == 0 && (live.is_over() || live.touched() + LEFT_ALONE < Instant::now())
        };
        let found = all.iter().position(|live| alone(live) && live.is_over());
        let Some(at) = found.or_else(|| all.iter().position(alone)) else {
            return Err(Refusal::busy("too many matches are being played here; end one of them first"));
        };
        all.remove(at).close();
        Ok(())
    }

    /// Ends all matches.
    pub(crate) fn close(&self) {
        for live in self.all.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            live.close();
        }
    }
}
