//! Perft: how many ways there are to play a number of steps. Two engines that agree on it have
//! agreed on every legal move and every state on the way.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::expansion::{ExpandOptions, Expansion};
use crate::game::{Failure, Game};
use crate::simulator::SimulatorConfig;

/// Children that one call of [`crate::Simulator::expand`] should give: enough to fill all lanes,
/// and few enough that they and their legal moves stay in the cache.
const CHILDREN: usize = 4096;

/// What lies a number of steps behind the first state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// Sequences of joint moves of this length. A terminal state ends a sequence, and so does one
    /// in which a role has no legal move.
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
pub fn perft(game: &Arc<dyn Game>, depth: usize) -> Result<Vec<Layer>, Failure> {
    perft_by_layer(game, depth, |_, _| {})
}

/// The same; each layer also goes to a function as soon as it is counted, with its depth.
pub fn perft_by_layer(
    game: &Arc<dyn Game>,
    depth: usize,
    mut counted: impl FnMut(usize, &Layer),
) -> Result<Vec<Layer>, Failure> {
    let mut layers = Vec::with_capacity(depth.min(1000) + 1);
    let mut simulator = Arc::clone(game).simulator(SimulatorConfig::default());
    let initial = game.initial();
    let view = game.view(&initial)?;
    let mut states = LayerStates::default();
    let is_stuck = !view.terminal && view.legal.iter().any(Vec::is_empty);
    states.enter(initial.words(), 1, view.terminal, is_stuck)?;
    let mut children = Expansion::new();
    let mut parents_at_once = 16;
    let options = ExpandOptions { legal: true, goals: false };
    for step in 0..=depth {
        let mut layer = Layer { states: states.entries.len() as u64, ..Layer::default() };
        let mut next = LayerStates::default();
        let mut open = Vec::new();
        for (at, entry) in states.entries.iter().enumerate() {
            layer.paths = add(layer.paths, entry.paths)?;
            match entry {
                Entry { terminal: true, paths, .. } => layer.terminal = add(layer.terminal, *paths)?,
                Entry { stuck: true, paths, .. } => layer.stuck = add(layer.stuck, *paths)?,
                _ => open.push(at),
            }
        }
        counted(step, &layer);
        layers.push(layer);
        if step == depth || open.is_empty() {
            break;
        }
        let mut rest = &open[..];
        while !rest.is_empty() {
            let chunk;
            (chunk, rest) = rest.split_at(parents_at_once.clamp(1, rest.len()));
            let parents: Vec<&[u64]> = chunk.iter().map(|&at| states.words(at)).collect();
            simulator.expand(&parents, options, &mut children)?;
            parents_at_once = CHILDREN * parents.len() / children.len().max(1);
            for child in 0..children.len() {
                let paths = states.entries[chunk[children.parent(child)]].paths;
                let terminal = children.is_terminal(child);
                let has_no_move = |role| children.legal_count(child, role) == 0;
                let stuck = !terminal && (0..game.role_count()).any(has_no_move);
                next.enter(children.words(child), paths, terminal, stuck)?;
            }
        }
        states = next;
    }
    for step in layers.len()..=depth {
        counted(step, &Layer::default());
        layers.push(Layer::default());
    }
    Ok(layers)
}

/// The states of a layer, each once, with the number of paths to it.
#[derive(Default)]
struct LayerStates {
    words: Vec<u64>,
    entries: Vec<Entry>,
    places: HashTable<usize>,
}

struct Entry {
    end: usize,
    paths: u64,
    terminal: bool,
    stuck: bool,
}

impl LayerStates {
    fn words(&self, at: usize) -> &[u64] {
        words(&self.words, &self.entries, at)
    }

    fn enter(&mut self, state: &[u64], paths: u64, terminal: bool, stuck: bool) -> Result<(), Failure> {
        let hash = FxBuildHasher.hash_one(state);
        let same = |&at: &usize| words(&self.words, &self.entries, at) == state;
        if let Some(&at) = self.places.find(hash, same) {
            self.entries[at].paths = add(self.entries[at].paths, paths)?;
            return Ok(());
        }
        self.words.extend_from_slice(state);
        self.entries.push(Entry { end: self.words.len(), paths, terminal, stuck });
        let rehash = |&at: &usize| FxBuildHasher.hash_one(words(&self.words, &self.entries, at));
        self.places.insert_unique(hash, self.entries.len() - 1, rehash);
        Ok(())
    }
}

fn words<'a>(all: &'a [u64], entries: &[Entry], at: usize) -> &'a [u64] {
    let start = if at == 0 { 0 } else { entries[at - 1].end };
    &all[start..entries[at].end]
}

fn add(a: u64, b: u64) -> Result<u64, Failure> {
    a.checked_add(b).ok_or_else(|| Failure::Limit("more paths than 64 bits can count".into()))
}
