//! The laws of `laws/mod.rs` on generated input: trees, token soup, plain bytes, and the seeds of
//! the fuzz target.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

mod laws;

use proptest::prelude::*;

/// Words that make it likely to get somewhere.
const WORDS: &[&str] = &[
    "role", "init", "true", "next", "legal", "does", "goal", "terminal", "not", "or", "and", "distinct",
    "<=", "sees", "random", "base", "input", "x", "Y", "cell", "Cell", "?a", "?b", "?A", "100", "0", "-1",
    "=>", "?", "player", "plaeyr", "é",
];

/// A sheet of clauses that are lists with a word in front: always readable.
fn sheet() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS).prop_map(str::to_owned);
    let front = prop::sample::select(&WORDS[..22]).prop_map(str::to_owned);
    let term = word.prop_recursive(5, 24, 4, {
        let front = front.clone();
        move |inner| {
            (front.clone(), prop::collection::vec(inner, 0..4))
                .prop_map(|(front, rest)| format!("({} {})", front, rest.join(" ")))
        }
    });
    let clause = (
        front,
        prop::collection::vec(term, 0..5),
        prop::sample::select(&["\n", " ", "\n\n; note\n", " ; note\r"][..]),
    )
        .prop_map(|(front, rest, end)| format!("({front} {}){end}", rest.join(" ")));
    prop::collection::vec(clause, 0..12).prop_map(|clauses| clauses.concat())
}

/// Tokens in any order.
fn soup() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        3 => prop::sample::select(WORDS).prop_map(str::to_owned),
        2 => Just("(".to_owned()),
        2 => Just(")".to_owned()),
        1 => prop::sample::select(&["\n", "; c\n", "\r", "\"", "\0", "(<=", "\n(init"][..]).prop_map(str::to_owned),
    ];
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_for_sheets(text in sheet()) {
        laws::hold(text.as_bytes());
    }

    #[test]
    fn laws_hold_for_token_soup(text in soup()) {
        laws::hold(text.as_bytes());
    }

    #[test]
    fn laws_hold_for_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        laws::hold(&bytes);
    }
}

#[test]
fn laws_hold_for_the_seeds_of_the_fuzz_target() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/sheet");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the seeds are in the repository") {
        let bytes = std::fs::read(entry.expect("readable").path()).expect("readable");
        laws::hold(&bytes);
        count += 1;
    }
    assert!(count >= 20, "only {count} seeds");
}
