//! The laws of `protocol_laws/mod.rs` on generated input, and what is written reads back as it was.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

mod protocol_laws;

use std::time::Duration;

use ludex_arena::protocol::{self, Kind, Message, Reply, Status};
use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z][a-zA-Z0-9_.-]{0,8}",
        1 => prop::sample::select(&["NIL1", "start", "é", "../x", "+", "0"][..]).prop_map(str::to_owned),
    ]
    .prop_filter("`nil` is no move", |word| !word.eq_ignore_ascii_case("nil"))
}

fn term() -> impl Strategy<Value = String> {
    word().prop_recursive(4, 16, 4, |inner| {
        prop::collection::vec(inner, 1..4).prop_map(|parts| format!("({})", parts.join(" ")))
    })
}

/// Anything that is balanced, with blanks and comments.
fn rules() -> impl Strategy<Value = String> {
    let end = prop::sample::select(&[" ", "\n", "\r\n", " ; a )\n", ""][..]);
    prop::collection::vec((term(), end), 0..6)
        .prop_map(|clauses| clauses.into_iter().map(|(clause, end)| format!("({clause}){end}")).collect())
}

fn clock() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0..100_000u64).prop_map(Duration::from_secs),
        (0..10_000_000u64).prop_map(Duration::from_micros),
    ]
}

fn moves() -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::of(prop::collection::vec(term(), 1..5))
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        Just(Message::Info),
        (word(), term(), rules(), clock(), clock()).prop_map(|(id, role, rules, start_clock, play_clock)| {
            Message::Start { id, role, rules, start_clock, play_clock }
        }),
        (word(), moves()).prop_map(|(id, moves)| Message::Play { id, moves }),
        (word(), moves()).prop_map(|(id, moves)| Message::Stop { id, moves }),
        word().prop_map(|id| Message::Abort { id }),
        (rules(), clock()).prop_map(|(rules, clock)| Message::Preview { rules, clock }),
    ]
}

/// Tokens in any order.
fn soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(
        &[
            "(", ")", "START", "play", "Stop", "abort", "info", "PREVIEW", "m", "NIL", "1.5", ";", "\n",
            "((a) b)",
        ][..],
    );
    prop::collection::vec(token, 0..30).prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(message in message()) {
        let written = message.to_string();
        prop_assert_eq!(Message::parse(written.as_bytes()), Ok(message));
    }

    #[test]
    fn letter_case_of_keywords_and_blanks_do_not_matter(message in message()) {
        let keyword = message.kind().keyword();
        let written = message.to_string().replacen(keyword, &format!("\r\n\t{}\r\n", keyword.to_lowercase()), 1);
        prop_assert_eq!(Message::parse(format!(" \n{written}\r\n").as_bytes()), Ok(message));
    }

    #[test]
    fn moves_read_back(text in term()) {
        let reply = Reply::Move(text);
        prop_assert_eq!(Reply::parse(reply.to_string().as_bytes(), Kind::Play), Ok(reply));
    }

    #[test]
    fn names_of_players_read_back(name in "[a-z]{1,8}( [a-z0-9.]{1,5})?", busy: bool) {
        let status = if busy { Status::Busy } else { Status::Available };
        let reply = Reply::Info { name: Some(name), status };
        prop_assert_eq!(Reply::parse(reply.to_string().as_bytes(), Kind::Info), Ok(reply));
    }

    #[test]
    fn laws_hold_for_token_soup(text in soup()) {
        protocol_laws::hold(text.as_bytes());
    }

    #[test]
    fn laws_hold_for_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        protocol_laws::hold(&bytes);
    }
}

#[test]
fn laws_hold_for_the_seeds_of_the_fuzz_target() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/protocol");
    let (mut count, mut messages) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the seeds are in the repository") {
        let bytes = std::fs::read(entry.expect("readable").path()).expect("readable");
        protocol_laws::hold(&bytes);
        messages += usize::from(Message::parse(&bytes).is_ok());
        count += 1;
    }
    assert!(count >= 12 && messages >= 8, "only {count} seeds, {messages} messages");
}
