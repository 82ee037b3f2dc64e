//! A game for one role as an answer-set program (Thielscher 2009).
//!
//! An answer set is a play: one legal move at each time until a terminal state, within a horizon.
//! The program maximizes the goal there, so its best answer is the best plan that short. Relations
//! that can change in play get the time as another argument; the others are computed once.

use std::fmt::{self, Display, Write};

use ludex_gdl::{Atom, Condition, Relation, Rule, Rules, Symbol, Term, keyword};
use rustc_hash::FxHashSet;

use crate::alternatives::expanded;
use crate::bindings::{atom_variables, variables};
use crate::groups::Groups;
use crate::prolog::{constant, is_word_of_the_language};
use crate::spelling::Spelling;

/// A rule with more alternatives than this is not multiplied out.
const MAX_ALTERNATIVES: usize = 4096;

/// Why a sheet has no answer-set program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotTranslate {
    /// The best play of several roles is not a plan.
    #[error("answer-set programs are for games with one role, this one has {0}")]
    Roles(usize),
    /// The rule has variables that only its callers bind.
    #[error("a rule leaves {0} open, and answer-set programs need a value for every variable: {1}")]
    Open(String, String),
    /// Too many alternatives.
    #[error("a rule has more than {MAX_ALTERNATIVES} alternatives: {0}")]
    Alternatives(String),
}

const TIME: &str = "\
time(0..horizon).
stopped(T) :- terminal(T).
stopped(T+1) :- stopped(T), time(T+1).
holds(F, 0) :- init(F).
holds(F, T+1) :- next(F, T), not stopped(T), time(T+1).
1 { does(R, M, T) : legal(R, M, T) } 1 :- role(R), time(T), T < horizon, not stopped(T).
ended(0) :- terminal(0).
ended(T+1) :- terminal(T+1), not stopped(T), time(T), time(T+1).
finished :- ended(T).
:- not finished.
score(V) :- ended(T), role(R), goal(R, V, T).
#maximize { V : score(V) }.
#show does/3.
#show score/1.
";

/// The game as a program for clingo: the best play that ends within `horizon` moves.
pub fn asp(rules: &Rules, horizon: usize) -> Result<String, CannotTranslate> {
    if rules.roles.len() != 1 {
        return Err(CannotTranslate::Roles(rules.roles.len()));
    }
    let used = used_symbols(rules);
    let spelling = Spelling::asp(&rules.names, |symbol| used.contains(&symbol));
    let groups = Groups::new(rules);
    let mut program = Program { rules, spelling: &spelling, groups: &groups, out: String::new() };
    program.head(horizon);
    for at in 0..rules.relations.len() {
        let mut first = true;
        for rule in groups.rules_of(rules, at) {
            if first {
                program.line(&"");
            }
            first = false;
            program.rule(rule)?;
        }
    }
    Ok(program.out)
}

struct Program<'a> {
    rules: &'a Rules,
    spelling: &'a Spelling,
    groups: &'a Groups,
    out: String,
}

impl<'a> Program<'a> {
    fn line(&mut self, line: &dyn Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{line}");
    }

    fn head(&mut self, horizon: usize) {
        self.line(&"% Run it with: clingo FILE. Another horizon: clingo -c horizon=40 FILE.");
        for (before, after) in &self.spelling.renamed {
            let _ = writeln!(self.out, "% {before} is spelled {after}");
        }
        let _ = writeln!(self.out, "\n#const horizon = {horizon}.\n{TIME}");
        self.line(&"% The rules of the sheet; T is the time.");
        // A predicate that no rule derives is empty, which clingo warns of.
        self.line(&"#defined init/1. #defined terminal/1. #defined next/2. #defined goal/3.");
        self.line(&"#defined legal/3. #defined role/1.");
        for (at, info) in self.rules.relations.iter().enumerate() {
            let Some(relation) = self.rules.relation(info.symbol, info.arity) else { continue };
            let derived = self.groups.rules_of(self.rules, at).next().is_some();
            if !derived && !is_word_of_the_language(info.symbol) {
                let arity = info.arity + usize::from(self.groups.is_changing(relation));
                let name = self.spelling.name(info.symbol);
                let _ = writeln!(self.out, "#defined r_{name}/{arity}.");
            }
        }
    }

    fn rule(&mut self, rule: &'a Rule) -> Result<(), CannotTranslate> {
        let in_words = || self.rules.display(rule).to_string();
        let lists = expanded(&rule.body, MAX_ALTERNATIVES)
            .ok_or_else(|| CannotTranslate::Alternatives(in_words()))?;
        let mut text = String::new();
        for list in lists {
            if let Some(open) = open_variable(rule, &list) {
                let name = self.rules.names.text(rule.variables[open as usize]);
                return Err(CannotTranslate::Open(name.into(), in_words()));
            }
            let clause = Clause { program: self, rule, conditions: &list };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{clause}");
        }
        self.out.push_str(&text);
        Ok(())
    }
}

/// Names of relations, constants and functions of the rules.
fn used_symbols(rules: &Rules) -> FxHashSet<Symbol> {
    let mut used: FxHashSet<Symbol> = rules.relations.iter().map(|info| info.symbol).collect();
    for rule in &rules.rules {
        rule.head.arguments.iter().for_each(|term| symbols_of(term, &mut used));
        symbols_of_conditions(&rule.body, &mut used);
    }
    used
}

fn symbols_of_conditions(conditions: &[Condition], used: &mut FxHashSet<Symbol>) {
    for condition in conditions {
        match condition {
            Condition::Holds(atom) | Condition::Fails(atom) => {
                atom.arguments.iter().for_each(|term| symbols_of(term, used));
            }
            Condition::Differ(a, b) | Condition::Same(a, b) => {
                symbols_of(a, used);
                symbols_of(b, used);
            }
            Condition::Any(branches) => {
                branches.iter().for_each(|branch| symbols_of_conditions(branch, used));
            }
        }
    }
}

fn symbols_of(term: &Term, used: &mut FxHashSet<Symbol>) {
    match term {
        Term::Constant(symbol) => {
            used.insert(*symbol);
        }
        Term::Variable(_) => {}
        Term::Compound(symbol, arguments) => {
            used.insert(*symbol);
            arguments.iter().for_each(|term| symbols_of(term, used));
        }
    }
}

/// A variable that no positive condition binds, if there is one.
fn open_variable(rule: &Rule, conditions: &[&Condition]) -> Option<u32> {
    let (mut bound, mut used) = (FxHashSet::default(), FxHashSet::default());
    atom_variables(&rule.head, &mut used);
    for condition in conditions {
        match condition {
            Condition::Holds(atom) => atom_variables(atom, &mut bound),
            Condition::Fails(atom) => atom_variables(atom, &mut used),
            Condition::Differ(a, b) | Condition::Same(a, b) => {
                variables(a, &mut used);
                variables(b, &mut used);
            }
            Condition::Any(_) => {}
        }
    }
    // An equation binds the variables of one side once those of the other have values.
    loop {
        let before = bound.len();
        for condition in conditions {
            if let Condition::Same(a, b) = condition {
                for (from, to) in [(a, b), (b, a)] {
                    let mut needs = FxHashSet::default();
                    variables(from, &mut needs);
                    if needs.is_subset(&bound) {
                        variables(to, &mut bound);
                    }
                }
            }
        }
        if bound.len() == before {
            break;
        }
    }
    used.difference(&bound).min().copied()
}

/// A rule without alternatives.
struct Clause<'a> {
    program: &'a Program<'a>,
    rule: &'a Rule,
    conditions: &'a [&'a Condition],
}

impl Display for Clause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changing = self.program.groups.is_changing(self.rule.head.relation);
        self.atom(f, &self.rule.head)?;
        for (at, condition) in self.conditions.iter().enumerate() {
            f.write_str(if at == 0 { " :- " } else { ", " })?;
            self.condition(f, condition)?;
        }
        if changing {
            f.write_str(if self.conditions.is_empty() { " :- " } else { ", " })?;
            f.write_str("time(T)")?;
        }
        f.write_char('.')
    }
}

impl Clause<'_> {
    fn condition(&self, f: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
        match condition {
            Condition::Holds(atom) => self.atom(f, atom),
            Condition::Fails(atom) => {
                f.write_str("not ")?;
                self.atom(f, atom)
            }
            Condition::Differ(a, b) => self.compared(f, a, "!=", b),
            Condition::Same(a, b) => self.compared(f, a, "=", b),
            // Multiplied out before.
            Condition::Any(_) => Ok(()),
        }
    }

    fn compared(&self, f: &mut fmt::Formatter<'_>, a: &Term, sign: &str, b: &Term) -> fmt::Result {
        self.term(f, a)?;
        write!(f, " {sign} ")?;
        self.term(f, b)
    }

    fn atom(&self, f: &mut fmt::Formatter<'_>, atom: &Atom) -> fmt::Result {
        self.name(f, atom.relation)?;
        let changing = self.program.groups.is_changing(atom.relation);
        for (at, argument) in atom.arguments.iter().enumerate() {
            f.write_str(if at == 0 { "(" } else { ", " })?;
            self.term(f, argument)?;
        }
        match (atom.arguments.is_empty(), changing) {
            (true, true) => f.write_str("(T)"),
            (true, false) => Ok(()),
            (false, true) => f.write_str(", T)"),
            (false, false) => f.write_char(')'),
        }
    }

    fn name(&self, f: &mut fmt::Formatter<'_>, relation: Relation) -> fmt::Result {
        let symbol = self.program.rules.info(relation).symbol;
        match symbol {
            keyword::TRUE => f.write_str("holds"),
            _ if is_word_of_the_language(symbol) => f.write_str(self.program.spelling.name(symbol)),
            _ => write!(f, "r_{}", self.program.spelling.name(symbol)),
        }
    }

    fn term(&self, f: &mut fmt::Formatter<'_>, term: &Term) -> fmt::Result {
        match term {
            Term::Constant(symbol) => {
                f.write_str(constant(&self.program.rules.names, self.program.spelling, *symbol))
            }
            Term::Variable(variable) => write!(f, "V{variable}"),
            Term::Compound(symbol, arguments) => {
                f.write_str(self.program.spelling.name(*symbol))?;
                for (at, argument) in arguments.iter().enumerate() {
                    f.write_str(if at == 0 { "(" } else { ", " })?;
                    self.term(f, argument)?;
                }
                f.write_char(')')
            }
        }
    }
}
