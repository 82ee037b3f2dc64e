//! UCB1 applied to trees (UCT): selects the move with the highest upper confidence bound.
//!
//! # What it does
//! `a* = argmax Q(s,a) + C_p √(ln N(s) / N(s,a))`: the mean return of a move, plus a bonus that
//! grows while other moves are tried. Untried moves come first; the playout policy chooses among
//! them. Ties are broken at random.
//!
//! # Parameters
//! `C_p` (40 on the scale of goals, 0 to 100): higher explores more.
//!
//! # References
//! L. Kocsis, C. Szepesvári, Bandit based Monte-Carlo planning, ECML 2006; H. Finnsson,
//! CADIA-Player, 2007, section 4.1 and algorithm 5.
//!
//! # Status
//! Default.

use super::argmax::ArgMax;
use crate::memory::Edge;

/// The edge with the highest bound; none if an edge is unvisited.
#[inline(always)]
pub(crate) fn ucb1(
    edges: &[Edge],
    node_visits: u32,
    exploration: f64,
    random: &mut fastrand::Rng,
) -> Option<usize> {
    #[allow(clippy::cast_precision_loss, reason = "a logarithm of it needs no more")]
    let log = (node_visits.max(1) as f32).ln();
    #[allow(clippy::cast_possible_truncation, reason = "bounds need no more than single precision")]
    let exploration = exploration as f32;
    let mut best = ArgMax::above(f32::NEG_INFINITY);
    for (edges, first) in edges.chunks(UNROLL).zip((0..).step_by(UNROLL)) {
        let (mut visits, mut totals) = ([1.0f32; UNROLL], [0.0f32; UNROLL]);
        for ((visits, total), edge) in visits.iter_mut().zip(&mut totals).zip(edges) {
            if edge.visits == 0 {
                return None;
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as above")]
            let numbers = (edge.visits as f32, edge.total as f32);
            (*visits, *total) = numbers;
        }
        // total / n + C √(log / n)
        let bound = |at: usize| (totals[at] + exploration * (log * visits[at]).sqrt()) / visits[at];
        let bounds: [f32; UNROLL] = std::array::from_fn(bound);
        for (at, &bound) in bounds.iter().enumerate().take(edges.len()) {
            best.consider(first + at, bound, random);
        }
    }
    Some(best.index())
}

/// Edges per vectorized block: square roots and divisions take most of the time of a selection
/// step.
const UNROLL: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn ucb1(visits: &[u32], totals: &[f64], all: u32, c: f64, random: &mut fastrand::Rng) -> Option<usize> {
        let edges: Vec<Edge> = visits.iter().zip(totals).map(|(&v, &t)| Edge::new(v, t)).collect();
        super::ucb1(&edges, all, c, random)
    }

    /// By hand: ln 10 = 2.302585; bounds 50 + 40 √(2.302585/8) = 71.46 and 40 + 40 √(2.302585/2) =
    /// 82.92.
    #[test]
    fn the_bound_is_that_of_algorithm_5() {
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(ucb1(&[8, 2], &[400.0, 80.0], 10, 40.0, &mut random), Some(1));
        // 50 + 10 √(…/8) = 55.4 and 40 + 10 √(…/2) = 50.7.
        assert_eq!(ucb1(&[8, 2], &[400.0, 80.0], 10, 10.0, &mut random), Some(0));
        assert_eq!(ucb1(&[8, 0], &[400.0, 0.0], 8, 40.0, &mut random), None, "one is untried");
    }

    #[test]
    fn ties_are_broken_uniformly() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut seen = [0u32; 4];
        for _ in 0..4000 {
            let chosen = ucb1(&[3, 3, 9, 3], &[30.0, 30.0, 9.0, 30.0], 18, 40.0, &mut random);
            seen[chosen.unwrap()] += 1;
        }
        assert_eq!(seen[2], 0);
        assert!([0, 1, 3].iter().all(|&at| (1200..1470).contains(&seen[at])), "{seen:?}");
    }
}
