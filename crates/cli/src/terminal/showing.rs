//! "Show me": the machine plays its plan for a game for one, move after move, until the person types
//! something.

use std::collections::VecDeque;

use super::hint::Hint;
use super::story::Story;

/// What is shown.
#[derive(Debug, Default)]
pub(super) struct Showing {
    state: State,
    /// The moves to come.
    plan: VecDeque<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Off,
    /// A plan is needed.
    Needed,
    /// A plan is being searched for.
    Searching,
    On,
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Make this move.
    Move(String),
    /// Search for a plan.
    Plan,
    /// Nothing is shown, or the plan is not there yet.
    Nothing,
}

impl Showing {
    /// Begins to show.
    pub(super) fn begin(&mut self) {
        self.plan.clear();
        self.state = State::Needed;
    }

    /// Shows nothing more.
    pub(super) fn stop(&mut self) {
        self.state = State::Off;
    }

    /// A search is done; without a plan nothing can be shown.
    pub(super) fn planned(&mut self, hint: &Hint) {
        if self.state == State::Searching {
            self.plan = hint.plan.iter().cloned().collect();
            self.state = if self.plan.is_empty() { State::Off } else { State::On };
        }
    }

    /// What to do for a person who has these legal moves. A plan that ends before the game, or does
    /// not fit it, is replaced by another one.
    pub(super) fn next(&mut self, legal: &[String]) -> Next {
        match self.state {
            State::Off | State::Searching => return Next::Nothing,
            State::Needed => {}
            State::On => {
                if let Some(name) = self.plan.pop_front().filter(|name| legal.contains(name)) {
                    return Next::Move(name);
                }
            }
        }
        self.state = State::Searching;
        Next::Plan
    }
}

/// Whether a plan can be shown, or why not.
pub(super) fn show_me(story: &Story) -> Result<(), &'static str> {
    match story.request() {
        None => Err("It is not your turn."),
        Some(_) if story.roles().len() > 1 => Err("Others have a say here: `hint` shows a single move."),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(plan: &[&str]) -> Hint {
        Hint { step: 0, text: String::new(), plan: plan.iter().map(|&name| name.to_owned()).collect() }
    }

    #[test]
    fn a_plan_is_played_and_replaced() {
        let legal = ["a".to_owned(), "b".to_owned()];
        let mut showing = Showing::default();
        assert_eq!(showing.next(&legal), Next::Nothing);
        showing.planned(&hint(&["a"]));
        assert_eq!(showing.next(&legal), Next::Nothing, "nobody asked to be shown");
        showing.begin();
        assert_eq!((showing.next(&legal), showing.next(&legal)), (Next::Plan, Next::Nothing));
        showing.planned(&hint(&["a", "c", "b"]));
        assert_eq!(showing.next(&legal), Next::Move("a".to_owned()));
        assert_eq!(showing.next(&legal), Next::Plan, "c is not legal");
        showing.planned(&hint(&["b"]));
        assert_eq!(showing.next(&legal), Next::Move("b".to_owned()));
        showing.stop();
        assert_eq!(showing.next(&legal), Next::Nothing);
        showing.begin();
        assert_eq!(showing.next(&legal), Next::Plan);
        showing.planned(&hint(&[]));
        assert_eq!(showing.next(&legal), Next::Nothing, "there is no plan");
    }
}
