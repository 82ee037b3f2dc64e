//! Our referee and our player, over real sockets.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

mod common;

use std::time::Duration;

use common::scripted::{Manner, Scripted};
use common::{assert_sound, clocked, rulebook};
use ludex_arena::player::{HostOptions, Server};
use ludex_arena::protocol::Status;
use ludex_arena::{Check, MatchSetup, Rulebook, probe, run_match};
use ludex_engine::Player;

fn serve(spec: &str) -> (Server, String) {
    let player = Player::new(spec).unwrap();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), HostOptions::new(&player)).unwrap();
    let spec = format!("http://{}", server.address());
    (server, spec)
}

fn assert_played_without_errors(rulebook: &Rulebook, setup: &MatchSetup) {
    let record = run_match(rulebook, setup, &mut ()).unwrap();
    assert!(record.is_completed);
    assert_eq!(record.error_count(), 0, "{:?}", record.errors);
    assert_sound(rulebook, &record);
}

#[test]
fn two_players_behind_http_play_a_match() {
    let (_one, x) = serve("mc");
    let (_two, o) = serve("random");
    let setup = MatchSetup { check: Check::Everything, ..clocked(&[&x, &o], 1.0, 0.25) };
    assert_played_without_errors(&rulebook("tic_tac_toe"), &setup);
}

#[test]
fn scrambled_and_simultaneous_games_work_too() {
    let (_server, address) = serve("mc");
    let setup = MatchSetup { scramble: true, seed: 3, ..clocked(&[&address, "random"], 1.0, 0.2) };
    assert_played_without_errors(&rulebook("tic_tac_toe"), &setup);
    assert_played_without_errors(&rulebook("blocker_simultaneous"), &setup);
}

#[test]
fn one_player_plays_several_matches_at_once() {
    let (_server, address) = serve("random");
    let rulebook = rulebook("connect_four_3p");
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (rulebook, address) = (&rulebook, &address);
            scope.spawn(move || {
                let specs = [address.as_str(), "random", "legal"];
                let setup = MatchSetup { seed, shuffle: true, ..clocked(&specs, 1.0, 0.1) };
                assert_played_without_errors(rulebook, &setup);
            });
        }
    });
}

#[test]
fn rules_in_capitals_are_no_trouble() {
    let text = "(ROLE You) (INIT (Left 2)) (succ 0 1) (succ 1 2) (LEGAL you (Take one))
        (legal You (take Two)) (<= (Next (left ?n)) (true (LEFT ?m)) (SUCC ?n ?m))
        (<= Terminal (true (left 0))) (goal YOU 100)";
    let rulebook = Rulebook::new("shouting", text).unwrap();
    let (_server, address) = serve("random");
    assert_played_without_errors(&rulebook, &clocked(&[&address], 1.0, 0.2));
}

#[test]
fn players_that_read_whole_seconds_get_whole_seconds() {
    let (_server, ours) = serve("legal");
    let scripted = Scripted::new(rulebook("tic_tac_toe").game().clone(), |_, _| Manner::Good);
    let presence = |spec: &str| probe(&spec.parse().unwrap(), Duration::from_secs(5)).unwrap();
    assert!(presence(&ours).is_ludex && presence(&ours).status == Some(Status::Available));
    assert!(!presence(&scripted.spec()).is_ludex);
    assert!(probe(&"http://127.0.0.1:1".parse().unwrap(), Duration::from_secs(5)).is_err());
    let mut setup = clocked(&[&ours, &scripted.spec()], 0.7, 0.3);
    setup.whole_seconds = vec![scripted.spec().parse().unwrap()];
    assert_played_without_errors(&rulebook("tic_tac_toe"), &setup);
    let heard = scripted.heard.lock().unwrap();
    let start = heard.iter().find(|text| text.starts_with("( START")).unwrap();
    assert!(start.ends_with(" 1 1)"), "{start}");
}
