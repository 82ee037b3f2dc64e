//! LGRF-2, last good reply with forgetting: replies that won against the last two moves are tried
//! again.
//!
//! # What it does
//! Each role has a table of replies to the last move before it, and one of replies to the last two
//! (see [`super::context`]). After a simulation, a role whose reward no other role exceeds stores
//! its moves as replies; any other role forgets those of its moves that are stored. In playouts the
//! reply to two moves is made if it is legal, otherwise the reply to one move, otherwise another
//! strategy chooses.
//!
//! # Differs from the paper
//! The table of replies to two moves has 16,384 places; of two pairs of moves with the same place
//! the newer one is known. Moves in the tree are learned after those of the playout behind them,
//! which only matters where the same move was made in both. Everything else is as in the text: a
//! plain implementation of it, with maps, makes the same moves in the same playouts (a test).
//!
//! # References
//! P. Drake, The last-good-reply policy for Monte-Carlo Go, ICGA Journal 2009; H. Baier, P. Drake,
//! The power of forgetting, IEEE TCIAIG 2010; M. Tak, M. Winands, Y. Björnsson, IEEE TCIAIG 2012,
//! IV-C.
//!
//! # Status
//! Optional.

use super::mast::mast;
use super::nst::nst;
use super::sampling::Sampling;
use super::score_policy::ScorePolicy;

/// LGRF-2, with MAST where there is no reply.
pub(crate) fn lgr_mast(roles: usize, choice: Sampling) -> ScorePolicy {
    mast(roles, choice).with_replies()
}

/// LGRF-2, with NST where there is no reply.
pub(crate) fn lgr_nst(roles: usize, k: u64, choice: Sampling) -> ScorePolicy {
    nst(roles, k, choice).with_replies()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests end by panicking, and say what they saw")]
mod plain;

#[cfg(test)]
mod tests {
    use ludex_game::{Choices, MoveId, RoleId, StepPolicy};

    use super::super::Strategy;
    use super::*;

    const NOOP: MoveId = MoveId(0);
    const A: MoveId = MoveId(1);
    const B: MoveId = MoveId(2);
    const C: MoveId = MoveId(3);
    const D: MoveId = MoveId(4);

    /// White plays D, black replies A and wins. When white plays D again, black plays A if it is
    /// legal, otherwise the best move.
    #[test]
    fn a_good_reply_is_made_again() {
        let learned = |epsilon: f64| {
            let mut policy = lgr_mast(2, Sampling::EpsilonGreedy(epsilon));
            policy.learn(&[D, NOOP, NOOP, A], 1, &[0.0, 100.0]);
            policy.learn(&[C, NOOP, NOOP, B], 1, &[60.0, 40.0]);
            policy.learn(&[C, NOOP, NOOP, C], 1, &[90.0, 10.0]);
            policy
        };
        for (legal, epsilon, expected) in
            [([A, B, C], 1.0, A), ([B, C, D], 0.0, D), ([NOOP, B, C], 0.0, NOOP)]
        {
            let mut policy = learned(epsilon);
            policy.begin(0, 0);
            policy.moved(&[D, NOOP]);
            let mut chosen = Vec::new();
            let choices = Choices::of_one(RoleId::new(1), &legal);
            policy.choose(&choices, 1, &mut chosen);
            assert_eq!(legal[chosen[0] as usize], expected, "unseen moves are the best");
        }
    }
}
