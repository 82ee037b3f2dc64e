//! The search tree, with visit counts and returns for the moves of every role, in a few arrays.
//!
//! # Layout
//! A node is a small record that points into arrays for everything of variable size: the words of
//! its state, its legal moves and its edges. An edge is a move of a role with a choice, with its
//! visit count and the sum of its role's returns. So every role has its own value function, and
//! turn-taking games pay nothing for roles with forced moves. A node gets edges at its second visit
//! (expansion): most nodes are visited only once.
//!
//! If one role chooses, an edge stores its child. If several choose, a table maps joint moves to
//! children.

mod check;

use ludex_game::MoveId;
use rustc_hash::FxHashMap;

use super::amaf_stats::AmafStats;
use super::bounds::Proofs;
use super::joint_number::JointNumber;
use super::reserve::{bytes_of, reserve_bytes};

/// The id of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub u32);

impl NodeId {
    /// No node.
    pub(crate) const NONE: NodeId = NodeId(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

const NO_EDGES: u32 = u32::MAX;
const SEVERAL: u8 = u8::MAX;

/// Visits from which a counter is halved.
const MAX_VISITS: u32 = 1 << 31;

/// State of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// Its state is not known yet: its simulation is unfinished.
    Pending,
    /// The game goes on.
    Open,
    /// The game is over.
    Terminal,
    /// The game is not over, but a role has no legal move.
    Stuck,
}

/// A move of a role that has a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Sum of the role's returns; unfinished visits count as virtual losses.
    pub total: f64,
    /// Visit count, unfinished visits included.
    pub visits: u32,
    /// The child, if only one role chooses.
    child: NodeId,
}

impl Edge {
    /// The child, if only one role chooses.
    #[inline(always)]
    pub(crate) fn child(&self) -> NodeId {
        self.child
    }
}

#[cfg(test)]
impl Edge {
    pub(crate) fn new(visits: u32, total: f64) -> Self {
        Self { total, visits, child: NodeId::NONE }
    }
}

/// Small, because selection is bound by memory: where one role chooses, it reads only the node and
/// its edges.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// First word of the state, and their number: engines that list facts have states of different
    /// lengths.
    words: u32,
    word_count: u32,
    moves: u32,
    /// First edge; in a terminal node, the first goal.
    edges: u32,
    visits: u32,
    depth: u16,
    kind: NodeKind,
    /// The role that chooses, or [`SEVERAL`]; and its number of moves.
    chooser: u8,
    choices: u32,
}

/// The search tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    roles: usize,
    nodes: Vec<Node>,
    words: Vec<u64>,
    /// Legal moves of a node, role after role.
    pub(super) moves: Vec<MoveId>,
    /// By node and role: how many legal moves.
    counts: Vec<u32>,
    edges: Vec<Edge>,
    /// AMAF statistics by edge, if the search uses RAVE.
    pub(super) amaf: Option<Vec<AmafStats>>,
    /// What is proved, if the search uses the solver.
    pub(super) proofs: Option<Proofs>,
    /// Goals in terminal nodes, by role.
    values: Vec<f32>,
    /// Child by node and joint move number, where several roles choose.
    joint_children: FxHashMap<(u32, u64), NodeId>,
    /// Ids to be reused.
    free: Vec<NodeId>,
    /// Bytes for which every array has room; 0: arrays grow as they must.
    pub(super) reserved: usize,
}

impl Tree {
    /// An empty tree for a game with this many roles.
    pub(crate) fn new(roles: usize) -> Self {
        Self { roles, ..Self::default() }
    }

    /// Number of roles.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// Node ids are below this.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Whether indices still fit into 32 bits, with room for a batch.
    pub(crate) fn has_indices(&self) -> bool {
        const MOST: usize = u32::MAX as usize - (1 << 26);
        [self.nodes.len(), self.words.len(), self.moves.len(), self.edges.len(), self.values.len()]
            .iter()
            .all(|&used| used < MOST)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let reserved = self.reserved > 0;
        bytes_of(&self.nodes, reserved)
            + bytes_of(&self.words, reserved)
            + bytes_of(&self.moves, reserved)
            + bytes_of(&self.counts, reserved)
            + bytes_of(&self.edges, reserved)
            + self.amaf.as_ref().map_or(0, |amaf| bytes_of(amaf, reserved))
            + self.proofs.as_ref().map_or(0, |proofs| proofs.bytes(reserved))
            + bytes_of(&self.values, reserved)
            + self.joint_children.capacity() * (size_of::<((u32, u64), NodeId)>() + 1)
            + bytes_of(&self.free, reserved)
    }

    /// Reserves room in the arrays that grow with the tree. False if there is none.
    pub(super) fn reserve_arrays(&mut self, bytes: usize) -> bool {
        reserve_bytes(&mut self.nodes, bytes)
            && reserve_bytes(&mut self.words, bytes)
            && reserve_bytes(&mut self.moves, bytes)
            && reserve_bytes(&mut self.counts, bytes)
            && reserve_bytes(&mut self.edges, bytes)
            && reserve_bytes(&mut self.values, bytes)
            && self.amaf.as_mut().is_none_or(|amaf| reserve_bytes(amaf, bytes))
            && self.proofs.as_mut().is_none_or(|proofs| proofs.reserve(bytes))
    }

    /// Adds a node whose state is not known yet; [`NodeId::NONE`] if all ids are used.
    pub(crate) fn add_pending(&mut self, depth: u16) -> NodeId {
        let node = Node {
            words: 0,
            word_count: 0,
            moves: 0,
            edges: NO_EDGES,
            visits: 0,
            depth,
            kind: NodeKind::Pending,
            chooser: SEVERAL,
            choices: 0,
        };
        if let Some(id) = self.free.pop() {
            self.nodes[id.index()] = node;
            self.add_proofs(id);
            return id;
        }
        let Ok(number) = u32::try_from(self.nodes.len()) else { return NodeId::NONE };
        self.nodes.push(node);
        self.counts.resize(self.counts.len() + self.roles, 0);
        self.add_proofs(NodeId(number));
        NodeId(number)
    }

    fn add_proofs(&mut self, id: NodeId) {
        if let Some(proofs) = &mut self.proofs {
            proofs.add_node(id, self.roles);
        }
    }

    /// Frees a pending node.
    pub(crate) fn release(&mut self, id: NodeId) {
        self.free.push(id);
    }

    /// Sets the state of a pending node. Legal moves follow with [`set_moves`](Self::set_moves),
    /// goals of a terminal node with [`set_values`](Self::set_values).
    pub(crate) fn fill(&mut self, id: NodeId, words: &[u64], terminal: bool) {
        let at = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.extend_from_slice(words);
        let moves = u32::try_from(self.moves.len()).unwrap_or(u32::MAX);
        let node = &mut self.nodes[id.index()];
        node.words = at;
        node.word_count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        node.moves = moves;
        node.kind = if terminal { NodeKind::Terminal } else { NodeKind::Open };
    }

    /// Sets the legal moves of a role, in the order of roles, of the node filled last.
    pub(crate) fn set_moves(&mut self, id: NodeId, role: usize, moves: &[MoveId]) {
        self.counts[id.index() * self.roles + role] = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        self.moves.extend_from_slice(moves);
        if role + 1 == self.roles {
            let mut choosers = self.choosers(id);
            let (first, second) = (choosers.next(), choosers.next());
            let chooser = match (first, second) {
                (Some((role, _)), None) => role,
                _ => usize::from(SEVERAL),
            };
            drop(choosers);
            let can_move = (0..self.roles).all(|role| self.count(id, role) > 0);
            let choices = if chooser < self.roles { self.count(id, chooser) } else { 0 };
            let node = &mut self.nodes[id.index()];
            node.chooser = u8::try_from(chooser).unwrap_or(SEVERAL);
            node.choices = u32::try_from(choices).unwrap_or(u32::MAX);
            if node.kind == NodeKind::Open && !can_move {
                node.kind = NodeKind::Stuck;
            }
        }
    }

    /// The only role with a choice and its number of moves; none if several roles choose.
    #[inline(always)]
    pub(crate) fn chooser(&self, id: NodeId) -> Option<(usize, usize)> {
        let node = &self.nodes[id.index()];
        (node.chooser != SEVERAL).then_some((usize::from(node.chooser), node.choices as usize))
    }

    /// Sets the goals of a terminal node.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    pub(crate) fn set_values(&mut self, id: NodeId, goals: impl Iterator<Item = f64>) {
        self.nodes[id.index()].edges = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.extend(goals.map(|goal| goal as f32));
    }

    /// The state of a node.
    pub(crate) fn kind(&self, id: NodeId) -> NodeKind {
        self.nodes[id.index()].kind
    }

    /// Depth below the first root of the match, in steps.
    pub(crate) fn depth(&self, id: NodeId) -> u16 {
        self.nodes[id.index()].depth
    }

    /// Visit count of a node.
    pub(crate) fn node_visits(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].visits
    }

    /// Adds to the visit count of a node.
    pub(crate) fn add_visits(&mut self, id: NodeId, weight: u32) {
        let visits = &mut self.nodes[id.index()].visits;
        if *visits > MAX_VISITS {
            *visits /= 2;
        }
        *visits = visits.saturating_add(weight);
    }

    /// The words of a node's state.
    pub(crate) fn words(&self, id: NodeId) -> &[u64] {
        let node = &self.nodes[id.index()];
        &self.words[node.words as usize..(node.words + node.word_count) as usize]
    }

    /// The goals of a terminal node.
    pub(crate) fn values(&self, id: NodeId) -> impl Iterator<Item = f64> {
        let at = self.nodes[id.index()].edges as usize;
        self.values[at..at + self.roles].iter().map(|&goal| f64::from(goal))
    }

    /// How many legal moves a role has.
    pub(crate) fn count(&self, id: NodeId, role: usize) -> usize {
        self.counts[id.index() * self.roles + role] as usize
    }

    /// The legal moves of a role, sorted by id.
    pub(crate) fn moves(&self, id: NodeId, role: usize) -> &[MoveId] {
        &self.moves[self.move_range(id, role)]
    }

    /// The range of a role's legal moves in `moves`.
    pub(super) fn move_range(&self, id: NodeId, role: usize) -> std::ops::Range<usize> {
        let before: usize = (0..role).map(|role| self.count(id, role)).sum();
        let at = self.nodes[id.index()].moves as usize + before;
        at..at + self.count(id, role)
    }

    /// Roles with a choice, with the offset of their first edge in the node. If all moves are
    /// forced, the first role stands for all.
    pub(crate) fn choosers(&self, id: NodeId) -> impl Iterator<Item = (usize, usize)> + use<'_> {
        let counts = &self.counts[id.index() * self.roles..(id.index() + 1) * self.roles];
        let forced = counts.iter().all(|&count| count < 2);
        let mut at = 0;
        counts.iter().enumerate().filter_map(move |(role, &count)| {
            let chooses = count >= 2 || forced && role == 0;
            let first = at;
            at += if chooses { count as usize } else { 0 };
            chooses.then_some((role, first))
        })
    }

    /// The first edge of a node, if it has edges.
    pub(crate) fn edges(&self, id: NodeId) -> Option<usize> {
        let node = &self.nodes[id.index()];
        (node.kind == NodeKind::Open && node.edges != NO_EDGES).then_some(node.edges as usize)
    }

    /// Creates the edges of a node, if it has none; returns the first.
    pub(crate) fn expand(&mut self, id: NodeId) -> usize {
        if let Some(first) = self.edges(id) {
            return first;
        }
        let first = self.edges.len();
        let choices = match self.chooser(id) {
            Some((_, choices)) => choices,
            None => self.choosers(id).map(|(role, _)| self.count(id, role)).sum::<usize>(),
        };
        self.edges.resize(first + choices, Edge { total: 0.0, visits: 0, child: NodeId::NONE });
        if let Some(amaf) = &mut self.amaf {
            amaf.resize(first + choices, AmafStats::default());
        }
        if let Some(proofs) = &mut self.proofs {
            proofs.add_edges(first + choices);
        }
        self.nodes[id.index()].edges = u32::try_from(first).unwrap_or(NO_EDGES);
        first
    }

    /// A range of edges.
    #[inline(always)]
    pub(crate) fn edge_stats(&self, edges: std::ops::Range<usize>) -> &[Edge] {
        &self.edges[edges]
    }

    /// Replaces visit counts and sums of returns of a range of edges.
    pub(crate) fn set_edge_stats(&mut self, edges: std::ops::Range<usize>, others: &[(u32, f64)]) {
        for (edge, &(visits, total)) in self.edges[edges].iter_mut().zip(others) {
            (edge.visits, edge.total) = (visits, total);
        }
    }

    /// Replaces the visit count of a node.
    pub(crate) fn set_visits(&mut self, id: NodeId, visits: u32) {
        self.nodes[id.index()].visits = visits;
    }

    /// Adds visits and their returns to an edge.
    #[inline(always)]
    pub(crate) fn add(&mut self, edge: usize, weight: u32, total: f64) {
        let edge = &mut self.edges[edge];
        // Half as many visits with the same mean: counters stay in range, and means do not drift.
        if edge.visits > MAX_VISITS {
            edge.visits /= 2;
            edge.total /= 2.0;
        }
        edge.visits = edge.visits.saturating_add(weight);
        edge.total += total;
    }

    /// Adds to the sum of returns of an edge.
    #[inline(always)]
    pub(crate) fn add_return(&mut self, edge: usize, difference: f64) {
        self.edges[edge].total += difference;
    }

    /// The child after a move: by `edge` if one role chooses, else by the number of the joint move.
    pub(crate) fn child(&self, id: NodeId, edge: usize, joint: Option<JointNumber>) -> NodeId {
        match joint {
            None => self.edges[edge].child,
            Some(joint) => {
                let known = |number| self.joint_children.get(&(id.0, number)).copied();
                joint.get().and_then(known).unwrap_or(NodeId::NONE)
            }
        }
    }

    /// Sets the child after a move.
    pub(crate) fn set_child(&mut self, id: NodeId, edge: usize, joint: Option<JointNumber>, child: NodeId) {
        match joint {
            None => self.edges[edge].child = child,
            Some(joint) => {
                let number = joint.get();
                debug_assert!(number.is_some(), "joint moves without a number have no child");
                self.joint_children.extend(number.map(|number| ((id.0, number), child)));
            }
        }
    }

    /// All children of a node, with the number of the joint move (of the edge, if one role
    /// chooses).
    pub(crate) fn children(&self, id: NodeId) -> Vec<(u64, NodeId)> {
        let Some(first) = self.edges(id) else { return Vec::new() };
        let choosers: Vec<usize> = self.choosers(id).map(|(role, _)| self.count(id, role)).collect();
        let found: Vec<(u64, NodeId)> = match choosers.as_slice() {
            [count] => (0..*count).map(|at| (at as u64, self.edges[first + at].child)).collect(),
            counts => {
                let last = counts.iter().fold(JointNumber::FIRST, |last, &count| last.then(count, count - 1));
                match last.get().filter(|&last| last < self.joint_children.len() as u64) {
                    Some(last) => {
                        (0..=last).map(|n| (n, self.child(id, 0, Some(JointNumber::new(n))))).collect()
                    }
                    // More joint moves than children in the whole tree: look at those.
                    None => self.joint_children_of(id),
                }
            }
        };
        found.into_iter().filter(|&(_, child)| child != NodeId::NONE).collect()
    }

    /// The stored children of a node in which several roles choose, by joint move.
    fn joint_children_of(&self, id: NodeId) -> Vec<(u64, NodeId)> {
        let of_node =
            |(&(parent, number), &child): (&(u32, u64), &NodeId)| (parent == id.0).then_some((number, child));
        let mut found: Vec<(u64, NodeId)> = self.joint_children.iter().filter_map(of_node).collect();
        found.sort_unstable();
        found
    }
}
