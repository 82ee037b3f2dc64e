//! Circuits: the whole game as a propnet, gates over the facts of a state and the moves of the
//! roles.
//!
//! Built from a grounded sheet: an atom is the OR of its instances, an instance the AND of its
//! literals. Atoms that depend on themselves (positively only, in valid sheets) form loops, which
//! are iterated to a fixpoint. Passes then make the circuit smaller; each computes the same
//! outputs.

mod build;
mod dot;
mod exact_next;
mod forced_moves;
mod gate;
mod invariants;
mod passes;
mod report;
mod schedule;

use std::sync::Arc;

use ludex_gdl::Rules;

pub(crate) use exact_next::ExactNext;
pub(crate) use forced_moves::ForcedMoves;
pub(crate) use gate::{Gates, Node, Signal};
pub(crate) use invariants::{Group, GroupKind, completed};
use invariants::{Invariants, Wanted};
pub use report::{CircuitReport, ConeReport, FactGroup, PassReport};
pub(crate) use schedule::{Cone, Schedule};

use crate::ground::Ground;
use crate::limits::{StopReason, Watch};
use crate::progress::Phase;
use crate::term::{TermId, Terms};

/// A fact: its term, whether it holds in the initial state, and the signal of its next value.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub term: TermId,
    pub initial: bool,
    pub next: Signal,
}

/// A move of a role.
#[derive(Clone, Debug)]
pub(crate) struct RoleMove {
    pub term: TermId,
    pub does: Signal,
    pub legal: Signal,
}

/// A goal value of a role.
#[derive(Clone, Debug)]
pub(crate) struct GoalSignal {
    pub role: usize,
    pub value: TermId,
    pub holds: Signal,
}

/// Recursive atoms that are computed together, by fixpoint iteration.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The loop nodes, which hold the values of the current iteration.
    pub nodes: Vec<Signal>,
    /// The value of each of them in the next iteration.
    pub becomes: Vec<Signal>,
    /// Nodes from the first of `nodes` up to here are repeated.
    pub end: u32,
}

/// A game as gates.
#[derive(Debug)]
pub(crate) struct Circuit {
    pub sheet: Arc<Rules>,
    pub terms: Terms,
    pub role_names: Vec<TermId>,
    pub gates: Gates,
    pub facts: Vec<Fact>,
    /// By role.
    pub moves: Vec<Vec<RoleMove>>,
    pub terminal: Signal,
    pub goals: Vec<GoalSignal>,
    pub loops: Vec<Loop>,
    /// What holds in every reachable state, if that was asked for.
    pub invariants: Invariants,
    /// Next values for states that violate the invariants the gates rely on.
    pub exact_next: ExactNext,
}

/// Size of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CircuitSize {
    /// Facts.
    pub facts: usize,
    /// Moves of all roles together.
    pub moves: usize,
    /// Gates for `legal` and `terminal`, further ones for `next`, further ones for goals.
    pub gates: [usize; 3],
    /// Inputs of all these gates.
    pub inputs: usize,
    /// Loops of recursive atoms.
    pub loops: usize,
}

impl Circuit {
    /// Builds the circuit of a grounded sheet and simplifies it.
    pub(crate) fn new(ground: Ground) -> Result<Self, StopReason> {
        let (circuit, watch) = Self::small(ground, &mut |_, _| {})?;
        watch.enter(Phase::Ready);
        Ok(circuit)
    }

    /// Like [`new`](Self::new), but smaller: next values rely on invariants of reachable states.
    /// For other states the caller must use [`Circuit::exact_next`].
    pub(crate) fn for_play(ground: Ground) -> Result<Self, StopReason> {
        Self::shrunk(ground, Wanted::Groups, &mut |_, _| {})
    }

    /// Like [`for_play`](Self::for_play), with all invariants; `observe` sees the circuit as built
    /// and after each pass.
    pub(crate) fn observed(
        ground: Ground,
        observe: &mut dyn FnMut(&'static str, &Circuit),
    ) -> Result<Self, StopReason> {
        Self::shrunk(ground, Wanted::All, observe)
    }

    fn shrunk(
        ground: Ground,
        wanted: Wanted,
        observe: &mut dyn FnMut(&'static str, &Circuit),
    ) -> Result<Self, StopReason> {
        let mut built = 0;
        let (circuit, mut watch) = Self::small(ground, &mut |name, circuit| {
            if built == 0 {
                built = circuit.gates.inputs_count();
            }
            observe(name, circuit);
        })?;
        let circuit = passes::for_play(circuit, built, wanted, &mut watch)?;
        observe("derived", &circuit);
        watch.enter(Phase::Ready);
        Ok(circuit)
    }

    fn small(
        ground: Ground,
        observe: &mut dyn FnMut(&'static str, &Circuit),
    ) -> Result<(Self, Watch), StopReason> {
        let mut watch = ground.watch.clone();
        watch.enter(Phase::Gates);
        watch.look()?;
        let circuit = build::build(ground, &mut watch)?;
        watch.enter(Phase::Passes);
        observe("built", &circuit);
        let circuit = passes::run(circuit, &mut watch, observe)?;
        Ok((circuit, watch))
    }

    /// All output signals.
    pub(crate) fn outputs(&self) -> Vec<Signal> {
        let legal = self.moves.iter().flatten().map(|m| m.legal);
        let next = self.facts.iter().map(|f| f.next);
        let goals = self.goals.iter().map(|g| g.holds);
        std::iter::once(self.terminal).chain(legal).chain(next).chain(goals).collect()
    }

    /// Counts gates, inputs and loops.
    pub(crate) fn size(&self) -> CircuitSize {
        let schedule = Schedule::new(self);
        let mut size = CircuitSize {
            facts: self.facts.len(),
            moves: self.moves.iter().map(Vec::len).sum(),
            loops: self.loops.len(),
            ..CircuitSize::default()
        };
        for (at, cone) in [Cone::View, Cone::Next, Cone::Goals].into_iter().enumerate() {
            for &node in schedule.nodes(cone) {
                if matches!(self.gates.node(node), Node::And(..)) {
                    size.gates[at] += 1;
                    size.inputs += self.gates.inputs(node).len();
                }
            }
        }
        size
    }
}
