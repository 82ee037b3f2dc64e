//! A game with one role unrolled over time, as a question to a SAT solver: is there a plan?
//!
//! # How
//! Each step has a copy of the circuit: variables for moves, and gates as clauses (Tseitin 1968).
//! The facts of a step are the gates that compute them in the step before, so what is constant stays
//! constant, from the start on. Steps are added while the solver keeps what it has learned
//! (H. Kautz, B. Selman, Planning as satisfiability, 1992; incremental as in N. Eén, N. Sörensson,
//! Temporal induction by incremental SAT solving, 2003).
//!
//! | variable | meaning |
//! |---|---|
//! | doesₘ(t) | move m is made in step t; at most one is, only legal ones |
//! | active(t) | no state up to t is terminal |
//! | hit(t) | active(t−1), and state t is terminal with a goal that is wanted |
//!
//! While active, some move is made, and mutex groups hold. A question for horizon h assumes that
//! hit(t) holds for some t ≤ h.
//!
//! Recursive atoms need only be supported, not derived: the clauses then allow more than the game does.
//! "Refuted" stays a proof; a plan must be played by the rules, and [`Unrolled::exclude`] takes out one
//! that they do not confirm.

use ludex_game::model::{GroundModel, Literal, Node};
use ludex_game::{MoveId, RoleId};
use rustsat::types::Lit;

use crate::clauses::{Clauses, FALSE, MustStop, TRUE, through};
use crate::relevance::relevant_facts;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A plan: its moves.
    Plan(Vec<MoveId>),
    /// There is none.
    Refuted,
    /// Not decided within the effort.
    Open,
}

/// A game unrolled over some steps.
pub struct Unrolled {
    clauses: Clauses,
    /// By node: its value in the last state.
    nodes: Vec<Lit>,
    /// That no state so far is terminal, the last one included.
    active: Lit,
    /// By step and number of the input: that the move is made. Constant where it cannot be legal.
    steps: Vec<Vec<Lit>>,
    /// By time, from 1: that a plan ends there with a goal that is wanted.
    hits: Vec<Lit>,
    /// By fact: whether it can matter.
    relevant: Vec<bool>,
    /// By node: whether clauses are needed for it.
    needed: Vec<bool>,
    /// By node: whether it depends on moves of the same step.
    by_moves: Vec<bool>,
    /// The lowest goal that is wanted.
    target: u8,
    /// The longest time that is refuted.
    refuted: usize,
}

impl Unrolled {
    /// No steps yet, from the state in which these facts hold. Plans must be worth `target` at least.
    pub fn new(model: &GroundModel, holds: impl Fn(usize) -> bool, target: u8) -> Self {
        let relevant = relevant_facts(model);
        let mut unrolled = Self {
            clauses: Clauses::new(),
            nodes: vec![FALSE; model.gates.len()],
            active: TRUE,
            steps: Vec::new(),
            hits: Vec::new(),
            needed: needed(model, &relevant),
            relevant,
            by_moves: reads_moves(model),
            target,
            refuted: 0,
        };
        let value = |fact| if holds(fact) { TRUE } else { FALSE };
        let facts: Vec<Lit> = (0..model.facts.len()).map(value).collect();
        unrolled.arrive(model, &facts);
        unrolled
    }

    /// Steps so far.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        self.clauses.bytes()
    }

    /// Decisions of the solver so far.
    pub fn decisions(&self) -> u64 {
        self.clauses.decisions()
    }

    /// The lowest goal that is wanted.
    pub fn target(&self) -> u8 {
        self.target
    }

    /// Adds a step: moves from the last state, and the state behind them.
    pub fn extend(&mut self, model: &GroundModel) {
        let first = 1 + model.facts.len();
        let mut does = Vec::with_capacity(model.inputs.len());
        for input in &model.inputs {
            let legal = through(&self.nodes, input.legal);
            let made = if legal == FALSE { FALSE } else { self.clauses.variable() };
            if made != FALSE && legal != TRUE {
                self.clauses.clause(&[!made, legal]);
            }
            does.push(made);
        }
        let active = self.active;
        self.clauses.at_most_one(&does, TRUE);
        let mut some = vec![!active];
        some.extend(does.iter().copied().filter(|&made| made != FALSE));
        self.clauses.clause(&some);
        self.nodes[first..first + does.len()].copy_from_slice(&does);
        self.compute(model, true);
        let facts: Vec<Lit> = model.facts.iter().map(|fact| through(&self.nodes, fact.next)).collect();
        self.steps.push(does);
        self.arrive(model, &facts);
        self.look(model, &facts);
    }

    /// The next state: its facts, and the gates that do not depend on moves.
    fn arrive(&mut self, model: &GroundModel, facts: &[Lit]) {
        self.clauses.forget_shared();
        self.nodes.fill(FALSE);
        self.nodes[1..=facts.len()].copy_from_slice(facts);
        self.compute(model, false);
    }

    /// Whether the state that was reached last is terminal, and with which goal.
    fn look(&mut self, model: &GroundModel, facts: &[Lit]) {
        let terminal = through(&self.nodes, model.terminal);
        let role = RoleId::new(0);
        let wanted = model.goals.iter().filter(|goal| {
            let value = model.terms.text(goal.value).parse::<u8>().ok();
            goal.role == role && value.is_some_and(|value| value <= 100 && value >= self.target)
        });
        let none: Vec<Lit> = wanted.map(|goal| !through(&self.nodes, goal.holds)).collect();
        let none = self.clauses.and(none);
        let before = self.active;
        let hit = self.clauses.and(vec![before, terminal, !none]);
        self.active = self.clauses.and(vec![before, !terminal]);
        self.hits.push(hit);
        for group in &model.mutexes {
            // Facts that nothing reads are not computed.
            let known = group.facts.iter().filter(|fact| self.relevant[fact.index()]);
            let facts: Vec<Lit> = known.map(|fact| facts[fact.index()]).collect();
            if facts.iter().filter(|&&fact| fact != FALSE).count() > 1 {
                self.clauses.at_most_one(&facts, before);
                if group.exactly_one && facts.len() == group.facts.len() {
                    self.clauses.clause(&[&[!before], &facts[..]].concat());
                }
            }
        }
    }

    /// Computes the gates that are needed, in order: those that depend on moves, or all others.
    fn compute(&mut self, model: &GroundModel, by_moves: bool) {
        let chosen =
            |unrolled: &Self, node: usize| unrolled.needed[node] && unrolled.by_moves[node] == by_moves;
        // Recursive atoms are variables that hold if and only if they are supported.
        for group in model.gates.loops() {
            for &node in &group.nodes {
                if chosen(self, node as usize) {
                    self.nodes[node as usize] = self.clauses.variable();
                }
            }
        }
        for (at, node) in model.gates.nodes().iter().enumerate() {
            if let Node::And { .. } = node
                && chosen(self, at)
            {
                let inputs = model.gates.inputs(u32::try_from(at).unwrap_or(u32::MAX));
                let inputs = inputs.iter().map(|&input| through(&self.nodes, input)).collect();
                self.nodes[at] = self.clauses.and(inputs);
            }
        }
        for group in model.gates.loops() {
            for (&node, &becomes) in group.nodes.iter().zip(&group.becomes) {
                if chosen(self, node as usize) {
                    let (atom, support) = (self.nodes[node as usize], through(&self.nodes, becomes));
                    self.clauses.clause(&[!atom, support]);
                    self.clauses.clause(&[atom, !support]);
                }
            }
        }
    }

    /// Asks for a plan of at most `horizon` steps, which have been added. Uses at most so many decisions.
    pub fn ask(
        &mut self,
        model: &GroundModel,
        horizon: usize,
        decisions: u64,
        must_stop: Option<MustStop>,
    ) -> Answer {
        let horizon = horizon.min(self.steps.len());
        let mut hits: Vec<Lit> = self.hits[self.refuted.min(horizon)..horizon].to_vec();
        hits.retain(|&hit| hit != FALSE);
        let assumption = match hits[..] {
            [] => {
                self.refute(horizon);
                return Answer::Refuted;
            }
            [only] => only,
            _ => {
                let reached = self.clauses.variable();
                hits.push(!reached);
                self.clauses.clause(&hits);
                reached
            }
        };
        match self.clauses.solve(&[assumption], decisions, must_stop) {
            Some(true) => self.plan(model).map_or(Answer::Open, Answer::Plan),
            Some(false) => {
                self.refute(horizon);
                Answer::Refuted
            }
            None => Answer::Open,
        }
    }

    /// Whether it is plain that no game lasts longer than all steps so far.
    pub fn has_ended(&self) -> bool {
        self.active == FALSE
    }

    /// Whether a game can last longer than all steps so far; none if not decided.
    pub fn can_last(&mut self, decisions: u64, must_stop: Option<MustStop>) -> Option<bool> {
        let active = self.active;
        if active == FALSE { Some(false) } else { self.clauses.solve(&[active], decisions, must_stop) }
    }

    /// No plan of so many steps or fewer is worth the target.
    fn refute(&mut self, horizon: usize) {
        for at in self.refuted..horizon {
            let hit = self.hits[at];
            self.clauses.clause(&[!hit]);
        }
        self.refuted = self.refuted.max(horizon);
    }

    /// The plan in the solver's assignment.
    fn plan(&self, model: &GroundModel) -> Option<Vec<MoveId>> {
        let holds = |literal: Lit| self.clauses.holds(literal);
        let end = self.hits.iter().position(|&hit| holds(hit))?;
        let made = self.steps[..=end].iter().map(|step| {
            let made = step.iter().position(|&does| does != FALSE && holds(does))?;
            Some(model.inputs[made].choice)
        });
        made.collect()
    }

    /// Excludes a plan that the rules do not confirm.
    pub fn exclude(&mut self, model: &GroundModel, plan: &[MoveId]) {
        let role = RoleId::new(0);
        let made = plan.iter().zip(&self.steps);
        let others: Vec<Lit> = made.filter_map(|(&id, step)| Some(!step[model.input(role, id)?])).collect();
        // A plan that ends where it does: a longer one may begin with it.
        let hit = plan.len().checked_sub(1).and_then(|at| self.hits.get(at)).copied();
        self.clauses.clause(&[others, hit.map(|hit| !hit).into_iter().collect()].concat());
    }
}

/// By node: whether something that is asked for depends on it.
fn needed(model: &GroundModel, relevant: &[bool]) -> Vec<bool> {
    let next = model.facts.iter().zip(relevant).filter(|&(_, &relevant)| relevant).map(|(fact, _)| fact.next);
    let legal = model.inputs.iter().map(|input| input.legal);
    below(model, next.chain(legal).chain(model.goals.iter().map(|goal| goal.holds)).chain([model.terminal]))
}

fn below(model: &GroundModel, roots: impl Iterator<Item = Literal>) -> Vec<bool> {
    let mut found = vec![false; model.gates.len()];
    let mut stack: Vec<u32> = roots.map(Literal::node).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut found[node as usize], true) {
            continue;
        }
        stack.extend(model.gates.inputs(node).iter().map(|input| input.node()));
        if let Node::Loop(at) = model.gates.nodes()[node as usize] {
            stack.extend(model.gates.loops()[at as usize].becomes.iter().map(|becomes| becomes.node()));
        }
    }
    found
}

/// By node: whether it depends on moves of the same step.
fn reads_moves(model: &GroundModel) -> Vec<bool> {
    let mut reads = vec![false; model.gates.len()];
    let does = 1 + model.facts.len()..1 + model.facts.len() + model.inputs.len();
    reads[does].fill(true);
    loop {
        let mut changed = false;
        for node in 0..model.gates.len() {
            if reads[node] {
                continue;
            }
            let number = u32::try_from(node).unwrap_or(u32::MAX);
            let now = match model.gates.nodes()[node] {
                Node::Loop(at) => {
                    let becomes = &model.gates.loops()[at as usize].becomes;
                    becomes.iter().any(|becomes| reads[becomes.node() as usize])
                }
                _ => model.gates.inputs(number).iter().any(|input| reads[input.node() as usize]),
            };
            reads[node] = now;
            changed |= now;
        }
        // Without loops one pass sees everything.
        if !changed || model.gates.loops().is_empty() {
            return reads;
        }
    }
}
