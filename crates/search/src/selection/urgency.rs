//! UCB1 with first-play urgency, and the variance bound of UCB1-tuned.
//!
//! # What it does
//! `a* = argmax Q(s,a) + C √(ln N(s) / N(s,a))` as in [`mod@super::ucb1`], but an untried move has
//! the bound `Q(s) + u`: the mean return of the node plus the urgency. So where moves are many, good
//! ones are visited again before all others are tried once.
//!
//! UCB1-tuned has `C √(4 min(1/4, V) ln N(s) / N(s,a))` with `V = σ² + √(2 ln N(s) / N(s,a))`. The
//! variance σ² of returns between `l` and `h` with the mean Q is at most `(Q - l)(h - Q)`, which it
//! is if there are only wins and losses; so no sum of squares has to be stored.
//!
//! # Parameters
//! `C` (option `c`), `u` (option `fpu`) on the scale of goals.
//!
//! # References
//! S. Gelly, Y. Wang, Exploration exploitation in Go: UCT for Monte-Carlo Go, 2006 (first-play
//! urgency); P. Auer, N. Cesa-Bianchi, P. Fischer, Finite-time analysis of the multiarmed bandit
//! problem, 2002 (UCB1-tuned).
//!
//! # Status
//! Options of every tree search.

use super::argmax::ArgMax;
use crate::memory::Edge;

/// What the bounds depend on, beside the statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UrgentUcb {
    /// Exploration constant C.
    pub exploration: f64,
    /// Bonus of untried moves.
    pub urgency: f64,
    /// Whether the variance counts.
    pub is_tuned: bool,
    /// The range of returns.
    pub range: (f64, f64),
}

/// The edge with the highest bound; none if an untried move has it.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "bounds need no more")]
#[inline(always)]
pub(crate) fn urgent_ucb(
    edges: &[Edge],
    node_visits: u32,
    rule: &UrgentUcb,
    random: &mut fastrand::Rng,
) -> Option<usize> {
    let log = (node_visits.max(1) as f32).ln();
    let exploration = rule.exploration as f32;
    let (lowest, highest) = (rule.range.0 as f32, rule.range.1 as f32);
    let scale = 1.0 / ((highest - lowest) * (highest - lowest)).max(1e-6);
    let mut best = ArgMax::above(f32::NEG_INFINITY);
    let (mut best_bound, mut sum, mut visits_sum, mut has_untried) = (f32::NEG_INFINITY, 0.0, 0.0, false);
    for (at, edge) in edges.iter().enumerate() {
        if edge.visits == 0 {
            has_untried = true;
            continue;
        }
        let (visits, total) = (edge.visits as f32, edge.total as f32);
        let mean = total / visits;
        let mut bonus = log / visits;
        if rule.is_tuned {
            let variance = (mean - lowest).max(0.0) * (highest - mean).max(0.0) * scale;
            bonus *= 4.0 * (variance + (2.0 * bonus).sqrt()).min(0.25);
        }
        let bound = mean + exploration * bonus.sqrt();
        best.consider(at, bound, random);
        best_bound = best_bound.max(bound);
        (sum, visits_sum) = (sum + total, visits_sum + visits);
    }
    let urgency = sum / f32::max(visits_sum, 1.0) + rule.urgency as f32;
    (!has_untried || visits_sum > 0.0 && best_bound > urgency).then(|| best.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(edges: &[(u32, f64)], all: u32, c: f64, urgency: f64, is_tuned: bool) -> Option<usize> {
        let edges: Vec<Edge> = edges.iter().map(|&(visits, total)| Edge::new(visits, total)).collect();
        let rule = UrgentUcb { exploration: c, urgency, is_tuned, range: (0.0, 100.0) };
        urgent_ucb(&edges, all, &rule, &mut fastrand::Rng::with_seed(1))
    }

    /// Bounds 50 + 40 √(2.302585/8) = 71.5 and 40 + 40 √(2.302585/2) = 82.9; the mean is 48.
    #[test]
    fn untried_moves_wait_until_others_are_worse() {
        assert_eq!(chosen(&[(8, 400.0), (2, 80.0)], 10, 40.0, 10.0, false), Some(1));
        assert_eq!(chosen(&[(8, 400.0), (2, 80.0), (0, 0.0)], 10, 40.0, 34.0, false), Some(1));
        assert_eq!(chosen(&[(8, 400.0), (2, 80.0), (0, 0.0)], 10, 40.0, 36.0, false), None);
        assert_eq!(chosen(&[(0, 0.0), (0, 0.0)], 0, 40.0, 0.0, false), None);
    }

    /// With N = 110,000, ln N = 11.6. Bonuses for C = 200 are 200 √(11.6/100,000) = 2.2 and
    /// 200 √(11.6/10,000) = 6.8: 101.2 and 101.8. In the tuned form V = 0.0099 + 0.0152 and 0.0475 +
    /// 0.0482, so the bonuses are multiplied by √(4 V) = 0.32 and 0.62: 99.7 and 99.2.
    #[test]
    fn the_variance_counts_in_the_tuned_form() {
        let edges = [(100_000, 9_900_000.0), (10_000, 950_000.0)];
        assert_eq!(chosen(&edges, 110_000, 200.0, 0.0, false), Some(1));
        assert_eq!(chosen(&edges, 110_000, 200.0, 0.0, true), Some(0));
        assert_eq!(chosen(&edges, 110_000, 300.0, 0.0, true), Some(1));
    }
}
