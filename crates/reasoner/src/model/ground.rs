//! From the gates of a circuit to a ground model.

use ludex_game::model::{Fact, Gates, GoalSignal, GroundParts, Input, Literal, MutexGroup};
use ludex_game::{FactId, MoveId, RoleId};
use rustc_hash::FxHashMap;

use super::lifted::Lifted;
use crate::circuit::{self, Circuit, ExactNext, Group, GroupKind, Loop, Node, Signal};
use crate::limits::{Limits, Watch};
use crate::progress::Progress;
use crate::term::{TermId, Terms};

/// What a game keeps of its circuit for a model: the gates as they are, without look-up tables.
pub(crate) struct Kept(Circuit);

impl Kept {
    /// A circuit that nobody else needs any more.
    pub(crate) fn new(mut circuit: Circuit) -> Self {
        let gates = std::mem::replace(&mut circuit.gates, circuit::Gates::new(0, Vec::new()));
        circuit.gates = gates.finished();
        Self(circuit)
    }

    /// The terms of facts, moves and goal values.
    pub(crate) fn terms(&self) -> &Terms {
        &self.0.terms
    }
}

/// What the game that runs the circuit calls things.
pub(crate) struct Named<'a> {
    pub moves: &'a [TermId],
    /// By role and index: the move.
    pub move_ids: &'a [Vec<MoveId>],
    /// By role and index: the place in the order of ids.
    pub ranks: &'a [Vec<u32>],
    pub exact_next: &'a ExactNext,
}

/// The data of a ground model.
pub(super) fn parts(Kept(circuit): &Kept, named: &Named<'_>, lifted: &Lifted) -> Option<GroundParts> {
    let mut copies = lifted.copies(&circuit.terms);
    let inputs: usize = named.move_ids.iter().map(Vec::len).sum();
    let mut copy = GateCopy::new(circuit, named, inputs);
    copy.all(circuit);
    let exact = copy.exact_next(named.exact_next);
    let mut facts = Vec::with_capacity(circuit.facts.len());
    for fact in &circuit.facts {
        let (term, next) = (copies.copy(fact.term)?, copy.literal(fact.next));
        facts.push(Fact { term, initial: fact.initial, next });
    }
    for (fact, next) in exact {
        facts.get_mut(fact as usize)?.next = next;
    }
    let mut list = Vec::with_capacity(inputs);
    for (role, ids) in named.move_ids.iter().enumerate() {
        for (index, &choice) in ids.iter().enumerate() {
            let legal = copy.literal(circuit.moves.get(role)?.get(index)?.legal);
            list.push(Input { role: RoleId::new(role), choice, legal });
        }
    }
    list.sort_unstable_by_key(|input| (input.role, input.choice));
    let mut goals = Vec::with_capacity(circuit.goals.len());
    for goal in &circuit.goals {
        let (role, value) = (RoleId::new(goal.role), copies.copy(goal.value)?);
        goals.push(GoalSignal { role, value, holds: copy.literal(goal.holds) });
    }
    let terminal = copy.literal(circuit.terminal);
    // Work is counted, so this has an end; what is not found is merely not known.
    let watch = Watch::new(&Limits::default(), &Progress::new());
    let known = circuit::completed(circuit, &watch).unwrap_or_default();
    let ids = |facts: &[u32]| facts.iter().map(|&fact| FactId(fact)).collect();
    Some(GroundParts {
        roles: circuit.role_names.iter().map(|&role| copies.copy(role)).collect::<Option<_>>()?,
        moves: named.moves.iter().map(|&term| copies.copy(term)).collect::<Option<_>>()?,
        mutexes: known.groups.iter().map(mutex).collect(),
        terms: copies.terms,
        gates: copy.gates,
        inputs: list,
        facts,
        terminal,
        goals,
        stays_on: ids(&known.stay_on),
        stays_off: ids(&known.stay_off),
    })
}

fn mutex(group: &Group) -> MutexGroup {
    let mut facts: Vec<FactId> = group.facts.iter().map(|&fact| FactId(fact)).collect();
    facts.sort_unstable();
    MutexGroup { facts, exactly_one: group.kind == GroupKind::OneOf }
}

/// Gates on their way into the model, where inputs are in the order of roles and ids.
struct GateCopy {
    gates: Gates,
    /// By node of the circuit.
    map: Vec<Literal>,
    /// Facts and moves come first, behind the constant.
    first_gate: usize,
    /// Gates of the model by their sorted inputs, where more are added later.
    known: Option<FxHashMap<Vec<Literal>, Literal>>,
}

impl GateCopy {
    fn new(circuit: &Circuit, named: &Named<'_>, inputs: usize) -> Self {
        let facts = circuit.facts.len();
        let literal = |node: usize| Literal::new(u32::try_from(node).unwrap_or(u32::MAX >> 1), false);
        let mut map = vec![Literal::FALSE; circuit.gates.len()];
        for (node, place) in map.iter_mut().enumerate().take(1 + facts) {
            *place = literal(node);
        }
        let mut first = 1 + facts;
        for ranks in named.ranks {
            for (index, &rank) in ranks.iter().enumerate() {
                map[first + index] = literal(first + rank as usize);
            }
            first += ranks.len();
        }
        let known = (!named.exact_next.facts.is_empty()).then(FxHashMap::default);
        Self { gates: Gates::new(facts, inputs), map, first_gate: first, known }
    }

    fn literal(&self, signal: Signal) -> Literal {
        read(&self.map, signal)
    }

    fn and(&mut self, mut inputs: Vec<Literal>) -> Literal {
        inputs.sort_unstable();
        let Some(known) = &mut self.known else { return self.gates.and(inputs) };
        if let Some(&gate) = known.get(&inputs) {
            return gate;
        }
        let gate = self.gates.and(inputs.iter().copied());
        known.insert(inputs, gate);
        gate
    }

    /// Copies all gates and loops of the circuit.
    fn all(&mut self, circuit: &Circuit) {
        let mut open: Option<&Loop> = None;
        for node in self.first_gate..circuit.gates.len() {
            let Ok(number) = u32::try_from(node) else { break };
            if let Some(group) = open.take_if(|group| number >= group.end) {
                self.close(group);
            }
            match circuit.gates.node(number) {
                Node::And(..) => {
                    let inputs = circuit.gates.inputs(number).iter().map(|&s| self.literal(s)).collect();
                    self.map[node] = self.and(inputs);
                }
                Node::Loop(at) if open.is_none() => {
                    let Some(group) = circuit.loops.get(at as usize) else { continue };
                    let first = self.gates.open_loop(group.nodes.len());
                    for (signal, copy) in group.nodes.iter().zip(first..) {
                        self.map[signal.node() as usize] = Literal::new(copy, false);
                    }
                    open = Some(group);
                }
                _ => {}
            }
        }
        if let Some(group) = open {
            self.close(group);
        }
    }

    fn close(&mut self, group: &Loop) {
        let becomes = group.becomes.iter().map(|&signal| self.literal(signal)).collect();
        self.gates.close_loop(becomes);
    }

    /// The next values that the circuit derives from others, as the rules give them.
    fn exact_next(&mut self, exact: &ExactNext) -> Vec<(u32, Literal)> {
        // Gates have the numbers of an earlier form of the circuit; facts and moves the same.
        let mut map = vec![Literal::FALSE; exact.nodes().max(self.first_gate)];
        map[..self.first_gate].copy_from_slice(&self.map[..self.first_gate]);
        for (node, inputs) in exact.gates() {
            let inputs = inputs.iter().map(|&signal| read(&map, signal)).collect();
            map[node as usize] = self.and(inputs);
        }
        exact.facts.iter().map(|&(fact, next)| (fact, read(&map, next))).collect()
    }
}

fn read(map: &[Literal], signal: Signal) -> Literal {
    let literal = map[signal.node() as usize];
    if signal.is_inverted() { !literal } else { literal }
}
