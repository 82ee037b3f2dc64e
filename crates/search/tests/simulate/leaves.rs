//! Runs playouts after leaves, in lanes and one by one, and compares the results.

use std::sync::Arc;

use ludex_game::{
    Choices, FactId, Game, Leaf, LeafResults, MoveId, PlayoutPolicy, Ranking, RoleId, Simulation,
    SimulatorConfig, State, StepPolicy, simulate_one_by_one,
};
use ludex_gdl::Rules;
use ludex_reasoner::{
    BatchOptions, BuildError, BuildOptions, Limits, MachineCode, Progress, Width, build_with,
};

/// What holds for all playouts here.
pub(crate) const CONFIG: SimulatorConfig = SimulatorConfig { max_steps: 500, discount: 0.99 };

/// A game of the batch engine.
pub(crate) fn in_lanes(
    rules: Rules,
    width: Width,
    machine_code: MachineCode,
    limits: Limits,
) -> Result<Arc<dyn Game>, BuildError> {
    let batch = BatchOptions { width, machine_code, ..BatchOptions::default() };
    let options = BuildOptions { batch, limits, ..BuildOptions::default() };
    build_with(rules, "batch", &options, &Progress::new()).map(|built| built.game)
}

/// States with joint moves from random play; some lead to terminal states.
pub(crate) fn places(game: &Arc<dyn Game>, count: usize) -> Vec<(State, Vec<MoveId>)> {
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

pub(crate) fn run(
    game: &Arc<dyn Game>,
    places: &[(State, Vec<MoveId>)],
    playouts: u32,
    policy: PlayoutPolicy<'_>,
    lanes: bool,
) -> LeafResults {
    let leaves: Vec<Leaf<'_>> = (0..)
        .zip(places)
        .map(|(number, (state, joint))| Leaf { number, from: state.words(), joint })
        .collect();
    let mut simulation = Simulation { leaves: &leaves, playouts, seed: 5, policy, keep_busy: 0 };
    let mut results = LeafResults::new();
    match lanes {
        true => Arc::clone(game).simulator(CONFIG).simulate(&mut simulation, &mut results).unwrap(),
        false => simulate_one_by_one(&**game, &CONFIG, &mut simulation, &mut results).unwrap(),
    }
    results
}

/// How moves are chosen, for each call anew.
pub(crate) enum Chooses<'a> {
    Chance,
    By(&'a mut Ranking),
}

/// The same in many calls: `at_once` leaves are in flight, and finished ones pass their numbers and
/// lanes to others. Returns all results, and whether a call returned with playouts in flight.
pub(crate) fn run_flowing(
    game: &Arc<dyn Game>,
    places: &[(State, Vec<MoveId>)],
    (playouts, at_once): (u32, usize),
    mut chooses: Chooses<'_>,
) -> (LeafResults, bool) {
    let roles = game.role_count();
    let (mut all, mut results) = (LeafResults::new(), LeafResults::new());
    let mut simulator = Arc::clone(game).simulator(CONFIG);
    all.begin(roles);
    let (mut steps, mut seed, mut has_flowed) = (0, 5, false);
    // By leaf number: the place that uses it.
    let mut place_of: Vec<Option<usize>> = vec![None; at_once];
    let mut next = 0;
    loop {
        let mut leaves = Vec::new();
        let mut room = if place_of.iter().all(Option::is_none) { game.engine().lanes } else { results.room };
        for (number, place) in place_of.iter_mut().enumerate() {
            if place.is_none() && next < places.len() && room > 0 {
                let (state, joint) = &places[next];
                leaves.push(Leaf { number, from: state.words(), joint });
                *place = Some(next);
                (next, room) = (next + 1, room - 1);
            }
        }
        if place_of.iter().all(Option::is_none) {
            break;
        }
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts,
            seed,
            policy: match &mut chooses {
                Chooses::Chance => PlayoutPolicy::Uniform,
                Chooses::By(ranking) => PlayoutPolicy::Ranked(ranking),
            },
            keep_busy: if next < places.len() { at_once * playouts as usize } else { 0 },
        };
        simulator.simulate(&mut simulation, &mut results).unwrap();
        (steps, seed) = (steps + results.steps, seed + 1);
        for &number in results.finished() {
            let place = place_of[number].take().unwrap();
            all.arrive(place, results.words(number), results.is_terminal(number));
            all.count_playouts(place, results.count(number));
            for role in 0..roles {
                all.push_legal(place, results.legal(number, role).iter().copied());
                let (goals, sum) = (results.goals(number)[role], results.sums(number)[role]);
                all.add(place, role, goals, if goals > 0.0 { sum / goals } else { 0.0 });
            }
            all.finish([place]);
        }
        has_flowed |= place_of.iter().any(Option::is_some);
    }
    all.steps = steps;
    (all, has_flowed)
}

pub(crate) fn assert_same(a: &LeafResults, b: &LeafResults, roles: usize, what: &str) {
    assert_eq!((a.finished(), a.steps), (b.finished(), b.steps), "{what}");
    for &leaf in a.finished() {
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

/// A deterministic policy, so that results can be compared exactly.
#[derive(Default)]
pub(crate) struct Fixed {
    /// Whether choices depend on facts too.
    needs_facts: bool,
    roles: usize,
    /// Steps in which a joint move was made.
    joints: usize,
    /// By lane: the leaf, the moves so far, and the facts before each step.
    leaves: Vec<usize>,
    history: Vec<Vec<MoveId>>,
    facts: Vec<Vec<Vec<FactId>>>,
    pub(crate) log: Vec<Playout>,
}

/// The leaf, moves, facts before each step, and goals.
pub(crate) type Playout = (usize, Vec<MoveId>, Vec<Vec<FactId>>, Option<Vec<f64>>);

impl Fixed {
    pub(crate) fn new(roles: usize, needs_facts: bool) -> Self {
        Self { roles, needs_facts, ..Self::default() }
    }

    pub(crate) fn sorted_log(mut self) -> Vec<Playout> {
        self.log.sort_by(|a, b| {
            (a.0, &a.1, &a.2).cmp(&(b.0, &b.1, &b.2)).then(format!("{:?}", a.3).cmp(&format!("{:?}", b.3)))
        });
        self.log
    }
}

impl Fixed {
    fn choose_in(&mut self, lane: usize, role: RoleId, legal: &[MoveId]) -> usize {
        let moves = self.history[lane].iter().map(|id| id.index() + 1);
        let facts = self.facts[lane].last().into_iter().flatten().map(|id| id.index());
        let seen: usize = moves.chain(facts).sum();
        (seen * 7 + role.index() * 3 + legal[0].index()) % legal.len()
    }
}

impl StepPolicy for Fixed {
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

    fn needs_facts(&self) -> bool {
        self.needs_facts
    }

    fn set_facts(&mut self, lane: usize, facts: &[FactId]) {
        assert!(self.needs_facts, "facts were not requested");
        assert!(facts.is_sorted(), "{facts:?}");
        self.facts[lane].push(facts.to_vec());
    }

    fn choose(&mut self, choices: &Choices, _: u64, chosen: &mut Vec<u32>) {
        assert!(!choices.lanes().is_empty() && choices.moves().is_sorted());
        for &lane in choices.lanes() {
            let mut places = Vec::new();
            let end = choices.list(lane, &mut places, 0);
            let legal: Vec<MoveId> =
                places[..end].iter().map(|&place| choices.moves()[place as usize]).collect();
            assert!(legal.len() > 1 && legal.is_sorted(), "{legal:?}");
            let at = self.choose_in(usize::from(lane), choices.role(), &legal);
            chosen.push(places[at]);
        }
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.joints += 1;
        let each = joint.len() / self.roles;
        for (lane, history) in self.history.iter_mut().enumerate() {
            history.extend((0..self.roles).map(|role| joint[role * each + lane]));
        }
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        // Moves after the end of a playout are to be ignored.
        assert!(steps * self.roles <= self.history[lane].len());
        let moves = self.history[lane][..steps * self.roles].to_vec();
        let facts = self.facts[lane].clone();
        self.log.push((self.leaves[lane], moves, facts, goals.map(<[f64]>::to_vec)));
    }
}

/// Compares deterministic rankings in lanes, in refilled lanes and one by one: playouts and tallies
/// must be equal. Returns whether a call returned with playouts in flight.
pub(crate) fn compare_rankings(game: &Arc<dyn Game>, places: &[(State, Vec<MoveId>)], what: &str) -> bool {
    let mut random = fastrand::Rng::with_seed(2);
    let legal = places.iter().map(|(state, _)| game.view(state).unwrap().legal);
    let highest = legal.flatten().flatten().map(|id| id.index()).max().unwrap_or(0);
    // All moves that can occur: those seen, and many more.
    let mut order: Vec<MoveId> = (0..highest + 2000).map(MoveId::new).collect();
    random.shuffle(&mut order);
    let order = vec![order; game.role_count()];
    let mut one = Ranking { epsilon: 0.0, order, version: 0, tallies: Vec::new() };
    let (mut many, mut flowing) = (one.clone(), one.clone());
    let a = run(game, places, 2, PlayoutPolicy::Ranked(&mut one), false);
    let b = run(game, places, 2, PlayoutPolicy::Ranked(&mut many), true);
    let (c, has_flowed) = run_flowing(game, places, (2, 7), Chooses::By(&mut flowing));
    assert_same(&a, &b, game.role_count(), what);
    assert_same(&a, &c, game.role_count(), &format!("{what}, refilled"));
    for role in 0..game.role_count() {
        for id in (0..highest + 2000).map(MoveId::new) {
            assert_eq!(one.tally(role, id), many.tally(role, id), "{what}: {}", game.move_name(id));
            assert_eq!(one.tally(role, id), flowing.tally(role, id), "{what}: {}", game.move_name(id));
        }
    }
    has_flowed
}

/// Compares a policy in lanes and one by one: playouts must be equal.
pub(crate) fn compare_policies(game: &Arc<dyn Game>, places: &[(State, Vec<MoveId>)], what: &str) {
    let roles = game.role_count();
    for needs_facts in [false, true] {
        let (mut one, mut many) = (Fixed::new(roles, needs_facts), Fixed::new(roles, needs_facts));
        let a = run(game, places, 3, PlayoutPolicy::Step(&mut one), false);
        let b = run(game, places, 3, PlayoutPolicy::Step(&mut many), true);
        assert_same(&a, &b, roles, what);
        assert!(many.joints > 0 || a.steps == 0, "{what}");
        assert!(many.joints as u64 <= a.steps, "{what}");
        assert_eq!(many.sorted_log(), one.sorted_log(), "{what}");
    }
}
