//! Fifty games at once: `cargo test --release --test http -- --ignored --nocapture load`.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Server;

const GAMES: usize = 50;
const MOVES: usize = 12;

/// Fifty people play connect four against `medium` at the same time; prints how long it takes from a
/// move to the next question, and how long another page waits for the list of games meanwhile.
#[test]
#[ignore = "measures; run it alone"]
fn load() {
    let server = Server::new();
    let mut waits: Vec<Duration> = Vec::new();
    let mut pages: Vec<Duration> = Vec::new();
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..GAMES)
            .map(|_| {
                scope.spawn(|| {
                    let game = server.begin(json!("connect_four"), &["human", "medium"]);
                    let mut events = game.events(&[0]);
                    let mut waits = Vec::new();
                    let is_asked = |event: &serde_json::Value| {
                        !event["asked"].as_array().unwrap().is_empty() || !event["over"].is_null()
                    };
                    let mut event = events.until(is_asked);
                    for _ in 0..MOVES {
                        let Some(step) = event["asked"][0]["step"].as_u64() else { break };
                        let name = event["asked"][0]["legal"][0]["name"].as_str().unwrap();
                        let begun = Instant::now();
                        assert_eq!(game.make(0, step, name).status, 200);
                        event =
                            events.until(|event| event["steps"].as_u64() >= Some(step) && is_asked(event));
                        waits.push(begun.elapsed());
                    }
                    waits
                })
            })
            .collect();
        while players.iter().any(|player| !player.is_finished()) {
            let begun = Instant::now();
            assert_eq!(server.get("/").status, 200);
            pages.push(begun.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
        for player in players {
            waits.extend(player.join().unwrap());
        }
    });
    for (what, all) in [("a move and its answer", &mut waits), ("the page", &mut pages)] {
        all.sort();
        let at = |percent: usize| all[(all.len() - 1) * percent / 100];
        println!(
            "{what}: median {:?}, 95 % {:?}, longest {:?}, {} in all",
            at(50),
            at(95),
            at(100),
            all.len()
        );
    }
    assert!(!waits.is_empty() && !pages.is_empty());
}
