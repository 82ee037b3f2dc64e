//! The tree of `ary-uct`: nodes with statistics, arcs without.
//!
//! A node has the state, the legal moves of every role, sums of goals and the number of visits. Its
//! arcs are joint moves. An arc is either unexplored or leads to a node; with transpositions several
//! arcs may lead to one. Equal states share a node at equal depth only: the sheets of competitions
//! must not have cycles, but others may.
//!
//! Arcs are explored in a random order that needs no memory: the i-th is number (a + i·b) mod n of the
//! n joint moves, with a and b drawn for the node and b prime to n.

use std::hash::{Hash, Hasher};

use ludex_game::MoveId;
use rustc_hash::{FxHashMap, FxHasher};

/// A node.
pub(super) type NodeId = u32;

/// What a state is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub(super) words: &'a [u64],
    /// By role; empty lists where nothing can be done.
    pub(super) legal: &'a [Vec<MoveId>],
    /// The goals, where nothing can be done.
    pub(super) goals: Option<&'a [u8]>,
}

#[derive(Clone, Debug)]
struct Node {
    words: (usize, u32),
    /// Where its legal moves begin.
    legal: usize,
    depth: u32,
    visits: u64,
    /// Visits whose result is not there yet: they count as goals of 0 (virtual loss).
    pending: u32,
    /// Whether the value is exact: an end, or a fully explored subtree.
    exact: bool,
    /// Number of joint moves, and the order in which they are explored.
    arcs: u64,
    start: u64,
    stride: u64,
    /// By place in that order.
    children: Vec<NodeId>,
}

/// The tree.
#[derive(Debug)]
pub(super) struct Tree {
    roles: usize,
    nodes: Vec<Node>,
    words: Vec<u64>,
    legal: Vec<MoveId>,
    /// By node and role: how many legal moves.
    counts: Vec<u32>,
    /// By node and role: sums of goals, or the exact goals.
    sums: Vec<f64>,
    /// By depth and hash of the state; none: no transpositions.
    table: Option<FxHashMap<(u32, u64), NodeId>>,
    arcs: usize,
    random: fastrand::Rng,
}

impl Tree {
    /// No nodes. `table`: equal states of a depth are one node.
    pub(super) fn new(roles: usize, table: bool, seed: u64) -> Self {
        Self {
            roles,
            nodes: Vec::new(),
            words: Vec::new(),
            legal: Vec::new(),
            counts: Vec::new(),
            sums: Vec::new(),
            table: table.then(FxHashMap::default),
            arcs: 0,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let table = self.table.as_ref().map_or(0, |table| table.capacity() * 17);
        size_of::<Node>() * self.nodes.capacity()
            + size_of::<u64>() * self.words.capacity()
            + size_of::<MoveId>() * self.legal.capacity()
            + size_of::<u32>() * self.counts.capacity()
            + size_of::<f64>() * self.sums.capacity()
            // A list of children has up to twice the room that it needs.
            + 2 * size_of::<NodeId>() * self.arcs
            + table
    }

    /// Adds a node.
    pub(super) fn add(&mut self, depth: u32, found: Found<'_>) -> NodeId {
        let id = self.next_id();
        let arcs = match found.goals {
            Some(_) => 0,
            None => found.legal.iter().map(|legal| legal.len() as u64).fold(1, u64::saturating_mul),
        };
        let (start, stride) = self.order(arcs);
        self.nodes.push(Node {
            words: (self.words.len(), u32::try_from(found.words.len()).unwrap_or(u32::MAX)),
            legal: self.legal.len(),
            depth,
            visits: 0,
            pending: 0,
            exact: found.goals.is_some(),
            arcs,
            start,
            stride,
            children: Vec::new(),
        });
        self.words.extend_from_slice(found.words);
        for role in 0..self.roles {
            let legal = found.legal.get(role).filter(|_| arcs > 0).map_or(&[][..], Vec::as_slice);
            self.legal.extend_from_slice(legal);
            self.counts.push(u32::try_from(legal.len()).unwrap_or(u32::MAX));
            let goal = found.goals.and_then(|goals| goals.get(role));
            self.sums.push(goal.map_or(0.0, |&goal| f64::from(goal)));
        }
        if let Some(table) = &mut self.table {
            table.entry((depth, hash(found.words))).or_insert(id);
        }
        id
    }

    fn next_id(&self) -> NodeId {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// A random order of arcs.
    fn order(&mut self, arcs: u64) -> (u64, u64) {
        if arcs < 2 {
            return (0, 1);
        }
        let start = self.random.u64(..arcs);
        let mut stride = self.random.u64(1..arcs);
        while gcd(stride, arcs) != 1 {
            stride = stride % (arcs - 1) + 1;
        }
        (start, stride)
    }

    /// The node with this state at a depth, if there are transpositions.
    pub(super) fn find(&self, depth: u32, words: &[u64]) -> Option<NodeId> {
        let id = *self.table.as_ref()?.get(&(depth, hash(words)))?;
        (self.words(id) == words).then_some(id)
    }

    /// The state of a node.
    pub(super) fn words(&self, id: NodeId) -> &[u64] {
        let (start, count) = self.nodes[id as usize].words;
        &self.words[start..start + count as usize]
    }

    /// Steps from the first root.
    pub(super) fn depth(&self, id: NodeId) -> u32 {
        self.nodes[id as usize].depth
    }

    /// The legal moves of a role.
    pub(super) fn legal(&self, id: NodeId, role: usize) -> &[MoveId] {
        let counts = &self.counts[id as usize * self.roles..][..=role];
        let before: u32 = counts[..role].iter().sum();
        &self.legal[self.nodes[id as usize].legal + before as usize..][..counts[role] as usize]
    }

    /// How many legal moves each role has.
    pub(super) fn counts(&self, id: NodeId) -> &[u32] {
        &self.counts[id as usize * self.roles..][..self.roles]
    }

    /// The nodes behind arcs that are explored, in the order of exploration.
    pub(super) fn children(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id as usize].children
    }

    /// Number of arcs that are not explored.
    pub(super) fn unexplored(&self, id: NodeId) -> u64 {
        let node = &self.nodes[id as usize];
        node.arcs - node.children.len() as u64
    }

    /// The joint move of an arc, by its place in the order of exploration.
    pub(super) fn joint(&self, id: NodeId, place: u64, into: &mut Vec<MoveId>) {
        let node = &self.nodes[id as usize];
        let arcs = u128::from(node.arcs.max(1));
        let number = (u128::from(node.start) + u128::from(place) * u128::from(node.stride)) % arcs;
        let mut rest = u64::try_from(number).unwrap_or(0);
        into.clear();
        for role in 0..self.roles {
            let legal = self.legal(id, role);
            let count = legal.len().max(1) as u64;
            into.extend(legal.get(usize::try_from(rest % count).unwrap_or(0)));
            rest /= count;
        }
    }

    /// The index of a role's move in an arc, by its place.
    pub(super) fn index_in_arc(&self, id: NodeId, place: usize, role: usize) -> usize {
        let node = &self.nodes[id as usize];
        let arcs = u128::from(node.arcs.max(1));
        let number = (u128::from(node.start) + place as u128 * u128::from(node.stride)) % arcs;
        let counts = self.counts(id);
        let below: u64 = counts[..role].iter().map(|&count| u64::from(count)).product();
        let number = u64::try_from(number).unwrap_or(0);
        usize::try_from(number / below.max(1) % u64::from(counts[role].max(1))).unwrap_or(0)
    }

    /// The next arc leads to a node.
    pub(super) fn link(&mut self, id: NodeId, child: NodeId) {
        self.nodes[id as usize].children.push(child);
        self.arcs += 1;
    }

    /// Visits, those without a result included.
    pub(super) fn visits(&self, id: NodeId) -> u64 {
        let node = &self.nodes[id as usize];
        node.visits + u64::from(node.pending)
    }

    /// Visits with a result.
    pub(super) fn completed(&self, id: NodeId) -> u64 {
        self.nodes[id as usize].visits
    }

    /// The mean goal of a role; pending visits count 0.
    pub(super) fn mean(&self, id: NodeId, role: usize) -> f64 {
        let sum = self.sums[id as usize * self.roles + role];
        match (self.nodes[id as usize].exact, self.visits(id)) {
            (true, _) => sum,
            (false, 0) => 0.0,
            (false, visits) => sum / visits as f64,
        }
    }

    /// The exact goals, if they are known.
    pub(super) fn exact(&self, id: NodeId) -> Option<&[f64]> {
        let exact = self.nodes[id as usize].exact;
        exact.then(|| &self.sums[id as usize * self.roles..][..self.roles])
    }

    /// The goals of a node are known for good.
    pub(super) fn set_exact(&mut self, id: NodeId, from: NodeId) {
        let source = from as usize * self.roles;
        self.sums.copy_within(source..source + self.roles, id as usize * self.roles);
        self.nodes[id as usize].exact = true;
    }

    /// A visit of these nodes begins.
    pub(super) fn begin_visit(&mut self, path: &[NodeId]) {
        path.iter().for_each(|&id| self.nodes[id as usize].pending += 1);
    }

    /// A visit of these nodes ends with goals. "We update only the nodes visited during the playout
    /// and not all the parents of a node" (section 3.2).
    pub(super) fn end_visit(&mut self, path: &[NodeId], goals: &[f64]) {
        for &id in path {
            let node = &mut self.nodes[id as usize];
            node.pending = node.pending.saturating_sub(1);
            node.visits += 1;
            if !node.exact {
                let sums = &mut self.sums[id as usize * self.roles..][..self.roles];
                sums.iter_mut().zip(goals).for_each(|(sum, goal)| *sum += goal);
            }
        }
    }

    /// The node with this state a few steps below another one.
    pub(super) fn find_below(&self, root: NodeId, words: &[u64]) -> Option<NodeId> {
        const STEPS: usize = 3;
        let mut layer = vec![root];
        for _ in 0..=STEPS {
            if let Some(&found) = layer.iter().find(|&&id| self.words(id) == words) {
                return Some(found);
            }
            layer = layer.iter().flat_map(|&id| self.children(id)).copied().collect();
            layer.sort_unstable();
            layer.dedup();
        }
        None
    }

    /// The nodes that can be reached from one, which is number 0 then. All others are dropped.
    pub(super) fn keep_below(&self, root: NodeId) -> Self {
        let mut kept = Self::new(self.roles, self.table.is_some(), self.random.clone().u64(..));
        let mut places: Vec<Option<NodeId>> = vec![None; self.nodes.len()];
        let mut order = vec![root];
        places[root as usize] = Some(0);
        let mut at = 0;
        while let Some(&id) = order.get(at) {
            at += 1;
            let node = &self.nodes[id as usize];
            let mut children = Vec::with_capacity(node.children.len());
            for &child in &node.children {
                let place = places[child as usize].unwrap_or_else(|| {
                    let place = u32::try_from(order.len()).unwrap_or(u32::MAX);
                    places[child as usize] = Some(place);
                    order.push(child);
                    place
                });
                children.push(place);
            }
            kept.arcs += children.len();
            let moves: usize = self.counts(id).iter().map(|&count| count as usize).sum();
            let copy = Node {
                words: (kept.words.len(), node.words.1),
                legal: kept.legal.len(),
                children,
                ..node.clone()
            };
            let new = kept.next_id();
            kept.nodes.push(copy);
            kept.words.extend_from_slice(self.words(id));
            kept.legal.extend_from_slice(&self.legal[node.legal..node.legal + moves]);
            kept.counts.extend_from_slice(self.counts(id));
            kept.sums.extend_from_slice(&self.sums[id as usize * self.roles..][..self.roles]);
            if let Some(table) = &mut kept.table {
                table.entry((node.depth, hash(self.words(id)))).or_insert(new);
            }
        }
        kept
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.hash(&mut hasher);
    hasher.finish()
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn legal(counts: &[u32]) -> Vec<Vec<MoveId>> {
        counts.iter().map(|&count| (0..count).map(MoveId).collect()).collect()
    }

    fn node(tree: &mut Tree, depth: u32, word: u64, counts: &[u32]) -> NodeId {
        tree.add(depth, Found { words: &[word], legal: &legal(counts), goals: None })
    }

    /// Every joint move is explored once, whatever the numbers of moves are.
    #[test]
    fn all_arcs_are_explored() {
        for counts in [&[1, 1][..], &[2, 1], &[1, 6], &[7, 3], &[12, 10], &[4, 4], &[64, 1]] {
            for seed in 0..5 {
                let mut tree = Tree::new(2, true, seed);
                let id = node(&mut tree, 0, 1, counts);
                let arcs = u64::from(counts[0] * counts[1]);
                assert_eq!(tree.unexplored(id), arcs);
                let mut seen = BTreeSet::new();
                for place in 0..arcs {
                    let mut joint = Vec::new();
                    tree.joint(id, place, &mut joint);
                    for (role, &made) in joint.iter().enumerate() {
                        let index = tree.index_in_arc(id, usize::try_from(place).unwrap(), role);
                        assert_eq!(tree.legal(id, role)[index], made);
                    }
                    seen.insert(joint);
                }
                assert_eq!(seen.len() as u64, arcs);
            }
        }
    }

    /// Figure 1 of the paper: a node with two parents counts for both, but only the one on the path
    /// gets the result.
    #[test]
    fn only_the_path_is_updated() {
        let mut tree = Tree::new(1, true, 1);
        let root = node(&mut tree, 0, 0, &[2]);
        let [one, two] = [1, 2].map(|word| node(&mut tree, 1, word, &[2]));
        let shared = node(&mut tree, 2, 4, &[2]);
        [one, two].into_iter().for_each(|id| tree.link(root, id));
        tree.link(one, shared);
        assert_eq!(tree.find(2, &[4]), Some(shared));
        tree.link(two, shared);
        let path = [root, one, shared];
        tree.begin_visit(&path);
        assert_eq!((tree.visits(one), tree.completed(one), tree.visits(two)), (1, 0, 0));
        tree.end_visit(&path, &[60.0]);
        assert_eq!((tree.visits(one), tree.visits(two), tree.visits(shared)), (1, 0, 1));
        assert_eq!([root, one, two, shared].map(|id| tree.mean(id, 0)), [60.0, 60.0, 0.0, 60.0]);
        tree.begin_visit(&[root, two, shared]);
        tree.end_visit(&[root, two, shared], &[20.0]);
        assert_eq!([root, one, two, shared].map(|id| tree.mean(id, 0)), [40.0, 60.0, 20.0, 40.0]);
        assert_eq!(tree.find(1, &[4]), None, "not at another depth");
    }

    #[test]
    fn what_cannot_be_reached_is_dropped() {
        let mut tree = Tree::new(1, true, 1);
        let root = node(&mut tree, 0, 0, &[2]);
        let [one, two] = [1, 2].map(|word| node(&mut tree, 1, word, &[3]));
        let [left, shared] = [3, 4].map(|word| node(&mut tree, 2, word, &[1]));
        let end = tree.add(3, Found { words: &[9], legal: &[], goals: Some(&[70]) });
        for (from, to) in [(root, one), (root, two), (one, left), (one, shared), (two, shared), (shared, end)]
        {
            tree.link(from, to);
        }
        tree.begin_visit(&[root, two, shared]);
        tree.end_visit(&[root, two, shared], &[30.0]);
        tree.set_exact(shared, end);
        assert_eq!(tree.find_below(root, &[2]), Some(two));
        assert_eq!(tree.find_below(root, &[5]), None);
        let kept = tree.keep_below(two);
        assert_eq!(kept.len(), 3);
        assert_eq!((kept.words(0), kept.visits(0), kept.mean(0, 0)), (&[2][..], 1, 30.0));
        assert_eq!((kept.unexplored(0), kept.children(0)), (2, &[1][..]));
        assert_eq!(kept.exact(1), Some(&[70.0][..]));
        assert_eq!((kept.find(2, &[4]), kept.find(2, &[3]), kept.depth(1)), (Some(1), None, 2));
        assert!(kept.bytes() < tree.bytes());
    }
}
