//! Code: what the machine runs.
//!
//! A plan answers one kind of call: a relation with some arguments known, some asked for and some
//! that do not matter. It has the code of each clause, a list of steps. Steps that test go on or
//! jump to where they fail; steps that find values come in pairs, the first finds the first values,
//! the second, where later steps fail to, the next ones.

use std::sync::Arc;

use ludex_gdl::Symbol;

use super::program::{Level, RelationId};
use super::shape::{Shape, StoredIndex};
use crate::term::TermId;

/// Number of a plan in its [`PlanCode`].
pub(super) type PlanId = u32;

/// Mode of an argument in a call (its adornment).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Bound to a value.
    Given,
    /// Free: the call asks for its value.
    Asked,
    /// It does not matter.
    Ignored,
}

/// A value: in a register of the frame, or a term that is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueSource(u32);

impl ValueSource {
    const FIXED: u32 = 1 << 31;

    /// The value of a register.
    pub(super) fn register(register: u32) -> Self {
        Self(register)
    }

    /// This term.
    pub(super) fn term(term: TermId) -> Self {
        Self(term.0 | Self::FIXED)
    }

    /// The register, or the term.
    #[inline]
    pub(super) fn get(self) -> Result<usize, u32> {
        if self.0 & Self::FIXED == 0 { Ok(self.0 as usize) } else { Err(self.0 & !Self::FIXED) }
    }
}

/// Part of a pool.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    /// Where it starts.
    pub start: u32,
    /// How many.
    pub count: u32,
}

impl Span {
    /// As a range.
    #[inline]
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// A place in the code of a clause.
pub(super) type Target = u32;

/// What the machine does next. `fail` is where it goes on when a test fails or nothing is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlanStep {
    /// The values are the same (or differ).
    Same { a: ValueSource, b: ValueSource, negated: bool, fail: Target },
    /// The value is a compound with this name; its arguments go to registers from `to` on.
    Open { from: ValueSource, symbol: Symbol, arity: u32, to: u32, fail: Target },
    /// Makes a compound.
    Build { symbol: Symbol, arguments: Span, to: u32 },
    /// Goes on elsewhere.
    Jump { to: Target },
    /// The one fact that the keys make out is there (or not).
    Fact { index: u32, keys: Span, negated: bool, fail: Target },
    /// Some fact with the keys is there (or none).
    SomeFact { index: u32, keys: Span, negated: bool, fail: Target },
    /// Facts with the keys; read values go to registers from `to` on.
    Facts { index: u32, keys: Span, to: u32, cursor: u32, fail: Target },
    /// The next of them.
    NextFact { index: u32, to: u32, cursor: u32, fail: Target },
    /// Some stored tuple with the keys is there (or none).
    SomeStored { index: u32, keys: Span, negated: bool, fail: Target },
    /// Stored tuples with the keys; `cursor` and the register behind it are in use.
    Stored { index: u32, keys: Span, to: u32, width: u32, cursor: u32, fail: Target },
    /// The next of them.
    NextStored { index: u32, to: u32, width: u32, cursor: u32, fail: Target },
    /// The move of a role.
    Move { role: ValueSource, to: u32, fail: Target },
    /// Roles and their moves.
    Moves { cursor: u32 },
    /// The next of them.
    NextMove { role: u32, to: u32, cursor: u32, fail: Target },
    /// A call that is true (or false).
    Test { plan: PlanId, arguments: Span, negated: bool, fail: Target },
    /// The answers to a call.
    Answers { plan: PlanId, arguments: Span, to: u32, cursor: u32, fail: Target },
    /// The next of them.
    NextAnswer { plan: PlanId, to: u32, cursor: u32, fail: Target },
    /// An answer; goes on at `then`, where other answers can come from.
    Emit { values: Span, then: Target },
    /// Nothing more.
    End,
}

impl PlanStep {
    /// Where the step goes, if not just on.
    pub(super) fn target(&mut self) -> Option<&mut Target> {
        match self {
            PlanStep::Same { fail, .. }
            | PlanStep::Open { fail, .. }
            | PlanStep::Fact { fail, .. }
            | PlanStep::SomeFact { fail, .. }
            | PlanStep::Facts { fail, .. }
            | PlanStep::NextFact { fail, .. }
            | PlanStep::SomeStored { fail, .. }
            | PlanStep::Stored { fail, .. }
            | PlanStep::NextStored { fail, .. }
            | PlanStep::Move { fail, .. }
            | PlanStep::NextMove { fail, .. }
            | PlanStep::Test { fail, .. }
            | PlanStep::Answers { fail, .. }
            | PlanStep::NextAnswer { fail, .. } => Some(fail),
            PlanStep::Jump { to } => Some(to),
            PlanStep::Emit { then, .. } => Some(then),
            PlanStep::Build { .. } | PlanStep::Moves { .. } | PlanStep::End => None,
        }
    }
}

/// The code of a clause.
#[derive(Clone, Debug, Default)]
pub(super) struct ClauseCode {
    /// What to do; the last is `End`.
    pub steps: Vec<PlanStep>,
}

/// Calls are looked up among the answers to one call that asks for everything.
#[derive(Clone, Debug)]
pub(super) struct Through {
    /// The plan of that call.
    pub plan: PlanId,
    /// Which of its values are the known arguments.
    pub given: Vec<usize>,
    /// Which of its values are asked for.
    pub asked: Vec<usize>,
}

/// How one kind of call is answered.
#[derive(Clone, Debug)]
pub(super) struct CallPlan {
    /// Of which relation.
    pub relation: RelationId,
    /// By argument.
    pub modes: Vec<Mode>,
    /// What answers depend on.
    pub level: Level,
    /// Can lead to a call of itself.
    pub recursive: bool,
    /// Number of known arguments.
    pub given: usize,
    /// Number of arguments that are asked for; none for a question of yes or no.
    pub asked: usize,
    /// Registers that a frame needs.
    pub registers: u32,
    /// Another plan that answers all calls of this one together.
    pub through: Option<Through>,
    /// By clause.
    pub clauses: Vec<ClauseCode>,
}

/// All plans of a game.
#[derive(Debug, Default)]
pub(super) struct PlanCode {
    /// By number.
    pub plans: Vec<CallPlan>,
    /// Arguments, keys and values of steps.
    pub sources: Vec<ValueSource>,
    /// Shapes of facts that indexes are kept for, by number.
    pub fact_shapes: Vec<Shape>,
    /// Indexes of stored relations, by number.
    pub stored: Vec<Arc<StoredIndex>>,
    /// The roles.
    pub roles: Vec<TermId>,
    /// The widest tuple that a step looks up or gives.
    pub widest: usize,
}
