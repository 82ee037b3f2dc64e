//! Directed graphs over small numbers: strongly connected components and reachability.
//!
//! Written without recursion: a rule sheet can hold a chain of a hundred thousand relations.

/// Successors of every node, packed.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph with `nodes` nodes and these edges; successors keep the order of the edges.
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut fill = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            let at = &mut fill[from as usize];
            targets[*at as usize] = to;
            *at += 1;
        }
        Self { starts, targets }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the edges of a node lead.
    pub fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The strongly connected component of every node (Tarjan, SIAM J. Computing 1972).
    ///
    /// Components are numbered so that edges lead to the same or to a smaller number.
    pub fn components(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let nodes = self.node_count();
        let mut index = vec![NONE; nodes];
        let mut low = vec![0u32; nodes];
        let mut component = vec![NONE; nodes];
        let (mut next_index, mut next_component) = (0, 0);
        let mut open = Vec::new();
        // Node and how many of its successors have been looked at.
        let mut path: Vec<(u32, usize)> = Vec::new();
        for root in 0..u32::try_from(nodes).unwrap_or(NONE) {
            if index[root as usize] != NONE {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (node, ref mut seen)) = path.last_mut() {
                let n = node as usize;
                if *seen == 0 {
                    index[n] = next_index;
                    low[n] = next_index;
                    next_index += 1;
                    open.push(node);
                }
                if let Some(&to) = self.successors(node).get(*seen) {
                    *seen += 1;
                    if index[to as usize] == NONE {
                        path.push((to, 0));
                    } else if component[to as usize] == NONE {
                        low[n] = low[n].min(index[to as usize]);
                    }
                    continue;
                }
                if low[n] == index[n] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = next_component;
                        if member == node {
                            break;
                        }
                    }
                    next_component += 1;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    let p = parent as usize;
                    low[p] = low[p].min(low[n]);
                }
            }
        }
        component
    }

    /// For every node that can be reached from `starts`, the node before it on a shortest way;
    /// a start is its own predecessor.
    pub fn reach(&self, starts: &[u32]) -> Vec<Option<u32>> {
        let mut before = vec![None; self.node_count()];
        let mut queue: Vec<u32> = Vec::new();
        for &start in starts {
            if before[start as usize].replace(start).is_none() {
                queue.push(start);
            }
        }
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            at += 1;
            for &to in self.successors(node) {
                if before[to as usize].is_none() {
                    before[to as usize] = Some(node);
                    queue.push(to);
                }
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_against_the_edges() {
        let graph = Graph::new(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 4)]);
        let c = graph.components();
        assert_eq!(c[1], c[2]);
        assert!(c[0] > c[1] && c[1] > c[3]);
        assert_eq!(c.iter().max(), Some(&3));
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let edges: Vec<_> = (0..200_000).map(|n| (n, n + 1)).collect();
        let graph = Graph::new(200_001, &edges);
        let c = graph.components();
        assert!(c.windows(2).all(|w| w[0] > w[1]));
        assert_eq!(graph.reach(&[0])[200_000], Some(199_999));
    }
}
