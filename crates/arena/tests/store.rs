//! The store: what goes in comes out, whoever else writes, and foreign files are left alone.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

mod common;

use common::{counted, rulebook};
use ludex_arena::{MatchRecord, Store, StoreError, run_match};

fn record(game: &str, seed: u64) -> MatchRecord {
    let rulebook = rulebook(game);
    run_match(&rulebook, &counted(&["random", "legal"], 1, seed), &mut ()).unwrap()
}

#[test]
fn what_goes_in_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    let (one, two) = (record("tic_tac_toe", u64::MAX), record("connect_four_4x4", 2));
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.append(&one).unwrap(), 1);
    drop(store);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.append(&two).unwrap(), 2);
    assert_eq!(store.count().unwrap(), 2);
    assert_eq!(store.record(1).unwrap().as_ref(), Some(&one));
    assert_eq!(store.record_of(&two.match_id).unwrap().as_ref(), Some(&two));
    assert_eq!(store.record(3).unwrap(), None);
    assert_eq!(store.record_of("nobody").unwrap(), None);
    let rows = store.list(None, 0, 10).unwrap();
    assert_eq!(
        rows.iter().map(|row| row.game.as_str()).collect::<Vec<_>>(),
        ["tic_tac_toe", "connect_four_4x4"]
    );
    let row = &rows[0];
    assert_eq!((row.seed, row.playouts, row.completed), (u64::MAX, Some(1), true));
    assert_eq!((&row.goals, row.moves), (&one.goal_values, one.steps() as u64));
    assert_eq!((&row.players, row.errors), (&one.player_names_from_host, 0));
    assert!(row.started <= row.finished);
    assert_eq!(store.list(Some("connect_four_4x4"), 0, 10).unwrap().len(), 1);
    assert_eq!(store.list(None, 1, 10).unwrap()[0].number, 2);
    assert_eq!(store.list(None, 0, 1).unwrap().len(), 1);
    assert_eq!(store.damage().unwrap(), None);
}

#[test]
fn matches_go_in_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("matches.db")).unwrap();
    let (one, two) = (record("tic_tac_toe", 1), record("tic_tac_toe", 2));
    let error = store.append_all(&[one.clone(), two.clone(), one.clone()]).unwrap_err();
    assert!(matches!(error, StoreError::Database(_)), "the same match twice: {error}");
    assert_eq!(store.count().unwrap(), 0);
    assert_eq!(store.append_all(&[one, two]).unwrap(), [1, 2]);
}

#[test]
fn several_writers_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = Store::open(path).unwrap();
                for seed in 0..5 {
                    store.append(&record("tic_tac_toe", writer * 100 + seed)).unwrap();
                }
            });
        }
    });
    let store = Store::open(&path).unwrap();
    assert_eq!(store.count().unwrap(), 20);
    for number in 1..=20 {
        assert!(store.record(number).unwrap().unwrap().is_completed);
    }
}

/// Whoever opens a file while somebody else makes it finds it new or made, nothing in between.
#[test]
fn a_store_can_be_made_by_several_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..40 {
        let path = folder.path().join(format!("{round}.db"));
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    assert_eq!(Store::open(&path).unwrap().count().unwrap(), 0);
                });
            }
        });
    }
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    std::fs::write(&text, "not a database, but long enough to look like something").unwrap();
    assert!(matches!(Store::open(&text), Err(StoreError::Database(_))));
    let other = folder.path().join("other.db");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE pets (name TEXT)").unwrap();
    drop(connection);
    assert!(matches!(Store::open(&other), Err(StoreError::Foreign)));
    let newer = folder.path().join("newer.db");
    drop(Store::open(&newer).unwrap());
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    assert!(matches!(Store::open(&newer), Err(StoreError::Schema(99))));
    assert!(Store::open(&folder.path().join("no/such/folder.db")).is_err());
}

#[test]
fn a_damaged_record_is_an_error_and_not_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    let mut store = Store::open(&path).unwrap();
    store.append(&record("tic_tac_toe", 1)).unwrap();
    store.append(&record("tic_tac_toe", 2)).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE matches SET record = x'00112233' WHERE number = 1", []).unwrap();
    assert!(matches!(store.record(1), Err(StoreError::Packed(_))));
    assert!(store.record(2).unwrap().is_some());
}
