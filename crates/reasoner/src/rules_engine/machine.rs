//! The machine: runs plans over the current state.
//!
//! A call is looked up in the memo of its plan; if it has not been answered at this time, a frame is
//! pushed, its clauses run, and the step that made the call is done again. There is no recursion in the
//! machine itself: frames and registers lie on stacks of its own, and how high these grow is limited.
//!
//! Calls that lead to themselves are answered in rounds (linear tabling): a call that is open gives what
//! it has so far, and the call furthest down on the stack that others depended on runs its clauses again
//! until a round brings nothing new. Calls that depended on it are partial until then.

use std::sync::Arc;

use ludex_game::Failure;

use super::code::{Code, PlanId, Source, Span, Step, Through};
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
    /// Calls and values tried in one question.
    pub work: u64,
    /// Frames, that is calls within calls.
    pub frames: usize,
    /// How deep terms are nested.
    pub depth: u16,
}

/// A call that is being answered.
#[derive(Clone, Copy, Debug)]
struct Frame {
    plan: PlanId,
    call: u32,
    clause: u32,
    /// Where its registers start.
    base: usize,
    /// Where to go on.
    at: u32,
    /// The lowest frame with an open call that it used, or [`NONE`].
    depends: u32,
    /// Number of answers when its round began.
    added: u64,
    /// Where its partial calls start.
    partial: usize,
    /// Work when it began.
    began: u64,
}

/// What is known of a call.
enum Found {
    /// Its answers so far; whether there will be no more.
    Known { call: u32, finally: bool },
    /// This call must be run first.
    Unknown { plan: PlanId, call: u32 },
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
    limits: Limits,
    memos: Vec<Memo>,
    frames: Vec<Frame>,
    registers: Vec<u32>,
    key: Vec<u32>,
    /// Calls that depend on an open one below.
    partial: Vec<(PlanId, u32)>,
    round: u32,
    added: u64,
    /// Calls made and tuples looked at so far, and where to stop.
    work: u64,
    work_limit: u64,
    /// By level.
    times: [u32; 3],
    clock: u32,
    depths: Vec<u16>,
    arguments: Vec<TermId>,
}

/// Memos that have grown above this are cleared between states.
const MAX_MEMO: usize = 1 << 21;

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
        if self.memos.iter().map(Memo::size).sum::<usize>() > MAX_MEMO {
            self.forget();
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

    /// Starts to answer a call whose arguments are in `key`.
    fn push(&mut self, code: &Code, plan: PlanId, call: u32) -> Result<(), Failure> {
        let frame = u32::try_from(self.frames.len()).unwrap_or(NONE);
        if self.frames.len() >= self.limits.frames {
            return Err(Failure::Limit(format!("more than {} calls within each other", self.limits.frames)));
        }
        let info = &code.plans[plan as usize];
        self.memos[plan as usize].open(call, self.times[info.level as usize], frame);
        let base = self.registers.len();
        self.registers.extend_from_slice(&self.key);
        self.registers.resize(base + info.registers as usize, NONE);
        self.costs[plan as usize].calls += 1;
        self.frames.push(Frame {
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

    #[inline]
    fn value(&self, base: usize, source: Source) -> u32 {
        match source.get() {
            Ok(register) => self.registers[base + register],
            Err(term) => term,
        }
    }

    #[inline]
    fn gather(&mut self, code: &Code, base: usize, sources: Span) {
        self.key.clear();
        for &source in &code.sources[sources.range()] {
            let value = self.value(base, source);
            self.key.push(value);
        }
    }

    /// Looks a call up whose arguments are in `key`.
    #[inline]
    fn look_up(&mut self, code: &Code, plan: PlanId) -> Found {
        let info = &code.plans[plan as usize];
        let time = self.times[info.level as usize];
        if let Some(through) = &info.through {
            return self.look_up_through(code, plan, through, time);
        }
        let memo = &mut self.memos[plan as usize];
        let call = memo.call(&self.key);
        let entry = memo.entry(call);
        if entry.time != time {
            return Found::Unknown { plan, call };
        }
        let depends = match entry.status {
            Status::Complete => return Found::Known { call, finally: true },
            Status::Open => entry.mark,
            Status::Partial if entry.mark == self.round => entry.depends,
            Status::Partial => return Found::Unknown { plan, call },
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.depends = frame.depends.min(depends);
        }
        Found::Known { call, finally: false }
    }

    #[inline]
    fn look_up_through(&mut self, code: &Code, plan: PlanId, through: &Through, time: u32) -> Found {
        if self.memos[plan as usize].filled != time {
            let all = self.memos[through.plan as usize].call(&[]);
            let entry = self.memos[through.plan as usize].entry(all);
            if entry.time != time || entry.status != Status::Complete {
                self.key.clear();
                return Found::Unknown { plan: through.plan, call: all };
            }
            self.fill(code, plan, through, all, time);
        }
        let memo = &self.memos[plan as usize];
        let call = memo.find(&self.key);
        let known = memo.entry(call).time == time;
        Found::Known { call: if known { call } else { NONE }, finally: true }
    }

    /// Answers all calls of a plan at once, from the answers to the call that asks for everything.
    #[cold]
    fn fill(&mut self, code: &Code, plan: PlanId, through: &Through, all: u32, time: u32) {
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
                memo.entry_mut(call).status = Status::Complete;
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

    /// Runs until the lowest frame is done.
    fn run(&mut self, code: &Code) -> Result<(), Failure> {
        'frames: while let Some(&Frame { plan, clause, base, at, call, .. }) = self.frames.last() {
            let info = &code.plans[plan as usize];
            let Some(clause) = info.clauses.get(clause as usize) else {
                self.finish(code);
                continue;
            };
            let steps = clause.steps.as_slice();
            let mut at = at as usize;
            loop {
                self.work += 1;
                match steps[at] {
                    Step::Same { a, b, negated, fail } => {
                        let same = self.value(base, a) == self.value(base, b);
                        at = if same != negated { at + 1 } else { fail as usize };
                    }
                    Step::Open { from, symbol, arity, to, fail } => {
                        let term = TermId(self.value(base, from));
                        let arguments = self.terms.arguments(term);
                        if self.terms.symbol(term) == symbol && arguments.len() == arity as usize {
                            for (position, argument) in arguments.iter().enumerate() {
                                self.registers[base + to as usize + position] = argument.0;
                            }
                            at += 1;
                        } else {
                            at = fail as usize;
                        }
                    }
                    Step::Build { symbol, arguments, to } => {
                        self.arguments.clear();
                        for &source in &code.sources[arguments.range()] {
                            let value = self.value(base, source);
                            self.arguments.push(TermId(value));
                        }
                        let before = self.terms.len();
                        let term = self.terms.intern(symbol, &self.arguments);
                        if self.terms.len() > before {
                            self.check_growth()?;
                        }
                        self.registers[base + to as usize] = term.0;
                        at += 1;
                    }
                    Step::Jump { to } => at = to as usize,
                    Step::Fact { index, keys, negated, fail } => {
                        self.gather(code, base, keys);
                        let holds = self.facts.has(index, &self.key);
                        at = if holds != negated { at + 1 } else { fail as usize };
                    }
                    Step::SomeFact { index, keys, negated, fail } => {
                        self.gather(code, base, keys);
                        let holds = self.facts.first(index, &self.key) != NONE;
                        at = if holds != negated { at + 1 } else { fail as usize };
                    }
                    Step::Facts { index, keys, to, cursor, fail } => {
                        self.gather(code, base, keys);
                        let fact = self.facts.first(index, &self.key);
                        if fact == NONE {
                            at = fail as usize;
                        } else {
                            self.work += 1;
                            self.read_fact(index, fact, base, to, cursor);
                            at += 2;
                        }
                    }
                    Step::NextFact { index, to, cursor, fail } => {
                        let fact = self.registers[base + cursor as usize];
                        let fact = self.facts.after(index, fact);
                        if fact == NONE {
                            at = fail as usize;
                        } else {
                            self.work += 1;
                            self.check_work()?;
                            self.read_fact(index, fact, base, to, cursor);
                            at += 1;
                        }
                    }
                    Step::SomeStored { index, keys, negated, fail } => {
                        self.gather(code, base, keys);
                        let (from, to) = code.stored[index as usize].range(&self.key);
                        at = if (from < to) != negated { at + 1 } else { fail as usize };
                    }
                    Step::Stored { index, keys, to, width, cursor, fail } => {
                        self.gather(code, base, keys);
                        let (from, end) = code.stored[index as usize].range(&self.key);
                        if from < end {
                            self.work += 1;
                            self.registers[base + cursor as usize + 1] = end;
                            self.read_stored(code, index, from, base, to, width, cursor);
                            at += 2;
                        } else {
                            at = fail as usize;
                        }
                    }
                    Step::NextStored { index, to, width, cursor, fail } => {
                        let from = self.registers[base + cursor as usize];
                        if from < self.registers[base + cursor as usize + 1] {
                            self.work += 1;
                            self.check_work()?;
                            self.read_stored(code, index, from, base, to, width, cursor);
                            at += 1;
                        } else {
                            at = fail as usize;
                        }
                    }
                    Step::Move { role, to, fail } => {
                        let role = self.value(base, role);
                        match code.roles.iter().position(|r| r.0 == role) {
                            Some(role) => {
                                self.registers[base + to as usize] = self.moves[role];
                                at += 1;
                            }
                            None => at = fail as usize,
                        }
                    }
                    Step::Moves { cursor } => {
                        self.registers[base + cursor as usize] = 0;
                        at += 1;
                    }
                    Step::NextMove { role, to, cursor, fail } => {
                        let number = self.registers[base + cursor as usize] as usize;
                        match code.roles.get(number) {
                            Some(term) => {
                                self.registers[base + role as usize] = term.0;
                                self.registers[base + to as usize] = self.moves[number];
                                self.registers[base + cursor as usize] += 1;
                                at += 1;
                            }
                            None => at = fail as usize,
                        }
                    }
                    Step::Test { plan: called, arguments, negated, fail } => {
                        self.gather(code, base, arguments);
                        let (call, finally) = match self.look_up(code, called) {
                            Found::Known { call, finally } => (call, finally),
                            Found::Unknown { plan, call } => {
                                self.leave(at);
                                self.push(code, plan, call)?;
                                self.work += 4;
                                self.check_work()?;
                                continue 'frames;
                            }
                        };
                        self.costs[called as usize].uses += 1;
                        let holds = self.memos[called as usize].entry(call).holds;
                        if negated && !finally && !holds {
                            return Err(Failure::Limit(
                                "the rules negate a sentence that depends on itself".to_owned(),
                            ));
                        }
                        at = if holds != negated { at + 1 } else { fail as usize };
                    }
                    Step::Answers { plan: called, arguments, to, cursor, fail } => {
                        self.gather(code, base, arguments);
                        let call = match self.look_up(code, called) {
                            Found::Known { call, .. } => call,
                            Found::Unknown { plan, call } => {
                                self.leave(at);
                                self.push(code, plan, call)?;
                                self.work += 4;
                                self.check_work()?;
                                continue 'frames;
                            }
                        };
                        self.costs[called as usize].uses += 1;
                        let answer = self.memos[called as usize].entry(call).first;
                        if answer == NONE {
                            at = fail as usize;
                        } else {
                            self.work += 1;
                            self.read_answer(code, called, answer, base, to, cursor);
                            at += 2;
                        }
                    }
                    Step::NextAnswer { plan: called, to, cursor, fail } => {
                        let answer = self.registers[base + cursor as usize];
                        let answer = self.memos[called as usize].after(answer);
                        if answer == NONE {
                            at = fail as usize;
                        } else {
                            self.work += 1;
                            self.check_work()?;
                            self.read_answer(code, called, answer, base, to, cursor);
                            at += 1;
                        }
                    }
                    Step::Emit { values, then } => {
                        let memo = &mut self.memos[plan as usize];
                        if info.asked == 0 {
                            memo.entry_mut(call).holds = true;
                            self.costs[plan as usize].answers += 1;
                            self.added += u64::from(info.recursive);
                            self.finish(code);
                            continue 'frames;
                        }
                        self.key.clear();
                        if memo.skip() > 0 {
                            self.key.push(call);
                        }
                        for &source in &code.sources[values.range()] {
                            let value = match source.get() {
                                Ok(register) => self.registers[base + register],
                                Err(term) => term,
                            };
                            self.key.push(value);
                        }
                        if memo.answer(call, &self.key, self.times[info.level as usize]) {
                            self.added += u64::from(info.recursive);
                            self.costs[plan as usize].answers += 1;
                        }
                        at = then as usize;
                    }
                    Step::End => {
                        self.check_work()?;
                        if let Some(frame) = self.frames.last_mut() {
                            frame.clause += 1;
                            frame.at = 0;
                        }
                        continue 'frames;
                    }
                }
            }
        }
        Ok(())
    }

    /// Remembers where the current frame goes on.
    fn leave(&mut self, at: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = u32::try_from(at).unwrap_or(NONE);
        }
    }

    #[inline]
    fn check_work(&self) -> Result<(), Failure> {
        if self.work > self.work_limit { Err(self.too_much_work()) } else { Ok(()) }
    }

    #[cold]
    fn too_much_work(&self) -> Failure {
        Failure::Limit(format!("one question took more than {} steps", self.limits.work))
    }

    /// Called when the newest term is new.
    fn check_growth(&mut self) -> Result<(), Failure> {
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

    #[inline]
    fn read_fact(&mut self, index: u32, fact: u32, base: usize, to: u32, cursor: u32) {
        self.registers[base + cursor as usize] = fact;
        let outs = self.facts.outs(index, fact);
        let to = base + to as usize;
        self.registers[to..to + outs.len()].copy_from_slice(outs);
    }

    #[inline]
    #[allow(clippy::too_many_arguments, reason = "the parts of a step")]
    fn read_stored(
        &mut self,
        code: &Code,
        index: u32,
        row: u32,
        base: usize,
        to: u32,
        width: u32,
        cursor: u32,
    ) {
        self.registers[base + cursor as usize] = row + 1;
        let width = width as usize;
        let start = row as usize * width;
        let to = base + to as usize;
        let outs = &code.stored[index as usize].outs[start..start + width];
        self.registers[to..to + width].copy_from_slice(outs);
    }

    #[inline]
    fn read_answer(&mut self, code: &Code, plan: PlanId, answer: u32, base: usize, to: u32, cursor: u32) {
        self.registers[base + cursor as usize] = answer;
        let memo = &self.memos[plan as usize];
        for position in 0..code.plans[plan as usize].asked {
            self.registers[base + to as usize + position] = memo.value(answer, position);
        }
    }

    /// The clauses of the last frame have run, or it is known to be true.
    fn finish(&mut self, code: &Code) {
        let number = u32::try_from(self.frames.len()).unwrap_or(NONE).wrapping_sub(1);
        let Some(&frame) = self.frames.last() else { return };
        let plan = &code.plans[frame.plan as usize];
        let entry = self.memos[frame.plan as usize].entry_mut(frame.call);
        let sure = plan.asked == 0 && entry.holds;
        entry.status = Status::Complete;
        if plan.recursive {
            let depends = frame.depends;
            if sure {
                // Calls that used this one while it was open must run again when they are needed.
                for (plan, call) in self.partial.drain(frame.partial..) {
                    self.memos[plan as usize].entry_mut(call).mark = NONE;
                }
            } else if depends < number {
                entry.status = Status::Partial;
                entry.mark = self.round;
                entry.depends = depends;
                self.partial.push((frame.plan, frame.call));
                if let Some(below) = self.frames.len().checked_sub(2) {
                    let below = &mut self.frames[below];
                    below.depends = below.depends.min(depends);
                }
            } else if depends == number && self.added != frame.added {
                entry.status = Status::Open;
                if let Some(frame) = self.frames.last_mut() {
                    *frame = Frame { added: self.added, depends: NONE, clause: 0, at: 0, ..*frame };
                }
                self.round += 1;
                self.partial.truncate(frame.partial);
                return;
            } else {
                for (plan, call) in self.partial.drain(frame.partial..) {
                    self.memos[plan as usize].entry_mut(call).status = Status::Complete;
                }
            }
        }
        self.costs[frame.plan as usize].work += self.work - frame.began;
        let base = self.frames.pop().map_or(0, |frame| frame.base);
        self.registers.truncate(base);
    }
}
