//! What a tree search remembers.

mod keep;
mod later;
mod table;
mod tree;

pub(crate) use later::Later;
pub(crate) use table::Table;
pub(crate) use tree::{Edge, Kind, NodeId, Tree};
