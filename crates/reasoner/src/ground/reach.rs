//! Relaxed reachability: every ground atom that could ever hold, and every instance of a rule.
//!
//! Relations that do not change in play are computed first, exactly, component by component of
//! their dependency graph. For the others negation is ignored: a fact is possible if `init` has it
//! or a possible instance of a `next` rule gives it, a move is possible if a possible instance of a
//! `legal` rule gives it. Atoms are handled one at a time: an atom is matched with each condition
//! of each rule that it fits, and the other conditions are joined with the atoms handled before it.
//! So every instance is found exactly once, when the last of its atoms is handled (semi-naive
//! evaluation with single-atom deltas).

use std::collections::VecDeque;
use std::rc::Rc;

use ludex_gdl::{Symbol, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

use super::instances::{GroundInstances, GroundLiteral};
use super::join::{Join, Match, Matches, NO_VALUE, build, unify};
use super::plan::{JoinContext, JoinPlan, plan};
use super::program::{NormalLiteral, NormalPattern, NormalProgram, NormalRule, Rel, number};
use super::table::GroundTable;
use crate::limits::{StopReason, Watch};
use crate::term::{TermId, Terms};

/// Everything that grounding finds.
#[derive(Debug)]
pub(crate) struct Reached {
    pub terms: Terms,
    pub tables: Vec<GroundTable>,
    /// Relation and row of every atom.
    pub atoms: Vec<(Rel, u32)>,
    pub instances: GroundInstances,
}

impl Reached {
    /// Bytes in use, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.tables.iter().map(GroundTable::bytes).sum::<usize>()
            + self.terms.bytes()
            + self.instances.bytes()
    }
}

/// A grounding that was given up, and what it had found by then.
#[derive(Debug)]
pub(crate) struct GivenUp {
    pub reason: StopReason,
    pub terms: Terms,
    pub tables: Vec<GroundTable>,
    /// By relation: whether its table has all rows.
    pub is_complete: Vec<bool>,
}

impl GivenUp {
    /// Before anything was found.
    pub(crate) fn with_nothing(reason: StopReason) -> Box<Self> {
        let (terms, tables, is_complete) = Default::default();
        Box::new(Self { reason, terms, tables, is_complete })
    }
}

/// Computes what can be reached. Relations that do not change in play come in the order in which
/// they depend on each other. A rule is left alone once it has had `most` matches; what is found is
/// then a sample: given up, but good for learning how large tables become.
pub(crate) fn reach(
    program: &mut NormalProgram,
    is_dynamic: &[bool],
    order: &[Vec<Rel>],
    most: usize,
    watch: &mut Watch,
) -> Result<Reached, Box<GivenUp>> {
    let tables = program.relations.iter().map(|r| GroundTable::new(r.arity)).collect();
    let mut rules_of: Vec<Vec<usize>> = vec![Vec::new(); program.relations.len()];
    for (at, rule) in program.rules.iter().enumerate() {
        rules_of[rule.head.0 as usize].push(at);
    }
    let mut reacher = Reacher {
        is_dynamic,
        tables,
        terms: std::mem::take(&mut program.terms),
        atoms: Vec::new(),
        atom_numbers: vec![Vec::new(); program.relations.len()],
        instances: GroundInstances::default(),
        plans: vec![Vec::new(); program.rules.len()],
        planned_at: 0,
        queue: VecDeque::new(),
        demanded: VecDeque::new(),
        state: Match::default(),
        found: Matches::default(),
        rules_of,
        stack: Vec::new(),
        body: Vec::new(),
        last: None,
        matches: vec![0; program.rules.len()],
        most,
        bytes: 0,
        recorded: 0,
        program,
        watch,
    };
    let mut is_complete = vec![false; is_dynamic.len()];
    let mut result = Ok(());
    for component in order {
        result = reacher.component(component, false);
        if result.is_err() {
            break;
        }
        component.iter().for_each(|&relation| is_complete[relation as usize] = true);
    }
    if result.is_ok() {
        let dynamic: Vec<Rel> = (0..is_dynamic.len()).filter(|&r| is_dynamic[r]).map(number).collect();
        result = reacher.component(&dynamic, true);
    }
    if result.is_ok() && reacher.matches.iter().any(|&count| count >= most) {
        result = Err(StopReason::Instances(most));
    }
    let Reacher { terms, tables, atoms, instances, .. } = reacher;
    match result {
        Ok(()) => Ok(Reached { terms, tables, atoms, instances }),
        Err(reason) => Err(Box::new(GivenUp { reason, terms, tables, is_complete })),
    }
}

struct Reacher<'a> {
    program: &'a NormalProgram,
    is_dynamic: &'a [bool],
    tables: Vec<GroundTable>,
    terms: Terms,
    atoms: Vec<(Rel, u32)>,
    atom_numbers: Vec<Vec<u32>>,
    instances: GroundInstances,
    /// By relation: its rules.
    rules_of: Vec<Vec<usize>>,
    /// By rule: its plan for every match, then those for a match of each condition.
    plans: Vec<Vec<Option<Rc<JoinPlan>>>>,
    /// Number of atoms when plans were last discarded.
    planned_at: usize,
    /// Rows that have been derived and are not yet active.
    queue: VecDeque<(Rel, u32)>,
    /// Those of demands. They wait: a demand that finds all there is to match gives instances with
    /// the same head one after the other, which is far cheaper than the other way round.
    demanded: VecDeque<(Rel, u32)>,
    state: Match,
    found: Matches,
    stack: Vec<TermId>,
    body: Vec<GroundLiteral>,
    /// Head of the last match that was recorded.
    last: Option<(Rel, u32)>,
    /// By rule: the matches so far.
    matches: Vec<usize>,
    most: usize,
    /// Memory of tables and terms, when last counted.
    bytes: usize,
    recorded: usize,
    watch: &'a mut Watch,
}

/// A condition to be matched with new rows of its relation.
struct Waiting {
    rule: usize,
    position: usize,
    /// What a row must have in some columns: a term, or a function.
    demands: Vec<(usize, Demanded)>,
}

enum Demanded {
    Term(TermId),
    Function(Symbol),
}

impl Waiting {
    fn new(rule: usize, position: usize, arguments: &[NormalPattern]) -> Self {
        let demand = |(column, pattern): (usize, &NormalPattern)| match pattern {
            NormalPattern::Ground(term) => Some((column, Demanded::Term(*term))),
            NormalPattern::Apply(symbol, _) => Some((column, Demanded::Function(*symbol))),
            NormalPattern::Variable(_) => None,
        };
        Self { rule, position, demands: arguments.iter().enumerate().filter_map(demand).collect() }
    }

    /// Whether a row can match, by a cheap test.
    fn may_fit(&self, cells: &[TermId], terms: &Terms) -> bool {
        self.demands.iter().all(|(column, demanded)| match demanded {
            Demanded::Term(term) => cells[*column] == *term,
            Demanded::Function(symbol) => terms.symbol(cells[*column]) == *symbol,
        })
    }
}

/// How many matches are recorded between two counts of the memory of tables.
const COUNT_EVERY: usize = 4096;

impl Reacher<'_> {
    /// Computes the relations of one component, which depend on each other.
    fn component(&mut self, relations: &[Rel], dynamic: bool) -> Result<(), StopReason> {
        let program = self.program;
        let inside: FxHashSet<Rel> = relations.iter().copied().collect();
        // For each relation of the component, the conditions that wait for its rows.
        let mut waiting: FxHashMap<Rel, Vec<Waiting>> = FxHashMap::default();
        let mut ready = Vec::new();
        for &at in relations.iter().flat_map(|&r| &self.rules_of[r as usize]) {
            let mut waits = false;
            for (position, literal) in program.rules[at].body.iter().enumerate() {
                if let NormalLiteral::Holds(relation, arguments) = literal
                    && inside.contains(relation)
                {
                    waiting.entry(*relation).or_default().push(Waiting::new(at, position, arguments));
                    waits = true;
                }
            }
            if !waits {
                ready.push(at);
            }
        }
        if dynamic {
            self.feed_first_state();
        }
        for rule in ready {
            self.fire(rule, None, dynamic)?;
        }
        while let Some((relation, row)) = self.queue.pop_front().or_else(|| self.demanded.pop_front()) {
            if !self.tables[relation as usize].activate(row, &self.terms) {
                continue;
            }
            if dynamic {
                self.feed(relation, row);
            }
            for waiting in waiting.get(&relation).map_or(&[][..], Vec::as_slice) {
                if waiting.may_fit(self.tables[relation as usize].row(row), &self.terms) {
                    self.fire(waiting.rule, Some((waiting.position, relation, row)), dynamic)?;
                }
            }
        }
        Ok(())
    }

    /// Feeds `init` into `true`.
    fn feed_first_state(&mut self) {
        let program = self.program;
        let (Some(init), Some(truth)) = (program.find(keyword::INIT, 1), program.find(keyword::TRUE, 1))
        else {
            return;
        };
        for row in 0..self.tables[init as usize].len() {
            let fact = self.tables[init as usize].row(number(row))[0];
            self.derive(truth, &[fact]);
        }
    }

    /// Feeds `next` into `true`, and `legal` into `does`.
    fn feed(&mut self, relation: Rel, row: u32) {
        let program = self.program;
        let symbol = program.relations[relation as usize].symbol;
        let target = match symbol {
            Some(keyword::NEXT) => program.find(keyword::TRUE, 1),
            Some(keyword::LEGAL) => program.find(keyword::DOES, 2),
            _ => None,
        };
        let Some(target) = target else { return };
        let values: Vec<TermId> = self.tables[relation as usize].row(row).to_vec();
        if symbol == Some(keyword::LEGAL) {
            let is_role = program
                .find(keyword::ROLE, 1)
                .is_some_and(|role| self.tables[role as usize].find(&values[..1]).is_some());
            if !is_role {
                return;
            }
        }
        self.derive(target, &values);
    }

    fn derive(&mut self, relation: Rel, values: &[TermId]) -> u32 {
        let row = self.tables[relation as usize].intern(values);
        if !self.tables[relation as usize].is_active(row) {
            self.queue.push_back((relation, row));
        }
        row
    }

    /// Finds the matches of a rule in which a condition is matched with a row (or all matches).
    fn fire(
        &mut self,
        rule_at: usize,
        first: Option<(usize, Rel, u32)>,
        dynamic: bool,
    ) -> Result<(), StopReason> {
        let program = self.program;
        let rule = &program.rules[rule_at];
        if self.matches[rule_at] >= self.most {
            return Ok(());
        }
        self.state.start(rule);
        if let Some((position, relation, row)) = first {
            let NormalLiteral::Holds(_, arguments) = &rule.body[position] else { return Ok(()) };
            let cells = self.tables[relation as usize].row(row);
            let values = &mut self.state.values;
            if !arguments.iter().zip(cells).all(|(p, &t)| unify(p, t, values, &self.terms)) {
                return Ok(());
            }
            self.state.rows[position] = row;
        }
        let plan = self.plan(rule_at, first.map(|(position, ..)| position));
        self.found.clear();
        let mut join = Join {
            rule,
            plan: &plan,
            first,
            tables: &mut self.tables,
            terms: &mut self.terms,
            state: &mut self.state,
            found: &mut self.found,
            most: self.most,
            watch: self.watch,
        };
        join.run()?;
        self.matches[rule_at] += self.found.len();
        for at in 0..self.found.len() {
            self.record(rule_at, at, dynamic)?;
        }
        Ok(())
    }

    /// The plan for a rule of which a condition has been matched; made when it is first asked for,
    /// and again when there are many more atoms than before.
    fn plan(&mut self, rule_at: usize, first: Option<usize>) -> Rc<JoinPlan> {
        let total: usize = self.atoms.len();
        if total > 8 * self.planned_at.max(64) {
            self.planned_at = total;
            self.plans.iter_mut().for_each(Vec::clear);
        }
        let rule = &self.program.rules[rule_at];
        let plans = &mut self.plans[rule_at];
        let slot = first.map_or(0, |position| position + 1);
        if plans.len() <= slot {
            plans.resize(rule.body.len() + 1, None);
        }
        if let Some(plan) = &plans[slot] {
            return Rc::clone(plan);
        }
        let dynamic_relation = |r: Rel| self.is_dynamic[r as usize];
        let context = JoinContext { rule, is_dynamic: &dynamic_relation };
        let made = Rc::new(plan(&context, first, &mut self.tables, &self.terms));
        plans[slot] = Some(Rc::clone(&made));
        made
    }

    /// Derives the head of a match; of rules that change in play the instance is kept.
    fn record(&mut self, rule_at: usize, match_at: usize, dynamic: bool) -> Result<(), StopReason> {
        let program = self.program;
        let rule = &program.rules[rule_at];
        let (values, _) = self.found.get(match_at, rule);
        self.stack.clear();
        for pattern in &rule.head.1 {
            let term = build(pattern, values, &mut self.stack, &mut self.terms);
            if term == NO_VALUE {
                return Err(StopReason::Unsupported("a rule leaves a variable without a value".into()));
            }
            self.stack.push(term);
        }
        // Matches that follow each other often have the same head.
        let same = self.last.filter(|&(relation, row)| {
            relation == rule.head.0 && self.tables[relation as usize].row(row) == self.stack
        });
        let row = match same {
            Some((_, row)) => row,
            None => self.tables[rule.head.0 as usize].intern(&self.stack),
        };
        self.last = Some((rule.head.0, row));
        if same.is_none() && !self.tables[rule.head.0 as usize].is_active(row) {
            match program.relations[rule.head.0 as usize].is_demand {
                true => self.demanded.push_back((rule.head.0, row)),
                false => self.queue.push_back((rule.head.0, row)),
            }
        }
        if dynamic && !program.relations[rule.head.0 as usize].is_demand {
            self.keep_instance(rule, row, match_at);
        }
        self.recorded += 1;
        if self.recorded.is_multiple_of(COUNT_EVERY) {
            self.bytes = self.tables.iter().map(GroundTable::bytes).sum::<usize>() + self.terms.bytes();
        }
        let bytes = self.bytes + self.instances.bytes() + self.found.bytes() + self.queue.len() * 8;
        self.watch.check(self.atoms.len(), self.instances.len(), bytes)
    }

    /// Records an instance with the literals that are decided in play.
    fn keep_instance(&mut self, rule: &NormalRule, row: u32, match_at: usize) {
        let head = self.atom(rule.head.0, row);
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        for (at, literal) in rule.body.iter().enumerate() {
            let Some(relation) = literal.relation() else { continue };
            let counts =
                self.is_dynamic[relation as usize] && !self.program.relations[relation as usize].is_demand;
            if counts {
                let row = self.found.get(match_at, rule).1[at];
                let negated = matches!(literal, NormalLiteral::Fails(..));
                body.push(2 * self.atom(relation, row) + u32::from(negated));
            }
        }
        body.sort_unstable();
        body.dedup();
        let contradicts = body.windows(2).any(|w| w[0] ^ w[1] == 1);
        if !contradicts && body.binary_search(&(2 * head)).is_err() {
            self.instances.add(head, &body);
        }
        self.body = body;
    }

    /// The number of an atom, given out when it is first asked for.
    fn atom(&mut self, relation: Rel, row: u32) -> u32 {
        let numbers = &mut self.atom_numbers[relation as usize];
        if numbers.len() <= row as usize {
            numbers.resize(row as usize + 1, u32::MAX);
        }
        if numbers[row as usize] == u32::MAX {
            numbers[row as usize] = number(self.atoms.len());
            self.atoms.push((relation, row));
        }
        numbers[row as usize]
    }
}
