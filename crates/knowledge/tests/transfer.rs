//! Signatures and transfer: copies are recognised whatever their names and the order of clauses.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

use std::collections::HashMap;
use std::sync::Arc;

use ludex_game::Game;
use ludex_gdl::{Source, parse, scramble};
use ludex_knowledge::{
    FeatureSet, Likeness, Measurements, Phase, PlayLimits, Scratch, Signature, TransferStore, Understanding,
    Weights,
};
use ludex_testkit::{game, game_from, text};

fn signature(game: &Arc<dyn Game>) -> Signature {
    Signature::of(game.model().expect("a model").rules())
}

/// Other names, and the clauses in another order: roles stay in theirs, because seats follow it. With
/// the old word of each new one.
fn copy(name: &str) -> (Arc<dyn Game>, HashMap<String, String>) {
    let (tree, _) = parse(&Source::new(name, text(name)));
    let scrambled = scramble(&tree, 11);
    let mut clauses: Vec<&str> = scrambled.text.lines().collect();
    let (roles, mut rest): (Vec<&str>, Vec<&str>) =
        clauses.drain(..).partition(|clause| clause.starts_with("(role "));
    rest.reverse();
    let lower = |(new, old): &(String, String)| (new.to_lowercase(), old.to_lowercase());
    let words = scrambled.map.iter().map(lower).collect();
    (game_from(&[roles, rest].concat().join("\n"), "batch"), words)
}

const GAMES: [&str; 8] = [
    "breakthrough",
    "checkers",
    "chinese_checkers_2",
    "connect_four",
    "eight_puzzle",
    "othello",
    "skirmish",
    "tic_tac_toe",
];

#[test]
fn copies_have_the_same_signature_and_other_games_have_not() {
    let mut seen: HashMap<u64, &str> = HashMap::new();
    for name in GAMES {
        let original = signature(&game(name, "batch"));
        let copied = signature(&copy(name).0);
        assert_eq!((original.exact, original.family), (copied.exact, copied.family), "{name}");
        assert_eq!(seen.insert(original.exact, name), None, "{name}");
    }
}

/// Boards of other sizes differ in tables; one more rule is another family.
#[test]
fn larger_boards_are_of_one_family() {
    let of = |name: &str| signature(&game(name, "batch"));
    let (large, small) = (of("breakthrough"), of("breakthrough_small"));
    assert_eq!(large.family, small.family);
    assert_ne!(large.exact, small.exact);
    assert_ne!(large.family, of("breakthrough_suicide").family);
    assert_ne!(large.family, of("checkers").family);
}

fn measured(game: &Arc<dyn Game>, games: usize) -> (FeatureSet, Measurements) {
    let understood = Understanding::of(&**game, &PlayLimits { games, ..PlayLimits::default() }).unwrap();
    let set = FeatureSet::new(game, &understood);
    let mut measured = Measurements::new(&set, game.role_count());
    for played in &understood.games {
        measured.add(&set, played, &mut Scratch::default());
    }
    (set, measured)
}

fn sums(measured: &Measurements) -> Vec<Weights> {
    let of_role =
        |role| [measured.by_regression(role, Phase::Early), measured.by_regression(role, Phase::Late)];
    (0..2).flat_map(of_role).collect()
}

fn groups(game: &Arc<dyn Game>) -> Vec<Option<&str>> {
    game.roles().iter().flat_map(|role| [Some(role.as_str()); 2]).collect()
}

#[test]
fn a_scrambled_copy_starts_with_what_was_learned() {
    let original = game("breakthrough", "batch");
    let (set, taught) = measured(&original, 60);
    let weights = sums(&taught);
    let store = TransferStore::in_memory();
    assert!(store.find(&signature(&original), &set, &groups(&original)).is_none());
    store.keep(&signature(&original), &set, &groups(&original), &weights, 60).unwrap();
    let (copy, words) = copy("breakthrough");
    let (copied, _) = measured(&copy, 2);
    let found = store.find(&signature(&copy), &copied, &groups(&copy)).expect("the copy is known");
    assert_eq!((found.likeness, found.games), (Likeness::Exact, 60));
    let mut compared = 0;
    for (at, feature) in copied.features().iter().enumerate() {
        let old = |word: &str| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            let known = words.get(&bare.to_lowercase()).map_or(bare, String::as_str);
            word.replace(bare, known)
        };
        let name: Vec<String> = feature.name.split(' ').map(old).collect();
        let name = name.join(" ");
        // Classes of cells are named after the first cell that the sheet names.
        if name.contains("cells like") {
            continue;
        }
        let original = set.features().iter().position(|feature| feature.name == name).expect(&name);
        for (sum, learned) in weights.iter().zip(&found.weights) {
            let learned = learned[at].expect("every feature is found again");
            assert!((learned - sum.weights[original]).abs() < 1e-9, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
    // Less experience does not replace more.
    store.keep(&signature(&copy), &copied, &groups(&copy), &weights, 3).unwrap();
    assert_eq!(store.find(&signature(&original), &set, &groups(&original)).unwrap().games, 60);
    assert!(store.find(&signature(&game("checkers", "batch")), &set, &groups(&original)).is_none());
}

#[test]
fn a_larger_board_starts_from_the_smaller_one() {
    let small = game("breakthrough_small", "batch");
    let (set, taught) = measured(&small, 60);
    let folder = std::env::temp_dir().join(format!("ludex-transfer-{}", std::process::id()));
    let store = TransferStore::open(&folder).unwrap();
    store.keep(&signature(&small), &set, &groups(&small), &sums(&taught), 60).unwrap();
    let store = TransferStore::open(&folder).unwrap();
    std::fs::remove_file(&folder).unwrap();
    let large = game("breakthrough", "batch");
    let (features, _) = measured(&large, 2);
    let found = store.find(&signature(&large), &features, &groups(&large)).expect("the family is known");
    assert_eq!((found.likeness, found.games), (Likeness::Family, 60));
    let at = features.features().iter().position(|f| f.name == "pawn white: furthest by `up`").unwrap();
    let other = set.features().iter().position(|f| f.name == "pawn white: furthest by `up`").unwrap();
    assert_eq!(found.weights[1][at], Some(sums(&taught)[1].weights[other]));
}
