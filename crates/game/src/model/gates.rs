//! The circuit (propnet) of a game as an AND-inverter graph.

use std::ops::Not;

use crate::conversion::number;
use crate::ids::FactId;

/// A node, straight or inverted: node number times two, plus one if inverted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    /// The constant false: node 0.
    pub const FALSE: Literal = Literal(0);
    /// The constant true: node 0, inverted.
    pub const TRUE: Literal = Literal(1);

    /// A node as it is, or inverted.
    pub fn new(node: u32, inverted: bool) -> Self {
        Self(node << 1 | u32::from(inverted))
    }

    /// The node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is inverted.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its value if it is a constant.
    pub fn constant(self) -> Option<bool> {
        (self.node() == 0).then_some(self.is_inverted())
    }

    /// Node number times two, plus one if inverted: as AIGER files write it.
    pub fn code(self) -> u32 {
        self.0
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// Never true; node 0.
    False,
    /// A fact of the state.
    Fact(FactId),
    /// What a role does: a number in the model's list of inputs.
    Does(u32),
    /// A conjunction; [`Gates::inputs`] has its inputs. OR is an inverted AND of inverted literals.
    And {
        /// Where its inputs start in the pool.
        start: u32,
        /// How many there are.
        count: u32,
    },
    /// The value of a recursive atom, by number of its [`Loop`].
    Loop(u32),
}

/// Recursive atoms that are computed together: a strongly connected component of ground rules.
///
/// Their value is the least fixpoint. To compute it, set all `nodes` to false. Then compute the
/// gates from `first` up to `end` in order and set each node to what it `becomes`. Repeat until
/// nothing changes. Nodes only ever turn true (the gates are monotone in them), so the number of
/// rounds is at most the number of nodes plus one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The loop nodes.
    pub nodes: Vec<u32>,
    /// What each of them becomes; these literals are below `end`.
    pub becomes: Vec<Literal>,
    /// The first node that is repeated: the smallest of `nodes`.
    pub first: u32,
    /// The node behind the last one that is repeated.
    pub end: u32,
}

/// All nodes of a model.
///
/// Node 0 is false. Then come the facts in the order of their ids, then the inputs (`does`) in
/// their order, then gates and loop nodes. A gate reads only nodes with smaller numbers. Loops are
/// the one exception to "inputs come first": a loop node gets its value from gates behind it, all
/// of them before [`Loop::end`]. Ranges of loops do not overlap and are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    nodes: Vec<Node>,
    pool: Vec<Literal>,
    loops: Vec<Loop>,
}

impl Gates {
    /// The nodes of this many facts and inputs, and no gates.
    pub fn new(facts: usize, inputs: usize) -> Self {
        let mut nodes = vec![Node::False];
        nodes.extend((0..facts).map(|fact| Node::Fact(FactId::new(fact))));
        nodes.extend((0..number(inputs)).map(Node::Does));
        Self { nodes, ..Self::default() }
    }

    /// Adds a gate, as it stands: neither simplified nor shared.
    pub fn and(&mut self, inputs: impl IntoIterator<Item = Literal>) -> Literal {
        let (node, start) = (number(self.nodes.len()), number(self.pool.len()));
        self.pool.extend(inputs);
        self.nodes.push(Node::And { start, count: number(self.pool.len()) - start });
        Literal::new(node, false)
    }

    /// Starts a loop with this many nodes, which follow each other; gives the first.
    pub fn open_loop(&mut self, count: usize) -> u32 {
        let (first, at) = (number(self.nodes.len()), number(self.loops.len()));
        let nodes: Vec<u32> = (first..first.saturating_add(number(count))).collect();
        self.nodes.extend(nodes.iter().map(|_| Node::Loop(at)));
        let end = number(self.nodes.len());
        self.loops.push(Loop { nodes, becomes: Vec::new(), first, end });
        first
    }

    /// Ends the loop that was started last: everything that it repeats has been added.
    pub fn close_loop(&mut self, becomes: Vec<Literal>) {
        let end = number(self.nodes.len());
        if let Some(last) = self.loops.last_mut() {
            (last.becomes, last.end) = (becomes, end);
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none; the constant is always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes by number.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The inputs of a gate; none for other nodes.
    pub fn inputs(&self, node: u32) -> &[Literal] {
        match self.nodes.get(node as usize) {
            Some(&Node::And { start, count }) => {
                self.pool.get(start as usize..(start + count) as usize).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// The loops in the order of their nodes.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// Says what is wrong with the order of nodes, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        for (node, kind) in (0..).zip(&self.nodes) {
            let ahead = |literal: &&Literal| literal.node() >= node;
            if let Some(input) = self.inputs(node).iter().find(ahead) {
                return Some(format!("gate {node} reads node {}", input.node()));
            }
            if let Node::Loop(at) = *kind
                && !self.loops.get(at as usize).is_some_and(|group| group.nodes.contains(&node))
            {
                return Some(format!("node {node} belongs to no loop"));
            }
        }
        let mut end = 0;
        for group in &self.loops {
            let inside = |node: u32| (group.first..group.end).contains(&node);
            let fits = group.nodes.len() == group.becomes.len()
                && group.nodes.iter().all(|&node| inside(node))
                && group.becomes.iter().all(|literal| literal.node() < group.end)
                && (end..=number(self.nodes.len())).contains(&group.first)
                && group.end as usize <= self.nodes.len();
            if !fits {
                return Some(format!("the loop at node {} is broken", group.first));
            }
            end = group.end;
        }
        None
    }
}
