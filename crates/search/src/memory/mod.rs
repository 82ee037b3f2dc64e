//! Memory of a tree search: nodes, edges and the transposition table.

mod amaf_stats;
mod blocks;
mod bounds;
mod chains;
mod collect;
mod edges;
mod joint_children;
mod joint_number;
mod reroot;
mod reserve;
mod transposition;
mod tree;

pub(crate) use amaf_stats::AmafStats;
pub(crate) use bounds::Bounds;
pub(crate) use collect::Cut;
pub(crate) use edges::Edge;
pub(crate) use joint_number::JointNumber;
pub(crate) use tree::{NodeId, NodeKind, Tree};
