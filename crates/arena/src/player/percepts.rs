//! Percepts instead of moves: some managers treat every match as one in GDL-II and tell a player
//! what it perceives, not what everyone did.
//!
//! Percepts `(did role move)` for all roles are the joint move. With other percepts only the own
//! move of a step is known, and what `did` percepts tell of others. Then the player goes on in one
//! history that fits what is known, chosen at random: the answer is a legal move there. (A single
//! sample of the information set; a search over many samples would be determinization.)

use std::time::Instant;

use ludex_engine::History;
use ludex_game::{Game, MoveId, State};

use crate::protocol::{inside, pieces};

/// Random histories that are tried at most before the longest that fits is taken.
const TRIES: usize = 200;

/// What is known of a joint move: by role, none where unknown.
pub(super) type KnownStep = Vec<Option<String>>;

/// The moves that percepts tell. Roles in any letter case; other percepts say nothing here.
pub(super) fn told(percepts: &[String], roles: &[String]) -> KnownStep {
    let mut step: KnownStep = vec![None; roles.len()];
    for percept in percepts {
        let Some(Ok(parts)) = inside(percept).map(pieces) else { continue };
        let [word, role, made] = parts[..] else { continue };
        let seat = roles.iter().position(|known| known.eq_ignore_ascii_case(role));
        if let (true, Some(seat)) = (word.eq_ignore_ascii_case("did"), seat) {
            step[seat] = Some(made.to_owned());
        }
    }
    step
}

/// A history that begins with what is certain and agrees with what is known of the steps behind it.
/// If none is found by the deadline: the longest beginning of one.
pub(super) fn guess(
    game: &dyn Game,
    certain: &History,
    steps: &[KnownStep],
    seed: u64,
    deadline: Instant,
) -> History {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut longest = certain.clone();
    let Some(start) = follow(game, certain) else { return longest };
    for _ in 0..TRIES {
        let mut history = certain.clone();
        let mut state = start.clone();
        for step in steps {
            let Some((joint, next)) = one_step(game, &state, step, &mut random) else { break };
            // The match goes on: a history in which it is over is wrong.
            if game.view(&next).map_or(true, |view| view.terminal) {
                break;
            }
            history.push(joint);
            state = next;
        }
        if history.len() > longest.len() {
            longest = history;
        }
        if longest.len() == certain.len() + steps.len() || Instant::now() >= deadline {
            break;
        }
    }
    longest
}

/// The state behind a history; none if the rules do not allow it.
fn follow(game: &dyn Game, history: &History) -> Option<State> {
    let mut state = game.initial();
    for joint in history {
        let ids: Option<Vec<MoveId>> = joint.iter().map(|name| game.find_move(name)).collect();
        state = game.next(&state, &ids?).ok()?;
    }
    Some(state)
}

/// A joint move that agrees with what is known, drawn at random, and the state that it leads to.
fn one_step(
    game: &dyn Game,
    state: &State,
    known: &KnownStep,
    random: &mut fastrand::Rng,
) -> Option<(Vec<String>, State)> {
    let view = game.view(state).ok()?;
    let choose = |(legal, known): (&Vec<MoveId>, &Option<String>)| match known {
        Some(name) => game.find_move(name).filter(|id| legal.contains(id)),
        None => random.choice(legal).copied(),
    };
    let joint: Vec<MoveId> = view.legal.iter().zip(known).map(choose).collect::<Option<_>>()?;
    let next = game.next(state, &joint).ok()?;
    Some((joint.into_iter().map(|id| game.move_name(id)).collect(), next))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn did_percepts_are_moves() {
        let roles = words(&["x", "o"]);
        let both = told(&words(&["(DID O NOOP)", "(DID X (MARK 2 2))"]), &roles);
        assert_eq!(both, [Some("(MARK 2 2)".to_owned()), Some("NOOP".to_owned())]);
        assert_eq!(told(&words(&["(did o noop)", "(saw (mark 2 2))"]), &roles), [None, Some("noop".into())]);
        assert_eq!(told(&words(&["(did nobody noop)", "did", "(did)"]), &roles), [None, None]);
    }

    #[test]
    fn guesses_agree_with_what_is_known() {
        let game = ludex_testkit::game("tic_tac_toe", "reference");
        let certain = vec![words(&["(mark 1 1)", "noop"])];
        let steps = vec![
            vec![None, Some("(mark 2 2)".to_owned())],
            vec![None, Some("noop".to_owned())],
            vec![None; 2],
        ];
        for seed in 0..20 {
            let found = guess(&*game, &certain, &steps, seed, Instant::now() + Duration::from_secs(5));
            assert_eq!(found.len(), 4, "{found:?}");
            assert_eq!((&found[0], &found[1]), (&certain[0], &words(&["noop", "(mark 2 2)"])));
            assert!(follow(&*game, &found).is_some(), "{found:?}");
        }
        // What is known cannot be: the longest that can.
        let wrong = vec![vec![None; 2], vec![None, Some("(mark 1 1)".to_owned())]];
        let found = guess(&*game, &certain, &wrong, 1, Instant::now() + Duration::from_secs(5));
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
