//! Instances of rules: rules without variables, over numbered atoms.

use super::program::number;
use crate::hash::{hash, upper};

/// A ground literal of an instance: the number of an atom, times two, plus one if negated.
pub(crate) type GroundLiteral = u32;

/// Instances of rules: each a head atom and literals, packed.
///
/// A rule whose conditions have more variables than its literals gives the same instance again and
/// again, mostly in short succession. A small table of those met lately keeps them out; one that
/// gets through costs memory, but means nothing new.
#[derive(Debug, Default)]
pub(crate) struct GroundInstances {
    data: Vec<u32>,
    starts: Vec<u32>,
    /// By hash: another part of the hash, and the instance.
    recent: Vec<(u32, u32)>,
}

/// Number of recent instances kept: few enough to stay in a processor cache.
const RECENT: usize = 1 << 15;

impl GroundInstances {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Head and literals of an instance.
    pub(crate) fn get(&self, at: usize) -> (u32, &[GroundLiteral]) {
        let start = self.starts[at] as usize;
        let end = self.starts.get(at + 1).map_or(self.data.len(), |&s| s as usize);
        (self.data[start], &self.data[start + 1..end])
    }

    /// Adds an instance, unless the same one has been added lately. The body must be sorted.
    pub(super) fn add(&mut self, head: u32, body: &[GroundLiteral]) {
        if self.recent.is_empty() {
            self.recent = vec![(0, u32::MAX); RECENT];
        }
        let hash = hash(std::iter::once(head).chain(body.iter().copied()));
        let slot = usize::try_from(hash & (RECENT as u64 - 1)).unwrap_or(0);
        let part = upper(hash);
        let (known_part, known) = self.recent[slot];
        let known = known as usize;
        if known_part == part && known < self.len() && self.get(known) == (head, body) {
            return;
        }
        self.recent[slot] = (part, number(self.starts.len()));
        self.starts.push(number(self.data.len()));
        self.data.push(head);
        self.data.extend_from_slice(body);
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.data.len() + self.starts.len() + self.recent.len() * 2) * 4
    }
}
