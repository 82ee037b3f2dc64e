//! Matches: several at once, lost and repeated messages, searches that misbehave, records.

use std::sync::Arc;
use std::time::Duration;

use ludex_arena::player::HostOptions;
use ludex_game::{Failure, State};
use ludex_search::{Budget, Search, SearchReport, StopReason};
use serde_json::Value;

use crate::manager::{Manager, is_mark, start};

#[test]
fn info_is_answered_while_a_match_is_thought_about() {
    let manager = Manager::new("mc");
    assert_eq!(manager.ask(&start("m", "x", "0.5", "2")), "ready");
    std::thread::scope(|scope| {
        let play = scope.spawn(|| manager.ggp_base("( PLAY m NIL )"));
        std::thread::sleep(Duration::from_millis(300));
        let info = manager.ggp_base("( INFO )");
        assert!(info.took < Duration::from_millis(800), "{:?}", info.took);
        assert!(!play.is_finished(), "it still thinks");
        let play = play.join().expect("an answer");
        assert!(is_mark(&play.body, &[]) && play.took < Duration::from_secs(2), "{play:?}");
    });
}

#[test]
fn several_matches_at_once_keep_their_clocks() {
    let manager = Manager::new("mc");
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4)
            .map(|number| {
                let manager = &manager;
                scope.spawn(move || {
                    let role = if number % 2 == 0 { "x" } else { "o" };
                    let id = format!("m{number}");
                    let ready = manager.ggp_base(&start(&id, role, "1", "1.5"));
                    assert!(ready.body == "ready" && ready.took < Duration::from_secs(1), "{ready:?}");
                    let mut answers = vec![manager.ggp_base(&format!("( PLAY {id} NIL )"))];
                    answers.push(manager.ggp_base(&format!("( PLAY {id} ((mark 2 2) noop ) )")));
                    let marks =
                        answers.iter().filter(|answer| is_mark(&answer.body, &["(mark 2 2)"])).count();
                    let marks = marks + usize::from(answers[0].body == "(mark 2 2)");
                    assert_eq!(marks, 1, "{answers:?}");
                    for answer in answers {
                        assert!(answer.took < Duration::from_millis(1500), "{answer:?}");
                    }
                    assert_eq!(manager.ask(&format!("( STOP {id} (noop (mark 1 1) ) )")), "done");
                })
            })
            .collect();
        for one in all {
            one.join().expect("a match");
        }
    });
}

#[test]
fn a_message_that_comes_again_gets_the_same_answer() {
    let manager = Manager::new("random");
    assert_eq!(manager.ask(&start("m", "x", "0.2", "1")), "ready");
    let first = manager.ask("( PLAY m NIL )");
    for _ in 0..5 {
        assert_eq!(manager.ask("( PLAY m NIL )"), first);
    }
    assert_eq!(manager.ask(&format!("( PLAY m ({first} noop ) )")), "noop");
    let square = if first == "(mark 1 1)" { "(mark 1 2)" } else { "(mark 1 1)" };
    let third = manager.ask(&format!("( PLAY m (noop {square} ) )"));
    for _ in 0..5 {
        assert_eq!(manager.ask(&format!("( PLAY m (noop {square} ) )")), third);
    }
}

#[test]
fn moves_that_do_not_fit_are_answered_and_the_match_goes_on() {
    let manager = Manager::new("legal");
    assert_eq!(manager.ask(&start("m", "o", "0.2", "1")), "ready");
    assert_eq!(manager.ask("( PLAY m NIL )"), "noop");
    for wrong in ["((mark 9 9) noop )", "(noop noop )", "((mark 1 1) )", "(a b c )"] {
        let answer = manager.ask(&format!("( PLAY m {wrong} )"));
        assert!(answer == "noop" || is_mark(&answer, &[]), "{wrong}: {answer}");
    }
    assert!(is_mark(&manager.ask("( PLAY m ((mark 1 1) noop ) )"), &["(mark 1 1)"]));
    // It was another move after all: the step before counts as corrected.
    assert!(is_mark(&manager.ask("( PLAY m ((mark 3 3) noop ) )"), &["(mark 3 3)"]));
    assert_eq!(manager.ask("( PLAY m (noop (mark 1 1) ) )"), "noop", "the square is free now");
    // And from the start again.
    assert_eq!(manager.ask("( PLAY m NIL )"), "noop");
}

#[test]
fn a_new_match_of_the_same_name_replaces_the_old_one() {
    let manager = Manager::new("legal");
    assert_eq!(manager.ask(&start("m", "x", "0.2", "1")), "ready");
    assert!(is_mark(&manager.ask("( PLAY m NIL )"), &[]));
    assert_eq!(manager.ask(&start("m", "o", "0.2", "1")), "ready");
    assert_eq!(manager.ask("( PLAY m NIL )"), "noop");
    assert_eq!(manager.ask("( ABORT m )"), "aborted");
    assert_eq!(manager.ask("( PLAY m NIL )"), "busy");
}

/// A search that never comes back, or not alive.
struct Bad {
    hangs: bool,
}

impl Search for Bad {
    fn set_root(&mut self, _: &State) -> Result<(), Failure> {
        Ok(())
    }

    fn think(&mut self, _: &Budget) -> Result<StopReason, Failure> {
        assert!(self.hangs, "on purpose");
        std::thread::sleep(Duration::from_secs(30));
        Ok(StopReason::Finished)
    }

    fn report(&self) -> SearchReport {
        SearchReport::default()
    }
}

#[test]
fn a_search_that_hangs_or_panics_still_plays() {
    for hangs in [true, false] {
        let change =
            move |options| HostOptions { make: Arc::new(move |_| Box::new(Bad { hangs })), ..options };
        let manager = Manager::with(change, "mc");
        let ready = manager.ggp_base(&start("m", "x", "1", "1.5"));
        assert!(ready.body == "ready" && ready.took < Duration::from_secs(1), "{ready:?}");
        let first = manager.ggp_base("( PLAY m NIL )");
        assert!(is_mark(&first.body, &[]) && first.took < Duration::from_millis(1500), "{first:?}");
        let second = manager.ggp_base(&format!("( PLAY m ({} noop ) )", first.body));
        assert!(second.body == "noop" && second.took < Duration::from_millis(1500), "{second:?}");
        assert_eq!(manager.ask("( STOP m (noop (mark 1 1) ) )"), "done");
    }
}

#[test]
fn sheets_without_a_circuit_are_played_too() {
    // Facts grow with every step, so grounding goes on until a limit ends it: not within these
    // clocks.
    let rules = "(role a) (init (n z)) (legal a go) (legal a stay) (<= (next (n (s ?x))) (true (n ?x))) \
                 (<= terminal (true (n (s (s (s (s z))))))) (goal a 0)";
    let manager = Manager::with(|options| HostOptions { memory: 64 << 20, ..options }, "mc");
    let ready = manager.ggp_base(&format!("( START m a ({rules}) 1 1)"));
    assert!(ready.body == "ready" && ready.took < Duration::from_secs(1), "{ready:?}");
    let mut last = "NIL".to_owned();
    for _ in 0..3 {
        let answer = manager.ggp_base(&format!("( PLAY m {last} )"));
        assert!(["go", "stay"].contains(&answer.body.as_str()), "{answer:?}");
        assert!(answer.took < Duration::from_secs(1), "{answer:?}");
        last = format!("({} )", answer.body);
    }
    assert_eq!(manager.ask(&format!("( STOP m {last} )")), "done");
}

#[test]
fn the_record_tells_the_whole_story() {
    let manager = Manager::new("mc");
    assert_eq!(manager.ask(&start("m", "x", "0.5", "1")), "ready");
    let mut steps = vec![manager.ask("( PLAY m NIL )")];
    assert_eq!(manager.ask("( PLAY m ((mark 1 1) noop ) )"), "noop");
    steps.push(manager.ask("( PLAY m (noop (mark 3 3) ) )"));
    assert_eq!(manager.ask("( PLAY m ((mark 1 2) noop ) )"), "noop");
    steps.push(manager.ask("( PLAY m (noop (mark 3 2) ) )"));
    assert_eq!(manager.ask("( STOP m ((mark 1 3) noop ) )"), "done");
    let folder = std::fs::read_dir(manager.folder().join("matches")).expect("a folder");
    let path = folder.map(|entry| entry.expect("readable").path()).next().expect("a record");
    let text = std::fs::read_to_string(path).expect("readable");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().expect("an event")).collect();
    let play = ["message", "thinking", "reply"];
    let mut expected = vec!["start", "message", "reply"];
    expected.extend(play.into_iter().cycle().take(15));
    expected.extend(["message", "result", "reply"]);
    assert_eq!(events, expected);
    assert!(lines[0]["rules"].as_str().expect("rules").contains("(role x)"));
    assert_eq!((&lines[0]["role"], &lines[0]["player"]), (&"x".into(), &"mc".into()));
    assert_eq!(lines[4]["move"], Value::from(steps[0].clone()));
    assert!(lines[4]["visits"].as_u64().expect("visits") > 0, "{}", lines[4]);
    assert!(lines[5]["left"].as_f64().expect("milliseconds") > 0.0, "{}", lines[5]);
    let times: Vec<u64> = lines.iter().map(|line| line["time"].as_u64().expect("a time")).collect();
    assert!(times.is_sorted());
    assert_eq!(lines[lines.len() - 2]["goals"], serde_json::json!([100, 0]));
}
