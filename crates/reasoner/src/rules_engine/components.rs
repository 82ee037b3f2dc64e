//! Components: which nodes of a graph lead to each other (Tarjan 1972, with a stack of our own).

/// By node: the number of its component. Components are numbered so that an edge never leads to a
/// higher number.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut number = vec![NEW; edges.len()];
    let mut low = vec![NEW; edges.len()];
    let mut component = vec![NEW; edges.len()];
    let (mut stack, mut count, mut found) = (Vec::new(), 0, 0);
    for start in 0..edges.len() {
        if number[start] != NEW {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some(&mut (node, ref mut at)) = path.last_mut() {
            if number[node] == NEW {
                number[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
            }
            if let Some(&next) = edges[node].get(*at) {
                *at += 1;
                if number[next] == NEW {
                    path.push((next, 0));
                } else if component[next] == NEW {
                    low[node] = low[node].min(number[next]);
                }
                continue;
            }
            path.pop();
            if let Some(&(below, _)) = path.last() {
                low[below] = low[below].min(low[node]);
            }
            if low[node] == number[node] {
                let from = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                for member in stack.drain(from..) {
                    component[member] = found;
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_lead_to_each_other_share_a_component() {
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        let found = components(&edges);
        assert_eq!(found[1], found[2]);
        assert_ne!(found[0], found[1]);
        assert!(found[0] > found[1] && found[1] > found[3]);
        assert!(!found[..4].contains(&found[4]));
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|n| if n > 0 { vec![n - 1] } else { vec![] }).collect();
        assert_eq!(components(&edges).last(), Some(&199_999));
    }
}
