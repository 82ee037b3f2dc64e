//! RAVE, rapid action value estimation: AMAF values stand in for moves with few visits.
//!
//! # What it does
//! `a* = argmax β Q_rave(s,a) + (1 - β) Q(s,a) + C_p √(ln N(s) / N(s,a))`
//! with `β = √(k / (3 N(s) + k))`. `Q` is the mean return of a move as in [`mod@super::ucb1`].
//! `Q_rave` is the mean return of the simulations through `s` in which the role made the move in
//! `s` or at any later time (all moves as first), so it rests on many more simulations, but is
//! biased. Its weight β is 1 in a new node, 1/2 after `k` visits, and goes to 0. Untried moves come
//! first, as in UCB1. Ties are broken at random.
//!
//! # Parameters
//! `k` (option `rave`, 1000; 0 is UCB1): the RAVE equivalence parameter, the number of visits at
//! which both values have the same weight. `C_p` as in UCB1.
//!
//! # Supports
//! Any number of roles, simultaneous moves: every role that chooses in a node has its own
//! statistics.
//!
//! # Differs from the paper
//! Unfinished visits count as losses in both means (virtual loss), so that the leaves of a batch
//! differ. Returns are discounted as if the move had been made in the node.
//!
//! # References
//! S. Gelly, D. Silver, Combining online and offline knowledge in UCT, ICML 2007; H. Finnsson, Y.
//! Björnsson, Learning simulation control in general game-playing agents, AAAI 2010.
//!
//! # Status
//! Optional.

use super::argmax::ArgMax;
use crate::memory::{AmafStats, Edge};

/// The weight β of `Q_rave` in a node with this many visits: `√(k / (3 N + k))`.
#[inline(always)]
fn beta(k: f64, node_visits: u32) -> f64 {
    (k / (3.0 * f64::from(node_visits) + k)).sqrt()
}

/// The edge with the highest bound; none if an edge is unvisited. `amaf` has the simulations that
/// made each move later, but not in this node.
#[inline(always)]
pub(crate) fn rave(
    edges: &[Edge],
    amaf: &[AmafStats],
    node_visits: u32,
    (exploration, k): (f64, f64),
    random: &mut fastrand::Rng,
) -> Option<usize> {
    let log = f64::from(node_visits.max(1)).ln();
    let beta = beta(k, node_visits);
    let mut best = ArgMax::above(f64::NEG_INFINITY);
    for (number, (edge, amaf)) in edges.iter().zip(amaf).enumerate() {
        if edge.visits == 0 {
            return None;
        }
        let visits = f64::from(edge.visits);
        let here = edge.total / visits;
        let anywhere = (edge.total + amaf.total) / (visits + f64::from(amaf.count));
        let bound = beta * anywhere + (1.0 - beta) * here + exploration * (log / visits).sqrt();
        best.consider(number, bound, random);
    }
    Some(best.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(edges: &[(u32, f64)], amaf: &[(u32, f64)], all: u32, c: f64, k: f64) -> Option<usize> {
        let edges: Vec<Edge> = edges.iter().map(|&(visits, total)| Edge::new(visits, total)).collect();
        let amaf: Vec<AmafStats> = amaf.iter().map(|&(count, total)| AmafStats { count, total }).collect();
        rave(&edges, &amaf, all, (c, k), &mut fastrand::Rng::with_seed(1))
    }

    #[test]
    fn beta_decreases_with_visits() {
        assert!((beta(1000.0, 0) - 1.0).abs() < 1e-12);
        // 3 · 1000 + 1000 = 4000, and √(1/4) = 1/2.
        assert!((beta(1000.0, 1000) - 0.5).abs() < 1e-12);
        assert!((beta(1000.0, 33_000) - 0.1).abs() < 1e-12);
    }

    /// Two moves, four visits each, with means 60 and 50 in the node. Made later, the first has
    /// mean 20 over 12 simulations, the second 70 over 4. Together: (240 + 240) / 16 = 30 and (200
    /// + 280) / 8 = 60. With N = 8 and k = 8, β = √(8/32) = 1/2: 45 and 55.
    #[test]
    fn the_bound_follows_its_formula() {
        let (edges, amaf) = ([(4, 240.0), (4, 200.0)], [(12, 240.0), (4, 280.0)]);
        assert_eq!(chosen(&edges, &amaf, 8, 40.0, 8.0), Some(1));
        // With k = 0.01, β = √(0.01/24.01) = 0.02: 59.4 and 50.2.
        assert_eq!(chosen(&edges, &amaf, 8, 40.0, 0.01), Some(0));
        // Bonuses differ with visits: ln 10 = 2.303; β = √(8/38) = 0.459. Both means are 60 and 50.
        // 60 + 40 √(2.303/9) = 80.2, and 50 + 40 √(2.303/1) = 110.7.
        let (edges, amaf) = ([(9, 540.0), (1, 50.0)], [(0, 0.0), (0, 0.0)]);
        assert_eq!(chosen(&edges, &amaf, 10, 40.0, 8.0), Some(1));
        assert_eq!(chosen(&edges, &amaf, 10, 1.0, 8.0), Some(0));
    }

    #[test]
    fn untried_moves_come_first() {
        assert_eq!(chosen(&[(4, 240.0), (0, 0.0)], &[(0, 0.0), (9, 0.0)], 4, 40.0, 1000.0), None);
    }
}
