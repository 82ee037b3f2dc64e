//! Many playouts from one state.
//!
//! Engines that can do better than one state at a time implement [`Game::playouts`] themselves; the
//! function here is what they must agree with.

use crate::game::{Failure, Game};
use crate::ids::{MoveId, RoleId};
use crate::state::State;

/// Chooses moves in playouts.
pub trait Policy {
    /// The move of a role: an index into `legal`, which is not empty.
    fn choose(&mut self, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize;
}

/// Which playouts to run.
pub struct Request<'a> {
    /// Where each playout starts.
    pub from: &'a State,
    /// How many: exactly, and each to its end, so that short ones are not favoured.
    pub count: u64,
    /// Playouts that are longer end without a result.
    pub max_steps: u32,
    /// Same seed, same engine, same request: same playouts.
    pub seed: u64,
    /// Uniformly random moves if there is none.
    pub policy: Option<&'a mut dyn Policy>,
}

/// What playouts gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playouts {
    /// Playouts that reached a terminal state.
    pub finished: u64,
    /// Playouts that were cut off at the step limit.
    pub cut_off: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
    /// State transitions in all.
    pub steps: u64,
    /// By role: sum of the goal values of finished playouts; a goal that is not exactly one value
    /// counts 0 here and 1 in `faulty_goals`.
    pub goal_sums: Vec<u64>,
    /// By role: finished playouts without exactly one goal value.
    pub faulty_goals: Vec<u64>,
}

impl Playouts {
    /// Nothing yet, for this many roles.
    pub fn empty(roles: usize) -> Self {
        Self { goal_sums: vec![0; roles], faulty_goals: vec![0; roles], ..Self::default() }
    }
}

/// [`Game::playouts`] by one playout after the other.
pub fn play_one_by_one<G: Game + ?Sized>(game: &G, request: &mut Request<'_>) -> Result<Playouts, Failure> {
    let roles = game.role_count();
    let mut random = fastrand::Rng::with_seed(request.seed);
    let mut result = Playouts::empty(roles);
    for _ in 0..request.count {
        let mut state = request.from.clone();
        let mut steps = 0;
        loop {
            let view = game.view(&state)?;
            if view.terminal {
                result.finished += 1;
                for (role, goal) in game.goals(&state)?.iter().enumerate() {
                    match goal.value() {
                        Some(value) => result.goal_sums[role] += u64::from(value),
                        None => result.faulty_goals[role] += 1,
                    }
                }
                break;
            }
            if view.legal.iter().any(Vec::is_empty) {
                result.stuck += 1;
                break;
            }
            if steps == request.max_steps {
                result.cut_off += 1;
                break;
            }
            let joint: Vec<MoveId> = view
                .legal
                .iter()
                .enumerate()
                .map(|(role, legal)| match &mut request.policy {
                    Some(policy) => legal[policy.choose(RoleId::new(role), legal, &mut random)],
                    None => legal[random.usize(..legal.len())],
                })
                .collect();
            state = game.next(&state, &joint)?;
            steps += 1;
            result.steps += 1;
        }
    }
    Ok(result)
}
