//! Workers: a machine with the way from its own numbers to those of the registry and back.
//!
//! Every thread that asks takes a worker out of the pool and puts it back, so that threads wait for
//! each other only while a term crosses the border for the first time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludex_game::{FactId, Failure, Goal, MoveId, State, View};

use super::interpreter::PlanInterpreter;
use super::keys::{NONE, place};
use super::lots::Lots;
use super::registry::{Numbers, Registry, copy};
use super::setup::CompiledRules;
use crate::term::TermId;

/// Numbers of a machine's terms in the registry and the other way round.
#[derive(Debug, Default)]
struct Border {
    /// By term of the machine.
    out: Vec<u32>,
    /// By number of the registry.
    back: Vec<u32>,
}

/// A machine that answers questions from outside.
#[derive(Debug)]
pub(super) struct RulesWorker {
    /// The machine.
    pub machine: PlanInterpreter,
    ready: Arc<CompiledRules>,
    facts: Border,
    moves: Border,
    /// The state that the machine is set to.
    state: Option<State>,
    /// For random choices.
    pub lots: Lots,
    list: Vec<TermId>,
}

/// The registry, whatever became of other threads.
pub(super) fn lock(registry: &Mutex<Registry>) -> MutexGuard<'_, Registry> {
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RulesWorker {
    /// With a machine of its own.
    pub(super) fn new(ready: &Arc<CompiledRules>) -> Self {
        Self {
            machine: PlanInterpreter::new(Arc::clone(&ready.code), ready.terms.clone(), ready.limits),
            ready: Arc::clone(ready),
            facts: Border::default(),
            moves: Border::default(),
            state: None,
            lots: Lots::default(),
            list: Vec::new(),
        }
    }

    /// Starts again with a fresh machine when the old one has met very many terms. Lists that are
    /// still needed get the terms' new numbers. To be called between questions.
    pub(super) fn renew_if_full(&mut self, keep: &mut [&mut Vec<TermId>]) {
        let (now, limit) = (self.machine.terms.len(), self.ready.limits.terms);
        if now.saturating_sub(self.ready.terms.len()) < limit / 4 {
            return;
        }
        let old = std::mem::replace(self, Self::new(&self.ready));
        for list in keep {
            for term in list.iter_mut() {
                *term = copy(&old.machine.terms, *term, &mut self.machine.terms);
            }
        }
    }

    fn number(
        &mut self,
        registry: &Mutex<Registry>,
        term: TermId,
        border: fn(&mut Self) -> &mut Border,
        numbers: fn(&mut Registry) -> &mut Numbers,
    ) -> u32 {
        if let Some(&known) = border(self).out.get(term.index()).filter(|&&n| n != NONE) {
            return known;
        }
        let mut registry = lock(registry);
        let outside = copy(&self.machine.terms, term, &mut registry.terms);
        let number = numbers(&mut registry).of(outside);
        drop(registry);
        *place(&mut border(self).out, term.0, NONE) = number;
        *place(&mut border(self).back, number, NONE) = term.0;
        number
    }

    fn term(
        &mut self,
        registry: &Mutex<Registry>,
        number: u32,
        border: fn(&mut Self) -> &mut Border,
        numbers: fn(&mut Registry) -> &mut Numbers,
    ) -> Option<TermId> {
        if let Some(&known) = border(self).back.get(number as usize).filter(|&&t| t != NONE) {
            return Some(TermId(known));
        }
        let mut registry = lock(registry);
        let outside = numbers(&mut registry).term(number)?;
        let term = copy(&registry.terms, outside, &mut self.machine.terms);
        drop(registry);
        *place(&mut border(self).out, term.0, NONE) = number;
        *place(&mut border(self).back, number, NONE) = term.0;
        Some(term)
    }

    /// The number of a fact.
    fn fact_number(&mut self, registry: &Mutex<Registry>, term: TermId) -> u32 {
        self.number(registry, term, |w| &mut w.facts, |r| &mut r.facts)
    }

    /// The number of a move.
    pub(super) fn move_number(&mut self, registry: &Mutex<Registry>, term: TermId) -> MoveId {
        MoveId(self.number(registry, term, |w| &mut w.moves, |r| &mut r.moves))
    }

    fn move_term(&mut self, registry: &Mutex<Registry>, number: MoveId) -> Result<TermId, Failure> {
        self.term(registry, number.0, |w| &mut w.moves, |r| &mut r.moves)
            .ok_or_else(|| Failure::Misuse(format!("there is no move with the number {number}")))
    }

    /// The state in which these facts hold.
    pub(super) fn state_of(&mut self, registry: &Mutex<Registry>, facts: &[TermId]) -> State {
        let mut numbers: Vec<u32> = facts.iter().map(|&fact| self.fact_number(registry, fact)).collect();
        pack(&mut numbers)
    }

    /// The facts of a state.
    pub(super) fn facts_of(
        &mut self,
        registry: &Mutex<Registry>,
        state: &State,
        into: &mut Vec<TermId>,
    ) -> Result<(), Failure> {
        into.clear();
        for fact in unpack(state) {
            let term = self.term(registry, fact.0, |w| &mut w.facts, |r| &mut r.facts);
            into.push(
                term.ok_or_else(|| Failure::Misuse(format!("there is no fact with the number {fact}")))?,
            );
        }
        Ok(())
    }

    /// Makes a state the current one.
    pub(super) fn set_state(&mut self, registry: &Mutex<Registry>, state: &State) -> Result<(), Failure> {
        if self.state.as_ref() == Some(state) {
            self.machine.clear_moves();
            return Ok(());
        }
        self.state = None;
        self.renew_if_full(&mut []);
        let mut list = std::mem::take(&mut self.list);
        let result = self.facts_of(registry, state, &mut list);
        if result.is_ok() {
            self.machine.set_state(list.iter().copied());
            self.state = Some(state.clone());
        }
        self.list = list;
        result
    }

    /// Makes the facts the current state, which has no number.
    pub(super) fn set_facts(&mut self, facts: &[TermId]) {
        self.state = None;
        self.machine.set_state(facts.iter().copied());
    }

    /// Whether the game is over in the current state.
    pub(super) fn terminal(&mut self) -> Result<bool, Failure> {
        match self.ready.asked.terminal {
            Some(plan) => self.machine.holds(plan, &[]),
            None => Ok(false),
        }
    }

    /// What holds in the current state, apart from goals.
    pub(super) fn view(&mut self, registry: &Mutex<Registry>, roles: usize) -> Result<View, Failure> {
        let mut view = View { terminal: self.terminal()?, legal: vec![Vec::new(); roles] };
        if view.terminal {
            return Ok(view);
        }
        let mut terms = Vec::new();
        for (role, legal) in view.legal.iter_mut().enumerate() {
            self.legal(role, &mut terms)?;
            legal.extend(terms.iter().map(|&term| self.move_number(registry, term)));
            legal.sort_unstable();
        }
        Ok(view)
    }

    /// The legal moves of a role in the current state.
    pub(super) fn legal(&mut self, role: usize, into: &mut Vec<TermId>) -> Result<(), Failure> {
        into.clear();
        match self.ready.asked.legal {
            Some(plan) => self.machine.answers(plan, &[self.ready.roles[role]], into),
            None => Ok(()),
        }
    }

    /// The facts of the next state.
    pub(super) fn next(&mut self, joint: &[TermId], into: &mut Vec<TermId>) -> Result<(), Failure> {
        self.machine.set_moves(joint.iter().copied());
        into.clear();
        match self.ready.asked.next {
            Some(plan) => self.machine.answers(plan, &[], into),
            None => Ok(()),
        }
    }

    /// The terms of a joint move.
    pub(super) fn joint(
        &mut self,
        registry: &Mutex<Registry>,
        joint: &[MoveId],
    ) -> Result<Vec<TermId>, Failure> {
        if joint.len() != self.ready.roles.len() {
            let roles = self.ready.roles.len();
            return Err(Failure::Misuse(format!("{} moves for {roles} roles", joint.len())));
        }
        joint.iter().map(|&m| self.move_term(registry, m)).collect()
    }

    /// What a role gets in the current state.
    pub(super) fn goal(&mut self, registry: &Mutex<Registry>, role: usize) -> Result<Goal, Failure> {
        let mut values = Vec::new();
        if let Some(plan) = self.ready.asked.goal {
            self.machine.answers(plan, &[self.ready.roles[role]], &mut values)?;
        }
        if values.is_empty() {
            return Ok(Goal::Undefined);
        }
        let mut registry = lock(registry);
        let text = |&value: &TermId| {
            let outside = copy(&self.machine.terms, value, &mut registry.terms);
            registry.text(outside)
        };
        let mut texts: Vec<String> = values.iter().map(text).collect();
        texts.sort();
        Ok(match texts.as_slice() {
            [one] => match one.parse::<u8>() {
                Ok(value) if value <= 100 => Goal::Value(value),
                _ => Goal::Faulty(texts),
            },
            _ => Goal::Faulty(texts),
        })
    }
}

/// A state: its facts' numbers sorted, two in a word.
pub(super) fn pack(numbers: &mut Vec<u32>) -> State {
    numbers.sort_unstable();
    numbers.dedup();
    let word = |pair: &[u32]| u64::from(pair[0]) << 32 | u64::from(pair.get(1).copied().unwrap_or(NONE));
    State::from_words(numbers.chunks(2).map(word).collect::<Vec<u64>>())
}

/// The facts of a state.
pub(super) fn unpack(state: &State) -> impl Iterator<Item = FactId> {
    let half = |word: u64| u32::try_from(word & u64::from(u32::MAX)).unwrap_or(NONE);
    let both = state.words().iter().flat_map(move |&word| [half(word >> 32), half(word)]);
    both.filter(|&number| number != NONE).map(FactId)
}
