//! What a match is to be: who plays, for how long, by which seed.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ludex_engine::{HUMAN, MakeSearch, OptionValue, Player, PlayerError};
use ludex_search::{Budget, Stop};

use super::person::Person;
use crate::client::{Address, AddressError};
use crate::record::PlayerDetails;

/// Somebody who plays a role.
#[derive(Clone)]
pub enum Participant {
    /// One of the table of players.
    BuiltIn(Player),
    /// A search of the caller's own.
    Own {
        /// What records call it.
        name: String,
        /// Makes it.
        make: MakeSearch,
    },
    /// Behind HTTP.
    Http(Address),
    /// Whoever the caller asks.
    Person(Person),
}

/// Why a text does not name anybody who could play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParticipantError {
    /// Not the address of a player.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Not one of the table.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// `http://host:port`, or the spec of a player.
impl FromStr for Participant {
    type Err = ParticipantError;

    fn from_str(text: &str) -> Result<Self, ParticipantError> {
        if text.contains("://") {
            Ok(Participant::Http(text.parse()?))
        } else {
            Ok(Participant::BuiltIn(Player::new(text)?))
        }
    }
}

impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Participant::BuiltIn(player) => player.spec().fmt(f),
            Participant::Own { name, .. } => f.write_str(name),
            Participant::Http(address) => address.fmt(f),
            Participant::Person(_) => f.write_str(HUMAN),
        }
    }
}

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Participant({self})")
    }
}

impl Participant {
    /// What makes its searches, if it thinks in this process.
    pub fn maker(&self) -> Option<MakeSearch> {
        match self {
            Participant::BuiltIn(player) => {
                let player = player.clone();
                Some(Arc::new(move |context| player.search(context)))
            }
            Participant::Own { make, .. } => Some(Arc::clone(make)),
            Participant::Http(_) | Participant::Person(_) => None,
        }
    }

    /// As records have it.
    pub(crate) fn details(&self) -> PlayerDetails {
        let value = |value: OptionValue| match value {
            OptionValue::Whole(value) => value.to_string(),
            OptionValue::Number(value) => value.to_string(),
            OptionValue::Switch(on) => if on { "on" } else { "off" }.to_owned(),
            OptionValue::Word(word) => word.to_owned(),
        };
        let settings = match self {
            Participant::BuiltIn(player) => {
                player.settings().map(|(name, setting)| (name.to_owned(), value(setting))).collect()
            }
            _ => Default::default(),
        };
        PlayerDetails { spec: self.to_string(), settings }
    }
}

/// How much of the match is compared with the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// The last state: whether it is the end, and the goals.
    #[default]
    Ends,
    /// Every state, and every move.
    Everything,
}

/// What a match is to be.
#[derive(Clone, Debug)]
pub struct MatchSetup {
    /// One for each role but `random`, in the order of the roles.
    pub players: Vec<Participant>,
    /// Time to get ready.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// How much later than the play clock an answer may come. The start clock is exact.
    pub grace: Duration,
    /// Playouts for each move of players in this process, instead of clocks: the same seed gives
    /// the same match, with an engine that always numbers moves in the same way (those of circuits
    /// do). Nobody's thoughts are cut short then.
    pub playouts: Option<u64>,
    /// Decides everything that is random: who sits where, moves of chance, moves in place of bad
    /// answers, the thoughts of players in this process.
    pub seed: u64,
    /// Seat the players by the seed.
    pub shuffle: bool,
    /// Send other words to players behind HTTP.
    pub scramble: bool,
    /// Longer matches are given up.
    pub max_steps: usize,
    /// Players in this process think while only others have a choice.
    pub ponder: bool,
    /// Players get ready one after the other, each with the whole start clock, so that those who
    /// are never asked at the same time later do not share a core now.
    pub start_in_turn: bool,
    /// Threads of each player in this process.
    pub threads: usize,
    /// Bytes that each of them may hold on to.
    pub memory: usize,
    /// Joint moves that are made before anybody is asked, to go on with an earlier match. Players
    /// behind HTTP cannot be told.
    pub opening: Vec<Vec<String>>,
    /// How much is compared with the reference.
    pub check: Check,
    /// Players behind HTTP that read whole seconds only: clocks are rounded up for them, and they
    /// get the time that they are told.
    pub whole_seconds: Vec<Address>,
    /// What players know the match by; made up if there is none.
    pub id: Option<String>,
    /// For records.
    pub tournament: Option<String>,
    /// Set by others to end the match: players are told ABORT.
    pub abort: Stop,
}

/// A clock as somebody gets it who reads whole seconds only.
pub(super) fn whole_seconds(clock: Duration) -> Duration {
    Duration::from_secs(clock.as_secs() + u64::from(clock.subsec_nanos() > 0))
}

impl MatchSetup {
    /// Later than this after the play clock an answer counts as none, as with ggp-base.
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(1);
    /// No game that people play takes so long.
    pub const DEFAULT_MAX_STEPS: usize = 10_000;

    /// A match of these players with everything else as usual.
    pub fn new(players: Vec<Participant>) -> Self {
        Self {
            players,
            start_clock: Duration::from_secs(10),
            play_clock: Duration::from_secs(5),
            grace: Self::DEFAULT_GRACE,
            playouts: None,
            seed: 0,
            shuffle: false,
            scramble: false,
            max_steps: Self::DEFAULT_MAX_STEPS,
            ponder: false,
            start_in_turn: false,
            threads: 1,
            memory: Budget::DEFAULT_MEMORY,
            opening: Vec::new(),
            check: Check::default(),
            whole_seconds: Vec::new(),
            id: None,
            tournament: None,
            abort: Stop::new(),
        }
    }
}

/// Why a match cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// There must be one player for each role.
    #[error(
        "the game has {} ({}), but {}", counted(.roles.len(), "role"), .roles.join(", "), there_are(*.given)
    )]
    Players {
        /// Names of the roles that need a player.
        roles: Vec<String>,
        /// How many there are.
        given: usize,
    },
    /// Pondering takes as long as others need, so no two matches would be the same.
    #[error("players cannot ponder with a fixed number of playouts: the match would not be repeatable")]
    PonderWithPlayouts,
    /// The protocol has no message for moves that were made before.
    #[error("players behind HTTP cannot go on with an earlier match")]
    OpeningWithHttp,
    /// Clocks are for matches that end.
    #[error("a clock of {} s is too long; the longest is a year", .0.as_secs())]
    Clock(Duration),
    /// Ids are words in messages.
    #[error("`{0}` cannot be the id of a match: use letters, digits, `.`, `_` and `-`")]
    Id(String),
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn there_are(players: usize) -> String {
    let verb = if players == 1 { "is" } else { "are" };
    format!("there {verb} {}", counted(players, "player"))
}
