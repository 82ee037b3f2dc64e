//! The range of returns that a search has seen, by which the exploration constant is scaled.
//!
//! `C` is meant for returns that differ by the whole range of goals. In a game whose goals are all
//! between 40 and 60 it would drown the differences; so it is multiplied by the share of the range
//! that means of leaves have filled so far, at least a tenth of it.

use crate::utility::Utility;

/// Below this, noise would decide.
const LEAST_SCALE: f64 = 0.1;

/// Lowest and highest return by role.
#[derive(Clone, Debug, Default)]
pub(super) struct ReturnsSeen {
    /// Empty if constants are not scaled.
    ranges: Vec<(f64, f64)>,
    scales: Vec<f64>,
}

impl ReturnsSeen {
    pub(super) fn new(utility: &Utility, is_on: bool) -> Self {
        let roles = utility.roles();
        let ranges = if is_on { vec![(f64::INFINITY, f64::NEG_INFINITY); roles] } else { Vec::new() };
        Self { ranges, scales: vec![1.0; roles] }
    }

    /// Notes the mean goals of a leaf.
    pub(super) fn note(&mut self, utility: &Utility, goals: &[f64]) {
        for (role, range) in self.ranges.iter_mut().enumerate() {
            let value = utility.of(goals, role);
            if value < range.0 || value > range.1 {
                *range = (range.0.min(value), range.1.max(value));
                let (lowest, highest) = utility.range(role);
                let share = (range.1 - range.0) / (highest - lowest).max(1.0);
                self.scales[role] = share.clamp(LEAST_SCALE, 1.0);
            }
        }
    }

    /// The factor of the exploration constant of a role.
    #[inline(always)]
    pub(super) fn scale(&self, role: usize) -> f64 {
        self.scales[role]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_follows_the_range() {
        let utility = Utility::new(&["a", "b"]);
        let mut seen = ReturnsSeen::new(&utility, true);
        assert!((seen.scale(0) - 1.0).abs() < 1e-12, "nothing is known");
        seen.note(&utility, &[50.0, 50.0]);
        assert!((seen.scale(0) - LEAST_SCALE).abs() < 1e-12);
        seen.note(&utility, &[75.0, 25.0]);
        assert!((seen.scale(0) - 0.25).abs() < 1e-12, "from 0 to 50 of -100 to 100");
        seen.note(&utility, &[0.0, 100.0]);
        seen.note(&utility, &[100.0, 0.0]);
        assert!((seen.scale(1) - 1.0).abs() < 1e-12);
        let mut off = ReturnsSeen::new(&utility, false);
        off.note(&utility, &[50.0, 50.0]);
        assert!((off.scale(0) - 1.0).abs() < 1e-12);
    }
}
