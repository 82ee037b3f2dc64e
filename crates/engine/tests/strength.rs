//! Strength of players, measured: an experiment for the command line, no test of the gate.
//!
//! `LUDEX_STRENGTH="clune mc othello,skirmish 10 0.2" cargo test --release -p ludex-engine --test
//! strength -- --ignored --nocapture` plays matches in equal CPU time, each seat in turn.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_engine::Player;
use ludex_game::{Game, RoleId};
use ludex_search::{Budget, Search, SearchContext};
use ludex_testkit::game;

fn search(spec: &str, game: &Arc<dyn Game>, role: usize, seed: u64) -> Box<dyn Search> {
    let context = SearchContext { game: game.clone(), role: RoleId::new(role), seed, threads: 1 };
    Player::new(spec).unwrap().search(context)
}

fn play(
    specs: [&str; 2],
    game: &Arc<dyn Game>,
    seconds: f64,
    seed: u64,
    depths: &mut [(u64, u64, f64); 2],
) -> [f64; 2] {
    let mut players: Vec<_> = (0..2)
        .map(|role| {
            let begun = cpu_seconds();
            let search = search(specs[role], game, role, seed);
            depths[role].2 = cpu_seconds() - begun;
            search
        })
        .collect();
    let mut state = game.initial();
    loop {
        let view = game.view(&state).unwrap();
        if view.terminal {
            break;
        }
        let mut joint = Vec::new();
        for (role, player) in players.iter_mut().enumerate() {
            if let [only] = view.legal[role][..] {
                joint.push(only);
                continue;
            }
            player.set_root(&state).unwrap();
            let end = cpu_seconds() + seconds;
            let mut slice = Duration::from_millis(10);
            while cpu_seconds() < end {
                let stop = player.think(&Budget::until(Instant::now() + slice)).unwrap();
                if stop == ludex_search::StopReason::Finished {
                    break;
                }
                slice = (slice * 3 / 2).min(Duration::from_millis(50));
            }
            let report = player.report();
            depths[role].0 += u64::from(report.depth);
            depths[role].1 += 1;
            joint.push(report.best.expect("a move"));
        }
        state = game.next(&state, &joint).unwrap();
    }
    let goals = game.goals(&state).unwrap();
    let goal = |role: usize| f64::from(goals[role].value().unwrap_or(0));
    [goal(0), goal(1)]
}

/// CPU time of this thread: the clock of the matches, so that other programs do not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

#[test]
#[ignore = "an experiment"]
fn strength() {
    let Ok(text) = std::env::var("LUDEX_STRENGTH") else { return };
    let [a, b, games, matches, seconds] = text.split(' ').collect::<Vec<_>>()[..] else { return };
    let seconds: f64 = seconds.parse().unwrap();
    for name in games.split(',') {
        let game = game(name, "batch");
        let (mut sum, mut wins, mut depth, mut other, mut new) = (0.0, 0.0, (0, 0), (0, 0), 0.0);
        let count: u64 = matches.parse().unwrap();
        let begun = Instant::now();
        for number in 0..count {
            let own = (number % 2) as usize;
            let specs = if own == 0 { [a, b] } else { [b, a] };
            let mut depths = [(0, 0, 0.0); 2];
            let goals = play(specs, &game, seconds, number, &mut depths);
            sum += goals[own];
            wins += if goals[own] > goals[1 - own] {
                1.0
            } else if goals[own] == goals[1 - own] {
                0.5
            } else {
                0.0
            };
            new = depths[own].2;
            depth = (depth.0 + depths[own].0, depth.1 + depths[own].1);
            other = (other.0 + depths[1 - own].0, other.1 + depths[1 - own].1);
        }
        println!(
            "{name}: {a} wins {:.0} % of {count}, points {:.0}, mean depth {:.1}, other {:.1}, set-up {new:.2} s, {:.0?}",
            100.0 * wins / count as f64,
            sum / count as f64,
            depth.0 as f64 / depth.1.max(1) as f64,
            other.0 as f64 / other.1.max(1) as f64,
            begun.elapsed(),
        );
    }
}
