//! Playouts from many leaves of a tree at once: what tree search asks of an engine.
//!
//! A leaf is a state and a joint move to make there. The engine makes the move, reports the state
//! behind it (terminal, legal moves), and runs a number of playouts from there. Engines with lanes
//! do this for hundreds of leaves in lockstep; [`simulate_one_by_one`] is what they are tested
//! against.
//!
//! Playouts differ in length, and lanes that wait for the longest are idle. So a call may return
//! while playouts are in flight, as soon as there is room for new ones (lane refilling); the next
//! call continues them.

use crate::choices::Choices;
use crate::cursor::{Cursor, GameCursor, RandomStep, below};
use crate::game::{Failure, Game, View};
use crate::ids::{MoveId, RoleId};
use crate::leaf_results::LeafResults;
use crate::policy::PlayoutPolicy;
use crate::simulator::SimulatorConfig;

/// Where playouts begin.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// Its number in [`LeafResults`]: small, and unique among the leaves in flight.
    pub number: usize,
    /// The words of a state.
    pub from: &'a [u64],
    /// One move for each role, to be made there first; empty to begin in the state itself.
    pub joint: &'a [MoveId],
}

/// Playouts to run.
pub struct Simulation<'a, 'g> {
    /// Where to begin.
    pub leaves: &'a [Leaf<'a>],
    /// Playouts from each leaf; from a terminal state only one is run.
    pub playouts: u32,
    /// Same seed, same engine, same request: same playouts.
    pub seed: u64,
    /// How moves are chosen; of the same kind in all calls while playouts are in flight.
    pub policy: PlayoutPolicy<'g>,
    /// Lanes to be kept busy: the call returns as soon as a good part of them is idle. 0: it
    /// returns when all playouts have ended. Not every engine and policy can refill lanes.
    pub keep_busy: usize,
}

/// [`crate::Simulator::simulate`] by one playout after the other, for any game.
pub fn simulate_one_by_one<G: Game + ?Sized>(
    game: &G,
    config: &SimulatorConfig,
    simulation: &mut Simulation<'_, '_>,
    results: &mut LeafResults,
) -> Result<(), Failure> {
    simulate_with_cursor(&mut GameCursor::new(game), config, simulation, results)?;
    results.room = game.engine().lanes;
    Ok(())
}

/// The same, with a cursor that moves along each playout.
pub fn simulate_with_cursor(
    cursor: &mut dyn Cursor,
    config: &SimulatorConfig,
    simulation: &mut Simulation<'_, '_>,
    results: &mut LeafResults,
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
        for number in 0..count {
            // The first one begins where the cursor is.
            if number > 0 {
                cursor.return_to(state.words())?;
            }
            let mut playout =
                Playout { cursor: &mut *cursor, config, at, random: &mut random, used: Vec::new() };
            match &mut simulation.policy {
                PlayoutPolicy::Uniform => playout.run_uniform(&mut view, results)?,
                policy => {
                    view.clone_from(&at_leaf);
                    playout.run(&mut view, policy, results)?;
                }
            }
        }
        results.count_playouts(at, count);
    }
    results.finish(simulation.leaves.iter().map(|leaf| leaf.number));
    results.room = 1;
    Ok(())
}

/// One playout from a leaf.
struct Playout<'a> {
    cursor: &'a mut dyn Cursor,
    config: &'a SimulatorConfig,
    at: usize,
    random: &'a mut fastrand::Rng,
    /// Role and move of all choices, once each.
    used: Vec<(usize, MoveId)>,
}

impl Playout<'_> {
    /// With uniformly random moves.
    fn run_uniform(&mut self, view: &mut View, results: &mut LeafResults) -> Result<(), Failure> {
        let random = &mut *self.random;
        let mut steps = 0;
        let end = loop {
            if steps == self.config.max_steps {
                self.cursor.view(view)?;
                break match view.terminal {
                    true => RandomStep::Terminal,
                    false if view.legal.iter().any(Vec::is_empty) => RandomStep::Stuck,
                    false => RandomStep::Moved,
                };
            }
            match self.cursor.random_step(&mut || random.u64(..))? {
                RandomStep::Moved => steps += 1,
                end => break end,
            }
        };
        results.steps += u64::from(steps);
        match end {
            RandomStep::Terminal => self.score(steps, results).map(|_| ()),
            RandomStep::Stuck => {
                results.endings.stuck += 1;
                Ok(())
            }
            RandomStep::Moved => {
                results.endings.cut_off += 1;
                Ok(())
            }
        }
    }

    /// With moves by a policy.
    fn run(
        &mut self,
        view: &mut View,
        policy: &mut PlayoutPolicy<'_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        if let PlayoutPolicy::Step(policy) = policy {
            policy.begin(0, self.at);
        }
        let (mut steps, mut joint) = (0, Vec::new());
        while !view.terminal && steps < self.config.max_steps && !view.legal.iter().any(Vec::is_empty) {
            if let PlayoutPolicy::Step(policy) = policy
                && policy.needs_facts()
            {
                policy.set_facts(0, &self.cursor.facts());
            }
            self.choose(view, policy, &mut joint);
            self.cursor.make(&joint)?;
            self.cursor.view(view)?;
            if let PlayoutPolicy::Step(policy) = policy {
                policy.moved(&joint);
            }
            steps += 1;
        }
        results.steps += u64::from(steps);
        let values = match view.terminal {
            true => Some(self.score(steps, results)?),
            false => {
                match view.legal.iter().any(Vec::is_empty) {
                    true => results.endings.stuck += 1,
                    false => results.endings.cut_off += 1,
                }
                None
            }
        };
        match policy {
            PlayoutPolicy::Uniform => {}
            PlayoutPolicy::Step(policy) => policy.ended(0, steps as usize, values.as_deref()),
            PlayoutPolicy::Ranked(ranking) => {
                let Some(values) = values else { return Ok(()) };
                for &(role, id) in &self.used {
                    let tally = ranking.tally(role, id);
                    tally.count += 1;
                    tally.sum += whole(values[role]);
                }
            }
        }
        Ok(())
    }

    /// Adds the goals of the terminal state that was reached; gives them by role.
    fn score(&mut self, steps: u32, results: &mut LeafResults) -> Result<Vec<f64>, Failure> {
        results.endings.finished += 1;
        let factor = self.config.discount.powi(i32::try_from(steps).unwrap_or(i32::MAX));
        let mut values = Vec::new();
        for (role, goal) in self.cursor.goals()?.iter().enumerate() {
            let value = f64::from(goal.value().unwrap_or(0));
            results.add(self.at, role, value, factor);
            results.endings.faulty_goals[role] += u64::from(goal.value().is_none());
            values.push(value);
        }
        Ok(values)
    }

    fn choose(&mut self, view: &View, policy: &mut PlayoutPolicy<'_>, joint: &mut Vec<MoveId>) {
        joint.clear();
        for (role, legal) in view.legal.iter().enumerate() {
            let chosen = match policy {
                PlayoutPolicy::Uniform => legal[below(legal.len(), self.random.u64(..))],
                PlayoutPolicy::Step(_) if legal.len() == 1 => legal[0],
                PlayoutPolicy::Step(policy) => {
                    let mut chosen = Vec::with_capacity(1);
                    let seed = self.random.u64(..);
                    policy.choose(&Choices::of_one(RoleId::new(role), legal), seed, &mut chosen);
                    let place = chosen.first().map_or(0, |&place| place as usize);
                    legal[place.min(legal.len() - 1)]
                }
                PlayoutPolicy::Ranked(ranking) => {
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

/// A goal as a whole number, which it is.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
fn whole(goal: f64) -> u64 {
    goal as u64
}
