//! The matches that a player is in, and what it answers to each message.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use ludex_engine::{MakeSearch, Player, Session, SessionOptions, find_role, role_names};
use ludex_game::RoleId;
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::BuildOptions;
use ludex_search::Budget;
use serde_json::json;

use super::log::MatchLog;
use super::margin::Margin;
use super::notice::{Listener, Notice};
use super::one_match::{OneMatch, Seat};
use crate::protocol::{Message, Reply, Status};

/// A match whose manager has not been heard for so long beyond its clocks is forgotten.
const SILENCE: Duration = Duration::from_secs(600);
/// How much longer than the play clock thinking goes on behind an answer. Managers allow themselves
/// a second of grace; one that does not come back must not keep a core busy for ever.
const PONDER_GRACE: Duration = Duration::from_secs(5);

/// How often it is measured how late this machine wakes threads up; less often while there is no
/// match.
const BEAT: Duration = Duration::from_millis(20);
const IDLE_BEAT: Duration = Duration::from_millis(200);

/// How a player plays.
#[derive(Clone)]
pub struct HostOptions {
    /// How the player calls itself.
    pub name: String,
    /// Who plays, for records.
    pub spec: String,
    /// Makes its searches.
    pub make: MakeSearch,
    /// Threads that search, in all matches together.
    pub threads: usize,
    /// Bytes that searches hold, in all matches together.
    pub memory: usize,
    /// Whether to think while others do.
    pub ponder: bool,
    /// Decides random choices.
    pub seed: u64,
    /// How long before the end of a clock answers leave at the latest; learned if not given.
    pub margin: Option<Duration>,
    /// Where records of matches are kept, if anywhere.
    pub records: Option<PathBuf>,
    /// Time for a whole request to arrive; who is slower is cut off.
    pub request_time: Duration,
    /// Matches at a time; more are answered `busy`.
    pub most_matches: usize,
    /// A match whose manager is silent for so long beyond two play clocks gives its place to
    /// another, if there is no other place.
    pub overdue: Duration,
    /// Hears what happens.
    pub listener: Option<Listener>,
}

impl HostOptions {
    /// This player, with one thread, and nothing kept.
    pub fn new(player: &Player) -> Self {
        let (spec, player) = (player.spec().to_string(), player.clone());
        Self {
            name: "Ludex".to_owned(),
            spec,
            make: Arc::new(move |context| player.search(context)),
            threads: 1,
            memory: Budget::DEFAULT_MEMORY,
            ponder: true,
            seed: 1,
            margin: None,
            records: None,
            request_time: Duration::from_secs(20),
            most_matches: 64,
            overdue: Duration::from_secs(5),
            listener: None,
        }
    }
}

/// All matches of a player. Requests come on threads of their own; those that wait for a search do
/// not keep others waiting.
pub(super) struct Host {
    options: HostOptions,
    matches: Mutex<BTreeMap<String, Arc<OneMatch>>>,
    pub margin: Margin,
}

/// An answer, and when it was to leave at the latest.
pub(super) struct Answered {
    pub reply: Reply,
    pub deadline: Option<Instant>,
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Self { reply, deadline: None }
    }
}

impl Host {
    pub(super) fn new(options: HostOptions) -> Self {
        let margin = Margin::new(options.margin);
        Self { options, matches: Mutex::default(), margin }
    }

    /// The answer to INFO; never waits for anything.
    pub(super) fn info(&self) -> Reply {
        let matches = self.matches();
        let is_full = matches.len() >= self.options.most_matches;
        let full = is_full && !matches.values().any(|one| self.overdue(one).is_some());
        let status = if full { Status::Busy } else { Status::Available };
        Reply::Info { name: Some(self.options.name.clone()), status }
    }

    /// The answer to a message that began to arrive at this moment. May take as long as the clock
    /// allows.
    pub(super) fn answer(&self, message: Message, arrived: Instant) -> Answered {
        self.forget_silent();
        let entry = match &message {
            // Rules are in the record already.
            Message::Start { id, role, start_clock, play_clock, .. } => {
                let (start, play) = (start_clock.as_secs_f64(), play_clock.as_secs_f64());
                json!({ "text": format!("( START {id} {role} (...) {start} {play})") })
            }
            other => json!({ "text": other.to_string() }),
        };
        let before = message.id().and_then(|id| self.find(id));
        if let Some(known) = before.as_ref().filter(|_| !matches!(message, Message::Start { .. })) {
            known.hear();
            known.log().add("message", entry.clone());
        }
        let id = message.id().map(str::to_owned);
        let (answered, end) = match message {
            Message::Info => (self.info().into(), None),
            // Rules that may come are rules that will come: nothing is gained by looking at them
            // twice.
            Message::Preview { .. } => (Reply::Ready.into(), None),
            Message::Start { id, role, rules, start_clock, play_clock } => {
                let order = Order { id, role, rules, start_clock, play_clock };
                (self.start(order, arrived, entry), Some(arrived + start_clock))
            }
            Message::Play { moves, .. } => match &before {
                None => (Reply::Busy.into(), None),
                Some(known) => {
                    let clock = known.play_clock;
                    let margin = self.margin.of(clock);
                    let deadline = self.deadline(arrived, clock, margin);
                    let end = self.deadline(arrived, clock, margin / 3);
                    (known.play(moves.as_deref(), arrived, deadline, end), Some(arrived + clock))
                }
            },
            Message::Stop { id, moves } => match &before {
                None => (Reply::Busy.into(), None),
                Some(known) => {
                    known.stop(moves.as_deref());
                    self.remove(&id);
                    (Reply::Done.into(), None)
                }
            },
            Message::Abort { id } => match &before {
                None => (Reply::Busy.into(), None),
                Some(known) => {
                    known.abort();
                    self.remove(&id);
                    (Reply::Aborted.into(), None)
                }
            },
        };
        if let Some(known) = before.or_else(|| id.and_then(|id| self.find(&id))) {
            let left = end.map(|end| {
                let now = Instant::now();
                let early = end.saturating_duration_since(now).as_secs_f64();
                (early - now.saturating_duration_since(end).as_secs_f64()) * 1000.0
            });
            known.hear();
            known
                .log()
                .add("reply", json!({ "text": answered.reply.to_string(), "left": left.map(f64::round) }));
        }
        answered
    }

    /// Wakes up now and then and learns how late that is, until the host is gone.
    pub(super) fn heartbeat(host: Weak<Self>) {
        let mut pause = IDLE_BEAT;
        loop {
            let planned = Instant::now() + pause;
            std::thread::sleep(pause);
            let Some(host) = host.upgrade() else { return };
            host.margin.observe(planned.elapsed());
            pause = if host.matches().is_empty() { IDLE_BEAT } else { BEAT };
        }
    }

    /// When an answer should leave; if that is past, there is half of the margin left to find
    /// something.
    fn deadline(&self, arrived: Instant, clock: Duration, margin: Duration) -> Instant {
        let ideal = arrived + clock.saturating_sub(margin);
        ideal.max((Instant::now() + margin / 2).min(arrived + clock))
    }

    fn start(&self, order: Order, arrived: Instant, entry: serde_json::Value) -> Answered {
        // There is no grace for START in any dialect, and the last moments of it are worth little.
        let clock = order.start_clock;
        let margin = (self.margin.of(clock) * 2).min(clock / 2);
        let deadline = self.deadline(arrived, clock, margin);
        let end = self.deadline(arrived, clock, margin / 2);
        let mut log = MatchLog::create(self.options.records.as_deref(), &order.id).unwrap_or_else(|error| {
            tracing::warn!("nothing is kept of the match {}: {error}", order.id);
            MatchLog::none(&order.id)
        });
        log = log.heard_by(self.options.listener.clone());
        log.add("start", self.heading(&order));
        log.add("message", entry);
        // Gone before its successor comes: two matches would share what one needs.
        if let Some(old) = self.remove(&order.id) {
            old.log().note("replaced by a new match of the same name");
        }
        if !self.make_room() {
            log.note("refused: too many matches");
            return Reply::Busy.into();
        }
        let (rules, role) = match understand(&order) {
            Ok(understood) => understood,
            Err(reason) => {
                log.note(&format!("refused: {reason}"));
                return Reply::Busy.into();
            }
        };
        let roles = role_names(&rules);
        log.tell(&Notice::Started {
            id: &order.id,
            role: &order.role,
            roles: &roles,
            rules: &order.rules,
            start_clock: order.start_clock,
            play_clock: order.play_clock,
        });
        let seat = Seat { role, roles, rules: Arc::new(rules.clone()), seed: self.options.seed };
        let session = {
            let mut matches = self.matches();
            let (threads, memory) = self.portion(matches.len() + 1);
            let session = self.session(rules, role, order.play_clock, threads, memory);
            let new = Arc::new(OneMatch::new(session, seat, order.play_clock, log));
            matches.insert(order.id, Arc::clone(&new));
            self.share(&matches);
            new
        };
        if !session.session().get_ready(deadline, end) {
            session.log().note("no engine can run this game; answers may be missing");
        }
        Reply::Ready.into()
    }

    fn heading(&self, order: &Order) -> serde_json::Value {
        json!({
            "id": order.id,
            "role": order.role,
            "player": self.options.spec,
            "version": env!("CARGO_PKG_VERSION"),
            "start_clock": order.start_clock.as_secs_f64(),
            "play_clock": order.play_clock.as_secs_f64(),
            "rules": order.rules,
        })
    }

    fn session(
        &self,
        rules: Rules,
        role: usize,
        play_clock: Duration,
        threads: usize,
        memory: usize,
    ) -> Session {
        let ponder = if self.options.ponder { play_clock + PONDER_GRACE } else { Duration::ZERO };
        let mut build = BuildOptions::default();
        build.limits.bytes = build.limits.bytes.min(memory);
        let options = SessionOptions {
            threads,
            memory,
            seed: self.options.seed,
            ponder,
            candidates: 10,
            build,
            ..SessionOptions::default()
        };
        Session::with_search(rules, RoleId::new(role), Arc::clone(&self.options.make), options)
    }

    /// What each of so many matches may use.
    fn portion(&self, matches: usize) -> (usize, usize) {
        let matches = matches.max(1);
        ((self.options.threads / matches).max(1), self.options.memory / matches)
    }

    /// Shares what there is among all matches.
    fn share(&self, matches: &BTreeMap<String, Arc<OneMatch>>) {
        let (threads, memory) = self.portion(matches.len());
        for one in matches.values() {
            one.session().share(threads, memory);
        }
    }

    fn find(&self, id: &str) -> Option<Arc<OneMatch>> {
        self.matches().get(id).cloned()
    }

    fn remove(&self, id: &str) -> Option<Arc<OneMatch>> {
        let mut matches = self.matches();
        let removed = matches.remove(id);
        self.share(&matches);
        removed
    }

    /// Matches whose managers went away without a word.
    fn forget_silent(&self) {
        let mut matches = self.matches();
        let before = matches.len();
        matches.retain(|_, one| {
            let silent = one.silence() > SILENCE + one.play_clock * 2;
            if silent {
                one.log().note("forgotten: its manager is silent");
            }
            !silent
        });
        if matches.len() != before {
            self.share(&matches);
        }
    }

    /// Whether there is room for another match. If not, the one that is overdue longest is given
    /// up: managers die, and must not leave the player busy for ever.
    fn make_room(&self) -> bool {
        let mut matches = self.matches();
        if matches.len() < self.options.most_matches {
            return true;
        }
        let longest =
            matches.iter().filter_map(|(id, one)| self.overdue(one).map(|by| (by, id.clone()))).max();
        let given_up = longest.and_then(|(_, id)| matches.remove(&id));
        if let Some(one) = &given_up {
            one.log().note("abandoned: its manager is silent, and another match needs its place");
        }
        given_up.is_some()
    }

    /// By how much the manager of a match is overdue.
    fn overdue(&self, one: &OneMatch) -> Option<Duration> {
        one.silence().checked_sub(one.play_clock * 2 + self.options.overdue)
    }

    /// Ends all matches.
    pub(super) fn close(&self) {
        for one in std::mem::take(&mut *self.matches()).into_values() {
            one.log().note("the player was shut down");
        }
    }

    fn matches(&self) -> MutexGuard<'_, BTreeMap<String, Arc<OneMatch>>> {
        // Nothing in there is left half done by a panic.
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What START orders.
struct Order {
    id: String,
    role: String,
    rules: String,
    start_clock: Duration,
    play_clock: Duration,
}

/// The rules and the number of the role, or why there are none.
fn understand(order: &Order) -> Result<(Rules, usize), String> {
    let source = Source::new(order.id.as_str(), order.rules.as_bytes());
    let rules = load(&source).playable().map_err(|report| {
        let first = report.diagnostics().iter().find(|found| found.severity() == ludex_gdl::Severity::Error);
        format!("the rules have errors: {}", first.map_or_else(String::new, |found| found.message.clone()))
    })?;
    let role = find_role(&rules, &order.role).ok_or_else(|| format!("there is no role {}", order.role))?;
    Ok((rules, role))
}
