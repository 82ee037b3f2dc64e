//! What a match is to be, as the page asks for it.

use std::time::Duration;

use ludex_arena::Participant;
use serde::Deserialize;

use crate::reply::Refusal;
use crate::shelf::{Game, Wanted};
use crate::strength::Strength;

/// Longest time that the machine may think about a move, in seconds.
const LONGEST_THOUGHT: f64 = 60.0;
/// Longest time to get ready, in seconds.
const LONGEST_START: f64 = 600.0;
/// Longest clock of people, in seconds.
const LONGEST_CLOCK: f64 = 24.0 * 3600.0;
/// Longest spec of a player, in bytes.
const MAX_SPEC: usize = 500;

/// Who takes a seat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "who", rename_all = "lowercase")]
pub(crate) enum Seat {
    /// A person, here or elsewhere.
    Human,
    /// The machine, with a strength in plain words.
    Machine {
        /// How strong.
        strength: Strength,
    },
    /// A player of the table, or one behind HTTP.
    Player {
        /// As specs are written, or `http://host:port`.
        spec: String,
    },
    /// Whoever it was, in a record.
    #[serde(skip)]
    Recorded(String),
}

/// What a match is to be.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMatch {
    pub(crate) game: Wanted,
    /// One for each role but chance, in the order of the roles.
    pub(crate) seats: Vec<Seat>,
    /// Seconds that the machine thinks about a move.
    #[serde(default = "usual_thought")]
    pub(crate) think: f64,
    /// Seconds that people have for a move; as long as they like if there is none.
    #[serde(default)]
    pub(crate) clock: Option<f64>,
    /// Decides everything that is random.
    #[serde(default)]
    pub(crate) seed: Option<u64>,
    /// Seconds to get ready; a moment if there is none.
    #[serde(default)]
    pub(crate) start: Option<f64>,
    /// Playouts for each move of players in this process, instead of clocks.
    #[serde(default)]
    pub(crate) playouts: Option<u64>,
    /// Whether players behind HTTP get other words.
    #[serde(default)]
    pub(crate) scramble: bool,
    /// Which tournament it belongs to, for records.
    #[serde(skip)]
    pub(crate) tournament: Option<String>,
}

fn usual_thought() -> f64 {
    1.0
}

impl NewMatch {
    /// A match of a game with nobody in it yet, and everything else as usual.
    pub(crate) fn of(game: Wanted) -> Self {
        Self {
            game,
            seats: Vec::new(),
            think: usual_thought(),
            clock: None,
            seed: None,
            start: None,
            playouts: None,
            scramble: false,
            tournament: None,
        }
    }

    /// Whether it makes sense for this game.
    pub(crate) fn check(&self, game: &Game) -> Result<(), Refusal> {
        let seats = game.rulebook.seats();
        if self.seats.len() != seats {
            return Err(Refusal::bad(format!("the game needs {seats} players")));
        }
        if !(0.05..=LONGEST_THOUGHT).contains(&self.think) {
            return Err(Refusal::bad(format!("the machine thinks from 0.05 to {LONGEST_THOUGHT} seconds")));
        }
        if self.clock.is_some_and(|clock| !(1.0..=LONGEST_CLOCK).contains(&clock)) {
            return Err(Refusal::bad("a clock is from a second to a day"));
        }
        if self.start.is_some_and(|start| !(0.0..=LONGEST_START).contains(&start)) {
            return Err(Refusal::bad(format!("a start clock is at most {LONGEST_START} seconds")));
        }
        if self.playouts == Some(0) {
            return Err(Refusal::bad("a player needs at least one playout"));
        }
        for seat in &self.seats {
            seat.player()?;
        }
        Ok(())
    }

    /// Whether somebody behind HTTP takes part.
    pub(crate) fn asks_others(&self) -> bool {
        self.seats.iter().any(|seat| matches!(seat.player(), Ok(Some(Participant::Http(_)))))
    }

    /// Time of the machine.
    pub(crate) fn thought(&self) -> Duration {
        Duration::from_secs_f64(self.think.clamp(0.05, LONGEST_THOUGHT))
    }

    /// Time to get ready, if it was said.
    pub(crate) fn start_clock(&self) -> Option<Duration> {
        self.start.map(|start| Duration::from_secs_f64(start.clamp(0.0, LONGEST_START)))
    }

    /// Time of people.
    pub(crate) fn human_clock(&self) -> Option<Duration> {
        self.clock.map(|clock| Duration::from_secs_f64(clock.clamp(1.0, LONGEST_CLOCK)))
    }

    /// The same with everybody one seat further.
    pub(crate) fn swapped(&self) -> Self {
        let mut swapped = self.clone();
        let by = usize::from(!swapped.seats.is_empty());
        swapped.seats.rotate_right(by);
        swapped
    }
}

impl Seat {
    /// Who plays, if it is not a person.
    pub(crate) fn player(&self) -> Result<Option<Participant>, Refusal> {
        match self {
            Seat::Human | Seat::Recorded(_) => Ok(None),
            Seat::Machine { strength } => {
                strength.participant().map(Some).map_err(|error| Refusal::broken(error.to_string()))
            }
            Seat::Player { spec } if spec.len() > MAX_SPEC => Err(Refusal::bad("the player is too long")),
            Seat::Player { spec } => match spec.trim().parse::<Participant>() {
                Ok(player) => Ok(Some(player)),
                Err(error) => Err(Refusal::bad(error.to_string())),
            },
        }
    }

    /// What the page calls it.
    pub(crate) fn label(&self) -> String {
        match self {
            Seat::Human => "human".to_owned(),
            Seat::Machine { strength: Strength::Random } => "Random moves".to_owned(),
            Seat::Machine { strength } => format!("Machine, {}", format!("{strength:?}").to_lowercase()),
            Seat::Player { spec } => spec.clone(),
            Seat::Recorded(name) => name.clone(),
        }
    }
}
