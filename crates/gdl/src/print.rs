//! Trees as text, a clause a line, without comments: the shortest form that reads back the same.

use std::fmt::{self, Write};

use crate::name::Name;
use crate::tree::{NodeId, NodeKind, Tree};

impl Tree {
    /// A subtree on one line, spelled as in the sheet.
    pub fn text(&self, node: NodeId) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_node(self, node, &mut text, |name| self.names.spelling(name));
        text
    }
}

/// Writes the clauses, each on a line of its own.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for root in self.roots() {
            write_node(self, root, f, |name| self.names.spelling(name))?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}

/// Writes a subtree on one line, each name as `spell` gives it. Needs no recursion.
pub(crate) fn write_node<'a>(
    tree: &Tree,
    node: NodeId,
    out: &mut impl Write,
    spell: impl Fn(Name) -> &'a str,
) -> fmt::Result {
    // For every list that is open, the index behind its last node.
    let mut open: Vec<usize> = Vec::new();
    let mut first = true;
    for node in tree.subtree(node) {
        while open.last().is_some_and(|&end| end == node.index()) {
            open.pop();
            out.write_char(')')?;
        }
        if !first {
            out.write_char(' ')?;
        }
        match tree.kind(node) {
            NodeKind::List => {
                out.write_char('(')?;
                open.push(node.index() + tree.size(node));
                first = true;
                continue;
            }
            NodeKind::Word(name) | NodeKind::Variable(name) => out.write_str(spell(name))?,
        }
        first = false;
    }
    open.iter().try_for_each(|_| out.write_char(')'))
}
