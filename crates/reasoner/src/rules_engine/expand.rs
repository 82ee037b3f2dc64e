//! Expansion: all children of a state with one worker, which answers every call of a state once.

use std::sync::{Arc, Mutex};

use ludex_game::{
    Capabilities, ExpandOptions, Expansion, Failure, LeafResults, Simulation, Simulator, SimulatorConfig,
    State, check_children, each_joint_move, simulate_with_cursor,
};

use super::RulesGame;
use super::cursor::RulesCursor;
use super::registry::Registry;
use super::worker::RulesWorker;

/// The simulator of the engine `rules`.
pub(super) struct RulesSimulator {
    game: Arc<RulesGame>,
    config: SimulatorConfig,
}

impl RulesSimulator {
    pub(super) fn new(game: Arc<RulesGame>, config: SimulatorConfig) -> Self {
        Self { game, config }
    }
}

impl Simulator for RulesSimulator {
    fn capabilities(&self) -> Capabilities {
        Capabilities { lanes: 1, refills: false }
    }

    fn simulate(
        &mut self,
        simulation: &mut Simulation<'_, '_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        let Self { game, config } = self;
        game.with_worker(|worker| {
            let mut cursor = RulesCursor::new(worker, &game.registry, game.roles.len());
            simulate_with_cursor(&mut cursor, config, simulation, results)
        })
    }

    fn expand(
        &mut self,
        states: &[&[u64]],
        options: ExpandOptions,
        into: &mut Expansion,
    ) -> Result<(), Failure> {
        let game = &*self.game;
        into.begin(game.roles.len());
        game.with_worker(|worker| {
            for (parent, &words) in (0..).zip(states) {
                let parent = (parent, State::from_words(words));
                expand(worker, &game.registry, game.roles.len(), &parent, options, into)?;
            }
            Ok(())
        })
    }

    fn reset(&mut self) {}
}

/// Adds the children of a state, the last role fastest.
fn expand(
    worker: &mut RulesWorker,
    registry: &Mutex<Registry>,
    roles: usize,
    (parent, state): &(u32, State),
    options: ExpandOptions,
    into: &mut Expansion,
) -> Result<(), Failure> {
    worker.set_state(registry, state)?;
    let view = worker.view(registry, roles)?;
    if view.terminal {
        return Ok(());
    }
    check_children(view.legal.iter().map(Vec::len))?;
    // All states first: what was found out about the parent serves all of them.
    let (mut joints, mut states, mut facts) = (Vec::new(), Vec::new(), Vec::new());
    each_joint_move(&view, |joint| {
        let terms = worker.joint(registry, joint)?;
        worker.next(&terms, &mut facts)?;
        joints.extend_from_slice(joint);
        states.push(worker.state_of(registry, &facts));
        Ok(())
    })?;
    for (joint, state) in joints.chunks(roles.max(1)).zip(&states) {
        worker.set_state(registry, state)?;
        let view = worker.view(registry, roles)?;
        into.push(*parent, joint, state.words(), view.terminal);
        if options.legal {
            view.legal.iter().enumerate().for_each(|(role, moves)| into.push_legal_list(role, moves));
        }
        if options.goals && view.terminal {
            for role in 0..roles {
                into.set_goal(role, worker.goal(registry, role)?.value());
            }
        }
    }
    Ok(())
}
