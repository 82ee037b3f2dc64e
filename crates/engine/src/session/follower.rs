//! Follows a match on a game: from what everyone did, as text, to the state.

use std::sync::Arc;

use ludex_game::{Failure, Game, MoveId, State};

/// What was played so far: joint moves, each with one move for each role in the order of the rules.
pub type History = Vec<Vec<String>>;

/// A game and the states of the history that was followed last, so that one more step costs one
/// step.
pub(super) struct Follower {
    game: Arc<dyn Game>,
    history: History,
    /// One more than steps: the first is the initial state.
    states: Vec<State>,
}

impl Follower {
    pub(super) fn new(game: Arc<dyn Game>) -> Self {
        let states = vec![game.initial()];
        Self { game, history: History::new(), states }
    }

    pub(super) fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// Goes to the state behind the first of the histories that the rules allow: which one that is,
    /// and the state. None if all have moves that are not legal where they are made.
    pub(super) fn follow(&mut self, histories: &[History]) -> Result<Option<(usize, State)>, Failure> {
        for (at, history) in histories.iter().enumerate() {
            if self.go(history)? {
                let state = self.states.last().cloned().unwrap_or_else(|| self.game.initial());
                return Ok(Some((at, state)));
            }
        }
        Ok(None)
    }

    fn go(&mut self, history: &History) -> Result<bool, Failure> {
        let common = self.history.iter().zip(history).take_while(|(known, new)| known == new).count();
        self.history.truncate(common);
        self.states.truncate(common + 1);
        for joint in &history[common..] {
            let Some(state) = self.states.last() else { return Ok(false) };
            let Some(ids) = self.joint(state, joint)? else { return Ok(false) };
            let next = self.game.next(state, &ids)?;
            self.states.push(next);
            self.history.push(joint.clone());
        }
        Ok(true)
    }

    /// The joint move if it is legal.
    fn joint(&self, state: &State, texts: &[String]) -> Result<Option<Vec<MoveId>>, Failure> {
        let view = self.game.view(state)?;
        if view.terminal || texts.len() != view.legal.len() {
            return Ok(None);
        }
        let legal = |(text, legal): (&String, &Vec<MoveId>)| {
            self.game.find_move(text).filter(|id| legal.binary_search(id).is_ok())
        };
        Ok(texts.iter().zip(&view.legal).map(legal).collect())
    }
}
