//! Plain evaluation of a model, gate by gate: simple, and the reading of [`Gates`](super::Gates)
//! that other users of a model can compare themselves with.

use super::gates::{Literal, Node};
use super::ground::GroundModel;
use crate::game::{Goal, View};
use crate::ids::{FactId, MoveId, RoleId};

/// The value of each node in one state, for one joint move.
#[derive(Clone, Debug)]
pub struct Values(Vec<bool>);

impl Values {
    /// The value of a literal; a node that the model does not have is false.
    pub fn of(&self, literal: Literal) -> bool {
        self.0.get(literal.node() as usize).copied().unwrap_or(false) != literal.is_inverted()
    }
}

impl GroundModel {
    /// Computes all nodes in the state with these facts, where these moves are made.
    ///
    /// Legal moves, the end and goals do not depend on moves: an empty joint move is enough for
    /// them. Facts and moves that the model does not have are ignored.
    pub fn evaluate(&self, facts: &[FactId], joint: &[MoveId]) -> Values {
        let mut values = Values(vec![false; self.gates.len()]);
        for fact in facts.iter().filter(|fact| fact.index() < self.facts.len()) {
            values.0[1 + fact.index()] = true;
        }
        for (role, &choice) in joint.iter().enumerate() {
            if let Some(input) = self.input(RoleId::new(role), choice) {
                values.0[1 + self.facts.len() + input] = true;
            }
        }
        let mut node = 0;
        for group in self.gates.loops() {
            self.compute(&mut values, node, group.first as usize);
            loop {
                self.compute(&mut values, group.first as usize, group.end as usize);
                let mut changed = false;
                for (&node, &becomes) in group.nodes.iter().zip(&group.becomes) {
                    let value = values.of(becomes);
                    changed |= value && !values.0[node as usize];
                    values.0[node as usize] |= value;
                }
                if !changed {
                    break;
                }
            }
            node = group.end as usize;
        }
        self.compute(&mut values, node, self.gates.len());
        values
    }

    /// Computes the gates from one node up to another.
    fn compute(&self, values: &mut Values, from: usize, to: usize) {
        for node in from..to {
            if let Node::And { .. } = self.gates.nodes()[node] {
                let inputs = self.gates.inputs(u32::try_from(node).unwrap_or(u32::MAX));
                values.0[node] = inputs.iter().all(|&input| values.of(input));
            }
        }
    }

    /// What [`crate::Game::view`] says: the end, or the legal moves.
    pub fn view(&self, values: &Values) -> View {
        let mut legal = vec![Vec::new(); self.roles.len()];
        let terminal = values.of(self.terminal);
        if !terminal {
            for input in self.inputs.iter().filter(|input| values.of(input.legal)) {
                legal[input.role.index()].push(input.choice);
            }
        }
        View { terminal, legal }
    }

    /// The facts of the next state, sorted by id.
    pub fn next_facts(&self, values: &Values) -> Vec<FactId> {
        let facts = self.facts.iter().enumerate().filter(|(_, fact)| values.of(fact.next));
        facts.map(|(at, _)| FactId::new(at)).collect()
    }

    /// What [`crate::Game::goals`] says.
    pub fn goals_of(&self, values: &Values) -> Vec<Goal> {
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); self.roles.len()];
        for goal in self.goals.iter().filter(|goal| values.of(goal.holds)) {
            if let Some(texts) = texts.get_mut(goal.role.index()) {
                texts.push(self.terms.text(goal.value));
            }
        }
        let goal = |mut texts: Vec<String>| {
            let value = |text: &String| text.parse::<u8>().ok().filter(|&value| value <= 100);
            texts.sort();
            match texts.as_slice() {
                [] => Goal::Undefined,
                [only] => value(only).map_or(Goal::Faulty(texts), Goal::Value),
                _ => Goal::Faulty(texts),
            }
        };
        texts.into_iter().map(goal).collect()
    }
}
