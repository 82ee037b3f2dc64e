//! Which facts and moves a part of a circuit reads, and which facts can matter at all.

use ludex_game::FactId;
use ludex_game::model::{GroundModel, Literal, Node};

/// What gates read.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    /// By fact.
    pub facts: Vec<bool>,
    /// Whether some move is read.
    pub inputs: bool,
    /// Whether there are recursive atoms among the gates.
    pub loops: bool,
}

/// Walks from roots to what they read; `through` says which literal goes on behind a fact, if any.
fn walk(
    model: &GroundModel,
    roots: impl IntoIterator<Item = Literal>,
    through: impl Fn(FactId) -> Option<Literal>,
) -> Cone {
    let mut cone = Cone { facts: vec![false; model.facts.len()], inputs: false, loops: false };
    let mut seen = vec![false; model.gates.len()];
    let mut stack: Vec<u32> = roots.into_iter().map(Literal::node).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        match model.gates.nodes()[node as usize] {
            Node::False => {}
            Node::Fact(fact) => {
                cone.facts[fact.index()] = true;
                stack.extend(through(fact).map(Literal::node));
            }
            Node::Does(_) => cone.inputs = true,
            Node::And { .. } => stack.extend(model.gates.inputs(node).iter().map(|input| input.node())),
            Node::Loop(at) => {
                cone.loops = true;
                stack.extend(model.gates.loops()[at as usize].becomes.iter().map(|becomes| becomes.node()));
            }
        }
    }
    cone
}

/// What these gates read.
pub(crate) fn cone(model: &GroundModel, roots: impl IntoIterator<Item = Literal>) -> Cone {
    walk(model, roots, |_| None)
}

/// By fact: whether terminal, a goal or a legal move depends on it, now or in any later state. States
/// that differ in no other facts than these have the same future.
pub fn relevant_facts(model: &GroundModel) -> Vec<bool> {
    let goals = model.goals.iter().map(|goal| goal.holds);
    let legal = model.inputs.iter().map(|input| input.legal);
    let roots = goals.chain(legal).chain([model.terminal]);
    walk(model, roots, |fact| model.facts.get(fact.index()).map(|fact| fact.next)).facts
}

/// By fact: whether it has the same value in all states that are reachable from one with the initial
/// value.
pub fn constant_facts(model: &GroundModel) -> Vec<bool> {
    model.facts.iter().map(|fact| fact.next.constant() == Some(fact.initial)).collect()
}
