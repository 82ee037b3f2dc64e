//! Who chooses in a state, in which order: the bipartite step of games with simultaneous moves.
//!
//! In GDL all roles move at once. A search that takes turns splits such a step into up to three
//! (Thielscher's slides on general game playing, "how to deal with simultaneous moves": the state
//! transition graph becomes a bipartite graph):
//!
//! 1. the searching role chooses its move,
//! 2. the other players choose theirs, knowing it,
//! 3. chance rolls.
//!
//! Others that know the move can only do better, so the value is pessimistic: what the role can
//! guarantee with a move that everybody sees. A level with a single option is left out; in games in
//! turns exactly one level is left. As an option, levels 1 and 2 of a two-player game are one level:
//! a matrix game ([`super::matrix_game`]). Where every player wants its own best (maxⁿ), level 2 is a
//! level for each other player, in the order of roles.

use std::cell::Cell;

use ludex_game::{Expansion, MoveId};

use super::options::Simultaneous;
use super::value::Chooser;

/// What each role is to a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seats {
    /// By role.
    pub(super) choosers: Vec<Chooser>,
    /// The searching role.
    pub(super) own: usize,
    /// What others are to each other, and to the searching role.
    pub(super) order: Order,
    /// Whether there was a state with several levels.
    several: Cell<bool>,
}

/// Who chooses together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// All others choose together, knowing the own move.
    United,
    /// The same, but a single opponent and the searching role choose at once: a matrix game.
    Matrix,
    /// The others choose one after the other, in the order of roles, each knowing what came before.
    Single,
}

impl Order {
    /// The order for one role against all others.
    pub(super) fn of(simultaneous: Simultaneous) -> Self {
        match simultaneous {
            Simultaneous::Pessimistic => Self::United,
            Simultaneous::Matrix => Self::Matrix,
        }
    }
}

/// The options of one level, as offsets of children: a child's place is the sum of one offset of
/// each level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Levels {
    /// Levels with more than one option, in the order of the choices.
    list: Vec<Level>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Level {
    chooser: Chooser,
    /// The first role that chooses.
    role: usize,
    offsets: Vec<u32>,
}

impl Seats {
    /// For a game whose roles are chance or not. A matrix game needs two players.
    pub(super) fn new(is_chance: impl Iterator<Item = bool>, own: usize, order: Order) -> Self {
        let chooser = |(role, is_chance): (usize, bool)| match is_chance {
            _ if role == own => Chooser::Own,
            true => Chooser::Chance,
            false => Chooser::Others,
        };
        let choosers: Vec<Chooser> = is_chance.enumerate().map(chooser).collect();
        let others = choosers.iter().filter(|&&chooser| chooser == Chooser::Others).count();
        let order = if order == Order::Matrix && others != 1 { Order::United } else { order };
        Self { choosers, own, order, several: Cell::new(false) }
    }

    /// Whether several sides had a choice in some state.
    pub(super) fn saw_simultaneous_moves(&self) -> bool {
        self.several.get()
    }

    /// The levels of a state, from its children: all of them, in the order of joint moves.
    pub(super) fn levels(&self, children: &Expansion, range: std::ops::Range<usize>) -> Levels {
        let mut levels = Levels::default();
        let roles = self.choosers.len();
        if range.len() < 2 {
            return levels;
        }
        let (first, last) = (children.joint(range.start), children.joint(range.end - 1));
        let choosing = || (0..roles).filter(|&role| first[role] != last[role]);
        let mut strides = vec![(0, 1); roles];
        let mut stride = 1;
        for role in choosing().collect::<Vec<_>>().into_iter().rev() {
            let joint = |at: usize| children.joint(range.start + at)[role];
            let repeats =
                |&count: &usize| count * stride >= range.len() || joint(count * stride) == first[role];
            let count = (1..=range.len() / stride).find(repeats).unwrap_or(1);
            strides[role] = (stride, count);
            stride *= count;
        }
        for chooser in [Chooser::Own, Chooser::Others, Chooser::Chance] {
            let mut of_level: Vec<usize> =
                choosing().filter(|&role| self.choosers[role] == chooser).collect();
            let together = if self.order == Order::Single { 1 } else { of_level.len() };
            while !of_level.is_empty() {
                let later = of_level.split_off(together);
                let mut offsets = vec![0u32];
                for &role in &of_level {
                    let (stride, count) = strides[role];
                    let with = |&offset: &u32| {
                        let place = move |at: usize| u32::try_from(at * stride).unwrap_or(u32::MAX);
                        (0..count).map(move |at| offset.saturating_add(place(at)))
                    };
                    offsets = offsets.iter().flat_map(with).collect();
                }
                levels.list.push(Level { chooser, role: of_level[0], offsets });
                of_level = later;
            }
        }
        if levels.list.len() > 1 {
            self.several.set(true);
        }
        let is_matrix = self.order == Order::Matrix && levels.chooser(0) == Chooser::Own;
        if is_matrix && levels.chooser(1) == Chooser::Others {
            let (own, others) = (levels.options(0), levels.options(1));
            let offsets = own.iter().flat_map(|a| others.iter().map(move |b| a + b)).collect();
            let chooser = Chooser::Both(u32::try_from(others.len()).unwrap_or(u32::MAX));
            levels.list.splice(..2, [Level { chooser, role: self.own, offsets }]);
        }
        levels
    }
}

impl Levels {
    /// Number of levels; none if nobody has a choice.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Who chooses on a level.
    pub(super) fn chooser(&self, level: usize) -> Chooser {
        self.list.get(level).map_or(Chooser::Own, |level| level.chooser)
    }

    /// The role that chooses on a level, the first one if there are several.
    pub(super) fn role(&self, level: usize) -> Option<usize> {
        self.list.get(level).map(|level| level.role)
    }

    /// The options of a level, as offsets; a single one where there is no such level.
    pub(super) fn options(&self, level: usize) -> &[u32] {
        self.list.get(level).map_or(&[0], |level| &level.offsets)
    }
}

/// The move of a child by which an option is known to history and killers: that of the only role
/// that chooses on the level; none if there are several.
pub(super) fn move_of_level(
    seats: &Seats,
    children: &Expansion,
    (chooser, options): (Chooser, &[u32]),
    child: usize,
) -> Option<(usize, MoveId)> {
    let (&first, &last) = (options.first()?, options.last()?);
    let (first, last) = (children.joint(first as usize), children.joint(last as usize));
    let mut choosing =
        (0..first.len()).filter(|&role| seats.choosers[role] == chooser && first[role] != last[role]);
    match (choosing.next(), choosing.next()) {
        (Some(role), None) => Some((role, children.joint(child)[role])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::{ExpandOptions, SimulatorConfig};

    use super::*;

    fn levels(game: &str, own: usize) -> (Levels, Expansion) {
        let game = ludex_testkit::game_from(game, "batch");
        let mut children = Expansion::new();
        let initial = game.initial();
        let mut simulator = game.clone().simulator(SimulatorConfig::default());
        simulator.expand(&[initial.words()], ExpandOptions::default(), &mut children).unwrap();
        let is_chance = game.roles().iter().map(|role| role == "random");
        let levels = Seats::new(is_chance, own, Order::United).levels(&children, 0..children.len());
        (levels, children)
    }

    /// Roles with 2, 3, 1, 2 and 2 moves, one of them chance.
    const SHEET: &str = "(role a) (role random) (role idle) (role b) (role c) (init s)
        (legal a 1) (legal a 2) (legal random 1) (legal random 2) (legal random 3) (legal idle 1)
        (legal b 1) (legal b 2) (legal c 1) (legal c 2) (next s) (<= terminal (not (true s)))
        (goal a 1) (goal random 1) (goal idle 1) (goal b 1) (goal c 1)";

    #[test]
    fn every_child_has_one_offset_of_each_level() {
        for own in [0, 2, 3] {
            let (levels, children) = levels(SHEET, own);
            assert_eq!(children.len(), 24);
            assert_eq!(levels.len(), if own == 2 { 2 } else { 3 });
            let mut places = vec![0u32];
            for level in 0..levels.len() {
                let with = |&place: &u32| levels.options(level).iter().map(move |offset| place + offset);
                places = places.iter().flat_map(with).collect();
            }
            places.sort_unstable();
            assert_eq!(places, (0..24).collect::<Vec<_>>(), "{own}");
            // Options of the first level differ in moves of the searching role alone.
            if own == 0 {
                assert_eq!(levels.chooser(0), Chooser::Own);
                let joints = levels.options(0).iter().map(|&at| children.joint(at as usize));
                let joints: Vec<_> = joints.collect();
                assert!(joints[0][0] != joints[1][0] && joints[0][1..] == joints[1][1..]);
                assert_eq!((levels.options(1).len(), levels.options(2).len()), (4, 3));
                assert_eq!(levels.chooser(2), Chooser::Chance);
            }
        }
    }

    #[test]
    fn roles_choose_one_by_one_or_at_once() {
        let game = ludex_testkit::game_from(SHEET, "batch");
        let (_, children) = levels(SHEET, 3);
        let is_chance = || game.roles().iter().map(|role| role == "random");
        let single = Seats::new(is_chance(), 3, Order::Single).levels(&children, 0..children.len());
        let order: Vec<_> = (0..single.len()).map(|level| single.role(level)).collect();
        assert_eq!(order, [Some(3), Some(0), Some(4), Some(1)]);
        assert_eq!(Seats::new(is_chance(), 3, Order::Matrix).order, Order::United, "three players");
        let rock_paper_scissors = ludex_testkit::text("rock_paper_scissors");
        let (_, children) = levels(rock_paper_scissors, 0);
        let both = Seats::new([false, false].into_iter(), 0, Order::Matrix).levels(&children, 0..9);
        assert_eq!((both.len(), both.chooser(0), both.options(0).len()), (1, Chooser::Both(3), 9));
    }

    #[test]
    fn in_turns_there_is_one_level() {
        let game = ludex_testkit::text("tic_tac_toe");
        for own in [0, 1] {
            let (levels, children) = levels(game, own);
            assert_eq!((levels.len(), levels.options(0).len()), (1, 9));
            let expected = if own == 0 { Chooser::Own } else { Chooser::Others };
            assert_eq!(levels.chooser(0), expected);
            let seats = Seats::new([false, false].into_iter(), own, Order::United);
            let level = (expected, levels.options(0));
            assert_eq!(move_of_level(&seats, &children, level, 4), Some((0, children.joint(4)[0])));
        }
    }
}
