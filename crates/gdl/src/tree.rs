//! The syntax tree: words and lists, nothing about their meaning yet.
//!
//! Nodes lie in one array in the order of the text; each knows where its subtree ends, so that
//! walking needs neither recursion nor pointers. A node keeps its span and its spelling.

use crate::name::{Name, Names, Symbol};
use crate::source::Span;

/// Position of a node in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Position in the order of the text.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Parentheses around other nodes.
    List,
    /// A constant, keyword, relation or function name.
    Word(Name),
    /// A variable; the name includes the question mark.
    Variable(Name),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: NodeKind,
    span: Span,
    /// Index behind the last node of this subtree.
    end: u32,
}

/// A comment, from its semicolon to the end of the line.
#[derive(Clone, Copy, Debug)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
}

/// All clauses of a sheet as words and lists, with its names and comments.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The table behind all names.
    pub names: Names,
    /// In the order of the text.
    pub comments: Vec<Comment>,
}

impl Tree {
    /// The nodes between the clauses' parentheses: one per clause.
    pub fn roots(&self) -> Siblings<'_> {
        Siblings { tree: self, at: 0, end: self.len() }
    }

    /// What lies inside a list; nothing for a word.
    pub fn children(&self, node: NodeId) -> Siblings<'_> {
        Siblings { tree: self, at: node.0 + 1, end: self.nodes[node.index()].end }
    }

    /// The node and everything below it, in the order of the text.
    pub fn subtree(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0..self.nodes[node.index()].end).map(NodeId)
    }

    /// Number of nodes in a subtree, its root included.
    pub fn size(&self, node: NodeId) -> usize {
        self.nodes[node.index()].end as usize - node.index()
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.nodes[node.index()].kind
    }

    /// Where a node stands.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.index()].span
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The word of a node, if it is one.
    pub fn word(&self, node: NodeId) -> Option<Symbol> {
        match self.kind(node) {
            NodeKind::Word(name) => Some(self.names.symbol(name)),
            _ => None,
        }
    }

    /// The variable of a node, if it is one.
    pub fn variable(&self, node: NodeId) -> Option<Symbol> {
        match self.kind(node) {
            NodeKind::Variable(name) => Some(self.names.symbol(name)),
            _ => None,
        }
    }

    /// Whether a node is a list.
    pub fn is_list(&self, node: NodeId) -> bool {
        self.kind(node) == NodeKind::List
    }

    /// The name in front of a sentence or term: of a list its first word, of a word itself.
    pub fn functor(&self, node: NodeId) -> Option<Symbol> {
        match self.kind(node) {
            NodeKind::List => self.children(node).next().and_then(|n| self.word(n)),
            NodeKind::Word(name) => Some(self.names.symbol(name)),
            NodeKind::Variable(_) => None,
        }
    }

    /// What a sentence or term is applied to: the children behind the first.
    pub fn arguments(&self, node: NodeId) -> Siblings<'_> {
        let mut children = self.children(node);
        children.next();
        children
    }

    /// Number of arguments of a sentence or term.
    pub fn arity(&self, node: NodeId) -> usize {
        self.arguments(node).count()
    }

    /// Whether two subtrees mean the same: equal but for spans, letter case and `(p)` against `p`.
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        let (mut a_words, mut b_words) = (self.meaning(a), self.meaning(b));
        loop {
            match (a_words.next(), b_words.next()) {
                (None, None) => return true,
                (x, y) if x != y => return false,
                _ => {}
            }
        }
    }

    /// The words of a subtree with the number of nodes below each list's head: two subtrees mean
    /// the same exactly when these sequences are equal.
    pub(crate) fn meaning(&self, node: NodeId) -> impl Iterator<Item = (Symbol, usize)> + use<'_> {
        let mut pending = 0;
        self.subtree(node).filter_map(move |n| match self.kind(n) {
            NodeKind::List => {
                pending = self.arity(n);
                None
            }
            NodeKind::Word(name) | NodeKind::Variable(name) => {
                let arity = std::mem::take(&mut pending);
                Some((self.names.symbol(name), arity))
            }
        })
    }

    fn len(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn push_leaf(&mut self, kind: NodeKind, span: Span) {
        let end = self.len() + 1;
        self.nodes.push(Node { kind, span, end });
    }

    /// Adds a list that is still open: [`Tree::close`] ends it.
    pub(crate) fn open(&mut self, span: Span) -> NodeId {
        let id = NodeId(self.len());
        self.push_leaf(NodeKind::List, span);
        id
    }

    pub(crate) fn close(&mut self, list: NodeId, end: u32) {
        let last = self.len();
        let node = &mut self.nodes[list.index()];
        node.end = last;
        node.span.end = end;
    }

    /// Forgets this node and all behind it.
    pub(crate) fn truncate(&mut self, node: NodeId) {
        self.nodes.truncate(node.index());
    }
}

/// Nodes beside each other.
#[derive(Clone)]
pub struct Siblings<'a> {
    tree: &'a Tree,
    at: u32,
    end: u32,
}

impl Iterator for Siblings<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.at >= self.end {
            return None;
        }
        let node = NodeId(self.at);
        self.at = self.tree.nodes[node.index()].end;
        Some(node)
    }
}
