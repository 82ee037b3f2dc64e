//! The engine `rules` on small sheets, one for each thing it must be able to do.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::{ExpandOptions, Expansion, Failure, Game, Goal, MoveId, State, children, expand_one_by_one};
use ludex_gdl::Rules;
use ludex_reasoner::{RulesGame, RulesOptions};
use ludex_testkit::playouts;
use ludex_testkit::{rules, rules_despite_errors};

fn game(text: &str) -> RulesGame {
    RulesGame::new(&rules(text)).expect("set up")
}

/// A game of one player who may do `go`, with the rest of the rules added.
fn with(text: &str) -> RulesGame {
    game(&format!("(role you) (legal you go) {text}"))
}

fn goals(game: &RulesGame, state: &State) -> Vec<Goal> {
    game.goals(state).expect("goals")
}

fn legal(game: &RulesGame, state: &State) -> Vec<Vec<String>> {
    let view = game.view(state).expect("a view");
    let names = |moves: &Vec<MoveId>| {
        let mut names: Vec<_> = moves.iter().map(|&m| game.move_name(m)).collect();
        names.sort();
        names
    };
    view.legal.iter().map(names).collect()
}

/// The state after moves given by name.
fn after(game: &RulesGame, state: &State, moves: &[&str]) -> State {
    let joint: Vec<_> = moves.iter().map(|m| game.find_move(m).expect("a move")).collect();
    game.next(state, &joint).expect("a state")
}

/// The facts after one `go` from the first state.
fn went(text: &str) -> Vec<String> {
    let game = with(text);
    game.describe(&after(&game, &game.initial(), &["go"]))
}

const END: &str = "(<= terminal (true over)) (goal you 100)";

#[test]
fn conditions_of_every_kind() {
    let text = "(init (n 1)) (init (n 2)) (init (n 3)) (colour red) (colour blue)
        (<= (next (holds ?x)) (true (n ?x)))
        (<= (next (fails ?x)) (true (n ?x)) (not (true (n 2))))
        (<= (next (lacks ?c)) (colour ?c) (not (true (n ?c))))
        (<= (next (pair ?x ?y)) (true (n ?x)) (true (n ?y)) (distinct ?x ?y) (distinct ?x 3))
        (<= (next (same ?x ?y)) (true (n ?x)) (true (n ?y)) (not (distinct ?x ?y)))
        (<= (next (any ?x)) (true (n ?x)) (or (distinct ?x 1) (true (n 7))))
        (<= (next (gives ?x)) (or (true (n ?x)) (colour ?x)) (distinct ?x 3))
        (<= (next (nested ?x)) (true (n ?x)) (or (not (distinct ?x 1)) (or (not (distinct ?x 2)) (true (m ?x)))))";
    let expected = [
        "(any 2)",
        "(any 3)",
        "(gives 1)",
        "(gives 2)",
        "(gives blue)",
        "(gives red)",
        "(holds 1)",
        "(holds 2)",
        "(holds 3)",
        "(lacks blue)",
        "(lacks red)",
        "(nested 1)",
        "(nested 2)",
        "(pair 1 2)",
        "(pair 1 3)",
        "(pair 2 1)",
        "(pair 2 3)",
        "(same 1 1)",
        "(same 2 2)",
        "(same 3 3)",
    ];
    assert_eq!(went(&format!("{text} {END}")), expected);
}

#[test]
fn arguments_that_only_the_caller_gives() {
    let text = "(init (n 1)) (init (n 2))
        (<= (differ ?x ?y) (distinct ?x ?y))
        (<= (differ_somehow ?x ?y) (differ ?x ?y))
        (<= (unless ?x) (not (true (n ?x))))
        (<= (next (pair ?x ?y)) (true (n ?x)) (true (n ?y)) (differ_somehow ?x ?y))
        (<= (next (gone ?x)) (number ?x) (unless ?x))
        (number 1) (number 3)";
    assert_eq!(went(&format!("{text} {END}")), ["(gone 3)", "(pair 1 2)", "(pair 2 1)"]);
}

#[test]
fn negation_with_variables_that_have_no_value() {
    let text = "(init (p a b)) (init (p c c)) (init (q (f a b))) (x a) (x b) (x c)
        (<= (r ?a ?b) (true (p ?a ?b)))
        (<= (next (no_first ?x)) (x ?x) (not (true (p ?x ?any))))
        (<= (next (no_derived ?x)) (x ?x) (not (r ?x ?any)))
        (<= (next (no_inside ?x)) (x ?x) (not (true (q (f ?x ?any)))))
        (<= (next (no_move ?x)) (x ?x) (not (does you (take ?x ?any))))
        (<= (next (no_pair ?x)) (x ?x) (not (twice ?x ?any)))
        (<= (twice ?x ?y) (r ?y ?y) (x ?x))";
    let expected = [
        "(no_derived b)",
        "(no_first b)",
        "(no_inside b)",
        "(no_inside c)",
        "(no_move a)",
        "(no_move b)",
        "(no_move c)",
    ];
    assert_eq!(went(&format!("{text} {END}")), expected);
}

#[test]
fn negated_moves_with_open_places() {
    let game = game(
        "(role you) (number 1) (number 2) (<= (legal you (take ?x ?y)) (number ?x) (number ?y))
         (<= (next (left ?x)) (number ?x) (not (does you (take ?x ?any))))
         (<= (next (kept ?x)) (number ?x) (not (does you (take 1 ?x))))
         (<= (next (made ?x ?y)) (does ?who (take ?x ?y)))
         (<= terminal (true over)) (goal you 0)",
    );
    let next = after(&game, &game.initial(), &["(take 1 2)"]);
    assert_eq!(game.describe(&next), ["(kept 1)", "(left 2)", "(made 1 2)"]);
}

#[test]
fn variables_for_whole_facts() {
    let text = "(init (p 1)) (init q) (init (r (s 2)))
        (frozen q) (frozen (r (s 2))) (frozen other)
        (<= (next ?f) (true ?f) (frozen ?f))
        (<= (next (was ?f)) (true ?f) (not (frozen ?f)))
        (<= (next (not_there ?f)) (frozen ?f) (not (true ?f)))";
    assert_eq!(went(&format!("{text} {END}")), ["(not_there other)", "(r (s 2))", "(was (p 1))", "q"]);
}

#[test]
fn terms_within_terms() {
    let text = "(init (stack (top a (top b nil)))) (init (stack (top c nil))) (init (at (pos 1 2) x))
        (<= (next (first ?x)) (true (stack (top ?x ?rest))))
        (<= (next (second ?x)) (true (stack (top ?any (top ?x ?rest)))))
        (<= (next (stack (top new ?s))) (true (stack ?s)))
        (<= (next (at (pos ?y ?x) ?what)) (true (at (pos ?x ?y) ?what)))
        (<= (next (both ?x)) (true (at (pos ?x 2) x)) (place (pos ?x ?y)))
        (<= (place (pos ?x ?y)) (true (at (pos ?x ?y) ?w)))
        (<= (member ?x (top ?x ?s)) (true (stack (top ?x ?s))))
        (<= (next (found ?x ?s)) (member ?x ?s))";
    let expected = [
        "(at (pos 2 1) x)",
        "(both 1)",
        "(first a)",
        "(first c)",
        "(found a (top a (top b nil)))",
        "(found c (top c nil))",
        "(second b)",
        "(stack (top new (top a (top b nil))))",
        "(stack (top new (top c nil)))",
    ];
    assert_eq!(went(&format!("{text} {END}")), expected);
}

#[test]
fn players_left_open() {
    let game = game(
        "(role a) (role b) (role c) (init start) (<= (legal ?p wait) (true start))
         (<= (legal ?p (greet ?q)) (role ?q) (distinct ?p ?q))
         (<= (next (met ?p ?q)) (does ?p (greet ?q)))
         (<= (next (idle ?p)) (does ?p wait))
         (<= terminal (true (met a b)))
         (<= (goal ?p 100) (true (met ?p ?q)))
         (<= (goal ?p 0) (not (met_someone ?p)))
         (<= (met_someone ?p) (true (met ?p ?q)))",
    );
    let start = game.initial();
    assert_eq!(legal(&game, &start)[1], ["(greet a)", "(greet c)", "wait"]);
    let next = after(&game, &start, &["wait", "(greet a)", "(greet b)"]);
    assert_eq!(game.describe(&next), ["(idle a)", "(met b a)", "(met c b)"]);
    assert_eq!(goals(&game, &next), [Goal::Value(0), Goal::Value(100), Goal::Value(100)]);
}

#[test]
fn recursion_with_cycles_in_the_state() {
    let text = "(init (edge a b)) (init (edge b c)) (init (edge c a)) (init (edge d e))
        (<= (path ?x ?y) (true (edge ?x ?y)))
        (<= (path ?x ?z) (path ?x ?y) (true (edge ?y ?z)))
        (<= (odd ?x ?y) (true (edge ?x ?y)))
        (<= (odd ?x ?z) (even ?x ?y) (true (edge ?y ?z)))
        (<= (even ?x ?z) (odd ?x ?y) (true (edge ?y ?z)))
        (<= (next (loops ?x)) (true (edge ?x ?y)) (path ?x ?x))
        (<= (next (from_d ?x)) (path d ?x))
        (<= (next (to_b ?x)) (path ?x b))
        (<= (next apart) (true (edge a b)) (not (path a d)))
        (<= (next (even ?x ?y)) (even ?x ?y))";
    let facts = went(&format!("{text} {END}"));
    let count = |start: &str| facts.iter().filter(|f| f.starts_with(start)).count();
    assert_eq!((count("(even"), count("(loops"), count("(to_b"), count("(from_d")), (9, 3, 3, 1));
    assert!(facts.contains(&"apart".to_owned()) && facts.contains(&"(from_d e)".to_owned()));
}

#[test]
fn goals_defined_by_the_negation_of_other_goals() {
    let game = with(
        "(init (score 3)) (<= (next (score 2)) (true (score 3))) (<= terminal (true (score 2)))
         (<= (goal you 100) (true (score 3)))
         (<= (goal you 50) (not (goal you 100)) (true (score 2)))
         (<= (goal you 0) (not (goal you 100)) (not (goal you 50)))",
    );
    let start = game.initial();
    assert_eq!(goals(&game, &start), [Goal::Value(100)]);
    assert_eq!(goals(&game, &after(&game, &start, &["go"])), [Goal::Value(50)]);
    assert_eq!(goals(&game, &game.state_with(&[])), [Goal::Value(0)]);
}

#[test]
fn goals_that_are_not_one_number() {
    let game = with(
        "(init (worth 7)) (init (worth 70)) (<= (next none) (true (worth 7)))
         (<= (next (worth 101)) (true none)) (<= terminal (true (worth 101))) (<= (goal you ?v) (true (worth ?v)))",
    );
    let start = game.initial();
    assert_eq!(goals(&game, &start), [Goal::Faulty(vec!["7".to_owned(), "70".to_owned()])]);
    let next = after(&game, &start, &["go"]);
    assert_eq!(goals(&game, &next), [Goal::Undefined]);
    assert_eq!(goals(&game, &after(&game, &next, &["go"])), [Goal::Faulty(vec!["101".to_owned()])]);
}

/// Numbers up to `last` and a question that leads through all of them, one within the other.
fn chain(last: usize) -> String {
    let succ: String = (0..last).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
    format!(
        "(role you) (legal you go) (init (at {last})) {succ}
         (<= (above ?x) (true (at ?x))) (<= (above ?x) (succ ?x ?y) (above ?y))
         (<= (next done) (above 0)) (<= terminal (true done)) (<= (goal you 100) (above 0))"
    )
}

#[test]
fn deep_recursion_is_no_matter_of_the_stack() {
    let rules = rules(&chain(30_000));
    let run = move || {
        let game = RulesGame::new(&rules).expect("set up");
        let next = after(&game, &game.initial(), &["go"]);
        (game.describe(&next), goals(&game, &game.initial()))
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run).expect("a thread");
    assert_eq!(thread.join().expect("no overflow"), (vec!["done".to_owned()], vec![Goal::Value(100)]));
}

#[test]
fn limits_end_in_a_failure() {
    let chain = rules(&chain(2_000));
    let fails = |rules: &Rules, options: RulesOptions, word: &str| {
        let failure = RulesGame::with_options(rules, &options).and_then(|game| game.goals(&game.initial()));
        match failure {
            Err(Failure::Limit(message)) => assert!(message.contains(word), "{message}"),
            other => panic!("{other:?}"),
        }
    };
    let usual = RulesOptions::default;
    fails(&chain, RulesOptions { max_calls: 500, ..usual() }, "within each other");
    fails(&chain, RulesOptions { max_steps: 500, ..usual() }, "steps");
    fails(&chain, RulesOptions { max_atoms: 500, ..usual() }, "sentences");
    fails(&chain, RulesOptions { max_setup_seconds: 0.0, ..usual() }, "seconds");
    // Rules that the check refuses because they have no end.
    let text = "(role you) (legal you go) (init (at zero)) (<= (n ?x) (true (at ?x))) (<= (n (s ?x)) (n ?x))
        (<= terminal (n stop)) (<= (goal you ?x) (n ?x))";
    let endless = rules_despite_errors(text);
    fails(&endless, usual(), "nested");
    let text = "(role you) (legal you go) (init (at zero zero)) (<= (n ?x ?y) (true (at ?x ?y)))
        (<= (n (s ?x ?y) zero) (n ?x ?y)) (<= (n zero (s ?x ?y)) (n ?x ?y))
        (<= terminal (n stop stop)) (<= (goal you ?x) (n ?x ?y))";
    let endless = rules_despite_errors(text);
    fails(&endless, RulesOptions { max_terms: 1000, ..usual() }, "terms");
}

#[test]
fn after_a_failure_other_questions_are_answered() {
    let text = "(role you) (legal you go) (init (at zero)) (<= (n ?x) (true (at ?x))) (<= (n (s ?x)) (n ?x))
        (<= (next (at one)) (true (at zero))) (<= terminal (true (at one))) (<= (goal you ?x) (n ?x))";
    let game = RulesGame::new(&rules_despite_errors(text)).expect("set up");
    for _ in 0..2 {
        assert!(matches!(game.goals(&game.initial()), Err(Failure::Limit(_))));
        let next = after(&game, &game.initial(), &["go"]);
        assert!(game.view(&next).expect("a view").terminal);
    }
}

#[test]
fn negation_in_a_cycle_is_refused_and_not_decided() {
    let text = "(role you) (legal you go) (init a) (<= (p ?x) (true ?x) (not (q ?x))) (<= (q ?x) (true ?x) (not (p ?x)))
        (<= terminal (true over)) (<= (goal you 100) (p a))";
    let game = RulesGame::new(&rules_despite_errors(text)).expect("set up");
    assert!(matches!(game.goals(&game.initial()), Err(Failure::Limit(_))));
}

#[test]
fn relations_too_large_to_store_are_answered_when_called() {
    let index: String = (1..=9).map(|n| format!("(index {n}) ")).collect();
    let all: String = (1..=9).map(|n| format!("(index ?x{n}) ")).collect();
    let game = with(&format!(
        "{index} (init (row 1 2 3 4 5 6 7 8 9)) (init (row 1 2 3 4 5 6 7 8 1))
         (<= (differ ?a ?b) (index ?a) (index ?b) (distinct ?a ?b))
         (<= (ends ?x1 ?x2 ?x3 ?x4 ?x5 ?x6 ?x7 ?x8 ?x9) {all} (differ ?x1 ?x9))
         (<= (next (good ?x9)) (true (row ?x1 ?x2 ?x3 ?x4 ?x5 ?x6 ?x7 ?x8 ?x9))
             (ends ?x1 ?x2 ?x3 ?x4 ?x5 ?x6 ?x7 ?x8 ?x9))
         (<= (next (bad ?x9)) (true (row ?x1 ?x2 ?x3 ?x4 ?x5 ?x6 ?x7 ?x8 ?x9))
             (not (ends ?x1 ?x2 ?x3 ?x4 ?x5 ?x6 ?x7 ?x8 ?x9)))
         {END}"
    ));
    assert_eq!(game.describe(&after(&game, &game.initial(), &["go"])), ["(bad 1)", "(good 9)"]);
}

const NIM: &str = "(role a) (role b) (init (heap 5)) (init (turn a))
    (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1) (minus 4 1 3) (minus 4 2 2)
    (minus 5 1 4) (minus 5 2 3) (other a b) (other b a)
    (<= (legal ?p (take ?n)) (true (turn ?p)) (true (heap ?h)) (minus ?h ?n ?rest))
    (<= (legal ?p wait) (true (turn ?q)) (other ?p ?q))
    (<= (next (heap ?rest)) (true (heap ?h)) (does ?p (take ?n)) (minus ?h ?n ?rest))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 100) (true (turn ?q)) (other ?p ?q)) (<= (goal ?p 0) (true (turn ?p)))";

#[test]
fn names_lead_to_numbers_and_back() {
    let game = game(NIM);
    assert_eq!((game.engine().name, game.roles()), ("rules", &["a".to_owned(), "b".to_owned()][..]));
    let take = game.find_move(" ( TAKE 2 ) ").expect("a move");
    assert_eq!(game.move_name(take), "(take 2)");
    assert_eq!((game.find_move("(heap 2)"), game.find_move("(take nonsense)")), (None, None));
    let heap = game.find_fact("(HEAP  5)").expect("a fact");
    assert_eq!((game.fact_name(heap).as_str(), game.find_fact("(take 2)")), ("(heap 5)", None));
    let turn = game.find_fact("(turn a)").expect("a fact");
    assert_eq!(game.state_with(&[turn, heap]), game.initial());
    assert_eq!(game.state_with(&[heap, turn, heap]), game.initial());
    assert_eq!(game.state_with(&game.facts(&game.initial())), game.initial());
    assert_eq!(
        (game.move_name(MoveId(999)), game.find_role("B")),
        (String::new(), Some(ludex_game::RoleId(1)))
    );
}

#[test]
fn wrong_questions_are_misuse() {
    let game = game(NIM);
    let take = game.find_move("(take 1)").expect("a move");
    let start = game.initial();
    assert!(matches!(game.next(&start, &[take]), Err(Failure::Misuse(_))));
    assert!(matches!(game.next(&start, &[take, MoveId(999)]), Err(Failure::Misuse(_))));
    assert!(matches!(game.view(&State::from_words(vec![77u64 << 32])), Err(Failure::Misuse(_))));
}

#[test]
fn expansion_is_what_single_calls_give() {
    let game: Arc<dyn Game> = Arc::new(game(NIM));
    let (mut states, mut one) = (vec![game.initial()], Expansion::new());
    while let Some(state) = states.pop() {
        let children = children(&game, &state).expect("an expansion");
        one.begin(2);
        expand_one_by_one(&*game, &[state.words()], ExpandOptions::default(), &mut one).expect("one by one");
        assert_eq!(children.len(), one.len());
        for (at, child) in children.iter().enumerate() {
            let found = (one.joint(at).to_vec(), one.state(at), one.view(at));
            assert_eq!((child.joint.clone(), child.state.clone(), child.view.clone()), found);
        }
        states.extend(children.into_iter().map(|child| child.state));
    }
}

#[test]
fn playouts_depend_on_nothing_but_the_request() {
    let (one, other) = (Arc::new(game(NIM)), Arc::new(game(NIM)));
    // Another past: moves and facts are met in another order.
    let start = other.initial();
    let _ = after(&other, &start, &["(take 2)", "wait"]);
    let played = playouts(&one, 200, 50, 3);
    assert_eq!(played, playouts(&other, 200, 50, 3));
    assert_eq!((played.finished, played.goal_sums.iter().sum::<u64>()), (200, 20_000));
    assert!(played.goal_sums.iter().all(|&sum| sum > 4_000), "{played:?}");
    assert_eq!(playouts(&one, 5, 1, 0).cut_off, 5);
}

#[test]
fn threads_share_numbers() {
    let game: Arc<dyn Game> = Arc::new(game(NIM));
    let explore = || {
        let mut seen = Vec::new();
        let mut states = vec![game.initial()];
        while let Some(state) = states.pop() {
            let children = children(&game, &state).expect("an expansion");
            states.extend(children.iter().map(|child| child.state.clone()));
            seen.push((game.describe(&state), state));
        }
        seen.sort();
        seen
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(explore)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]) && results[0].len() > 10);
}

#[test]
fn a_role_without_moves_is_the_callers_matter() {
    let game = game(
        "(role a) (role b) (init start) (<= (legal a go) (true start)) (<= (legal b go) (true never))
         (<= (next start) (true start)) (<= terminal (true never)) (goal a 0) (goal b 0)",
    );
    let view = game.view(&game.initial()).expect("a view");
    assert_eq!((view.terminal, view.legal[0].len(), view.legal[1].len()), (false, 1, 0));
    assert_eq!(playouts(&Arc::new(game), 2, 9, 0).stuck, 2);
}

#[test]
fn disjunctions_nested_deeply() {
    let depth = 30;
    let open: String = (0..depth).map(|n| format!("(or (true (n {n})) ")).collect();
    let game =
        with(&format!("(init (n 29)) (<= (next found) {open} (true (n x)) {}) {END}", ")".repeat(depth)));
    assert_eq!(game.describe(&after(&game, &game.initial(), &["go"])), ["found"]);
}
