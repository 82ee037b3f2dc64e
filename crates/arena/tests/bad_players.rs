//! Players on real sockets that misbehave: the match ends properly, what they did is recorded by
//! its kind, and the others are not harmed.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::scripted::{Manner, Scripted};
use common::{assert_sound, clocked, rulebook};
use ludex_arena::protocol::Message;
use ludex_arena::{Check, Event, MatchRecord, MatchSetup, Rulebook, run_match};
use ludex_search::Stop;

/// A match of tic-tac-toe with short clocks: x is scripted, o plays well.
fn against(rulebook: &Rulebook, x: &str, o: &str) -> (MatchRecord, Duration) {
    let grace = Duration::from_millis(250);
    let setup = MatchSetup { grace, check: Check::Everything, ..clocked(&[x, o], 0.3, 0.15) };
    let begun = Instant::now();
    let record = run_match(rulebook, &setup, &mut ()).unwrap();
    (record, begun.elapsed())
}

fn scripted(rulebook: &Rulebook, manner: Manner) -> Scripted {
    Scripted::new(Arc::clone(rulebook.game()), move |_, _| manner)
}

/// A bad player as x against a good one as o, in this process and on a socket.
fn assert_recorded(manner: Manner, kinds: &[&str]) {
    let rulebook = rulebook("tic_tac_toe");
    let good = scripted(&rulebook, Manner::Good);
    let spec = good.spec();
    // Time-outs take time: one opponent is enough for them.
    let opponents = if kinds == ["TO"] { &[spec.as_str()][..] } else { &["legal", spec.as_str()] };
    for &o in opponents {
        let bad = scripted(&rulebook, manner);
        let (record, took) = against(&rulebook, &bad.spec(), o);
        assert!(record.is_completed, "{manner:?}");
        assert_sound(&rulebook, &record);
        let mut steps_with_fault = 0;
        for (state, role, fault) in record.faults() {
            let fault = fault.to_string();
            assert_eq!(role, 0, "{manner:?} harmed o at {state}: {fault}");
            let expected = kinds.iter().any(|kind| fault.starts_with(kind));
            // Anything that is not an answer will do for START: nobody looks at what it says.
            assert!(expected || state == 0, "{manner:?} at {state}: {fault}");
            steps_with_fault += usize::from(state > 0);
        }
        assert_eq!(steps_with_fault, record.steps(), "{manner:?}: {:?}", record.errors);
        assert!(took < Duration::from_secs(10), "{manner:?} took {took:?}");
    }
    let kinds = good.kinds();
    assert_eq!(kinds.first().map(String::as_str), Some("START"), "{manner:?}");
    assert_eq!(kinds.last().map(String::as_str), Some("STOP"), "{manner:?}");
}

#[test]
fn good_manners_are_no_error() {
    let rulebook = rulebook("tic_tac_toe");
    for manner in [Manner::Good, Manner::Shouting, Manner::Slow(50)] {
        let (x, o) = (scripted(&rulebook, manner), scripted(&rulebook, Manner::Good));
        let (record, _) = against(&rulebook, &x.spec(), &o.spec());
        assert_eq!(record.error_count(), 0, "{manner:?}: {:?}", record.errors);
        assert!(record.is_completed);
        assert_eq!(record.moves[0][0], "(mark 1 1)", "the first legal move");
        assert_sound(&rulebook, &record);
        let kinds = x.kinds();
        assert_eq!(kinds.len(), record.steps() + 2);
        assert_eq!(kinds[1], "PLAY");
    }
}

#[test]
fn silence_is_a_time_out() {
    assert_recorded(Manner::Silent, &["TO"]);
}

#[test]
fn slow_answers_are_time_outs() {
    assert_recorded(Manner::Slow(800), &["TO"]);
}

#[test]
fn answers_in_drips_are_time_outs() {
    assert_recorded(Manner::Drip(20), &["TO"]);
}

#[test]
fn noise_is_illegal() {
    assert_recorded(Manner::Noise, &["IL"]);
}

#[test]
fn garbage_is_illegal() {
    assert_recorded(Manner::Garbage, &["IL ((( mark } 1"]);
}

#[test]
fn half_an_answer_is_a_connection_error() {
    assert_recorded(Manner::Half, &["CE closed in the middle"]);
}

#[test]
fn wrong_moves_are_illegal() {
    assert_recorded(Manner::WrongMove, &["IL (launch rocket)"]);
}

#[test]
fn hanging_up_is_a_connection_error() {
    assert_recorded(Manner::HangUp, &["CE closed without an answer"]);
}

#[test]
fn hanging_up_at_once_is_a_connection_error() {
    let rulebook = rulebook("tic_tac_toe");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let spec = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let (record, _) = against(&rulebook, &spec, "legal");
    assert!(record.is_completed);
    assert_eq!(record.faults().count(), record.steps() + 1);
    let all = record.faults().all(|(_, role, fault)| role == 0 && fault.to_string().starts_with("CE "));
    assert!(all, "{:?}", record.errors);
}

#[test]
fn a_hundred_megabytes_are_not_read() {
    let begun = Instant::now();
    assert_recorded(Manner::Huge(100_000_000), &["IL an answer of 100000000 bytes"]);
    assert_recorded(Manner::Endless, &["IL an answer of more than"]);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn errors_of_http_are_connection_errors() {
    assert_recorded(Manner::Status, &["CE HTTP status 503"]);
}

#[test]
fn a_player_that_is_not_there_is_a_connection_error() {
    let rulebook = rulebook("tic_tac_toe");
    let good = scripted(&rulebook, Manner::Good);
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (record, _) = against(&rulebook, &format!("http://127.0.0.1:{port}"), &good.spec());
    assert!(record.is_completed);
    assert_eq!(record.faults().count(), record.steps() + 1);
    let all = record
        .faults()
        .all(|(_, role, fault)| role == 0 && fault.to_string().starts_with("CE no connection"));
    assert!(all, "{:?}", record.errors);
    assert_sound(&rulebook, &record);
}

#[test]
fn a_name_that_nobody_has_is_a_connection_error() {
    let rulebook = rulebook("tic_tac_toe");
    let (record, _) = against(&rulebook, "http://nobody.invalid:9147", "legal");
    assert!(record.is_completed);
    assert!(record.faults().all(|(_, role, _)| role == 0));
    assert!(record.faults().count() > record.steps() / 2, "{:?}", record.errors);
}

#[test]
fn all_players_may_be_bad_and_the_match_still_ends() {
    let rulebook = rulebook("connect_four_3p");
    let manners = [Manner::WrongMove, Manner::HangUp, Manner::Noise];
    let bad: Vec<Scripted> = manners.iter().map(|&manner| scripted(&rulebook, manner)).collect();
    let specs: Vec<String> = bad.iter().map(Scripted::spec).collect();
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    let record = run_match(&rulebook, &clocked(&specs, 0.3, 0.2), &mut ()).unwrap();
    assert!(record.is_completed);
    assert_sound(&rulebook, &record);
}

#[test]
fn players_are_told_when_a_match_is_aborted() {
    let rulebook = rulebook("tic_tac_toe");
    let good = scripted(&rulebook, Manner::Good);
    let abort = Stop::new();
    let spec = good.spec();
    let setup = MatchSetup { abort: abort.clone(), ..clocked(&[&spec, "legal"], 1.0, 1.0) };
    let mut watch = |event: &Event<'_>| {
        if matches!(event, Event::Moved { step: 3, .. }) {
            abort.set();
        }
    };
    let record = run_match(&rulebook, &setup, &mut watch).unwrap();
    assert!(record.is_aborted);
    assert_eq!(good.kinds().last().map(String::as_str), Some("ABORT"));
}

#[test]
fn scrambled_rules_are_played_in_other_words() {
    let rulebook = rulebook("tic_tac_toe");
    let good = scripted(&rulebook, Manner::WrongMove);
    let spec = good.spec();
    let setup = MatchSetup { scramble: true, seed: 5, ..clocked(&[&spec, "legal"], 0.5, 0.5) };
    let record = run_match(&rulebook, &setup, &mut ()).unwrap();
    assert!(record.scrambled && record.is_completed);
    let words = &record.ludex.as_ref().unwrap().words;
    let new = &words.iter().find(|(_, old)| old == "mark").unwrap().0;
    let heard = good.heard.lock().unwrap();
    assert!(heard.iter().all(|message| !message.contains("mark")), "{heard:?}");
    assert!(heard[0].contains(new.as_str()) && heard[2].contains(new.as_str()), "{heard:?}");
    assert!(record.moves[0][0].starts_with("(mark"), "the record has the old words");
    assert_sound(&rulebook, &record);
}

#[test]
fn messages_are_those_of_other_managers() {
    let rulebook = rulebook("tic_tac_toe");
    let good = scripted(&rulebook, Manner::Good);
    let spec = good.spec();
    let setup = MatchSetup { id: Some("m.1".into()), ..clocked(&[&spec, "legal"], 30.0, 15.0) };
    let record = run_match(&rulebook, &setup, &mut ()).unwrap();
    let heard = good.heard.lock().unwrap();
    assert!(heard[0].starts_with("( START m.1 x ("), "{}", heard[0]);
    assert!(heard[0].ends_with(" 30 15)"), "{}", heard[0]);
    assert_eq!(heard[1], "( PLAY m.1 NIL )");
    assert_eq!(heard[2], "( PLAY m.1 (( mark 1 1 ) noop ) )");
    let last = Message::Stop { id: "m.1".into(), moves: record.moves.last().cloned() };
    assert_eq!(heard.last().unwrap(), &last.to_string());
}
