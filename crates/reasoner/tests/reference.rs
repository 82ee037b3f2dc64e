//! The reference on small sheets, one odd thing each.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::{Effort, Failure, Game, Goal, State, conforms};
use ludex_reasoner::{Reference, ReferenceLimits as Limits};
use ludex_testkit::{rules, rules_despite_errors};

fn game(text: &str) -> Reference {
    Reference::new(rules_despite_errors(text)).expect("a game")
}

/// A game whose sheet has no errors, as most here.
fn good(text: &str) -> Reference {
    let game: Arc<dyn Game> = Arc::new(Reference::new(rules(text)).expect("a game"));
    conforms(&game, &Effort::default()).expect("the laws hold");
    Reference::new(rules(text)).expect("a game")
}

/// Legal moves by name, a list for each role.
fn moves(game: &Reference, state: &State) -> Vec<Vec<String>> {
    let view = game.view(state).expect("a view");
    let names = |ids: &Vec<_>| {
        let mut names: Vec<String> = ids.iter().map(|&id| game.move_name(id)).collect();
        names.sort();
        names
    };
    view.legal.iter().map(names).collect()
}

fn after(game: &Reference, state: &State, joint: &[&str]) -> State {
    let joint: Vec<_> = joint.iter().map(|text| game.find_move(text).expect("a move")).collect();
    game.next(state, &joint).expect("a state")
}

fn with(game: &Reference, facts: &[&str]) -> State {
    let facts: Vec<_> = facts.iter().map(|text| game.find_fact(text).expect("a fact")).collect();
    game.state_with(&facts)
}

fn goals(game: &Reference, state: &State) -> Vec<Goal> {
    game.goals(state).expect("goals")
}

/// The rest of a sheet for one player when a test is not about it.
const REST: &str = "(role you) (init (at a)) (legal you go) (<= terminal (true over)) (goal you 50)\n";

#[test]
fn roles_keep_their_order_and_may_be_compound() {
    let game = good(
        "(role white) (role (player 2)) (role WHITE) (init z) (<= (legal ?r wait) (role ?r))
         (<= (next z) (true z)) (<= terminal (true y)) (<= (goal ?r 0) (role ?r)) (init y)",
    );
    assert_eq!(game.roles(), ["white", "(player 2)"]);
    assert_eq!(game.find_role("(Player 2)").map(|role| role.index()), Some(1));
}

#[test]
fn a_role_without_legal_moves_has_an_empty_list() {
    let game = game(
        "(role a) (role b) (init (turn a)) (<= (legal ?r go) (true (turn ?r)))
         (<= (next (turn b)) (true (turn a))) (<= terminal (true (turn c))) (goal a 1) (goal b 2)",
    );
    let first = game.initial();
    assert_eq!(moves(&game, &first), [vec!["go".to_owned()], vec![]]);
    assert!(!game.view(&first).expect("a view").terminal);
    // The rules may be asked about moves that are not legal.
    assert_eq!(game.describe(&after(&game, &first, &["go", "go"])), ["(turn b)"]);
}

#[test]
fn goals_may_be_undefined_doubled_or_no_numbers() {
    let game = game(
        "(role a) (role b) (role c) (role d) (role e) (init x) (<= (legal ?r go) (role ?r)) (<= terminal (true x))
         (goal a 30) (goal a 4) (goal c win) (goal d 101) (<= (goal e 100) (true x)) (goal e 100)",
    );
    let faulty = |values: &[&str]| Goal::Faulty(values.iter().map(|v| (*v).to_owned()).collect());
    let expected =
        [faulty(&["30", "4"]), Goal::Undefined, faulty(&["win"]), faulty(&["101"]), Goal::Value(100)];
    assert_eq!(goals(&game, &game.initial()), expected);
}

#[test]
fn facts_need_not_be_in_the_first_state_and_the_first_state_may_be_empty() {
    let game = good(
        "(role you) (legal you (put x)) (<= (next (has ?thing)) (does you (put ?thing)))
         (<= terminal (true (has x))) (<= (goal you 100) (true (has x))) (<= (goal you 0) (not (true (has x))))",
    );
    assert!(game.describe(&game.initial()).is_empty());
    let next = after(&game, &game.initial(), &["(PUT  x)"]);
    assert_eq!(game.describe(&next), ["(has x)"]);
    assert!(game.view(&next).expect("a view").terminal);
    assert_eq!(moves(&game, &next), [Vec::<String>::new()], "a terminal state has no moves");
    assert_eq!(goals(&game, &next), [Goal::Value(100)]);
}

#[test]
fn moves_and_facts_may_be_nested_terms() {
    let game = good(
        "(role you) (init (at (pos 1 (up 1))))
         (<= (legal you (go (to ?p) now)) (true (at ?p)))
         (<= (next (at ?p)) (does you (go (to ?p) ?when)))
         (<= terminal (true (at nowhere))) (goal you 0)",
    );
    assert_eq!(moves(&game, &game.initial()), [["(go (to (pos 1 (up 1))) now)"]]);
    let next = after(&game, &game.initial(), &["(go (to (pos 1 (up 1))) now)"]);
    assert_eq!(next, game.initial());
}

#[test]
fn does_finds_roles_and_moves_that_have_no_value_yet() {
    let game = good(
        "(role a) (role b) (init start) (<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r))
         (<= (next (did ?r ?m)) (does ?r ?m)) (<= (next together) (does a ?m) (does b ?m))
         (<= (next (led ?r)) (does ?r left))
         (<= terminal (not (true start))) (<= (goal ?r 0) (role ?r))",
    );
    let next = |joint: &[&str]| game.describe(&after(&game, &game.initial(), joint));
    assert_eq!(next(&["left", "right"]), ["(did a left)", "(did b right)", "(led a)"]);
    assert_eq!(next(&["right", "right"]), ["(did a right)", "(did b right)", "together"]);
}

#[test]
fn facts_without_arguments_and_whole_facts_as_variables() {
    let game = good(
        "(role you) (init on) (init (light (lamp 1))) (<= (legal you (keep ?f)) (true ?f))
         (<= (next ?f) (does you (keep ?f))) (<= (next ?g) (true (light ?g)))
         (<= terminal (not (true on))) (goal you 0)",
    );
    assert_eq!(moves(&game, &game.initial()), [["(keep (light (lamp 1)))", "(keep on)"]]);
    let next = after(&game, &game.initial(), &["(keep on)"]);
    assert_eq!(game.describe(&next), ["(lamp 1)", "on"]);
}

#[test]
fn empty_bodies_and_empty_parentheses_mean_facts() {
    let game = game(
        "(role you) (<= (init (a))) (<= (legal you go)) (<= (next b) (true (a)) (fine)) (<= (fine))
         (<= terminal (true (b))) (<= (goal you 7))",
    );
    assert_eq!(game.describe(&game.initial()), ["a"]);
    assert_eq!(game.describe(&after(&game, &game.initial(), &["go"])), ["b"]);
    assert_eq!(goals(&game, &game.initial()), [Goal::Value(7)]);
}

#[test]
fn recursion_through_the_state_ends_on_circles() {
    let text =
        "(role you) (init (road a b)) (init (road b c)) (init (road c a)) (init (road d d)) (init (road e f))
         (<= (way ?x ?y) (true (road ?x ?y))) (<= (way ?x ?z) (way ?x ?y) (way ?y ?z))
         (<= (legal you (go ?y)) (way a ?y)) (<= (legal you loop) (way d d) (not (way e e)))
         (<= (next (road ?x ?y)) (true (road ?x ?y)) (not (does you (go ?x))))
         (<= terminal (not (way ?x ?x))) (goal you 0)";
    let game = game(text);
    assert_eq!(moves(&game, &game.initial()), [["(go a)", "(go b)", "(go c)", "loop"]]);
    let next = after(&game, &game.initial(), &["(go b)"]);
    assert_eq!(moves(&game, &next), [["(go b)", "loop"]]);
    // The same with the recursion on the other side.
    let game = self::game(&text.replace("(way ?x ?y) (way ?y ?z)", "(true (road ?x ?y)) (way ?y ?z)"));
    assert_eq!(moves(&game, &game.initial()), [["(go a)", "(go b)", "(go c)", "loop"]]);
}

#[test]
fn mutual_recursion_reaches_everything() {
    let chain: String = (0..500).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let text = format!(
        "{REST} {chain} (even 0) (<= (even ?y) (succ ?x ?y) (odd ?x)) (<= (odd ?y) (succ ?x ?y) (even ?x))
         (<= (next both) (even ?x) (odd ?x)) (<= (next (last ?x)) (even ?x) (not (below ?x))) (<= (below ?x) (succ ?x ?y))
         (<= (next yes) (even 500) (odd 499) (not (even 499)))"
    );
    let game = game(&text);
    assert_eq!(game.describe(&after(&game, &game.initial(), &["go"])), ["(last 500)", "yes"]);
}

#[test]
fn an_abbreviation_gets_its_values_where_it_is_used() {
    let game = good(
        "(role you) (init (cell a)) (init (cell b)) (init (cell c))
         (<= (differ ?x ?y) (distinct ?x ?y)) (<= (same ?x ?x))
         (<= (apart ?p ?q) (differ ?p ?q) (not (same ?p c)))
         (<= (legal you (swap ?x ?y)) (apart ?x ?y) (true (cell ?x)) (true (cell ?y)))
         (<= (next (cell ?x)) (true (cell ?x))) (<= terminal (true none)) (init none) (goal you 0)",
    );
    // `none` ends the game at once; look at the state without it.
    let state = with(&game, &["(cell a)", "(cell b)", "(cell c)"]);
    assert_eq!(moves(&game, &state), [["(swap a b)", "(swap a c)", "(swap b a)", "(swap b c)"]]);
}

#[test]
fn a_player_without_condition_is_one_of_the_roles() {
    let game = good(
        "(role a) (role b) (init s) (<= (legal ?p ?p) (true s)) (<= (goal ?p 0) (not (lucky ?p))) (<= (goal ?p 100) (lucky ?p))
         (lucky b) (<= (next (may ?p ?m)) (legal ?p ?m)) (<= (next s) (true s)) (<= terminal (true (may a a)))",
    );
    assert_eq!(moves(&game, &game.initial()), [["a"], ["b"]]);
    assert_eq!(goals(&game, &game.initial()), [Goal::Value(0), Goal::Value(100)]);
    assert_eq!(game.describe(&after(&game, &game.initial(), &["a", "b"])), ["(may a a)", "(may b b)", "s"]);
}

#[test]
fn a_negated_variable_without_value_means_for_no_value() {
    let game = good(
        "(role you) (init (on a b)) (init (block a)) (init (block b)) (init (block c))
         (<= (legal you (take ?x)) (true (block ?x)) (not (true (on ?any ?x))))
         (<= (top ?x) (true (block ?x)) (not (above ?what ?x))) (<= (above ?x ?y) (true (on ?x ?y)))
         (<= (next (tops ?x)) (top ?x)) (<= (next (on ?x ?y)) (true (on ?x ?y)) (not (does ?who (take ?x))))
         (<= terminal (true (tops a))) (goal you 0)",
    );
    assert_eq!(moves(&game, &game.initial()), [["(take a)", "(take c)"]]);
    let next = after(&game, &game.initial(), &["(take a)"]);
    assert_eq!(game.describe(&next), ["(tops a)", "(tops c)"]);
}

#[test]
fn for_no_value_looks_into_terms_and_at_repeated_variables() {
    let game = game(&format!(
        "{REST} (init (pair 1 2)) (init (big 3)) (<= (link ?x ?y) (true (pair ?x ?y))) (<= (box (small ?x)) (true (pair ?x ?y)))
         (<= (box (large ?x)) (true (big ?x)))
         (<= (next no_loop) (not (link ?x ?x))) (<= (next no_link) (not (link ?x ?y)))
         (<= (next no_small) (not (box (small ?x)))) (<= (next no_tiny) (not (box (tiny ?x))))
         (<= (next no_large_pair) (true (pair ?x ?y)) (not (box (large ?x))))
         (<= (next later) (not (chain ?x ?x))) (<= (chain ?x ?y) (link ?x ?y) (not (link ?y ?x)))"
    ));
    let next = after(&game, &game.initial(), &["go"]);
    assert_eq!(game.describe(&next), ["later", "no_large_pair", "no_loop", "no_tiny"]);
    let looped = with(&game, &["(pair 1 1)"]);
    assert_eq!(game.describe(&after(&game, &looped, &["go"])), ["later", "no_large_pair", "no_tiny"]);
}

#[test]
fn one_goal_may_be_the_negation_of_others() {
    let game = good(
        "(role a) (role b) (init (won a)) (<= (legal ?r go) (role ?r)) (<= terminal (true (won ?r)))
         (<= (goal ?r 100) (true (won ?r)) (not (goal ?r 50))) (<= (goal ?r 50) (role ?r) (true draw))
         (<= (goal ?r 0) (role ?r) (not (goal ?r 100)) (not (goal ?r 50)))",
    );
    assert_eq!(goals(&game, &game.initial()), [Goal::Value(100), Goal::Value(0)]);
    let draw = with(&game, &["draw", "(won a)"]);
    assert_eq!(goals(&game, &draw), [Goal::Value(50), Goal::Value(50)]);
}

#[test]
fn or_with_nested_and_takes_values_from_its_branches_or_from_outside() {
    let game = good(
        "(role you) (init (at 1)) (init (at 2)) (init (at 3)) (init (blue 2))
         (<= (legal you (pick ?x ?y))
             (or (and (true (at ?x)) (or (true (blue ?x)) (last ?x)) (true (at ?y)))
                 (and (true (blue ?y)) (distinct ?x ?y) (not (true (blue ?x)))))
             (true (at ?x)) (or (distinct ?x ?y) (odd ?y)))
         (last 3) (odd 1) (odd 3) (<= (next (at ?x)) (true (at ?x))) (<= terminal (true done)) (init done) (goal you 0)",
    );
    let state = with(&game, &["(at 1)", "(at 2)", "(at 3)", "(blue 2)"]);
    let expected = ["(pick 1 2)", "(pick 2 1)", "(pick 2 3)", "(pick 3 1)", "(pick 3 2)", "(pick 3 3)"];
    assert_eq!(moves(&game, &state), [expected]);
}

#[test]
fn distinct_negated_is_equality_and_letter_case_does_not_matter() {
    let game = game(
        "(ROLE you) (init (Cell A)) (init (cell b)) (<= (legal you (mark ?x)) (true (CELL ?x)) (not (distinct ?x a)))
         (<= terminal (true (cell c))) (goal you 0) (<= (next (cell ?X)) (true (cell ?x)))",
    );
    assert_eq!(moves(&game, &game.initial()), [["(mark a)"]]);
    assert_eq!(game.describe(&game.initial()), ["(cell a)", "(cell b)"]);
}

#[test]
fn growth_without_bound_ends_with_a_reason() {
    let limits = Limits { atoms: 20_000, steps: 1_000_000, terms: 20_000 };
    let reason = |rules: &str| {
        let text = format!("{REST} {rules}");
        let game = Reference::with_limits(rules_despite_errors(&text), limits).expect("a game");
        let go = game.find_move("go").expect("a move");
        match game.next(&game.initial(), &[go]) {
            Err(Failure::Limit(reason)) => {
                // The game is still there for other questions.
                assert_eq!(moves(&game, &game.initial()), [["go"]]);
                reason
            }
            other => panic!("{other:?}"),
        }
    };
    let deep = reason("(n z) (<= (n (s ?x)) (n ?x)) (<= (next (at ?x)) (n ?x))");
    assert!(deep.contains("nested"), "{deep}");
    let down = reason("(<= (n ?x) (n (s ?x))) (<= (next z) (n z))");
    assert!(down.contains("nested"), "{down}");
    let digits: String = (0..10).map(|n| format!("(d {n})")).collect();
    let wide = format!("{digits} (<= (next (at ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))");
    let wide = reason(&wide);
    assert!(wide.contains("more than 20000 different terms"), "{wide}");
    let many = format!(
        "{digits} (<= (all ?a ?b ?c ?d ?e) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e)) (<= (next z) (all ?a ?b ?c ?d ?e))"
    );
    let many = reason(&many);
    assert!(many.contains("more than 20000 sentences"), "{many}");
    let long = format!("{digits} (<= (next z) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))");
    let long = reason(&long);
    assert!(long.contains("1000000 steps"), "{long}");
}

#[test]
fn a_state_that_grows_with_every_step_is_played_until_it_is_too_deep() {
    let game = game(
        "(role you) (init (left z)) (legal you add) (<= (next (left (s ?x))) (true (left ?x)))
         (<= terminal (true (left y))) (goal you 0)",
    );
    let add = game.find_move("add").expect("a move");
    let mut state = game.initial();
    let mut steps = 0;
    let failure = loop {
        match game.next(&state, &[add]) {
            Ok(next) => state = next,
            Err(failure) => break failure,
        }
        steps += 1;
        assert!(steps < 2000);
    };
    assert!(steps > 900 && matches!(failure, Failure::Limit(_)), "{steps} {failure}");
    let name = game.fact_name(game.facts(&state)[0]);
    assert!(game.find_fact(&name).is_some(), "what is there can be read back");
}

#[test]
fn rules_that_cannot_be_carried_out_say_so() {
    let failure = |rules: &str| {
        let game = game(&format!("{REST} {rules}"));
        let go = game.find_move("go").expect("a move");
        game.next(&game.initial(), &[go]).expect_err("no state").to_string()
    };
    let circle = failure("(<= p (not q)) (<= q (not p)) (<= (next z) p)");
    assert_eq!(circle, "negation goes round in a circle through the rule: p if not q");
    let open = failure("(<= (next (at ?x)) (true (at a)))");
    assert_eq!(open, "nothing gives ?x a value in the rule: next(at(?x)) if true(at(a))");
    let compared = failure("(<= (next z) (distinct ?x a))");
    assert_eq!(compared, "nothing gives ?x a value in the rule: next(z) if ?x != a");
}

#[test]
fn a_hundred_thousand_relations_in_a_row_do_not_overflow_the_stack() {
    let chain: String = (0..100_000).map(|n| format!("(<= (p{} ?x) (p{n} ?x))", n + 1)).collect();
    let game = game(&format!("{REST} (<= (p0 ?x) (true (at ?x))) {chain} (<= (next (at ?x)) (p100000 ?x))"));
    assert_eq!(game.describe(&after(&game, &game.initial(), &["go"])), ["(at a)"]);
    let chain: String = (0..1000).map(|n| format!("(<= n{} (not n{n}))", n + 1)).collect();
    let game =
        self::game(&format!("{REST} (<= n0 (true (at a))) {chain} (<= (next z) n1000) (<= (next y) n999)"));
    assert_eq!(game.describe(&after(&game, &game.initial(), &["go"])), ["z"]);
}

#[test]
fn what_does_not_belong_to_the_game_is_refused() {
    let game = good(&format!("{REST} (init over)"));
    let go = game.find_move("go").expect("a move");
    assert_eq!((game.find_move("jump"), game.find_move("(go"), game.find_move("go go")), (None, None, None));
    assert_eq!((game.find_fact("?x"), game.find_fact("(at ?x)"), game.find_fact("")), (None, None, None));
    let foreign = State::from_words(vec![u64::MAX]);
    assert!(matches!(game.view(&foreign), Err(Failure::Misuse(_))));
    assert!(matches!(game.goals(&foreign), Err(Failure::Misuse(_))));
    assert!(matches!(game.next(&game.initial(), &[]), Err(Failure::Misuse(_))));
    assert!(matches!(game.next(&game.initial(), &[go, go]), Err(Failure::Misuse(_))));
    let unknown = ludex_game::MoveId(1_000_000);
    assert!(matches!(game.next(&game.initial(), &[unknown]), Err(Failure::Misuse(_))));
    assert_eq!(game.move_name(unknown), "?1000000");
    let empty = self::game("");
    assert!(empty.roles().is_empty() && empty.view(&empty.initial()).is_ok());
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let text = "(role you) (init (n 0)) (<= (legal you ?x) (true (n ?x))) (legal you up) (<= (next (n 1)) (does you up))
         (<= (next (n 0)) (does you 0)) (<= terminal (true (n 2))) (<= (goal you 10) (true (n 0))) (<= (goal you 20) (true (n 1)))";
    let game = game(text);
    let (zero, one) = (with(&game, &["(n 0)"]), with(&game, &["(n 1)"]));
    for _ in 0..2 {
        assert_eq!(goals(&game, &zero), [Goal::Value(10)]);
        assert_eq!(goals(&game, &one), [Goal::Value(20)]);
        assert_eq!(moves(&game, &zero), [["0", "up"]]);
        assert_eq!(after(&game, &zero, &["up"]), one);
        assert_eq!(after(&game, &zero, &["0"]), zero);
        assert_eq!(moves(&game, &zero), [["0", "up"]]);
    }
}
