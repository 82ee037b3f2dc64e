//! The planner against exhaustive search, and on puzzles whose best plans are known.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, Goal, State};
use ludex_search::{
    Budget, Planner, PlannerLimits, PlannerSearch, Problem, ProblemError, Search, SearchContext, Solution,
    StopReason, UctOptions,
};
use ludex_testkit::{Shape, game, game_from, random_sheet};

/// The best goal of all terminal states that are reachable.
fn exhaustive(game: &Arc<dyn Game>) -> Option<u8> {
    let (mut seen, mut stack) = (std::collections::HashSet::new(), vec![game.initial()]);
    let mut best = None;
    while let Some(state) = stack.pop() {
        let view = game.view(&state).expect("a view");
        if view.terminal {
            let goal = game.goals(&state).expect("goals").first().and_then(Goal::value).unwrap_or(0);
            best = best.max(Some(goal));
            continue;
        }
        let children = view.legal[0].iter().map(|&id| game.next(&state, &[id]).expect("a state"));
        stack.extend(children.filter(|child: &State| seen.insert(child.clone())).collect::<Vec<_>>());
    }
    best
}

fn nodes(nodes: u64) -> PlannerLimits {
    PlannerLimits { nodes: Some(nodes), ..PlannerLimits::default() }
}

fn solve(game: Arc<dyn Game>, limits: &PlannerLimits) -> Solution {
    let mut planner = Planner::new(Problem::new(game).expect("one role")).expect("a planner");
    planner.run(limits, |_| ()).expect("a solution")
}

#[test]
fn small_games_are_solved_as_exhaustive_search_solves_them() {
    let shape = Shape {
        players: 1,
        chance: false,
        simultaneous: false,
        layers: 5,
        width: 4,
        moves: 3,
        constant_sum: false,
        wins_only: false,
    };
    for seed in 0..60u8 {
        let sheet = random_sheet(Shape { layers: 3 + usize::from(seed) % 4, ..shape }, seed.into());
        for engine in ["batch", "rules"] {
            let game = game_from(&sheet, engine);
            let best = exhaustive(&game);
            let problem = Problem::new(Arc::clone(&game)).expect("one role");
            assert!(best.is_none_or(|best| best <= problem.bound), "seed {seed}: {}", problem.bound);
            let solution = solve(game, &nodes(1_000_000));
            assert_eq!(solution.plan.as_ref().map(|plan| plan.score), best, "{engine}, seed {seed}\n{sheet}");
            assert!(solution.optimal, "{engine}, seed {seed}\n{sheet}");
        }
    }
}

#[test]
fn known_puzzles_get_their_best_plans() {
    // Score, and the length of a shortest plan where the first search finds it.
    for (name, score, moves) in [
        ("hanoi", 100, Some(31)),
        ("pancakes6", 90, None),
        ("blocks_world", 100, Some(3)),
        ("duplicate_state_medium", 100, None),
        ("two_buttons", 100, None),
        ("maze", 100, None),
    ] {
        let game = game(name, "batch");
        let solution = solve(Arc::clone(&game), &nodes(3_000_000));
        let plan = solution.plan.as_ref().expect(name);
        assert_eq!((plan.score, solution.optimal), (score, true), "{name}: {solution:?}");
        assert!(moves.is_none_or(|moves| plan.moves.len() == moves), "{name}: {plan:?}");
        assert_eq!(Problem::new(game).expect("one role").value(&plan.moves), Ok(Some(score)), "{name}");
    }
}

/// A corridor of eight places with a counter of so many steps. Waiting is possible.
fn corridor(steps: usize, goals: &str) -> String {
    let mut sheet = "(role you) (init (at 0)) (init (step 0)) (legal you go) (legal you wait)
        (<= (next (at ?n)) (does you go) (true (at ?m)) (succ ?m ?n))
        (<= (next (at ?m)) (does you wait) (true (at ?m)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (at 8)))\n"
        .to_owned();
    (0..steps.max(8)).for_each(|n| sheet += &format!("(succ {n} {})\n", n + 1));
    sheet += &format!("(<= terminal (true (step {steps})))\n{goals}");
    sheet
}

#[test]
fn a_counter_is_left_out_only_where_it_is_a_limit() {
    let arrive = "(<= (goal you 100) (true (at 8))) (<= (goal you 0) (not (true (at 8))))";
    let stay = "(<= (goal you 50) (true (at 8)))
        (<= (goal you 100) (not (true (at 8))) (true (at 3))) (<= (goal you 0) (not (true (at 8))) (not (true (at 3))))";
    let late = "(<= (goal you 100) (true (at 8)) (true (step 15)))
        (<= (goal you 10) (not (true (at 8)))) (<= (goal you 10) (true (at 8)) (not (true (step 15))))";
    // Soon is better than late.
    let tardy: String = (9..=30).map(|step| format!("(<= tardy (true (step {step})))\n")).collect();
    let soon = &*format!(
        "{tardy} (<= (goal you 100) (true (at 8)) (not tardy)) (<= (goal you 60) (true (at 8)) tardy)
        (<= (goal you 0) (not (true (at 8))))"
    );
    // Goals, steps, the best goal, and whether states that differ in the counter are one state.
    for (goals, steps, best, merged) in [
        (arrive, 30, 100, true),
        (arrive, 7, 0, true),
        (stay, 30, 100, true),
        (late, 30, 100, false),
        (soon, 30, 100, true),
    ] {
        let game = game_from(&corridor(steps, goals), "batch");
        assert_eq!(exhaustive(&game), Some(best), "{goals}");
        let problem = Problem::new(Arc::clone(&game)).expect("one role");
        let solution = solve(game, &nodes(100_000));
        let found = solution.plan.map(|plan| plan.score);
        assert_eq!((found, solution.optimal), (Some(best), true), "{goals}, {steps} steps");
        let model = problem.game.model().and_then(|model| model.ground()).expect("a model");
        let counter = ludex_knowledge::step_counter(model, ludex_game::RoleId::new(0));
        assert_eq!(counter.is_some(), merged, "{goals}, {steps} steps");
    }
}

#[test]
fn endless_and_hopeless_games_end_within_limits() {
    // The game never ends: all states are seen, and that is a proof.
    let endless = "(role you) (init (at 0)) (legal you go) (<= (next (at 1)) (true (at 0)))
        (<= (next (at 0)) (true (at 1))) (<= terminal (true (at 2))) (<= (next (at 2)) (true (at 3)))
        (goal you 100)";
    let solution = solve(game_from(endless, "batch"), &nodes(1000));
    assert_eq!((solution.plan, solution.optimal), (None, true));
    // 2^40 states, no two on the same way equal, none terminal within reach.
    let mut counter = "(role you) (legal you stay) (init (tick))
        (<= terminal all) (goal you 100) (<= (next (tick)) (true (tick)))\n"
        .to_owned();
    let all: String = (0..40).map(|n| format!("(true (bit {n}))")).collect();
    counter += &format!("(<= all {all})\n");
    for n in 0..40 {
        counter += &format!(
            "(legal you (flip {n}))\n(<= (next (bit {n})) (true (bit {n})) (not (does you (flip {n}))))
            (<= (next (bit {n})) (does you (flip {n})) (not (true (bit {n}))))\n"
        );
    }
    let game = game_from(&counter, "batch");
    let limits = PlannerLimits { memory: 1 << 20, ..nodes(100_000) };
    let solution = solve(game, &limits);
    let breadth_first = &solution.methods[0];
    assert!(breadth_first.gave_up.as_deref().is_some_and(|why| why.contains("memory")), "{solution:?}");
}

#[test]
fn the_same_number_of_nodes_gives_the_same_result() {
    let solved = |_| {
        let mut solution = solve(game("eight_puzzle", "batch"), &nodes(30_000));
        solution.methods.iter_mut().for_each(|report| report.time = Duration::ZERO);
        solution
    };
    let [one, other] = [0, 1].map(solved);
    assert_eq!(one, other);
}

#[test]
fn games_for_several_are_refused() {
    let error = Problem::new(game("tic_tac_toe", "batch")).err().expect("two roles");
    assert!(matches!(error, ProblemError::Roles(ref roles) if roles.len() == 2), "{error}");
}

/// Limits by the clock, far above what the tests need.
fn patient() -> PlannerLimits {
    PlannerLimits { deadline: Some(Instant::now() + Duration::from_secs(120)), ..PlannerLimits::default() }
}

#[test]
fn constraint_puzzles_are_solved() {
    for (name, score) in [("queens", 100), ("sudoku_easy", 100), ("knights_tour", 100)] {
        let game = game(name, "batch");
        let solution = solve(Arc::clone(&game), &patient());
        let plan = solution.plan.as_ref().expect(name);
        assert_eq!((plan.score, solution.optimal), (score, true), "{name}: {solution:?}");
        assert_eq!(Problem::new(game).expect("one role").value(&plan.moves), Ok(Some(score)), "{name}");
    }
}

fn player(game: &Arc<dyn Game>) -> PlannerSearch {
    let context =
        SearchContext { game: Arc::clone(game), role: ludex_game::RoleId::new(0), seed: 1, threads: 1 };
    PlannerSearch::new(context, UctOptions::default())
}

#[test]
fn the_player_plays_its_plans_to_the_end() {
    for (name, score) in [("hanoi", 100), ("blocks_world", 100), ("pancakes6", 90), ("maze", 100)] {
        let game = game(name, "batch");
        let (mut search, mut state, mut settled) = (player(&game), game.initial(), false);
        while !game.view(&state).expect("a view").terminal {
            search.set_root(&state).expect("a root");
            let reason = search.think(&Budget::playouts(20_000)).expect("thinks");
            // What is proved once holds for the rest of the plan.
            assert!(!settled || reason == StopReason::Finished, "{name}");
            let report = search.report();
            settled = report.proven;
            assert_eq!(report.principal_variation.first(), report.best.map(|id| vec![id]).as_ref(), "{name}");
            state = game.next(&state, &[report.best.expect("a move")]).expect("a state");
        }
        assert_eq!(game.goals(&state).expect("goals")[0].value(), Some(score), "{name}");
        assert!(settled || score < 100, "{name}");
    }
}

#[test]
fn the_player_has_a_move_without_any_plan() {
    // Nothing is reached within the budget, and games for two are for UCT.
    for name in ["fifteen_puzzle", "connect_four"] {
        let game = game(name, "batch");
        let mut search = player(&game);
        search.set_root(&game.initial()).expect("a root");
        let before = search.report().best.expect("a move before any search");
        search.think(&Budget::playouts(2_000)).expect("thinks");
        let legal = &game.view(&game.initial()).expect("a view").legal[0];
        assert!(legal.contains(&before) && legal.contains(&search.report().best.expect("a move")), "{name}");
    }
}
