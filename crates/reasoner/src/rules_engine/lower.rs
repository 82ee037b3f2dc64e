//! From the rules of a sheet to a [`RulesProgram`].

use ludex_gdl::{Atom, Condition, Rules, Symbol, Term, keyword};

use super::program::{
    BodyGoal, Clause, Level, RelationId, RulesLiteral, RulesPattern, RulesProgram, RulesRelation,
    TupleSource, kind,
};
use crate::term::{TermId, Terms};

/// The program of a sheet; ground terms are added to the table.
pub(super) fn lower(rules: &Rules, terms: &mut Terms) -> RulesProgram {
    let mut program = RulesProgram::default();
    for info in &rules.relations {
        let kind = kind(info.symbol, info.arity);
        let mut required = vec![false; info.arity];
        for &position in &info.given_by_caller {
            required[position] = true;
        }
        // Players are known: `role` is asked where a rule leaves the player open.
        if info.arity == 2 && matches!(info.symbol, keyword::LEGAL | keyword::GOAL) {
            required[0] = false;
        }
        program.relations.push(RulesRelation {
            name: rules.names.text(info.symbol).to_lowercase(),
            arity: info.arity,
            kind,
            level: match kind {
                TupleSource::True => Level::State,
                TupleSource::Does => Level::Moves,
                TupleSource::Derived => Level::Fixed,
            },
            clauses: Vec::new(),
            required,
        });
    }
    let find = |symbol: Symbol, arity: usize| rules.relation(symbol, arity).map(|r| r.index());
    program.init = find(keyword::INIT, 1);
    program.terminal = find(keyword::TERMINAL, 0);
    program.legal = find(keyword::LEGAL, 2);
    program.next = find(keyword::NEXT, 1);
    program.goal = find(keyword::GOAL, 2);
    let role = find(keyword::ROLE, 1);
    let mut lowering = RulesLowering { terms, program };
    for rule in &rules.rules {
        let head = lowering.literal(&rule.head);
        let body = lowering.conditions(&rule.body);
        let relation = head.relation;
        let with_player = [lowering.program.legal, lowering.program.goal].contains(&Some(relation));
        lowering.clause(head, body, rule.variables.len(), role.filter(|_| with_player));
    }
    let roles: Vec<TermId> = rules.roles.iter().map(|role| lowering.ground(role)).collect();
    let mut program = lowering.program;
    program.roles = roles;
    program.set_levels();
    set_facts_apart(&mut program);
    program.set_components();
    program
}

/// A relation with many facts beside rules about the state keeps the facts in one that can be
/// stored.
fn set_facts_apart(program: &mut RulesProgram) {
    const FEW: usize = 3;
    for id in 0..program.relations.len() {
        let relation = &program.relations[id];
        let is_fact = |&clause: &usize| {
            let clause = &program.clauses[clause];
            clause.body.is_empty() && clause.variables == 0
        };
        let (facts, rest): (Vec<usize>, Vec<usize>) = relation.clauses.iter().partition(|c| is_fact(c));
        if relation.level == Level::Fixed || facts.len() < FEW {
            continue;
        }
        let arity = relation.arity;
        let store = program.relations.len();
        program.relations.push(RulesRelation {
            name: format!("{} (facts)", relation.name),
            arity,
            kind: TupleSource::Derived,
            level: Level::Fixed,
            clauses: facts.clone(),
            required: vec![false; arity],
        });
        for fact in facts {
            program.clauses[fact].head.relation = store;
        }
        let arguments: Vec<RulesPattern> = (0..arity).map(RulesPattern::Variable).collect();
        let body = vec![BodyGoal::Holds(RulesLiteral { relation: store, arguments: arguments.clone() })];
        program.relations[id].clauses = std::iter::once(program.clauses.len()).chain(rest).collect();
        program.clauses.push(Clause {
            head: RulesLiteral { relation: id, arguments },
            body,
            variables: arity,
        });
    }
}

struct RulesLowering<'a> {
    terms: &'a mut Terms,
    program: RulesProgram,
}

/// A condition with its terms lowered; disjunctions are still as written.
enum Raw {
    Simple(BodyGoal),
    Any(Vec<Vec<Raw>>),
}

impl Raw {
    fn variables(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Raw::Simple(goal) => goal.variables(visit),
            Raw::Any(branches) => branches.iter().flatten().for_each(|raw| raw.variables(visit)),
        }
    }
}

impl RulesLowering<'_> {
    fn ground(&mut self, term: &Term) -> TermId {
        match self.pattern(term) {
            RulesPattern::Ground(id) => id,
            // Roles are ground terms.
            _ => self.terms.intern(keyword::ROLE, &[]),
        }
    }

    fn pattern(&mut self, term: &Term) -> RulesPattern {
        match term {
            Term::Constant(symbol) => RulesPattern::Ground(self.terms.intern(*symbol, &[])),
            Term::Variable(variable) => RulesPattern::Variable(*variable as usize),
            Term::Compound(symbol, arguments) => {
                let arguments: Box<[RulesPattern]> = arguments.iter().map(|a| self.pattern(a)).collect();
                let ground: Option<Vec<TermId>> = arguments
                    .iter()
                    .map(|a| if let RulesPattern::Ground(id) = a { Some(*id) } else { None })
                    .collect();
                match ground {
                    Some(ground) => RulesPattern::Ground(self.terms.intern(*symbol, &ground)),
                    None => RulesPattern::Compound(*symbol, arguments),
                }
            }
        }
    }

    fn literal(&mut self, atom: &Atom) -> RulesLiteral {
        let arguments = atom.arguments.iter().map(|a| self.pattern(a)).collect();
        RulesLiteral { relation: atom.relation.index(), arguments }
    }

    fn conditions(&mut self, conditions: &[Condition]) -> Vec<Raw> {
        let mut raw = Vec::new();
        for condition in conditions {
            match condition {
                Condition::Holds(atom) => raw.push(Raw::Simple(BodyGoal::Holds(self.literal(atom)))),
                Condition::Fails(atom) => raw.push(Raw::Simple(BodyGoal::Fails(self.literal(atom)))),
                Condition::Differ(a, b) => {
                    raw.push(Raw::Simple(BodyGoal::Differ(self.pattern(a), self.pattern(b))));
                }
                Condition::Same(a, b) => {
                    raw.push(Raw::Simple(BodyGoal::Same(self.pattern(a), self.pattern(b))))
                }
                Condition::Any(branches) => match branches.as_slice() {
                    [only] => raw.extend(self.conditions(only)),
                    _ => raw.push(Raw::Any(branches.iter().map(|b| self.conditions(b)).collect())),
                },
            }
        }
        raw
    }

    /// Adds a clause. `role` is the relation that says who plays, where an open player ranges over
    /// it.
    fn clause(&mut self, head: RulesLiteral, body: Vec<Raw>, variables: usize, role: Option<RelationId>) {
        let mut body = self.body(&head, body, variables);
        let mut bound = vec![false; variables];
        self.given(&body, &mut bound);
        if let (Some(role), Some(RulesPattern::Variable(player))) = (role, head.arguments.first())
            && !bound[*player]
        {
            let arguments = vec![RulesPattern::Variable(*player)];
            body.push(BodyGoal::Holds(RulesLiteral { relation: role, arguments }));
        }
        let number = self.program.clauses.len();
        self.program.relations[head.relation].clauses.push(number);
        self.program.clauses.push(Clause { head, body, variables });
    }

    fn body(&mut self, head: &RulesLiteral, raw: Vec<Raw>, variables: usize) -> Vec<BodyGoal> {
        // In how many conditions each variable occurs, the head being one.
        let mut places = vec![0usize; variables];
        let mut last = vec![usize::MAX; variables];
        let mut count = |at: usize, variable: usize| {
            if std::mem::replace(&mut last[variable], at) != at {
                places[variable] += 1;
            }
        };
        head.variables(&mut |v| count(0, v));
        for (at, condition) in raw.iter().enumerate() {
            condition.variables(&mut |v| count(at + 1, v));
        }
        let mut bound = vec![false; variables];
        for condition in &raw {
            if let Raw::Simple(goal) = condition {
                self.given(std::slice::from_ref(goal), &mut bound);
            }
        }
        let mut given_or_head = bound.clone();
        self.given_by_raw(&raw, &mut given_or_head);
        self.given_by_raw(&raw, &mut given_or_head);
        for (argument, required) in head.arguments.iter().zip(&self.program.relations[head.relation].required)
        {
            if *required {
                argument.variables(&mut |v| given_or_head[v] = true);
            }
        }
        let mut body = Vec::new();
        for condition in raw {
            let goal = match condition {
                Raw::Simple(BodyGoal::Fails(literal)) => {
                    if self.needs_relation(&literal, &given_or_head) {
                        let inside = vec![Raw::Simple(BodyGoal::Holds(literal))];
                        let shared = shared(&inside, &|v| given_or_head[v]);
                        BodyGoal::Fails(self.abbreviate(vec![inside], &shared, variables))
                    } else {
                        BodyGoal::Fails(literal)
                    }
                }
                Raw::Simple(goal) => goal,
                Raw::Any(branches) => match self.as_tests(&branches, &bound) {
                    Some(branches) => BodyGoal::Any(branches),
                    None => {
                        let all = shared_in(&branches, &|v| places[v] > 1);
                        BodyGoal::Holds(self.abbreviate(branches, &all, variables))
                    }
                },
            };
            body.push(goal);
        }
        body
    }

    /// Marks the variables that get values when the conditions hold.
    fn given(&self, goals: &[BodyGoal], bound: &mut [bool]) {
        loop {
            let before = bound.iter().filter(|b| **b).count();
            for goal in goals {
                match goal {
                    BodyGoal::Holds(literal) => {
                        let required = &self.program.relations[literal.relation].required;
                        for (argument, required) in literal.arguments.iter().zip(required) {
                            if !required {
                                argument.variables(&mut |v| bound[v] = true);
                            }
                        }
                    }
                    BodyGoal::Same(a, b) => {
                        for (from, to) in [(a, b), (b, a)] {
                            let mut known = true;
                            from.variables(&mut |v| known &= bound[v]);
                            if known {
                                to.variables(&mut |v| bound[v] = true);
                            }
                        }
                    }
                    _ => {}
                }
            }
            if bound.iter().filter(|b| **b).count() == before {
                return;
            }
        }
    }

    /// Whether a negated literal has variables without a value that a plain test cannot ignore.
    fn needs_relation(&self, literal: &RulesLiteral, bound: &[bool]) -> bool {
        if self.program.relations[literal.relation].kind == TupleSource::True {
            return false; // looked up by paths into the term
        }
        let mut open: Vec<usize> = Vec::new();
        literal.variables(&mut |v| {
            if !bound[v] {
                open.push(v);
            }
        });
        let plain = literal.arguments.iter().filter(|a| matches!(a, RulesPattern::Variable(v) if !bound[*v]));
        let plain = plain.count();
        let repeated = open.iter().enumerate().any(|(at, v)| open[..at].contains(v));
        let does = self.program.relations[literal.relation].kind == TupleSource::Does;
        repeated || plain != open.len() || (does && !open.is_empty())
    }

    /// The branches as tests, if the values of all their variables come from elsewhere.
    fn as_tests(&self, branches: &[Vec<Raw>], bound: &[bool]) -> Option<Vec<Vec<BodyGoal>>> {
        let test = |raw: &Raw| match raw {
            Raw::Any(_) => None,
            Raw::Simple(goal) => {
                let mut known = true;
                goal.variables(&mut |v| known &= bound[v]);
                known.then(|| goal.clone())
            }
        };
        branches.iter().map(|branch| branch.iter().map(test).collect()).collect()
    }

    /// A relation of its own for conditions, over the variables they share with the rest of the
    /// rule.
    fn abbreviate(&mut self, branches: Vec<Vec<Raw>>, shared: &[usize], variables: usize) -> RulesLiteral {
        let relation = self.program.relations.len();
        self.program.relations.push(RulesRelation {
            name: "(or)".to_owned(),
            arity: shared.len(),
            kind: TupleSource::Derived,
            level: Level::Fixed,
            clauses: Vec::new(),
            required: vec![false; shared.len()],
        });
        let arguments: Vec<RulesPattern> = shared.iter().map(|&v| RulesPattern::Variable(v)).collect();
        let head = RulesLiteral { relation, arguments };
        // What some branch leaves open must have a value where the relation is used.
        for branch in &branches {
            let mut bound = vec![false; variables];
            self.given_by_raw(branch, &mut bound);
            for (position, &v) in shared.iter().enumerate() {
                self.program.relations[relation].required[position] |= !bound[v];
            }
        }
        for branch in branches {
            self.clause(head.clone(), branch, variables, None);
        }
        head
    }

    fn given_by_raw(&self, conditions: &[Raw], bound: &mut [bool]) {
        for condition in conditions {
            match condition {
                Raw::Simple(goal) => self.given(std::slice::from_ref(goal), bound),
                Raw::Any(branches) => {
                    let mut common: Option<Vec<bool>> = None;
                    for branch in branches {
                        let mut inner = bound.to_vec();
                        self.given_by_raw(branch, &mut inner);
                        common = Some(match common {
                            None => inner,
                            Some(c) => c.iter().zip(&inner).map(|(a, b)| *a && *b).collect(),
                        });
                    }
                    if let Some(common) = common {
                        bound.copy_from_slice(&common);
                    }
                }
            }
        }
    }
}

/// The variables of conditions that pass a test, in order of number.
fn shared(conditions: &[Raw], is_shared: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    for condition in conditions {
        condition.variables(&mut |v| {
            if is_shared(v) {
                found.push(v);
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn shared_in(branches: &[Vec<Raw>], is_shared: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> = branches.iter().flat_map(|b| shared(b, is_shared)).collect();
    found.sort_unstable();
    found.dedup();
    found
}
