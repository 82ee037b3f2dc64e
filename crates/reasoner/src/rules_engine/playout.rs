//! Playouts: many games to their ends with one worker, without leaving its own numbers.

use std::sync::Mutex;

use ludex_game::{Failure, MoveId, Playouts, Request, RoleId};

use super::registry::Registry;
use super::worker::RulesWorker;
use crate::term::TermId;

/// Runs the playouts of a request.
pub(super) fn run(
    worker: &mut RulesWorker,
    registry: &Mutex<Registry>,
    roles: usize,
    request: &mut Request<'_>,
) -> Result<Playouts, Failure> {
    let mut random = fastrand::Rng::with_seed(request.seed);
    let mut result = Playouts::empty(roles);
    let mut start = Vec::new();
    worker.facts_of(registry, request.from, &mut start)?;
    let (mut state, mut next) = (Vec::new(), Vec::new());
    let mut legal = Vec::new();
    let mut joint = Vec::with_capacity(roles);
    for _ in 0..request.count {
        state.clear();
        state.extend_from_slice(&start);
        let mut steps = 0;
        loop {
            worker.renew_if_full(&mut [&mut start, &mut state]);
            worker.set_facts(&state);
            if worker.terminal()? {
                result.finished += 1;
                for role in 0..roles {
                    match worker.goal(registry, role)?.value() {
                        Some(value) => result.goal_sums[role] += u64::from(value),
                        None => result.faulty_goals[role] += 1,
                    }
                }
                break;
            }
            joint.clear();
            for role in 0..roles {
                worker.legal(role, &mut legal)?;
                if legal.is_empty() {
                    break;
                }
                joint.push(choose(worker, registry, role, &legal, request, &mut random));
            }
            if joint.len() < roles {
                result.stuck += 1;
                break;
            }
            if steps == request.max_steps {
                result.cut_off += 1;
                break;
            }
            worker.next(&joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
            steps += 1;
            result.steps += 1;
        }
    }
    Ok(result)
}

fn choose(
    worker: &mut RulesWorker,
    registry: &Mutex<Registry>,
    role: usize,
    legal: &[TermId],
    request: &mut Request<'_>,
    random: &mut fastrand::Rng,
) -> TermId {
    if let Some(policy) = &mut request.policy {
        let mut moves: Vec<(MoveId, TermId)> =
            legal.iter().map(|&term| (worker.move_number(registry, term), term)).collect();
        moves.sort_unstable();
        let ids: Vec<MoveId> = moves.iter().map(|(id, _)| *id).collect();
        let chosen = policy.choose(RoleId::new(role), &ids, random);
        return moves.get(chosen).map_or(legal[0], |(_, term)| *term);
    }
    worker.lots.draw(&worker.machine.terms, legal, random).unwrap_or(legal[0])
}
