//! Which facts a part of a circuit reads, and which facts can matter at all.

use ludex_game::FactId;
use ludex_game::model::{GroundModel, Literal, Node};

/// By fact: whether roots read it; `through` says which literal goes on behind a fact, if any.
fn walk(
    model: &GroundModel,
    roots: impl IntoIterator<Item = Literal>,
    through: impl Fn(FactId) -> Option<Literal>,
) -> Vec<bool> {
    let mut facts = vec![false; model.facts.len()];
    let mut seen = vec![false; model.gates.len()];
    let mut stack: Vec<u32> = roots.into_iter().map(Literal::node).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        match model.gates.nodes()[node as usize] {
            Node::False | Node::Does(_) => {}
            Node::Fact(fact) => {
                facts[fact.index()] = true;
                stack.extend(through(fact).map(Literal::node));
            }
            Node::And { .. } => stack.extend(model.gates.inputs(node).iter().map(|input| input.node())),
            Node::Loop(at) => {
                stack.extend(model.gates.loops()[at as usize].becomes.iter().map(|becomes| becomes.node()));
            }
        }
    }
    facts
}

/// By fact: whether these gates read it.
pub(crate) fn cone(model: &GroundModel, roots: impl IntoIterator<Item = Literal>) -> Vec<bool> {
    walk(model, roots, |_| None)
}

/// By fact: whether terminal, a goal or a legal move depends on it, now or in any later state. States
/// that differ in no other facts than these have the same future.
pub fn relevant_facts(model: &GroundModel) -> Vec<bool> {
    let goals = model.goals.iter().map(|goal| goal.holds);
    let legal = model.inputs.iter().map(|input| input.legal);
    let roots = goals.chain(legal).chain([model.terminal]);
    walk(model, roots, |fact| model.facts.get(fact.index()).map(|fact| fact.next))
}

/// By fact: whether it has the same value in all states that are reachable from one with the initial
/// value.
pub fn constant_facts(model: &GroundModel) -> Vec<bool> {
    model.facts.iter().map(|fact| fact.next.constant() == Some(fact.initial)).collect()
}
