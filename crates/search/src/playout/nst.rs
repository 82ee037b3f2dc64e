//! NST, the N-gram selection technique: scores a move by the moves before it.
//!
//! # What it does
//! `R(S)` is the mean reward of the simulations in which the N-gram `S` of one, two or three
//! consecutive moves occurred (unigram, bigram, trigram), for the role that made the last of them
//! (see [`super::context`] for whose moves the others are). The score of a move is the mean of `R`
//! over the N-grams that it would complete; bigrams and trigrams count only if they occurred at
//! least `k` times. Unseen moves count 100, or see [`super::unseen`]. A move is sampled by score,
//! ε-greedily or by Gibbs measure.
//!
//! # Parameters
//! `k` (7), `epsilon` (0.2), `tau` (10).
//!
//! # References
//! M. Tak, M. Winands, Y. Björnsson, N-grams and the last-good-reply policy applied in general game
//! playing, IEEE TCIAIG 2012, IV-B.
//!
//! # Status
//! Optional.

use super::ngrams::Ngrams;
use super::sampling::Sampling;
use super::score_policy::{ScorePolicy, Scores};

/// The NST strategy.
pub(crate) fn nst(roles: usize, k: u64, choice: Sampling) -> ScorePolicy {
    ScorePolicy::new(roles, Scores::Ngrams(Ngrams::new(roles, k)), choice)
}
