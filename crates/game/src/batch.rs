//! Many states at once: expansion of a state, playouts to the end of the game.
//!
//! Engines that can do better than one state at a time implement [`Game::expand`] and
//! [`Game::playouts`] themselves; the functions here are what they must agree with.

use crate::game::{Failure, Game, View};
use crate::ids::{MoveId, RoleId};
use crate::state::State;

/// What lies behind a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// One entry for each joint move, in the order of the roles' move lists, the last role fastest.
    pub children: Vec<Child>,
}

/// A joint move and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// One move for each role.
    pub joint: Vec<MoveId>,
    /// The state behind it.
    pub state: State,
    /// What holds there.
    pub view: View,
}

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

/// [`Game::expand`] by one call after the other.
pub fn expand_one_by_one<G: Game + ?Sized>(
    game: &G,
    state: &State,
    fixed: &[Option<MoveId>],
) -> Result<Expansion, Failure> {
    let mut children = Vec::new();
    for joint in joint_moves(&game.view(state)?, fixed) {
        let state = game.next(state, &joint)?;
        let view = game.view(&state)?;
        children.push(Child { joint, state, view });
    }
    Ok(Expansion { children })
}

/// All joint moves of a state that was viewed, the last role fastest; roles with a move in `fixed` make
/// that one. None in a terminal state, nor where a role has no move.
pub fn joint_moves(view: &View, fixed: &[Option<MoveId>]) -> Vec<Vec<MoveId>> {
    let choices: Vec<Vec<MoveId>> = view
        .legal
        .iter()
        .enumerate()
        .map(|(role, legal)| match fixed.get(role).copied().flatten() {
            Some(choice) => vec![choice],
            None => legal.clone(),
        })
        .collect();
    let mut joints = Vec::new();
    if view.terminal || choices.iter().any(Vec::is_empty) {
        return joints;
    }
    let mut at = vec![0usize; choices.len()];
    loop {
        joints.push(at.iter().zip(&choices).map(|(&i, moves)| moves[i]).collect());
        let Some(role) = (0..at.len()).rev().find(|&role| at[role] + 1 < choices[role].len()) else {
            return joints;
        };
        at[role] += 1;
        at[role + 1..].fill(0);
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
