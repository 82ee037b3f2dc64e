//! Several threads search together (Finnsson 2007, section 4.4; T. Cazenave, N. Jouandeau, On the parallelization of UCT,
//! 2007; G. Chaslot, M. Winands, J. van den Herik, Parallel Monte-Carlo tree search, 2008).

pub(crate) mod leaf;
pub(crate) mod root;
mod threads;
pub(crate) mod tree;

use crate::search::{Search, SearchContext};
use crate::uct::{Uct, UctOptions};
use root::RootParallel;

/// How threads share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// One tree that all threads walk through and add to (`tree.rs`).
    Tree,
    /// One thread has the tree; playouts are handed to the others (`leaf.rs`).
    Leaf,
    /// A tree for each thread; the statistics of the roots are added up in the end (`root.rs`).
    Root,
    /// The same, and the statistics of the roots are exchanged meanwhile.
    RootMerged,
}

/// Tree search with as many threads as the seat has.
pub fn tree_search(context: SearchContext, options: UctOptions) -> Box<dyn Search> {
    match options.parallel {
        Parallel::Root | Parallel::RootMerged if context.threads > 1 => {
            Box::new(RootParallel::new(&context, options))
        }
        _ => Box::new(Uct::new(context, options)),
    }
}
