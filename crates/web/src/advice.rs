//! What the machine would do in a position, and what it expects.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_engine::{DEFAULT_PLAYER, Player, SearchRunner};
use ludex_game::{FactId, Game, RoleId};
use ludex_search::{Budget, SearchContext, Stop};
use serde::Serialize;

use crate::reply::Refusal;

/// How long a hint is searched for.
pub(crate) const TIME: Duration = Duration::from_secs(1);
/// Moves in an advice.
const SHOWN: usize = 8;
/// Memory of the search.
const MEMORY: usize = 256 << 20;

/// A move with what it is worth.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Advised {
    #[serde(rename = "move")]
    name: String,
    /// Expected goal of the role, 0 to 100.
    value: Option<f64>,
    visits: u64,
    /// Whether the value is proved.
    proved: bool,
}

/// An advice: the best moves first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Advice {
    role: usize,
    moves: Vec<Advised>,
    /// The expected continuation, as joint moves.
    line: Vec<Vec<String>>,
    playouts: u64,
    depth: u32,
}

/// Searches a position for a role.
pub(crate) fn advise(
    game: &Arc<dyn Game>,
    facts: &[String],
    role: usize,
    seed: u64,
) -> Result<Advice, Refusal> {
    let ids: Option<Vec<FactId>> = facts.iter().map(|fact| game.find_fact(fact)).collect();
    let Some(mut ids) = ids else { return Err(Refusal::conflict("the position is not known to the engine")) };
    ids.sort_unstable();
    let state = game.state_with(&ids);
    let player = Player::new(DEFAULT_PLAYER).map_err(|error| Refusal::broken(error.to_string()))?;
    let context = SearchContext { game: Arc::clone(game), role: RoleId::new(role), seed, threads: 1 };
    let mut runner = SearchRunner::new(Arc::new(move |context| player.search(context)), context);
    let deadline = Some(Instant::now() + TIME);
    let budget = Budget { deadline, playouts: None, memory: MEMORY, stop: Stop::new() };
    let found = runner.set_root(&state).and_then(|()| runner.think(&budget));
    let report = found.and_then(|_| runner.report()).map_err(|fault| Refusal::conflict(fault.to_string()))?;
    let report = report.named(SHOWN, |id| game.move_name(id));
    let best = report.best.clone();
    let mut moves: Vec<Advised> = report
        .candidates
        .iter()
        .map(|candidate| Advised {
            name: candidate.id.clone(),
            value: candidate.values.get(role).copied().filter(|value| value.is_finite()),
            visits: candidate.visits,
            proved: candidate.proof.is_some_and(|proof| proof.is_exact()),
        })
        .collect();
    moves.sort_by_key(|advised| Some(&advised.name) != best.as_ref());
    let line = report.principal_variation.into_iter().take(8).collect();
    Ok(Advice { role, moves, line, playouts: report.playouts, depth: report.depth })
}
