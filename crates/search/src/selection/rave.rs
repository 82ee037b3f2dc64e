//! RAVE, rapid action value estimation: while little is known of a move here, what it gave when it was made later counts.
//!
//! # What it does
//! `a* = argmax β Q_rave(s,a) + (1 - β) Q(s,a) + C_p √(ln N(s) / N(s,a))` with `β = √(k / (3 N(s) + k))`. `Q` is the mean
//! return of a move as in [`super::ucb1`]; `Q_rave` is the mean return of the simulations through `s` in which the role
//! made the move in `s` or at any later time (all moves as first), so it is of many more simulations, and biased.
//! It counts fully in a new node, by half after `k` visits, and less and less after that. Moves that were never tried
//! come first, as in UCB1. Among equals chance decides.
//!
//! # Parameters
//! `k` (option `rave`, 1000; 0 is UCB1): visits until both count the same. `C_p` as in UCB1.
//!
//! # Supports
//! Any number of roles, simultaneous moves: every role that chooses in a node has its own statistics.
//!
//! # Differs from the paper
//! Visits that are not back count as losses in both means, so that the leaves of a batch differ. Returns are discounted
//! as if the move had been made in the node.
//!
//! # References
//! S. Gelly, D. Silver, Combining online and offline knowledge in UCT, ICML 2007; H. Finnsson, Y. Björnsson,
//! Learning simulation control in general game-playing agents, AAAI 2010.
//!
//! # Status
//! Optional.

use super::argmax::ArgMax;
use crate::memory::{AmafStats, Edge};

/// How much `Q_rave` counts in a node with this many visits: `√(k / (3 N + k))`.
#[inline(always)]
fn beta(k: f64, node_visits: u32) -> f64 {
    (k / (3.0 * f64::from(node_visits) + k)).sqrt()
}

/// The edge with the highest bound; none if there is one that was never visited. `later` has what each move gave
/// where it was made later, but not here.
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
    fn what_was_made_later_counts_less_and_less() {
        assert!((beta(1000.0, 0) - 1.0).abs() < 1e-12);
        // 3 · 1000 + 1000 = 4000, and √(1/4) = 1/2.
        assert!((beta(1000.0, 1000) - 0.5).abs() < 1e-12);
        assert!((beta(1000.0, 33_000) - 0.1).abs() < 1e-12);
    }

    /// Two moves, four visits each: means 60 and 50 here. Later the first gave 20 on average of 12, the second 70 of 4: anywhere
    /// (240 + 240) / 16 = 30 and (200 + 280) / 8 = 60. With N = 8 and k = 8, β = √(8/32) = 1/2: 45 and 55.
    #[test]
    fn it_is_the_formula() {
        let (edges, amaf) = ([(4, 240.0), (4, 200.0)], [(12, 240.0), (4, 280.0)]);
        assert_eq!(chosen(&edges, &amaf, 8, 40.0, 8.0), Some(1));
        // With k = 0.01, β = √(0.01/24.01) = 0.02: 59.4 and 50.2.
        assert_eq!(chosen(&edges, &amaf, 8, 40.0, 0.01), Some(0));
        // Bonuses differ with visits: ln 10 = 2.303; β = √(8/38) = 0.459. Here 60 and 50; the same anywhere.
        // 60 + 40 √(2.303/9) = 80.2, and 50 + 40 √(2.303/1) = 110.7.
        let (edges, amaf) = ([(9, 540.0), (1, 50.0)], [(0, 0.0), (0, 0.0)]);
        assert_eq!(chosen(&edges, &amaf, 10, 40.0, 8.0), Some(1));
        assert_eq!(chosen(&edges, &amaf, 10, 1.0, 8.0), Some(0));
    }

    #[test]
    fn moves_that_were_never_tried_come_first() {
        assert_eq!(chosen(&[(4, 240.0), (0, 0.0)], &[(0, 0.0), (9, 0.0)], 4, 40.0, 1000.0), None);
    }
}
