//! Utility of goals for each role, and which roles are chance.
//!
//! | players | utility of a player |
//! |---|---|
//! | 1 | its goal |
//! | 2 | its goal minus the opponent's (Finnsson 2007, section 3.4.2) |
//! | 3 and more | its goal |
//!
//! A role named `random` is chance, as in GDL-II: it moves uniformly at random, has no utility, and
//! is not counted as a player. So a two-player game with dice is a two-player game.

/// Whether a role is chance: `random`, in any letter case.
pub fn is_chance(role: &str) -> bool {
    role.eq_ignore_ascii_case("random")
}

/// How a role computes its utility from goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No utility.
    Chance,
    /// Its own goal.
    Own,
    /// Its own goal minus that of this role.
    Against(usize),
}

/// The utility of every role of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Utility {
    roles: Vec<Kind>,
}

impl Utility {
    /// For a game with roles of these names.
    pub(crate) fn new<S: AsRef<str>>(roles: &[S]) -> Self {
        let chance: Vec<bool> = roles.iter().map(|role| is_chance(role.as_ref())).collect();
        let players: Vec<usize> = (0..roles.len()).filter(|&role| !chance[role]).collect();
        let kind = |role: usize| match players[..] {
            _ if chance[role] => Kind::Chance,
            [a, b] => Kind::Against(if role == a { b } else { a }),
            _ => Kind::Own,
        };
        Self { roles: (0..roles.len()).map(kind).collect() }
    }

    /// Number of roles, chance included.
    pub(crate) fn roles(&self) -> usize {
        self.roles.len()
    }

    /// Whether a role is chance.
    #[inline(always)]
    pub(crate) fn is_chance(&self, role: usize) -> bool {
        self.roles.get(role) == Some(&Kind::Chance)
    }

    /// Whether any role is chance.
    pub(crate) fn has_chance(&self) -> bool {
        self.roles.contains(&Kind::Chance)
    }

    /// The utility of goals, by role, for one role.
    #[inline(always)]
    pub(crate) fn of(&self, goals: &[f64], role: usize) -> f64 {
        let goal = |role: usize| goals.get(role).copied().unwrap_or(0.0);
        match self.roles.get(role) {
            None | Some(Kind::Chance) => 0.0,
            Some(Kind::Own) => goal(role),
            Some(&Kind::Against(other)) => goal(role) - goal(other),
        }
    }

    /// The role whose goal counts against this one's, in games of two players.
    pub(crate) fn opponent(&self, role: usize) -> Option<usize> {
        match self.roles.get(role) {
            Some(&Kind::Against(other)) => Some(other),
            _ => None,
        }
    }

    /// The lowest utility of a role: the return of an unfinished visit (virtual loss).
    #[inline(always)]
    pub(crate) fn worst(&self, role: usize) -> f64 {
        match self.roles.get(role) {
            Some(Kind::Against(_)) => -100.0,
            _ => 0.0,
        }
    }

    /// A utility on the scale of goals: 50 where two players have the same.
    pub(crate) fn as_goal(&self, role: usize, utility: f64) -> f64 {
        let (lowest, highest) = self.range(role);
        if highest > lowest { 100.0 * (utility - lowest) / (highest - lowest) } else { 0.0 }
    }

    /// The lowest and the highest utility of a role.
    pub(crate) fn range(&self, role: usize) -> (f64, f64) {
        match self.roles.get(role) {
            None | Some(Kind::Chance) => (0.0, 0.0),
            Some(Kind::Own) => (0.0, 100.0),
            Some(Kind::Against(_)) => (-100.0, 100.0),
        }
    }

    /// Half of the range of a role's utility: σ of the secure child.
    pub(crate) fn half_range(&self, role: usize) -> f64 {
        match self.roles.get(role) {
            Some(Kind::Against(_)) => 100.0,
            _ => 50.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_player_counts_its_own_goal() {
        for roles in [&["robot"][..], &["robot", "random"], &["Random", "robot"]] {
            let utility = Utility::new(roles);
            let robot = roles.iter().position(|&role| role == "robot").unwrap();
            let goals: Vec<f64> = (0..roles.len()).map(|at| if at == robot { 70.0 } else { 100.0 }).collect();
            assert_eq!(utility.of(&goals, robot), 70.0, "{roles:?}");
            assert_eq!((utility.worst(robot), utility.half_range(robot)), (0.0, 50.0));
            assert_eq!(utility.has_chance(), roles.len() == 2);
        }
    }

    #[test]
    fn two_players_count_the_difference_with_dice_or_without() {
        let utility = Utility::new(&["white", "black"]);
        assert_eq!((utility.of(&[70.0, 30.0], 0), utility.of(&[70.0, 30.0], 1)), (40.0, -40.0));
        let utility = Utility::new(&["white", "random", "black"]);
        let goals = [70.0, 100.0, 30.0];
        assert_eq!([0, 1, 2].map(|role| utility.of(&goals, role)), [40.0, 0.0, -40.0]);
        assert_eq!([0, 1, 2].map(|role| utility.worst(role)), [-100.0, 0.0, -100.0]);
        assert_eq!([0, 1, 2].map(|role| utility.is_chance(role)), [false, true, false]);
    }

    #[test]
    fn more_players_count_their_own_goals() {
        let utility = Utility::new(&["a", "b", "random", "c"]);
        assert_eq!([0, 1, 2, 3].map(|role| utility.of(&[1.0, 2.0, 3.0, 4.0], role)), [1.0, 2.0, 0.0, 4.0]);
    }
}
