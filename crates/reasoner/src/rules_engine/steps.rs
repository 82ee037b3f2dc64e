//! Steps: what each of them does.

use ludex_game::Failure;

use super::code::{Code, PlanId, Source, Span, Step};
use super::keys::NONE;
use super::machine::{Frame, Machine};
use super::tabling::Found;
use crate::term::TermId;

impl Machine {
    /// Runs until the lowest frame is done.
    pub(super) fn run(&mut self, code: &Code) -> Result<(), Failure> {
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
                            self.keep()?;
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
}
