//! The ground model: atoms, inputs, gates and what is known about them.

use std::ops::Deref;

use super::gates::{Gates, Literal};
use super::lifted::LiftedRules;
use super::term::{TermRef, Terms};
use crate::conversion::number;
use crate::ids::{FactId, MoveId, RoleId};
use crate::signature::Fnv;

/// A fact that a state may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The fact as a term.
    pub term: TermRef,
    /// Whether it holds in the initial state.
    pub initial: bool,
    /// Whether it holds after a step.
    pub next: Literal,
}

/// What a role can do: a `does` atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Who.
    pub role: RoleId,
    /// Does what.
    pub choice: MoveId,
    /// Whether it is legal; counts only while the game is not over.
    pub legal: Literal,
}

/// A goal value of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalSignal {
    /// Whose.
    pub role: RoleId,
    /// The value as a term; mostly a number from 0 to 100.
    pub value: TermRef,
    /// Whether the role has it.
    pub holds: Literal,
}

/// Facts of which at most one holds in every reachable state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutexGroup {
    /// Sorted.
    pub facts: Vec<FactId>,
    /// Whether one of them always holds.
    pub exactly_one: bool,
}

/// The data of a [`GroundModel`].
#[derive(Clone, Debug, Default)]
pub struct GroundParts {
    /// The terms of facts, moves, roles and goal values.
    pub terms: Terms,
    /// By [`RoleId`].
    pub roles: Vec<TermRef>,
    /// By [`FactId`]: facts that can hold.
    pub facts: Vec<Fact>,
    /// By [`MoveId`]: moves that some role can make.
    pub moves: Vec<TermRef>,
    /// Sorted by role, then by move.
    pub inputs: Vec<Input>,
    /// The nodes.
    pub gates: Gates,
    /// Whether the game is over.
    pub terminal: Literal,
    /// In no particular order.
    pub goals: Vec<GoalSignal>,
    /// Found by induction over steps; sound but incomplete.
    pub mutexes: Vec<MutexGroup>,
    /// Facts that stay once they hold. Sound but incomplete.
    pub stays_on: Vec<FactId>,
    /// Facts that never come back once they do not hold. Sound but incomplete.
    pub stays_off: Vec<FactId>,
}

/// Why parts are no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a model: {0}")]
pub struct ModelError(String);

/// A game without variables, as gates; see [`super::Model`] for what may be assumed.
#[derive(Clone, Debug)]
pub struct GroundModel {
    parts: GroundParts,
    facts_by_name: Vec<FactId>,
    moves_by_name: Vec<MoveId>,
    /// By fact and by move: the place in the order of names.
    fact_ranks: Vec<u32>,
    move_ranks: Vec<u32>,
    hash: u64,
}

impl Deref for GroundModel {
    type Target = GroundParts;

    fn deref(&self) -> &GroundParts {
        &self.parts
    }
}

impl GroundModel {
    /// Checks that the parts fit together, sorts the names and computes the hash.
    pub fn new(parts: GroundParts, rules: &LiftedRules) -> Result<Self, ModelError> {
        if let Some(fault) = fault(&parts) {
            return Err(ModelError(fault));
        }
        let mut hash = Fnv::default();
        hash.add(&rules.hash().to_string());
        let terms = |id: usize| parts.facts.get(id).map_or(TermRef(u32::MAX), |fact| fact.term);
        let facts_by_name = sorted(&parts.terms, parts.facts.len(), terms, "facts", &mut hash)?;
        let moves = |id: usize| parts.moves.get(id).copied().unwrap_or(TermRef(u32::MAX));
        let moves_by_name = sorted(&parts.terms, parts.moves.len(), moves, "moves", &mut hash)?;
        Ok(Self {
            fact_ranks: ranks(&facts_by_name),
            move_ranks: ranks(&moves_by_name),
            facts_by_name: facts_by_name.into_iter().map(FactId::new).collect(),
            moves_by_name: moves_by_name.into_iter().map(MoveId::new).collect(),
            hash: hash.value(),
            parts,
        })
    }

    /// FNV-1a over the hash of the rules and the sorted names of facts and moves.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The facts in the order of their names (byte by byte): the order of portable bits.
    pub fn facts_by_name(&self) -> &[FactId] {
        &self.facts_by_name
    }

    /// The moves in the order of their names.
    pub fn moves_by_name(&self) -> &[MoveId] {
        &self.moves_by_name
    }

    /// The place of a fact in the order of names.
    pub fn fact_rank(&self, fact: FactId) -> Option<usize> {
        self.fact_ranks.get(fact.index()).map(|&rank| rank as usize)
    }

    /// The place of a move in the order of names.
    pub fn move_rank(&self, choice: MoveId) -> Option<usize> {
        self.move_ranks.get(choice.index()).map(|&rank| rank as usize)
    }

    /// A fact as text, as the game names it.
    pub fn fact_name(&self, fact: FactId) -> Option<String> {
        self.facts.get(fact.index()).map(|fact| self.terms.text(fact.term))
    }

    /// A move as text, as the game names it.
    pub fn move_name(&self, choice: MoveId) -> Option<String> {
        self.moves.get(choice.index()).map(|&term| self.terms.text(term))
    }

    /// The literal that says whether a fact holds now.
    pub fn fact(&self, fact: FactId) -> Literal {
        Literal::new(number(1 + fact.index()), false)
    }

    /// The literal of an input, by its number in [`GroundParts::inputs`].
    pub fn does(&self, input: usize) -> Literal {
        Literal::new(number(1 + self.facts.len() + input), false)
    }

    /// The number of an input in [`GroundParts::inputs`].
    pub fn input(&self, role: RoleId, choice: MoveId) -> Option<usize> {
        self.inputs.binary_search_by_key(&(role, choice), |input| (input.role, input.choice)).ok()
    }

    /// The facts of the initial state.
    pub fn initial(&self) -> Vec<FactId> {
        let facts = self.facts.iter().enumerate().filter(|(_, fact)| fact.initial);
        facts.map(|(at, _)| FactId::new(at)).collect()
    }
}

/// The ids in the order of their names; the names go into the hash.
fn sorted(
    terms: &Terms,
    count: usize,
    term: impl Fn(usize) -> TermRef,
    what: &str,
    hash: &mut Fnv,
) -> Result<Vec<usize>, ModelError> {
    let mut names: Vec<(String, usize)> = (0..count).map(|id| (terms.text(term(id)), id)).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(ModelError(format!("two {what} are called {}", pair[0].0)));
    }
    hash.add(what);
    names.iter().for_each(|(name, _)| hash.add(name));
    Ok(names.into_iter().map(|(_, id)| id).collect())
}

fn ranks(order: &[usize]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, &id)| ranks[id] = number(rank));
    ranks
}

fn fault(parts: &GroundParts) -> Option<String> {
    let GroundParts { facts, inputs, goals, gates, .. } = parts;
    let first_gate = 1 + facts.len() + inputs.len();
    if gates.len() < first_gate {
        return Some("there are fewer nodes than facts and inputs".to_owned());
    }
    let is_sorted = inputs.windows(2).all(|w| (w[0].role, w[0].choice) < (w[1].role, w[1].choice));
    let known =
        |input: &Input| input.role.index() < parts.roles.len() && input.choice.index() < parts.moves.len();
    if !is_sorted || !inputs.iter().all(known) {
        return Some("the inputs are not sorted, or of unknown roles or moves".to_owned());
    }
    let next = facts.iter().map(|fact| fact.next);
    let legal = inputs.iter().map(|input| input.legal);
    let goals = goals.iter().map(|goal| goal.holds);
    let mut outputs = next.chain(legal).chain(goals).chain([parts.terminal]);
    if let Some(output) = outputs.find(|output| output.node() as usize >= gates.len()) {
        return Some(format!("there is no node {}", output.node()));
    }
    gates.fault()
}
