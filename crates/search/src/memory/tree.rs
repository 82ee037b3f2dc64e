//! The search tree, with visit counts and returns for the moves of every role, in a few arrays.
//!
//! # Layout
//! A node is a small record that points into arrays for everything of variable size: the words of
//! its state, its legal moves and its edges ([`super::edges`]). A node gets edges when it is first
//! selected from (expansion): most nodes never are.
//!
//! Ids and indices are stable: nodes that are not needed are freed one by one ([`super::collect`]),
//! and their room is used again ([`super::blocks`]).

mod check;

use ludex_game::MoveId;

use super::amaf_stats::AmafStats;
use super::blocks::Blocks;
use super::bounds::Proofs;
use super::chains::{Chains, END, Linked};
use super::collect::Collector;
use super::edges::Edge;
use super::joint_children::JointChildren;
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

pub(super) const NO_EDGES: u32 = u32::MAX;
pub(super) const SEVERAL: u8 = u8::MAX;

/// Visits from which a counter is halved.
pub(super) const MAX_VISITS: u32 = 1 << 31;

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
    /// The id is not in use.
    Free,
}

/// Small, because selection is bound by memory: where one role chooses, it reads only the node and
/// its edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// First word of the state, and their number: engines that list facts have states of different
    /// lengths.
    words: u32,
    word_count: u32,
    pub(super) moves: u32,
    /// First edge; in a terminal node, the first goal.
    pub(super) edges: u32,
    pub(super) visits: u32,
    /// The number of moves of the role that chooses.
    choices: u32,
    /// The next node of its chain in the transposition table, and the hash of depth and state.
    pub(super) next: u32,
    pub(super) hash: u32,
    depth: u16,
    pub(super) kind: NodeKind,
    /// The role that chooses, or [`SEVERAL`].
    pub(super) chooser: u8,
}

/// The nodes as entries of the transposition table.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes(pub(super) Vec<Node>);

impl Linked for Nodes {
    #[inline(always)]
    fn hash(&self, entry: u32) -> u32 {
        self.0[entry as usize].hash
    }
    #[inline(always)]
    fn next(&self, entry: u32) -> u32 {
        self.0[entry as usize].next
    }
    #[inline(always)]
    fn set_next(&mut self, entry: u32, next: u32) {
        self.0[entry as usize].next = next;
    }
}

/// The search tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    roles: usize,
    pub(super) nodes: Nodes,
    words: Blocks<u64>,
    /// Legal moves of a node, role after role.
    pub(super) moves: Blocks<MoveId>,
    /// By node and role: how many legal moves.
    pub(super) counts: Vec<u32>,
    pub(super) edges: Blocks<Edge>,
    /// AMAF statistics by edge, if the search uses RAVE.
    pub(super) amaf: Option<Vec<AmafStats>>,
    /// What is proved, if the search uses the solver.
    pub(super) proofs: Option<Proofs>,
    /// Goals in terminal nodes, by role.
    values: Blocks<f32>,
    pub(super) joint_children: JointChildren,
    /// The transposition table, if there is one.
    pub(super) table: Option<Chains>,
    /// Ids to be reused.
    pub(super) free: Vec<NodeId>,
    pub(super) collector: Collector,
    /// Edges with visits.
    pub(super) visited_edges: usize,
    /// Memory is short: free blocks are cut before arrays grow.
    pub(super) is_tight: bool,
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

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.0.len() - self.free.len()
    }

    /// Number of positions with statistics: the root, and every edge that was visited. Where several
    /// roles choose, they are counted by role, not by joint move.
    pub(crate) fn positions(&self) -> usize {
        self.visited_edges + 1
    }

    /// Whether indices still fit into 32 bits, with room for a batch.
    pub(crate) fn has_indices(&self) -> bool {
        const MOST: usize = u32::MAX as usize - (1 << 26);
        let used = [self.words.len(), self.moves.len(), self.edges.len(), self.values.len()];
        used.iter().all(|&used| used < MOST)
            && self.nodes.0.len() < MOST
            && self.joint_children.has_indices(MOST)
    }

    /// Bytes in use, freed blocks included.
    pub(crate) fn bytes(&self) -> usize {
        let reserved = self.reserved > 0;
        bytes_of(&self.nodes.0, reserved)
            + self.words.bytes(reserved)
            + self.moves.bytes(reserved)
            + bytes_of(&self.counts, reserved)
            + self.edges.bytes(reserved)
            + self.amaf.as_ref().map_or(0, |amaf| bytes_of(amaf, reserved))
            + self.proofs.as_ref().map_or(0, |proofs| proofs.bytes(reserved))
            + self.values.bytes(reserved)
            + self.joint_children.bytes(reserved)
            + self.table.as_ref().map_or(0, |table| table.bytes(reserved))
            + bytes_of(&self.free, reserved)
            + self.collector.bytes()
    }

    /// Bytes of what is freed and can be used again.
    pub(crate) fn free_bytes(&self) -> usize {
        let per_node = size_of::<Node>() + self.roles * (size_of::<u32>() + 2) + size_of::<u32>();
        self.free.len() * per_node
            + self.words.free_bytes()
            + self.moves.free_bytes()
            + self.edges.free_bytes()
            + self.values.free_bytes()
            + self.joint_children.free_bytes()
    }

    /// Reserves room in the arrays that grow with the tree. False if there is none.
    pub(super) fn reserve_arrays(&mut self, bytes: usize) -> bool {
        reserve_bytes(&mut self.nodes.0, bytes)
            && self.words.reserve(bytes)
            && self.moves.reserve(bytes)
            && reserve_bytes(&mut self.counts, bytes)
            && self.edges.reserve(bytes)
            && self.values.reserve(bytes)
            && self.amaf.as_mut().is_none_or(|amaf| reserve_bytes(amaf, bytes))
            && self.proofs.as_mut().is_none_or(|proofs| proofs.reserve(bytes))
            && self.table.as_mut().is_none_or(|table| table.reserve(bytes / 4))
            && self.joint_children.reserve(bytes)
            && reserve_bytes(&mut self.free, bytes / 4)
    }

    /// Whether memory is short: free blocks are then cut before arrays grow.
    pub(crate) fn set_tight(&mut self, is_tight: bool) {
        self.is_tight = is_tight;
    }

    /// Adds a node whose state is not known yet; [`NodeId::NONE`] if all ids are used.
    pub(crate) fn add_pending(&mut self, depth: u16) -> NodeId {
        let node = Node {
            words: 0,
            word_count: 0,
            moves: 0,
            edges: NO_EDGES,
            visits: 0,
            choices: 0,
            next: END,
            hash: 0,
            depth,
            kind: NodeKind::Pending,
            chooser: SEVERAL,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes.0[id.index()] = node;
                let counts = id.index() * self.roles;
                self.counts[counts..counts + self.roles].fill(0);
                id
            }
            None => {
                let Ok(number) = u32::try_from(self.nodes.0.len()) else { return NodeId::NONE };
                self.nodes.0.push(node);
                self.counts.resize(self.counts.len() + self.roles, 0);
                NodeId(number)
            }
        };
        if let Some(proofs) = &mut self.proofs {
            proofs.add_node(id, self.roles);
        }
        self.collector.note_new(id);
        id
    }

    /// Frees a pending node.
    pub(crate) fn release(&mut self, id: NodeId) {
        self.nodes.0[id.index()].kind = NodeKind::Free;
        self.free.push(id);
    }

    /// Frees a node with everything that belongs to it. Nothing may lead to it.
    pub(super) fn free_node(&mut self, id: NodeId) {
        if let Some(table) = &mut self.table {
            table.remove(id.0, &mut self.nodes);
        }
        let node = self.nodes.0[id.index()];
        self.words.remove(node.words as usize, node.word_count as usize);
        let moves = (0..self.roles).map(|role| self.count(id, role)).sum();
        self.moves.remove(node.moves as usize, moves);
        if node.kind == NodeKind::Terminal {
            self.values.remove(node.edges as usize, self.roles);
        }
        self.remove_edges(id);
        self.release(id);
    }

    /// Sets the state of a pending node, and its legal moves by role. The goals of a terminal node
    /// follow with [`set_values`](Self::set_values).
    pub(crate) fn fill<'a>(
        &mut self,
        id: NodeId,
        words: &[u64],
        terminal: bool,
        legal: impl Fn(usize) -> &'a [MoveId],
    ) {
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let at = self.words.add(words.len(), 0, self.is_tight);
        self.words[at..at + words.len()].copy_from_slice(words);
        let count = (0..self.roles).map(|role| legal(role).len()).sum();
        let moves = self.moves.add(count, MoveId(0), self.is_tight);
        let mut to = moves;
        let (mut chooser, mut choices, mut can_move) = (None, 0, true);
        let mut several = false;
        for role in 0..self.roles {
            let legal = legal(role);
            self.moves[to..to + legal.len()].copy_from_slice(legal);
            to += legal.len();
            self.counts[id.index() * self.roles + role] = index(legal.len());
            can_move &= !legal.is_empty();
            if legal.len() > 1 {
                several |= chooser.is_some();
                (chooser, choices) = (Some(role), legal.len());
            }
        }
        // If all moves are forced, the first role stands for all.
        if chooser.is_none() && self.roles > 0 {
            (chooser, choices) = (Some(0), self.count(id, 0));
        }
        let chooser = chooser.filter(|_| !several).and_then(|role| u8::try_from(role).ok());
        let node = &mut self.nodes.0[id.index()];
        (node.words, node.word_count, node.moves) = (index(at), index(words.len()), index(moves));
        node.chooser = chooser.unwrap_or(SEVERAL);
        node.choices = if chooser.is_some() { index(choices) } else { 0 };
        node.kind = match (terminal, can_move) {
            (true, _) => NodeKind::Terminal,
            (false, true) => NodeKind::Open,
            (false, false) => NodeKind::Stuck,
        };
    }

    /// The only role with a choice and its number of moves; none if several roles choose.
    #[inline(always)]
    pub(crate) fn chooser(&self, id: NodeId) -> Option<(usize, usize)> {
        let node = &self.nodes.0[id.index()];
        (node.chooser != SEVERAL).then_some((usize::from(node.chooser), node.choices as usize))
    }

    /// Sets the goals of a terminal node.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    pub(crate) fn set_values(&mut self, id: NodeId, goals: impl Iterator<Item = f64>) {
        let at = self.values.add(self.roles, 0.0, self.is_tight);
        self.values[at..at + self.roles].iter_mut().zip(goals).for_each(|(to, goal)| *to = goal as f32);
        self.nodes.0[id.index()].edges = u32::try_from(at).unwrap_or(u32::MAX);
    }

    /// The state of a node.
    #[inline(always)]
    pub(crate) fn kind(&self, id: NodeId) -> NodeKind {
        self.nodes.0[id.index()].kind
    }

    /// Depth below the first root of the match, in steps.
    pub(crate) fn depth(&self, id: NodeId) -> u16 {
        self.nodes.0[id.index()].depth
    }

    /// Visit count of a node.
    pub(crate) fn node_visits(&self, id: NodeId) -> u32 {
        self.nodes.0[id.index()].visits
    }

    /// Adds to the visit count of a node.
    pub(crate) fn add_visits(&mut self, id: NodeId, weight: u32) {
        let visits = &mut self.nodes.0[id.index()].visits;
        if *visits > MAX_VISITS {
            *visits /= 2;
        }
        *visits = visits.saturating_add(weight);
    }

    /// Replaces the visit count of a node.
    pub(crate) fn set_visits(&mut self, id: NodeId, visits: u32) {
        self.nodes.0[id.index()].visits = visits;
    }

    /// The words of a node's state.
    pub(crate) fn words(&self, id: NodeId) -> &[u64] {
        let node = &self.nodes.0[id.index()];
        let at = node.words as usize;
        &self.words[at..at + node.word_count as usize]
    }

    /// The goals of a terminal node.
    pub(crate) fn values(&self, id: NodeId) -> impl Iterator<Item = f64> {
        let at = self.nodes.0[id.index()].edges as usize;
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
        let at = self.nodes.0[id.index()].moves as usize + before;
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

    /// Enters a node in the table under its hash.
    pub(super) fn enter(&mut self, id: NodeId, hash: u32) {
        self.nodes.0[id.index()].hash = hash;
        if let Some(table) = &mut self.table {
            table.insert(id.0, &mut self.nodes);
        }
    }
}
