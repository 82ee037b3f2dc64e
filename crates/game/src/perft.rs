//! Perft: how many ways there are to play a number of steps. Two engines that agree on it have
//! agreed on every legal move and every state on the way.

use rustc_hash::FxHashMap;

use crate::game::{Failure, Game, View};
use crate::ids::MoveId;
use crate::state::State;

/// What lies a number of steps behind the first state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// Sequences of joint moves of this length. A terminal state ends a sequence, and so does one in
    /// which a role has no legal move.
    pub paths: u64,
    /// Different states at their ends.
    pub states: u64,
    /// How many of the paths end in terminal states.
    pub terminal: u64,
    /// How many of the paths end because a role has no legal move.
    pub stuck: u64,
}

/// Counts the paths of every length up to `depth`; the first entry is the first state itself.
///
/// States that are reached on several paths are looked at once for each length.
pub fn perft(game: &dyn Game, depth: usize) -> Result<Vec<Layer>, Failure> {
    let mut layers = Vec::with_capacity(depth.min(1000) + 1);
    let mut states = vec![(game.initial(), 1u64)];
    for step in 0..=depth {
        let mut layer = Layer { states: states.len() as u64, ..Layer::default() };
        let mut behind = Behind::default();
        for (state, paths) in &states {
            layer.paths = add(layer.paths, *paths)?;
            let view = game.view(state)?;
            if view.terminal {
                layer.terminal = add(layer.terminal, *paths)?;
            } else if view.legal.iter().any(Vec::is_empty) {
                layer.stuck = add(layer.stuck, *paths)?;
            } else if step < depth {
                each_joint_move(&view, |joint| behind.enter(game.next(state, joint)?, *paths))?;
            }
        }
        layers.push(layer);
        states = behind.states;
        if states.is_empty() {
            break;
        }
    }
    layers.resize(depth.saturating_add(1), Layer::default());
    Ok(layers)
}

/// States of the next layer, each once, with the number of paths to it.
#[derive(Default)]
struct Behind {
    states: Vec<(State, u64)>,
    places: FxHashMap<State, usize>,
}

impl Behind {
    fn enter(&mut self, state: State, paths: u64) -> Result<(), Failure> {
        match self.places.get(&state) {
            Some(&at) => self.states[at].1 = add(self.states[at].1, paths)?,
            None => {
                self.places.insert(state.clone(), self.states.len());
                self.states.push((state, paths));
            }
        }
        Ok(())
    }
}

fn add(a: u64, b: u64) -> Result<u64, Failure> {
    a.checked_add(b).ok_or_else(|| Failure::Limit("more paths than 64 bits can count".into()))
}

/// Calls `visit` with every joint move: the last role's move changes fastest.
pub(crate) fn each_joint_move(
    view: &View,
    mut visit: impl FnMut(&[MoveId]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(mut joint) = view.legal.iter().map(|l| l.first().copied()).collect::<Option<Vec<MoveId>>>()
    else {
        return Ok(());
    };
    let mut at = vec![0usize; joint.len()];
    loop {
        visit(&joint)?;
        let Some(role) = (0..at.len()).rev().find(|&role| at[role] + 1 < view.legal[role].len()) else {
            return Ok(());
        };
        at[role] += 1;
        at[role + 1..].fill(0);
        for later in role..at.len() {
            joint[later] = view.legal[later][at[later]];
        }
    }
}
