//! AMAF (all moves as first): backpropagates the moves of playouts and paths to every node above.
//!
//! # What it does
//! A node at step `s` of a path learns, for every legal move `a` of a role that chooses there, from
//! every simulation in which the role made `a` after `s`: the return of the role, discounted as
//! from the node. Moves made in the node itself are in its edges. A move that is made twice counts
//! once.
//!
//! Playouts are recorded while they run: by leaf, the moves of each role with the return, once per
//! playout. On the way up, a move made on the path belongs to all playouts of the leaf.
//!
//! # References
//! See [`crate::selection`], RAVE.

use ludex_game::{Choices, FactId, MoveId, PlayoutPolicy, StepPolicy};

use super::descend::Descent;
use crate::memory::Tree;
use crate::playout::{CONTEXT_STEPS, Steps};
use crate::utility::Utility;

/// Records moves and returns of playouts, and adds them to the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Amaf {
    roles: usize,
    utility: Utility,
    discount: f64,
    /// Moves of running playouts, and by lane: the leaf.
    steps: Steps,
    leaf_of: Vec<usize>,
    /// By leaf: moves made in its playouts.
    leaves: Vec<Vec<Made>>,
    /// By role and move: the last playout that made it.
    last: Vec<Vec<u64>>,
    /// Number of playouts so far.
    playouts: u64,
    /// By role and move: statistics below the current node.
    below: Vec<Vec<Below>>,
    /// Moves that have an entry in `below`.
    entered: Vec<(usize, MoveId)>,
}

/// A move that a role made in a playout.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Made {
    role: usize,
    id: MoveId,
    /// The role's return, discounted once per step of the playout.
    value: f64,
}

/// Statistics of a move below a node.
#[derive(Clone, Copy, Debug, Default)]
struct Below {
    /// The move is on the path, so it is part of all playouts of the leaf.
    on_path: bool,
    /// Playouts that made the move, and the sum of their returns.
    count: u32,
    total: f64,
}

impl Amaf {
    pub(super) fn new(utility: Utility, discount: f64) -> Self {
        let roles = utility.roles();
        let (last, below) = (vec![Vec::new(); roles], vec![Vec::new(); roles]);
        Self { roles, utility, discount, last, below, steps: Steps::new(roles), ..Self::default() }
    }

    /// Wraps a policy: makes the same choices, and records the moves after this many leaves.
    pub(super) fn record<'a>(&'a mut self, policy: PlayoutPolicy<'a>, leaves: usize) -> Recording<'a> {
        self.leaves.iter_mut().for_each(Vec::clear);
        self.leaves.resize_with(leaves.max(self.leaves.len()), Vec::new);
        let policy = match policy {
            PlayoutPolicy::Step(policy) => Some(policy),
            // With RAVE no strategy uses a ranking.
            PlayoutPolicy::Uniform | PlayoutPolicy::Ranked(_) => None,
        };
        Recording { amaf: self, policy }
    }

    /// Records the moves of a finished playout for its leaf. If it was cut off, all returns are 0.
    fn enter(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        let moves = &self.steps.end(lane, steps)[CONTEXT_STEPS * self.roles..];
        let Some(made) = self.leaves.get_mut(self.leaf_of[lane]) else { return };
        self.playouts += 1;
        let factor = self.discount.powi(i32::try_from(steps).unwrap_or(i32::MAX));
        for joint in moves.chunks(self.roles.max(1)) {
            for (role, &id) in joint.iter().enumerate() {
                let last = place(&mut self.last[role], id);
                if *last != self.playouts {
                    *last = self.playouts;
                    let value = goals.map_or(0.0, |goals| factor * self.utility.of(goals, role));
                    made.push(Made { role, id, value });
                }
            }
        }
    }

    /// Backpropagates moves to all nodes of a path. `leaf` has the playouts after it, if there were
    /// any; `discounted` are mean goals, discounted once per step after the path.
    pub(super) fn backpropagate(
        &mut self,
        tree: &mut Tree,
        (descent, path): (&Descent, &[MoveId]),
        leaf: Option<usize>,
        weight: u32,
        discounted: &[f64],
    ) {
        let Self { roles, utility, discount, leaves, below, entered, .. } = self;
        for made in leaf.and_then(|leaf| leaves.get(leaf)).into_iter().flatten() {
            let known = place(&mut below[made.role], made.id);
            known.count += 1;
            known.total += made.value;
            entered.push((made.role, made.id));
        }
        let mut factor = 1.0;
        let steps = descent.nodes.iter().zip(path.chunks((*roles).max(1)));
        for (&node, joint) in steps.rev() {
            factor *= *discount;
            for (role, (&own, below)) in joint.iter().zip(below.iter()).enumerate() {
                let all = f64::from(weight) * factor * utility.of(discounted, role);
                let (moves, amaf) = tree.moves_and_amaf(node, role);
                for (id, amaf) in moves.iter().zip(amaf).filter(|&(&id, _)| id != own) {
                    match below.get(id.index()) {
                        Some(known) if known.on_path => amaf.add(weight, all),
                        Some(known) if known.count > 0 => amaf.add(known.count, factor * known.total),
                        _ => {}
                    }
                }
            }
            for (role, &id) in joint.iter().enumerate() {
                place(&mut below[role], id).on_path = true;
                entered.push((role, id));
            }
        }
        for (role, id) in entered.drain(..) {
            *place(&mut below[role], id) = Below::default();
        }
    }
}

/// The entry of a move; grows the list as needed.
#[inline(always)]
fn place<T: Clone + Default>(list: &mut Vec<T>, id: MoveId) -> &mut T {
    if list.len() <= id.index() {
        list.resize(id.index() + 1, T::default());
    }
    &mut list[id.index()]
}

/// Chooses as a policy does, or uniformly, and records moves.
pub(super) struct Recording<'a> {
    amaf: &'a mut Amaf,
    policy: Option<&'a mut dyn StepPolicy>,
}

impl StepPolicy for Recording<'_> {
    fn begin(&mut self, lane: usize, leaf: usize) {
        let Amaf { steps, leaf_of, .. } = &mut *self.amaf;
        if leaf_of.len() <= lane {
            leaf_of.resize(lane + 1, 0);
        }
        leaf_of[lane] = leaf;
        steps.begin(lane, leaf);
        if let Some(policy) = &mut self.policy {
            policy.begin(lane, leaf);
        }
    }

    fn needs_facts(&self) -> bool {
        self.policy.as_ref().is_some_and(|policy| policy.needs_facts())
    }

    fn set_facts(&mut self, lane: usize, facts: &[FactId]) {
        if let Some(policy) = &mut self.policy {
            policy.set_facts(lane, facts);
        }
    }

    #[inline]
    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        match &mut self.policy {
            Some(policy) => policy.choose(choices, seed, chosen),
            None => {
                let mut random = fastrand::Rng::with_seed(seed);
                chosen.extend(choices.lanes().iter().map(|&lane| choices.uniform(lane, random.u64(..))));
            }
        }
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.amaf.steps.moved(joint);
        if let Some(policy) = &mut self.policy {
            policy.moved(joint);
        }
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.amaf.enter(lane, steps, goals);
        if let Some(policy) = &mut self.policy {
            policy.ended(lane, steps, goals);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{AmafStats, NodeId};

    const WAIT: MoveId = MoveId(0);
    const A: MoveId = MoveId(1);
    const B: MoveId = MoveId(2);
    const C: MoveId = MoveId(3);

    /// The first role chooses among a, b, c in the root, the second role in the node below.
    fn tree() -> (Tree, Descent) {
        let mut tree = Tree::with_amaf(2);
        let nodes: Vec<NodeId> = [[&[A, B, C][..], &[WAIT]], [&[WAIT], &[A, B, C]]]
            .into_iter()
            .enumerate()
            .map(|(depth, legal)| {
                let id = tree.add_pending(u16::try_from(depth).unwrap());
                tree.fill(id, &[depth as u64], false, |role| legal[role]);
                tree.expand(id);
                id
            })
            .collect();
        (tree, Descent { nodes, ..Descent::default() })
    }

    fn stats_of(tree: &mut Tree, node: usize, role: usize) -> Vec<(u32, f64)> {
        let (_, amaf) = tree.moves_and_amaf(NodeId(u32::try_from(node).unwrap()), role);
        amaf.iter().map(|&AmafStats { count, total }| (count, total)).collect()
    }

    fn playout(recording: &mut Recording<'_>, lane: usize, moves: &[[MoveId; 2]], goals: Option<&[f64]>) {
        recording.begin(lane, 0);
        // Other lanes make moves that mean nothing.
        let all = |joint: &[MoveId; 2]| joint.map(|id| [vec![C; lane], vec![id]].concat()).concat();
        moves.iter().for_each(|joint| recording.moved(&all(joint)));
        recording.ended(lane, moves.len(), goals);
    }

    /// The path is a, then a of the other role. Of two playouts the first makes b (twice) and, for
    /// the other role, c, and is won; the second makes b and c, and is lost.
    #[test]
    fn nodes_learn_from_moves_below_them() {
        let (mut tree, descent) = tree();
        let mut amaf = Amaf::new(Utility::new(&["a", "b"]), 1.0);
        let mut recording = amaf.record(PlayoutPolicy::Uniform, 1);
        playout(&mut recording, 5, &[[B, WAIT], [WAIT, C], [B, WAIT]], Some(&[100.0, 0.0]));
        playout(&mut recording, 5, &[[B, WAIT], [WAIT, B], [C, WAIT]], Some(&[0.0, 100.0]));
        let path = (&descent, &[A, WAIT, WAIT, A][..]);
        amaf.backpropagate(&mut tree, path, Some(0), 2, &[50.0, 50.0]);
        // First role: a is its edge; b is in both playouts (100 - 100), c in the one that was lost.
        assert_eq!(stats_of(&mut tree, 0, 0), [(0, 0.0), (2, 0.0), (1, -100.0)]);
        // Second role: b in the playout that it won, c in the one that it lost.
        assert_eq!(stats_of(&mut tree, 1, 1), [(0, 0.0), (1, 100.0), (1, -100.0)]);
        // Roles without a choice have no statistics.
        assert_eq!((stats_of(&mut tree, 0, 1), stats_of(&mut tree, 1, 0)), (vec![], vec![]));
    }

    /// Moves further down the path belong to all playouts, and do not leak into the next path.
    #[test]
    fn moves_on_the_path_count_for_all_playouts() {
        let (mut tree, mut descent) = tree();
        // The second node occurs twice, as if the second role moved again.
        descent.nodes.push(descent.nodes[1]);
        let mut amaf = Amaf::new(Utility::new(&["a", "b"]), 0.5);
        let mut recording = amaf.record(PlayoutPolicy::Uniform, 1);
        playout(&mut recording, 0, &[[WAIT, B]], Some(&[0.0, 80.0]));
        playout(&mut recording, 0, &[[WAIT, WAIT], [WAIT, WAIT]], None);
        // Discounted: 80 · 0.5 and 0, on average 20.
        let path = [A, WAIT, WAIT, C, WAIT, B];
        amaf.backpropagate(&mut tree, (&descent, &path), Some(0), 2, &[0.0, 20.0]);
        // Last step: b is its edge. Second: c is its edge, b is on the path, two steps up: 2 · 20 ·
        // 0.25.
        assert_eq!(stats_of(&mut tree, 1, 1), [(0, 0.0), (2, 10.0), (0, 0.0)]);
        amaf.backpropagate(&mut tree, (&descent, &[A, WAIT, WAIT, A, WAIT, A]), None, 4, &[0.0, 100.0]);
        assert_eq!(stats_of(&mut tree, 1, 1), [(0, 0.0), (2, 10.0), (0, 0.0)], "the path has only a");
        assert_eq!(stats_of(&mut tree, 0, 0), [(0, 0.0), (0, 0.0), (0, 0.0)]);
    }

    /// With one role: a move in a playout is discounted as from the node.
    #[test]
    fn returns_are_discounted_as_from_the_node() {
        let mut tree = Tree::with_amaf(1);
        let node = tree.add_pending(0);
        tree.fill(node, &[0], false, |_| &[A, B]);
        tree.expand(node);
        let descent = Descent { nodes: vec![node], ..Descent::default() };
        let mut amaf = Amaf::new(Utility::new(&["a"]), 0.5);
        let mut recording = amaf.record(PlayoutPolicy::Uniform, 1);
        recording.begin(0, 0);
        recording.moved(&[B]);
        recording.moved(&[C]);
        recording.ended(0, 2, Some(&[80.0]));
        amaf.backpropagate(&mut tree, (&descent, &[A]), Some(0), 1, &[20.0]);
        // Three steps from the node to the end: 80 · 0.125.
        assert_eq!(stats_of(&mut tree, 0, 0), [(0, 0.0), (1, 10.0)]);
    }

    /// Compares with the definition: for every node and every legal move that was not made there,
    /// the simulations in which the role made it at any later step.
    #[test]
    fn amaf_matches_its_definition() {
        let mut random = fastrand::Rng::with_seed(6);
        let discount = 0.75;
        for _ in 0..200 {
            let (mut tree, descent) = tree();
            let mut amaf = Amaf::new(Utility::new(&["a", "b"]), discount);
            let any = |random: &mut fastrand::Rng| MoveId(random.u32(1..4));
            let path = [any(&mut random), WAIT, WAIT, any(&mut random)];
            let mut recording = amaf.record(PlayoutPolicy::Uniform, 1);
            let (mut expected, mut means) = ([[(0u32, 0.0); 3]; 2], [0.0; 2]);
            let weight = 3;
            for _ in 0..weight {
                let steps: Vec<[MoveId; 2]> =
                    (0..random.usize(..5)).map(|_| [any(&mut random), any(&mut random)]).collect();
                let goals = [f64::from(random.u8(..101)), f64::from(random.u8(..101))];
                playout(&mut recording, 0, &steps, Some(&goals));
                let whole: Vec<MoveId> = path.iter().copied().chain(steps.concat()).collect();
                let length = i32::try_from(whole.len() / 2).unwrap();
                for role in 0..2 {
                    means[role] += goals[role] * discount.powi(length - 2) / f64::from(weight);
                    for (at, id) in [A, B, C].into_iter().enumerate() {
                        let is_later = whole.chunks(2).skip(role + 1).any(|joint| joint[role] == id);
                        if path[2 * role + role] != id && is_later {
                            let (count, total) = &mut expected[role][at];
                            *count += 1;
                            let far = discount.powi(length - i32::try_from(role).unwrap());
                            *total += far * (goals[role] - goals[1 - role]);
                        }
                    }
                }
            }
            amaf.backpropagate(&mut tree, (&descent, &path), Some(0), weight, &means);
            for role in 0..2 {
                for (found, expected) in stats_of(&mut tree, role, role).iter().zip(expected[role]) {
                    assert_eq!(found.0, expected.0);
                    assert!((found.1 - expected.1).abs() < 1e-9, "{found:?} and {expected:?}");
                }
            }
        }
    }
}
