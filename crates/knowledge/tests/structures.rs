//! Structures of library games: found whatever the names, and pinned as snapshots.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

use std::collections::HashMap;
use std::fmt::Write;

use ludex_gdl::{Source, parse, scramble};
use ludex_knowledge::{PlayLimits, Role, Shape, Turns, Understanding};
use ludex_testkit::{game, game_from, text};

fn understood(name: &str) -> Understanding {
    Understanding::of(&*game(name, "batch"), &PlayLimits::default()).unwrap()
}

fn largest_board(understood: &Understanding) -> &Shape {
    understood.with_role(Role::Board).max_by_key(|shape| shape.facts).expect("a board")
}

/// Boards, their sizes, and which relations order them.
#[test]
fn boards_are_found() {
    for (name, fluent, size, orders) in [
        ("breakthrough", "pawn", [8, 8], 2),
        ("checkers", "cell", [8, 8], 2),
        ("chess", "cell", [8, 8], 2),
        ("connect_four", "disc", [7, 6], 2),
        ("othello", "disc", [8, 8], 2),
        ("amazons", "cell", [10, 10], 2),
        ("hex", "stone", [9, 9], 2),
        ("tic_tac_toe", "cell", [3, 3], 0),
    ] {
        let understood = understood(name);
        let board = understood.shapes.iter().find(|shape| shape.name == fluent).expect(fluent);
        assert_eq!((board.role, &board.size[..]), (Role::Board, &size[..]), "{name}");
        assert_eq!(board.key, [0, 1], "{name}");
        assert_eq!(board.ordered.iter().filter(|o| board.key.contains(&o.place)).count(), orders, "{name}");
    }
}

#[test]
fn counters_are_found_with_the_relation_they_count_by() {
    for (name, fluent, by) in [
        ("checkers", "step", "follows"),
        ("chess", "step", "follows"),
        ("skirmish", "step", "follows"),
        ("chinese_checkers_2", "step", "follows"),
        ("state_space_small", "depth", "after"),
    ] {
        let understood = understood(name);
        let counter = understood.with_role(Role::StepCounter).next().expect(name);
        assert_eq!((counter.name.as_str(), counter.ordered[0].by.as_str()), (fluent, by), "{name}");
        assert!(understood.successions.iter().any(|found| found.relation == by && !found.is_order));
    }
    let checkers = understood("checkers");
    let pieces = checkers.with_role(Role::Quantity).next().unwrap();
    assert_eq!((pieces.name.as_str(), &pieces.key[..]), ("pieces", &[0][..]));
    assert!(pieces.changes.is_some_and(|changes| changes.falls && !changes.grows));
}

/// Sheets that count steps, of all kinds: the counter and its successor relation are found.
#[test]
fn step_counters_are_found_wherever_they_stand() {
    let names = [
        "blocks_world_serial",
        "maze",
        "tic_tic_toe",
        "runners",
        "beat_mania",
        "asteroids",
        "ghost_maze",
        "bomberman",
        "mummy_maze",
        "snake",
        "pacman",
        "chinese_checkers_3",
        "skirmish_lake",
    ];
    for name in names {
        assert!(text(name).contains("(init (step "), "{name}");
        let limits = PlayLimits { games: 4, steps: 300, ..PlayLimits::default() };
        let understood = Understanding::of(&*game(name, "batch"), &limits).unwrap();
        let counter = understood.with_role(Role::StepCounter).next().expect(name);
        let by = &counter.ordered[0].by;
        let is_known = understood.successions.iter().any(|found| found.relation == *by && !found.is_order);
        assert!(is_known, "{name}");
    }
}

#[test]
fn pieces_have_owners_and_blanks_have_none() {
    let checkers = understood("checkers");
    let owner = |content: &str| {
        let kind = checkers.kinds.iter().find(|kind| kind.content == content).expect(content);
        (kind.owner.clone().unwrap_or_default(), kind.moves, kind.blank, kind.initial)
    };
    assert_eq!(owner("white_man"), ("white".to_owned(), true, false, 12));
    assert_eq!(owner("black_king"), ("black".to_owned(), true, false, 0));
    let chess = understood("chess");
    let unique: Vec<&str> =
        chess.kinds.iter().filter(|kind| kind.is_unique()).map(|kind| kind.content.as_str()).collect();
    assert_eq!(unique, ["white_king", "black_king"]);
    let blanks = |name: &str| -> Vec<String> {
        let kinds = understood(name).kinds.into_iter().filter(|kind| kind.blank);
        kinds.map(|kind| kind.content).collect()
    };
    assert_eq!(blanks("tic_tac_toe"), ["blank"]);
    assert_eq!(blanks("chinese_checkers_2"), ["blank"]);
    assert!(blanks("peg").is_empty(), "most of the board is full");
    assert!(blanks("amazons").is_empty(), "arrows are no empty cells");
}

#[test]
fn turns_are_seen_in_play() {
    assert_eq!(understood("tic_tac_toe").turns, Turns::InTurn(vec!["x".into(), "o".into()]));
    assert_eq!(understood("tic_tac_toe").control.as_deref(), Some("control"));
    assert_eq!(understood("rock_paper_scissors").turns, Turns::AtOnce);
    assert_eq!(understood("peg").turns, Turns::Alone);
}

/// A sheet without any structure, and one that cannot be grounded by this engine.
#[test]
fn sheets_without_structure_say_so() {
    let sheet = "(role a) (init p) (legal a x) (legal a y) (<= (next q) (does a x)) (<= (next r) (does a y))
         (<= terminal (true q)) (<= terminal (true r)) (<= (goal a 100) (true q)) (<= (goal a 0) (true r))";
    let understood = Understanding::of(&*game_from(sheet, "batch"), &PlayLimits::default()).unwrap();
    assert!(!understood.has_structure());
    assert_eq!((understood.goals.len(), understood.estimates.longest), (2, 1));
    let rules = Understanding::of(&*game("tic_tac_toe", "rules"), &PlayLimits::default()).unwrap();
    assert!(!rules.ground && rules.estimates.log10_states.is_none());
    assert_eq!(largest_board(&rules).size, [3, 3]);
}

const TEN: [&str; 10] = [
    "breakthrough",
    "checkers",
    "chinese_checkers_2",
    "connect_four",
    "eight_puzzle",
    "othello",
    "peg",
    "rock_paper_scissors",
    "skirmish",
    "tic_tac_toe",
];

/// The same result on a scrambled copy, in the copy's words.
#[test]
fn names_do_not_matter() {
    for name in TEN {
        let sheet = text(name);
        let (tree, _) = parse(&Source::new(name, sheet));
        let scrambled = scramble(&tree, 7);
        let copy = Understanding::of(&*game_from(&scrambled.text, "batch"), &PlayLimits::default()).unwrap();
        let original = serde_json::to_string(&understood(name)).unwrap().to_lowercase();
        let back: HashMap<String, String> =
            scrambled.map.iter().map(|(new, old)| (new.to_lowercase(), old.to_lowercase())).collect();
        let copied = with_words(&serde_json::to_string(&copy).unwrap().to_lowercase(), &back);
        assert_eq!(copied, original, "{name}");
    }
}

/// Replaces whole words; words are what stands between blanks, quotes and punctuation.
fn with_words(text: &str, words: &HashMap<String, String>) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' || c == '?' || c == '-' {
            word.push(c);
            continue;
        }
        out.push_str(words.get(&word).unwrap_or(&word));
        word.clear();
        out.push(c);
    }
    out.pop();
    out
}

#[test]
fn ten_games_are_understood_as_before() {
    for name in TEN {
        let understood = understood(name);
        let mut text = format!("{:?}, control {:?}\n", understood.turns, understood.control);
        for shape in &understood.shapes {
            let orders: Vec<&str> = shape.ordered.iter().map(|order| order.by.as_str()).collect();
            writeln!(
                text,
                "{} {:?} key {:?} size {:?} orders {orders:?} {:?}",
                shape.name, shape.role, shape.key, shape.size, shape.changes
            )
            .unwrap();
        }
        for kind in &understood.kinds {
            let (owner, blank) = (kind.owner.as_deref().unwrap_or("nobody"), kind.blank);
            writeln!(text, "{} of {owner}, blank {blank}, moves {}", kind.content, kind.moves).unwrap();
        }
        for found in &understood.successions {
            writeln!(text, "{} order {} chains {}", found.relation, found.is_order, found.chains.len())
                .unwrap();
        }
        writeln!(text, "{:?}, solvable {}", understood.symmetries, understood.estimates.solvable).unwrap();
        for goal in &understood.goals {
            writeln!(text, "{} {}: {}", goal.role, goal.value, goal.when).unwrap();
        }
        insta::assert_snapshot!(name, text);
    }
}
