//! Proving: which sentences follow from the rules, the state and the moves.
//!
//! A question is a relation with a term or nothing at each position; its answers are the sentences
//! that fit. Each question has a table. It is answered by the rules whose heads fit, condition by
//! condition; a condition about a derived relation is a question of its own. Whoever asks waits in
//! the table of that question and goes on once for each answer, those that are there and those that
//! come later. Recursion needs no more than that: a question that is asked again finds its table,
//! and the work ends because every answer is entered once. (Tamaki and Sato: OLD resolution with
//! tabulation, 1986; Chen and Warren: Tabled evaluation with delaying, J. ACM 1996, without the
//! delaying.) Nothing here calls itself, so rules cannot exhaust the stack.
//!
//! A negated condition waits until its question has all its answers: see `negation`.

use ludex_game::Failure;
use rustc_hash::FxHashMap;

use super::ReferenceLimits;
use super::condition_order::{ConditionOrder, plan};
use super::pattern::{OPEN, ReferencePattern, TermStore};
use super::program::{Origin, ReferenceAtom, ReferenceCondition, ReferenceProgram, Scope};
use super::rows::{Row, World};
use super::table::{AnswerTable, Memory, RuleFrame, TableId};
use crate::term::TermId;

/// Orders of conditions, made when first needed and kept.
#[derive(Debug, Default)]
pub(super) struct Plans {
    list: Vec<ConditionOrder>,
    /// By relation and by which positions have values: a plan for each rule of the relation.
    by_question: Vec<FxHashMap<Box<[bool]>, std::ops::Range<usize>>>,
}

/// Answers questions, and remembers the answers as long as what they depend on stays.
#[derive(Debug)]
pub(super) struct TablingProver {
    limits: ReferenceLimits,
    pub(super) plans: Plans,
    pub(super) memories: [Memory; 3],
    /// What can go on.
    pub(super) work: Vec<RuleFrame>,
    /// Frames whose next condition is negated, and its question.
    pub(super) suspended: Vec<(TableId, RuleFrame)>,
    /// Questions that are not complete.
    pub(super) open: Vec<TableId>,
    /// How many frames wait or are suspended.
    pub(super) held: usize,
    steps: u64,
}

impl TablingProver {
    pub(super) fn new(limits: ReferenceLimits, program: &ReferenceProgram) -> Self {
        let relations = program.relations.len();
        let mut plans = Plans::default();
        plans.by_question.resize_with(relations, FxHashMap::default);
        Self {
            limits,
            plans,
            memories: [Memory::new(relations), Memory::new(relations), Memory::new(relations)],
            work: Vec::new(),
            suspended: Vec::new(),
            open: Vec::new(),
            held: 0,
            steps: 0,
        }
    }

    /// Forgets all answers of this scope and of those that depend on more.
    pub(super) fn forget(&mut self, scope: Scope) {
        self.memories[scope as usize..].iter_mut().for_each(Memory::forget);
    }

    /// Number of sentences and questions that are remembered.
    pub(super) fn remembered(&self) -> usize {
        self.memories.iter().map(|memory| memory.size).sum()
    }

    /// All answers to a question.
    pub(super) fn ask(
        &mut self,
        program: &ReferenceProgram,
        world: &World,
        store: &mut TermStore,
        relation: usize,
        key: &[TermId],
    ) -> Result<Vec<Row>, Failure> {
        self.steps = 0;
        let mut proof = Proof { prover: self, program, world, store };
        let result = proof.table(relation, key).and_then(|table| {
            proof.run()?;
            Ok(proof.prover.at(table).answers.iter().cloned().collect())
        });
        if result.is_err() {
            // Half of the answers are worse than none.
            self.work.clear();
            self.suspended.clear();
            self.open.clear();
            self.held = 0;
            self.forget(Scope::Always);
        }
        result
    }

    pub(super) fn at(&mut self, id: TableId) -> &mut AnswerTable {
        &mut self.memories[id.scope as usize].tables[id.at as usize]
    }

    /// Plans for the rules of a relation, for questions with values at these positions.
    fn plans(
        &mut self,
        program: &ReferenceProgram,
        relation: usize,
        key: &[TermId],
    ) -> std::ops::Range<usize> {
        let bound: Box<[bool]> = key.iter().map(|&term| term != OPEN).collect();
        if let Some(known) = self.plans.by_question[relation].get(&bound) {
            return known.clone();
        }
        let start = self.plans.list.len();
        let rules = &program.relations[relation].rules;
        self.plans.list.extend(rules.iter().map(|&rule| plan(program, rule, &bound)));
        let range = start..self.plans.list.len();
        self.plans.by_question[relation].insert(bound, range.clone());
        range
    }
}

/// A prover at work on one question.
pub(super) struct Proof<'a> {
    pub(super) prover: &'a mut TablingProver,
    program: &'a ReferenceProgram,
    world: &'a World,
    store: &'a mut TermStore,
}

impl<'a> Proof<'a> {
    fn run(&mut self) -> Result<(), Failure> {
        loop {
            while let Some(frame) = self.prover.work.pop() {
                self.go_on(frame)?;
            }
            if self.prover.suspended.is_empty() {
                break;
            }
            self.release()?;
        }
        for id in std::mem::take(&mut self.prover.open) {
            self.complete(id);
        }
        Ok(())
    }

    /// Counts work.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Failure> {
        self.prover.steps += steps;
        match self.prover.steps > self.prover.limits.steps {
            true => {
                Err(Failure::Limit(format!("not done after {} steps of proof", self.prover.limits.steps)))
            }
            false => Ok(()),
        }
    }

    /// The table of a question; if it is new, the work on it is begun.
    fn table(&mut self, relation: usize, key: &[TermId]) -> Result<TableId, Failure> {
        let scope = self.program.relations[relation].scope;
        let memory = &mut self.prover.memories[scope as usize];
        if let Some(at) = memory.find(relation, key) {
            return Ok(TableId { scope, at });
        }
        let id = TableId { scope, at: memory.add(relation, key) };
        self.remember(scope)?;
        self.prover.open.push(id);

        let fits = |row: &Row| key.iter().zip(row.iter()).all(|(&k, &term)| k == OPEN || k == term);
        let program = self.program;
        for row in program.relations[relation].facts.candidates(key).filter(|row| fits(row)) {
            self.spend(1)?;
            self.answer(id, row)?;
        }
        let plans = self.prover.plans(program, relation, key);
        // What comes last is done first.
        for (at, &rule) in plans.zip(&program.relations[relation].rules).rev() {
            self.spend(1)?;
            let rule = &program.rules[rule];
            let mut values = vec![OPEN; rule.variables].into_boxed_slice();
            let mut arguments = rule.head.arguments.iter().zip(key);
            let terms = &self.store.terms;
            if arguments.all(|(a, &term)| term == OPEN || a.matches(term, &mut values, terms)) {
                self.prover.work.push(RuleFrame { owner: id, plan: at, done: 0, values });
            }
        }
        Ok(id)
    }

    /// Works on a rule until it ends, waits, or splits into several.
    fn go_on(&mut self, mut frame: RuleFrame) -> Result<(), Failure> {
        let program = self.program;
        loop {
            self.spend(1)?;
            let plan = &self.prover.plans.list[frame.plan];
            let rule = &program.rules[plan.rule];
            let Some(&condition) = plan.order.get(frame.done) else {
                if let Some(variable) = plan.lacks {
                    return Err(self.no_value(plan.rule, variable));
                }
                return self.conclude(&frame, &rule.head);
            };
            match &rule.body[condition] {
                ReferenceCondition::Differ(a, b) => {
                    // The plan has seen to it that all variables have values.
                    let (a, b) = (self.store.fill(a, &frame.values)?, self.store.fill(b, &frame.values)?);
                    if a == b {
                        return Ok(());
                    }
                }
                ReferenceCondition::Same(a, b) => {
                    let rule = plan.rule;
                    if !self.same(a, b, &mut frame.values, rule)? {
                        return Ok(());
                    }
                }
                ReferenceCondition::Holds(atom) => return self.hold(frame, atom),
                ReferenceCondition::Fails(atom) => {
                    if program.relations[atom.relation].origin == Origin::Rules {
                        let key = self.key(atom, &frame.values)?;
                        let id = self.table(atom.relation, &key)?;
                        if self.is_answered(id, atom, &frame.values) {
                            return Ok(());
                        }
                        if !self.prover.at(id).complete {
                            self.prover.suspended.push((id, frame));
                            return self.hold_back();
                        }
                    } else if !self.find(atom, &frame.values, true)?.is_empty() {
                        return Ok(());
                    }
                }
            }
            frame.done += 1;
        }
    }

    /// Goes on once for each way in which a condition holds.
    fn hold(&mut self, mut frame: RuleFrame, atom: &ReferenceAtom) -> Result<(), Failure> {
        frame.done += 1;
        if self.program.relations[atom.relation].origin != Origin::Rules {
            for values in self.find(atom, &frame.values, false)? {
                self.prover.work.push(RuleFrame { values, ..frame });
            }
            return Ok(());
        }
        let key = self.key(atom, &frame.values)?;
        let id = self.table(atom.relation, &key)?;
        let count = self.prover.at(id).answers.len();
        self.spend(count as u64)?;
        for at in 0..count {
            let Some(row) = self.prover.at(id).answers.get(at).cloned() else { break };
            self.resume(&frame, atom, &row);
        }
        let table = self.prover.at(id);
        if table.complete {
            return Ok(());
        }
        table.waiting.push(frame);
        self.hold_back()
    }

    /// Goes on from a condition that a sentence fulfils, if the sentence fits.
    fn resume(&mut self, frame: &RuleFrame, atom: &ReferenceAtom, row: &Row) {
        let mut values = frame.values.clone();
        let terms = &self.store.terms;
        if atom.arguments.iter().zip(row.iter()).all(|(a, &term)| a.matches(term, &mut values, terms)) {
            self.prover.work.push(RuleFrame { values, ..*frame });
        }
    }

    /// All conditions hold: the head is an answer.
    fn conclude(&mut self, frame: &RuleFrame, head: &ReferenceAtom) -> Result<(), Failure> {
        let row = self.key(head, &frame.values)?;
        if row.contains(&OPEN) {
            let rule = plan_rule(&self.prover.plans, frame);
            let mut variables = head.variables().into_iter();
            let open = variables.find(|&v| frame.values[v as usize] == OPEN).unwrap_or(0);
            return Err(self.no_value(rule, open));
        }
        self.answer(frame.owner, &row)
    }

    /// Adds an answer and resumes the frames that wait for it.
    fn answer(&mut self, id: TableId, row: &[TermId]) -> Result<(), Failure> {
        let table = self.prover.at(id);
        let Some(row) = table.answers.insert(row) else { return Ok(()) };
        self.remember(id.scope)?;
        let waiting = std::mem::take(&mut self.prover.at(id).waiting);
        self.spend(waiting.len() as u64)?;
        for frame in &waiting {
            // They wait behind the condition that the answer is for.
            if let Some(ReferenceCondition::Holds(atom)) = self.condition(frame, frame.done.wrapping_sub(1)) {
                self.resume(frame, atom, &row);
            }
        }
        self.prover.at(id).waiting = waiting;
        Ok(())
    }

    /// Whether a question has an answer that fits the condition for which it was asked.
    pub(super) fn is_answered(&self, id: TableId, atom: &ReferenceAtom, values: &[TermId]) -> bool {
        let answers = &self.prover.memories[id.scope as usize].tables[id.at as usize].answers;
        let mut scratch = values.to_vec();
        answers.iter().any(|row| {
            scratch.copy_from_slice(values);
            let mut arguments = atom.arguments.iter().zip(row.iter());
            arguments.all(|(a, &term)| a.matches(term, &mut scratch, &self.store.terms))
        })
    }

    /// A condition of the rule that a frame works on, in the order of its plan.
    pub(super) fn condition(&self, frame: &RuleFrame, at: usize) -> Option<&'a ReferenceCondition> {
        let plan = &self.prover.plans.list[frame.plan];
        let condition = *plan.order.get(at)?;
        self.program.rules[plan.rule].body.get(condition)
    }

    /// Counts a sentence or a question: one takes as much room as the other.
    fn remember(&mut self, scope: Scope) -> Result<(), Failure> {
        self.prover.memories[scope as usize].size += 1;
        self.check_room()
    }

    /// Counts a frame that waits or is suspended.
    pub(super) fn hold_back(&mut self) -> Result<(), Failure> {
        self.prover.held += 1;
        self.check_room()
    }

    fn check_room(&self) -> Result<(), Failure> {
        let limit = self.prover.limits.atoms;
        match self.prover.remembered() + self.prover.held > limit {
            true => Err(Failure::Limit(format!(
                "more than {limit} sentences and open questions: do the rules derive ever new ones?"
            ))),
            false => Ok(()),
        }
    }

    pub(super) fn complete(&mut self, id: TableId) {
        let table = self.prover.at(id);
        table.complete = true;
        let waiting = std::mem::take(&mut table.waiting);
        self.prover.held = self.prover.held.saturating_sub(waiting.len());
    }

    /// Ways in which the state, the moves or facts of the sheet fulfil a condition.
    fn find(
        &mut self,
        atom: &ReferenceAtom,
        values: &[TermId],
        first: bool,
    ) -> Result<Vec<Box<[TermId]>>, Failure> {
        let mut found = Vec::new();
        let (terms, relation) = (&self.store.terms, &self.program.relations[atom.relation]);
        let tried = match relation.origin {
            Origin::State => self.world.find_fact(&atom.arguments, values, terms, first, &mut found),
            Origin::Moves => self.world.moves.find(&atom.arguments, values, terms, first, &mut found),
            _ => relation.facts.find(&atom.arguments, values, terms, first, &mut found),
        };
        self.spend(tried)?;
        Ok(found)
    }

    /// The arguments as far as they are ground.
    fn key(&mut self, atom: &ReferenceAtom, values: &[TermId]) -> Result<Vec<TermId>, Failure> {
        atom.arguments.iter().map(|argument| self.store.fill(argument, values)).collect()
    }

    fn same(
        &mut self,
        a: &ReferencePattern,
        b: &ReferencePattern,
        values: &mut [TermId],
        rule: usize,
    ) -> Result<bool, Failure> {
        let (left, right) = (self.store.fill(a, values)?, self.store.fill(b, values)?);
        match (left, right) {
            (OPEN, OPEN) => {
                let mut variables = Vec::new();
                a.variables(&mut variables);
                let open = variables.into_iter().find(|&v| values[v as usize] == OPEN).unwrap_or(0);
                Err(self.no_value(rule, open))
            }
            (OPEN, term) => Ok(a.matches(term, values, &self.store.terms)),
            (term, _) => Ok(b.matches(term, values, &self.store.terms)),
        }
    }

    fn no_value(&self, rule: usize, variable: u32) -> Failure {
        let sheet = &self.program.sheet;
        let origin = self.program.rules[rule].origin;
        let name = sheet.rules[origin].variables.get(variable as usize);
        let name = name.map_or("a variable", |&symbol| sheet.names.text(symbol));
        Failure::Limit(format!("nothing gives {name} a value in the rule: {}", self.in_words(rule)))
    }

    pub(super) fn in_words(&self, rule: usize) -> String {
        let sheet = &self.program.sheet;
        sheet.display(&sheet.rules[self.program.rules[rule].origin]).to_string()
    }
}

/// The rule that a frame works on.
pub(super) fn plan_rule(plans: &Plans, frame: &RuleFrame) -> usize {
    plans.list[frame.plan].rule
}
