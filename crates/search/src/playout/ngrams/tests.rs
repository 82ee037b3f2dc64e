//! Tests of [`super::Ngrams`].

use ludex_game::{Choices, RoleId};

use super::super::context::pad_context;
use super::super::lane_sampler::{LaneSampler, NgramTerms, SamplingTerms};
use super::super::packed_mean::fixed;
use super::super::sampling::Sampling;
use super::super::unseen::HIGHEST_SCORE;
use super::*;

fn score_of(ngrams: &Ngrams, role: usize, context: NgramContext, id: u32) -> f32 {
    let mut scores = Vec::new();
    ngrams.scores(role, context, &[MoveId(id)], HIGHEST_SCORE, &mut scores);
    scores[0]
}

/// Learns from a whole path.
fn learn(ngrams: &mut Ngrams, path: &[MoveId], playouts: u32, goals: &[f64]) {
    let mut moves = Vec::new();
    pad_context(path, ngrams.roles.len(), &mut moves);
    ngrams.learn(Sequence::published(&moves), playouts, goals);
}

/// Tables in which all these moves were unforced.
fn with_choices(roles: usize, k: u64, moves: u32) -> Ngrams {
    let mut ngrams = Ngrams::new(roles, k);
    let moves: Vec<MoveId> = (0..moves).map(MoveId).collect();
    (0..roles).for_each(|role| ngrams.mark_unforced(role, &moves));
    ngrams
}

/// Count and mean of a bigram.
fn pair(grams: &RoleNgrams, before: u32, id: u32) -> (u32, u32) {
    match &grams.bigrams {
        Bigrams::Matrix(rows) => {
            let entry = rows[before as usize * grams.moves + id as usize];
            (entry & COUNT_MASK, mean(entry))
        }
        Bigrams::Hashed(_) => panic!("there are few moves"),
    }
}

fn triple(grams: &RoleNgrams, before: u32, between: u32, id: u32) -> Option<u32> {
    let (_, trigrams) = grams.context_keys(NgramContext { before, last: between });
    grams.trigrams.look_up(trigrams.wrapping_add(last(id)), 1)
}

/// A turn-taking game with two roles: the N-grams of the example in figure 2, where 0 is the
/// no-op: role 0 plays 1, 0, 3; role 1 plays 0, 2, 0.
#[test]
fn ngrams_are_those_of_the_paper() {
    let mut ngrams = with_choices(2, 1, 4);
    let moves = [1, 0, 0, 2, 3, 0].map(MoveId);
    learn(&mut ngrams, &moves, 1, &[80.0, 20.0]);
    let of = |role: usize| &ngrams.roles[role];
    let seen = |role: usize| -> Vec<usize> {
        let means = of(role).unigrams.iter().enumerate();
        means.filter(|(_, entry)| **entry & COUNT_MASK > 0).map(|(at, _)| at).collect()
    };
    // Unigrams: each role's own moves.
    assert_eq!(seen(0), [0, 1, 3]);
    assert_eq!(seen(1), [0, 2]);
    assert_eq!(of(1).unigrams[0], fixed(20.0) << 16 | 2);
    // Bigrams of role 0 begin with a move of role 1: (0, 0) and (2, 3). Bigrams of role 1 begin
    // with a move of role 0: (1, 2) and (0, 0).
    let pairs = |role: usize| -> Vec<(u32, u32)> {
        let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
        all.filter(|&(a, b)| pair(of(role), a, b).0 > 0).collect()
    };
    assert_eq!(pairs(0), [(0, 0), (2, 3)]);
    assert_eq!(pairs(1), [(0, 0), (1, 2)]);
    // With two roles, trigrams begin with a move of the role itself: (1, 2, 3) and (0, 0, 0).
    let triples = |role: usize| of(role).trigrams.0.iter().filter(|entry| **entry != 0).count();
    assert_eq!((triples(0), triples(1)), (1, 1));
    assert_eq!(triple(of(0), 1, 2, 3), Some(fixed(80.0)));
    assert_eq!(triple(of(0), 2, 1, 3), None);
}

/// Learning the path to a leaf once for all its playouts, and the rest from each playout,
/// equals learning every whole simulation.
#[test]
fn a_path_counts_once_per_playout() {
    let (mut whole, mut parts) = (with_choices(2, 1, 4), with_choices(2, 1, 4));
    let moves = [1, 0, 0, 2, 3, 0, 0, 1].map(MoveId);
    for goals in [[100.0, 0.0], [0.0, 100.0], [50.0, 50.0], [100.0, 0.0]] {
        learn(&mut whole, &moves, 1, &goals);
        // Two steps lead to the leaf.
        parts.learn(Sequence::published(&moves), 1, &goals);
    }
    learn(&mut parts, &moves[..4], 4, &[62.5, 37.5]);
    for (whole, parts) in whole.roles.iter().zip(&parts.roles) {
        for id in 0..4 {
            let (a, b) = (whole.unigrams[id], parts.unigrams[id]);
            assert_eq!(a & COUNT_MASK, b & COUNT_MASK);
            assert!(mean(a).abs_diff(mean(b)) < 5);
            for before in 0..4 {
                let of = |grams: &RoleNgrams| pair(grams, before, u32::try_from(id).unwrap());
                assert_eq!(of(whole).0, of(parts).0);
                assert!(of(whole).1.abs_diff(of(parts).1) < 5);
            }
        }
    }
}

#[test]
fn forced_moves_are_not_learned() {
    let mut ngrams = Ngrams::new(1, 1);
    ngrams.mark_unforced(0, &[MoveId(1), MoveId(2)]);
    learn(&mut ngrams, &[0, 1, 0, 2].map(MoveId), 1, &[100.0]);
    let seen: Vec<u32> = ngrams.roles[0].unigrams.iter().map(|entry| entry & COUNT_MASK).collect();
    assert_eq!(seen[..4], [0, 1, 1, 0]);
    assert_eq!(pair(&ngrams.roles[0], 0, 2).0, 1, "it is still a context");
}

#[test]
fn rare_sequences_do_not_count_and_unseen_moves_count_most() {
    let mut ngrams = Ngrams::new(2, 2);
    let context = NgramContext { before: 5, last: 6 };
    assert_eq!(score_of(&ngrams, 0, context, 7), HIGHEST_SCORE);
    ngrams.roles[0].add(NgramContext { before: 1, last: 1 }, MoveId(7), 1, fixed(10.0));
    ngrams.roles[0].add(context, MoveId(7), 1, fixed(40.0));
    assert!((score_of(&ngrams, 0, context, 7) - 25.0).abs() < 1e-2, "both pairs were seen once only");
    ngrams.roles[0].add(context, MoveId(7), 1, fixed(100.0));
    // Unigram: (10 + 40 + 100) / 3 = 50; bigram and trigram: 70.
    let expected = (50.0 + 70.0 + 70.0) / 3.0;
    assert!((score_of(&ngrams, 0, context, 7) - expected).abs() < 1e-2);
    assert_eq!(score_of(&ngrams, 0, context, 8), HIGHEST_SCORE);
    for last in [NO_MOVE, 900] {
        let alone = score_of(&ngrams, 0, NgramContext { before: NO_MOVE, last }, 7);
        assert!((alone - 50.0).abs() < 1e-2, "{alone}: {last} was never seen");
    }
}

/// Bigrams survive growing and the change from a matrix to a hash table.
#[test]
fn pairs_stay_when_there_are_more_moves() {
    let mut ngrams = Ngrams::new(1, 1);
    let context = NgramContext { before: NO_MOVE, last: 2 };
    ngrams.roles[0].add(context, MoveId(3), 1, fixed(10.0));
    ngrams.roles[0].add(NgramContext { before: NO_MOVE, last: 1 }, MoveId(3), 1, fixed(40.0));
    let before = score_of(&ngrams, 0, context, 3);
    assert!((before - f32::midpoint(25.0, 10.0)).abs() < 1e-2);
    for id in [100, 5000] {
        ngrams.roles[0].add(NgramContext { before: NO_MOVE, last: 0 }, MoveId(id), 1, fixed(70.0));
        assert_eq!(score_of(&ngrams, 0, context, 3), before, "{id}");
    }
    assert!(matches!(ngrams.roles[0].bigrams, Bigrams::Hashed(_)), "there are too many moves for a matrix");
    let there = score_of(&ngrams, 0, NgramContext { before: NO_MOVE, last: 0 }, 5000);
    assert!((there - 70.0).abs() < 1e-2, "{there}");
}

/// The lane sampler uses the same scores as [`Ngrams::scores`].
#[test]
fn the_best_has_the_best_score() {
    let mut random = fastrand::Rng::with_seed(3);
    for moves in [8u32, 2000] {
        let mut ngrams = with_choices(1, 2, moves);
        for _ in 0..3000 {
            let few = |random: &mut fastrand::Rng| random.u32(..moves.min(12));
            let context = NgramContext { before: few(&mut random), last: few(&mut random) };
            let id = MoveId(if moves > 12 { moves - 1 - few(&mut random) } else { few(&mut random) });
            ngrams.roles[0].add(context, id, 1, fixed(random.f64() * 100.0));
        }
        let all: Vec<MoveId> = (0..moves).map(MoveId).filter(|id| id.0 < 12 || id.0 + 12 >= moves).collect();
        let choices = Choices::of_one(RoleId::new(0), &all);
        let (grams, k) = ngrams.of(0);
        let unigrams: Vec<u32> = all.iter().map(|&id| grams.unigram(id)).collect();
        for _ in 0..200 {
            let context = NgramContext { before: random.u32(..8), last: random.u32(..8) };
            let (last, before) = ([MoveId(context.last)], [MoveId(context.before)]);
            let terms = SamplingTerms {
                choice: Sampling::EpsilonGreedy(0.0),
                replies: &[],
                unigrams: &unigrams,
                ngrams: Some(NgramTerms { grams, k, last: &last, before: &before }),
            };
            let mut chosen = Vec::new();
            LaneSampler::default().choose(&choices, &terms, &mut random, &mut chosen);
            let mut scores = Vec::new();
            ngrams.scores(0, context, &all, HIGHEST_SCORE, &mut scores);
            let highest = scores.iter().copied().fold(0.0, f32::max);
            assert_eq!(scores[chosen[0] as usize], highest);
        }
    }
}
