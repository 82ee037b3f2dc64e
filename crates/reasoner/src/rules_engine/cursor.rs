//! The cursor of the engine `rules`: playouts with one worker, without leaving its own term numbers.

use std::sync::Mutex;

use ludex_game::{Cursor, FactId, Failure, Goal, MoveId, RandomStep, State, View};

use super::registry::Registry;
use super::worker::{RulesWorker, unpack};
use crate::term::TermId;

/// A current state, as facts in the numbers of a worker.
pub(super) struct RulesCursor<'a> {
    worker: &'a mut RulesWorker,
    registry: &'a Mutex<Registry>,
    roles: usize,
    facts: Vec<TermId>,
    /// The state that the cursor last returned to, and its facts.
    home: (Vec<u64>, Vec<TermId>),
    next: Vec<TermId>,
    legal: Vec<TermId>,
    joint: Vec<TermId>,
    /// Whether the worker has these facts.
    is_set: bool,
}

impl<'a> RulesCursor<'a> {
    pub(super) fn new(worker: &'a mut RulesWorker, registry: &'a Mutex<Registry>, roles: usize) -> Self {
        Self {
            worker,
            registry,
            roles,
            facts: Vec::new(),
            home: (Vec::new(), Vec::new()),
            next: Vec::new(),
            legal: Vec::new(),
            joint: Vec::with_capacity(roles),
            is_set: false,
        }
    }

    fn set(&mut self) {
        if !self.is_set {
            // New terms of one step after the other must not fill the table.
            self.worker.renew_if_full(&mut [&mut self.facts, &mut self.home.1]);
            self.worker.set_facts(&self.facts);
            self.is_set = true;
        }
    }
}

impl Cursor for RulesCursor<'_> {
    fn role_count(&self) -> usize {
        self.roles
    }

    fn go_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        self.is_set = false;
        self.worker.facts_of(self.registry, &State::from_words(state), &mut self.facts)
    }

    fn return_to(&mut self, state: &[u64]) -> Result<(), Failure> {
        if self.home.0 != state {
            self.worker.facts_of(self.registry, &State::from_words(state), &mut self.home.1)?;
            state.clone_into(&mut self.home.0);
        }
        self.is_set = false;
        self.facts.clone_from(&self.home.1);
        Ok(())
    }

    fn make(&mut self, joint: &[MoveId]) -> Result<(), Failure> {
        self.set();
        let terms = self.worker.joint(self.registry, joint)?;
        self.worker.next(&terms, &mut self.next)?;
        std::mem::swap(&mut self.facts, &mut self.next);
        self.is_set = false;
        Ok(())
    }

    fn view(&mut self, view: &mut View) -> Result<(), Failure> {
        self.set();
        view.terminal = self.worker.terminal()?;
        view.legal.resize(self.roles, Vec::new());
        for (role, moves) in view.legal.iter_mut().enumerate() {
            moves.clear();
            if !view.terminal {
                self.worker.legal(role, &mut self.legal)?;
                moves.extend(self.legal.iter().map(|&term| self.worker.move_number(self.registry, term)));
                moves.sort_unstable();
            }
        }
        Ok(())
    }

    /// Stays within the numbers of the worker: neither moves nor facts are registered.
    fn random_step(&mut self, random: &mut dyn FnMut() -> u64) -> Result<RandomStep, Failure> {
        self.set();
        if self.worker.terminal()? {
            return Ok(RandomStep::Terminal);
        }
        self.joint.clear();
        for role in 0..self.roles {
            self.worker.legal(role, &mut self.legal)?;
            let worker = &mut *self.worker;
            match worker.lots.draw(&worker.machine.terms, &self.legal, random) {
                Some(chosen) => self.joint.push(chosen),
                None => return Ok(RandomStep::Stuck),
            }
        }
        self.worker.next(&self.joint, &mut self.next)?;
        std::mem::swap(&mut self.facts, &mut self.next);
        self.is_set = false;
        Ok(RandomStep::Moved)
    }

    fn goals(&mut self) -> Result<Vec<Goal>, Failure> {
        self.set();
        (0..self.roles).map(|role| self.worker.goal(self.registry, role)).collect()
    }

    fn state(&mut self) -> State {
        self.worker.state_of(self.registry, &self.facts)
    }

    fn facts(&mut self) -> Vec<FactId> {
        unpack(&self.state()).collect()
    }
}
