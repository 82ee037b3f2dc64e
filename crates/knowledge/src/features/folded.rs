//! Weighted sums of features, folded into weights of facts.
//!
//! Most features are sums over facts, so a weighted sum of them is a sum over facts as well: the weight
//! of a fact is Σ w(feature) · weight(fact in feature). An evaluation of many features then costs as
//! much as one of a single feature. Features that are no sums are computed as they are, and those
//! that no sum asks for are left out.

use std::sync::Arc;

use super::conjunctions::Conjunctions;
use super::{FeatureSet, Formula, Scratch, Weights};

/// Facts that no weight asks about.
const NOTHING: u32 = u32::MAX;

/// A feature that is no sum over facts, with its weight in each of the sums.
#[derive(Clone, Debug)]
enum Rest {
    Most(Vec<(u32, f32)>),
    Mobility(usize),
    Near(Conjunctions),
    Fuzzy(usize),
}

/// Several weighted sums of the features of a game.
pub struct Folded {
    set: Arc<FeatureSet>,
    bases: Vec<f32>,
    /// By fact: where its weights begin in `weights`; and for each such fact one weight for each sum.
    places: Vec<u32>,
    weights: Vec<f32>,
    rest: Vec<(Rest, Vec<f32>)>,
}

impl Folded {
    /// The sums with these weights.
    #[allow(clippy::cast_possible_truncation, reason = "weights need no more than seven digits")]
    pub fn new(set: &Arc<FeatureSet>, sums: &[Weights]) -> Self {
        let mut folded = Self {
            set: Arc::clone(set),
            bases: sums.iter().map(|sum| sum.base as f32).collect(),
            places: Vec::new(),
            weights: Vec::new(),
            rest: Vec::new(),
        };
        for (at, feature) in set.features().iter().enumerate() {
            let of = |sum: &Weights| sum.weights.get(at).copied().unwrap_or(0.0) as f32;
            let of: Vec<f32> = sums.iter().map(of).collect();
            if of.iter().all(|&weight| weight == 0.0) {
                continue;
            }
            match &feature.formula {
                Formula::Sum(facts) => folded.add(facts, &of),
                Formula::Most(facts) => folded.rest.push((Rest::Most(facts.clone()), of)),
                Formula::Mobility(role) => folded.rest.push((Rest::Mobility(*role), of)),
                Formula::Near(near) => folded.rest.push((Rest::Near(near.clone()), of)),
                Formula::Fuzzy { role, .. } => folded.rest.push((Rest::Fuzzy(*role), of)),
            }
        }
        folded
    }

    fn add(&mut self, facts: &[(u32, f32)], sums: &[f32]) {
        for &(fact, weight) in facts {
            let fact = fact as usize;
            if self.places.len() <= fact {
                self.places.resize(fact + 1, NOTHING);
            }
            if self.places[fact] == NOTHING {
                self.places[fact] = u32::try_from(self.weights.len()).unwrap_or(NOTHING);
                self.weights.resize(self.weights.len() + sums.len(), 0.0);
            }
            let start = self.places[fact] as usize;
            for (known, sum) in self.weights[start..].iter_mut().zip(sums) {
                *known += weight * sum;
            }
        }
    }

    /// Number of sums.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// Whether numbers of legal moves are needed.
    pub fn reads_mobility(&self) -> bool {
        self.rest.iter().any(|(rest, _)| matches!(rest, Rest::Mobility(_)))
    }

    /// Writes all sums for a state. `mobility` is as for [`FeatureSet::compute`].
    pub fn compute(&self, words: &[u64], mobility: &[u32], scratch: &mut Scratch, sums: &mut [f32]) {
        sums.copy_from_slice(&self.bases);
        let mut facts = std::mem::take(&mut scratch.facts);
        self.set.read(words, &mut facts);
        for &fact in &facts {
            let Some(&place) = self.places.get(fact as usize).filter(|&&place| place != NOTHING) else {
                continue;
            };
            for (sum, weight) in sums.iter_mut().zip(&self.weights[place as usize..]) {
                *sum += weight;
            }
        }
        if !self.rest.is_empty() {
            let has = |is: fn(&Rest) -> bool| self.rest.iter().any(|(rest, _)| is(rest));
            if has(|rest| matches!(rest, Rest::Most(_) | Rest::Near(_))) {
                scratch.mark(&facts, true);
            }
            if has(|rest| matches!(rest, Rest::Fuzzy(_))) {
                self.set.compute_fuzzy(words, scratch);
            }
            for (rest, weights) in &self.rest {
                let value = match rest {
                    Rest::Most(list) => scratch.most(list),
                    #[allow(clippy::cast_precision_loss, reason = "numbers of moves are small")]
                    Rest::Mobility(role) => mobility.get(*role).map_or(0.0, |&count| count as f32),
                    Rest::Near(near) => near.near(&scratch.holds),
                    Rest::Fuzzy(role) => scratch.fuzzy.get(*role).copied().unwrap_or(0.0),
                };
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += value * weight;
                }
            }
            scratch.mark(&facts, false);
        }
        scratch.facts = facts;
    }
}
