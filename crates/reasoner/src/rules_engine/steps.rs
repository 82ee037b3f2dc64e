//! Steps: what each of them does.

use ludex_game::Failure;

use super::code::{PlanCode, PlanStep, ValueSource};
use super::interpreter::PlanInterpreter;
use super::keys::NONE;
use super::tabling::{CallFrame, CallLookup, Tables};
use crate::term::TermId;

impl PlanInterpreter {
    /// Runs until the lowest frame is done.
    pub(super) fn run(&mut self, code: &PlanCode) -> Result<(), Failure> {
        let PlanInterpreter { terms, facts, moves, tables, growth, registers, key, arguments: room, .. } =
            self;
        'frames: while let Some(&CallFrame { plan, clause, base, at, call, .. }) = tables.frames.last() {
            let info = &code.plans[plan as usize];
            let Some(clause) = info.clauses.get(clause as usize) else {
                tables.finish(code, registers);
                continue;
            };
            let window = &mut registers[base..base + info.registers as usize];
            let steps = clause.steps.as_slice();
            let mut at = at as usize;
            let mut work = 0;
            loop {
                work += 1;
                match steps[at] {
                    PlanStep::Same { a, b, negated, fail } => {
                        let same = value(window, a) == value(window, b);
                        at = if same != negated { at + 1 } else { fail as usize };
                    }
                    PlanStep::Open { from, symbol, arity, to, fail } => {
                        let term = TermId(value(window, from));
                        let arguments = terms.arguments(term);
                        if terms.symbol(term) == symbol && arguments.len() == arity as usize {
                            for (position, argument) in arguments.iter().enumerate() {
                                window[to as usize + position] = argument.0;
                            }
                            at += 1;
                        } else {
                            at = fail as usize;
                        }
                    }
                    PlanStep::Build { symbol, arguments, to } => {
                        room.clear();
                        for &source in &code.sources[arguments.range()] {
                            let value = value(window, source);
                            room.push(TermId(value));
                        }
                        let before = terms.len();
                        let term = terms.intern(symbol, room);
                        if terms.len() > before {
                            growth.check(terms)?;
                        }
                        window[to as usize] = term.0;
                        at += 1;
                    }
                    PlanStep::Jump { to } => at = to as usize,
                    PlanStep::Fact { index, keys, negated, fail } => {
                        let key = gather(key, window, &code.sources[keys.range()]);
                        let holds = facts.has(index, key);
                        at = if holds != negated { at + 1 } else { fail as usize };
                    }
                    PlanStep::SomeFact { index, keys, negated, fail } => {
                        let key = gather(key, window, &code.sources[keys.range()]);
                        let holds = facts.first(index, key) != NONE;
                        at = if holds != negated { at + 1 } else { fail as usize };
                    }
                    PlanStep::Facts { index, keys, to, cursor, fail } => {
                        let key = gather(key, window, &code.sources[keys.range()]);
                        let fact = facts.first(index, key);
                        if fact == NONE {
                            at = fail as usize;
                        } else {
                            work += 1;
                            window[cursor as usize] = fact;
                            copy(window, to, facts.outs(index, fact));
                            at += 2;
                        }
                    }
                    PlanStep::NextFact { index, to, cursor, fail } => {
                        let fact = window[cursor as usize];
                        let fact = facts.after(index, fact);
                        if fact == NONE {
                            at = fail as usize;
                        } else {
                            work += 1;
                            tables.check_work(work)?;
                            window[cursor as usize] = fact;
                            copy(window, to, facts.outs(index, fact));
                            at += 1;
                        }
                    }
                    PlanStep::SomeStored { index, keys, negated, fail } => {
                        let key = gather(key, window, &code.sources[keys.range()]);
                        let (from, to) = code.stored[index as usize].range(key);
                        at = if (from < to) != negated { at + 1 } else { fail as usize };
                    }
                    PlanStep::Stored { index, keys, to, width, cursor, fail } => {
                        let key = gather(key, window, &code.sources[keys.range()]);
                        let (from, end) = code.stored[index as usize].range(key);
                        if from < end {
                            work += 1;
                            window[cursor as usize + 1] = end;
                            window[cursor as usize] = from + 1;
                            copy(window, to, code.stored[index as usize].row(from, width));
                            at += 2;
                        } else {
                            at = fail as usize;
                        }
                    }
                    PlanStep::NextStored { index, to, width, cursor, fail } => {
                        let from = window[cursor as usize];
                        if from < window[cursor as usize + 1] {
                            work += 1;
                            tables.check_work(work)?;
                            window[cursor as usize] = from + 1;
                            copy(window, to, code.stored[index as usize].row(from, width));
                            at += 1;
                        } else {
                            at = fail as usize;
                        }
                    }
                    PlanStep::Move { role, to, fail } => {
                        let role = value(window, role);
                        let number = code.roles.iter().position(|r| r.0 == role);
                        match number.and_then(|number| moves.get(number)) {
                            Some(&chosen) => {
                                window[to as usize] = chosen;
                                at += 1;
                            }
                            None => at = fail as usize,
                        }
                    }
                    PlanStep::Moves { cursor } => {
                        window[cursor as usize] = 0;
                        at += 1;
                    }
                    PlanStep::NextMove { role, to, cursor, fail } => {
                        let number = window[cursor as usize] as usize;
                        match code.roles.get(number).zip(moves.get(number)) {
                            Some((term, &chosen)) => {
                                window[role as usize] = term.0;
                                window[to as usize] = chosen;
                                window[cursor as usize] += 1;
                                at += 1;
                            }
                            None => at = fail as usize,
                        }
                    }
                    PlanStep::Test { plan: called, arguments, negated, fail } => {
                        let key = gather(key, window, &code.sources[arguments.range()]);
                        let (call, finally) = match tables.look_up(code, called, key) {
                            CallLookup::Known { call, finally } => (call, finally),
                            CallLookup::Unknown { plan, call } => {
                                leave(tables, at, work + 4);
                                tables.check_work(0)?;
                                tables.push(code, plan, call, key, registers)?;
                                continue 'frames;
                            }
                        };
                        tables.costs[called as usize].uses += 1;
                        let holds = tables.memos[called as usize].entry(call).holds;
                        if negated && !finally && !holds {
                            return Err(Failure::Limit(
                                "the rules negate a sentence that depends on itself".to_owned(),
                            ));
                        }
                        at = if holds != negated { at + 1 } else { fail as usize };
                    }
                    PlanStep::Answers { plan: called, arguments, to, cursor, fail } => {
                        let key = gather(key, window, &code.sources[arguments.range()]);
                        let call = match tables.look_up(code, called, key) {
                            CallLookup::Known { call, .. } => call,
                            CallLookup::Unknown { plan, call } => {
                                leave(tables, at, work + 4);
                                tables.check_work(0)?;
                                tables.push(code, plan, call, key, registers)?;
                                continue 'frames;
                            }
                        };
                        tables.costs[called as usize].uses += 1;
                        let answer = tables.memos[called as usize].entry(call).first;
                        if answer == NONE {
                            at = fail as usize;
                        } else {
                            work += 1;
                            window[cursor as usize] = answer;
                            let asked = code.plans[called as usize].asked;
                            copy(window, to, tables.memos[called as usize].values(&answer, asked));
                            at += 2;
                        }
                    }
                    PlanStep::NextAnswer { plan: called, to, cursor, fail } => {
                        let answer = window[cursor as usize];
                        let answer = tables.memos[called as usize].after(answer);
                        if answer == NONE {
                            at = fail as usize;
                        } else {
                            work += 1;
                            tables.check_work(work)?;
                            window[cursor as usize] = answer;
                            let asked = code.plans[called as usize].asked;
                            copy(window, to, tables.memos[called as usize].values(&answer, asked));
                            at += 1;
                        }
                    }
                    PlanStep::Emit { values, then } => {
                        let memo = &mut tables.memos[plan as usize];
                        if info.asked == 0 {
                            tables.costs[plan as usize].answers += 1;
                            memo.entry_mut(call).holds = true;
                            tables.added += u64::from(info.recursive);
                            tables.work += work;
                            tables.finish(code, registers);
                            continue 'frames;
                        }
                        let skip = memo.skip();
                        key[0] = call;
                        let count = gather(&mut key[skip..], window, &code.sources[values.range()]).len();
                        if memo.answer(call, &key[..skip + count], tables.times[info.level as usize]) {
                            tables.added += u64::from(info.recursive);
                            tables.costs[plan as usize].answers += 1;
                            tables.keep()?;
                        }
                        at = then as usize;
                    }
                    PlanStep::End => {
                        leave(tables, 0, work);
                        tables.check_work(0)?;
                        if let Some(frame) = tables.frames.last_mut() {
                            frame.clause += 1;
                        }
                        continue 'frames;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Remembers where the current frame goes on, and counts its work.
#[inline]
fn leave(tables: &mut Tables, at: usize, work: u64) {
    tables.work += work;
    if let Some(frame) = tables.frames.last_mut() {
        frame.at = u32::try_from(at).unwrap_or(NONE);
    }
}

#[inline]
fn value(window: &[u32], source: ValueSource) -> u32 {
    match source.get() {
        Ok(register) => window[register],
        Err(term) => term,
    }
}

/// The values of sources, in the room for keys.
#[inline]
fn gather<'k>(key: &'k mut [u32], window: &[u32], sources: &[ValueSource]) -> &'k [u32] {
    let key = &mut key[..sources.len()];
    for (slot, &source) in key.iter_mut().zip(sources) {
        *slot = value(window, source);
    }
    key
}

#[inline]
fn copy(window: &mut [u32], to: u32, values: &[u32]) {
    // Tuples are short: a loop is faster than a call.
    for (slot, &value) in window[to as usize..].iter_mut().zip(values) {
        *slot = value;
    }
}
