//! Facts that depend on nothing but the time.

use ludex_game::FactId;
use ludex_game::model::{GroundModel, Node};

use super::changes::Kind;

/// States of a clock that are told apart.
const MAX_TIME: usize = 300;

/// Facts that depend on nothing but the time: their next values read only such facts.
pub(super) struct Clock {
    /// By fact.
    pub(super) inside: Vec<bool>,
    /// By time, as far as it is known: those that hold. The last one stays, or is far away.
    pub(super) states: Vec<Vec<FactId>>,
}

impl Clock {
    pub(super) fn new(model: &GroundModel, relevant: &[bool], start: &[bool]) -> Self {
        let count = model.gates.len();
        let (mut readers, mut next) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for node in (0u32..).take(count) {
            let inputs = model.gates.inputs(node);
            inputs.iter().for_each(|input| readers[input.node() as usize].push(node));
        }
        for fact in (0..relevant.len()).filter(|&fact| relevant[fact]) {
            next[model.facts[fact].next.node() as usize].push(fact);
        }
        // What reads moves, now or in a step before.
        let mut outside = vec![false; count];
        let begins = |kind: &Node| matches!(kind, Node::Does(_) | Node::Loop(_));
        let nodes = (0u32..).zip(model.gates.nodes());
        let mut stack: Vec<u32> = nodes.filter(|(_, kind)| begins(kind)).map(|(node, _)| node).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut outside[node as usize], true) {
                continue;
            }
            stack.extend(&readers[node as usize]);
            stack.extend(next[node as usize].iter().filter_map(|&fact| u32::try_from(1 + fact).ok()));
        }
        let inside: Vec<bool> =
            (0..relevant.len()).map(|fact| relevant[fact] && !outside[1 + fact]).collect();
        // Facts that never change are no clock; they are known to everyone.
        let holding = |fact: usize| inside[fact] && start[fact];
        let constant = |fact: usize| !relevant[fact] && start[fact];
        let constants: Vec<FactId> =
            (0..inside.len()).filter(|&fact| constant(fact)).map(FactId::new).collect();
        let mut now: Vec<FactId> = (0..inside.len()).filter(|&fact| holding(fact)).map(FactId::new).collect();
        let mut states = Vec::new();
        while states.len() < MAX_TIME && !states.contains(&now) {
            let values = model.evaluate(&[&now[..], &constants[..]].concat(), &[]);
            let next = (0..inside.len()).filter(|&fact| inside[fact] && values.of(model.facts[fact].next));
            let next = next.map(FactId::new).collect();
            states.push(std::mem::replace(&mut now, next));
        }
        Self { inside, states }
    }

    /// Notes when each fact of the clock holds.
    pub(super) fn times(&self, kinds: &mut [Kind]) {
        for (fact, kind) in kinds.iter_mut().enumerate().filter(|&(fact, _)| self.inside[fact]) {
            let holds = |time: &usize| self.states[*time].contains(&FactId::new(fact));
            let times: Vec<usize> = (0..self.states.len()).filter(holds).collect();
            // What always or never holds is no matter of time.
            let varies = !times.is_empty() && times.len() < self.states.len();
            *kind = if varies { Kind::Timed(times) } else { Kind::Constant };
        }
    }
}
