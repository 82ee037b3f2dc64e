//! Traces: random games written down, to be checked by other engines and other programs.
//!
//! A trace has one JSON object a line:
//!
//! ```json
//! {"playout":0,"step":3,"state":["(cell 1 1 b)"],"terminal":false,"goals":{"white":50},
//!  "legal":{"white":["noop"]},"moves":["noop"]}
//! ```
//!
//! Facts and moves are in prefix form with single blanks, lower-case, sorted. A goal is `null` where
//! there is not exactly one whole number; `goal_values` then has all values, if there are any.
//! `legal` and `moves` are `null` in terminal states. `moves` leads to the state of the next line, if
//! that is the next step of the same playout. `stop` says why a playout ends before its end.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::game::{Failure, Game, Goal};
use crate::ids::MoveId;

/// Something by role. Maps are sorted by the names of the roles.
type ByRole<T> = BTreeMap<String, T>;

/// One state of a playout and what was done there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Which playout, from 0.
    pub playout: u64,
    /// Which state of it, from 0.
    pub step: u64,
    /// The facts that hold.
    pub state: Vec<String>,
    /// Whether the game is over.
    pub terminal: bool,
    /// What each role gets.
    pub goals: ByRole<Option<i64>>,
    /// All goal values of roles that have some, but not exactly one whole number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub goal_values: ByRole<Vec<String>>,
    /// The legal moves of each role.
    pub legal: Option<ByRole<Vec<String>>>,
    /// The joint move: one move for each role, in the order of the roles.
    pub moves: Option<Vec<String>>,
    /// Why the playout ends here though the state is not terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
}

/// Random games, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The lines of one playout follow each other, step by step.
    pub lines: Vec<Line>,
}

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The bytes could not be had.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not what a trace consists of.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl Trace {
    /// Reads a trace, plain or compressed by gzip: the first bytes tell.
    pub fn read(mut input: impl BufRead) -> Result<Self, TraceError> {
        const GZIP: [u8; 2] = [0x1f, 0x8b];
        match input.fill_buf()?.starts_with(&GZIP) {
            true => Self::read_lines(BufReader::new(MultiGzDecoder::new(input))),
            false => Self::read_lines(input),
        }
    }

    fn read_lines(input: impl BufRead) -> Result<Self, TraceError> {
        let mut trace = Self::default();
        for (at, text) in input.lines().enumerate() {
            let text = text?;
            if text.trim().is_empty() {
                continue;
            }
            let line = serde_json::from_str(&text)
                .map_err(|error| TraceError::Line { line: at + 1, reason: error.to_string() })?;
            trace.lines.push(line);
        }
        Ok(trace)
    }

    /// Writes the trace as plain lines.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        for line in &self.lines {
            serde_json::to_writer(&mut out, line)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Writes the trace compressed by gzip.
    pub fn write_compressed(&self, out: impl Write) -> io::Result<()> {
        let mut encoder = GzEncoder::new(out, Compression::best());
        self.write(&mut encoder)?;
        encoder.finish()?.flush()
    }
}

/// Which games to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The same seed gives the same games, with any engine that agrees on the rules.
    pub seed: u64,
    /// How many games.
    pub playouts: u64,
    /// Longer games are cut off.
    pub max_steps: u64,
}

/// Plays random games and writes them down. Moves are drawn from lists sorted by name, so that it
/// does not matter which engine plays.
pub fn record(game: &dyn Game, recording: Recording) -> Result<Trace, Failure> {
    let mut trace = Trace::default();
    for playout in 0..recording.playouts {
        let mut random =
            fastrand::Rng::with_seed(recording.seed ^ playout.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut state = game.initial();
        for step in 0.. {
            let view = game.view(&state)?;
            let mut line = Line {
                playout,
                step,
                state: game.describe(&state),
                terminal: view.terminal,
                ..Line::default()
            };
            for (role, goal) in game.roles().iter().zip(game.goals(&state)?) {
                let (value, all) = written(&goal);
                line.goals.insert(role.clone(), value);
                line.goal_values.extend(all.map(|all| (role.clone(), all)));
            }
            if view.terminal {
                trace.lines.push(line);
                break;
            }
            let legal: Vec<Vec<(String, MoveId)>> =
                view.legal.iter().map(|moves| by_name(game, moves)).collect();
            let names = legal.iter().map(|moves| moves.iter().map(|(name, _)| name.clone()).collect());
            line.legal = Some(game.roles().iter().cloned().zip(names).collect());
            let without = game.roles().iter().zip(&legal).find(|(_, moves)| moves.is_empty());
            line.stop = match without {
                Some((role, _)) => Some(format!("no legal move for {role}")),
                None if step >= recording.max_steps => Some("step cap".to_owned()),
                None => None,
            };
            if line.stop.is_some() {
                trace.lines.push(line);
                break;
            }
            let chosen: Vec<&(String, MoveId)> =
                legal.iter().map(|moves| &moves[random.usize(..moves.len())]).collect();
            line.moves = Some(chosen.iter().map(|(name, _)| name.clone()).collect());
            trace.lines.push(line);
            let joint: Vec<MoveId> = chosen.iter().map(|(_, id)| *id).collect();
            state = game.next(&state, &joint)?;
        }
    }
    Ok(trace)
}

/// Moves with their names, sorted by name.
pub(crate) fn by_name(game: &dyn Game, moves: &[MoveId]) -> Vec<(String, MoveId)> {
    let mut named: Vec<_> = moves.iter().map(|&id| (game.move_name(id), id)).collect();
    named.sort();
    named
}

/// A goal as a trace has it: the value, or all values if there are some but not exactly one number.
pub(crate) fn written(goal: &Goal) -> (Option<i64>, Option<Vec<String>>) {
    match goal {
        Goal::Value(value) => (Some(i64::from(*value)), None),
        Goal::Undefined => (None, None),
        Goal::Faulty(values) => match values.as_slice() {
            [only] if only.parse::<i64>().is_ok() => (only.parse().ok(), None),
            _ => (None, Some(values.clone())),
        },
    }
}
