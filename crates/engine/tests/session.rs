//! A session always has a legal move in time, whatever its search and its engines do.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_engine::{Answer, By, History, MakeSearch, Player, Session, SessionOptions, Standing};
use ludex_game::{Failure, Game, RoleId, State};
use ludex_reasoner::BuildOptions;
use ludex_search::{Budget, Look, LookError, Question, Search, SearchReport, StopReason};
use ludex_testkit::{library_rules as built_in, rules, rules_despite_errors, text};

/// Long enough for set-up on a busy machine.
const SOON: Duration = Duration::from_secs(10);

fn history(steps: &[[&str; 2]]) -> History {
    steps.iter().map(|joint| joint.map(str::to_owned).to_vec()).collect()
}

fn mc(options: SessionOptions) -> Session {
    let player = Player::new("mc").expect("a player");
    Session::start(built_in("tic_tac_toe"), RoleId::new(0), &player, options)
}

fn legal(answer: &Answer) -> &[String] {
    match &answer.standing {
        Some(Standing::Open { legal, .. }) => legal,
        other => panic!("expected legal moves, not {other:?}"),
    }
}

/// Waits until the guard knows the position, then for the answer.
fn answer(session: &Session, histories: Vec<History>, think: Duration) -> Answer {
    let ticket = session.set_position(histories);
    session.standing(ticket, Instant::now() + SOON).expect("the guard knows");
    session.answer(ticket, Some(Instant::now() + think))
}

#[test]
fn the_search_chooses_and_the_report_has_names() {
    let session = mc(SessionOptions::default());
    assert!(session.get_ready(Instant::now() + Duration::from_millis(1500), Instant::now() + SOON));
    let answer =
        answer(&session, vec![history(&[["(mark 1 1)", "noop"], ["noop", "(mark 3 3)"]])], SOON / 20);
    let (choice, by) = answer.choice.clone().expect("a move");
    assert_eq!(by, By::Search);
    assert_eq!(legal(&answer).len(), 7);
    assert!(legal(&answer).contains(&choice));
    let report = answer.report.expect("a report");
    assert_eq!(report.best.as_ref(), Some(&choice));
    assert!(report.playouts > 0 && report.visits() > 0 && report.playouts_per_second() > 0.0);
    assert!((0.0..=100.0).contains(&report.value(0).expect("a value")));
    assert_eq!(report.candidates.len(), 7);
}

#[test]
fn a_history_may_go_on_go_back_or_be_another_one() {
    let session = mc(SessionOptions::default());
    let long = history(&[["(mark 1 1)", "noop"], ["noop", "(MARK 3 3)"], ["( mark 2 2)", "noop"]]);
    let quick = Duration::from_millis(20);
    assert_eq!(answer(&session, vec![long.clone()], quick).choice.map(|(name, _)| name), Some("noop".into()));
    assert_eq!(legal(&answer(&session, vec![long[..2].to_vec()], quick)).len(), 7);
    let other = history(&[["(mark 3 3)", "noop"]]);
    assert_eq!(legal(&answer(&session, vec![other], quick)).len(), 1);
    // Twice the same square is not possible; of several histories the first that is possible
    // counts.
    let wrong = history(&[["(mark 1 1)", "noop"], ["noop", "(mark 1 1)"]]);
    let refused = answer(&session, vec![wrong.clone()], quick);
    assert_eq!((refused.standing, refused.choice), (Some(Standing::Impossible), None));
    let second = answer(&session, vec![wrong, long[..2].to_vec()], quick);
    assert_eq!(second.history, Some(1));
    assert_eq!(legal(&second).len(), 7);
    let few = vec![vec!["(mark 1 1)".to_owned()]];
    assert_eq!(answer(&session, vec![few], quick).standing, Some(Standing::Impossible));
}

/// Another thread looks into the tree while the search thinks, and after it has thought.
#[test]
fn a_tree_can_be_looked_into() {
    let player = Player::new("ludex").expect("a player");
    let start = |playouts| {
        let options = SessionOptions { playouts, ..SessionOptions::default() };
        Session::start(built_in("connect_four"), RoleId::new(0), &player, options)
    };
    // More playouts than the test has time for: the search is at work while it is asked.
    let session = start(Some(1 << 40));
    let ticket = session.position();
    let ask = |path: &[[&str; 2]], lines| {
        let question = Question { path: history(path), lines, steps: 6 };
        session.look(ticket, question, SOON)
    };
    let mut root = ask(&[], 3);
    let begun = Instant::now();
    while !root.as_ref().is_ok_and(|look| look.visits >= 5_000) && begun.elapsed() < 3 * SOON {
        root = ask(&[], 3);
    }
    let root = root.expect("a look");
    assert_eq!((root.choices.len(), root.choices[0].role, root.choices[0].moves.len()), (1, 0, 7));
    assert_eq!(root.choices[0].moves.iter().map(|known| known.visits).sum::<u64>(), root.visits);
    assert_eq!(root.lines.len(), 3);
    let first = |at: usize| root.lines[at].moves[0][0].clone();
    assert!(first(0) != first(1) && first(1) != first(2) && first(0) != first(2), "{:?}", root.lines);
    assert!(root.lines.iter().all(|line| line.moves.len() > 1 && line.moves.len() <= 6));
    let best = root.choices[0].moves[0].clone();
    assert!(best.value.is_some_and(|value| (0.0..=100.0).contains(&value)), "{best:?}");
    let below = ask(&[[best.id.as_str(), "noop"]], 1).expect("a look");
    assert_eq!((below.choices[0].role, below.visits <= session_visits(&ask(&[], 0))), (1, true));
    assert_eq!(ask(&[["(drop 1)", "(drop 1)"]], 1), Err(LookError::NotInTree(0)));
    assert_eq!(ask(&[["(jump 1)", "noop"]], 1), Err(LookError::NoMove("(jump 1)".to_owned())));
    let report = session.answer(ticket, Some(Instant::now())).report;
    assert!(report.is_none_or(|report| report.playouts == 0), "it was never stopped");

    // Asking changes nothing: the same seed and playouts, asked and left alone.
    let think = |asked: bool| {
        let session = start(Some(6_000));
        let ticket = session.position();
        let begun = Instant::now();
        let mut visits = if asked { 0 } else { u64::MAX };
        while visits < 5_000 && begun.elapsed() < SOON {
            visits = session_visits(&session.look(ticket, Question::default(), SOON));
        }
        let report = session.answer(ticket, Some(Instant::now() + 6 * SOON)).report.expect("a report");
        // It rests and answers still.
        assert!(session.look(ticket, Question::default(), SOON).is_ok_and(|look| look.visits > 5_000));
        let later = session.set_position(vec![history(&[["(drop 1)", "noop"]])]);
        assert_eq!(session.look(ticket, Question::default(), SOON), Err(LookError::OldPosition));
        assert!(session.answer(later, Some(Instant::now() + 6 * SOON)).report.is_some());
        SearchReport { elapsed: Duration::ZERO, ..(*report).clone() }
    };
    assert_eq!(think(true), think(false));
    let flat = mc(SessionOptions::default());
    assert!(flat.get_ready(Instant::now() + SOON / 20, Instant::now() + SOON));
    assert_eq!(flat.look(flat.position(), Question::default(), SOON), Err(LookError::NoTree));
}

fn session_visits(look: &Result<Look<String>, LookError>) -> u64 {
    look.as_ref().map_or(0, |look| look.visits)
}

#[test]
fn the_end_is_seen() {
    let session = mc(SessionOptions::default());
    let won = history(&[
        ["(mark 1 1)", "noop"],
        ["noop", "(mark 3 3)"],
        ["(mark 1 2)", "noop"],
        ["noop", "(mark 3 2)"],
        ["(mark 1 3)", "noop"],
    ]);
    let over = answer(&session, vec![won], SOON);
    assert_eq!(over.standing, Some(Standing::Over { goals: vec![Some(100), Some(0)] }));
    assert_eq!(over.choice, None);
}

#[test]
fn moves_are_spelled_as_the_rules_spell_them() {
    let text = text("tic_tac_toe");
    let upper: String =
        text.lines().map(|line| line.split(';').next().unwrap_or("").to_uppercase()).collect();
    let player = Player::new("mc").expect("a player");
    let session = Session::start(rules(&upper), RoleId::new(0), &player, SessionOptions::default());
    let answer = answer(&session, vec![history(&[])], Duration::from_millis(50));
    let (choice, _) = answer.choice.expect("a move");
    assert!(choice.starts_with("(MARK "), "{choice}");
}

#[test]
fn the_same_playouts_give_the_same_thoughts() {
    let think = |seed| {
        let session = mc(SessionOptions { playouts: Some(3000), seed, ..SessionOptions::default() });
        let mut reports = Vec::new();
        for steps in [&[][..], &[["(mark 2 2)", "noop"], ["noop", "(mark 1 1)"]]] {
            let ticket = session.set_position(vec![history(steps)]);
            let answer = session.answer(ticket, None);
            let report = answer.report.expect("a report");
            assert_eq!(answer.engine.expect("an engine").engine, "batch");
            assert_eq!(report.playouts, 3000);
            let seen: Vec<_> =
                report.candidates.iter().map(|c| (c.id.clone(), c.visits, c.values.clone())).collect();
            reports.push((report.best.clone(), seen));
        }
        reports
    };
    assert_eq!(think(7), think(7));
    assert_ne!(think(7), think(8));
}

/// A search that misbehaves.
struct Bad {
    what: &'static str,
    game: Arc<dyn Game>,
}

impl Search for Bad {
    fn set_root(&mut self, _: &State) -> Result<(), Failure> {
        match self.what {
            "hangs at the root" => std::thread::sleep(SOON),
            "panics at the root" => panic!("on purpose"),
            "fails at the root" => return Err(Failure::Limit("on purpose".to_owned())),
            _ => {}
        }
        Ok(())
    }

    fn think(&mut self, _: &Budget) -> Result<StopReason, Failure> {
        match self.what {
            "hangs" => std::thread::sleep(SOON),
            "panics" => panic!("on purpose"),
            "fails" => return Err(Failure::Limit("on purpose".to_owned())),
            _ => {}
        }
        Ok(StopReason::Finished)
    }

    fn report(&self) -> SearchReport {
        let best = if self.what == "cheats" { self.game.find_move("noop") } else { None };
        SearchReport { best, ..SearchReport::default() }
    }
}

fn with(what: &'static str) -> Session {
    let make: MakeSearch = Arc::new(move |context| Box::new(Bad { what, game: context.game }));
    Session::with_search(built_in("tic_tac_toe"), RoleId::new(1), make, SessionOptions::default())
}

#[test]
fn whatever_the_search_does_a_legal_move_goes_out_in_time() {
    let begun = Instant::now();
    for what in [
        "hangs at the root",
        "panics at the root",
        "fails at the root",
        "hangs",
        "panics",
        "fails",
        "finds nothing",
    ] {
        let session = with(what);
        let ticket = session.set_position(vec![history(&[["(mark 1 1)", "noop"]])]);
        session.standing(ticket, Instant::now() + SOON).expect("the guard knows");
        // Those who hang are waited for until the deadline, nobody else.
        let deadline =
            Instant::now() + Duration::from_millis(if what.contains("hangs") { 300 } else { 5000 });
        let answer = session.answer(ticket, Some(deadline));
        assert!(Instant::now() < deadline + Duration::from_millis(1000), "{what}: late");
        assert!(what.contains("hangs") || Instant::now() < deadline, "{what}: no need to wait");
        let (choice, by) = answer.choice.clone().expect(what);
        assert_eq!(by, By::Guard, "{what}");
        assert!(legal(&answer).contains(&choice), "{what}: {choice}");
        let complains = !what.contains("hangs") && what != "finds nothing";
        assert_eq!(answer.failure.is_some(), complains, "{what}");
        // And the next position too.
        let ticket = session.set_position(vec![history(&[["(mark 2 2)", "noop"]])]);
        session.standing(ticket, Instant::now() + SOON).expect("the guard knows");
        let next = session.answer(ticket, Some(Instant::now() + Duration::from_millis(100)));
        assert!(next.choice.is_some(), "{what}");
    }
    assert!(begun.elapsed() < SOON, "dropping does not wait for those who hang");
}

#[test]
fn a_move_that_is_not_legal_is_not_made() {
    let session = with("cheats");
    let ticket = session.set_position(vec![history(&[["(mark 1 1)", "noop"]])]);
    session.standing(ticket, Instant::now() + SOON).expect("the guard knows");
    let answer = session.answer(ticket, Some(Instant::now() + SOON));
    assert_eq!(answer.report.as_ref().and_then(|report| report.best.as_deref()), Some("noop"));
    let (choice, by) = answer.choice.clone().expect("a move");
    assert_eq!(by, By::Guard);
    assert!(legal(&answer).len() == 8 && legal(&answer).contains(&choice));
}

#[test]
fn threads_end_when_the_session_is_dropped() {
    let token = Arc::new(());
    let held = Arc::clone(&token);
    let player = Player::new("mc").expect("a player");
    let make: MakeSearch = Arc::new(move |context| {
        let _ = &held;
        player.search(context)
    });
    let options = SessionOptions { ponder: SOON, ..SessionOptions::default() };
    let session = Session::with_search(built_in("connect_four"), RoleId::new(0), make, options);
    session.get_ready(Instant::now() + Duration::from_millis(200), Instant::now() + SOON);
    assert!(Arc::strong_count(&token) > 1);
    drop(session);
    let begun = Instant::now();
    while Arc::strong_count(&token) > 1 {
        assert!(begun.elapsed() < SOON, "somebody is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_better_engine_takes_over() {
    let build = BuildOptions { head_start: Duration::ZERO, ..BuildOptions::default() };
    let options = SessionOptions { build, ..SessionOptions::default() };
    let player = Player::new("mc").expect("a player");
    let session = Session::start(built_in("connect_four"), RoleId::new(0), &player, options);
    let begun = Instant::now();
    while session.engine().is_none_or(|choice| choice.engine != "batch") {
        assert!(begun.elapsed() < SOON * 3, "{:?}", session.engine());
        std::thread::sleep(Duration::from_millis(5));
    }
    let answer = answer(&session, vec![history(&[])], Duration::from_millis(300));
    assert!(answer.report.is_some());
    assert_eq!(answer.engine.expect("an engine").engine, "batch");
}

#[test]
fn what_cannot_be_run_says_why_and_answers_at_once() {
    // Facts grow for ever before the first state is known.
    let endless = "(role a) (<= (init (n ?x)) (p ?x)) (p z) (<= (p (s ?x)) (p ?x)) (legal a go) (goal a 0)
        (<= terminal (true (n z)))";
    let rules = rules_despite_errors(endless);
    let player = Player::new("mc").expect("a player");
    let session = Session::start(rules, RoleId::new(0), &player, SessionOptions::default());
    let ticket = session.position();
    let begun = Instant::now();
    let answer = session.answer(ticket, Some(begun + Duration::from_millis(500)));
    assert!(begun.elapsed() < SOON);
    assert_eq!(answer.choice, None);
}
