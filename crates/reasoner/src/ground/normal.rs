//! Rules in normal form: each a head and a flat list of conditions whose variables all get values
//! from positive conditions.
//!
//! - Alternatives are multiplied out while they are few; a rule with many gets a relation of its
//!   own for each of them.
//! - A relation whose rules leave positions to the caller is copied for each use, with the caller's
//!   conditions as guards, so that every rule can be evaluated from its conditions alone. Where such
//!   relations use themselves that has no end; they stay as they are and are computed on demand.
//! - The player in `legal` and `goal` ranges over the roles.
//! - A negated condition with a variable of its own becomes the negation of a relation without it.
//! - Equalities are substituted away.

use ludex_gdl::{Condition, Rule, Rules, Symbol, Term, keyword};
use rustc_hash::FxHashSet;

use super::demand::places_of;
use super::program::{
    NormalLiteral, NormalPattern, NormalProgram, NormalRelation, NormalRule, Rel, number, variables_of,
};
use crate::limits::StopReason;
use crate::term::TermId;

/// More alternatives than this in one rule are not multiplied out.
const MAX_PRODUCT: usize = 16;
/// How deeply abbreviations may use each other.
const MAX_UNFOLDING: usize = 64;

/// What becomes of relations that leave values to their callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callers {
    /// Copied for each use; an error if they use themselves.
    Copied,
    /// They stay, to be computed on demand.
    Demand,
}

/// Brings all rules into normal form.
pub(crate) fn normal_form(rules: &Rules, callers: Callers) -> Result<NormalProgram, StopReason> {
    let relations = rules.relations.iter().map(|r| {
        let is_players = matches!(r.symbol, keyword::LEGAL | keyword::GOAL);
        let stays = callers == Callers::Demand && !is_players;
        let given = if stays { places_of(&r.given_by_caller) } else { 0 };
        NormalRelation { symbol: Some(r.symbol), arity: r.arity, given, is_demand: false }
    });
    let program = NormalProgram { relations: relations.collect(), ..NormalProgram::default() };
    let definitions = vec![Vec::new(); rules.relations.len()];
    let mut normaliser = Normaliser { rules, callers, program, definitions };
    for (at, rule) in rules.rules.iter().enumerate() {
        normaliser.definitions[rule.head.relation.index()].push(at);
    }
    for rule in &rules.rules {
        // Copies of abbreviations are made where they are used.
        if !normaliser.is_abbreviation(number(rule.head.relation.index())) {
            normaliser.rule(rule)?;
        }
    }
    let mut program = normaliser.program;
    program.ensure_keywords();
    program.keep_relevant();
    Ok(program)
}

/// A partly normalised rule: some conditions are still as written.
struct Draft {
    head: (Rel, Vec<NormalPattern>),
    body: Vec<NormalLiteral>,
    /// Pairs of terms that must be the same.
    equal: Vec<(NormalPattern, NormalPattern)>,
    variables: u32,
}

struct Normaliser<'a> {
    rules: &'a Rules,
    callers: Callers,
    program: NormalProgram,
    /// By relation: its rules.
    definitions: Vec<Vec<usize>>,
}

impl Normaliser<'_> {
    fn pattern(&mut self, term: &Term, first_variable: u32) -> NormalPattern {
        match term {
            Term::Constant(symbol) => NormalPattern::Ground(self.program.terms.intern(*symbol, &[])),
            Term::Variable(v) => NormalPattern::Variable(first_variable + v),
            Term::Compound(symbol, arguments) => {
                let arguments = arguments.iter().map(|a| self.pattern(a, first_variable)).collect();
                self.apply(*symbol, arguments)
            }
        }
    }

    /// A term with a name in front: a number if nothing in it is open.
    fn apply(&mut self, symbol: Symbol, arguments: Vec<NormalPattern>) -> NormalPattern {
        let ground: Option<Vec<TermId>> = arguments
            .iter()
            .map(|a| match a {
                NormalPattern::Ground(term) => Some(*term),
                _ => None,
            })
            .collect();
        match ground {
            Some(ground) => NormalPattern::Ground(self.program.terms.intern(symbol, &ground)),
            None => NormalPattern::Apply(symbol, arguments),
        }
    }

    fn patterns(&mut self, terms: &[Term], first_variable: u32) -> Vec<NormalPattern> {
        terms.iter().map(|t| self.pattern(t, first_variable)).collect()
    }

    fn rule(&mut self, rule: &Rule) -> Result<(), StopReason> {
        let head = (rule.head.relation.index(), self.patterns(&rule.head.arguments, 0));
        let mut draft = Draft {
            head: (number(head.0), head.1),
            body: Vec::new(),
            equal: Vec::new(),
            variables: number(rule.variables.len()),
        };
        let info = self.rules.info(rule.head.relation);
        let is_players = matches!(info.symbol, keyword::LEGAL | keyword::GOAL);
        let role = self.program.find(keyword::ROLE, 1);
        if let Some(role) = role.filter(|_| is_players && info.given_by_caller.contains(&0)) {
            draft.body.push(NormalLiteral::Holds(role, vec![draft.head.1[0].clone()]));
        }
        self.conditions(draft, &rule.body, 0, 0)
    }

    /// Adds conditions (with their variables shifted) to a draft and finishes it.
    fn conditions(
        &mut self,
        draft: Draft,
        body: &[Condition],
        shift: u32,
        depth: usize,
    ) -> Result<(), StopReason> {
        let product = body.iter().fold(1usize, |n, c| n.saturating_mul(alternatives(c)));
        let mut drafts = vec![draft];
        for condition in body {
            drafts = self.condition(drafts, condition, body, shift, product <= MAX_PRODUCT)?;
        }
        for draft in drafts {
            self.finish(draft, depth)?;
        }
        Ok(())
    }

    /// Adds one condition to every draft; alternatives make more drafts.
    fn condition(
        &mut self,
        mut drafts: Vec<Draft>,
        condition: &Condition,
        siblings: &[Condition],
        shift: u32,
        multiply: bool,
    ) -> Result<Vec<Draft>, StopReason> {
        match condition {
            Condition::Holds(atom) => {
                let arguments = self.patterns(&atom.arguments, shift);
                for draft in &mut drafts {
                    draft.body.push(NormalLiteral::Holds(number(atom.relation.index()), arguments.clone()));
                }
                Ok(drafts)
            }
            Condition::Fails(atom) => {
                let arguments = self.patterns(&atom.arguments, shift);
                for draft in &mut drafts {
                    draft.body.push(NormalLiteral::Fails(number(atom.relation.index()), arguments.clone()));
                }
                Ok(drafts)
            }
            Condition::Differ(a, b) => {
                let pair = (self.pattern(a, shift), self.pattern(b, shift));
                drafts
                    .iter_mut()
                    .for_each(|d| d.body.push(NormalLiteral::Differ(pair.0.clone(), pair.1.clone())));
                Ok(drafts)
            }
            Condition::Same(a, b) => {
                let pair = (self.pattern(a, shift), self.pattern(b, shift));
                drafts.iter_mut().for_each(|d| d.equal.push(pair.clone()));
                Ok(drafts)
            }
            Condition::Any(branches) if multiply => {
                let mut all = Vec::new();
                for branch in branches {
                    let mut copies: Vec<Draft> = drafts.iter().map(Draft::copy).collect();
                    for inner in branch {
                        copies = self.condition(copies, inner, branch, shift, true)?;
                    }
                    all.extend(copies);
                }
                Ok(all)
            }
            Condition::Any(branches) => {
                let helper = self.alternatives_as_relation(branches, siblings, shift, &drafts)?;
                drafts.iter_mut().for_each(|d| d.body.push(helper.clone()));
                Ok(drafts)
            }
        }
    }

    /// A relation that holds when one of the branches does, over all their variables. Conditions
    /// beside the alternatives guard it, so that its rules stand on their own.
    fn alternatives_as_relation(
        &mut self,
        branches: &[Vec<Condition>],
        siblings: &[Condition],
        shift: u32,
        drafts: &[Draft],
    ) -> Result<NormalLiteral, StopReason> {
        let mut set = FxHashSet::default();
        branches.iter().flatten().for_each(|c| self.condition_variables(c, shift, &mut set));
        // Only variables that matter outside are passed on: those of a positive sibling or the
        // head.
        let mut outside = FxHashSet::default();
        let mut guards: Vec<Condition> = Vec::new();
        for sibling in siblings {
            if let Condition::Holds(_) = sibling {
                let mut own = FxHashSet::default();
                self.condition_variables(sibling, shift, &mut own);
                if own.iter().any(|v| set.contains(v)) {
                    guards.push(sibling.clone());
                }
                outside.extend(own);
            } else if !matches!(sibling, Condition::Any(b) if b.as_slice() == branches) {
                self.condition_variables(sibling, shift, &mut outside);
            }
        }
        let mut head_variables = FxHashSet::default();
        drafts.iter().flat_map(|d| &d.head.1).for_each(|p| variables_of(p, &mut head_variables));
        let mut shared: Vec<u32> =
            set.into_iter().filter(|v| outside.contains(v) || head_variables.contains(v)).collect();
        shared.sort_unstable();
        let helper = self.program.add_relation(shared.len());
        let given: FxHashSet<u32> = drafts.iter().flat_map(|d| self.given_variables(d)).collect();
        let positions: Vec<usize> = (0..shared.len()).filter(|&at| given.contains(&shared[at])).collect();
        self.program.relations[helper as usize].given = places_of(&positions);
        let arguments: Vec<NormalPattern> = shared.iter().map(|&v| NormalPattern::Variable(v)).collect();
        let variables = drafts.first().map_or(0, |d| d.variables);
        for branch in branches {
            let draft =
                Draft { head: (helper, arguments.clone()), body: Vec::new(), equal: Vec::new(), variables };
            let body: Vec<Condition> = guards.iter().chain(branch).cloned().collect();
            self.conditions(draft, &body, shift, 0)?;
        }
        Ok(NormalLiteral::Holds(helper, arguments))
    }

    fn condition_variables(&mut self, condition: &Condition, shift: u32, into: &mut FxHashSet<u32>) {
        match condition {
            Condition::Holds(atom) | Condition::Fails(atom) => {
                self.patterns(&atom.arguments, shift).iter().for_each(|p| variables_of(p, into));
            }
            Condition::Differ(a, b) | Condition::Same(a, b) => {
                for term in [a, b] {
                    let pattern = self.pattern(term, shift);
                    variables_of(&pattern, into);
                }
            }
            Condition::Any(branches) => {
                branches.iter().flatten().for_each(|c| self.condition_variables(c, shift, into));
            }
        }
    }

    /// Substitutes equalities, replaces abbreviations and open negations, and adds the rule.
    fn finish(&mut self, mut draft: Draft, depth: usize) -> Result<(), StopReason> {
        if depth > MAX_UNFOLDING {
            return Err(StopReason::Unsupported(
                "relations that leave values to their callers use themselves".into(),
            ));
        }
        while let Some((a, b)) = draft.equal.pop() {
            if !self.unify(&mut draft, a, b) {
                return Ok(()); // the rule can never fire
            }
        }
        let uses: Vec<usize> = (0..draft.body.len())
            .filter(|&at| match &draft.body[at] {
                NormalLiteral::Holds(r, _) | NormalLiteral::Fails(r, _) => self.is_abbreviation(*r),
                NormalLiteral::Differ(..) => false,
            })
            .collect();
        for at in uses {
            self.unfold(&mut draft, at, depth)?;
        }
        self.close_negations(&mut draft);
        let mut seen = FxHashSet::default();
        draft.body.retain(|literal| seen.insert(literal.clone()));
        self.program.rules.push(NormalRule {
            head: draft.head,
            body: draft.body,
            variables: draft.variables,
        });
        Ok(())
    }

    fn is_abbreviation(&self, relation: Rel) -> bool {
        let info = self.rules.relations.get(relation as usize);
        // `legal` and `goal` only lack the player, who is one of the roles.
        info.is_some_and(|info| {
            self.callers == Callers::Copied
                && !info.given_by_caller.is_empty()
                && !matches!(info.symbol, keyword::LEGAL | keyword::GOAL)
        })
    }

    /// Replaces a use of an abbreviation by a relation of its own: the rules of the abbreviation
    /// with this use's arguments, guarded by the positive conditions that give them values.
    fn unfold(&mut self, draft: &mut Draft, at: usize, depth: usize) -> Result<(), StopReason> {
        let (relation, arguments, holds) = match &draft.body[at] {
            NormalLiteral::Holds(r, a) => (*r, a.clone(), true),
            NormalLiteral::Fails(r, a) => (*r, a.clone(), false),
            NormalLiteral::Differ(..) => return Ok(()),
        };
        let mut set = FxHashSet::default();
        arguments.iter().for_each(|a| variables_of(a, &mut set));
        let mut shared: Vec<u32> = set.iter().copied().collect();
        shared.sort_unstable();
        let guards: Vec<NormalLiteral> = draft
            .body
            .iter()
            .enumerate()
            .filter(|(i, literal)| match literal {
                NormalLiteral::Holds(r, _) => {
                    *i != at
                        && !self.is_abbreviation(*r)
                        && literal.variables().iter().any(|v| set.contains(v))
                }
                _ => false,
            })
            .map(|(_, literal)| literal.clone())
            .collect();
        let helper = self.program.add_relation(shared.len());
        let head: Vec<NormalPattern> = shared.iter().map(|&v| NormalPattern::Variable(v)).collect();
        let rules = self.rules;
        for definition in self.definitions[relation as usize].clone() {
            let rule = &rules.rules[definition];
            let shift = draft.variables;
            let given = self.patterns(&rule.head.arguments, shift);
            let copy = Draft {
                head: (helper, head.clone()),
                body: guards.clone(),
                equal: arguments.iter().cloned().zip(given).collect(),
                variables: shift + number(rule.variables.len()),
            };
            self.conditions(copy, &rule.body, shift, depth + 1)?;
        }
        draft.body[at] =
            if holds { NormalLiteral::Holds(helper, head) } else { NormalLiteral::Fails(helper, head) };
        Ok(())
    }

    /// A negated condition with variables that nothing gives values: negate a relation without
    /// them.
    fn close_negations(&mut self, draft: &mut Draft) {
        let mut bound = self.given_variables(draft);
        for literal in &draft.body {
            if let NormalLiteral::Holds(..) = literal {
                bound.extend(literal.variables());
            }
        }
        for at in 0..draft.body.len() {
            let NormalLiteral::Fails(relation, arguments) = &draft.body[at] else { continue };
            let own = draft.body[at].variables();
            if own.iter().all(|v| bound.contains(v)) {
                continue;
            }
            let mut shared: Vec<u32> = own.into_iter().filter(|v| bound.contains(v)).collect();
            shared.sort_unstable();
            let head: Vec<NormalPattern> = shared.iter().map(|&v| NormalPattern::Variable(v)).collect();
            let body = vec![NormalLiteral::Holds(*relation, arguments.clone())];
            let helper = self.program.add_relation(shared.len());
            // What the negated relation is given by its callers, its helper is, too.
            let given = self.program.relations[*relation as usize].given;
            if given != 0 {
                let positions: Vec<usize> = (0..shared.len()).collect();
                self.program.relations[helper as usize].given = places_of(&positions);
            }
            self.program.rules.push(NormalRule {
                head: (helper, head.clone()),
                body,
                variables: draft.variables,
            });
            draft.body[at] = NormalLiteral::Fails(helper, head);
        }
    }

    /// The variables of a head that have values where the relation is called.
    fn given_variables(&self, draft: &Draft) -> FxHashSet<u32> {
        let given = self.program.relations[draft.head.0 as usize].given;
        let mut set = FxHashSet::default();
        for (at, argument) in draft.head.1.iter().enumerate().take(64) {
            if given >> at & 1 == 1 {
                variables_of(argument, &mut set);
            }
        }
        set
    }

    /// Makes two terms of a draft the same; false if that cannot be.
    fn unify(&mut self, draft: &mut Draft, a: NormalPattern, b: NormalPattern) -> bool {
        match (a, b) {
            (a, b) if a == b => true,
            (NormalPattern::Variable(v), other) | (other, NormalPattern::Variable(v)) => {
                let mut inside = FxHashSet::default();
                variables_of(&other, &mut inside);
                if inside.contains(&v) {
                    return false; // a term cannot be a part of itself
                }
                self.substitute(draft, v, &other);
                true
            }
            (NormalPattern::Apply(f, xs), NormalPattern::Apply(g, ys)) => {
                let fits = f == g && xs.len() == ys.len();
                draft.equal.extend(xs.into_iter().zip(ys));
                fits
            }
            (NormalPattern::Apply(f, xs), NormalPattern::Ground(term))
            | (NormalPattern::Ground(term), NormalPattern::Apply(f, xs)) => {
                let terms = &self.program.terms;
                let fits = terms.symbol(term) == f && terms.arguments(term).len() == xs.len();
                let parts: Vec<_> = terms.arguments(term).iter().map(|&t| NormalPattern::Ground(t)).collect();
                draft.equal.extend(xs.into_iter().zip(parts));
                fits
            }
            (NormalPattern::Ground(_), NormalPattern::Ground(_)) => false,
        }
    }

    fn substitute(&mut self, draft: &mut Draft, variable: u32, by: &NormalPattern) {
        let mut lists: Vec<&mut Vec<NormalPattern>> = vec![&mut draft.head.1];
        let mut singles: Vec<&mut NormalPattern> = Vec::new();
        for literal in &mut draft.body {
            match literal {
                NormalLiteral::Holds(_, a) | NormalLiteral::Fails(_, a) => lists.push(a),
                NormalLiteral::Differ(a, b) => singles.extend([a, b]),
            }
        }
        draft.equal.iter_mut().for_each(|(a, b)| singles.extend([a, b]));
        for pattern in lists.into_iter().flatten().chain(singles) {
            *pattern = self.replaced(pattern, variable, by);
        }
    }

    fn replaced(&mut self, pattern: &NormalPattern, variable: u32, by: &NormalPattern) -> NormalPattern {
        match pattern {
            NormalPattern::Variable(v) if *v == variable => by.clone(),
            NormalPattern::Apply(symbol, arguments) => {
                let arguments = arguments.iter().map(|a| self.replaced(a, variable, by)).collect();
                self.apply(*symbol, arguments)
            }
            other => other.clone(),
        }
    }
}

impl Draft {
    fn copy(&self) -> Draft {
        Draft {
            head: self.head.clone(),
            body: self.body.clone(),
            equal: self.equal.clone(),
            variables: self.variables,
        }
    }
}

/// Into how many alternatives a condition would be multiplied out.
fn alternatives(condition: &Condition) -> usize {
    match condition {
        Condition::Any(branches) => branches
            .iter()
            .map(|branch| branch.iter().fold(1usize, |n, c| n.saturating_mul(alternatives(c))))
            .fold(0, usize::saturating_add),
        _ => 1,
    }
}
