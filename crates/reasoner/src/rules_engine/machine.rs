//! The machine: runs plans over the current state.
//!
//! A call is looked up in the memo of its plan; if it has not been answered at this time, a frame is
//! pushed, its clauses run, and the step that made the call is done again. There is no recursion in the
//! machine itself: frames and registers lie on stacks of its own, and how high these grow is limited.

use std::sync::Arc;

use ludex_game::Failure;

use super::code::{Code, PlanId};
use super::facts::Facts;
use super::keys::NONE;
use super::memo::{Memo, Status};
use super::program::Level;
use crate::term::{TermId, Terms};

/// What a machine may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Terms in all.
    pub terms: usize,
    /// Calls and answers kept for one state.
    pub atoms: u64,
    /// Calls and values tried in one question.
    pub work: u64,
    /// Frames, that is calls within calls.
    pub frames: usize,
    /// How deep terms are nested.
    pub depth: u16,
}

/// A call that is being answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Its plan.
    pub plan: PlanId,
    /// Its number.
    pub call: u32,
    /// The clause that runs.
    pub clause: u32,
    /// Where its registers start.
    pub base: usize,
    /// Where to go on.
    pub at: u32,
    /// The lowest frame with an open call that it used, or [`NONE`].
    pub depends: u32,
    /// Number of answers when its round began.
    pub added: u64,
    /// Where its partial calls start.
    pub partial: usize,
    /// Work when it began.
    pub began: u64,
}

/// What a plan cost so far, for better plans.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Calls that were answered.
    pub calls: u64,
    /// Answers, or calls that were true.
    pub answers: u64,
    /// Work, that of calls within included.
    pub work: u64,
    /// Times a call was made, answered before or not.
    pub uses: u64,
}

/// A machine with its memory.
#[derive(Debug)]
pub(super) struct Machine {
    /// The code it runs.
    pub code: Arc<Code>,
    /// All terms it has met.
    pub terms: Terms,
    /// The current state.
    pub facts: Facts,
    /// The current moves, by role.
    pub moves: Vec<u32>,
    /// By plan: what it cost.
    pub costs: Vec<Cost>,
    pub(super) limits: Limits,
    pub(super) memos: Vec<Memo>,
    pub(super) frames: Vec<Frame>,
    pub(super) registers: Vec<u32>,
    pub(super) key: Vec<u32>,
    /// Calls that depend on an open one below.
    pub(super) partial: Vec<(PlanId, u32)>,
    pub(super) round: u32,
    pub(super) added: u64,
    /// Calls made and tuples looked at so far, and where to stop.
    pub(super) work: u64,
    work_limit: u64,
    /// Calls and answers kept since the state was set.
    pub(super) kept: u64,
    /// The same, since it was last looked whether memos have grown too large.
    unchecked: u64,
    /// By level.
    pub(super) times: [u32; 3],
    clock: u32,
    depths: Vec<u16>,
    pub(super) arguments: Vec<TermId>,
}

/// Memos that have grown above this are cleared between states.
const MAX_MEMO: u64 = 1 << 21;

impl Machine {
    /// A machine that has met these terms.
    pub(super) fn new(code: Arc<Code>, terms: Terms, limits: Limits) -> Self {
        Self {
            facts: Facts::new(&code),
            memos: code.plans.iter().map(Memo::new).collect(),
            costs: vec![Cost::default(); code.plans.len()],
            moves: vec![NONE; code.roles.len()],
            terms,
            limits,
            code,
            frames: Vec::new(),
            registers: Vec::new(),
            key: Vec::new(),
            partial: Vec::new(),
            round: 0,
            added: 0,
            work: 0,
            work_limit: 0,
            kept: 0,
            unchecked: 0,
            times: [1, 1, 1],
            clock: 1,
            depths: Vec::new(),
            arguments: Vec::new(),
        }
    }

    /// Calls made and tuples looked at so far.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// The current state has these facts.
    pub(super) fn set_state(&mut self, facts: impl IntoIterator<Item = TermId>) {
        self.tick();
        self.times[Level::State as usize] = self.clock;
        self.facts.start(self.clock);
        let code = Arc::clone(&self.code);
        for term in facts {
            let fact = self.facts.number(&code, &self.terms, term);
            self.facts.add(fact);
        }
    }

    /// The current moves are these, one for each role.
    pub(super) fn set_moves(&mut self, moves: impl IntoIterator<Item = TermId>) {
        self.tick();
        self.times[Level::Moves as usize] = self.clock;
        self.moves.clear();
        self.moves.extend(moves.into_iter().map(|term| term.0));
    }

    fn tick(&mut self) {
        if self.clock == u32::MAX - 1 {
            // Once in four thousand million states: forget all stamps.
            self.forget();
            self.facts = Facts::new(&self.code);
            self.clock = 1;
        }
        self.clock += 1;
        self.unchecked += self.kept;
        self.kept = 0;
        if self.unchecked > MAX_MEMO / 4 {
            self.unchecked = 0;
            if self.memos.iter().map(|memo| memo.size() as u64).sum::<u64>() > MAX_MEMO {
                self.forget();
            }
        }
    }

    fn forget(&mut self) {
        self.memos.iter_mut().for_each(Memo::clear);
    }

    /// Whether a question of yes or no is true.
    pub(super) fn holds(&mut self, plan: PlanId, arguments: &[TermId]) -> Result<bool, Failure> {
        let call = self.call(plan, arguments)?;
        Ok(self.memos[plan as usize].entry(call).holds)
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
        let memo = &self.memos[plan as usize];
        let mut answer = memo.entry(call).first;
        while answer != NONE {
            into.extend((0..asked).map(|position| TermId(memo.value(answer, position))));
            answer = memo.after(answer);
        }
        Ok(())
    }

    fn call(&mut self, plan: PlanId, arguments: &[TermId]) -> Result<u32, Failure> {
        let code = Arc::clone(&self.code);
        self.key.clear();
        self.key.extend(arguments.iter().map(|term| term.0));
        let memo = &mut self.memos[plan as usize];
        let call = memo.call(&self.key);
        let entry = memo.entry(call);
        let time = self.times[code.plans[plan as usize].level as usize];
        if entry.time == time && entry.status == Status::Complete {
            return Ok(call);
        }
        self.frames.clear();
        self.registers.clear();
        self.partial.clear();
        self.work_limit = self.work.saturating_add(self.limits.work);
        self.push(&code, plan, call)?;
        if let Err(failure) = self.run(&code) {
            // Calls are left open: none of them must be found again.
            self.forget();
            return Err(failure);
        }
        Ok(call)
    }

    /// Counts a call or an answer.
    #[inline]
    pub(super) fn keep(&mut self) -> Result<(), Failure> {
        self.kept += 1;
        if self.kept > self.limits.atoms { Err(self.too_many_atoms()) } else { Ok(()) }
    }

    #[cold]
    fn too_many_atoms(&self) -> Failure {
        Failure::Limit(format!("more than {} sentences for one state", self.limits.atoms))
    }

    #[inline]
    pub(super) fn check_work(&self) -> Result<(), Failure> {
        if self.work > self.work_limit { Err(self.too_much_work()) } else { Ok(()) }
    }

    #[cold]
    fn too_much_work(&self) -> Failure {
        Failure::Limit(format!("one question took more than {} steps", self.limits.work))
    }

    /// Called when the newest term is new.
    pub(super) fn check_growth(&mut self) -> Result<(), Failure> {
        if self.terms.len() > self.limits.terms {
            return Err(Failure::Limit(format!("more than {} different terms", self.limits.terms)));
        }
        for number in self.depths.len()..self.terms.len() {
            let term = TermId(u32::try_from(number).unwrap_or(NONE));
            let inside = self.terms.arguments(term).iter().map(|a| self.depths[a.index()] + 1);
            let depth = inside.max().unwrap_or(0);
            self.depths.push(depth);
            if depth > self.limits.depth {
                return Err(Failure::Limit(format!("terms nested more than {} deep", self.limits.depth)));
            }
        }
        Ok(())
    }
}
