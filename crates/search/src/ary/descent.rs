//! A way down the tree of `ary-uct`: selection, new nodes, transpositions, exact values.

use std::sync::Arc;

use ludex_game::{Failure, Game, MoveId, SimulatorConfig, State};

use super::tree::{Found, NodeId, Tree};

/// Longest path: a sheet without an end must not make a tree without a bottom.
const MAX_LENGTH: usize = SimulatorConfig::MAX_STEPS as usize;

/// Where a path ended.
#[derive(Debug)]
pub(super) enum Target {
    /// At an exact value: these goals.
    Goals(Vec<f64>),
    /// At this state, which needs a playout.
    Playout(Box<[u64]>),
}

/// Nodes from the root on, and for each the place of the arc that was taken. The last arc may lead to
/// no node, when memory is full.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) nodes: Vec<NodeId>,
    places: Vec<u64>,
}

impl Path {
    /// The root alone.
    pub(super) fn root() -> Self {
        Self { nodes: vec![0], places: Vec::new() }
    }

    /// The moves of the first role.
    pub(super) fn moves(&self, tree: &Tree) -> Vec<MoveId> {
        let mut joint = Vec::new();
        let mut made = |(&id, &place): (&NodeId, &u64)| {
            tree.joint(id, place, &mut joint);
            joint.first().copied()
        };
        self.nodes.iter().zip(&self.places).filter_map(&mut made).collect()
    }

    /// The same, and on to the end of the game with the exact value of the last node.
    pub(super) fn moves_to_end(&self, tree: &Tree) -> Vec<MoveId> {
        let mut path = self.clone();
        while let Some(&id) = path.nodes.last() {
            let goal = |id: NodeId| tree.exact(id).and_then(|goals| goals.first().copied());
            let value = goal(id);
            let next = tree.children(id).iter().position(|&child| value.is_some() && goal(child) == value);
            let Some(place) = next else { break };
            path.places.push(place as u64);
            path.nodes.push(tree.children(id)[place]);
        }
        path.moves(tree)
    }
}

/// How to go down.
pub(super) struct Descent {
    game: Arc<dyn Game>,
    /// C of the formula.
    c: f64,
    /// By role: whether it is chance.
    chance: Vec<bool>,
    random: fastrand::Rng,
    joint: Vec<MoveId>,
}

impl Descent {
    /// For a game.
    pub(super) fn new(game: Arc<dyn Game>, c: f64, chance: Vec<bool>, seed: u64) -> Self {
        Self { game, c, chance, random: fastrand::Rng::with_seed(seed), joint: Vec::new() }
    }

    /// Makes a state the root of a tree without nodes.
    pub(super) fn plant(&self, tree: &mut Tree, state: &State) -> Result<(), Failure> {
        let (legal, goals) = self.look(state)?;
        tree.add(0, Found { words: state.words(), legal: &legal, goals: goals.as_deref() });
        Ok(())
    }

    /// Legal moves of a state, and its goals where nothing can be done: 0 where a role is stuck.
    #[allow(clippy::type_complexity, reason = "of one call")]
    fn look(&self, state: &State) -> Result<(Vec<Vec<MoveId>>, Option<Vec<u8>>), Failure> {
        let view = self.game.view(state)?;
        let goals = if view.terminal {
            Some(self.game.goals(state)?.iter().map(|goal| goal.value().unwrap_or(0)).collect())
        } else if view.legal.iter().any(Vec::is_empty) {
            Some(vec![0; self.chance.len()])
        } else {
            None
        };
        Ok((view.legal, goals))
    }

    /// From the root to an exact value, a new node, or an unexplored arc where the tree may not grow.
    pub(super) fn descend(&mut self, tree: &mut Tree, may_grow: bool) -> Result<(Path, Target), Failure> {
        let mut path = Path::root();
        let mut id = 0;
        loop {
            if let Some(goals) = tree.exact(id) {
                return Ok((path, Target::Goals(goals.to_vec())));
            }
            if path.nodes.len() > MAX_LENGTH {
                return Ok((path, Target::Playout(tree.words(id).into())));
            }
            let unexplored = tree.unexplored(id);
            if unexplored == 0 {
                let place = self.select(tree, id);
                path.places.push(place as u64);
                id = tree.children(id)[place];
                path.nodes.push(id);
                continue;
            }
            let explored = tree.children(id).len() as u64;
            let place = if may_grow { explored } else { explored + self.random.u64(..unexplored) };
            tree.joint(id, place, &mut self.joint);
            let state = self.game.next(&State::from_words(tree.words(id)), &self.joint)?;
            path.places.push(place);
            let depth = tree.depth(id) + 1;
            if let Some(known) = tree.find(depth, state.words()) {
                if may_grow {
                    tree.link(id, known);
                }
                id = known;
                path.nodes.push(id);
                continue;
            }
            let (legal, goals) = self.look(&state)?;
            if may_grow {
                let found = Found { words: state.words(), legal: &legal, goals: goals.as_deref() };
                let new = tree.add(depth, found);
                tree.link(id, new);
                path.nodes.push(new);
            }
            let target = match goals {
                Some(goals) => Target::Goals(goals.into_iter().map(f64::from).collect()),
                None => Target::Playout(state.words().into()),
            };
            return Ok((path, target));
        }
    }

    /// The place of the arc to follow in a node without unexplored arcs.
    fn select(&mut self, tree: &Tree, id: NodeId) -> usize {
        let counts = tree.counts(id);
        let mut choosing = (0..counts.len()).filter(|&role| counts[role] > 1);
        match (choosing.next(), choosing.next()) {
            (None, _) => 0,
            (Some(role), None) if self.chance[role] => self.random.usize(..tree.children(id).len()),
            (Some(role), None) => self.best_child(tree, id, role),
            _ => self.best_joint_move(tree, id),
        }
    }

    /// m + C·√(ln t / s).
    fn bound(&self, mean: f64, ln_t: f64, s: u64) -> f64 {
        mean + self.c * (ln_t / s.max(1) as f64).sqrt()
    }

    /// Where one role chooses: the child with the highest bound. Of equal ones, the first in the
    /// random order of arcs.
    fn best_child(&self, tree: &Tree, id: NodeId, role: usize) -> usize {
        let children = tree.children(id);
        let t: u64 = children.iter().map(|&child| tree.visits(child)).sum();
        let ln_t = (t.max(1) as f64).ln();
        let mut best = (0, f64::NEG_INFINITY);
        for (place, &child) in children.iter().enumerate() {
            let bound = self.bound(tree.mean(child, role), ln_t, tree.visits(child));
            if bound > best.1 {
                best = (place, bound);
            }
        }
        best.0
    }

    /// Where several roles choose: each its move with the highest bound, by sums over all joint
    /// moves with it.
    fn best_joint_move(&mut self, tree: &Tree, id: NodeId) -> usize {
        let children = tree.children(id);
        let counts = tree.counts(id);
        let t: u64 = children.iter().map(|&child| tree.visits(child)).sum();
        let ln_t = (t.max(1) as f64).ln();
        let mut chosen = Vec::with_capacity(counts.len());
        for (role, &count) in counts.iter().enumerate() {
            if self.chance[role] {
                chosen.push(self.random.usize(..count as usize));
                continue;
            }
            let mut sums = vec![(0.0, 0u64); count as usize];
            for (place, &child) in children.iter().enumerate() {
                let visits = tree.visits(child);
                let (sum, known) = &mut sums[tree.index_in_arc(id, place, role)];
                *sum += tree.mean(child, role) * visits as f64;
                *known += visits;
            }
            let bounds = sums.iter().map(|&(sum, s)| self.bound(sum / s.max(1) as f64, ln_t, s));
            let best = bounds.enumerate().reduce(|best, new| if new.1 > best.1 { new } else { best });
            chosen.push(best.map_or(0, |(at, _)| at));
        }
        let is_it = |&place: &usize| {
            chosen.iter().enumerate().all(|(role, &at)| tree.index_in_arc(id, place, role) == at)
        };
        (0..children.len()).find(is_it).unwrap_or(0)
    }

    /// A path ended at an exact value: "when the selected node is the root of a fully explored
    /// subtree, a value is computed using the maximum value for the player among the children. This
    /// value is exact for sequential moves games" (section 3.2), so for those only.
    pub(super) fn prove(&self, tree: &mut Tree, path: &Path) {
        for &id in path.nodes.iter().rev() {
            if tree.exact(id).is_some() {
                continue;
            }
            if tree.unexplored(id) > 0 {
                return;
            }
            let counts = tree.counts(id);
            let mut choosing = (0..counts.len()).filter(|&role| counts[role] > 1);
            let role = match (choosing.next(), choosing.next()) {
                (None, _) => 0,
                (Some(role), None) if !self.chance[role] => role,
                _ => return,
            };
            let mut best: Option<(f64, NodeId)> = None;
            for &child in tree.children(id) {
                let Some(goals) = tree.exact(child) else { return };
                if best.is_none_or(|(known, _)| goals[role] > known) {
                    best = Some((goals[role], child));
                }
            }
            let Some((_, best)) = best else { return };
            tree.set_exact(id, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The goals of best play in turns, by definition.
    fn solve(game: &Arc<dyn Game>, state: &State, known: &mut HashMap<State, Vec<f64>>) -> Vec<f64> {
        if let Some(goals) = known.get(state) {
            return goals.clone();
        }
        let view = game.view(state).unwrap();
        let goals = if view.terminal {
            game.goals(state).unwrap().iter().map(|goal| f64::from(goal.value().unwrap())).collect()
        } else {
            let role = view.legal.iter().position(|legal| legal.len() > 1).unwrap_or(0);
            let children: Vec<Vec<f64>> = ludex_game::joint_moves(&view)
                .into_iter()
                .map(|joint| solve(game, &game.next(state, &joint).unwrap(), known))
                .collect();
            children.into_iter().reduce(|a, b| if b[role] > a[role] { b } else { a }).unwrap()
        };
        known.insert(state.clone(), goals.clone());
        goals
    }

    /// Fully explored trees have the value of best play, with transpositions and without. With the
    /// published C the worst arcs would be explored far too late.
    #[test]
    fn fully_explored_trees_are_exact() {
        let tic_tac_toe = ludex_testkit::game("tic_tac_toe", "circuit");
        // Six marks are set, nobody has won.
        let mut late = tic_tac_toe.initial();
        for mark in ["(mark 1 1)", "(mark 2 2)", "(mark 3 3)", "(mark 1 3)", "(mark 3 1)", "(mark 2 1)"] {
            let id = tic_tac_toe.find_move(mark).unwrap();
            let legal = tic_tac_toe.view(&late).unwrap().legal;
            let joint: Vec<MoveId> =
                legal.iter().map(|legal| if legal.len() > 1 { id } else { legal[0] }).collect();
            late = tic_tac_toe.next(&late, &joint).unwrap();
        }
        let buttons = ludex_testkit::game("two_buttons", "circuit");
        let start = buttons.initial();
        for (game, state) in [(tic_tac_toe, late), (buttons, start)] {
            for table in [false, true] {
                let roles = game.roles().len();
                let mut tree = Tree::new(roles, table, 3);
                let mut descent = Descent::new(Arc::clone(&game), 10_000.0, vec![false; roles], 5);
                descent.plant(&mut tree, &state).unwrap();
                let mut visits = 0;
                while tree.exact(0).is_none() {
                    let (path, target) = descent.descend(&mut tree, true).unwrap();
                    tree.begin_visit(&path.nodes);
                    let goals = match target {
                        Target::Goals(goals) => goals,
                        Target::Playout(_) => vec![50.0; roles],
                    };
                    tree.end_visit(&path.nodes, &goals);
                    descent.prove(&mut tree, &path);
                    visits += 1;
                    assert!(visits < 100_000);
                }
                assert_eq!(tree.exact(0).unwrap(), solve(&game, &state, &mut HashMap::new()));
                if roles == 1 {
                    let mut state = state.clone();
                    for made in Path::root().moves_to_end(&tree) {
                        state = game.next(&state, &[made]).unwrap();
                    }
                    let goal = game.goals(&state).unwrap()[0].value().map(f64::from);
                    assert!(game.view(&state).unwrap().terminal && goal == Some(tree.exact(0).unwrap()[0]));
                }
            }
        }
    }
}
