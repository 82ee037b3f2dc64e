//! Whether two engines say the same.

use crate::conformance::{Effort, Violation};
use crate::game::{Game, Goal};
use crate::ids::MoveId;
use crate::trace::by_name;
use crate::verify::lists_differ;

/// Plays random games with two engines at once and compares all they say, by name. Gives the number
/// of states looked at.
pub fn agree(left: &dyn Game, right: &dyn Game, effort: &Effort) -> Result<u64, Box<Violation>> {
    let failed = |game: &dyn Game| {
        let engine = game.engine().name;
        move |failure| Box::new(Violation::Failed { engine, failure })
    };
    let mut random = fastrand::Rng::with_seed(effort.seed);
    let mut seen = 0;
    for _ in 0..effort.games {
        let (mut a, mut b) = (left.initial(), right.initial());
        for step in 0..=effort.max_steps {
            seen += 1;
            let state = left.describe(&a);
            let compare = |what: &str, one: &[String], other: &[String]| match lists_differ(one, other) {
                None => Ok(()),
                Some((left_only, right_only)) => Err(Box::new(Violation::Disagreement {
                    what: what.to_owned(),
                    left: left.engine().name,
                    left_only,
                    right: right.engine().name,
                    right_only,
                    state: state.join(" "),
                })),
            };
            if step == 0 {
                compare("the roles", left.roles(), right.roles())?;
            }
            compare("the facts of the state", &state, &right.describe(&b))?;
            let one = left.view(&a).map_err(failed(left))?;
            let other = right.view(&b).map_err(failed(right))?;
            compare("the ends of the game", &[one.terminal.to_string()], &[other.terminal.to_string()])?;
            let goals = |goals: Vec<Goal>| -> Vec<String> {
                goals.iter().enumerate().map(|(role, goal)| format!("{role}: {goal:?}")).collect()
            };
            let one_goals = goals(left.goals(&a).map_err(failed(left))?);
            compare("the goals", &one_goals, &goals(right.goals(&b).map_err(failed(right))?))?;
            let (mut joint, mut other_joint) = (Vec::new(), Vec::new());
            for (role, (moves, other_moves)) in one.legal.iter().zip(&other.legal).enumerate() {
                let (moves, other_moves) = (by_name(left, moves), by_name(right, other_moves));
                let names =
                    |moves: &[(String, MoveId)]| moves.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
                let role = left.roles().get(role).map_or("", |name| name);
                compare(&format!("the moves of {role}"), &names(&moves), &names(&other_moves))?;
                if moves.is_empty() {
                    break;
                }
                let at = random.usize(..moves.len());
                joint.push(moves[at].1);
                other_joint.push(other_moves[at].1);
            }
            if one.terminal || joint.len() < left.role_count() {
                break;
            }
            a = left.next(&a, &joint).map_err(failed(left))?;
            b = right.next(&b, &other_joint).map_err(failed(right))?;
        }
    }
    Ok(seen)
}
