//! Verifying: does an engine say what a trace says?

use std::fmt;

use crate::game::{Failure, Game};
use crate::ids::{FactId, MoveId};
use crate::trace::{Line, Trace, by_name, written};

/// What came of comparing an engine with a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// States on which they agree.
    pub states: usize,
    /// States of the trace.
    pub of: usize,
    /// How it ended.
    pub end: End,
}

/// How a comparison ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The engine agrees with the whole trace.
    Agreed,
    /// It does not; here is where they first differ.
    Differs(Box<Difference>),
    /// The engine gave up.
    Failed(Failure),
    /// The caller had enough.
    Stopped,
}

/// The first place where an engine and a trace differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which playout of the trace.
    pub playout: u64,
    /// Which step of it.
    pub step: u64,
    /// About what.
    pub what: What,
    /// What the trace says.
    pub recorded: String,
    /// What the engine says.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { playout, step, what, recorded, found } = self;
        write!(f, "playout {playout}, step {step}: {what}: recorded {recorded}, found {found}")
    }
}

/// What an engine and a trace can differ about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The roles.
    Roles,
    /// The first state.
    FirstState,
    /// A fact of the state that cannot occur according to the engine.
    Fact,
    /// Whether the game is over.
    Terminal,
    /// What this role gets.
    Goal(String),
    /// What this role may do.
    Legal(String),
    /// A move that was made and that does not exist according to the engine.
    Move,
    /// The state after the joint move.
    Next,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Roles => f.write_str("the roles"),
            What::FirstState => f.write_str("the first state"),
            What::Fact => f.write_str("a fact"),
            What::Terminal => f.write_str("the end of the game"),
            What::Goal(role) => write!(f, "the goal of {role}"),
            What::Legal(role) => write!(f, "the moves of {role}"),
            What::Move => f.write_str("a move"),
            What::Next => f.write_str("the next state"),
        }
    }
}

/// Compares an engine with a trace: every state is built from its facts, then legal moves, end, goals
/// and the next state must be the same.
pub fn verify(game: &dyn Game, trace: &Trace) -> Verified {
    verify_while(game, trace, |_| true)
}

/// [`verify`] as long as the caller wants; it is asked before each state, with the number of states
/// that are done.
pub fn verify_while(game: &dyn Game, trace: &Trace, mut go_on: impl FnMut(usize) -> bool) -> Verified {
    let of = trace.lines.len();
    for (at, line) in trace.lines.iter().enumerate() {
        if !go_on(at) {
            return Verified { states: at, of, end: End::Stopped };
        }
        let following = trace.lines.get(at + 1);
        let following = following.filter(|next| (next.playout, next.step) == (line.playout, line.step + 1));
        match verify_line(game, line, following) {
            Ok(None) => {}
            Ok(Some((what, recorded, found))) => {
                let (playout, step) = (line.playout, line.step);
                let difference = Difference { playout, step, what, recorded, found };
                return Verified { states: at, of, end: End::Differs(Box::new(difference)) };
            }
            Err(failure) => return Verified { states: at, of, end: End::Failed(failure) },
        }
    }
    Verified { states: of, of, end: End::Agreed }
}

type Found = Option<(What, String, String)>;

fn verify_line(game: &dyn Game, line: &Line, following: Option<&Line>) -> Result<Found, Failure> {
    let mut roles: Vec<&String> = game.roles().iter().collect();
    roles.sort();
    if !line.goals.keys().eq(roles.iter().copied()) {
        let recorded: Vec<_> = line.goals.keys().cloned().collect();
        return Ok(Some((What::Roles, list(&recorded), list(game.roles()))));
    }
    if line.step == 0
        && let Some((recorded, found)) = lists_differ(&line.state, &game.describe(&game.initial()))
    {
        return Ok(Some((What::FirstState, recorded, found)));
    }
    let mut facts: Vec<FactId> = Vec::with_capacity(line.state.len());
    for text in &line.state {
        match game.find_fact(text) {
            Some(fact) => facts.push(fact),
            None => return Ok(Some((What::Fact, text.clone(), "no such fact".to_owned()))),
        }
    }
    let state = game.state_with(&facts);
    let view = game.view(&state)?;
    if view.terminal != line.terminal {
        return Ok(Some((What::Terminal, line.terminal.to_string(), view.terminal.to_string())));
    }
    for (role, goal) in game.roles().iter().zip(game.goals(&state)?) {
        let (value, all) = written(&goal);
        let recorded = (line.goals.get(role).copied().flatten(), line.goal_values.get(role).cloned());
        let recorded = (recorded.0, recorded.1.map(sorted));
        if recorded != (value, all.clone().map(sorted)) {
            return Ok(Some((What::Goal(role.clone()), goal_text(&recorded), goal_text(&(value, all)))));
        }
    }
    if let Some(recorded) = &line.legal {
        for (role, moves) in game.roles().iter().zip(&view.legal) {
            let found: Vec<String> = by_name(game, moves).into_iter().map(|(name, _)| name).collect();
            let recorded = recorded.get(role).map_or(&[][..], |moves| moves);
            if let Some((recorded, found)) = lists_differ(recorded, &found) {
                return Ok(Some((What::Legal(role.clone()), recorded, found)));
            }
        }
    }
    let (Some(moves), Some(following)) = (&line.moves, following) else { return Ok(None) };
    let mut joint: Vec<MoveId> = Vec::with_capacity(moves.len());
    for text in moves {
        match game.find_move(text) {
            Some(id) => joint.push(id),
            None => return Ok(Some((What::Move, text.clone(), "no such move".to_owned()))),
        }
    }
    let found = game.describe(&game.next(&state, &joint)?);
    Ok(lists_differ(&following.state, &found).map(|(recorded, found)| (What::Next, recorded, found)))
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

fn goal_text(goal: &(Option<i64>, Option<Vec<String>>)) -> String {
    match goal {
        (Some(value), _) => value.to_string(),
        (None, Some(values)) => values.join(" and "),
        (None, None) => "none".to_owned(),
    }
}

/// What only one of the lists has, if anything; their order does not matter.
pub(crate) fn lists_differ(recorded: &[String], found: &[String]) -> Option<(String, String)> {
    let (a, b) = (sorted(recorded.to_vec()), sorted(found.to_vec()));
    if a == b {
        return None;
    }
    let only = |from: &[String], other: &[String]| -> Vec<String> {
        from.iter().filter(|text| other.binary_search(text).is_err()).cloned().collect()
    };
    let (missing, extra) = (only(&a, &b), only(&b, &a));
    match missing.is_empty() && extra.is_empty() {
        true => Some((list(&a), list(&b))), // something is there twice
        false => Some((list(&missing), list(&extra))),
    }
}

/// A list in words, cut off when it is long.
fn list(texts: &[String]) -> String {
    const SHOWN: usize = 8;
    match texts.len() {
        0 => "nothing more".to_owned(),
        1..=SHOWN => texts.join(" "),
        more => format!("{} and {} more", texts[..SHOWN].join(" "), more - SHOWN),
    }
}
