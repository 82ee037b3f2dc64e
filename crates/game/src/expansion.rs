//! Expansion: all children of many states, in a few long lists that are filled again and again.

use std::sync::Arc;

use crate::game::{Failure, Game, View};
use crate::ids::MoveId;
use crate::joint_moves::each_joint_move;
use crate::simulator::SimulatorConfig;
use crate::state::State;

/// Children of one state at most. A state with more joint moves is refused, never cut or wrapped:
/// 2^24 children of 100 bytes are 1.6 GB.
pub const MAX_CHILDREN: u64 = 1 << 24;

/// What to find out about children beside their states and whether they are terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandOptions {
    /// Legal moves of children.
    pub legal: bool,
    /// Goals of terminal children.
    pub goals: bool,
}

impl Default for ExpandOptions {
    fn default() -> Self {
        Self { legal: true, goals: true }
    }
}

/// Children of states. Those of one parent are consecutive, in the order of parents; joint moves
/// are in the order of the roles' move lists, the last role fastest.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    roles: usize,
    /// By child: the place of its parent in the request.
    parents: Vec<u32>,
    /// By child: one move for each role.
    joints: Vec<MoveId>,
    /// Words of all states.
    words: Vec<u64>,
    /// Words of each state, if all have the same number; otherwise `ends` says where each ends.
    width: Option<usize>,
    ends: Vec<usize>,
    terminal: Vec<bool>,
    /// By child and role; [`NO_GOAL`] if there is not exactly one value.
    goals: Vec<u8>,
    legal: LegalMoves,
}

/// Legal moves of all children; empty if they were not asked for.
#[derive(Clone, Debug)]
enum LegalMoves {
    /// Lists, and by child and role where each ends.
    Lists { moves: Vec<MoveId>, ends: Vec<usize> },
    /// Bits over a table of moves for each role. The bits of a child are `stride` words; those of a
    /// role start at its offset.
    Bits { tables: Vec<Vec<MoveId>>, offsets: Vec<usize>, stride: usize, bits: Vec<u64> },
}

impl Default for LegalMoves {
    fn default() -> Self {
        Self::Lists { moves: Vec::new(), ends: Vec::new() }
    }
}

/// For simulators: room for new children, zero at first, to be written in any order.
#[derive(Debug)]
pub struct NewChildren<'a> {
    /// By child: the place of its parent in the request.
    pub parents: &'a mut [u32],
    /// By child and role.
    pub joints: &'a mut [MoveId],
    /// By child: as many words as [`Expansion::begin_rows`] was told.
    pub words: &'a mut [u64],
    /// By child.
    pub terminal: &'a mut [bool],
    /// By child and role: a goal, where there is exactly one.
    pub goals: &'a mut [u8],
    /// By child and role: bits over the role's table, each role in words of its own; empty if legal
    /// moves are not asked for.
    pub legal: &'a mut [u64],
}

/// What stands for a goal that is not exactly one value from 0 to 100.
const NO_GOAL: u8 = u8::MAX;

impl Expansion {
    /// No children yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of children.
    pub fn len(&self) -> usize {
        self.terminal.len()
    }

    /// Whether there are no children.
    pub fn is_empty(&self) -> bool {
        self.terminal.is_empty()
    }

    /// The place of a child's parent among the states that were expanded.
    pub fn parent(&self, child: usize) -> usize {
        self.parents[child] as usize
    }

    /// The joint move that leads to a child.
    pub fn joint(&self, child: usize) -> &[MoveId] {
        &self.joints[child * self.roles..][..self.roles]
    }

    /// The words of a child's state.
    pub fn words(&self, child: usize) -> &[u64] {
        match self.width {
            Some(width) => &self.words[child * width..][..width],
            None => {
                let start = if child == 0 { 0 } else { self.ends[child - 1] };
                &self.words[start..self.ends[child]]
            }
        }
    }

    /// Whether the game is over in a child.
    pub fn is_terminal(&self, child: usize) -> bool {
        self.terminal[child]
    }

    /// The goal of a role in a terminal child; none if there is not exactly one value, if the child
    /// is not terminal, or if goals were not asked for.
    pub fn goal(&self, child: usize, role: usize) -> Option<u8> {
        Some(self.goals[child * self.roles + role]).filter(|&goal| goal != NO_GOAL)
    }

    /// How many legal moves a role has in a child; none in terminal ones.
    pub fn legal_count(&self, child: usize, role: usize) -> usize {
        let range = self.legal_range(child, role);
        match &self.legal {
            LegalMoves::Lists { .. } => range.len(),
            LegalMoves::Bits { bits, .. } => bits[range].iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    /// The legal moves of a role in a child, sorted by id, are added to a list.
    pub fn push_legal(&self, child: usize, role: usize, list: &mut Vec<MoveId>) {
        let range = self.legal_range(child, role);
        match &self.legal {
            LegalMoves::Lists { moves, .. } => list.extend_from_slice(&moves[range]),
            LegalMoves::Bits { tables, bits, .. } => {
                for (&word, moves) in bits[range].iter().zip(tables[role].chunks(64)) {
                    let mut rest = word;
                    while rest != 0 {
                        list.push(moves[rest.trailing_zeros() as usize]);
                        rest &= rest - 1;
                    }
                }
            }
        }
    }

    /// What holds in a child, as [`Game::view`] tells it.
    pub fn view(&self, child: usize) -> View {
        let list = |role| {
            let mut legal = Vec::new();
            self.push_legal(child, role, &mut legal);
            legal
        };
        View { terminal: self.is_terminal(child), legal: (0..self.roles).map(list).collect() }
    }

    /// The state of a child.
    pub fn state(&self, child: usize) -> State {
        State::from_words(self.words(child))
    }

    fn legal_range(&self, child: usize, role: usize) -> std::ops::Range<usize> {
        match &self.legal {
            LegalMoves::Lists { ends, .. } if ends.is_empty() => 0..0,
            LegalMoves::Lists { ends, .. } => {
                let at = child * self.roles + role;
                let start = if at == 0 { 0 } else { ends[at - 1] };
                start..ends[at]
            }
            LegalMoves::Bits { bits, .. } if bits.is_empty() => 0..0,
            LegalMoves::Bits { tables, offsets, stride, .. } => {
                let start = child * stride + offsets[role];
                start..start + tables[role].len().div_ceil(64)
            }
        }
    }

    /// For simulators: forgets all children. Those that follow are pushed one by one, in a game with
    /// this many roles.
    pub fn begin(&mut self, roles: usize) {
        self.clear(roles);
        self.width = None;
        self.legal = LegalMoves::default();
    }

    /// For simulators with bit rows: forgets all children. States have `width` words, and bits of
    /// legal moves stand for the moves of a table for each role, sorted by id.
    pub fn begin_rows<'a>(
        &mut self,
        width: usize,
        tables: impl ExactSizeIterator<Item = &'a [MoveId]> + Clone,
    ) {
        self.clear(tables.len());
        self.width = Some(width);
        if let LegalMoves::Bits { tables: known, bits, .. } = &mut self.legal
            && known.iter().map(Vec::as_slice).eq(tables.clone())
        {
            bits.clear();
            return;
        }
        let (mut offsets, mut stride) = (Vec::with_capacity(tables.len()), 0);
        for table in tables.clone() {
            offsets.push(stride);
            stride += table.len().div_ceil(64);
        }
        let tables = tables.map(<[MoveId]>::to_vec).collect();
        self.legal = LegalMoves::Bits { tables, offsets, stride, bits: Vec::new() };
    }

    fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.parents.clear();
        self.joints.clear();
        self.words.clear();
        self.ends.clear();
        self.terminal.clear();
        self.goals.clear();
    }

    /// For simulators with bit rows: adds children, which the caller fills.
    #[inline]
    pub fn add_rows(&mut self, count: usize, with_legal: bool) -> NewChildren<'_> {
        fn grow<T: Clone>(list: &mut Vec<T>, more: usize, filler: T) -> &mut [T] {
            let start = list.len();
            list.resize(start + more, filler);
            &mut list[start..]
        }
        let legal = match &mut self.legal {
            LegalMoves::Bits { bits, stride, .. } if with_legal => grow(bits, count * *stride, 0),
            _ => &mut [],
        };
        NewChildren {
            parents: grow(&mut self.parents, count, 0),
            joints: grow(&mut self.joints, count * self.roles, MoveId(0)),
            words: grow(&mut self.words, count * self.width.unwrap_or(0), 0),
            terminal: grow(&mut self.terminal, count, false),
            goals: grow(&mut self.goals, count * self.roles, NO_GOAL),
            legal,
        }
    }

    /// For simulators: adds a child. Its goals are unknown; legal moves follow, role by role.
    pub fn push(&mut self, parent: u32, joint: &[MoveId], words: &[u64], terminal: bool) {
        self.parents.push(parent);
        self.joints.extend_from_slice(joint);
        self.words.extend_from_slice(words);
        match self.width {
            Some(width) => self.words.resize((self.terminal.len() + 1) * width, 0),
            None => self.ends.push(self.words.len()),
        }
        self.terminal.push(terminal);
        self.goals.resize(self.goals.len() + self.roles, NO_GOAL);
    }

    /// For simulators: the goal of a role in the last child.
    pub fn set_goal(&mut self, role: usize, goal: Option<u8>) {
        let last = self.goals.len() - self.roles;
        self.goals[last + role] = goal.unwrap_or(NO_GOAL);
    }

    /// For simulators: the legal moves of a role of the last child, in the order of roles.
    pub fn push_legal_list(&mut self, role: usize, list: &[MoveId]) {
        match &mut self.legal {
            LegalMoves::Lists { moves, ends } => {
                moves.extend_from_slice(list);
                ends.push(moves.len());
            }
            LegalMoves::Bits { tables, offsets, stride, bits } => {
                bits.resize(self.terminal.len() * *stride, 0);
                let start = (self.terminal.len() - 1) * *stride + offsets[role];
                for id in list {
                    if let Ok(at) = tables[role].binary_search(id) {
                        bits[start + at / 64] |= 1 << (at % 64);
                    }
                }
            }
        }
    }
}

/// A joint move and what it leads to, on its own; see [`children`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// One move for each role.
    pub joint: Vec<MoveId>,
    /// The state after it.
    pub state: State,
    /// What holds there.
    pub view: View,
}

/// The children of one state as a list: for small work; [`crate::Simulator::expand`] is for much.
pub fn children(game: &Arc<dyn Game>, state: &State) -> Result<Vec<Child>, Failure> {
    let mut found = Expansion::new();
    let mut simulator = Arc::clone(game).simulator(SimulatorConfig::default());
    simulator.expand(&[state.words()], ExpandOptions { legal: true, goals: false }, &mut found)?;
    let child = |at| Child { joint: found.joint(at).to_vec(), state: found.state(at), view: found.view(at) };
    Ok((0..found.len()).map(child).collect())
}

/// Adds the children of states by one question after the other.
pub fn expand_one_by_one<G: Game + ?Sized>(
    game: &G,
    states: &[&[u64]],
    options: ExpandOptions,
    into: &mut Expansion,
) -> Result<(), Failure> {
    for (parent, &words) in (0u32..).zip(states) {
        expand_state(game, (parent, &State::from_words(words)), options, into)?;
    }
    Ok(())
}

/// The same for one state, which has this place among the states of a request.
pub fn expand_state<G: Game + ?Sized>(
    game: &G,
    (parent, state): (u32, &State),
    options: ExpandOptions,
    into: &mut Expansion,
) -> Result<(), Failure> {
    let view = game.view(state)?;
    if view.terminal {
        return Ok(());
    }
    check_children(view.legal.iter().map(Vec::len))?;
    each_joint_move(&view, |joint| {
        let child = game.next(state, joint)?;
        let view = game.view(&child)?;
        into.push(parent, joint, child.words(), view.terminal);
        if options.legal {
            view.legal.iter().enumerate().for_each(|(role, moves)| into.push_legal_list(role, moves));
        }
        if options.goals && view.terminal {
            for (role, goal) in game.goals(&child)?.iter().enumerate() {
                into.set_goal(role, goal.value());
            }
        }
        Ok(())
    })
}

/// The number of joint moves, from the numbers of the roles' moves; refused above [`MAX_CHILDREN`].
pub fn check_children(mut moves: impl Iterator<Item = usize>) -> Result<usize, Failure> {
    let product = moves.try_fold(1u64, |product, count| product.checked_mul(count as u64));
    match product.filter(|&product| product <= MAX_CHILDREN).map(usize::try_from) {
        Some(Ok(count)) => Ok(count),
        _ => Err(Failure::Limit(format!("a state has more than {MAX_CHILDREN} joint moves"))),
    }
}
