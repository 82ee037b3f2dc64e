//! Expansion: all states behind a state, so that what was found out about the state serves all of
//! them.

use std::sync::Mutex;

use ludex_game::{Child, Expansion, Failure, MoveId, State, View};

use super::registry::Registry;
use super::worker::RulesWorker;

/// All joint moves, the last role fastest, with the states and views behind them.
pub(super) fn run(
    worker: &mut RulesWorker,
    registry: &Mutex<Registry>,
    roles: usize,
    state: &State,
    fixed: &[Option<MoveId>],
) -> Result<Expansion, Failure> {
    worker.set_state(registry, state)?;
    let view = worker.view(registry, roles)?;
    if view.terminal {
        return Ok(Expansion::default());
    }
    let fixed = |role: usize| fixed.get(role).copied().flatten();
    let choices: Vec<Vec<MoveId>> = view
        .legal
        .into_iter()
        .enumerate()
        .map(|(role, legal)| fixed(role).map_or(legal, |choice| vec![choice]))
        .collect();
    if choices.iter().any(Vec::is_empty) {
        return Ok(Expansion::default());
    }
    let mut children = Vec::new();
    let mut facts = Vec::new();
    let mut at = vec![0usize; roles];
    loop {
        let joint: Vec<MoveId> = at.iter().zip(&choices).map(|(&i, moves)| moves[i]).collect();
        let terms = worker.joint(registry, &joint)?;
        worker.next(&terms, &mut facts)?;
        let state = worker.state_of(registry, &facts);
        children.push(Child { joint, state, view: View::default() });
        // Count up, the last role fastest.
        let Some(role) = (0..roles).rev().find(|&role| at[role] + 1 < choices[role].len()) else { break };
        at[role] += 1;
        at[role + 1..].fill(0);
    }
    for child in &mut children {
        worker.set_state(registry, &child.state)?;
        child.view = worker.view(registry, roles)?;
    }
    Ok(Expansion { children })
}
