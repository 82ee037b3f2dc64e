//! The minimax family: known values are proved, and every variant agrees with exhaustive search.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

mod thoughts;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, MoveId, RoleId, RoleKind, State, joint_moves};
use ludex_search::{
    AlphaBeta, AlphaBetaOptions, Budget, Neutral, Search, SearchContext, SearchReport, StopReason,
};
use ludex_testkit::{Corpus, Shape, game_from, random_sheet, sheets};

use thoughts::{game, search};

/// Every preset of the family, and forms of alpha-beta that work differently.
const FAMILY: [&str; 12] = [
    "alphabeta",
    "alphabeta:full-width=0",
    "alphabeta:full-width=3,history=off",
    "alphabeta:table=off",
    "alphabeta:pvs=off,window=0",
    "alphabeta:window=1",
    "alphabeta:evaluation=goals",
    "paranoid",
    "paranoid:pvs=on,full-width=1",
    "minimax",
    "minimax:evaluation=goals",
    "maxn",
];

/// Searches a state until it is decided, or for so many positions.
fn solve(spec: &str, game: &Arc<dyn Game>, role: usize, state: &State, positions: u64) -> SearchReport {
    let mut search = search(spec, game, role, (1, 1));
    search.set_root(state).unwrap();
    search.think(&Budget::playouts(positions)).unwrap();
    search.report()
}

/// Both roles prove this value of the first role, within so many positions.
#[allow(clippy::print_stdout, reason = "figures, for whoever asks for them")]
fn proves(name: &str, game: &Arc<dyn Game>, value: f64, positions: u64) {
    for role in [0, 1] {
        let begun = Instant::now();
        let report = solve("alphabeta", game, role, &game.initial(), positions);
        println!("{name}: {} positions, depth {}, {:?}", report.nodes, report.depth, begun.elapsed());
        assert!(report.proven, "{name}: {report:?}");
        let expected = if role == 0 { value } else { 100.0 - value };
        assert_eq!(report.values[role], expected, "{name}");
        assert!(!report.principal_variation.is_empty(), "{name}");
    }
}

#[test]
fn known_values_are_proved() {
    let known = [
        ("tic_tac_toe", 50.0),
        ("breakthrough_tiny", 100.0),
        ("clobber_small", 0.0),
        ("hex_small", 100.0),
        ("connect_four_4x4", 50.0),
    ];
    for (name, value) in known {
        proves(name, &game(name, "batch"), value, 20_000_000);
    }
}

/// Larger boards; minutes.
#[test]
#[ignore = "slow"]
fn known_values_of_larger_boards_are_proved() {
    let known = [("connect_four_5x4", 50.0), ("clobber", 100.0), ("connect_four_5x5", 50.0)];
    for (name, value) in known {
        proves(name, &game(name, "batch"), value, 2_000_000_000);
    }
}

/// Nim, of which the theory is known: the first player loses if the exclusive or of the heaps is 0.
/// The last sheet is misère, where the same holds as long as some heap is larger than one.
fn plays_nim(name: &str, corpus: &Corpus, positions: u64) {
    let game = ludex_reasoner::build(corpus.game(name).rules(), "batch").unwrap();
    let heap = |fact: &String| {
        fact.strip_prefix("(heap ")?.trim_end_matches(')').split(' ').nth(1)?.parse::<u32>().ok()
    };
    let heaps: Vec<u32> = game.describe(&game.initial()).iter().filter_map(heap).collect();
    assert_eq!(heaps.len(), 4, "{name}");
    let sum = heaps.iter().fold(0, |sum, heap| sum ^ heap);
    proves(name, &game, if sum == 0 { 0.0 } else { 100.0 }, positions);
}

#[test]
fn nim_is_played_by_its_theory() {
    let Some(corpus) = Corpus::find("nim is not solved") else { return };
    ["base_nim1", "base_nim2"].iter().for_each(|name| plays_nim(name, &corpus, 2_000_000));
}

#[test]
#[ignore = "slow"]
fn nim_with_large_heaps_is_played_by_its_theory() {
    let Some(corpus) = Corpus::find("nim is not solved") else { return };
    ["base_nim3", "base_nim4"].iter().for_each(|name| plays_nim(name, &corpus, 1_000_000_000));
}

/// The smallest games are solved without any enhancement as well.
#[test]
fn every_member_of_the_family_solves_tic_tac_toe() {
    let game = game("tic_tac_toe", "batch");
    let opening: [&[&str]; 2] = [&["(mark 1 1)"], &["(mark 2 2)"]];
    let state = thoughts::after(&game, &opening);
    for spec in FAMILY {
        for role in [0, 1] {
            let report = solve(spec, &game, role, &state, 3_000_000);
            assert!(report.proven && report.values[role] == 50.0, "{spec}: {report:?}");
        }
    }
}

/// What every method says by definition, from all joint moves to the ends of the game.
struct Exhaustive<'a> {
    game: &'a dyn Game,
    kinds: Vec<RoleKind>,
    /// The searching role.
    own: usize,
    known: HashMap<State, Vec<f64>>,
    method: Method,
}

#[derive(Clone, Copy, PartialEq)]
enum Method {
    /// All others minimise the searching role's goal, knowing its move.
    Guarantee,
    /// As above, but a single opponent does not know the move; the role has at most two of them.
    Matrix,
    /// Everyone maximises its own goal, the searching role first, then in the order of roles.
    MaxN,
}

impl Exhaustive<'_> {
    fn new(game: &Arc<dyn Game>, own: usize, method: Method) -> Exhaustive<'_> {
        let kinds = game.roles().iter().map(|name| RoleKind::of(name)).collect();
        Exhaustive { game: &**game, kinds, own, known: HashMap::new(), method }
    }

    /// The goal of every role; only that of the searching one means something unless all maximise.
    fn values(&mut self, state: &State) -> Vec<f64> {
        if let Some(known) = self.known.get(state) {
            return known.clone();
        }
        let view = self.game.view(state).unwrap();
        let values = if view.terminal {
            let goals = self.game.goals(state).unwrap();
            goals.iter().map(|goal| f64::from(goal.value().unwrap_or(0))).collect()
        } else {
            let mut of_joint = HashMap::new();
            for joint in joint_moves(&view) {
                let next = self.game.next(state, &joint).unwrap();
                of_joint.insert(joint, self.values(&next));
            }
            let mut joint: Vec<Option<MoveId>> = vec![None; self.kinds.len()];
            self.choose(&view.legal, &mut joint, &of_joint)
        };
        self.known.insert(state.clone(), values.clone());
        values
    }

    /// The next role without a move chooses: the searching role, then the others, then chance.
    fn choose(
        &self,
        legal: &[Vec<MoveId>],
        joint: &mut Vec<Option<MoveId>>,
        of_joint: &HashMap<Vec<MoveId>, Vec<f64>>,
    ) -> Vec<f64> {
        let is_player = |role: &usize| self.kinds[*role] == RoleKind::Player;
        let roles = || (0..legal.len()).filter(|&role| joint[role].is_none());
        let players = || roles().filter(is_player);
        let Some(role) = players().find(|&role| role == self.own).or(players().next()).or(roles().next())
        else {
            return of_joint[&joint.iter().map(|made| made.unwrap()).collect::<Vec<_>>()].clone();
        };
        let is_chance = self.kinds[role] == RoleKind::Chance;
        let opponents = players().filter(|&other| other != self.own).collect::<Vec<_>>();
        if let (Method::Matrix, true, [opponent]) = (self.method, role == self.own, &opponents[..]) {
            return self.matrix(legal, (role, *opponent), joint, of_joint);
        }
        let mut options = Vec::new();
        for &made in &legal[role] {
            joint[role] = Some(made);
            options.push(self.choose(legal, joint, of_joint));
        }
        joint[role] = None;
        if is_chance {
            let mean = |at: usize| options.iter().map(|v| v[at]).sum::<f64>() / options.len() as f64;
            return (0..legal.len()).map(mean).collect();
        }
        let own = self.own;
        let mut best = options[0].clone();
        for option in &options[1..] {
            let is_better = match self.method {
                _ if role == own => option[own] > best[own],
                Method::MaxN => {
                    option[role] > best[role] || option[role] == best[role] && option[own] < best[own]
                }
                _ => option[own] < best[own],
            };
            if is_better {
                best = option.clone();
            }
        }
        best
    }

    /// The value of a matrix game with at most two rows: the maximum over p of a minimum of straight
    /// lines is at an end or where two lines meet.
    fn matrix(
        &self,
        legal: &[Vec<MoveId>],
        (own, opponent): (usize, usize),
        joint: &mut Vec<Option<MoveId>>,
        of_joint: &HashMap<Vec<MoveId>, Vec<f64>>,
    ) -> Vec<f64> {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for &a in &legal[own] {
            let mut row = Vec::new();
            for &b in &legal[opponent] {
                (joint[own], joint[opponent]) = (Some(a), Some(b));
                row.push(self.choose(legal, joint, of_joint)[own]);
            }
            rows.push(row);
        }
        (joint[own], joint[opponent]) = (None, None);
        assert!(rows.len() <= 2, "brute force is for two rows");
        let (top, bottom) = (&rows[0], &rows[rows.len() - 1]);
        let line = |at: usize, p: f64| p * top[at] + (1.0 - p) * bottom[at];
        let least = |p: f64| (0..top.len()).map(|at| line(at, p)).fold(f64::INFINITY, f64::min);
        let mut value = least(0.0).max(least(1.0));
        for (a, b) in (0..top.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let p = (bottom[b] - bottom[a]) / (top[a] - bottom[a] - top[b] + bottom[b]);
            if (0.0..=1.0).contains(&p) {
                value = value.max(least(p));
            }
        }
        let mut values = vec![0.0; legal.len()];
        values[own] = value;
        values
    }
}

/// Compares the searches of all roles in the positions of random play with the values by definition,
/// and what the chosen moves are worth.
fn agree(specs: &[&str], method: Method, shapes: &[Shape], seeds: std::ops::Range<u64>) {
    let (mut compared, mut proved) = (0, 0);
    for (&shape, seed) in shapes.iter().flat_map(|shape| seeds.clone().map(move |seed| (shape, seed))) {
        let sheet = random_sheet(shape, seed);
        let game = game_from(&sheet, if seed % 3 == 0 { "circuit" } else { "batch" });
        for own in 0..shape.players {
            let mut exhaustive = Exhaustive::new(&game, own, method);
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = game.initial();
            while let view = game.view(&state).unwrap()
                && !view.terminal
            {
                let expected = exhaustive.values(&state)[own];
                for spec in specs {
                    let report = solve(spec, &game, own, &state, 1_000_000);
                    let told =
                        format!("{spec} for role {own}, {expected}, {shape:?}, seed {seed}: {report:?}");
                    // Where the choice is made already, the value may be left open.
                    let is_equal = (report.values[own] - expected).abs() < 1e-3;
                    assert!(is_equal || !report.proven && view.legal[own].len() > 1, "{told}");
                    (compared, proved) = (compared + 1, proved + usize::from(report.proven));
                    let proof = report.proof.expect(&told);
                    assert!(f64::from(proof.low) <= expected + 1e-3, "{told}");
                    assert!(f64::from(proof.high) >= expected - 1e-3, "{told}");
                    // The move keeps the value, unless it is one of a mixed strategy.
                    if view.legal[own].len() > 1 && method != Method::Matrix {
                        let mut fixed = vec![None; game.role_count()];
                        fixed[own] = report.best;
                        let mut of_joint = HashMap::new();
                        for joint in joint_moves(&view) {
                            let next = game.next(&state, &joint).unwrap();
                            of_joint.insert(joint, exhaustive.values(&next));
                        }
                        let kept = exhaustive.choose(&view.legal, &mut fixed, &of_joint)[own];
                        assert!((kept - expected).abs() < 1e-3, "{kept}, {told}");
                    }
                }
                let joint: Vec<MoveId> =
                    view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
                state = game.next(&state, &joint).unwrap();
            }
        }
    }
    assert!(compared > 100 && proved * 4 > compared * 3, "{proved} of {compared}");
}

const TURNS: Shape = Shape {
    players: 2,
    chance: false,
    simultaneous: false,
    layers: 5,
    width: 6,
    moves: 3,
    constant_sum: true,
    wins_only: false,
};

#[test]
fn values_are_those_of_exhaustive_minimax() {
    let shapes = [
        TURNS,
        Shape { constant_sum: false, layers: 7, ..TURNS },
        Shape { players: 1, ..TURNS },
        Shape { simultaneous: true, ..TURNS },
        Shape { chance: true, ..TURNS },
        Shape { chance: true, simultaneous: true, constant_sum: false, layers: 4, ..TURNS },
        Shape { players: 3, simultaneous: true, layers: 4, ..TURNS },
        Shape { players: 4, width: 9, ..TURNS },
    ];
    agree(&FAMILY[..11], Method::Guarantee, &shapes, 0..3);
}

#[test]
fn maxn_is_what_everyone_gets_if_everyone_maximises() {
    let shapes = [
        Shape { players: 3, ..TURNS },
        Shape { players: 3, simultaneous: true, layers: 4, ..TURNS },
        Shape { players: 4, chance: true, ..TURNS },
        Shape { constant_sum: false, simultaneous: true, ..TURNS },
        Shape { players: 1, chance: true, ..TURNS },
    ];
    agree(&["maxn", "maxn:evaluation=goals"], Method::MaxN, &shapes, 0..6);
}

#[test]
fn matrix_games_are_solved_by_mixed_strategies() {
    let shapes = [
        Shape { simultaneous: true, moves: 2, ..TURNS },
        Shape { simultaneous: true, moves: 2, chance: true, ..TURNS },
        Shape { simultaneous: true, moves: 2, constant_sum: false, layers: 4, ..TURNS },
    ];
    let specs = [
        "alphabeta:simultaneous=matrix",
        "alphabeta:simultaneous=matrix,full-width=0,table=off",
        "minimax:simultaneous=matrix",
    ];
    agree(&specs, Method::Matrix, &shapes, 0..5);
    let game = game("rock_paper_scissors", "batch");
    let report = solve("alphabeta:simultaneous=matrix", &game, 0, &game.initial(), 100_000);
    assert!((report.values[0] - 50.0).abs() < 1e-3 || !report.proven, "{report:?}");
}

/// A win is made in as few steps as there are; a loss takes as long as it can.
#[test]
fn wins_are_short_and_losses_long() {
    for seed in 0..40 {
        let shape = Shape { layers: 7, width: 10, wins_only: true, ..TURNS };
        let game = game_from(&random_sheet(shape, seed), "batch");
        let mut distances = HashMap::new();
        for role in [0, 1] {
            distances.clear();
            let (value, steps) = distance(&game, &game.initial(), role, &mut distances);
            for spec in ["alphabeta", "alphabeta:full-width=0", "alphabeta:table=off", "minimax"] {
                let report = solve(spec, &game, role, &game.initial(), 1_000_000);
                let proof = report.proof.unwrap();
                assert!(proof.is_exact() && proof.low == value, "{spec}, seed {seed}: {report:?}");
                assert_eq!(proof.steps, Some(steps), "{spec}, seed {seed}: {report:?}");
                let chosen = report.chosen().unwrap();
                if report.candidates.len() > 1 {
                    assert_eq!(chosen.proof.and_then(|proof| proof.steps), Some(steps), "{report:?}");
                }
            }
        }
    }
}

/// Goal of a role and steps to the end, if the winner hurries and the loser does not.
fn distance(
    game: &Arc<dyn Game>,
    state: &State,
    role: usize,
    known: &mut HashMap<State, (u8, u16)>,
) -> (u8, u16) {
    if let Some(&known) = known.get(state) {
        return known;
    }
    let view = game.view(state).unwrap();
    let result = if view.terminal {
        (game.goals(state).unwrap()[role].value().unwrap(), 0)
    } else {
        let mut options = Vec::new();
        for joint in joint_moves(&view) {
            let next = game.next(state, &joint).unwrap();
            let (goal, steps) = distance(game, &next, role, known);
            options.push((goal, steps + 1));
        }
        let own = view.legal[role].len() > 1;
        // Whoever chooses wants a good end soon and a bad one late.
        let key = |&(goal, steps): &(u8, u16)| {
            let good = (goal == 100) == own;
            (good, if good { -i32::from(steps) } else { i32::from(steps) })
        };
        options.into_iter().max_by_key(key).unwrap()
    };
    known.insert(state.clone(), result);
    result
}

/// Proofs of positions in the tree can be read by others: they are those of exhaustive search.
#[test]
fn proofs_of_positions_are_true() {
    let game = game("tic_tac_toe", "batch");
    for role in [0, 1] {
        let context = SearchContext { game: game.clone(), role: RoleId::new(role), seed: 1, threads: 1 };
        let evaluation = Box::new(Neutral::new(&*game));
        let mut search = AlphaBeta::new(context, AlphaBetaOptions::default(), evaluation);
        search.set_root(&game.initial()).unwrap();
        search.think(&Budget::playouts(3_000_000)).unwrap();
        let mut exhaustive = Exhaustive::new(&game, role, Method::Guarantee);
        exhaustive.values(&game.initial());
        let (mut exact, mut bounds) = (0, 0);
        #[allow(clippy::iter_over_hash_type, reason = "each is checked alone")]
        for (state, values) in &exhaustive.known {
            let Some(proof) = search.proved(state) else { continue };
            let value = values[role];
            assert!(f64::from(proof.low) <= value && value <= f64::from(proof.high), "{proof:?}, {value}");
            exact += usize::from(proof.is_exact());
            bounds += 1;
        }
        assert!(exact > 50 && bounds >= exact, "{exact} of {bounds}");
        assert!(search.proved(&game.initial()).is_some_and(|proof| (proof.low, proof.high) == (50, 50)));
    }
}

/// A match against an opponent that plays at random is won from a won position, move by move.
#[test]
fn proved_wins_are_played_to_the_end() {
    let game = game("breakthrough_tiny", "batch");
    for seed in 0..3 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut player = search("alphabeta", &game, 0, (seed, 1));
        let mut state = game.initial();
        let mut left = u16::MAX;
        loop {
            let view = game.view(&state).unwrap();
            if view.terminal {
                break;
            }
            player.set_root(&state).unwrap();
            player.think(&Budget::playouts(3_000_000)).unwrap();
            let report = player.report();
            let steps = report.proof.unwrap().steps.unwrap();
            assert!(report.proven && steps < left, "{steps} of {left}: {report:?}");
            left = steps;
            let mut joint: Vec<MoveId> =
                view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            joint[0] = report.best.unwrap();
            state = game.next(&state, &joint).unwrap();
        }
        assert_eq!(game.goals(&state).unwrap()[0].value(), Some(100));
    }
}

#[test]
fn the_same_budget_gives_the_same_result_in_one_slice_or_many() {
    for name in ["connect_four", "breakthrough", "rock_paper_scissors", "chinese_checkers_3"] {
        let game = game(name, "batch");
        for spec in FAMILY {
            let whole = solve(spec, &game, 0, &game.initial(), 60_000);
            assert_eq!(whole, solve(spec, &game, 0, &game.initial(), 60_000), "{spec}, {name}");
            // Slices end wherever they do, and the search goes on there.
            let mut sliced = search(spec, &game, 0, (1, 1));
            sliced.set_root(&game.initial()).unwrap();
            while sliced.think(&Budget::playouts(700)).unwrap() != StopReason::Finished
                && sliced.report().nodes <= whole.nodes
            {}
            assert!(sliced.report().depth >= whole.depth, "{spec}, {name}");
        }
    }
}

#[test]
fn deadlines_and_memory_are_kept() {
    for (name, engine) in [("breakthrough", "batch"), ("amazons", "rules"), ("othello", "circuit")] {
        let game = game(name, engine);
        for spec in FAMILY {
            let mut player = search(spec, &game, 0, (1, 1));
            player.set_root(&game.initial()).unwrap();
            let mut late = || {
                let deadline = Instant::now() + Duration::from_millis(50);
                let budget = Budget { memory: 8 << 20, ..Budget::until(deadline) };
                player.think(&budget).unwrap();
                Instant::now().saturating_duration_since(deadline)
            };
            // On a busy machine a search may be late; one that ignores the clock always is.
            let is_in_time = (0..4).any(|_| late() < Duration::from_millis(100));
            assert!(is_in_time, "{spec} is always late in {name}");
            let report = player.report();
            assert!(report.best.is_some() && report.memory <= 8 << 20, "{spec}, {name}: {report:?}");
        }
    }
}

#[test]
fn memory_is_bounded_however_long_the_search() {
    let game = game("connect_four", "batch");
    for spec in FAMILY {
        let mut player = search(spec, &game, 0, (1, 1));
        player.set_root(&game.initial()).unwrap();
        let memory = 4 << 20;
        player.think(&Budget { memory, ..Budget::playouts(400_000) }).unwrap();
        let report = player.report();
        assert!(report.memory <= memory && report.nodes >= 400_000, "{spec}: {report:?}");
    }
}

/// Sheets with something odd: no end, no goals, no moves, one role, a single move.
#[test]
fn odd_games_are_searched() {
    let stuck =
        "(role a) (role b) (init (s 1)) (<= (legal a go) (true (s 1))) (<= (legal a stay) (true (s 1)))
        (<= (legal b go) (true (s 1))) (<= (next (s 2)) (does a go)) (<= (next (s 1)) (does a stay))
        (<= terminal (true (s 3))) (goal a 50) (goal b 50) (<= (next (s 3)) (true (s 4)))";
    let over = "(role a) (init s) (legal a go) (next s) terminal (goal a 30)";
    let circle = "(role a) (role b) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 1) (legal b wait)
        (legal a go) (legal a stay) (<= (next (at ?y)) (does a go) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does a stay) (true (at ?x))) (<= terminal (true (at 9)))
        (<= (goal ?r 100) (role ?r) (true (at 9))) (<= (goal ?r 0) (role ?r) (true (at 9)))";
    let odd = [
        (sheets::ENDLESS, "rules"),
        (sheets::GROWING, "rules"),
        (sheets::LOOP, "batch"),
        (sheets::HEAPS, "batch"),
        (stuck, "rules"),
        (over, "batch"),
        (circle, "rules"),
    ];
    for (sheet, engine) in odd {
        let rules = ludex_testkit::rules_despite_errors(sheet);
        let game = ludex_reasoner::build(rules, engine).unwrap();
        for spec in FAMILY {
            for role in 0..game.role_count() {
                let mut player = search(spec, &game, role, (1, 1));
                assert_eq!(player.report().best, None);
                player.set_root(&game.initial()).unwrap();
                let budget = Budget { memory: 4 << 20, ..Budget::playouts(20_000) };
                player.think(&budget).unwrap();
                let report = player.report();
                let view = game.view(&game.initial()).unwrap();
                let is_legal = report.best.is_some_and(|best| view.legal[role].contains(&best));
                assert!(view.terminal || view.legal[role].is_empty() || is_legal, "{spec}: {report:?}");
            }
        }
    }
}
