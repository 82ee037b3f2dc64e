//! Matches in one process: what is played, what is recorded, what happens when players misbehave.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{assert_sound, clocked, counted, players, rulebook};
use ludex_arena::{
    Check, End, Event, MatchRecord, MatchSetup, Observer, Participant, PlayerFault, Rulebook, SetupError,
    Verdict, run_match, verify_record,
};
use ludex_game::{Failure, State};
use ludex_search::{Budget, Random, Search, SearchContext, SearchReport, Stop, StopReason};

fn details(record: &MatchRecord) -> &ludex_arena::Details {
    record.ludex.as_ref().expect("ours")
}

#[test]
fn games_of_all_kinds_are_played_to_their_ends() {
    for (game, specs) in [
        ("tic_tac_toe", &["mc", "random"][..]),
        ("connect_four", &["mc", "mc"]),
        ("eight_puzzle", &["random"]),
        ("blocker_simultaneous", &["mc", "random"]),
        ("connect_four_3p", &["random", "mc", "legal"]),
        ("chinese_checkers_6", &["random", "legal", "random", "random", "legal", "random"]),
    ] {
        let rulebook = rulebook(game);
        let setup = MatchSetup { check: Check::Everything, ..counted(specs, 200, 7) };
        let record = run_match(&rulebook, &setup, &mut ()).unwrap();
        assert_eq!(details(&record).end, End::Finished, "{game}");
        assert!(record.is_completed && !record.is_aborted, "{game}");
        assert_eq!(record.goal_values.len(), specs.len(), "{game}");
        assert_eq!(details(&record).goals_from, "reference", "{game}");
        assert_eq!(record.player_names_from_host, specs, "{game}");
        assert_eq!(record.error_count(), 0, "{game}");
        assert_sound(&rulebook, &record);
    }
}

#[test]
fn a_seed_decides_the_whole_match() {
    for (game, specs) in [
        ("connect_four", &["mc:each=8", "mc:each=8"][..]),
        ("blocker_simultaneous", &["mc:each=8", "random"]),
        ("eight_puzzle", &["random"]),
    ] {
        let rulebook = rulebook(game);
        let play = |seed| run_match(&rulebook, &counted(specs, 300, seed), &mut ()).unwrap();
        let first = play(3);
        assert_eq!(first.without_times(), play(3).without_times(), "{game}");
        assert_ne!(first.match_id, play(3).match_id, "ids tell matches apart");
        assert!((4..8).any(|seed| play(seed).moves != first.moves), "{game}");
        let seen = details(&first).thinking.iter().flatten().flatten().next().expect("a report");
        assert_eq!(seen.value.is_some(), specs[0] != "random", "{seen:?}");
        assert_eq!(seen.playouts, if specs[0] == "random" { 0 } else { 300 }, "{seen:?}");
    }
}

#[test]
fn players_are_seated_by_the_seed_on_request() {
    let rulebook = rulebook("tic_tac_toe");
    let names = |seed| {
        let setup = MatchSetup { shuffle: true, ..counted(&["legal", "random"], 1, seed) };
        run_match(&rulebook, &setup, &mut ()).unwrap().player_names_from_host
    };
    let seen: Vec<_> = (0..16).map(names).collect();
    assert!(seen.iter().any(|names| names == &["legal", "random"]));
    assert!(seen.iter().any(|names| names == &["random", "legal"]));
    assert_eq!(names(5), names(5));
}

#[test]
fn a_match_that_cannot_be_is_refused() {
    let rulebook = rulebook("tic_tac_toe");
    let refused = |setup: &MatchSetup| run_match(&rulebook, setup, &mut ()).unwrap_err();
    let error = refused(&counted(&["mc"], 1, 0));
    assert_eq!(error.to_string(), "the game has 2 roles (x, o), but there is 1 player");
    let setup = MatchSetup { ponder: true, ..counted(&["mc", "mc"], 1, 0) };
    assert_eq!(refused(&setup), SetupError::PonderWithPlayouts);
    let setup = MatchSetup { id: Some("a b".into()), ..counted(&["mc", "mc"], 1, 0) };
    assert_eq!(refused(&setup), SetupError::Id("a b".into()));
    let setup = MatchSetup { play_clock: Duration::MAX, ..counted(&["mc", "mc"], 1, 0) };
    assert_eq!(refused(&setup), SetupError::Clock(Duration::MAX));
    let error = "randm".parse::<Participant>().unwrap_err().to_string();
    assert!(error.contains("did you mean `random`"), "{error}");
}

/// What a search of our own does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Vice {
    Panics,
    PanicsWhenMade,
    Fails,
    SaysNothing,
    SaysNonsense,
    Hangs,
}

struct Bad {
    vice: Vice,
    good: Random,
}

impl Search for Bad {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.good.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        match self.vice {
            Vice::Panics => panic!("out of luck"),
            Vice::Fails => Err(Failure::Limit("out of memory".into())),
            Vice::Hangs => {
                // Does not look at the clock, but at least ends with the test.
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_secs(3) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                self.good.think(budget)
            }
            _ => Ok(StopReason::Finished),
        }
    }

    fn report(&self) -> SearchReport {
        match self.vice {
            Vice::SaysNothing => SearchReport::default(),
            Vice::SaysNonsense => {
                SearchReport { best: Some(ludex_game::MoveId(1 << 30)), ..SearchReport::default() }
            }
            _ => self.good.report(),
        }
    }
}

fn bad(vice: Vice) -> Participant {
    let make = move |context: SearchContext| -> Box<dyn Search> {
        assert!(vice != Vice::PanicsWhenMade, "not today");
        Box::new(Bad { vice, good: Random::new(context) })
    };
    Participant::Own { name: format!("{vice:?}"), make: Arc::new(make) }
}

fn with_bad(vice: Vice, mut setup: MatchSetup) -> MatchSetup {
    setup.players[1] = bad(vice);
    setup
}

/// The faults of the second role; the first one has none.
fn faults(record: &MatchRecord) -> Vec<PlayerFault> {
    record
        .faults()
        .map(|(_, role, fault)| {
            assert_eq!(role, 1, "{fault}");
            fault
        })
        .collect()
}

#[test]
fn a_player_that_breaks_down_gets_random_moves_and_the_others_play_on() {
    let rulebook = rulebook("tic_tac_toe");
    for clocks in [false, true] {
        for (vice, kind) in [
            (Vice::Panics, "CE the player panicked: out of luck"),
            (Vice::PanicsWhenMade, "CE the player panicked: not today"),
            (Vice::Fails, "CE out of memory"),
            (Vice::SaysNothing, "IL no move"),
            (Vice::SaysNonsense, "IL "),
        ] {
            let setup =
                if clocks { clocked(&["legal", "mc"], 0.2, 0.2) } else { counted(&["legal", "mc"], 10, 1) };
            let record = run_match(&rulebook, &with_bad(vice, setup), &mut ()).unwrap();
            assert_eq!(details(&record).end, End::Finished, "{vice:?}");
            let faults = faults(&record);
            assert!(faults.len() >= 2, "{vice:?}: {faults:?}");
            assert!(faults.iter().all(|fault| fault.to_string().starts_with(kind)), "{vice:?}: {faults:?}");
            assert_sound(&rulebook, &record);
        }
    }
}

#[test]
fn a_player_that_hangs_is_late_and_stops_nobody() {
    let rulebook = rulebook("tic_tac_toe");
    let grace = Duration::from_millis(100);
    let setup = MatchSetup { grace, ..with_bad(Vice::Hangs, clocked(&["legal", "mc"], 0.1, 0.1)) };
    let begun = Instant::now();
    let record = run_match(&rulebook, &setup, &mut ()).unwrap();
    assert!(begun.elapsed() < Duration::from_millis(2500), "{:?}", begun.elapsed());
    assert_eq!(details(&record).end, End::Finished);
    let faults = faults(&record);
    assert!(faults.len() >= 3 && faults.iter().all(|fault| *fault == PlayerFault::TimeOut), "{faults:?}");
    assert_sound(&rulebook, &record);
}

#[test]
fn clocks_are_kept_by_built_in_players() {
    let rulebook = rulebook("connect_four_4x4");
    let setup = clocked(&["mc", "mc"], 0.1, 0.05);
    let mut slowest = Duration::ZERO;
    let mut watch = |event: &Event<'_>| {
        if let Event::Answered { step: 1.., took, .. } = event {
            slowest = slowest.max(*took);
        }
    };
    let record = run_match(&rulebook, &setup, &mut watch).unwrap();
    assert_eq!(record.error_count(), 0, "{:?}", record.errors);
    assert!(slowest < Duration::from_millis(1050), "{slowest:?}");
    assert_sound(&rulebook, &record);
}

#[test]
fn players_get_ready_together_or_in_turn() {
    let rulebook = rulebook("tic_tac_toe");
    for (start_in_turn, rounds) in
        [(false, vec![vec![true, true]]), (true, vec![vec![true, false], vec![false, true]])]
    {
        let setup = MatchSetup { start_in_turn, ..clocked(&["mc", "mc"], 0.05, 0.02) };
        let mut asked = Vec::new();
        let mut watch = |event: &Event<'_>| {
            if let Event::Asked { step: 0, thinking, .. } = event {
                asked.push(thinking.to_vec());
            }
        };
        let record = run_match(&rulebook, &setup, &mut watch).unwrap();
        assert_eq!(asked, rounds);
        assert_eq!(record.errors.len(), record.states.len());
        assert_sound(&rulebook, &record);
    }
}

#[test]
fn pondering_does_no_harm() {
    let rulebook = rulebook("tic_tac_toe");
    let setup = MatchSetup { ponder: true, ..clocked(&["mc", "mc"], 0.05, 0.05) };
    let record = run_match(&rulebook, &setup, &mut ()).unwrap();
    assert!(record.is_completed && details(&record).pondering);
    assert_eq!(record.error_count(), 0, "{:?}", record.errors);
}

#[test]
fn the_referee_moves_for_chance() {
    let text = "(role random) (role you) (init (left 3)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal random (roll ?n)) (succ ?n ?m)) (legal you (guess 0)) (legal you (guess 1))
        (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
        (<= (next (seen ?n)) (does random (roll ?n))) (<= (next (seen ?n)) (true (seen ?n)))
        (<= terminal (true (left 0))) (goal you 50) (goal random 0)";
    let rulebook = Rulebook::new("dice", text).unwrap();
    assert_eq!(rulebook.seats(), 1);
    let rolls = |seed| {
        let record = run_match(&rulebook, &counted(&["legal"], 1, seed), &mut ()).unwrap();
        assert_sound(&rulebook, &record);
        assert_eq!(record.player_names_from_host, ["chance", "legal"]);
        record.moves.iter().map(|joint| joint[0].clone()).collect::<Vec<_>>()
    };
    let all: std::collections::BTreeSet<_> = (0..10).flat_map(rolls).collect();
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(rolls(4), rolls(4));
}

/// A game of one role in which `broken` happens after two steps.
fn broken(rule: &str) -> Rulebook {
    let text = format!(
        "(role you) (init (left 2)) (succ 0 1) (succ 1 2)
         (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m)) {rule}"
    );
    Rulebook::new("broken", &text).unwrap()
}

#[test]
fn faulty_rules_end_the_match_and_the_record_is_kept() {
    let stuck = broken("(<= (legal you go) (true (left 2))) (<= terminal (true (left 0))) (goal you 0)");
    let no_goal = broken("(legal you go) (<= terminal (true (left 0))) (<= (goal you 0) (true (left 2)))");
    let two_goals = broken("(legal you go) (<= terminal (true (left 0))) (goal you 0) (goal you 100)");
    for (rulebook, words, steps) in
        [(stuck, "no legal move", 1), (no_goal, "you none", 2), (two_goals, "you 0 and 100", 2)]
    {
        let record = run_match(&rulebook, &counted(&["legal"], 1, 0), &mut ()).unwrap();
        let End::Fault(reason) = &details(&record).end else { panic!("{:?}", details(&record).end) };
        assert!(reason.contains(words), "{reason}");
        assert_eq!(record.steps(), steps);
        assert!(record.is_aborted && !record.is_completed && record.goal_values.is_empty());
        assert_sound(&rulebook, &record);
    }
}

#[test]
fn matches_without_end_are_given_up() {
    let endless = broken(
        "(legal you go) (<= terminal (true (left 9))) (goal you 0) (<= (next (left 2)) (true (left 0)))",
    );
    let setup = MatchSetup { max_steps: 10, ..counted(&["legal"], 1, 0) };
    let record = run_match(&endless, &setup, &mut ()).unwrap();
    assert_eq!((&details(&record).end, record.steps()), (&End::StepLimit, 10));
    assert_sound(&endless, &record);
}

#[test]
fn a_match_can_be_aborted_from_outside() {
    let rulebook = rulebook("tic_tac_toe");
    let abort = Stop::new();
    let setup = MatchSetup { abort: abort.clone(), ..clocked(&["mc", "mc"], 0.05, 0.3) };
    let mut moved = 0;
    let mut watch = |event: &Event<'_>| {
        if matches!(event, Event::Moved { .. }) {
            moved += 1;
            if moved == 2 {
                abort.set();
            }
        }
    };
    let record = run_match(&rulebook, &setup, &mut watch).unwrap();
    assert_eq!(details(&record).end, End::Aborted);
    assert!(record.is_aborted && record.goal_values.is_empty());
    assert_eq!(record.steps(), 2);
    assert_sound(&rulebook, &record);
}

/// Writes down what it is told.
#[derive(Default)]
struct Diary(Vec<String>);

impl Observer for Diary {
    fn event(&mut self, event: &Event<'_>) {
        let line = match event {
            Event::Started { .. } => "started".to_owned(),
            Event::Asked { step, thinking, .. } => format!("asked {step} {thinking:?}"),
            Event::Waiting { .. } => return,
            Event::Answered { step, role, chosen, .. } => format!("answered {step} {role} {chosen:?}"),
            Event::Moved { step, record } => format!("moved {step} {}", record.moves.len()),
            Event::TakenBack { step, .. } => format!("back to {step}"),
            Event::Ended { record } => format!("ended {:?}", record.goal_values),
        };
        self.0.push(line);
    }
}

#[test]
fn watchers_are_told_everything_in_order() {
    let rulebook = rulebook("tic_tac_toe");
    let mut diary = Diary::default();
    let record = run_match(&rulebook, &counted(&["legal", "legal"], 1, 0), &mut diary).unwrap();
    assert_eq!(diary.0[..2], ["started", "asked 0 [false, false]"]);
    assert_eq!(diary.0[2], "asked 1 [true, false]");
    assert_eq!(diary.0[3], format!("answered 1 0 Some({:?})", record.moves[0][0]));
    assert_eq!(diary.0[4], "moved 1 1");
    assert_eq!(diary.0.last().unwrap(), &format!("ended {:?}", record.goal_values));
    assert_eq!(diary.0.len(), 3 + 3 * record.steps());
}

#[test]
fn ten_thousand_matches_are_a_matter_of_seconds() {
    let rulebook = rulebook("tic_tac_toe");
    let many = 500; // of the ten thousand, in a build for tests
    let begun = Instant::now();
    for seed in 0..many {
        let record = run_match(&rulebook, &counted(&["random", "random"], 1, seed), &mut ()).unwrap();
        assert!(record.is_completed);
    }
    // A thread for each move, or a game set up for each match, would cost far more.
    let each = begun.elapsed() / u32::try_from(many).unwrap();
    assert!(each < Duration::from_millis(20), "{each:?} for a match");
}

#[test]
fn tampered_records_are_found_out() {
    let rulebook = rulebook("connect_four_4x4");
    let record = run_match(&rulebook, &counted(&["mc:each=8", "random"], 50, 2), &mut ()).unwrap();
    let found = |change: &dyn Fn(&mut MatchRecord)| {
        let mut record = record.clone();
        change(&mut record);
        match verify_record(&record, &**rulebook.reference()) {
            Verdict::Differs(difference) => difference.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(found(&|r| r.goal_values[0] = 33).contains("the goal of"));
    assert!(found(&|r| r.moves[2].reverse()).contains("the move of"));
    assert!(found(&|r| r.states[3] = r.states[1].clone()).contains("state 3: the facts"));
    assert!(found(&|r| r.is_completed = false).contains("the end"));
    let last = record.steps() - 1;
    let text = found(&|r| {
        r.moves.truncate(last);
        r.states.truncate(last + 1);
    });
    assert!(text.contains("the end"), "{text}");
    let other = common::rulebook("tic_tac_toe");
    assert!(matches!(verify_record(&record, &**other.reference()), Verdict::Differs(_)));
}

#[test]
fn what_is_no_record_is_refused_with_the_reason() {
    let rulebook = rulebook("tic_tac_toe");
    let record = run_match(&rulebook, &counted(&["random", "random"], 1, 2), &mut ()).unwrap();
    let refused = |change: &dyn Fn(&mut MatchRecord)| {
        let mut record = record.clone();
        change(&mut record);
        MatchRecord::read(record.to_json().as_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|r| r.states.clear()).contains("0 states"));
    assert!(refused(&|r| r.moves[0].push("noop".into())).contains("3 moves in step 1"));
    assert!(refused(&|r| r.states[1] = "((".into()).contains("state 1 is not a list"));
    assert!(refused(&|r| r.moves[1][0] = "a b".into()).contains("step 2"));
    assert!(refused(&|r| r.errors[1][0] = "late".into()).contains("`late`"));
    assert!(refused(&|r| r.goal_values.clear()).contains("no goals"));
    assert!(refused(&|r| r.goal_values[0] = 101).contains("101"));
    assert!(refused(&|r| r.play_clock = -3.0).contains("play clock"));
    assert!(refused(&|r| r.state_times.push(0)).contains("times"));
    for bytes in [&b""[..], b"{", b"[]", b"{\"matchId\":1}", &[0xff; 64], &b"[".repeat(100_000)] {
        assert!(MatchRecord::read(bytes).is_err());
    }
}

#[test]
fn damaged_records_are_read_or_refused() {
    let rulebook = rulebook("tic_tac_toe");
    let record = run_match(&rulebook, &counted(&["random", "random"], 1, 2), &mut ()).unwrap();
    let whole = record.to_json().into_bytes();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut read, mut agree) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[at] = random.u8(b' '..=b'~'),
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let Ok(record) = MatchRecord::read(&bytes) else { continue };
        read += 1;
        agree += usize::from(verify_record(&record, &**rulebook.reference()) == Verdict::Agrees);
    }
    // Damage to names and rules is not seen; damage to states and moves is.
    assert!(read > 100 && agree > 50 && agree < read, "{read} read, {agree} agree");
}

#[test]
fn records_of_others_are_read_and_verified() {
    // The form of ggp-base: blanks inside of parentheses, its own order of facts, no part of ours.
    let text = r#"{"matchId":"m.1","randomToken":"t","startTime":1500000000000,"gameMetaURL":"http://games/x/v0/",
        "isCompleted":true,"isAborted":false,"states":["( ( left 1 ) )","( ( left 0 ) )"],"moves":[["take"]],
        "stateTimes":[1,2],"errors":[[""],["TO"]],"goalValues":[100],"previewClock":-1,"startClock":30,
        "playClock":15,"playerNamesFromHost":["A"],"isPlayerHuman":[false],"scrambled":true}"#;
    let record = MatchRecord::read(text.as_bytes()).unwrap();
    let rules = "(role you) (init (left 1)) (legal you take) (<= (next (left 0)) (does you take))
        (<= terminal (true (left 0))) (goal you 100)";
    let rulebook = Rulebook::new("x", rules).unwrap();
    assert_eq!(verify_record(&record, &**rulebook.reference()), Verdict::Agrees);
    assert_eq!(record.faults().collect::<Vec<_>>(), [(1, 0, PlayerFault::TimeOut)]);
    let json: serde_json::Value = serde_json::from_str(&record.to_json()).unwrap();
    let theirs: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(json, theirs, "what others wrote is written again");
    assert_eq!(players(&["mc"]).len(), 1);
}
