//! Parallel search: tree, leaf and root parallelization (Finnsson 2007, section 4.4; T. Cazenave,
//! N. Jouandeau, On the parallelization of UCT, 2007; G. Chaslot, M. Winands, J. van den Herik,
//! Parallel Monte-Carlo tree search, 2008).

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
    /// Tree parallelization: all threads search one tree (`tree.rs`).
    Tree,
    /// Leaf parallelization: one thread has the tree, all threads run playouts (`leaf.rs`).
    Leaf,
    /// Root parallelization: each thread has a tree; root statistics are summed at the end
    /// (`root.rs`).
    Root,
    /// The same, and root statistics are also exchanged during the search.
    RootMerged,
}

/// Tree search with the threads of the context.
pub fn tree_search(context: SearchContext, options: UctOptions) -> Box<dyn Search> {
    match options.parallel {
        Parallel::Root | Parallel::RootMerged if context.threads > 1 => {
            Box::new(RootParallel::new(&context, options))
        }
        _ => Box::new(Uct::new(context, options)),
    }
}
