//! Playing a record again: is every state what the rules make of the moves, every move legal, every
//! goal what the rules give?

use std::fmt;

use ludex_game::{Failure, Game, Goal, MoveId};

use super::{MatchRecord, terms};

/// What came of playing a record again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is as the rules say.
    Agrees,
    /// Something is not; here is the first difference.
    Differs(RecordDifference),
    /// The engine could not tell.
    Unknown(Failure),
}

/// Where a record first differs from the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDifference {
    /// At which state, from 0.
    pub state: usize,
    /// About what, in words.
    pub what: String,
    /// What the record says.
    pub recorded: String,
    /// What the rules say.
    pub found: String,
}

impl fmt::Display for RecordDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { state, what, recorded, found } = self;
        write!(f, "state {state}: {what}: the record says {recorded}, the rules say {found}")
    }
}

/// Plays the moves of a record and compares everything with a game of its rules; with the
/// reference, for the answer to be worth something.
pub fn verify_record(record: &MatchRecord, game: &dyn Game) -> Verdict {
    match first_difference(record, game) {
        Ok(None) => Verdict::Agrees,
        Ok(Some(difference)) => Verdict::Differs(difference),
        Err(failure) => Verdict::Unknown(failure),
    }
}

fn first_difference(record: &MatchRecord, game: &dyn Game) -> Result<Option<RecordDifference>, Failure> {
    let differs = |state: usize, what: &str, recorded: String, found: String| {
        Ok(Some(RecordDifference { state, what: what.to_owned(), recorded, found }))
    };
    let roles = game.roles();
    if let Some(details) = &record.ludex
        && details.roles != roles
    {
        return differs(0, "the roles", details.roles.join(" "), roles.join(" "));
    }
    let mut state = game.initial();
    for (at, recorded) in record.states.iter().enumerate() {
        let found = game.describe(&state);
        if let Some((recorded, found)) = facts_differ(recorded, &found) {
            return differs(at, "the facts", recorded, found);
        }
        let view = game.view(&state)?;
        let Some(moves) = record.moves.get(at) else {
            let over = |over: bool| if over { "over" } else { "not over" }.to_owned();
            let faulty = view.terminal && record.goal_values.is_empty();
            if view.terminal != record.is_completed && !faulty {
                return differs(at, "the end", over(record.is_completed), over(view.terminal));
            }
            return goals_differ(record, game, &game.goals(&state)?, at);
        };
        if view.terminal {
            return differs(at, "the end", "not over".into(), "over".into());
        }
        if moves.len() != roles.len() {
            return differs(at, "the number of moves", moves.len().to_string(), roles.len().to_string());
        }
        let mut joint: Vec<MoveId> = Vec::with_capacity(moves.len());
        for ((text, legal), role) in moves.iter().zip(&view.legal).zip(roles) {
            match game.find_move(text).filter(|id| legal.contains(id)) {
                Some(id) => joint.push(id),
                None => {
                    return differs(at, &format!("the move of {role}"), text.clone(), "not legal".into());
                }
            }
        }
        state = game.next(&state, &joint)?;
    }
    Ok(None)
}

/// Goals that were recorded must be those of the rules.
fn goals_differ(
    record: &MatchRecord,
    game: &dyn Game,
    goals: &[Goal],
    state: usize,
) -> Result<Option<RecordDifference>, Failure> {
    if record.goal_values.is_empty() {
        return Ok(None);
    }
    if record.goal_values.len() != goals.len() {
        let (recorded, found) = (record.goal_values.len().to_string(), goals.len().to_string());
        let what = "the number of goals".to_owned();
        return Ok(Some(RecordDifference { state, what, recorded, found }));
    }
    let mut all = game.roles().iter().zip(goals).zip(&record.goal_values);
    let wrong = all.find(|((_, goal), recorded)| goal.value() != Some(**recorded));
    Ok(wrong.map(|((role, goal), recorded)| RecordDifference {
        state,
        what: format!("the goal of {role}"),
        recorded: recorded.to_string(),
        found: goal_text(goal),
    }))
}

/// A goal in words.
pub(crate) fn goal_text(goal: &Goal) -> String {
    match goal {
        Goal::Value(value) => value.to_string(),
        Goal::Undefined => "none".to_owned(),
        Goal::Faulty(values) => values.join(" and "),
    }
}

/// What only one of the states has; `found` is sorted.
fn facts_differ(recorded: &str, found: &[String]) -> Option<(String, String)> {
    let Some(recorded) = terms::facts(recorded) else {
        return Some(("no list of facts".to_owned(), found.join(" ")));
    };
    if recorded == found {
        return None;
    }
    let only = |these: &[String], others: &[String]| -> String {
        let only: Vec<&str> =
            these.iter().filter(|fact| others.binary_search(fact).is_err()).map(String::as_str).collect();
        if only.is_empty() { "nothing more".to_owned() } else { only.join(" ") }
    };
    Some((only(&recorded, found), only(found, &recorded)))
}
