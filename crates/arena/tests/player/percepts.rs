//! Managers that treat the match as one in GDL-II: percepts instead of moves.

use std::sync::{Arc, Mutex};

use ludex_arena::player::{HostOptions, Notice};
use ludex_arena::{MatchRecord, Verdict, verify_record};

use crate::manager::{Manager, is_mark, rules, start};

/// A player, and what it reports.
fn listening(spec: &str) -> (Manager, Arc<Mutex<Vec<String>>>) {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&heard);
    let listener = move |notice: &Notice<'_>| {
        let text = match notice {
            Notice::Started { role, .. } => format!("started as {role}"),
            Notice::Moved { step, chosen, .. } => format!("{step} {}", chosen.unwrap_or("nil")),
            Notice::Ended { goals, .. } => format!("ended {goals:?}"),
            Notice::Note { text, .. } => (*text).to_owned(),
            Notice::Position { .. } => return,
        };
        notes.lock().expect("no panic").push(text);
    };
    let manager =
        Manager::with(|options| HostOptions { listener: Some(Arc::new(listener)), ..options }, spec);
    (manager, heard)
}

#[test]
fn did_percepts_are_the_moves() {
    let (manager, heard) = listening("legal");
    assert_eq!(manager.ask(&start("m", "x", "0.2", "1")), "ready");
    let first = manager.ask("( PLAY m NIL )");
    assert!(is_mark(&first, &[]), "{first}");
    assert_eq!(manager.ask(&format!("( PLAY m ((DID X {first}) (DID O NOOP)) )")), "noop");
    let third = manager.ask("( PLAY m ((DID O (MARK 3 3)) (DID X NOOP)) )");
    assert!(is_mark(&third, &[&first, "(mark 3 3)"]), "{third}");
    assert_eq!(manager.ask(&format!("( STOP m ((DID O NOOP) (DID X {third})) )")), "done");
    let record = kept_record(&manager);
    assert_eq!(record.moves[0], [first.clone(), "noop".to_owned()]);
    assert_eq!((record.steps(), record.role_names()), (3, vec!["x".to_owned(), "o".to_owned()]));
    let reference = ludex_testkit::game("tic_tac_toe", "reference");
    assert_eq!(verify_record(&record, &*reference), Verdict::Agrees);
    let heard = heard.lock().expect("no panic");
    let notes = heard.iter().filter(|text| text.contains("`did` percepts")).count();
    assert_eq!(notes, 1, "said once: {heard:?}");
    assert!(heard.contains(&format!("1 {first}")) && heard.contains(&format!("3 {third}")), "{heard:?}");
}

#[test]
fn what_percepts_do_not_tell_is_guessed_and_the_answer_is_legal() {
    let (manager, heard) = listening("legal");
    assert_eq!(manager.ask(&start("m", "o", "0.2", "1")), "ready");
    assert_eq!(manager.ask("( PLAY m NIL )"), "noop");
    // Only that somebody moved: any free square may be the answer.
    let second = manager.ask("( PLAY m ((YOURTURN)) )");
    assert!(is_mark(&second, &[]), "{second}");
    assert_eq!(manager.ask("( PLAY m ((WAIT)) )"), "noop");
    // The move of the other is told: its square is not taken.
    let fourth = manager.ask("( PLAY m ((DID X (MARK 2 2))) )");
    assert!(is_mark(&fourth, &["(mark 2 2)", &second]), "{fourth}");
    let notes = heard.lock().expect("no panic").clone();
    assert_eq!(notes.iter().filter(|text| text.contains("not known")).count(), 1, "{notes:?}");
    // The log has no guesses among its moves.
    assert_eq!(manager.ask("( STOP m ((OVER)) )"), "done");
    let record = kept_record(&manager);
    assert_eq!((record.steps(), record.is_completed), (0, false));
}

/// The log of the only match, as a record.
fn kept_record(manager: &Manager) -> MatchRecord {
    let mut files = std::fs::read_dir(manager.folder().join("matches")).expect("logs");
    let bytes = std::fs::read(files.next().expect("a log").expect("a log").path()).expect("read");
    assert!(MatchRecord::is_log(&bytes));
    MatchRecord::from_log(&bytes).expect("a record")
}

#[test]
fn a_sheet_with_percepts_is_played_without_any() {
    let (manager, _) = listening("legal");
    let rules = format!("{} (<= (sees ?r moved) (role ?r) (does x (mark 1 1)))", rules());
    assert_eq!(manager.ask(&format!("( START m o ({rules}) 0.2 1)")), "ready");
    assert_eq!(manager.ask("( PLAY m NIL )"), "noop");
    assert!(is_mark(&manager.ask("( PLAY m NIL )"), &[]), "no percepts: the match goes on");
    assert_eq!(manager.ask("( PLAY m () )"), "noop");
}
