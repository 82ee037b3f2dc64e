//! Player processes and referee processes together, over real sockets, while processes die and
//! connections break.
//!
//! `LUDEX_FAULTS=1000 cargo test -p ludex --test arena -- --nocapture` for the long run.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod processes;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludex_arena::{MatchRecord, Rulebook, Store, Verdict, verify_record};
use processes::{BadLine, Player, Referee, ludex};

fn rulebook(game: &str) -> Rulebook {
    let sheet = ludex_library::find(game).expect("a game");
    Rulebook::new(sheet.name, sheet.text).expect("rules")
}

#[test]
fn two_player_processes_play_a_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (Player::start("mc", 0, folder.path()), Player::start("random", 0, folder.path()));
    let file = folder.path().join("match.json").display().to_string();
    let arguments = ["match", "connect_four_4x4", &one.spec(), &two.spec(), "--start", "1", "--play", "0.4"];
    let output = ludex(&[&arguments[..], &["--record", &file]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let record = MatchRecord::read(&std::fs::read(&file).expect("kept")).expect("a record");
    assert!(record.is_completed);
    assert_eq!(record.error_count(), 0, "{:?}", record.errors);
    assert_eq!(record.player_names_from_host, [one.spec(), two.spec()]);
    let verified = ludex(&["replay", &file, "--verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

const DEFAULT: usize = 6;
/// Referees at work at the same time, each with its own pair of players.
const AT_ONCE: u64 = 2;
const PLAY_CLOCK: f64 = 0.25;

/// What was reported of matches before their referee died.
#[derive(Default)]
struct Reported {
    ids: BTreeSet<String>,
    /// Seconds that the player that nobody harms needed for each answer.
    answers: Vec<f64>,
    kills: usize,
}

#[test]
fn matches_survive_dying_players_bad_lines_and_dying_referees() {
    let many = std::env::var("LUDEX_FAULTS").ok().and_then(|text| text.parse().ok()).unwrap_or(DEFAULT);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let reported: Mutex<Reported> = Mutex::default();
    let done = AtomicBool::new(false);
    let begun = Instant::now();
    let good: Vec<Player> = (0..AT_ONCE).map(|_| Player::start("mc", 0, folder.path())).collect();
    std::thread::scope(|scope| {
        // All processors have something else to do.
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut number = 1u64;
                while !done.load(Ordering::Relaxed) {
                    number = std::hint::black_box(number.wrapping_mul(0x9E37_79B9).rotate_left(7));
                }
            });
        }
        let workers: Vec<_> = good
            .iter()
            .zip(0..)
            .map(|(good, worker)| {
                let (reported, path, folder) = (&reported, &path, folder.path());
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(worker);
                    let victim = Mutex::new(Player::start("random", 0, folder));
                    let line = BadLine::start(victim.lock().expect("not poisoned").port, worker);
                    let mut seed = worker * 1_000_000;
                    while reported.lock().expect("not poisoned").ids.len() < many {
                        seed += 1000;
                        let players = [good.spec(), line.spec()];
                        let referee = Referee::start(&players, PLAY_CLOCK, seed, path);
                        let life = Duration::from_millis(random.u64(1_000..15_000));
                        let end = Instant::now() + life;
                        // The victim dies and comes back, as often as not in the middle of a match.
                        while Instant::now() < end && reported.lock().expect("not poisoned").ids.len() < many
                        {
                            std::thread::sleep(Duration::from_millis(random.u64(200..2_000)));
                            let mut victim = victim.lock().expect("not poisoned");
                            let port = victim.port;
                            victim.kill();
                            std::thread::sleep(Duration::from_millis(random.u64(..300)));
                            *victim = Player::start("random", port, folder);
                        }
                        let (ids, answers) = referee.kill(&good.spec());
                        let mut reported = reported.lock().expect("not poisoned");
                        reported.ids.extend(ids);
                        reported.answers.extend(answers);
                        reported.kills += 1;
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.join().expect("a worker does not panic");
        }
        done.store(true, Ordering::Relaxed);
    });
    let reported = reported.into_inner().expect("not poisoned");
    let store = Store::open(&path).expect("the store is whole");
    assert_eq!(store.damage().expect("it can be checked"), None);
    let rows = store.list(None, 0, usize::MAX).expect("rows");
    let kept: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(kept.len(), rows.len(), "each match once");
    for id in &reported.ids {
        assert!(kept.contains(id.as_str()), "{id} was reported and is lost");
    }
    assert!(rows.len() <= reported.ids.len() + reported.kills);
    let rulebook = rulebook("tic_tac_toe");
    let unharmed: BTreeSet<String> = good.iter().map(Player::spec).collect();
    let mut errors = 0;
    let mut harmed: Vec<String> = Vec::new();
    for row in &rows {
        let record = store.record(row.number).expect("readable").expect("there");
        assert!(record.is_completed, "{}", record.match_id);
        assert_eq!(verify_record(&record, &**rulebook.reference()), Verdict::Agrees, "{}", record.match_id);
        for (state, role, fault) in record.faults() {
            let whose = &record.player_names_from_host[role];
            match unharmed.contains(whose) {
                true => harmed.push(format!("{} at {state}: {fault}", record.match_id)),
                false => errors += 1,
            }
        }
    }
    let slowest = reported.answers.iter().copied().fold(0.0, f64::max);
    let late = reported.answers.iter().filter(|&&seconds| seconds > PLAY_CLOCK).count();
    println!(
        "{} matches kept, {} reported, {} referees killed, {errors} errors of the player that dies; {} answers \
         of the other, slowest {slowest:.3} s, {late} after the play clock of {PLAY_CLOCK} s; {:.0} s in all",
        rows.len(),
        reported.ids.len(),
        reported.kills,
        reported.answers.len(),
        begun.elapsed().as_secs_f64()
    );
    assert!(rows.len() >= many);
    let some: Vec<&String> = harmed.iter().take(20).collect();
    assert!(harmed.is_empty(), "{} errors of the player that nobody harms: {some:#?}", harmed.len());
}
