//! What somebody gets to see of a match: the board, the moves so far, and their own choices.
//!
//! What others choose at the same time is not in it before all have chosen.

use ludex_arena::{End, MatchRecord};
use ludex_search::is_chance;
use serde::Serialize;

use super::live::Live;
use super::new_match::Seat;
use super::story::Story;
use super::winning::winning;
use crate::reply::Refusal;
use crate::shown::{Choice, ShownPicture, choices, places};
use crate::style::Style;

/// What somebody has seen already: those moves are not sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    branch: u64,
    steps: usize,
    /// At the end players see everything again, with thoughts.
    over: bool,
}

/// A match as the page gets it.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    id: String,
    game: ShownGame,
    roles: Vec<ShownRole>,
    /// Number of joint moves so far.
    steps: usize,
    /// The joint moves from this one on.
    from: usize,
    moves: Vec<Vec<String>>,
    /// By step and role: what players thought about these moves. Not while somebody plays against them.
    thoughts: Vec<Vec<Option<Thought>>>,
    position: Option<Position>,
    /// Questions to those who look.
    asked: Vec<Question>,
    /// Whether a move can be taken back now.
    can_undo: bool,
    over: Option<Over>,
    next: Option<String>,
    /// A record of a match that was played elsewhere.
    replay: bool,
    /// Another process plays it.
    elsewhere: bool,
}

#[derive(Debug, Serialize)]
struct ShownGame {
    name: String,
    title: String,
    kind: &'static str,
    built_in: bool,
    style: Style,
}

#[derive(Debug, Serialize)]
struct ShownRole {
    name: String,
    /// `human`, `machine` or `chance`.
    who: &'static str,
    label: String,
    /// Whether the seat belongs to those who look.
    mine: bool,
    thinking: bool,
    /// Seconds left of the clock, if there is one.
    left: Option<f64>,
    /// What went wrong with the last move: the referee made another one.
    fault: Option<String>,
}

/// A position as the page gets it.
#[derive(Debug, Serialize)]
pub(crate) struct Position {
    step: usize,
    picture: ShownPicture,
    /// The cells that the last move changed.
    changed: Vec<(usize, usize, usize)>,
    /// The cells that decided the match.
    winning: Vec<(usize, usize, usize)>,
    /// By role: what its player thought about the last move.
    thoughts: Vec<Option<Thought>>,
}

#[derive(Debug, Serialize)]
struct Thought {
    value: Option<f64>,
    playouts: u64,
    seconds: f64,
    proved: bool,
    /// The continuation that it expected, as joint moves.
    line: Vec<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct Question {
    role: usize,
    step: usize,
    legal: Vec<Choice>,
}

#[derive(Debug, Serialize)]
struct Over {
    /// What each role got; empty if there was no end.
    goals: Vec<u8>,
    /// How it ended, in words.
    how: String,
}

impl View {
    /// What the holder of these keys sees; moves that were seen are left out.
    pub(crate) fn of(live: &Live, keys: &[&str], seen: &mut Seen) -> Self {
        let held = live.held(keys);
        let story = live.story();
        let steps = story.steps();
        let goes_on = (seen.branch, seen.over) == (story.branch, story.over);
        let from = if goes_on { seen.steps.min(steps) } else { 0 };
        *seen = Seen { branch: story.branch, steps, over: story.over };
        let moves = story.record.as_ref().map(|record| record.moves[from..].to_vec()).unwrap_or_default();
        let thoughts = match &story.record {
            Some(record) if story.over || !held.contains(&true) => {
                (from..steps).map(|step| thoughts(record, step)).collect()
            }
            _ => Vec::new(),
        };
        let roles = roles(live, &story, &held);
        let over = story.over.then(|| over(&story));
        let can_undo = story.back().is_some()
            && held.contains(&true)
            && (story.over || story.requests.iter().any(|request| held[request.role]));
        let asked: Vec<(usize, usize, Vec<String>)> = story
            .requests
            .iter()
            .filter(|request| held[request.role])
            .map(|request| (request.role, request.step, request.legal.clone()))
            .collect();
        let next = story.next.clone();
        let excerpt = story.record.as_ref().map(|record| Excerpt::of(record, steps));
        drop(story);
        let game = live.game();
        let position = excerpt.map(|excerpt| excerpt.position(live));
        let asked = match &position {
            Some((picture, _)) => asked
                .into_iter()
                .map(|(role, step, legal)| Question { role, step, legal: choices(&legal, picture) })
                .collect(),
            None => Vec::new(),
        };
        let game = ShownGame {
            name: game.name.clone(),
            title: game.title.clone(),
            kind: game.kind.as_str(),
            built_in: game.built_in,
            style: game.style,
        };
        let position = position.map(|(_, position)| position);
        Self {
            id: live.id().to_owned(),
            game,
            roles,
            steps,
            from,
            moves,
            thoughts,
            position,
            asked,
            can_undo,
            over,
            next,
            replay: live.is_replay(),
            elsewhere: live.feed().is_some(),
        }
    }
}

fn roles(live: &Live, story: &Story, held: &[bool]) -> Vec<ShownRole> {
    let errors = story.record.as_ref().and_then(|record| record.errors.get(record.steps()));
    let elapsed = story.asked.map(|asked| asked.elapsed()).unwrap_or_default();
    let role = |(role, name): (usize, &String)| {
        let seat = live.seats().get(role).and_then(Option::as_ref);
        let who = match seat {
            None => "chance",
            Some(Seat::Human) => "human",
            Some(_) => "machine",
        };
        let thinking = story.thinking.get(role).copied().unwrap_or(false) && !story.over;
        let clock = if who == "human" { live.wanted().human_clock() } else { story.clock };
        let left = clock.filter(|_| thinking).map(|clock| clock.saturating_sub(elapsed).as_secs_f64());
        let fault = errors.and_then(|errors| errors.get(role)).filter(|error| !error.is_empty()).cloned();
        let label = seat.map_or_else(|| "Chance".to_owned(), Seat::label);
        ShownRole { name: name.clone(), who, label, mine: held[role], thinking, left, fault }
    };
    live.game().roles().iter().enumerate().map(role).collect()
}

/// By role: what its player thought about the move from a state.
fn thoughts(record: &MatchRecord, step: usize) -> Vec<Option<Thought>> {
    let thought = |report: &ludex_arena::MoveReport| Thought {
        value: report.value.filter(|value| value.is_finite()),
        playouts: report.playouts,
        seconds: report.seconds,
        proved: report.proven,
        line: report.principal_variation.clone(),
    };
    let reports = record.ludex.as_ref().and_then(|details| details.thinking.get(step));
    let reports = reports.map(|reports| reports.iter().map(|report| report.as_ref().map(thought)).collect());
    reports.unwrap_or_default()
}

fn over(story: &Story) -> Over {
    let Some(record) = &story.record else {
        let how = story.problem.clone().unwrap_or_else(|| "The match did not begin.".to_owned());
        return Over { goals: Vec::new(), how };
    };
    let how = match (&story.problem, record.ludex.as_ref().map(|details| &details.end)) {
        (Some(problem), _) => problem.clone(),
        (None, Some(End::Finished) | None) => "The game is over.".to_owned(),
        (None, Some(End::StepLimit)) => "The match was stopped: too many steps.".to_owned(),
        (None, Some(End::Aborted)) => "The match was stopped.".to_owned(),
        (None, Some(End::Resigned(role))) => format!("{role} resigned."),
        (None, Some(End::Fault(reason))) => format!("The match cannot go on: {reason}"),
    };
    Over { goals: record.goal_values.clone(), how }
}

/// What is needed of a record to show a position, without holding on to the match.
struct Excerpt {
    step: usize,
    facts: Vec<String>,
    before: Option<Vec<String>>,
    goals: Vec<u8>,
    thoughts: Vec<Option<Thought>>,
}

impl Excerpt {
    fn of(record: &MatchRecord, step: usize) -> Self {
        let before = step.checked_sub(1);
        let thoughts = before.map(|before| thoughts(record, before)).unwrap_or_default();
        let last = step == record.steps() && !record.goal_values.is_empty();
        Self {
            step,
            facts: record.facts(step).unwrap_or_default(),
            before: before.and_then(|before| record.facts(before)),
            goals: if last { record.goal_values.clone() } else { Vec::new() },
            thoughts,
        }
    }

    fn position(self, live: &Live) -> (ludex_library::Picture, Position) {
        let game = live.game();
        let mut picture = game.picture(&self.facts);
        let changed = self.before.map(|before| picture.changes(&game.picture(&before))).unwrap_or_default();
        let winning = match self.goals.is_empty() {
            true => Vec::new(),
            false => winning(game, &self.facts, &self.goals),
        };
        if !self.goals.is_empty() {
            picture = picture.finished();
        }
        let position = Position {
            step: self.step,
            picture: ShownPicture::from(&picture),
            changed: places(&changed),
            winning: places(&winning),
            thoughts: self.thoughts,
        };
        (picture, position)
    }
}

/// An earlier position of a match.
pub(crate) fn position(live: &Live, step: usize) -> Result<Position, Refusal> {
    let story = live.story();
    let excerpt = story.record.as_ref().filter(|record| step <= record.steps()).map(|r| Excerpt::of(r, step));
    drop(story);
    let excerpt = excerpt.ok_or_else(|| Refusal::missing("there is no such position"))?;
    Ok(excerpt.position(live).1)
}

/// The facts of a position of a match.
pub(crate) fn facts(live: &Live, step: usize) -> Result<Vec<String>, Refusal> {
    let facts = live.story().record.as_ref().and_then(|record| record.facts(step));
    facts.ok_or_else(|| Refusal::missing("there is no such position"))
}

/// The facts of the current position and the role that is asked there, for the holder of a key.
pub(crate) fn asked_position(live: &Live, key: &str) -> Result<(Vec<String>, usize, usize), Refusal> {
    let held = live.held(&[key]);
    let story = live.story();
    let Some(request) = story.requests.iter().find(|request| held[request.role]) else {
        return Err(Refusal::conflict("it is not your turn"));
    };
    let (role, step) = (request.role, story.steps());
    let facts = story.record.as_ref().and_then(|record| record.facts(step)).unwrap_or_default();
    Ok((facts, role, step))
}

/// A match in the list of all.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    id: String,
    title: String,
    players: Vec<String>,
    steps: usize,
    over: bool,
    goals: Vec<u8>,
    /// Another process plays it.
    elsewhere: bool,
    /// How many look at it.
    viewers: usize,
}

impl Listed {
    pub(crate) fn of(live: &Live) -> Self {
        let roles = live.game().roles().iter();
        let named = roles.zip(live.seats()).filter(|(role, _)| !is_chance(role));
        let players = named.filter_map(|(role, seat)| Some(format!("{role}: {}", seat.as_ref()?.label())));
        let players = players.collect();
        let story = live.story();
        let goals = story.record.as_ref().map(|record| record.goal_values.clone()).unwrap_or_default();
        // A tournament follows its matches too.
        let is_counted = live.wanted().tournament.is_some() && !story.over;
        Self {
            id: live.id().to_owned(),
            title: live.game().title.clone(),
            players,
            steps: story.steps(),
            over: story.over,
            goals,
            elsewhere: live.feed().is_some(),
            viewers: live.viewers() - usize::from(is_counted && live.viewers() > 0),
        }
    }
}
