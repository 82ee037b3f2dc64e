//! One match: its thread, its people, what they may do.
//!
//! Whoever knows the key of a seat answers for it. The key of the owner, who began the match, is
//! good for a rematch even if only machines play.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use ludex_arena::{
    Address, Check, Event, MatchRecord, MatchSetup, Participant, Person, PersonAnswer, Request, run_match,
};
use ludex_search::{Stop, is_chance};
use tokio::sync::watch;

use super::new_match::{NewMatch, Seat};
use super::story::Story;
use crate::keeper::Keeper;
use crate::publish::Feed;
use crate::reply::Refusal;
use crate::secret;
use crate::shelf::Game;

/// Longer matches are given up: records are kept in memory.
pub(crate) const MAX_STEPS: usize = 3000;

/// Time to get ready for players behind HTTP.
const START_OVER_HTTP: Duration = Duration::from_secs(2);

/// What the matches of a server share.
#[derive(Clone)]
pub(crate) struct Hall {
    /// Memory of each search.
    pub(crate) memory: usize,
    /// Where matches are kept, if they are.
    pub(crate) keeper: Option<Arc<Keeper>>,
}

impl Hall {
    /// For matches that nobody plays here.
    fn nobody() -> Self {
        Self { memory: 0, keeper: None }
    }
}

/// A match that was opened, with its keys.
pub(crate) struct Opened {
    pub(crate) live: Arc<Live>,
    /// By role: the key of a seat that a person takes.
    pub(crate) keys: Vec<Option<String>>,
    pub(crate) owner: String,
}

/// A match.
pub(crate) struct Live {
    id: String,
    game: Arc<Game>,
    wanted: NewMatch,
    seed: u64,
    hall: Hall,
    /// By role; none: chance.
    seats: Vec<Option<Seat>>,
    /// By role: the key of a seat that a person takes.
    keys: Vec<Option<String>>,
    owner: String,
    story: Mutex<Story>,
    changes: watch::Sender<u64>,
    touched: Mutex<Instant>,
    abort: Stop,
    origin: Origin,
    own: Weak<Live>,
}

/// Where a match is played.
enum Origin {
    /// Here.
    Here,
    /// It was played before; this is its record.
    Record,
    /// By another process, which tells about it.
    Elsewhere(Box<Feed>),
}

/// Keys that go with seats and the owner from one match to the next.
pub(crate) struct Keys {
    seats: Vec<Option<String>>,
    owner: String,
}

impl Live {
    /// Opens a match and begins it.
    pub(crate) fn open(
        game: Arc<Game>,
        wanted: NewMatch,
        hall: Hall,
        keys: Option<Keys>,
        opening: Vec<Vec<String>>,
    ) -> Result<Opened, Refusal> {
        let opened = Self::made(game, wanted, hall, keys, Origin::Here)?;
        opened.live.story().begins_with(opening.len());
        opened.live.begin(opening)?;
        Ok(opened)
    }

    /// A match that was played before: its record, and nothing more happens.
    pub(crate) fn replay(
        game: Arc<Game>,
        wanted: NewMatch,
        record: MatchRecord,
    ) -> Result<Arc<Self>, Refusal> {
        let live = Self::made(game, wanted, Hall::nobody(), None, Origin::Record)?.live;
        *live.story() = Story::of(record);
        Ok(live)
    }

    /// A match that another process plays: its record as far as it goes.
    pub(crate) fn follow(
        game: Arc<Game>,
        wanted: NewMatch,
        record: MatchRecord,
        feed: Feed,
    ) -> Result<Arc<Self>, Refusal> {
        let origin = Origin::Elsewhere(Box::new(feed));
        let live = Self::made(game, wanted, Hall::nobody(), None, origin)?.live;
        let mut story = live.story();
        *story = Story::of(record);
        story.over = false;
        drop(story);
        Ok(live)
    }

    /// Another match with the first moves of this one, and people in all seats.
    pub(crate) fn branch(&self, step: usize, hall: Hall) -> Result<Opened, Refusal> {
        let opening = self.story().record.as_ref().map(|record| record.moves.clone()).unwrap_or_default();
        if step > opening.len() {
            return Err(Refusal::missing("there is no such position"));
        }
        let opening = opening.into_iter().take(step).collect();
        let seats = self.wanted.seats.iter().map(|_| Seat::Human).collect();
        let wanted = NewMatch { seats, clock: None, seed: None, ..self.wanted.clone() };
        let wanted = NewMatch { start: None, playouts: None, tournament: None, ..wanted };
        Live::open(Arc::clone(&self.game), wanted, hall, None, opening)
    }

    fn made(
        game: Arc<Game>,
        wanted: NewMatch,
        hall: Hall,
        keys: Option<Keys>,
        origin: Origin,
    ) -> Result<Opened, Refusal> {
        wanted.check(&game)?;
        let made_up = |letters| secret::word(letters).map_err(|error| Refusal::broken(error.to_string()));
        let mut given = wanted.seats.iter().cloned();
        let seats: Vec<Option<Seat>> =
            game.roles().iter().map(|role| if is_chance(role) { None } else { given.next() }).collect();
        let Keys { seats: keys, owner } = match keys {
            Some(keys) => keys,
            None => {
                let key = |seat: &Option<Seat>| match seat {
                    Some(Seat::Human) => made_up(20).map(Some),
                    _ => Ok(None),
                };
                Keys { seats: seats.iter().map(key).collect::<Result<_, _>>()?, owner: made_up(20)? }
            }
        };
        let id = made_up(12)?;
        let seed = wanted.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
        let live = Arc::new_cyclic(|own| Self {
            id,
            wanted,
            seed,
            hall,
            seats,
            keys: keys.clone(),
            owner: owner.clone(),
            story: Mutex::default(),
            changes: watch::Sender::new(0),
            touched: Mutex::new(Instant::now()),
            abort: Stop::new(),
            own: Weak::clone(own),
            origin,
            game,
        });
        Ok(Opened { live, keys, owner })
    }

    /// The same again.
    pub(crate) fn again(&self, key: &str, swap: bool) -> Result<Opened, Refusal> {
        if !self.is_player(key) && !secret::same(key, &self.owner) {
            return Err(Refusal::forbidden("only the players can play again"));
        }
        if !self.is_over() || !matches!(self.origin, Origin::Here) {
            return Err(Refusal::conflict("the match is not over"));
        }
        let mut wanted = NewMatch { seed: None, ..self.wanted.clone() };
        let mut seats = self.keys.clone();
        if swap {
            wanted = wanted.swapped();
            let mut playing: Vec<usize> =
                (0..seats.len()).filter(|&role| self.seats[role].is_some()).collect();
            let old = seats.clone();
            let from = playing.clone();
            let by = usize::from(!playing.is_empty());
            playing.rotate_left(by);
            for (from, to) in from.into_iter().zip(playing) {
                seats[to] = old[from].clone();
            }
        }
        let keys = Keys { seats, owner: self.owner.clone() };
        let opened = Live::open(Arc::clone(&self.game), wanted, self.hall.clone(), Some(keys), Vec::new())?;
        self.story().next = Some(opened.live.id.clone());
        self.changed();
        Ok(opened)
    }

    /// Plays from here on a thread of its own.
    fn begin(&self, opening: Vec<Vec<String>>) -> Result<(), Refusal> {
        let Some(live) = self.own.upgrade() else { return Ok(()) };
        let mut players = Vec::new();
        for (role, seat) in self.seats.iter().enumerate() {
            let Some(seat) = seat else { continue };
            players.push(match seat.player()? {
                Some(player) => player,
                None => self.person(role),
            });
        }
        let address = |player: &Participant| match player {
            Participant::Http(address) => Some(address.clone()),
            _ => None,
        };
        // Some players behind HTTP read whole seconds only, and need a moment to begin.
        let whole_seconds: Vec<Address> = players.iter().filter_map(address).collect();
        let least = if whole_seconds.is_empty() { Duration::ZERO } else { START_OVER_HTTP };
        // The machine need not be ready before a person is.
        let start = self.wanted.thought().min(Duration::from_millis(200));
        let setup = MatchSetup {
            start_clock: self.wanted.start_clock().unwrap_or(start).max(least),
            play_clock: self.wanted.thought(),
            seed: self.seed,
            check: Check::Ends,
            max_steps: MAX_STEPS,
            memory: self.hall.memory,
            opening,
            playouts: self.wanted.playouts,
            scramble: self.wanted.scramble,
            tournament: self.wanted.tournament.clone(),
            abort: self.abort.clone(),
            whole_seconds,
            ..MatchSetup::new(players)
        };
        let work = move || {
            let mut note = |event: &Event<'_>| {
                live.story().note(event);
                live.changed();
            };
            let played = catch_unwind(AssertUnwindSafe(|| run_match(&live.game.rulebook, &setup, &mut note)));
            if let (Ok(Ok(record)), Some(keeper)) = (&played, &live.hall.keeper) {
                keeper.keep(record);
            }
            let mut story = live.story();
            story.problem = match played {
                Ok(Ok(_)) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("the match failed; the server goes on".to_owned()),
            };
            story.over = true;
            drop(story);
            live.changed();
        };
        let spawned = std::thread::Builder::new().name("match".to_owned()).spawn(work);
        spawned.map(drop).map_err(|error| Refusal::busy(format!("no thread for the match: {error}")))
    }

    fn person(&self, role: usize) -> Participant {
        let own = Weak::clone(&self.own);
        let person = Person::new(move |request: Request| {
            debug_assert_eq!(request.role, role);
            // If the match is gone the request is dropped: the person left.
            if let Some(live) = own.upgrade() {
                live.story().request(request);
                live.changed();
            }
        });
        Participant::Person(person.with_clock(self.wanted.human_clock()))
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn game(&self) -> &Arc<Game> {
        &self.game
    }

    pub(crate) fn is_replay(&self) -> bool {
        matches!(self.origin, Origin::Record)
    }

    /// Of a match that another process plays: what is known about it.
    pub(crate) fn feed(&self) -> Option<&Feed> {
        match &self.origin {
            Origin::Elsewhere(feed) => Some(feed),
            _ => None,
        }
    }

    pub(crate) fn wanted(&self) -> &NewMatch {
        &self.wanted
    }

    pub(crate) fn seats(&self) -> &[Option<Seat>] {
        &self.seats
    }

    /// The match so far. Not to be held while anything takes long.
    pub(crate) fn story(&self) -> MutexGuard<'_, Story> {
        self.story.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells everybody who looks.
    pub(crate) fn changed(&self) {
        self.changes.send_modify(|version| *version += 1);
    }

    /// Learns of changes.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.touch();
        self.changes.subscribe()
    }

    /// How many pages are open.
    pub(crate) fn viewers(&self) -> usize {
        self.changes.receiver_count()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.story().over
    }

    /// When somebody last did something.
    pub(crate) fn touched(&self) -> Instant {
        *self.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        *self.touched.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Ends the match if it is not over.
    pub(crate) fn close(&self) {
        self.abort.set();
        self.story().requests.clear();
    }

    /// By role: whether one of these keys is the key of its seat.
    pub(crate) fn held(&self, keys: &[&str]) -> Vec<bool> {
        let held = |own: &Option<String>| {
            own.as_ref().is_some_and(|own| keys.iter().any(|key| secret::same(key, own)))
        };
        self.keys.iter().map(held).collect()
    }

    fn is_player(&self, key: &str) -> bool {
        self.held(&[key]).contains(&true)
    }

    /// The role of a key that is asked now.
    fn asked(&self, story: &Story, key: &str, role: usize) -> Result<(), Refusal> {
        if !self.held(&[key]).get(role).copied().unwrap_or(false) {
            return Err(Refusal::forbidden("this seat is somebody else's"));
        }
        match story.requests.iter().any(|request| request.role == role) {
            true => Ok(()),
            false => Err(Refusal::conflict("it is not your turn")),
        }
    }

    /// Makes a move for a role.
    pub(crate) fn make_move(&self, key: &str, role: usize, step: usize, name: &str) -> Result<(), Refusal> {
        self.touch();
        let mut story = self.story();
        self.asked(&story, key, role)?;
        let legal = |request: &&Request| request.role == role && request.step == step;
        let Some(request) = story.requests.iter().find(legal) else {
            return Err(Refusal::conflict("the match has gone on; look again"));
        };
        if !request.legal.iter().any(|legal| legal == name) {
            return Err(Refusal::bad("that is not a legal move"));
        }
        let request = story.take_request(role);
        if let Some(thinking) = story.thinking.get_mut(role) {
            *thinking = false;
        }
        drop(story);
        if let Some(request) = request {
            request.answer(PersonAnswer::Move(name.to_owned()));
        }
        self.changed();
        Ok(())
    }

    /// Gives the match up.
    pub(crate) fn resign(&self, key: &str, role: usize) -> Result<(), Refusal> {
        self.touch();
        let mut story = self.story();
        self.asked(&story, key, role)?;
        let request = story.take_request(role);
        drop(story);
        if let Some(request) = request {
            request.answer(PersonAnswer::Resign);
        }
        Ok(())
    }

    /// Goes back to where a person chose last, or to an earlier step; after the end the match goes on
    /// from there.
    pub(crate) fn undo(&self, key: &str, to: Option<usize>) -> Result<(), Refusal> {
        self.touch();
        if !self.is_player(key) {
            return Err(Refusal::forbidden("only players take moves back"));
        }
        let mut story = self.story();
        let Some(back) = story.back() else { return Err(Refusal::conflict("there is nothing to take back")) };
        let step = to.unwrap_or(back).min(back);
        if story.over {
            let opening = story.go_back(step);
            drop(story);
            return self.begin(opening);
        }
        let held = self.held(&[key]);
        let asked = |request: &&Request| held.get(request.role).copied().unwrap_or(false);
        let Some(role) = story.requests.iter().find(asked).map(|request| request.role) else {
            return Err(Refusal::conflict("wait until it is your turn"));
        };
        let request = story.take_request(role);
        // Those who are asked at the same time are asked again afterwards.
        drop(story);
        if let Some(request) = request {
            request.answer(PersonAnswer::TakeBack(step));
        }
        let others: Vec<Request> = self.story().requests.drain(..).collect();
        for other in others {
            other.answer(PersonAnswer::TakeBack(step));
        }
        Ok(())
    }

    /// The record so far.
    pub(crate) fn record(&self) -> Option<MatchRecord> {
        self.story().record.clone()
    }
}
