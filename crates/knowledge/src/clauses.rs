//! Variables, clauses and conjunctions in a SAT solver that can be interrupted.
//!
//! Conjunctions are simplified and hash-consed on the way (G. S. Tseitin, On the complexity of derivation
//! in propositional calculus, 1968). Variable 0 is true, so that constants are literals like all others.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use batsat::Callbacks;
use ludex_game::model::Literal;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal};
use rustsat_batsat::Solver;

/// The constants.
pub(crate) const TRUE: Lit = Lit::positive(0);
pub(crate) const FALSE: Lit = Lit::negative(0);

/// Says when the solver must stop; asked now and then.
pub type MustStop = Arc<dyn Fn() -> bool + Send + Sync>;

/// How often the clock is looked at: each so many decisions.
const LOOK_EVERY: u64 = 64;

/// Stops the solver after so many decisions, or when somebody says so.
#[derive(Default)]
struct Interrupt {
    left: Cell<u64>,
    taken: Arc<AtomicU64>,
    must_stop: Option<MustStop>,
}

impl Callbacks for Interrupt {
    fn stop(&self) -> bool {
        let left = self.left.get();
        if left == 0 {
            return true;
        }
        self.left.set(left - 1);
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        taken.is_multiple_of(LOOK_EVERY) && self.must_stop.as_ref().is_some_and(|must_stop| must_stop())
    }
}

/// A SAT solver with what was said to it.
pub(crate) struct Clauses {
    solver: Solver<Interrupt>,
    variables: u32,
    /// Conjunctions by their inputs.
    shared: HashMap<Vec<Lit>, Lit>,
    taken: Arc<AtomicU64>,
    /// Bytes that clauses take, about.
    bytes: usize,
}

impl Clauses {
    pub(crate) fn new() -> Self {
        let taken = Arc::default();
        let mut clauses =
            Self { solver: Solver::default(), variables: 1, shared: HashMap::new(), taken, bytes: 0 };
        clauses.solver.batsat_mut().cb_mut().taken = Arc::clone(&clauses.taken);
        clauses.clause(&[TRUE]);
        clauses
    }

    /// Bytes that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Decisions of the solver so far.
    pub(crate) fn decisions(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    pub(crate) fn variable(&mut self) -> Lit {
        self.variables += 1;
        self.bytes += 80;
        Lit::positive(self.variables - 1)
    }

    pub(crate) fn clause(&mut self, literals: &[Lit]) {
        self.bytes += 48 + 4 * literals.len();
        let clause: Clause = literals.iter().copied().collect();
        // BatSat takes every clause.
        let _ = self.solver.add_clause(clause);
    }

    /// Conjunctions that come from now on are not the same as those before.
    pub(crate) fn forget_shared(&mut self) {
        self.shared.clear();
    }

    /// The conjunction of literals, simplified.
    pub(crate) fn and(&mut self, mut inputs: Vec<Lit>) -> Lit {
        inputs.sort_unstable();
        inputs.dedup();
        inputs.retain(|&input| input != TRUE);
        let contradicts = inputs.windows(2).any(|pair| pair[0] == !pair[1]);
        match inputs[..] {
            _ if contradicts || inputs.contains(&FALSE) => FALSE,
            [] => TRUE,
            [only] => only,
            _ => {
                if let Some(&known) = self.shared.get(&inputs) {
                    return known;
                }
                let output = self.variable();
                let mut long: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
                inputs.iter().for_each(|&input| self.clause(&[!output, input]));
                long.push(output);
                self.clause(&long);
                self.shared.insert(inputs, output);
                output
            }
        }
    }

    /// The disjunction of literals, simplified.
    pub(crate) fn or(&mut self, inputs: &[Lit]) -> Lit {
        !self.and(inputs.iter().map(|&input| !input).collect())
    }

    /// Adds clauses so that at most one of these holds, while `active` does.
    pub(crate) fn at_most_one(&mut self, literals: &[Lit], active: Lit) {
        // Beyond this, pairs are more clauses than a chain of auxiliary variables (C. Sinz, 2005).
        const PAIRS: usize = 6;
        let mut condition = vec![!active];
        condition.retain(|&literal| literal != FALSE);
        let with = |literals: &[Lit]| [&condition, literals].concat();
        let open: Vec<Lit> = literals.iter().copied().filter(|&literal| literal != FALSE).collect();
        if open.len() <= PAIRS {
            for (at, &one) in open.iter().enumerate() {
                for &other in &open[at + 1..] {
                    self.clause(&with(&[!one, !other]));
                }
            }
            return;
        }
        let mut before: Option<Lit> = None;
        for &literal in &open {
            let now = self.variable();
            self.clause(&with(&[!literal, now]));
            if let Some(before) = before {
                self.clause(&with(&[!before, now]));
                self.clause(&with(&[!before, !literal]));
            }
            before = Some(now);
        }
    }

    /// By number from 1: that at least so many of these hold, up to `most` (a sequential counter; C. Sinz,
    /// Towards an optimal CNF encoding of Boolean cardinality constraints, 2005).
    pub(crate) fn at_least(&mut self, literals: &[Lit], most: usize) -> Vec<Lit> {
        let mut counts: Vec<Lit> = Vec::new();
        for &literal in literals {
            let mut next = Vec::with_capacity(most);
            for number in 0..most.min(counts.len() + 1) {
                let already = counts.get(number).copied().unwrap_or(FALSE);
                let below = number.checked_sub(1).map_or(TRUE, |below| counts[below]);
                let rises = self.and(vec![below, literal]);
                next.push(self.or(&[already, rises]));
            }
            counts = next;
        }
        counts.resize(most, FALSE);
        counts
    }

    /// Whether everything said so far can hold together with these; none if not decided.
    pub(crate) fn solve(
        &mut self,
        assumptions: &[Lit],
        decisions: u64,
        must_stop: Option<MustStop>,
    ) -> Option<bool> {
        let callbacks = self.solver.batsat_mut().cb_mut();
        callbacks.left.set(decisions);
        callbacks.must_stop = must_stop;
        match self.solver.solve_assumps(assumptions) {
            Ok(SolverResult::Sat) => Some(true),
            Ok(SolverResult::Unsat) => Some(false),
            _ => None,
        }
    }

    /// Whether a literal holds in the assignment that was found last.
    pub(crate) fn holds(&self, literal: Lit) -> bool {
        matches!(self.solver.lit_val(literal), Ok(TernaryVal::True))
    }
}

/// What a literal of a model is in the solver, given its nodes.
pub(crate) fn through(nodes: &[Lit], literal: Literal) -> Lit {
    let node = if literal.node() == 0 { FALSE } else { nodes[literal.node() as usize] };
    if literal.is_inverted() { !node } else { node }
}
