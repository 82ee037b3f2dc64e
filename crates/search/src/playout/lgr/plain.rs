//! MAST and LGRF-2 written as the paper's text says (IV-A and IV-C), with maps and sums, against
//! ours on the same playouts: every move must be the one that the text asks for.
//!
//! Choices are ε-greedy with ε = 0, so that the text leaves only ties open. Playouts run in lanes
//! and one by one. The same holds with no-ops skipped, and with unseen moves that count the average
//! (see [`super::super::noops`] and [`super::super::unseen`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ludex_game::{
    Choices, Game, Leaf, LeafResults, MoveId, PlayoutPolicy, RoleId, Simulation, SimulatorConfig, StepPolicy,
    simulate_one_by_one,
};

use super::super::noops::{NoopContexts, Noops};
use super::super::score_policy::ScorePolicy;
use super::super::unseen::Unseen;
use super::super::{DecisionPoint, Path, Strategy};
use super::*;

/// What one player keeps.
#[derive(Clone, Default)]
struct Player {
    /// The best reply to a move, and to two moves.
    to_one: BTreeMap<MoveId, MoveId>,
    to_two: BTreeMap<[MoveId; 2], MoveId>,
    /// By move: sum and number of the rewards of the simulations in which it occurred.
    rewards: BTreeMap<MoveId, (f64, f64)>,
}

/// The text.
struct Paper {
    players: Vec<Player>,
    /// Moves that are no predecessors.
    skipped: Option<Noops>,
    unseen: Unseen,
}

/// What the text asks for.
#[derive(PartialEq, Debug)]
enum Asked {
    ToTwo(MoveId),
    ToOne(MoveId),
    /// One of the moves with the highest average.
    Fallback(BTreeSet<MoveId>),
}

impl Paper {
    fn new(roles: usize, skipped: Option<Noops>, unseen: Unseen) -> Self {
        Self { players: vec![Player::default(); roles], skipped, unseen }
    }

    /// The last move before a role's, of those that count, and who made it in which step.
    fn last_counted(&self, steps: &[MoveId], role: usize) -> Option<(MoveId, usize, usize)> {
        let (n, skipped) = (self.players.len(), self.skipped.as_ref()?);
        (0..steps.len() / n).rev().find_map(|step| {
            let before = (1..=n).map(|back| (role + n - back) % n);
            let of = |who: usize| (steps[step * n + who], who, step);
            before.map(of).find(|&(made, who, _)| !skipped.is_noop(RoleId::new(who), made))
        })
    }

    /// "a previous move of the player with role number (i+n-1) mod n"; "this sequence of two moves
    /// starts with a move made by the player with role number (i+n-2) mod n"; "the moves have to
    /// occur directly after each other".
    fn predecessors(&self, steps: &[MoveId], role: usize) -> (Option<MoveId>, Option<[MoveId; 2]>) {
        let n = self.players.len();
        if self.skipped.is_some() {
            let Some((one, who, step)) = self.last_counted(steps, role) else { return (None, None) };
            let two = self.last_counted(&steps[..step * n], who);
            return (Some(one), two.map(|(two, ..)| [two, one]));
        }
        let count = steps.len() / n;
        let of = |step: usize, role: usize| steps[step * n + role % n];
        let one = (count >= 1).then(|| of(count - 1, role + n - 1));
        let two = (count >= 2).then(|| [of(count - 2, role + 2 * n - 2), of(count - 1, role + n - 1)]);
        (one, two)
    }

    /// Learns from the steps `from` to the end of a simulation.
    fn learn(&mut self, steps: &[MoveId], from: usize, goals: &[f64]) {
        let n = self.players.len();
        for at in from..steps.len() / n {
            for role in 0..n {
                let (one, two) = self.predecessors(&steps[..at * n], role);
                let made = steps[at * n + role];
                // "If the reward obtained by the player is at least as high as the highest reward
                // obtained by any of the players".
                let is_best = goals.iter().all(|&other| goals[role] >= other);
                let player = &mut self.players[role];
                let (sum, count) = player.rewards.entry(made).or_default();
                *sum += goals[role];
                *count += 1.0;
                let Some(one) = one else { continue };
                if is_best {
                    player.to_one.insert(one, made);
                } else if player.to_one.get(&one) == Some(&made) {
                    player.to_one.remove(&one);
                }
                let Some(two) = two else { continue };
                if is_best {
                    player.to_two.insert(two, made);
                } else if player.to_two.get(&two) == Some(&made) {
                    player.to_two.remove(&two);
                }
            }
        }
    }

    /// The moves that a player may choose among these. `knows_two`: whether the reply to two moves
    /// is still known.
    fn ask(&self, steps: &[MoveId], role: usize, legal: &[MoveId], knows_two: bool) -> Asked {
        let (one, two) = self.predecessors(steps, role);
        let player = &self.players[role];
        let reply = two.filter(|_| knows_two).and_then(|two| player.to_two.get(&two));
        if let Some(&reply) = reply.filter(|reply| legal.contains(reply)) {
            return Asked::ToTwo(reply);
        }
        let reply = one.and_then(|one| player.to_one.get(&one));
        if let Some(&reply) = reply.filter(|reply| legal.contains(reply)) {
            return Asked::ToOne(reply);
        }
        let seen = |id: &MoveId| player.rewards.get(id).map(|(sum, count)| sum / count);
        let known: Vec<f64> = legal.iter().filter_map(seen).collect();
        let unseen = match self.unseen {
            Unseen::Average if !known.is_empty() => known.iter().sum::<f64>() / known.len() as f64,
            _ => 100.0,
        };
        let average = |id: &MoveId| seen(id).unwrap_or(unseen);
        let highest = legal.iter().map(average).fold(0.0, f64::max);
        // Ours counts in steps of 100/65535.
        Asked::Fallback(legal.iter().copied().filter(|id| average(id) > highest - 0.01).collect())
    }
}

/// How often each part of the text decided.
#[derive(Default, Debug)]
struct Seen {
    to_two: u32,
    to_one: u32,
    fallback: u32,
    /// The reply to two moves had lost its place to another pair.
    displaced: u32,
    untried: u32,
}

/// Ours, compared in every choice.
struct Compared {
    ours: ScorePolicy,
    paper: Paper,
    paths: Vec<Path>,
    /// By lane: the leaf, and the steps so far.
    lanes: Vec<(usize, Vec<MoveId>)>,
    seen: Seen,
    what: String,
}

impl Compared {
    fn check(&mut self, role: usize, steps: &[MoveId], legal: &[MoveId], ours: MoveId) {
        let two = self.paper.predecessors(steps, role).1;
        let is_displaced = two.is_some_and(|two| self.ours.is_displaced(role, two));
        let asked = self.paper.ask(steps, role, legal, !is_displaced);
        if is_displaced && self.paper.ask(steps, role, legal, true) != asked {
            self.seen.displaced += 1;
        }
        let agrees = match &asked {
            Asked::ToTwo(reply) => {
                self.seen.to_two += 1;
                ours == *reply
            }
            Asked::ToOne(reply) => {
                self.seen.to_one += 1;
                ours == *reply
            }
            Asked::Fallback(best) => {
                self.seen.fallback += 1;
                best.contains(&ours)
            }
        };
        assert!(agrees, "{}: {ours:?} by role {role} after {steps:?}; the text: {asked:?}", self.what);
    }
}

impl StepPolicy for Compared {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.ours.begin(lane, leaf);
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, (0, Vec::new()));
        }
        self.lanes[lane] = (leaf, self.paths[leaf].clone());
    }

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        let from = chosen.len();
        self.ours.choose(choices, seed, chosen);
        assert_eq!(chosen.len() - from, choices.lanes().len());
        let mut places = Vec::new();
        for (&lane, &ours) in choices.lanes().iter().zip(&chosen[from..]) {
            let end = choices.list(lane, &mut places, 0);
            let legal: Vec<MoveId> = places[..end].iter().map(|&at| choices.moves()[at as usize]).collect();
            let steps = self.lanes[usize::from(lane)].1.clone();
            self.check(choices.role().index(), &steps, &legal, choices.moves()[ours as usize]);
        }
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.ours.moved(joint);
        let roles = self.paper.players.len();
        let each = joint.len() / roles;
        for (lane, (_, steps)) in self.lanes.iter_mut().enumerate() {
            steps.extend((0..roles).map(|role| joint[role * each + lane]));
        }
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.ours.ended(lane, steps, goals);
        let Some(goals) = goals else { return };
        let (leaf, moves) = &self.lanes[lane];
        let path = &self.paths[*leaf];
        let roles = self.paper.players.len();
        self.paper.learn(&moves[..path.len() + steps * roles], path.len() / roles, goals);
    }
}

/// A random walk of at most so many steps.
fn walk(game: &Arc<dyn Game>, steps: usize, random: &mut fastrand::Rng) -> (ludex_game::State, Path) {
    let (mut state, mut path) = (game.initial(), Path::new());
    for _ in 0..steps {
        let view = game.view(&state).unwrap();
        if view.terminal {
            break;
        }
        let joint: Vec<MoveId> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
        state = game.next(&state, &joint).unwrap();
        path.extend(joint);
    }
    (state, path)
}

const CONFIG: SimulatorConfig = SimulatorConfig { max_steps: 500, discount: 0.999 };

/// Learns from `batches` batches of so many simulations, in lanes or one by one; every choice in
/// the tree and in playouts is compared.
fn compare(
    name: &str,
    batches: u64,
    (leaves, lanes): (usize, bool),
    (noops, unseen): (NoopContexts, Unseen),
) -> Seen {
    let game = ludex_testkit::game(name, "batch");
    let roles = game.role_count();
    let skipped = (noops == NoopContexts::Skip).then(|| Noops::of(&*game));
    let ours = lgr_mast(roles, Sampling::EpsilonGreedy(0.0));
    let mut random = fastrand::Rng::with_seed(8);
    let mut both = Compared {
        ours: ours.with_noops(skipped.clone()).with_unseen(unseen),
        paper: Paper::new(roles, skipped, unseen),
        paths: Vec::new(),
        lanes: Vec::new(),
        seen: Seen::default(),
        what: format!("{name}, {leaves} leaves, lanes: {lanes}, {noops:?}, {unseen:?}"),
    };
    for seed in 0..batches {
        let ways: Vec<_> = (0..leaves)
            .map(|_| {
                let steps = random.usize(..6);
                walk(&game, steps, &mut random)
            })
            .collect();
        both.paths = ways.iter().map(|(_, path)| path.clone()).collect();
        both.ours.begin_batch(&both.paths);
        let leaf_of = |(number, (state, _)): (usize, &'_ (ludex_game::State, Path))| (number, state.clone());
        let states: Vec<_> = ways.iter().enumerate().map(leaf_of).collect();
        let leaves: Vec<Leaf<'_>> = states
            .iter()
            .map(|(number, state)| Leaf { number: *number, from: state.words(), joint: &[] })
            .collect();
        let policy = PlayoutPolicy::Step(&mut both);
        let mut simulation = Simulation { leaves: &leaves, playouts: 1, seed, policy, keep_busy: 0 };
        let mut results = LeafResults::new();
        match lanes {
            true => Arc::clone(&game).simulator(CONFIG).simulate(&mut simulation, &mut results).unwrap(),
            false => simulate_one_by_one(&*game, &CONFIG, &mut simulation, &mut results).unwrap(),
        }
        for (at, (_, path)) in ways.iter().enumerate() {
            let goals: Vec<f64> =
                results.sums(at).iter().map(|sum| sum / f64::from(results.count(at))).collect();
            both.ours.learn(path, 1, &goals);
            both.paper.learn(path, 0, &goals);
        }
        // Untried moves of a node.
        let (state, path) = walk(&game, random.usize(..6), &mut random);
        let view = game.view(&state).unwrap();
        for (role, legal) in
            view.legal.iter().enumerate().filter(|(_, legal)| !view.terminal && legal.len() > 2)
        {
            let untried: Vec<MoveId> = legal.iter().copied().filter(|_| random.u32(..3) > 0).collect();
            if untried.is_empty() {
                continue;
            }
            let place = DecisionPoint { path: &path, facts: &[] };
            let ours = untried[both.ours.choose_untried(role, &untried, place, &mut random)];
            both.check(role, &path, &untried, ours);
            both.seen.untried += 1;
        }
    }
    both.seen
}

/// Compares in lanes and one by one.
fn compare_all(name: &str, batches: u64, options: (NoopContexts, Unseen)) {
    for ways in [(1, false), (1, true), (40, true)] {
        let seen = compare(name, batches, ways, options);
        println!("{name}, {ways:?}, {options:?}: {seen:?}");
        let Seen { to_two, to_one, fallback, displaced, untried } = seen;
        assert!([to_two, to_one, fallback, untried].iter().all(|&count| count > 5), "{name}: {seen:?}");
        assert!(displaced * 20 < to_two + to_one + fallback, "{name}: {seen:?}");
    }
}

/// Turns, turns of three, and moves at the same time.
#[test]
fn every_move_is_the_one_that_the_text_asks_for() {
    for (name, batches) in [
        ("tic_tac_toe", 300),
        ("connect_four", 300),
        ("breakthrough_small", 200),
        ("connect_four_3p", 100),
        ("rock_paper_scissors", 100),
        ("chinook", 100),
        ("pawn_whopping", 60),
    ] {
        compare_all(name, batches, (NoopContexts::Count, Unseen::Highest));
    }
}

#[test]
fn the_options_are_the_same_in_lanes_and_one_by_one() {
    // With no-ops as predecessors hardly any reply to one move is found in pentago.
    for (name, batches) in [("pentago", 30), ("chinook", 60), ("connect_four_3p", 60)] {
        compare_all(name, batches, (NoopContexts::Skip, Unseen::Highest));
        compare_all(name, batches, (NoopContexts::Skip, Unseen::Average));
    }
    for (name, batches) in [("chinook", 60), ("connect_four_3p", 60), ("rock_paper_scissors", 60)] {
        compare_all(name, batches, (NoopContexts::Count, Unseen::Average));
    }
}
