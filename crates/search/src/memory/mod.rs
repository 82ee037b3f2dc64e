//! Memory of a tree search: nodes, edges and the transposition table.

mod amaf_stats;
mod bounds;
mod joint_number;
mod reroot;
mod reserve;
mod transposition;
mod tree;

pub(crate) use amaf_stats::AmafStats;
pub(crate) use bounds::Bounds;
pub(crate) use joint_number::JointNumber;
pub(crate) use transposition::TranspositionTable;
pub(crate) use tree::{Edge, NodeId, NodeKind, Tree};
