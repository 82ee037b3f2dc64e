//! Negated conditions: when it is certain that a question has no answer.
//!
//! A rule whose next condition is negated is suspended until that question has all its answers.
//! When there is no other work, a question has all its answers if no suspended rule can still add
//! to them, directly or through others. Then the negated condition holds if there is none.
//!
//! In stratified rules there is always such a question, also where only the values keep the strata
//! apart, as in goals that are the negation of other goals. Where every question waits for its own
//! negation the rules have no meaning, and that is a failure, never a guess.

use ludex_game::Failure;

use super::program::ReferenceCondition;
use super::prove::{Proof, plan_rule};
use super::table::TableId;

impl Proof<'_> {
    /// There is no other work: lets those negated conditions go on whose questions have all
    /// answers.
    pub(super) fn release(&mut self) -> Result<(), Failure> {
        let mut suspended = std::mem::take(&mut self.prover.suspended);
        self.prover.held = self.prover.held.saturating_sub(suspended.len());
        suspended.retain(|(id, frame)| match self.condition(frame, frame.done) {
            Some(ReferenceCondition::Fails(atom)) => !self.is_answered(*id, atom, &frame.values),
            _ => false, // only negated conditions are suspended
        });
        // Everything that a suspended frame may still add to, directly or through others.
        let mut unsettled = [Vec::new(), Vec::new(), Vec::new()];
        for (marks, memory) in unsettled.iter_mut().zip(&self.prover.memories) {
            marks.resize(memory.tables.len(), false);
        }
        let mut spread: Vec<TableId> = suspended.iter().map(|(_, frame)| frame.owner).collect();
        while let Some(id) = spread.pop() {
            let mark = &mut unsettled[id.scope as usize][id.at as usize];
            if !std::mem::replace(mark, true) {
                let waiting = &self.prover.at(id).waiting;
                spread.extend(waiting.iter().map(|frame| frame.owner));
                let steps = waiting.len() as u64;
                self.spend(steps)?;
            }
        }
        let is_settled = |id: TableId| !unsettled[id.scope as usize][id.at as usize];
        let (settled, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.prover.open).into_iter().partition(|&id| is_settled(id));
        for id in settled {
            self.complete(id);
        }
        self.prover.open = open;
        let before = suspended.len();
        for (id, mut frame) in suspended {
            if is_settled(id) {
                frame.done += 1;
                self.prover.work.push(frame);
            } else {
                self.prover.suspended.push((id, frame));
                self.hold_back()?;
            }
        }
        match self.prover.suspended.first() {
            Some((_, frame)) if self.prover.suspended.len() == before => {
                let rule = self.in_words(plan_rule(&self.prover.plans, frame));
                Err(Failure::Limit(format!("negation goes round in a circle through the rule: {rule}")))
            }
            _ => Ok(()),
        }
    }
}
