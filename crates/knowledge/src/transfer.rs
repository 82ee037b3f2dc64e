//! Transfer: what was learned about a game, for its copies and for larger boards of its kind.
//!
//! Weights of features are stored under the signature of the rules ([`Signature`]), for each feature
//! under a key made of its kind and the colours of the symbols in it. So a copy with other names and
//! another order of clauses finds them again, and so does a board of another size, whose features
//! are made of the same pieces and relations (after Banerjee, Kuhlmann and Stone 2006, "Value function
//! transfer for General Game Playing": features carry what was learned from one game to the next).
//!
//! The store is a map in memory and, if it has a path, a text file that is replaced as a whole: a line
//! `game NAME GAMES` and for each weight a line `KEY WEIGHT`, names and keys as hexadecimal hashes.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use crate::features::{FeatureSet, Weights};
use crate::signature::{Likeness, Signature, hash_text, mix, together};

/// What is known about a game: how many random games it was learned from, and weights by role, sum
/// and feature.
#[derive(Clone, Debug, Default)]
struct Entry {
    games: u64,
    weights: FxHashMap<u64, f64>,
}

/// Weights for a game, from the store.
#[derive(Clone, Debug)]
pub struct Learned {
    /// Whether it is from a copy of the game, or from one of its family.
    pub likeness: Likeness,
    /// Random games behind the weights.
    pub games: u64,
    /// By sum and feature: the weight; none where the other game has no such feature.
    pub weights: Vec<Vec<Option<f64>>>,
}

/// What was learned about games.
#[derive(Debug, Default)]
pub struct TransferStore {
    path: Option<PathBuf>,
    known: Mutex<FxHashMap<u64, Entry>>,
}

/// A group of sums: those of a role, or of the game.
type Group<'a> = Option<&'a str>;

impl TransferStore {
    /// A store in memory.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// A store in a file, which need not exist yet. Lines that make no sense are left out.
    pub fn open(path: &Path) -> io::Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        Ok(Self { path: Some(path.to_owned()), known: Mutex::new(read(&text)) })
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<u64, Entry>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Number of games that are known, each as itself and as one of its family.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known about a game: of a copy, or else of one of its family. `groups` has the role of
    /// each sum.
    pub fn find(&self, signature: &Signature, set: &FeatureSet, groups: &[Group<'_>]) -> Option<Learned> {
        let known = self.lock();
        for likeness in [Likeness::Exact, Likeness::Family] {
            let Some(entry) = known.get(&name_of(signature, likeness)) else { continue };
            let weights = keys(signature, likeness, set, groups)
                .into_iter()
                .map(|keys| keys.into_iter().map(|key| entry.weights.get(&key).copied()).collect())
                .collect();
            return Some(Learned { likeness, games: entry.games, weights });
        }
        None
    }

    /// Keeps the weights of a game, unless more is known already. Features that cannot be told apart
    /// share the mean of their weights.
    pub fn keep(
        &self,
        signature: &Signature,
        set: &FeatureSet,
        groups: &[Group<'_>],
        sums: &[Weights],
        games: u64,
    ) -> io::Result<()> {
        let mut known = self.lock();
        for likeness in [Likeness::Exact, Likeness::Family] {
            let name = name_of(signature, likeness);
            if known.get(&name).is_some_and(|entry| entry.games >= games) {
                continue;
            }
            let mut means: FxHashMap<u64, (f64, f64)> = FxHashMap::default();
            for (keys, sum) in keys(signature, likeness, set, groups).into_iter().zip(sums) {
                for (key, weight) in keys.into_iter().zip(&sum.weights) {
                    let mean = means.entry(key).or_default();
                    *mean = (mean.0 + weight, mean.1 + 1.0);
                }
            }
            let weights = means.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect();
            known.insert(name, Entry { games, weights });
        }
        match &self.path {
            Some(path) => replace(path, &written(&known)),
            None => Ok(()),
        }
    }
}

/// The name of a game in the store.
fn name_of(signature: &Signature, likeness: Likeness) -> u64 {
    let tag = match likeness {
        Likeness::Exact => "exact",
        Likeness::Family => "family",
    };
    mix(hash_text(tag), signature.value(likeness))
}

/// By sum and feature: the key of the weight.
fn keys(signature: &Signature, likeness: Likeness, set: &FeatureSet, groups: &[Group<'_>]) -> Vec<Vec<u64>> {
    let features: Vec<u64> =
        set.features().iter().map(|feature| feature.about.key(signature, likeness)).collect();
    let mut keys = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        // Sums of one role differ by their place among them.
        let place = groups[..at].iter().filter(|other| *other == group).count();
        let of = group.map_or(0, |role| signature.colour(likeness, role));
        let start = together(vec![of, place as u64 + 1]);
        keys.push(features.iter().map(|&feature| mix(start, feature)).collect());
    }
    keys
}

fn read(text: &str) -> FxHashMap<u64, Entry> {
    let mut known: FxHashMap<u64, Entry> = FxHashMap::default();
    let mut current = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["game", name, games] => {
                current = u64::from_str_radix(name, 16).ok();
                if let (Some(name), Ok(games)) = (current, games.parse()) {
                    known.entry(name).or_default().games = games;
                }
            }
            [key, weight] => {
                let entry = current.and_then(|name| known.get_mut(&name));
                if let (Some(entry), Ok(key), Ok(weight)) =
                    (entry, u64::from_str_radix(key, 16), weight.parse::<f64>())
                    && weight.is_finite()
                {
                    entry.weights.insert(key, weight);
                }
            }
            _ => current = None,
        }
    }
    known
}

fn written(known: &FxHashMap<u64, Entry>) -> String {
    let mut text = String::new();
    let mut games: Vec<_> = known.iter().collect();
    games.sort_unstable_by_key(|(name, _)| **name);
    for (name, entry) in games {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "game {name:016x} {}", entry.games);
        let mut weights: Vec<_> = entry.weights.iter().collect();
        weights.sort_unstable_by_key(|(key, _)| **key);
        for (key, weight) in weights {
            let _ = writeln!(text, "{key:016x} {weight:e}");
        }
    }
    text
}

/// Writes a file beside the old one, which it then replaces: a reader never sees half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_read_as_they_were_written() {
        let mut known: FxHashMap<u64, Entry> = FxHashMap::default();
        let weights = [(7, 0.25), (u64::MAX, -1e-9)].into_iter().collect();
        known.insert(3, Entry { games: 400, weights });
        known.insert(5, Entry::default());
        let again = read(&written(&known));
        assert_eq!(again.len(), 2);
        assert_eq!(
            (again[&3].games, again[&3].weights[&7], again[&3].weights[&u64::MAX]),
            (400, 0.25, -1e-9)
        );
        assert!(read("weight 1\ngame zz 3\n07 1.0\n07 nan\n\u{fc}").is_empty());
    }
}
