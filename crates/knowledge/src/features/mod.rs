//! Features: numbers that say something about a state, as data.
//!
//! A feature has a name, a formula and a cost, so that players share them and people can read them.
//! Most are sums of weights over the facts that hold (how many pieces, how far they have come), which
//! one pass over the facts of a state computes for all features together.
//!
//! | file | what it does |
//! |---|---|
//! | `candidates` | what might matter, from the structures of a game |
//! | `positions` | pieces by the class of their cell: corners, edges, rows |
//! | `conjunctions` | goals as lists of facts, and how near they are |
//! | `folded` | weighted sums of features, as fast as one feature |
//! | `outlook` | random games in lanes, and what their positions are worth in random play |
//! | `measure` | stability, correlation, weights, from random games |

mod candidates;
mod conjunctions;
mod folded;
mod measure;
mod outlook;
mod positions;

use std::sync::Arc;

use ludex_game::{Game, RoleKind};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::fuzzy::{Fuzzy, FuzzyOptions, FuzzyScratch};
use crate::random_play::thinned;
use crate::signature::{Likeness, Signature, hash_text, mix};
use crate::state_reader::StateReader;
use crate::understanding::Understanding;
pub use conjunctions::Conjunctions;
pub use folded::Folded;
pub use measure::{FeatureReport, Measurements, Phase, Weights};
pub use outlook::{Outlook, Outlooks};

/// What a feature speaks for (Cluneplayer: Finnsson 2007, section 3.5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaks {
    /// The result: goals, what they count, what is left.
    Payoff,
    /// The choice that a player has: mobility, space.
    Control,
}

/// How a feature is computed.
#[derive(Clone, Debug)]
pub enum Formula {
    /// The sum of the weights of the facts that hold.
    Sum(Vec<(u32, f32)>),
    /// The greatest weight of the facts that hold; 0 if none of them does.
    Most(Vec<(u32, f32)>),
    /// The number of legal moves of a role.
    Mobility(usize),
    /// How near a role is to one of the conjunctions of its goal.
    Near(Conjunctions),
    /// How nearly the goals of a role hold, by fuzzy logic.
    Fuzzy {
        /// The role.
        role: usize,
        /// Gates that are computed.
        gates: usize,
    },
}

/// What a feature is made of: its kind, and terms of the rules. Says which features of two games are
/// the same, whatever the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    what: &'static str,
    terms: Vec<String>,
}

impl About {
    /// A kind of feature, made of these terms.
    fn new<'a>(what: &'static str, terms: impl IntoIterator<Item = &'a str>) -> Self {
        Self { what, terms: terms.into_iter().map(str::to_owned).collect() }
    }

    /// The same number for the same feature of games that are alike.
    pub fn key(&self, signature: &Signature, likeness: Likeness) -> u64 {
        let terms = self.terms.iter().map(|term| signature.colour(likeness, term));
        terms.fold(hash_text(self.what), mix)
    }
}

/// A number that says something about a state.
#[derive(Clone, Debug)]
pub struct Feature {
    /// What it counts.
    pub name: String,
    /// What it is made of.
    pub about: About,
    /// What it speaks for.
    pub speaks: Speaks,
    /// How it is computed.
    pub formula: Formula,
}

impl Feature {
    /// Facts that are looked at in a state, at most.
    pub fn cost(&self) -> usize {
        match &self.formula {
            Formula::Sum(weights) | Formula::Most(weights) => weights.len(),
            Formula::Mobility(_) => 1,
            Formula::Fuzzy { gates, .. } => *gates,
            Formula::Near(conjunctions) => conjunctions.cost(),
        }
    }
}

/// The features of a game, ready to be computed.
pub struct FeatureSet {
    game: Arc<dyn Game>,
    reader: StateReader,
    features: Vec<Feature>,
    /// By fact: features and weights.
    sums: FxHashMap<u32, Vec<(u32, f32)>>,
    mosts: FxHashMap<u32, Vec<(u32, f32)>>,
    dense: Vec<Box<[(u32, f32)]>>,
    reads_mobility: bool,
    reads_conjunctions: bool,
    fuzzy: Option<Fuzzy>,
}

/// What one thread needs to compute features.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    facts: Vec<u32>,
    holds: Vec<bool>,
    /// By role.
    fuzzy: Vec<f32>,
    gates: FuzzyScratch,
}

impl Scratch {
    /// Marks facts as true, or takes the marks away.
    fn mark(&mut self, facts: &[u32], hold: bool) {
        let top = facts.iter().copied().max().unwrap_or(0) as usize + 1;
        if self.holds.len() < top {
            self.holds.resize(top, false);
        }
        facts.iter().for_each(|&fact| self.holds[fact as usize] = hold);
    }

    /// The greatest weight of the facts that are marked.
    fn most(&self, weights: &[(u32, f32)]) -> f32 {
        let marked = weights.iter().filter(|(fact, _)| self.holds.get(*fact as usize) == Some(&true));
        marked.fold(0.0, |most, (_, weight)| most.max(*weight))
    }
}

/// Games with fact numbers up to this have a table by fact.
const DENSE: u32 = 1 << 20;

impl FeatureSet {
    /// The candidates of a game that was understood.
    pub fn new(game: &Arc<dyn Game>, understood: &Understanding) -> Self {
        const CHECKED: usize = 20;
        let reader = StateReader::new(&**game, &thinned(&understood.games, CHECKED));
        Self::of(game, reader, candidates::candidates(&**game, understood), None)
    }

    /// The same, and for each player how nearly its goals hold by fuzzy logic.
    pub fn with_fuzzy(game: &Arc<dyn Game>, understood: &Understanding, options: FuzzyOptions) -> Self {
        let mut set = Self::new(game, understood);
        let Some(fuzzy) = Fuzzy::new(game, understood, options) else { return set };
        for (role, name) in game.roles().iter().enumerate() {
            if RoleKind::of(name) == RoleKind::Player {
                set.features.push(Feature {
                    name: format!("goals of {name} by fuzzy logic"),
                    about: About::new("fuzzy", [name.as_str()]),
                    speaks: Speaks::Payoff,
                    formula: Formula::Fuzzy { role, gates: fuzzy.cost() },
                });
            }
        }
        set.fuzzy = Some(fuzzy);
        set
    }

    /// No features: for games that cannot be studied.
    pub fn none(game: &Arc<dyn Game>) -> Self {
        Self::of(game, StateReader::default(), Vec::new(), None)
    }

    fn of(game: &Arc<dyn Game>, reader: StateReader, features: Vec<Feature>, fuzzy: Option<Fuzzy>) -> Self {
        let mut sums: FxHashMap<u32, Vec<(u32, f32)>> = FxHashMap::default();
        let mut mosts: FxHashMap<u32, Vec<(u32, f32)>> = FxHashMap::default();
        for (number, feature) in (0u32..).zip(&features) {
            let (weights, into) = match &feature.formula {
                Formula::Sum(weights) => (weights, &mut sums),
                Formula::Most(weights) => (weights, &mut mosts),
                _ => continue,
            };
            for &(fact, weight) in weights {
                into.entry(fact).or_default().push((number, weight));
            }
        }
        let most = sums.keys().copied().max().unwrap_or(0);
        let dense = match most < DENSE {
            true => (0..=most).map(|fact| sums.get(&fact).cloned().unwrap_or_default().into()).collect(),
            false => Vec::new(),
        };
        let reads = |is: fn(&Formula) -> bool| features.iter().any(|feature| is(&feature.formula));
        Self {
            game: Arc::clone(game),
            reader,
            sums,
            mosts,
            dense,
            reads_mobility: reads(|formula| matches!(formula, Formula::Mobility(_))),
            reads_conjunctions: reads(|formula| matches!(formula, Formula::Near(_))),
            features,
            fuzzy,
        }
    }

    /// The facts of a state.
    fn read(&self, words: &[u64], into: &mut Vec<u32>) {
        self.reader.read(&*self.game, words, into);
    }

    /// How nearly the goals of all roles hold.
    fn compute_fuzzy(&self, words: &[u64], scratch: &mut Scratch) {
        scratch.fuzzy.clear();
        scratch.fuzzy.resize(self.game.role_count(), 0.0);
        if let Some(fuzzy) = &self.fuzzy {
            let mut values = std::mem::take(&mut scratch.fuzzy);
            fuzzy.evaluate(words, &mut scratch.gates, &mut values);
            scratch.fuzzy = values;
        }
    }

    /// The features in order.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Whether numbers of legal moves are needed.
    pub fn reads_mobility(&self) -> bool {
        self.reads_mobility
    }

    /// Computes all features of a state. `mobility` has the numbers of legal moves by role, or is
    /// empty: then they count 0.
    pub fn compute(&self, words: &[u64], mobility: &[u32], scratch: &mut Scratch, values: &mut [f32]) {
        values.fill(0.0);
        let mut facts = std::mem::take(&mut scratch.facts);
        self.read(words, &mut facts);
        let mut greatest: Vec<(u32, f32)> = Vec::new();
        for fact in &facts {
            let sums = match self.dense.is_empty() {
                false => self.dense.get(*fact as usize).map(|list| &list[..]),
                true => self.sums.get(fact).map(Vec::as_slice),
            };
            for &(feature, weight) in sums.unwrap_or_default() {
                values[feature as usize] += weight;
            }
            if !self.mosts.is_empty() {
                greatest.extend(self.mosts.get(fact).into_iter().flatten());
            }
        }
        for (feature, weight) in greatest {
            let value = &mut values[feature as usize];
            *value = value.max(weight);
        }
        if self.reads_conjunctions {
            scratch.mark(&facts, true);
        }
        if self.fuzzy.is_some() {
            self.compute_fuzzy(words, scratch);
        }
        for (feature, value) in self.features.iter().zip(values.iter_mut()) {
            match &feature.formula {
                Formula::Mobility(role) => {
                    #[allow(clippy::cast_precision_loss, reason = "numbers of moves are small")]
                    let count = mobility.get(*role).map_or(0.0, |&count| count as f32);
                    *value = count;
                }
                Formula::Near(conjunctions) => *value = conjunctions.near(&scratch.holds),
                Formula::Fuzzy { role, .. } => *value = scratch.fuzzy.get(*role).copied().unwrap_or(0.0),
                Formula::Sum(_) | Formula::Most(_) => {}
            }
        }
        if self.reads_conjunctions {
            scratch.mark(&facts, false);
        }
        scratch.facts = facts;
    }
}
