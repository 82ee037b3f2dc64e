//! Tabling: calls are answered once, those that lead to themselves in rounds.
//!
//! A call that is looked up while it is being answered gives what it has so far, and the frame that
//! used it depends on the frame that answers it. When a frame is done that depends on one below,
//! its call is partial: to be looked into again in the next round. A frame that others depended on,
//! and that depends on none below, runs its clauses again until a round brings nothing new; then
//! all is complete (linear tabling, Shen et al. 2001).

use ludex_game::Failure;

use super::code::{PlanCode, PlanId, Through};
use super::interpreter::InterpreterLimits;
use super::keys::NONE;
use super::memo::{CallStatus, Memo};

/// Result of looking a call up in the memo.
pub(super) enum CallLookup {
    /// Its answers so far; whether there will be no more.
    Known { call: u32, finally: bool },
    /// This call must be run first; its arguments are those that were looked up, if it has any.
    Unknown { plan: PlanId, call: u32 },
}

/// A call that is being answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallFrame {
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

/// All calls and their answers, and the calls that are being answered.
#[derive(Debug)]
pub(super) struct Tables {
    /// By plan.
    pub memos: Vec<Memo>,
    /// Calls within calls.
    pub frames: Vec<CallFrame>,
    /// By plan: what it cost.
    pub costs: Vec<Cost>,
    /// By level: the time of what counts now.
    pub times: [u32; 3],
    /// Steps so far, and where to stop.
    pub work: u64,
    /// See `work`.
    pub work_limit: u64,
    /// Calls and answers kept since the state was set.
    pub kept: u64,
    /// Answers of plans that can lead to themselves.
    pub added: u64,
    limits: InterpreterLimits,
    /// Calls that depend on an open one below.
    partial: Vec<(PlanId, u32)>,
    round: u32,
}

impl Tables {
    /// Nothing called yet.
    pub(super) fn new(code: &PlanCode, limits: InterpreterLimits) -> Self {
        Self {
            memos: code.plans.iter().map(Memo::new).collect(),
            frames: Vec::new(),
            costs: vec![Cost::default(); code.plans.len()],
            times: [1, 1, 1],
            work: 0,
            work_limit: 0,
            kept: 0,
            added: 0,
            limits,
            partial: Vec::new(),
            round: 0,
        }
    }

    /// Before a question is asked.
    pub(super) fn start(&mut self) {
        self.frames.clear();
        self.partial.clear();
        self.work_limit = self.work.saturating_add(self.limits.work);
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.memos.iter_mut().for_each(Memo::clear);
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

    /// Whether the steps so far, and these, are within the limit.
    #[inline]
    pub(super) fn check_work(&self, more: u64) -> Result<(), Failure> {
        if self.work + more > self.work_limit { Err(self.too_much_work()) } else { Ok(()) }
    }

    #[cold]
    fn too_much_work(&self) -> Failure {
        Failure::Limit(format!("one question took more than {} steps", self.limits.work))
    }

    /// Starts to answer a call.
    pub(super) fn push(
        &mut self,
        code: &PlanCode,
        plan: PlanId,
        call: u32,
        arguments: &[u32],
        registers: &mut Vec<u32>,
    ) -> Result<(), Failure> {
        let frame = u32::try_from(self.frames.len()).unwrap_or(NONE);
        if self.frames.len() >= self.limits.frames {
            return Err(Failure::Limit(format!("more than {} calls within each other", self.limits.frames)));
        }
        self.keep()?;
        let info = &code.plans[plan as usize];
        self.memos[plan as usize].open(call, self.times[info.level as usize], frame);
        let base = registers.len();
        registers.extend_from_slice(&arguments[..info.given]);
        registers.resize(base + info.registers as usize, NONE);
        self.costs[plan as usize].calls += 1;
        self.frames.push(CallFrame {
            plan,
            call,
            clause: 0,
            base,
            at: 0,
            depends: NONE,
            added: self.added,
            partial: self.partial.len(),
            began: self.work,
        });
        Ok(())
    }

    /// Looks a call up.
    #[inline]
    pub(super) fn look_up(&mut self, code: &PlanCode, plan: PlanId, arguments: &[u32]) -> CallLookup {
        let info = &code.plans[plan as usize];
        let time = self.times[info.level as usize];
        if let Some(through) = &info.through {
            return self.look_up_through(code, plan, through, time, arguments);
        }
        let memo = &mut self.memos[plan as usize];
        let call = memo.call(arguments);
        let entry = memo.entry(call);
        if entry.time != time {
            return CallLookup::Unknown { plan, call };
        }
        let depends = match entry.status {
            CallStatus::Complete => return CallLookup::Known { call, finally: true },
            CallStatus::Open => entry.mark,
            CallStatus::Partial if entry.mark == self.round => entry.depends,
            CallStatus::Partial => return CallLookup::Unknown { plan, call },
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.depends = frame.depends.min(depends);
        }
        CallLookup::Known { call, finally: false }
    }

    #[inline]
    fn look_up_through(
        &mut self,
        code: &PlanCode,
        plan: PlanId,
        through: &Through,
        time: u32,
        arguments: &[u32],
    ) -> CallLookup {
        if self.memos[plan as usize].filled != time {
            let all = self.memos[through.plan as usize].call(&[]);
            let entry = self.memos[through.plan as usize].entry(all);
            if entry.time != time || entry.status != CallStatus::Complete {
                return CallLookup::Unknown { plan: through.plan, call: all };
            }
            self.fill(code, plan, through, all, time);
        }
        let memo = &self.memos[plan as usize];
        let call = memo.find(arguments);
        let known = memo.entry(call).time == time;
        CallLookup::Known { call: if known { call } else { NONE }, finally: true }
    }

    /// Answers all calls of a plan at once, from the answers to the call that asks for everything.
    #[cold]
    fn fill(&mut self, code: &PlanCode, plan: PlanId, through: &Through, all: u32, time: u32) {
        let asked = code.plans[plan as usize].asked;
        let mut key = Vec::with_capacity(through.given.len().max(asked + 1));
        let [memo, table] = match self.memos.get_disjoint_mut([plan as usize, through.plan as usize]) {
            Ok(both) => both,
            Err(_) => return,
        };
        memo.filled = time;
        let mut answer = table.entry(all).first;
        while answer != NONE {
            self.work += 1;
            key.clear();
            key.extend(through.given.iter().map(|&column| table.value(answer, column)));
            let call = memo.call(&key);
            if memo.entry(call).time != time {
                memo.open(call, time, 0);
                memo.entry_mut(call).status = CallStatus::Complete;
                memo.entry_mut(call).holds = true;
            }
            if asked > 0 {
                key.clear();
                if memo.skip() > 0 {
                    key.push(call);
                }
                key.extend(through.asked.iter().map(|&column| table.value(answer, column)));
                memo.answer(call, &key, time);
            }
            answer = table.after(answer);
        }
    }

    /// The clauses of the last frame have run, or it is known to be true.
    pub(super) fn finish(&mut self, code: &PlanCode, registers: &mut Vec<u32>) {
        let number = u32::try_from(self.frames.len()).unwrap_or(NONE).wrapping_sub(1);
        let Some(&frame) = self.frames.last() else { return };
        let plan = &code.plans[frame.plan as usize];
        let entry = self.memos[frame.plan as usize].entry_mut(frame.call);
        let sure = plan.asked == 0 && entry.holds;
        entry.status = CallStatus::Complete;
        if plan.recursive {
            let depends = frame.depends;
            if sure {
                // Calls that used this one while it was open must run again when they are needed.
                for (plan, call) in self.partial.drain(frame.partial..) {
                    self.memos[plan as usize].entry_mut(call).mark = NONE;
                }
            } else if depends < number {
                entry.status = CallStatus::Partial;
                entry.mark = self.round;
                entry.depends = depends;
                self.partial.push((frame.plan, frame.call));
                if let Some(below) = self.frames.len().checked_sub(2) {
                    let below = &mut self.frames[below];
                    below.depends = below.depends.min(depends);
                }
            } else if depends == number && self.added != frame.added {
                entry.status = CallStatus::Open;
                if let Some(frame) = self.frames.last_mut() {
                    *frame = CallFrame { added: self.added, depends: NONE, clause: 0, at: 0, ..*frame };
                }
                self.round += 1;
                self.partial.truncate(frame.partial);
                return;
            } else {
                for (plan, call) in self.partial.drain(frame.partial..) {
                    self.memos[plan as usize].entry_mut(call).status = CallStatus::Complete;
                }
            }
        }
        self.costs[frame.plan as usize].work += self.work - frame.began;
        let base = self.frames.pop().map_or(0, |frame| frame.base);
        registers.truncate(base);
    }
}
