//! The machine: runs plans over the current state.
//!
//! A call is looked up in the memo of its plan; if it has not been answered at this time, a frame
//! is pushed, its clauses run, and the step that made the call is done again. There is no recursion
//! in the machine itself: frames and registers lie on stacks of its own, and how high these grow is
//! limited.

use std::sync::Arc;

use ludex_game::Failure;

use super::code::{PlanCode, PlanId};
use super::facts::Facts;
use super::keys::NONE;
use super::memo::CallStatus;
use super::program::Level;
use super::tabling::Tables;
use crate::term::{TermId, Terms};

/// Limits of an interpreter.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterpreterLimits {
    /// Terms in all.
    pub terms: usize,
    /// Calls and answers kept for one state.
    pub atoms: u64,
    /// Steps to answer one question.
    pub work: u64,
    /// Frames, that is calls within calls.
    pub frames: usize,
    /// How deep terms are nested.
    pub depth: u16,
}

/// The interpreter of call plans, with its memory.
#[derive(Debug)]
pub(super) struct PlanInterpreter {
    /// The code it runs.
    pub code: Arc<PlanCode>,
    /// All terms it has met.
    pub terms: Terms,
    /// The current state.
    pub facts: Facts,
    /// The current moves, by role; empty while none are made: then nobody `does` anything.
    pub moves: Vec<u32>,
    /// Calls and answers.
    pub tables: Tables,
    /// What new terms are checked for.
    pub growth: Growth,
    /// Values of the frames' variables, frame after frame.
    pub registers: Vec<u32>,
    /// Room for the widest tuple.
    pub key: Vec<u32>,
    /// Room for the arguments of a new term.
    pub arguments: Vec<TermId>,
    clock: u32,
    /// Calls and answers since it was last looked whether memos have grown too large.
    unchecked: u64,
}

/// What new terms are checked for.
#[derive(Debug)]
pub(super) struct Growth {
    limits: InterpreterLimits,
    /// By term: how deep it is nested.
    depths: Vec<u16>,
}

/// Memos that have grown above this are cleared between states.
const MAX_MEMO: u64 = 1 << 21;

impl PlanInterpreter {
    /// A machine that has met these terms.
    pub(super) fn new(code: Arc<PlanCode>, terms: Terms, limits: InterpreterLimits) -> Self {
        Self {
            facts: Facts::new(&code),
            moves: Vec::new(),
            tables: Tables::new(&code, limits),
            growth: Growth { limits, depths: Vec::new() },
            key: vec![NONE; code.widest + 1],
            terms,
            code,
            registers: Vec::new(),
            arguments: Vec::new(),
            clock: 1,
            unchecked: 0,
        }
    }

    /// Steps so far.
    pub(super) fn work(&self) -> u64 {
        self.tables.work
    }

    /// The current state has these facts; no moves are made in it yet.
    pub(super) fn set_state(&mut self, facts: impl IntoIterator<Item = TermId>) {
        self.set_moves([]);
        self.tables.times[Level::State as usize] = self.clock;
        self.facts.start(self.clock);
        let code = Arc::clone(&self.code);
        for term in facts {
            let fact = self.facts.number(&code, &self.terms, term);
            self.facts.add(fact);
        }
    }

    /// The current moves are these, one for each role or none at all.
    pub(super) fn set_moves(&mut self, moves: impl IntoIterator<Item = TermId>) {
        self.tick();
        self.tables.times[Level::Moves as usize] = self.clock;
        self.moves.clear();
        self.moves.extend(moves.into_iter().map(|term| term.0));
    }

    /// No moves are made. Only sheets with errors ask for moves outside `next`.
    pub(super) fn clear_moves(&mut self) {
        if !self.moves.is_empty() {
            self.set_moves([]);
        }
    }

    fn tick(&mut self) {
        if self.clock == u32::MAX - 1 {
            // Once in four thousand million states: forget all stamps.
            self.tables.forget();
            self.facts = Facts::new(&self.code);
            self.clock = 1;
        }
        self.clock += 1;
        self.unchecked += self.tables.kept;
        self.tables.kept = 0;
        if self.unchecked > MAX_MEMO / 4 {
            self.unchecked = 0;
            if self.tables.memos.iter().map(|memo| memo.size() as u64).sum::<u64>() > MAX_MEMO {
                self.tables.forget();
            }
        }
    }

    /// Whether a question of yes or no is true.
    pub(super) fn holds(&mut self, plan: PlanId, arguments: &[TermId]) -> Result<bool, Failure> {
        let call = self.call(plan, arguments)?;
        Ok(self.tables.memos[plan as usize].entry(call).holds)
    }

    /// All answers to a call, one value after the other.
    pub(super) fn answers(
        &mut self,
        plan: PlanId,
        arguments: &[TermId],
        into: &mut Vec<TermId>,
    ) -> Result<(), Failure> {
        let call = self.call(plan, arguments)?;
        let asked = self.code.plans[plan as usize].asked;
        let memo = &self.tables.memos[plan as usize];
        let mut answer = memo.entry(call).first;
        while answer != NONE {
            into.extend((0..asked).map(|position| TermId(memo.value(answer, position))));
            answer = memo.after(answer);
        }
        Ok(())
    }

    fn call(&mut self, plan: PlanId, arguments: &[TermId]) -> Result<u32, Failure> {
        let code = Arc::clone(&self.code);
        let arguments: Vec<u32> = arguments.iter().map(|term| term.0).collect();
        let memo = &mut self.tables.memos[plan as usize];
        let call = memo.call(&arguments);
        let entry = memo.entry(call);
        let time = self.tables.times[code.plans[plan as usize].level as usize];
        if entry.time == time && entry.status == CallStatus::Complete {
            return Ok(call);
        }
        self.tables.start();
        self.registers.clear();
        self.tables.push(&code, plan, call, &arguments, &mut self.registers)?;
        if let Err(failure) = self.run(&code) {
            // Calls are left open: none of them must be found again.
            self.tables.forget();
            return Err(failure);
        }
        Ok(call)
    }
}

impl Growth {
    /// Called when the newest term is new.
    pub(super) fn check(&mut self, terms: &Terms) -> Result<(), Failure> {
        if terms.len() > self.limits.terms {
            return Err(Failure::Limit(format!("more than {} different terms", self.limits.terms)));
        }
        for number in self.depths.len()..terms.len() {
            let term = TermId(u32::try_from(number).unwrap_or(NONE));
            let inside = terms.arguments(term).iter().map(|a| self.depths[a.index()] + 1);
            let depth = inside.max().unwrap_or(0);
            self.depths.push(depth);
            if depth > self.limits.depth {
                return Err(Failure::Limit(format!("terms nested more than {} deep", self.limits.depth)));
            }
        }
        Ok(())
    }
}
