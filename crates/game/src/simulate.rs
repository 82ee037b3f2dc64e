//! Playouts from many places of a tree at once: what tree search asks of an engine.
//!
//! A leaf is a state and a joint move to make there. The engine makes the move, says what holds behind it
//! (state, end, legal moves), and plays on from there a number of times. Engines with lanes do this for
//! hundreds of leaves in step; [`simulate_one_by_one`] is what they must agree with, apart from chance.
//!
//! Playouts are of different lengths, and lanes that wait for the longest are lost. So a call may come back while some of them are under
//! way, as soon as there is room for new ones; the next call goes on with them.

use crate::choices::Choices;
use crate::cursor::{Cursor, GameCursor};
use crate::game::{Failure, Game, View};
use crate::ids::{MoveId, RoleId};
use crate::leaves::Leaves;
use crate::policy::{LanePolicy, StepPolicy};
use crate::simulator::SimulatorConfig;

/// Where playouts begin.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// What it is called in [`Leaves`]: a small number that no leaf has which is under way.
    pub number: usize,
    /// The words of a state.
    pub from: &'a [u64],
    /// One move for each role, to be made there first; empty to begin in the state itself.
    pub joint: &'a [MoveId],
}

/// How often a move was made in playouts, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Finished playouts in which the move was made.
    pub count: u64,
    /// Sum of the goals of the role that made it.
    pub sum: u64,
}

/// The moves of each role, the best first, for ε-greedy playouts: the first that is legal is made, or
/// with probability ε a random one.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Probability of a uniformly random move.
    pub epsilon: f64,
    /// By role: moves, the best first. Those that are not there come after all others.
    pub order: Vec<Vec<MoveId>>,
    /// Another number whenever the order is another, as long as playouts are under way: then it need not be compared.
    pub version: u64,
    /// By role and move: what playouts add to. As long as needed.
    pub tallies: Vec<Vec<Tally>>,
}

impl Ranking {
    /// The tally of a move of a role.
    pub fn tally(&mut self, role: usize, id: MoveId) -> &mut Tally {
        if self.tallies.len() <= role {
            self.tallies.resize(role + 1, Vec::new());
        }
        let of_role = &mut self.tallies[role];
        if of_role.len() <= id.index() {
            of_role.resize(id.index() + 1, Tally::default());
        }
        &mut of_role[id.index()]
    }
}

/// Who chooses moves in playouts.
pub enum Guide<'a> {
    /// Chance, uniformly.
    Uniform,
    /// The best of a list, or chance.
    Ranked(&'a mut Ranking),
    /// A policy that sees every single choice, lane by lane.
    ByLane(&'a mut dyn LanePolicy),
    /// The same, in all lanes at once.
    ByStep(&'a mut dyn StepPolicy),
}

/// What to play out.
pub struct Simulation<'a, 'g> {
    /// Where to begin.
    pub leaves: &'a [Leaf<'a>],
    /// How many playouts behind each leaf; behind a terminal state one is enough, and all there is.
    pub playouts: u32,
    /// Same seed, same engine, same request: same playouts.
    pub seed: u64,
    /// Who chooses; the same kind in all calls, as long as playouts are under way.
    pub guide: Guide<'g>,
    /// How many lanes are to be kept busy: the call comes back as soon as a good part of them has nothing to do. 0: when all playouts are
    /// over; not every engine can do anything else, nor with every guide.
    pub keep_busy: usize,
}

/// [`crate::Simulator::simulate`] by one playout after the other, for any game.
pub fn simulate_one_by_one<G: Game + ?Sized>(
    game: &G,
    config: &SimulatorConfig,
    simulation: &mut Simulation<'_, '_>,
    results: &mut Leaves,
) -> Result<(), Failure> {
    simulate_with_cursor(&mut GameCursor::new(game), config, simulation, results)?;
    results.room = game.lanes();
    Ok(())
}

/// The same, with a cursor that moves along each playout.
pub fn simulate_with_cursor(
    cursor: &mut dyn Cursor,
    config: &SimulatorConfig,
    simulation: &mut Simulation<'_, '_>,
    results: &mut Leaves,
) -> Result<(), Failure> {
    results.begin(cursor.role_count());
    let mut random = fastrand::Rng::with_seed(simulation.seed);
    let (mut at_leaf, mut view) = (View::default(), View::default());
    for leaf in simulation.leaves {
        let at = leaf.number;
        cursor.go_to(leaf.from)?;
        if !leaf.joint.is_empty() {
            cursor.make(leaf.joint)?;
        }
        cursor.view(&mut at_leaf)?;
        let state = cursor.state();
        results.arrive(at, state.words(), at_leaf.terminal);
        at_leaf.legal.iter().for_each(|moves| results.push_legal(at, moves.iter().copied()));
        let count = if at_leaf.terminal { 1 } else { simulation.playouts };
        for playout in 0..count {
            // The first one begins where the cursor is.
            if playout > 0 {
                cursor.go_to(state.words())?;
            }
            view.clone_from(&at_leaf);
            let limits = (config.max_steps, config.discount);
            let mut playout = Playout { cursor: &mut *cursor, at, random: &mut random, used: Vec::new() };
            playout.run(&mut view, limits, &mut simulation.guide, results)?;
        }
        results.count_playouts(at, count);
    }
    results.finish(simulation.leaves.iter().map(|leaf| leaf.number));
    results.room = 1;
    Ok(())
}

/// One playout behind a leaf.
struct Playout<'a> {
    cursor: &'a mut dyn Cursor,
    at: usize,
    random: &'a mut fastrand::Rng,
    /// Role and move of all choices, once each.
    used: Vec<(usize, MoveId)>,
}

impl Playout<'_> {
    fn run(
        &mut self,
        view: &mut View,
        (max_steps, discount): (u32, f64),
        guide: &mut Guide<'_>,
        results: &mut Leaves,
    ) -> Result<(), Failure> {
        match guide {
            Guide::ByLane(policy) => policy.begin(0, self.at),
            Guide::ByStep(policy) => policy.begin(0, self.at),
            Guide::Uniform | Guide::Ranked(_) => {}
        }
        let (mut steps, mut joint) = (0, Vec::new());
        while !view.terminal && steps < max_steps && !view.legal.iter().any(Vec::is_empty) {
            if let Guide::ByLane(policy) = guide
                && policy.looks_at_facts()
            {
                policy.sees(0, &self.cursor.facts());
            }
            self.choose(view, guide, &mut joint);
            self.cursor.make(&joint)?;
            self.cursor.view(view)?;
            match guide {
                Guide::ByLane(policy) => policy.moved(0, &joint),
                Guide::ByStep(policy) => policy.moved(&joint),
                Guide::Uniform | Guide::Ranked(_) => {}
            }
            steps += 1;
            results.steps += 1;
        }
        if !view.terminal {
            match guide {
                Guide::ByLane(policy) => policy.ended(0, None),
                Guide::ByStep(policy) => policy.ended(0, steps as usize, None),
                Guide::Uniform | Guide::Ranked(_) => {}
            }
            return Ok(());
        }
        let goals = self.cursor.goals()?;
        let factor = discount.powi(i32::try_from(steps).unwrap_or(i32::MAX));
        let values: Vec<f64> = goals.iter().map(|goal| f64::from(goal.value().unwrap_or(0))).collect();
        for (role, value) in values.iter().enumerate() {
            results.add(self.at, role, *value, factor);
        }
        match guide {
            Guide::Uniform => {}
            Guide::ByLane(policy) => policy.ended(0, Some(&values)),
            Guide::ByStep(policy) => policy.ended(0, steps as usize, Some(&values)),
            Guide::Ranked(ranking) => {
                for &(role, id) in &self.used {
                    let tally = ranking.tally(role, id);
                    tally.count += 1;
                    tally.sum += u64::from(goals[role].value().unwrap_or(0));
                }
            }
        }
        Ok(())
    }

    fn choose(&mut self, view: &View, guide: &mut Guide<'_>, joint: &mut Vec<MoveId>) {
        joint.clear();
        for (role, legal) in view.legal.iter().enumerate() {
            let chosen = match guide {
                Guide::Uniform => legal[self.random.usize(..legal.len())],
                Guide::ByLane(policy) => {
                    let at = policy.choose(0, RoleId::new(role), legal, self.random);
                    legal[at.min(legal.len() - 1)]
                }
                Guide::ByStep(_) if legal.len() == 1 => legal[0],
                Guide::ByStep(policy) => {
                    let mut chosen = Vec::with_capacity(1);
                    policy.choose(&Choices::of_one(RoleId::new(role), legal), self.random, &mut chosen);
                    let place = chosen.first().map_or(0, |&place| place as usize);
                    legal[place.min(legal.len() - 1)]
                }
                Guide::Ranked(ranking) => {
                    let first =
                        ranking.order.get(role).and_then(|order| order.iter().find(|id| legal.contains(id)));
                    let chosen = match first {
                        Some(&first) if self.random.f64() >= ranking.epsilon => first,
                        _ => legal[self.random.usize(..legal.len())],
                    };
                    if !self.used.contains(&(role, chosen)) {
                        self.used.push((role, chosen));
                    }
                    chosen
                }
            };
            joint.push(chosen);
        }
    }
}
