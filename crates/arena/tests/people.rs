//! People at the table: asked without a clock, may take moves back and resign.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ludex_arena::{
    Check, End, Event, MatchRecord, MatchSetup, Participant, Person, PersonAnswer, PlayerFault, Request,
    Rulebook, Verdict, run_match, verify_record,
};
use ludex_reasoner::Reference;

/// A person whose requests come out of a channel.
fn person() -> (Participant, Receiver<Request>) {
    let (sender, requests) = channel();
    // If the test is over, nobody answers.
    (Participant::Person(Person::new(move |request| drop(sender.send(request)))), requests)
}

/// Plays a match in which somebody else answers the requests.
fn played(
    game: &str,
    setup: MatchSetup,
    answer: impl FnOnce() + Send + 'static,
) -> (MatchRecord, Vec<String>) {
    let rulebook = Rulebook::new(game, ludex_testkit::text(game)).unwrap();
    let answering = std::thread::spawn(answer);
    let mut seen = Vec::new();
    let mut watch = |event: &Event<'_>| match event {
        Event::Moved { step, record } => seen.push(format!("{step} {}", record.moves[step - 1].join(" "))),
        Event::TakenBack { step, .. } => seen.push(format!("back to {step}")),
        _ => {}
    };
    let record = run_match(&rulebook, &setup, &mut watch).unwrap();
    drop(setup); // with it the channels of requests end
    answering.join().unwrap();
    let rules = ludex_gdl::load(&ludex_gdl::Source::new(game, ludex_testkit::text(game))).playable().unwrap();
    assert!(matches!(verify_record(&record, &Reference::new(rules).unwrap()), Verdict::Agrees));
    (record, seen)
}

fn setup(players: Vec<Participant>) -> MatchSetup {
    MatchSetup { playouts: Some(50), seed: 1, check: Check::Everything, ..MatchSetup::new(players) }
}

fn say(requests: &Receiver<Request>, answer: PersonAnswer) {
    requests.recv_timeout(Duration::from_secs(60)).expect("a request").answer(answer);
}

fn mark(cell: &str) -> PersonAnswer {
    PersonAnswer::Move(format!("(mark {cell})"))
}

#[test]
fn two_people_play_and_take_back() {
    let ((x, x_asked), (o, o_asked)) = (person(), person());
    let (record, seen) = played("tic_tac_toe", setup(vec![x, o]), move || {
        say(&x_asked, mark("1 1"));
        say(&o_asked, mark("2 1"));
        say(&x_asked, PersonAnswer::TakeBack(1));
        say(&o_asked, mark("3 3"));
        for (who, cell) in [(&x_asked, "1 2"), (&o_asked, "3 2"), (&x_asked, "1 3")] {
            say(who, mark(cell));
        }
    });
    assert_eq!(seen[1..4], ["2 noop (mark 2 1)", "back to 1", "2 noop (mark 3 3)"]);
    assert_eq!((record.goal_values, record.is_player_human), (vec![100, 0], vec![true, true]));
    assert_eq!((record.moves.len(), record.states.len(), record.errors.len()), (5, 6, 6));
}

#[test]
fn a_person_plays_with_a_machine_and_resigns() {
    let (x, asked) = person();
    let (record, _) = played("tic_tac_toe", setup(vec![x, "mc".parse().unwrap()]), move || {
        let request = asked.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!((request.step, request.role, request.legal.len(), request.can_take_back) == (1, 0, 9, true));
        request.answer(mark("2 2"));
        say(&asked, PersonAnswer::TakeBack(0));
        say(&asked, mark("1 1"));
        say(&asked, PersonAnswer::Resign);
    });
    let details = record.ludex.as_ref().unwrap();
    assert_eq!(details.end, End::Resigned("x".to_owned()));
    assert_eq!((record.moves.len(), record.moves[0][0].as_str()), (2, "(mark 1 1)"));
    assert!(details.thinking[1][1].is_some() && record.is_player_human == [true, false]);
    assert_eq!(MatchRecord::read(record.to_json().as_bytes()).unwrap(), record);
}

#[test]
fn a_match_goes_on_after_an_opening() {
    let ((x, x_asked), (o, o_asked)) = (person(), person());
    let joint = |x: &str, o: &str| vec![x.to_owned(), o.to_owned()];
    let opening = vec![joint("(mark 1 1)", "noop"), joint("noop", "(mark 3 3)")];
    let setup = MatchSetup { opening, ..setup(vec![x, o]) };
    let (record, seen) = played("tic_tac_toe", setup, move || {
        for (who, cell) in [(&x_asked, "1 2"), (&o_asked, "3 2"), (&x_asked, "1 3")] {
            say(who, mark(cell));
        }
    });
    assert_eq!(seen[..2], ["1 (mark 1 1) noop", "2 noop (mark 3 3)"]);
    assert_eq!((record.goal_values, record.moves.len()), (vec![100, 0], 5));
    let illegal = MatchSetup {
        opening: vec![joint("(mark 9 9)", "noop")],
        ..MatchSetup::new(vec!["random".parse().unwrap(), "random".parse().unwrap()])
    };
    let rulebook = Rulebook::new("tic_tac_toe", ludex_testkit::text("tic_tac_toe")).unwrap();
    let record = run_match(&rulebook, &illegal, &mut ()).unwrap();
    assert_eq!(record.ludex.unwrap().end, End::Fault("step 1 of the opening is not legal".to_owned()));
    let http = vec!["http://localhost:1".parse().unwrap(), "random".parse().unwrap()];
    let refused = MatchSetup { opening: illegal.opening, ..MatchSetup::new(http) };
    assert!(run_match(&rulebook, &refused, &mut ()).is_err());
}

#[test]
fn illegal_answers_and_people_who_leave_are_recorded() {
    let (x, asked) = person();
    let (record, _) = played("tic_tac_toe", setup(vec![x, "random".parse().unwrap()]), move || {
        say(&asked, mark("9 9"));
        drop(asked);
    });
    let faults: Vec<PlayerFault> = record.faults().map(|(.., fault)| fault).collect();
    assert_eq!(faults[0], PlayerFault::illegal("(mark 9 9)"));
    assert!(faults[1..].iter().all(|fault| *fault == PlayerFault::connection("the person left")));
    assert!(record.is_completed);
}

#[test]
fn a_person_with_a_clock_can_be_late() {
    let (x, asked) = person();
    let Participant::Person(x) = x else { unreachable!() };
    let x = Participant::Person(x.with_clock(Some(Duration::from_millis(20))));
    let mut setup = setup(vec![x, "random".parse().unwrap()]);
    setup.grace = Duration::ZERO;
    // The requests stay open as long as the receiver lives.
    let (record, _) = played("tic_tac_toe", setup, || {});
    drop(asked);
    assert!(record.faults().count() >= 2 && record.faults().all(|(.., fault)| fault == PlayerFault::TimeOut));
}

#[test]
fn the_choices_of_others_stay_hidden_until_all_have_chosen() {
    let ((a, a_asked), (b, b_asked)) = (person(), person());
    let (record, seen) = played("rock_paper_scissors", setup(vec![a, b]), move || {
        let first = a_asked.recv_timeout(Duration::from_secs(60)).unwrap();
        let legal = first.legal[0].clone();
        first.answer(PersonAnswer::Move(legal));
        // Both are asked at the same time: the second takes back although the first has moved.
        say(&b_asked, PersonAnswer::TakeBack(0));
        while let (Ok(first), Ok(second)) = (a_asked.recv(), b_asked.recv()) {
            for request in [first, second] {
                let legal = request.legal[0].clone();
                request.answer(PersonAnswer::Move(legal));
            }
        }
    });
    assert_eq!(seen[0], "back to 0");
    assert!(record.is_completed && record.faults().count() == 0);
}
