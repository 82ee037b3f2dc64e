//! UCB1 in trees: the move with the highest upper confidence bound.
//!
//! # What it does
//! `a* = argmax Q(s,a) + C_p √(ln N(s) / N(s,a))`: the mean return of a move, and a bonus that grows while
//! others are tried. Moves that were never tried come first; which of them is up to the playout policy. Among equals chance
//! decides.
//!
//! # Parameters
//! `C_p` (40 on the scale of goals, 0 to 100): higher explores more.
//!
//! # References
//! L. Kocsis, C. Szepesvári, Bandit based Monte-Carlo planning, ECML 2006; H. Finnsson, CADIA-Player, 2007,
//! section 4.1 and algorithm 5.
//!
//! # Status
//! Default.

/// The edge with the highest bound; all must have been visited.
#[inline(always)]
pub(crate) fn ucb1(
    visits: &[u32],
    totals: &[f64],
    node_visits: u32,
    exploration: f64,
    random: &mut fastrand::Rng,
) -> usize {
    #[allow(clippy::cast_possible_truncation, reason = "bounds need no more than single precision")]
    let (log, exploration) = (f64::from(node_visits.max(1)).ln() as f32, exploration as f32);
    let (mut best, mut at, mut equals) = (f32::NEG_INFINITY, 0, 1u32);
    // Bounds of several edges at once, then the best of them: the first loop becomes vector instructions.
    let mut bounds = [0f32; WIDE];
    for (first, (visits, totals)) in (0..).step_by(WIDE).zip(visits.chunks(WIDE).zip(totals.chunks(WIDE))) {
        for ((bound, &visits), &total) in bounds.iter_mut().zip(visits).zip(totals) {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_possible_wrap,
                clippy::cast_precision_loss,
                reason = "visits are below 2^31: playouts are not that fast"
            )]
            let (visits, total) = (visits as i32 as f32, total as f32);
            // total / n + C √(log / n)
            *bound = (total + exploration * (log * visits).sqrt()) / visits;
        }
        for (edge, &bound) in (first..).zip(&bounds[..visits.len()]) {
            if bound > best {
                (best, at, equals) = (bound, edge, 1);
            } else if bound == best {
                equals += 1;
                if random.u32(..equals) == 0 {
                    at = edge;
                }
            }
        }
    }
    at
}

/// Edges that are looked at together.
const WIDE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: ln 10 = 2.302585; bounds 50 + 40 √(2.302585/8) = 71.46 and 40 + 40 √(2.302585/2) = 82.92.
    #[test]
    fn it_is_the_rule_of_algorithm_5() {
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(ucb1(&[8, 2], &[400.0, 80.0], 10, 40.0, &mut random), 1);
        // 50 + 10 √(…/8) = 55.4 and 40 + 10 √(…/2) = 50.7.
        assert_eq!(ucb1(&[8, 2], &[400.0, 80.0], 10, 10.0, &mut random), 0);
    }

    #[test]
    fn chance_decides_among_equals() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut seen = [0u32; 4];
        for _ in 0..4000 {
            seen[ucb1(&[3, 3, 9, 3], &[30.0, 30.0, 9.0, 30.0], 18, 40.0, &mut random)] += 1;
        }
        assert_eq!(seen[2], 0);
        assert!([0, 1, 3].iter().all(|&at| (1200..1470).contains(&seen[at])), "{seen:?}");
    }
}
