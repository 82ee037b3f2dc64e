//! What the tests of matches have in common.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod scripted;

use std::time::Duration;

use ludex_arena::{MatchRecord, MatchSetup, Participant, Rulebook, Verdict, verify_record};

pub(crate) fn rulebook(name: &str) -> Rulebook {
    Rulebook::new(name, ludex_testkit::text(name)).expect("it can be played")
}

pub(crate) fn players(specs: &[&str]) -> Vec<Participant> {
    specs.iter().map(|spec| spec.parse().expect("a player")).collect()
}

/// A match that is decided by its seed.
pub(crate) fn counted(specs: &[&str], playouts: u64, seed: u64) -> MatchSetup {
    MatchSetup { playouts: Some(playouts), seed, ..MatchSetup::new(players(specs)) }
}

/// A match by the clock.
pub(crate) fn clocked(specs: &[&str], start: f64, play: f64) -> MatchSetup {
    MatchSetup {
        start_clock: Duration::from_secs_f64(start),
        play_clock: Duration::from_secs_f64(play),
        ..MatchSetup::new(players(specs))
    }
}

/// A record survives being written and read, and keeps to the rules.
pub(crate) fn assert_sound(rulebook: &Rulebook, record: &MatchRecord) {
    let read = MatchRecord::read(record.to_json().as_bytes()).expect("a record");
    assert_eq!(&read, record);
    assert_eq!(verify_record(record, &**rulebook.reference()), Verdict::Agrees);
}
