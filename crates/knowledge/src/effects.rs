//! What the moves of a game with one role do to facts, read off its circuit.
//!
//! With one move fixed as the move that is made, the next value of a fact is a smaller function of the
//! state (a cofactor; C. E. Shannon, 1938): true, false, the fact itself, another fact, or something
//! else. Only gates that can change with the move are computed again, in the order of their numbers.
//! What the legality of the move says about single facts is used as well.
//!
//! # Cost
//! For each move the gates that change with it; more than [`MAX_WORK`] in all gives no answer.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use ludex_game::FactId;
use ludex_game::model::{GroundModel, Literal, Node};

use crate::exclusions::sharpen;

/// Gates that are computed, and facts that are looked at, for all moves together.
const MAX_WORK: usize = 200_000_000;

/// What a move does to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It holds afterwards.
    On,
    /// It does not hold afterwards.
    Off,
    /// It holds afterwards if this fact held before.
    Copy(FactId),
    /// It depends on more than one fact.
    Depends,
}

/// A move: what it needs, and what it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveEffects {
    /// Facts that it changes, by id; all others stay as they are.
    pub changes: Vec<(FactId, Effect)>,
    /// Facts that must have this value, or the move is not legal. Possibly not all of them.
    pub needs: Vec<(FactId, bool)>,
}

/// The effects of all moves on facts that are relevant, by the number of the input; none if they are
/// too much work.
pub fn move_effects(model: &GroundModel, relevant: &[bool]) -> Option<Vec<MoveEffects>> {
    let mut cofactors = Cofactors::new(model, relevant);
    let effects = (0..model.inputs.len()).map(|input| cofactors.effects(input));
    let mut effects = effects.collect::<Option<Vec<_>>>()?;
    sharpen(model, &mut effects);
    Some(effects)
}

/// The gates, with what is the same for all moves.
struct Cofactors<'a> {
    model: &'a GroundModel,
    /// The facts that are looked at.
    facts: Vec<usize>,
    /// By node: its value if no move is made; a gate that is not simpler than before is itself.
    idle: Vec<Literal>,
    /// By node: gates that read it.
    readers: Vec<Vec<u32>>,
    /// By fact: its mutex groups.
    groups: Vec<Vec<usize>>,
    work: usize,
}

impl<'a> Cofactors<'a> {
    fn new(model: &'a GroundModel, relevant: &[bool]) -> Self {
        let count = model.gates.len();
        let facts = (0..model.facts.len()).filter(|&fact| relevant[fact]).collect::<Vec<_>>();
        // Only what the next values read.
        let mut needed = vec![false; count];
        let mut stack: Vec<u32> = facts.iter().map(|&fact| model.facts[fact].next.node()).collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut needed[node as usize], true) {
                stack.extend(model.gates.inputs(node).iter().map(|input| input.node()));
            }
        }
        let mut groups = vec![Vec::new(); model.facts.len()];
        for (number, group) in model.mutexes.iter().enumerate() {
            group.facts.iter().for_each(|fact| groups[fact.index()].push(number));
        }
        let (idle, readers) = (Vec::with_capacity(count), vec![Vec::new(); count]);
        let mut cofactors = Self { model, facts, idle, readers, groups, work: 0 };
        for (node, kind) in (0u32..).zip(model.gates.nodes()) {
            let value = match kind {
                Node::Does(_) => Literal::FALSE,
                Node::And { .. } => cofactors.fold(node, &HashMap::new()),
                Node::False | Node::Fact(_) | Node::Loop(_) => Literal::new(node, false),
            };
            cofactors.idle.push(value);
            if needed[node as usize] {
                for input in model.gates.inputs(node) {
                    cofactors.readers[input.node() as usize].push(node);
                }
            }
        }
        cofactors
    }

    /// A literal, with what is known of its node.
    fn value(&self, literal: Literal, known: &HashMap<u32, Literal>) -> Literal {
        let node = literal.node();
        let value = known.get(&node).or_else(|| self.idle.get(node as usize)).copied();
        let value = value.unwrap_or(Literal::new(node, false));
        if literal.is_inverted() { !value } else { value }
    }

    /// A conjunction: constant, one of its inputs, or itself.
    fn fold(&self, node: u32, known: &HashMap<u32, Literal>) -> Literal {
        let mut only = Literal::TRUE;
        for &input in self.model.gates.inputs(node) {
            let value = self.value(input, known);
            if value == Literal::FALSE || value == !only {
                return Literal::FALSE;
            }
            if value == Literal::TRUE || value == only {
                continue;
            }
            if only != Literal::TRUE {
                return self.is_false(node, known).unwrap_or(Literal::new(node, false));
            }
            only = value;
        }
        only
    }

    /// Whether some input is false.
    fn is_false(&self, node: u32, known: &HashMap<u32, Literal>) -> Option<Literal> {
        let inputs = self.model.gates.inputs(node);
        inputs.iter().any(|&input| self.value(input, known) == Literal::FALSE).then_some(Literal::FALSE)
    }

    /// The values of all gates that change if these nodes have these values.
    fn spread(&mut self, fixed: &[(u32, Literal)]) -> HashMap<u32, Literal> {
        let mut known: HashMap<u32, Literal> = fixed.iter().copied().collect();
        let mut queue = BinaryHeap::new();
        for &(node, _) in fixed {
            queue.extend(self.readers[node as usize].iter().map(|&reader| Reverse(reader)));
        }
        let mut last = None;
        while let Some(Reverse(node)) = queue.pop() {
            if last.replace(node) == Some(node) {
                continue;
            }
            self.work += 1 + self.model.gates.inputs(node).len();
            let value = self.fold(node, &known);
            // The same function as before, although an input has changed.
            let same = value == self.idle[node as usize] && value.node() != node;
            if same && !known.contains_key(&value.node()) {
                continue;
            }
            known.insert(node, value);
            queue.extend(self.readers[node as usize].iter().map(|&reader| Reverse(reader)));
            if self.work > MAX_WORK {
                break;
            }
        }
        known
    }

    /// What a legal move says about single facts: also that the others of a mutex group do not hold.
    fn needs(&mut self, legal: Literal) -> Vec<(FactId, bool)> {
        let mut needs = needed(self.model, legal);
        for at in 0..needs.len() {
            let (fact, holds) = needs[at];
            if holds {
                let groups = &self.groups[fact.index()];
                let others = groups.iter().flat_map(|&group| &self.model.mutexes[group].facts);
                needs.extend(others.filter(|&&other| other != fact).map(|&other| (other, false)));
            }
        }
        self.work += needs.len();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    fn effects(&mut self, input: usize) -> Option<MoveEffects> {
        let model = self.model;
        let needs = self.needs(model.inputs[input].legal);
        let does = u32::try_from(1 + model.facts.len() + input).ok()?;
        let mut fixed = vec![(does, Literal::TRUE)];
        let known = self.spread(&fixed);
        let value = |known: &HashMap<u32, Literal>, cofactors: &Self, fact: usize| {
            classify(cofactors.value(model.facts[fact].next, known), fact, model)
        };
        self.work += self.facts.len();
        let open = self.facts.iter().any(|&fact| value(&known, self, fact) == Some(Effect::Depends));
        let mut changes: Vec<(FactId, Effect)> = Vec::new();
        let mut closer = HashMap::new();
        if open && !needs.is_empty() {
            let constant = |holds| if holds { Literal::TRUE } else { Literal::FALSE };
            fixed.extend(needs.iter().map(|&(fact, holds)| (fact.0 + 1, constant(holds))));
            closer = self.spread(&fixed);
        }
        let needed: HashMap<FactId, bool> = needs.iter().copied().collect();
        for &fact in &self.facts {
            let Some(mut effect) = value(&known, self, fact) else { continue };
            if effect == Effect::Depends && !closer.is_empty() {
                // The value of the fact itself may be known: then what stays as it is stays.
                effect = match value(&closer, self, fact) {
                    None => continue,
                    Some(effect) => effect,
                };
            }
            let before = needed.get(&FactId::new(fact)).copied();
            if before == Some(true) && effect == Effect::On || before == Some(false) && effect == Effect::Off
            {
                continue;
            }
            changes.push((FactId::new(fact), effect));
        }
        (self.work <= MAX_WORK).then_some(MoveEffects { changes, needs })
    }
}

/// What a next value means; none if the fact stays as it is.
fn classify(next: Literal, fact: usize, model: &GroundModel) -> Option<Effect> {
    match (next.constant(), model.gates.nodes().get(next.node() as usize)) {
        (Some(true), _) => Some(Effect::On),
        (Some(false), _) => Some(Effect::Off),
        (None, Some(&Node::Fact(other))) if !next.is_inverted() => {
            (other.index() != fact).then_some(Effect::Copy(other))
        }
        _ => Some(Effect::Depends),
    }
}

/// The facts that a gate needs with one value, as far as conjunctions show it.
fn needed(model: &GroundModel, root: Literal) -> Vec<(FactId, bool)> {
    let (mut stack, mut seen, mut needs) = (vec![root], HashSet::new(), Vec::new());
    while let Some(literal) = stack.pop() {
        if !seen.insert(literal) {
            continue;
        }
        match model.gates.nodes()[literal.node() as usize] {
            Node::Fact(fact) => needs.push((fact, !literal.is_inverted())),
            // The inverse of a conjunction of one is a conjunction too.
            Node::And { count: 1, .. } if literal.is_inverted() => {
                stack.extend(model.gates.inputs(literal.node()).iter().map(|&input| !input));
            }
            Node::And { .. } if !literal.is_inverted() => {
                stack.extend(model.gates.inputs(literal.node()));
            }
            _ => {}
        }
    }
    needs.sort_unstable();
    needs
}
