//! Ways to play, counted state by state: all moves of a state are made at once.

use std::collections::HashMap;
use std::sync::Arc;

use ludex_game::{Child, Game, State};

/// Different states, each with the number of paths to it.
#[derive(Default)]
pub(crate) struct Layer {
    places: HashMap<State, usize>,
    pub(crate) states: Vec<(State, u64)>,
}

impl Layer {
    pub(crate) fn first(game: &Arc<dyn Game>) -> Self {
        let mut layer = Self::default();
        layer.enter(game.initial(), 1);
        layer
    }

    pub(crate) fn enter(&mut self, state: State, paths: u64) {
        let count = self.states.len();
        let at = *self.places.entry(state.clone()).or_insert(count);
        if at == count {
            self.states.push((state, 0));
        }
        self.states[at].1 += paths;
    }
}

pub(crate) fn children(game: &Arc<dyn Game>, state: &State) -> Vec<Child> {
    ludex_game::children(game, state).expect("the engine answers")
}

/// Paths of 1, 2, 3 ... steps, as long as there are at most `most` of one step less.
pub(crate) fn paths(game: &Arc<dyn Game>, depth: usize, most: u64) -> Vec<u64> {
    let mut counts = Vec::new();
    let mut layer = Layer::first(game);
    let mut before = 1;
    while counts.len() < depth && before <= most {
        let mut behind = Layer::default();
        before = 0;
        for (state, paths) in &layer.states {
            for child in children(game, state) {
                before += paths;
                behind.enter(child.state, *paths);
            }
        }
        counts.push(before);
        layer = behind;
    }
    counts
}

/// Paths of 1, 2, 3 ... turns. A turn is over when another role is in control, or the game.
pub(crate) fn turns(game: &Arc<dyn Game>, depth: usize) -> Vec<u64> {
    let control = |state: &State| -> Vec<String> {
        game.describe(state).into_iter().filter(|fact| fact.starts_with("(control ")).collect()
    };
    let mut counts = Vec::new();
    let mut layer = Layer::first(game);
    while counts.len() < depth {
        let (mut behind, mut ended) = (Layer::default(), 0);
        while !layer.states.is_empty() {
            let mut unfinished = Layer::default();
            for (state, paths) in &layer.states {
                let mover = control(state);
                for child in children(game, state) {
                    if child.view.terminal {
                        ended += paths;
                    } else if control(&child.state) == mover {
                        unfinished.enter(child.state, *paths);
                    } else {
                        behind.enter(child.state, *paths);
                    }
                }
            }
            layer = unfinished;
        }
        counts.push(ended + behind.states.iter().map(|(_, paths)| paths).sum::<u64>());
        layer = behind;
    }
    counts
}
