//! Gates of a model as clauses for a SAT solver (G. S. Tseitin, On the complexity of derivation in
//! propositional calculus, 1968).
//!
//! Only the gates that are asked for, and what they depend on, become clauses. Recursive atoms are
//! left free: the clauses then allow more than the game does, so "unsatisfiable" stays a proof.

use std::cell::Cell;
use std::collections::HashMap;

use ludex_game::FactId;
use ludex_game::model::{Gates, Literal, MutexGroup, Node};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit};
use rustsat_batsat::BasicSolver;

/// Gates in a SAT solver.
pub(crate) struct Cnf<'a> {
    gates: &'a Gates,
    solver: BasicSolver,
    /// The variable of a node.
    variables: HashMap<u32, u32>,
    /// Nodes that may still become variables.
    room: usize,
}

impl<'a> Cnf<'a> {
    /// No gates yet. With more than `limit` nodes, [`literal`](Self::literal) gives none.
    pub(crate) fn new(gates: &'a Gates, limit: usize) -> Self {
        Self { gates, solver: BasicSolver::default(), variables: HashMap::new(), room: limit }
    }

    /// Bounds the work of all questions that follow together, in decisions of the solver.
    pub(crate) fn limit_effort(&mut self, decisions: u64) {
        let left = Cell::new(decisions);
        let stop = move || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0
        };
        self.solver.batsat_mut().cb_mut().set_stop(stop);
    }

    /// The SAT literal of a gate, whose clauses are added. None if there are too many gates, or the
    /// solver fails.
    pub(crate) fn literal(&mut self, gate: Literal) -> Option<Lit> {
        let mut stack = vec![gate.node()];
        while let Some(&node) = stack.last() {
            if self.variables.contains_key(&node) {
                stack.pop();
                continue;
            }
            let inputs = self.gates.inputs(node);
            let unknown = inputs.iter().map(|input| input.node());
            let unknown: Vec<u32> = unknown.filter(|input| !self.variables.contains_key(input)).collect();
            if unknown.is_empty() {
                stack.pop();
                self.add(node)?;
            } else {
                stack.extend(unknown);
                if stack.len() > self.room + self.gates.len() {
                    return None;
                }
            }
        }
        self.known(gate)
    }

    fn known(&self, gate: Literal) -> Option<Lit> {
        self.variables.get(&gate.node()).map(|&variable| Lit::new(variable, gate.is_inverted()))
    }

    /// Adds a node whose inputs are known.
    fn add(&mut self, node: u32) -> Option<()> {
        self.room = self.room.checked_sub(1)?;
        let variable = u32::try_from(self.variables.len()).ok()?;
        self.variables.insert(node, variable);
        let output = Lit::positive(variable);
        match self.gates.nodes().get(node as usize)? {
            Node::False => self.clause([!output]),
            Node::Fact(_) | Node::Does(_) | Node::Loop(_) => Some(()),
            Node::And { .. } => {
                let inputs = self.gates.inputs(node);
                let inputs: Vec<Lit> =
                    inputs.iter().map(|&input| self.known(input)).collect::<Option<_>>()?;
                for &input in &inputs {
                    self.clause([!output, input])?;
                }
                self.clause(inputs.into_iter().map(|input| !input).chain([output]))
            }
        }
    }

    /// Adds that at most one fact of each mutex group holds, for facts that are known; and that one
    /// holds, where that is known and all facts are.
    pub(crate) fn add_mutexes(&mut self, groups: &[MutexGroup]) -> Option<()> {
        for group in groups {
            let known = |&fact: &FactId| self.known(fact_literal(fact));
            let facts: Vec<Lit> = group.facts.iter().filter_map(known).collect();
            for (at, &one) in facts.iter().enumerate() {
                for &other in &facts[at + 1..] {
                    self.clause([!one, !other])?;
                }
            }
            if group.exactly_one && facts.len() == group.facts.len() {
                self.clause(facts)?;
            }
        }
        Some(())
    }

    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) -> Option<()> {
        let clause: Clause = literals.into_iter().collect();
        self.solver.add_clause(clause).ok()
    }

    /// Whether all of these can hold together; none if the solver fails or its effort is used up.
    pub(crate) fn is_possible(&mut self, all: &[Lit]) -> Option<bool> {
        match self.solver.solve_assumps(all) {
            Ok(SolverResult::Sat) => Some(true),
            Ok(SolverResult::Unsat) => Some(false),
            _ => None,
        }
    }
}

/// The literal that says whether a fact holds: facts come right behind the constant.
pub(crate) fn fact_literal(fact: FactId) -> Literal {
    Literal::new(fact.0 + 1, false)
}
