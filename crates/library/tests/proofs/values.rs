//! Solved games: what everyone gets if everyone plays perfectly, by exhaustive search.
//!
//! The games are constant-sum and two roles take turns, so the value is that of the first role. It is
//! shown by two yes-or-no questions, can the first role get so much, and can it not get more; a search
//! for yes or no stops at the first good move, and remembers states.

use std::collections::HashMap;
use std::sync::Arc;

use ludex_game::{Child, Game, State, View};
use ludex_library::Kind;

use crate::counting::children;
use crate::games::{Built, each, ensure};

/// States that are expanded in every run.
const STATES: usize = 200_000;
/// The same when asked for.
const MANY_STATES: usize = 60_000_000;

/// Games that need more than [`STATES`]: solved when asked for.
const LARGE: &[&str] = &["blocker", "clobber", "connect_four_5x5", "hex_small"];

/// Can the first role get at least so much?
struct Question<'a> {
    game: &'a Arc<dyn Game>,
    least: u8,
    known: HashMap<State, bool>,
    limit: usize,
}

/// A state on the way down.
struct Frame {
    state: State,
    /// Whether the first role chooses here; otherwise its opponent does.
    own: bool,
    /// Not looked at yet.
    children: Vec<Child>,
}

impl Question<'_> {
    /// The answer; none if it takes too many states. Games can be long: this does not call itself.
    fn answer(&mut self) -> Option<bool> {
        let first = self.game.initial();
        let view = self.game.view(&first).ok()?;
        let mut path = vec![self.frame(first, &view)];
        // What the child that was looked at last gave.
        let mut result = None;
        while let Some(frame) = path.last_mut() {
            let good = result.take() == Some(frame.own);
            if good || frame.children.is_empty() {
                let answer = good == frame.own;
                let frame = path.pop()?;
                self.known.insert(frame.state, answer);
                result = Some(answer);
                continue;
            }
            let child = frame.children.pop()?;
            if let Some(&answer) = self.known.get(&child.state) {
                result = Some(answer);
            } else if child.view.terminal {
                let goals = self.game.goals(&child.state).ok()?;
                result = Some(goals.first()?.value()? >= self.least);
            } else if self.known.len() + path.len() > self.limit {
                return None;
            } else {
                path.push(self.frame(child.state, &child.view));
            }
        }
        result
    }

    fn frame(&self, state: State, view: &View) -> Frame {
        let mut children = children(self.game, &state);
        // With one move each it does not matter who chooses.
        let own = view.legal.get(1).is_none_or(|legal| legal.len() == 1);
        // Ends of the game are looked at first.
        children.sort_by_key(|child| child.view.terminal);
        Frame { state, own, children }
    }
}

fn solve(built: &Built, limit: usize) -> Result<bool, String> {
    let about = &built.about;
    let Some(value) = &about.value else { return Ok(true) };
    ensure(about.kind == Some(Kind::TurnTaking) && about.constant_sum && value.len() == 2, || {
        "only games of two that take turns are solved".into()
    })?;
    for (least, expected) in [(value[0], true), (value[0].saturating_add(1), false)] {
        if least == 0 || least > 100 {
            continue; // nobody gets less than 0 or more than 100
        }
        let mut question = Question { game: built.shared(), least, known: HashMap::new(), limit };
        let Some(found) = question.answer() else { return Ok(false) };
        println!("{}: at least {least}? {found}, {} states", built.sheet.name, question.known.len());
        ensure(found == expected, || format!("at least {least} for {}: {found}", about.roles[0]))?;
    }
    Ok(true)
}

#[test]
fn solved_games_have_the_values_written() {
    each(|built| {
        let solved = LARGE.contains(&built.sheet.name) || solve(built, STATES)?;
        ensure(solved, || "too many states: it belongs to the large ones".into())
    });
}

#[test]
#[ignore = "takes minutes"]
fn large_games_have_the_values_written() {
    each(|built| {
        let solved = !LARGE.contains(&built.sheet.name) || solve(built, MANY_STATES)?;
        ensure(solved, || "too many states".into())
    });
}
