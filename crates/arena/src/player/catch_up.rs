//! Where a match is, after a message: a player may be behind its manager, or ahead of it.
//!
//! A message says what everyone did in the last step and not which step that was. So there are
//! several histories that it may mean; the first that the rules allow is taken.

use ludex_engine::History;

use super::percepts::KnownStep;

/// What a match knows of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// What was played so far.
    pub history: History,
    /// What was answered there, if it was.
    pub answered: Option<String>,
    /// Steps behind the history of which not all moves are known.
    pub open: Vec<KnownStep>,
    /// With such steps: a whole history that may be the one.
    pub guess: History,
    /// What the people at the terminal were told.
    pub warned: Option<&'static str>,
}

impl Known {
    /// The history that answers are for: what was played, or a guess.
    pub(super) fn position(&self) -> &History {
        if self.open.is_empty() { &self.history } else { &self.guess }
    }

    /// The histories that a message may mean, the likeliest first, by what its moves of the last
    /// step may be. `role` is our own.
    pub(super) fn histories(&self, readings: &[Option<Vec<String>>], role: usize) -> Vec<History> {
        let mut found: Vec<History> = Vec::new();
        for moves in readings {
            found.extend(self.histories_of(moves.as_deref(), role));
        }
        if !self.open.is_empty() {
            let on = readings.iter().flatten().map(|moves| {
                let mut on = self.guess.clone();
                on.push(moves.clone());
                on
            });
            found.extend(on);
        }
        found
    }

    fn histories_of(&self, moves: Option<&[String]>, role: usize) -> Vec<History> {
        // No moves: the match is at its start, whatever was before.
        let Some(moves) = moves else { return vec![History::new()] };
        let mut on = self.history.clone();
        on.push(moves.to_vec());
        let mut found = vec![on];
        let Some((last, before)) = self.history.split_last() else { return found };
        if same(last, moves) {
            // The message again, or the same moves once more? If we are said to have done what we
            // answered, the match went on.
            let went_on = match (&self.answered, moves.get(role)) {
                (Some(answered), Some(made)) => same_move(answered, made),
                _ => false,
            };
            found.insert(usize::from(went_on), self.history.clone());
        } else {
            // The last step was another one than we were told.
            let mut instead = before.to_vec();
            instead.push(moves.to_vec());
            found.push(instead);
        }
        found
    }
}

fn same(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_move(a, b))
}

/// Letter case does not matter; blanks are normal already.
fn same_move(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn history(steps: &[&str]) -> History {
        steps.iter().map(|step| joint(step)).collect()
    }

    #[test]
    fn a_match_goes_on() {
        let known = Known { history: history(&["a x"]), answered: Some("b".to_owned()), ..Known::default() };
        let found = known.histories(&[Some(joint("b y"))], 0);
        assert_eq!(found, [history(&["a x", "b y"]), history(&["b y"])]);
        assert_eq!(known.histories(&[None], 0), [history(&[])]);
        assert_eq!(Known::default().histories(&[Some(joint("b y"))], 0), [history(&["b y"])]);
    }

    #[test]
    fn a_message_that_comes_again_is_known_by_our_own_move() {
        let once = history(&["a x"]);
        let twice = history(&["a x", "A X"]);
        let known = |answered: &str| Known {
            history: once.clone(),
            answered: Some(answered.to_owned()),
            ..Known::default()
        };
        assert_eq!(known("b").histories(&[Some(joint("A X"))], 0), [once.clone(), twice.clone()]);
        assert_eq!(known("a").histories(&[Some(joint("A X"))], 0), [twice.clone(), once.clone()]);
        // It is not answered yet: it is on its way to be.
        let waiting = Known { history: once.clone(), ..Known::default() };
        assert_eq!(waiting.histories(&[Some(joint("A X"))], 0), [once, twice]);
    }
}
