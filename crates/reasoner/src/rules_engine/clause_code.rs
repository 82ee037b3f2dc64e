//! The code of one clause for one kind of call.

use ludex_game::Failure;

use super::code::{ClauseCode, Mode, PlanStep, Span, Target, ValueSource};
use super::compile::Compiler;
use super::order::{self, VariableUses};
use super::program::{BodyGoal, Clause, RulesLiteral, RulesPattern, TupleSource};
use super::shape::{Reading, Standing};

/// A place in the code that is not known yet.
type Label = usize;

/// Compiles a clause.
pub(super) struct ClauseCompiler<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    clause: &'c Clause,
    modes: &'c [Mode],
    steps: Vec<PlanStep>,
    /// Where labels are; targets of steps are labels until the end.
    labels: Vec<Target>,
    /// By variable: its value.
    places: Vec<Option<ValueSource>>,
    /// By variable: the step that gave its value, as an index into `retries`.
    given_by: Vec<usize>,
    /// Where to go for other values: first the end, then a label for each step that finds values.
    retries: Vec<Label>,
    registers: u32,
    knowledge: VariableUses,
    /// Compounds whose value is known: facts that were found. Rules that keep a fact need not make
    /// it.
    found: Vec<(RulesPattern, ValueSource)>,
}

impl<'c, 'a> ClauseCompiler<'c, 'a> {
    /// For calls of this kind.
    pub(super) fn new(compiler: &'c mut Compiler<'a>, clause: &'c Clause, modes: &'c [Mode]) -> Self {
        let given = modes.iter().filter(|m| **m == Mode::Given).count();
        Self {
            knowledge: VariableUses::new(clause, modes),
            compiler,
            clause,
            modes,
            steps: Vec::new(),
            labels: vec![0],
            places: vec![None; clause.variables],
            given_by: vec![0; clause.variables],
            retries: vec![0],
            registers: u32::try_from(given).unwrap_or(u32::MAX),
            found: Vec::new(),
        }
    }

    /// The code, and how many registers it uses.
    pub(super) fn compile(mut self) -> Result<(ClauseCode, u32), Failure> {
        let clause = self.clause;
        let mut register = 0;
        for (pattern, mode) in clause.head.arguments.iter().zip(self.modes) {
            if *mode == Mode::Given {
                self.unify(ValueSource::register(register), pattern, 0, 0);
                register += 1;
            }
        }
        let bound: Vec<bool> = self.places.iter().map(Option::is_some).collect();
        let order = order::order(self.compiler, &self.knowledge, clause, &bound);
        if order.len() < clause.body.len() {
            let name = &self.compiler.program.relation(clause.head.relation).name;
            return Err(Failure::Limit(format!("a rule for `{name}` leaves variables without values")));
        }
        for at in order {
            let goal = &clause.body[at];
            self.goal(goal, None);
        }
        let mut values = Vec::new();
        let mut last = 0;
        for (pattern, mode) in clause.head.arguments.iter().zip(self.modes) {
            if *mode == Mode::Asked {
                last = last.max(self.latest(pattern));
                values.push(self.build(pattern));
            }
        }
        let values = self.span(&values);
        let then = self.target(self.retries[last]);
        self.steps.push(PlanStep::Emit { values, then });
        self.set(0);
        self.steps.push(PlanStep::End);
        Ok((self.finish(), self.registers))
    }

    /// Replaces labels by places.
    fn finish(&mut self) -> ClauseCode {
        for step in &mut self.steps {
            if let Some(target) = step.target() {
                *target = self.labels[*target as usize];
            }
        }
        ClauseCode { steps: std::mem::take(&mut self.steps) }
    }

    fn label(&mut self) -> Label {
        self.labels.push(0);
        self.labels.len() - 1
    }

    /// The label is here.
    fn set(&mut self, label: Label) {
        self.labels[label] = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
    }

    fn target(&self, label: Label) -> Target {
        u32::try_from(label).unwrap_or(u32::MAX)
    }

    fn new_registers(&mut self, count: usize) -> u32 {
        let first = self.registers;
        self.registers += u32::try_from(count).unwrap_or(0);
        first
    }

    fn span(&mut self, sources: &[ValueSource]) -> Span {
        let code = &mut self.compiler.code;
        code.widest = code.widest.max(sources.len());
        let pool = &mut code.sources;
        let start = u32::try_from(pool.len()).unwrap_or(u32::MAX);
        pool.extend_from_slice(sources);
        Span { start, count: u32::try_from(sources.len()).unwrap_or(0) }
    }

    fn bound(&self, pattern: &RulesPattern) -> bool {
        let mut bound = true;
        pattern.variables(&mut |v| bound &= self.places[v].is_some());
        bound
    }

    /// The last step that gave a value to a variable of the pattern.
    fn latest(&self, pattern: &RulesPattern) -> usize {
        let mut latest = 0;
        pattern.variables(&mut |v| {
            if self.places[v].is_some() {
                latest = latest.max(self.given_by[v]);
            }
        });
        latest
    }

    fn latest_of(&self, goal: &BodyGoal) -> usize {
        let mut latest = 0;
        goal.variables(&mut |v| {
            if self.places[v].is_some() {
                latest = latest.max(self.given_by[v]);
            }
        });
        latest
    }

    /// The value of a term whose variables all have values.
    fn build(&mut self, pattern: &RulesPattern) -> ValueSource {
        match pattern {
            RulesPattern::Ground(term) => ValueSource::term(*term),
            RulesPattern::Variable(v) => {
                self.places[*v].unwrap_or(ValueSource::term(super::compile::NO_TERM))
            }
            RulesPattern::Compound(symbol, arguments) => {
                if let Some((_, source)) = self.found.iter().find(|(known, _)| known == pattern) {
                    return *source;
                }
                let sources: Vec<ValueSource> = arguments.iter().map(|a| self.build(a)).collect();
                let arguments = self.span(&sources);
                let to = self.new_registers(1);
                self.steps.push(PlanStep::Build { symbol: *symbol, arguments, to });
                ValueSource::register(to)
            }
        }
    }

    /// The value must fit the pattern, whose open variables get values. `from` is the step that
    /// gave it; `fail` is where to go otherwise, as an index into `retries` that is at least
    /// `from`.
    fn unify(&mut self, value: ValueSource, pattern: &RulesPattern, from: usize, fail: usize) {
        match pattern {
            RulesPattern::Ground(term) => self.same(value, ValueSource::term(*term), fail),
            RulesPattern::Variable(v) => match self.places[*v] {
                Some(known) => {
                    let fail = fail.max(self.given_by[*v]);
                    self.same(value, known, fail);
                }
                None => {
                    self.places[*v] = Some(value);
                    self.given_by[*v] = from;
                }
            },
            RulesPattern::Compound(symbol, arguments) => {
                let to = self.new_registers(arguments.len());
                let arity = u32::try_from(arguments.len()).unwrap_or(u32::MAX);
                let target = self.target(self.retries[fail]);
                self.steps.push(PlanStep::Open { from: value, symbol: *symbol, arity, to, fail: target });
                for (register, argument) in (to..).zip(arguments) {
                    self.unify(ValueSource::register(register), argument, from, fail);
                }
            }
        }
    }

    fn same(&mut self, a: ValueSource, b: ValueSource, fail: usize) {
        let fail = self.target(self.retries[fail]);
        self.steps.push(PlanStep::Same { a, b, negated: false, fail });
    }

    /// Adds the steps of a condition. With `fail` it is a test within a disjunction that fails
    /// there.
    fn goal(&mut self, goal: &BodyGoal, fail: Option<Label>) {
        let latest = self.latest_of(goal);
        let fail = fail.unwrap_or(self.retries[latest]);
        match goal {
            BodyGoal::Holds(literal) => self.literal(literal, false, latest, fail),
            BodyGoal::Fails(literal) => self.literal(literal, true, latest, fail),
            BodyGoal::Differ(a, b) => {
                let (a, b) = (self.build(a), self.build(b));
                let fail = self.target(fail);
                self.steps.push(PlanStep::Same { a, b, negated: true, fail });
            }
            BodyGoal::Same(a, b) => match (self.bound(a), self.bound(b)) {
                (true, true) => {
                    let (a, b) = (self.build(a), self.build(b));
                    let fail = self.target(fail);
                    self.steps.push(PlanStep::Same { a, b, negated: false, fail });
                }
                (true, false) => {
                    let value = self.build(a);
                    self.unify(value, b, latest, latest);
                }
                _ => {
                    let value = self.build(b);
                    self.unify(value, a, latest, latest);
                }
            },
            BodyGoal::Any(branches) => {
                let end = self.label();
                for (at, branch) in branches.iter().enumerate() {
                    let otherwise = if at + 1 < branches.len() { self.label() } else { fail };
                    for goal in branch {
                        self.goal(goal, Some(otherwise));
                    }
                    if at + 1 < branches.len() {
                        let to = self.target(end);
                        self.steps.push(PlanStep::Jump { to });
                        self.set(otherwise);
                    }
                }
                if branches.is_empty() {
                    let to = self.target(fail);
                    self.steps.push(PlanStep::Jump { to });
                }
                self.set(end);
            }
        }
    }

    fn literal(&mut self, literal: &RulesLiteral, negated: bool, latest: usize, fail: Label) {
        match self.compiler.program.relation(literal.relation).kind {
            TupleSource::True => self.read(literal, negated, fail, true),
            TupleSource::Derived if self.compiler.stores.has(literal.relation) => {
                self.read(literal, negated, fail, false);
            }
            TupleSource::Does => self.moves(literal, negated, latest, fail),
            TupleSource::Derived => self.call(literal, negated, fail),
        }
    }

    fn standing(&self, variable: usize, negated: bool) -> Standing {
        if self.places[variable].is_some() {
            Standing::Bound
        } else if negated || !self.knowledge.matters(variable) {
            Standing::Ignored
        } else {
            Standing::Open
        }
    }

    /// Starts a step that finds values, and gives its number and where to go when there are no
    /// more.
    fn start_finding(&mut self) -> (usize, Target) {
        let before = self.target(self.retries[self.retries.len() - 1]);
        let retry = self.label();
        // The second step of the pair is where later ones fail to.
        self.labels[retry] = u32::try_from(self.steps.len() + 1).unwrap_or(u32::MAX);
        self.retries.push(retry);
        (self.retries.len() - 1, before)
    }

    /// Whether answers have this compound.
    fn is_made(&self, compound: &RulesPattern) -> bool {
        let mut asked = self.clause.head.arguments.iter().zip(self.modes);
        asked.any(|(argument, mode)| *mode == Mode::Asked && argument == compound)
    }

    /// A condition on the facts of the state or on a stored relation.
    fn read(&mut self, literal: &RulesLiteral, negated: bool, fail: Label, facts: bool) {
        let mut reading = Reading::general(&literal.arguments, &|v| self.standing(v, negated));
        let fact = literal.arguments.first();
        let kept =
            fact.filter(|fact| facts && matches!(fact, RulesPattern::Compound(..)) && self.is_made(fact));
        if kept.is_some() && !reading.shape.outs.is_empty() {
            reading.shape.outs.push(vec![0]);
        }
        let keys: Vec<ValueSource> = reading.key_values.iter().map(|value| self.build(value)).collect();
        let keys = self.span(&keys);
        let fail = self.target(fail);
        let index = match facts {
            true => self.compiler.fact_shape(&reading.shape),
            false => self.compiler.stored_index(literal.relation, &reading.shape),
        };
        let width = reading.shape.outs.len();
        if width == 0 {
            self.steps.push(match (facts, reading.shape.ignores) {
                (true, false) => PlanStep::Fact { index, keys, negated, fail },
                (true, true) => PlanStep::SomeFact { index, keys, negated, fail },
                (false, _) => PlanStep::SomeStored { index, keys, negated, fail },
            });
            return;
        }
        let to = self.new_registers(width);
        let cursor = self.new_registers(2);
        let (number, before) = self.start_finding();
        if facts {
            self.steps.push(PlanStep::Facts { index, keys, to, cursor, fail });
            self.steps.push(PlanStep::NextFact { index, to, cursor, fail: before });
        } else {
            let width = u32::try_from(width).unwrap_or(u32::MAX);
            self.steps.push(PlanStep::Stored { index, keys, to, width, cursor, fail });
            self.steps.push(PlanStep::NextStored { index, to, width, cursor, fail: before });
        }
        for (register, &variable) in (to..).zip(&reading.out_variables) {
            self.places[variable] = Some(ValueSource::register(register));
            self.given_by[variable] = number;
        }
        if let Some(fact) = kept {
            let last = to + u32::try_from(reading.out_variables.len()).unwrap_or(0);
            self.found.push((fact.clone(), ValueSource::register(last)));
        }
    }

    /// A condition on the moves.
    fn moves(&mut self, literal: &RulesLiteral, negated: bool, latest: usize, fail: Label) {
        let (role, action) = (&literal.arguments[0], &literal.arguments[1]);
        let to = self.new_registers(1);
        if negated {
            let (role, action) = (self.build(role), self.build(action));
            let after = self.label();
            let (after_target, fail) = (self.target(after), self.target(fail));
            self.steps.push(PlanStep::Move { role, to, fail: after_target });
            self.steps.push(PlanStep::Same { a: ValueSource::register(to), b: action, negated: true, fail });
            self.set(after);
        } else if self.bound(role) {
            let role_value = self.build(role);
            let from = self.latest(role);
            let fail_target = self.target(fail);
            self.steps.push(PlanStep::Move { role: role_value, to, fail: fail_target });
            if fail == self.retries[latest] {
                self.unify(ValueSource::register(to), action, from, latest);
            } else {
                // A test within a disjunction: all values are known.
                let action = self.build(action);
                self.steps.push(PlanStep::Same {
                    a: ValueSource::register(to),
                    b: action,
                    negated: false,
                    fail: fail_target,
                });
            }
        } else {
            let role_register = self.new_registers(1);
            let cursor = self.new_registers(1);
            let (number, before) = self.start_finding();
            self.steps.push(PlanStep::Moves { cursor });
            self.steps.push(PlanStep::NextMove { role: role_register, to, cursor, fail: before });
            self.unify(ValueSource::register(role_register), role, number, number);
            self.unify(ValueSource::register(to), action, number, number);
        }
    }

    /// A condition on a relation that is called.
    fn call(&mut self, literal: &RulesLiteral, negated: bool, fail: Label) {
        let bound: Vec<bool> = self.places.iter().map(Option::is_some).collect();
        let modes = order::modes(literal, &self.knowledge, &bound, negated);
        let mut arguments = Vec::new();
        for (pattern, mode) in literal.arguments.iter().zip(&modes) {
            if *mode == Mode::Given {
                arguments.push(self.build(pattern));
            }
        }
        let arguments = self.span(&arguments);
        let asked = modes.iter().filter(|m| **m == Mode::Asked).count();
        let caller = self.clause.head.relation;
        let plan = self.compiler.plan_for(caller, literal.relation, modes.clone());
        let fail = self.target(fail);
        if asked == 0 {
            self.steps.push(PlanStep::Test { plan, arguments, negated, fail });
            return;
        }
        let to = self.new_registers(asked);
        let cursor = self.new_registers(1);
        let (number, before) = self.start_finding();
        self.steps.push(PlanStep::Answers { plan, arguments, to, cursor, fail });
        self.steps.push(PlanStep::NextAnswer { plan, to, cursor, fail: before });
        let mut register = to;
        for (pattern, mode) in literal.arguments.iter().zip(&modes) {
            if *mode == Mode::Asked {
                self.unify(ValueSource::register(register), pattern, number, number);
                register += 1;
            }
        }
    }
}
