//! Children of nodes in which several roles choose, by the number of the joint move.
//!
//! A table finds the child of a joint move; a list per node finds all its children.

use super::chains::{Chains, END, Linked};
use super::reserve::{bytes_of, reserve_bytes};
use super::tree::NodeId;

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u64,
    parent: NodeId,
    child: NodeId,
    /// The next entry of its chain.
    next: u32,
    /// The next child of the same parent.
    sibling: u32,
}

#[derive(Clone, Debug, Default)]
struct Entries(Vec<Entry>);

impl Linked for Entries {
    fn hash(&self, entry: u32) -> u32 {
        let entry = &self.0[entry as usize];
        hash(entry.parent, entry.number)
    }
    fn next(&self, entry: u32) -> u32 {
        self.0[entry as usize].next
    }
    fn set_next(&mut self, entry: u32, next: u32) {
        self.0[entry as usize].next = next;
    }
}

/// Mixes parent and number; the lowest bits decide about the chain.
#[allow(clippy::cast_possible_truncation, reason = "a hash")]
fn hash(parent: NodeId, number: u64) -> u32 {
    let mixed = (u64::from(parent.0) ^ number.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as u32
}

/// All joint moves with children.
#[derive(Clone, Debug, Default)]
pub(super) struct JointChildren {
    entries: Entries,
    chains: Chains,
    free: Vec<u32>,
}

/// The list of a node without children.
pub(super) const NO_CHILDREN: u32 = END;

impl JointChildren {
    /// The child of a node after a joint move.
    pub(super) fn get(&self, parent: NodeId, number: u64) -> NodeId {
        let at = self.find(parent, number);
        if at == END { NodeId::NONE } else { self.entries.0[at as usize].child }
    }

    fn find(&self, parent: NodeId, number: u64) -> u32 {
        let mut at = self.chains.first(hash(parent, number));
        while at != END {
            let entry = &self.entries.0[at as usize];
            if entry.parent == parent && entry.number == number {
                break;
            }
            at = entry.next;
        }
        at
    }

    /// Sets a child. `list` is the list of the node's children; the new one is returned.
    pub(super) fn set(&mut self, list: u32, parent: NodeId, number: u64, child: NodeId) -> u32 {
        let known = self.find(parent, number);
        if known != END {
            self.entries.0[known as usize].child = child;
            return list;
        }
        let entry = Entry { number, parent, child, next: END, sibling: list };
        let at = match self.free.pop() {
            Some(at) => {
                self.entries.0[at as usize] = entry;
                at
            }
            None => {
                let Ok(at) = u32::try_from(self.entries.0.len()) else { return list };
                self.entries.0.push(entry);
                at
            }
        };
        self.chains.insert(at, &mut self.entries);
        at
    }

    /// The children in a list, with the numbers of their joint moves.
    pub(super) fn children(&self, list: u32) -> impl Iterator<Item = (u64, NodeId)> {
        let entry = |at: u32| self.entries.0.get(at as usize);
        std::iter::successors(entry(list), move |known| entry(known.sibling))
            .map(|entry| (entry.number, entry.child))
    }

    /// Keeps the children in a list for which `keeps` holds; returns the new list.
    pub(super) fn retain(&mut self, list: u32, mut keeps: impl FnMut(NodeId) -> bool) -> u32 {
        let (mut at, mut kept) = (list, END);
        while at != END {
            let Entry { child, sibling, .. } = self.entries.0[at as usize];
            if keeps(child) {
                self.entries.0[at as usize].sibling = kept;
                kept = at;
            } else {
                self.chains.remove(at, &mut self.entries);
                self.free.push(at);
            }
            at = sibling;
        }
        kept
    }

    /// Bytes, as `reserve::bytes_of` counts them.
    pub(super) fn bytes(&self, reserved: bool) -> usize {
        bytes_of(&self.entries.0, reserved) + self.chains.bytes(reserved) + bytes_of(&self.free, reserved)
    }

    /// Bytes of entries that are free.
    pub(super) fn free_bytes(&self) -> usize {
        self.free.len() * size_of::<Entry>()
    }

    /// Reserves room; false if there is none.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        reserve_bytes(&mut self.entries.0, bytes) && self.chains.reserve(bytes / 4)
    }

    /// Whether indices still fit.
    pub(super) fn has_indices(&self, most: usize) -> bool {
        self.entries.0.len() < most
    }

    /// Number of children.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.chains.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_by_joint_move_and_by_parent() {
        let mut children = JointChildren::default();
        let (a, b) = (NodeId(1), NodeId(2));
        let mut list_a = NO_CHILDREN;
        let mut list_b = NO_CHILDREN;
        for number in 0..100 {
            list_a = children.set(list_a, a, number, NodeId(100 + u32::try_from(number).unwrap()));
            list_b = children.set(list_b, b, number * number, NodeId(900));
        }
        list_a = children.set(list_a, a, 7, NodeId(7));
        assert_eq!((children.get(a, 7), children.get(a, 8)), (NodeId(7), NodeId(108)));
        assert_eq!((children.get(a, 100), children.get(b, 81)), (NodeId::NONE, NodeId(900)));
        assert_eq!((children.children(list_a).count(), children.len()), (100, 200));
        list_a = children.retain(list_a, |child| child.0 % 2 == 0);
        assert_eq!(children.children(list_a).count(), 50, "the child of number 7 is odd now");
        assert_eq!((children.get(a, 7), children.get(a, 8)), (NodeId::NONE, NodeId(108)));
        list_b = children.retain(list_b, |_| false);
        assert_eq!((list_b, children.get(b, 81), children.len()), (NO_CHILDREN, NodeId::NONE, 50));
        let before = children.entries.0.len();
        list_b = children.set(list_b, b, 5, NodeId(3));
        assert_eq!(children.children(list_b).collect::<Vec<_>>(), [(5, NodeId(3))]);
        assert_eq!(children.entries.0.len(), before, "a free entry is used again");
    }
}
