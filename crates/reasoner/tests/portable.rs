//! States and moves go from any engine to any other and stay the same, in all built-in games.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ludex_game::portable::Bits;
use ludex_game::{
    BitState, Game, IdMap, MoveId, NamedMoves, NamedState, NumberedMoves, PortableError, PortableState, State,
};
use ludex_gdl::Rules;
use ludex_reasoner::build;
use ludex_testkit::library as sheets;

/// The states of a random game, and the joint moves that lead from each to the next.
fn random_game(game: &dyn Game, random: &mut fastrand::Rng, steps: usize) -> Vec<(State, Vec<MoveId>)> {
    let (mut path, mut state) = (Vec::new(), game.initial());
    for _ in 0..steps {
        let view = game.view(&state).expect("a view");
        let joint: Option<Vec<MoveId>> =
            view.legal.iter().map(|moves| random.choice(moves).copied()).collect();
        let Some(joint) = joint.filter(|_| !view.terminal) else { break };
        let next = game.next(&state, &joint).expect("a state");
        path.push((std::mem::replace(&mut state, next), joint));
    }
    path.push((state, Vec::new()));
    path
}

#[test]
fn states_and_moves_survive_a_change_of_engine() {
    const ENGINES: [&str; 4] = ["batch", "circuit", "rules", "reference"];
    const STEPS: usize = 12; // enough to leave the opening; the reference is slow in large games
    let (sheets, next) = (sheets(), AtomicUsize::new(0));
    let states = AtomicUsize::new(0);
    let check = |(name, rules): &(&str, Rules)| {
        let games: Vec<Arc<dyn Game>> =
            ENGINES.map(|engine| build(rules.clone(), engine).expect("a game")).to_vec();
        let path = random_game(&*games[0], &mut fastrand::Rng::with_seed(5), STEPS);
        states.fetch_add(path.len(), Ordering::Relaxed);
        for from in &games {
            // The same states, as this engine has them.
            let mut here = IdMap::new(Arc::clone(&games[0]), Arc::clone(from));
            for to in &games {
                let mut ids = IdMap::new(Arc::clone(from), Arc::clone(to));
                for (state, joint) in &path {
                    let state = here.state(state).expect("known facts");
                    let joint: Vec<MoveId> =
                        joint.iter().map(|&id| here.move_id(id).expect("a known move")).collect();
                    let facts = from.describe(&state);
                    let what = format!("{name}, {} to {}", from.engine().name, to.engine().name);
                    let named = NamedState::of(&**from, &state).read(&**to).expect("read by name");
                    assert_eq!(to.describe(&named), facts, "{what}");
                    assert_eq!(ids.state(&state).as_ref(), Ok(&named), "{what}");
                    let moves = NamedMoves::of(&**from, &joint).read(&**to).expect("moves by name");
                    let mapped: Result<Vec<_>, _> = joint.iter().map(|&id| ids.move_id(id)).collect();
                    assert_eq!(mapped.as_ref(), Ok(&moves), "{what}");
                    let grounded = |game: &dyn Game| game.model().is_some_and(|m| m.ground().is_some());
                    match (BitState::of(&**from, &state), grounded(&**to)) {
                        (Ok(bits), true) => {
                            assert_eq!(bits.read(&**to), Ok(named), "{what}");
                            let numbers = NumberedMoves::of(&**from, &joint).expect("numbers");
                            assert_eq!(numbers.read(&**to), Ok(moves), "{what}");
                        }
                        (Ok(bits), false) => {
                            let refused = Err(PortableError::NoGroundModel(to.engine().name));
                            assert_eq!(bits.read(&**to), refused);
                        }
                        (Err(error), _) => {
                            assert_eq!(error, PortableError::NoGroundModel(from.engine().name));
                        }
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(sheet) = sheets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(sheet);
                }
            });
        }
    });
    assert!(states.into_inner() > 600, "most games last longer than half of that");
}

/// Any bits of the right length are a state that can be asked about; others are refused.
#[test]
fn arbitrary_bits_and_names_are_read_or_refused() {
    let sheets = sheets();
    let named = |wanted: &str| sheets.iter().find(|(name, _)| *name == wanted).expect("a game");
    let mut random = fastrand::Rng::with_seed(11);
    for part in ["tic_tac_toe", "breakthrough"] {
        let game = build(named(part).1.clone(), "batch").expect("a game");
        let reference = build(named(part).1.clone(), "reference").expect("a game");
        let good = BitState::of(&*game, &game.initial()).expect("bits");
        let (mut read, bytes) = (0, good.bits.0.len());
        for _ in 0..500 {
            let count = if random.bool() { bytes } else { random.usize(..2 * bytes) };
            let any: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(count).collect();
            let portable = BitState { bits: Bits(any), ..good.clone() };
            match portable.read(&*game) {
                Ok(state) => {
                    read += 1;
                    assert_eq!(BitState::of(&*game, &state).as_ref(), Ok(&portable));
                    game.view(&state).expect("a view");
                    game.goals(&state).expect("goals");
                }
                Err(PortableError::Length { found, .. }) => assert_eq!(found, count),
                Err(error) => assert!(matches!(error, PortableError::UnknownFact(_)), "{error}"),
            }
        }
        assert!(read > 0, "{part}");
        // Names with bytes that do not belong there.
        for _ in 0..500 {
            let mut state = NamedState::of(&*game, &game.initial());
            let at = random.usize(..state.facts.len());
            let mut letters: Vec<char> = state.facts[at].chars().collect();
            let place = random.usize(..letters.len());
            letters[place] = *random.choice(&['(', ')', ' ', ';', '?', '\u{0}', 'ü', '1', 'z']).expect("one");
            state.facts[at] = letters.into_iter().collect();
            for game in [&game, &reference] {
                if let Err(error) = PortableState::Names(state.clone()).read(&**game) {
                    assert_eq!(error, PortableError::UnknownFact(state.facts[at].clone()));
                }
            }
        }
    }
}
