//! Playouts behind leaves in lanes: the same as one after the other, wherever chance has no part in it, and as
//! often as chance would have it elsewhere.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::{
    Choices, FactId, Game, Guide, LanePolicy, Leaf, Leaves, MoveId, Ranking, RoleId, Simulation, State,
    StepPolicy, simulate_one_by_one,
};
use ludex_gdl::Source;
use ludex_reasoner::{BatchOptions, BuildOptions, MachineCode, Width, build_with};

const GAMES: [&str; 6] = [
    "tic_tac_toe",
    "connect_four",
    "chinese_checkers_3",
    "rock_paper_scissors",
    "breakthrough_small",
    "eight_puzzle",
];

fn game(name: &str, width: Width, machine_code: MachineCode) -> Arc<dyn Game> {
    let sheet = ludex_library::find(name).unwrap();
    let rules = ludex_gdl::load(&Source::new(name, sheet.text)).playable().unwrap();
    let batch = BatchOptions { width, machine_code, ..BatchOptions::default() };
    let options = BuildOptions { batch, ..BuildOptions::default() };
    build_with(rules, "batch", &options, &ludex_reasoner::Progress::new()).unwrap().game
}

/// States with joint moves, from random play; some lead to the end.
fn places(game: &dyn Game, count: usize) -> Vec<(State, Vec<MoveId>)> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut places = Vec::new();
    let mut state = game.initial();
    while places.len() < count {
        let view = game.view(&state).unwrap();
        if view.terminal || view.legal.iter().any(Vec::is_empty) {
            places.push((state.clone(), Vec::new()));
            state = game.initial();
            continue;
        }
        let joint: Vec<MoveId> = view.legal.iter().map(|l| l[random.usize(..l.len())]).collect();
        let next = game.next(&state, &joint).unwrap();
        places.push((state, joint));
        state = next;
    }
    places
}

fn run(
    game: &dyn Game,
    places: &[(State, Vec<MoveId>)],
    playouts: u32,
    guide: Guide<'_>,
    lanes: bool,
) -> Leaves {
    let leaves: Vec<Leaf<'_>> =
        places.iter().map(|(state, joint)| Leaf { from: state.words(), joint }).collect();
    let mut simulation =
        Simulation { leaves: &leaves, playouts, max_steps: 500, discount: 0.99, seed: 5, guide };
    let mut results = Leaves::new();
    match lanes {
        true => game.simulate(&mut simulation, &mut results).unwrap(),
        false => simulate_one_by_one(game, &mut simulation, &mut results).unwrap(),
    }
    results
}

fn all_ways() -> impl Iterator<Item = (Width, MachineCode)> {
    Width::ALL.into_iter().flat_map(|width| [(width, MachineCode::Never), (width, MachineCode::AtOnce)])
}

fn assert_same(a: &Leaves, b: &Leaves, roles: usize, what: &str) {
    assert_eq!((a.len(), a.steps), (b.len(), b.steps), "{what}");
    for leaf in 0..a.len() {
        assert_eq!(a.words(leaf), b.words(leaf), "{what}: state of leaf {leaf}");
        assert_eq!(a.is_terminal(leaf), b.is_terminal(leaf), "{what}: end of leaf {leaf}");
        assert_eq!(a.count(leaf), b.count(leaf), "{what}: playouts of leaf {leaf}");
        for role in 0..roles {
            assert_eq!(a.legal(leaf, role), b.legal(leaf, role), "{what}: moves at leaf {leaf}");
            assert_eq!(a.goals(leaf)[role], b.goals(leaf)[role], "{what}: goals of leaf {leaf}");
            let (x, y) = (a.sums(leaf)[role], b.sums(leaf)[role]);
            assert!((x - y).abs() <= 1e-9 * (1.0 + x.abs()), "{what}: {x} and {y} at leaf {leaf}");
        }
    }
}

/// Always the same choice in the same place, so that results can be compared exactly.
#[derive(Default)]
struct Fixed {
    /// Chooses by facts too.
    looks_at_facts: bool,
    /// By lane: the leaf, moves so far, and what held before each step.
    leaves: Vec<usize>,
    history: Vec<Vec<MoveId>>,
    facts: Vec<Vec<Vec<FactId>>>,
    log: Vec<Playout>,
}

/// The leaf, moves, what held before each step, goals.
type Playout = (usize, Vec<MoveId>, Vec<Vec<FactId>>, Option<Vec<f64>>);

impl Fixed {
    fn sorted_log(mut self) -> Vec<Playout> {
        self.log.sort_by(|a, b| {
            (a.0, &a.1, &a.2).cmp(&(b.0, &b.1, &b.2)).then(format!("{:?}", a.3).cmp(&format!("{:?}", b.3)))
        });
        self.log
    }
}

impl LanePolicy for Fixed {
    fn begin(&mut self, lane: usize, leaf: usize) {
        if self.history.len() <= lane {
            self.history.resize(lane + 1, Vec::new());
            self.facts.resize(lane + 1, Vec::new());
            self.leaves.resize(lane + 1, 0);
        }
        self.leaves[lane] = leaf;
        self.history[lane].clear();
        self.facts[lane].clear();
    }

    fn looks_at_facts(&self) -> bool {
        self.looks_at_facts
    }

    fn sees(&mut self, lane: usize, facts: &[FactId]) {
        assert!(self.looks_at_facts, "nobody asked");
        assert!(facts.is_sorted(), "{facts:?}");
        self.facts[lane].push(facts.to_vec());
    }

    fn choose(&mut self, lane: usize, role: RoleId, legal: &[MoveId], _: &mut fastrand::Rng) -> usize {
        let moves = self.history[lane].iter().map(|id| id.index() + 1);
        let facts = self.facts[lane].last().into_iter().flatten().map(|id| id.index());
        let seen: usize = moves.chain(facts).sum();
        (seen * 7 + role.index() * 3 + legal[0].index()) % legal.len()
    }

    fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        self.history[lane].extend(joint);
    }

    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        let (moves, facts) = (self.history[lane].clone(), self.facts[lane].clone());
        self.log.push((self.leaves[lane], moves, facts, goals.map(<[f64]>::to_vec)));
    }
}

/// The same choices in all lanes at once.
#[derive(Default)]
struct FixedByStep {
    fixed: Fixed,
    roles: usize,
    /// By lane: how many steps have been made since its playout began, whether it is over or not.
    since: Vec<usize>,
    joints: usize,
}

impl StepPolicy for FixedByStep {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.fixed.begin(lane, leaf);
        self.since.resize(self.since.len().max(lane + 1), 0);
        self.since[lane] = 0;
    }

    fn choose(&mut self, choices: &Choices, _: &mut fastrand::Rng, chosen: &mut Vec<u32>) {
        assert!(!choices.lanes.is_empty() && choices.moves.is_sorted());
        for &lane in &choices.lanes {
            let mut places = Vec::new();
            let end = choices.list(lane, &mut places, 0);
            let legal: Vec<MoveId> =
                places[..end].iter().map(|&place| choices.moves[place as usize]).collect();
            assert!(legal.len() > 1 && legal.is_sorted(), "{legal:?}");
            let mut random = fastrand::Rng::new();
            let at = self.fixed.choose(usize::from(lane), choices.role, &legal, &mut random);
            chosen.push(places[at]);
        }
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.joints += 1;
        let lanes = self.since.len();
        let each = joint.len() / self.roles;
        for lane in 0..lanes {
            self.since[lane] += 1;
            let joint: Vec<MoveId> = (0..self.roles).map(|role| joint[role * each + lane]).collect();
            self.fixed.moved(lane, &joint);
        }
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        // What was told after the end means nothing.
        assert!(steps <= self.since[lane]);
        self.fixed.history[lane].truncate(steps * self.roles);
        self.fixed.ended(lane, goals);
    }
}

/// Lane by lane or all at once, alone or in lanes: the same playouts.
#[test]
fn a_policy_for_whole_steps_makes_the_same_playouts() {
    for name in GAMES {
        for (width, machine_code) in all_ways() {
            let game = game(name, width, machine_code);
            let places = places(&*game, 150);
            let what = format!("{name}, {width:?}, machine code {machine_code:?}");
            let by_step = || FixedByStep { roles: game.role_count(), ..FixedByStep::default() };
            let (mut by_lane, mut one, mut many) = (Fixed::default(), by_step(), by_step());
            let expected = run(&*game, &places, 3, Guide::ByLane(&mut by_lane), false);
            let a = run(&*game, &places, 3, Guide::ByStep(&mut one), false);
            let b = run(&*game, &places, 3, Guide::ByStep(&mut many), true);
            assert_same(&expected, &a, game.role_count(), &what);
            assert_same(&expected, &b, game.role_count(), &what);
            assert!(many.joints > 0 && many.joints < one.joints, "{what}");
            let expected = by_lane.sorted_log();
            assert_eq!(one.fixed.sorted_log(), expected, "{what}");
            assert_eq!(many.fixed.sorted_log(), expected, "{what}");
        }
    }
}

#[test]
fn a_policy_sees_the_same_in_lanes() {
    for name in GAMES {
        for (width, machine_code) in all_ways() {
            let game = game(name, width, machine_code);
            let places = places(&*game, 150);
            let what = format!("{name}, {width:?}, machine code {machine_code:?}");
            for looks_at_facts in [false, true] {
                let fixed = || Fixed { looks_at_facts, ..Fixed::default() };
                let (mut one, mut many) = (fixed(), fixed());
                let a = run(&*game, &places, 3, Guide::ByLane(&mut one), false);
                let b = run(&*game, &places, 3, Guide::ByLane(&mut many), true);
                assert_same(&a, &b, game.role_count(), &what);
                assert_eq!(one.sorted_log(), many.sorted_log(), "{what}");
            }
        }
    }
}

/// A policy is told the facts of the state that moves are chosen in, whichever way an engine writes states.
#[test]
fn every_engine_tells_what_holds() {
    for engine in ["reference", "rules", "circuit", "batch"] {
        let sheet = ludex_library::find("tic_tac_toe").unwrap();
        let rules = ludex_gdl::load(&Source::new("tic_tac_toe", sheet.text)).playable().unwrap();
        let game = ludex_reasoner::build(rules, engine).unwrap();
        let mut policy = Fixed { looks_at_facts: true, ..Fixed::default() };
        run(&*game, &[(game.initial(), Vec::new())], 2, Guide::ByLane(&mut policy), true);
        assert_eq!(policy.log.len(), 2, "{engine}");
        for (_, moves, facts, _) in policy.log {
            let mut state = game.initial();
            assert_eq!(moves.len(), 2 * facts.len(), "{engine}");
            for (joint, facts) in moves.chunks(2).zip(&facts) {
                assert_eq!(&game.facts(&state), facts, "{engine}");
                state = game.next(&state, joint).unwrap();
            }
            assert!(game.view(&state).unwrap().terminal, "{engine}");
        }
    }
}

#[test]
fn a_ranking_without_chance_is_followed_exactly() {
    for name in GAMES {
        for (width, machine_code) in all_ways() {
            compare_rankings(name, width, machine_code, 150);
        }
    }
}

/// Where a game has thousands of moves, lanes go about it in another way.
#[test]
fn rankings_are_the_same_among_thousands_of_moves() {
    compare_rankings("skirmish", Width::best(), MachineCode::AtOnce, 40);
}

fn compare_rankings(name: &str, width: Width, machine_code: MachineCode, count: usize) {
    let game = game(name, width, machine_code);
    let places = places(&*game, count);
    let mut random = fastrand::Rng::with_seed(2);
    let legal = places.iter().map(|(state, _)| game.view(state).unwrap().legal);
    let highest = legal.flatten().flatten().map(|id| id.index()).max().unwrap();
    // All moves that can occur: those seen, and many more.
    let mut order: Vec<MoveId> = (0..highest + 2000).map(MoveId::new).collect();
    random.shuffle(&mut order);
    let order = vec![order; game.role_count()];
    let mut one = Ranking { epsilon: 0.0, order, tallies: Vec::new() };
    let mut many = one.clone();
    let a = run(&*game, &places, 2, Guide::Ranked(&mut one), false);
    let b = run(&*game, &places, 2, Guide::Ranked(&mut many), true);
    let what = format!("{name}, {width:?}, machine code {machine_code:?}");
    assert_same(&a, &b, game.role_count(), &what);
    for role in 0..game.role_count() {
        for id in (0..highest + 2000).map(MoveId::new) {
            assert_eq!(one.tally(role, id), many.tally(role, id), "{what}: {}", game.move_name(id));
        }
    }
}

/// Chance in lanes against chance one by one: the means of all leaves together, and the lengths.
#[test]
fn chance_is_the_same_in_lanes() {
    for name in ["tic_tac_toe", "connect_four"] {
        let game = game(name, Width::best(), MachineCode::AtOnce);
        let places = places(&*game, 40);
        for epsilon in [None, Some(1.0), Some(0.5)] {
            let order = vec![(0..200).map(MoveId::new).collect(); game.role_count()];
            let mut one = Ranking { epsilon: epsilon.unwrap_or(0.0), order, tallies: Vec::new() };
            let mut many = one.clone();
            let guide = |ranking| if epsilon.is_some() { Guide::Ranked(ranking) } else { Guide::Uniform };
            let (few, lots) = (200, 2000);
            let a = run(&*game, &places, few, guide(&mut one), false);
            let b = run(&*game, &places, lots, guide(&mut many), true);
            let mean = |results: &Leaves, leaf: usize| results.sums(leaf)[0] / f64::from(results.count(leaf));
            for leaf in 0..places.len() {
                // A goal lies between 0 and 100: its deviation is at most 50.
                let tolerance = 4.5 * 50.0 / f64::from(few).sqrt();
                let (x, y) = (mean(&a, leaf), mean(&b, leaf));
                assert!((x - y).abs() < tolerance, "{name}, {epsilon:?}: {x} and {y} at leaf {leaf}");
            }
            let length = |results: &Leaves| {
                results.steps as f64
                    / (0..results.len()).map(|leaf| f64::from(results.count(leaf))).sum::<f64>()
            };
            let (x, y) = (length(&a), length(&b));
            assert!((x - y).abs() < 0.05 * x + 0.1, "{name}, {epsilon:?}: lengths {x} and {y}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_playouts() {
    let game = game("connect_four", Width::best(), MachineCode::AtOnce);
    let places = places(&*game, 700);
    let once = run(&*game, &places, 4, Guide::Uniform, true);
    let again = run(&*game, &places, 4, Guide::Uniform, true);
    assert_eq!(once, again);
}
