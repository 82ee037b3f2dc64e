//! The bounds of the solver by their definition, computed by exhaustive search.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::collections::{HashMap, HashSet};

use ludex_game::{Game, MoveId, RoleKind, State, joint_moves};

/// By role: the lowest and the highest goal.
pub type Pairs = Vec<(f64, f64)>;

/// The sum of the goals of two players, if it is the same in every end of the game.
pub fn constant_sum(game: &dyn Game) -> Option<f64> {
    let kinds: Vec<RoleKind> = game.roles().iter().map(|name| RoleKind::of(name)).collect();
    let players: Vec<usize> = (0..kinds.len()).filter(|&role| kinds[role] == RoleKind::Player).collect();
    let [one, other] = players[..] else { return None };
    let (mut seen, mut next, mut sum) = (HashSet::new(), vec![game.initial()], None);
    while let Some(state) = next.pop() {
        let view = game.view(&state).expect("a view");
        if view.terminal {
            let goals = game.goals(&state).expect("goals");
            let goal = |role: usize| f64::from(goals[role].value().unwrap_or(0));
            if *sum.get_or_insert(goal(one) + goal(other)) != goal(one) + goal(other) {
                return None;
            }
            continue;
        }
        for joint in joint_moves(&view) {
            let after = game.next(&state, &joint).expect("a state");
            if seen.insert(after.clone()) {
                next.push(after);
            }
        }
    }
    sum
}

/// What each role gets by definition: a guarantee, and the most it can get.
pub struct Exhaustive<'a> {
    game: &'a dyn Game,
    pub kinds: Vec<RoleKind>,
    /// The sum of the goals of two players, if it is constant.
    sum: Option<f64>,
    known: HashMap<State, Pairs>,
}

impl<'a> Exhaustive<'a> {
    /// For a game; `sum` of the goals of two players, if it is constant.
    pub fn new(game: &'a dyn Game, sum: Option<f64>) -> Self {
        let kinds = game.roles().iter().map(|name| RoleKind::of(name)).collect();
        Self { game, kinds, sum, known: HashMap::new() }
    }

    /// The bounds of a state.
    pub fn bounds(&mut self, state: &State) -> Pairs {
        if let Some(known) = self.known.get(state) {
            return known.clone();
        }
        let view = self.game.view(state).expect("a view");
        let roles = self.kinds.len();
        let bounds = if view.terminal {
            let goals = self.game.goals(state).expect("goals");
            goals.iter().map(|goal| f64::from(goal.value().unwrap_or(0))).map(|goal| (goal, goal)).collect()
        } else {
            let all: Vec<(Vec<MoveId>, Pairs)> = joint_moves(&view)
                .into_iter()
                .map(|joint| {
                    let next = self.game.next(state, &joint).expect("a state");
                    let bounds = self.bounds(&next);
                    (joint, bounds)
                })
                .collect();
            let chance = (0..roles).find(|&role| self.kinds[role] == RoleKind::Chance);
            let rolls = chance.is_some_and(|role| view.legal[role].len() > 1);
            let alone = (0..roles).filter(|&role| view.legal[role].len() > 1).count() == 1;
            let mut found: Pairs = (0..roles)
                .map(|role| {
                    if rolls && alone {
                        let count = all.len() as f64;
                        let mean = |of: fn(&(f64, f64)) -> f64| {
                            all.iter().map(|(_, bounds)| of(&bounds[role])).sum::<f64>() / count
                        };
                        return (mean(|bounds| bounds.0), mean(|bounds| bounds.1));
                    }
                    let rolls = chance.map_or(&[][..], |role| &view.legal[role][..]);
                    let guarantee = view.legal[role].iter().map(|&own| {
                        let worst = |with: &dyn Fn(&[MoveId]) -> bool| {
                            let of_move = all.iter().filter(|(joint, _)| joint[role] == own && with(joint));
                            of_move.map(|(_, bounds)| bounds[role].0).fold(f64::INFINITY, f64::min)
                        };
                        match chance {
                            // Chance is not an opponent: its moves are equally likely.
                            Some(at) if rolls.len() > 1 => {
                                let of = |&roll: &MoveId| worst(&|joint| joint[at] == roll);
                                rolls.iter().map(of).sum::<f64>() / rolls.len() as f64
                            }
                            _ => worst(&|_| true),
                        }
                    });
                    let most = all.iter().map(|(_, bounds)| bounds[role].1).fold(0.0, f64::max);
                    (guarantee.fold(0.0, f64::max), most)
                })
                .collect();
            if let (Some(sum), false) = (self.sum, rolls) {
                let lows: Vec<f64> = found.iter().map(|bounds| bounds.0).collect();
                let players: Vec<usize> =
                    (0..roles).filter(|&role| self.kinds[role] == RoleKind::Player).collect();
                for (one, other) in [(players[0], players[1]), (players[1], players[0])] {
                    found[one].1 = sum - lows[other];
                }
            }
            found
        };
        self.known.insert(state.clone(), bounds.clone());
        bounds
    }
}
