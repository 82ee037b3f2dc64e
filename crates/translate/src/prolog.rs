//! A sheet as a Prolog program (Finnsson 2007, §3.3.1 and algorithm 3).
//!
//! The state is the set of `true/1` facts of the database, a joint move the set of `does/2` facts.
//! Relations of the sheet get the prefix `r_`, so that none meets a built-in predicate. Recursive
//! relations are tabled: they may go in circles, which plain Prolog would follow for ever.

use std::fmt::{self, Display, Write};

use ludex_gdl::{Atom, Condition, Names, Rule, Rules, Symbol, Term, keyword};
use rustc_hash::FxHashSet;

use crate::bindings::{ordered, variables};
use crate::groups::Groups;
use crate::spelling::{Spelling, is_number};

const HEAD: &str = "\
% Load it with: swipl FILE. Then for example:
%   ?- initial(State), set_state(State), legal_moves(Role, Moves).
%   ?- make_transition([does(Role, Move), ...]), state(State).
%   ?- set_state(State).                   undoes moves: go back to a state that was kept
%   ?- terminal, goal(Role, Value).

:- style_check(-singleton).
:- dynamic true/1, does/2.
";

const FUNCTIONS: &str = "\
% What a player does with the rules.

initial(State) :- findall(Fact, init(Fact), Facts), sort(Facts, State).

state(State) :- findall(Fact, true(Fact), Facts), sort(Facts, State).

set_state(State) :-
    retractall(true(_)),
    forall(member(Fact, State), assertz(true(Fact))),
    abolish_all_tables.

legal_moves(Role, Moves) :-
    role(Role),
    findall(Move, legal(Role, Move), All),
    sort(All, Moves).

make_transition(Moves) :-
    forall(member(does(Role, Move), Moves), assertz(does(Role, Move))),
    abolish_all_tables,
    findall(Fact, next(Fact), Facts),
    sort(Facts, State),
    retractall(does(_, _)),
    set_state(State).

distinct(A, B) :- A \\= B.
";

/// The sheet as a program for SWI-Prolog.
pub fn prolog(rules: &Rules) -> String {
    let spelling = Spelling::prolog(&rules.names);
    let groups = Groups::new(rules);
    let mut out = String::from(HEAD);
    // Writing to a string does not fail.
    let _ = write_program(&mut out, rules, &spelling, &groups);
    out
}

fn write_program(out: &mut String, rules: &Rules, spelling: &Spelling, groups: &Groups) -> fmt::Result {
    let name = |at: usize| {
        let info = &rules.relations[at];
        format!("{}/{}", Predicate { spelling, symbol: info.symbol }, info.arity)
    };
    let relations = 0..rules.relations.len();
    for at in relations.clone().filter(|&at| groups.is_recursive(at)) {
        writeln!(out, ":- table {}.", name(at))?;
    }
    // Prolog stops at a predicate that it has never heard of.
    let defined = |at: usize| groups.rules_of(rules, at).next().is_some();
    let mut missing: FxHashSet<String> = ["role/1", "init/1", "next/1", "legal/2", "goal/2", "terminal/0"]
        .into_iter()
        .map(String::from)
        .collect();
    for at in relations.clone() {
        match defined(at) {
            true => drop(missing.remove(&name(at))),
            false => drop(missing.insert(name(at))),
        }
    }
    for known in ["true/1", "does/2"] {
        missing.remove(known);
    }
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_unstable();
    for name in missing {
        writeln!(out, ":- dynamic {name}.")?;
    }
    writeln!(out, "\n{FUNCTIONS}\n% The rules of the sheet.")?;
    for at in relations.filter(|&at| defined(at)) {
        writeln!(out)?;
        for rule in groups.rules_of(rules, at) {
            writeln!(out, "{}", Clause { rules, spelling, rule })?;
        }
    }
    Ok(())
}

/// A relation: the language's own words as they are, others with a prefix.
struct Predicate<'a> {
    spelling: &'a Spelling,
    symbol: Symbol,
}

impl Display for Predicate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.spelling.name(self.symbol);
        if is_word_of_the_language(self.symbol) {
            return f.write_str(name);
        }
        match name.strip_prefix('\'') {
            Some(rest) => write!(f, "'r_{rest}"),
            None => write!(f, "r_{name}"),
        }
    }
}

/// Whether the relation is one of the language's own that a program keeps under its name.
pub(crate) fn is_word_of_the_language(symbol: Symbol) -> bool {
    matches!(
        symbol,
        keyword::ROLE
            | keyword::INIT
            | keyword::TRUE
            | keyword::NEXT
            | keyword::LEGAL
            | keyword::DOES
            | keyword::GOAL
            | keyword::TERMINAL
    )
}

/// A rule as a clause.
struct Clause<'a> {
    rules: &'a Rules,
    spelling: &'a Spelling,
    rule: &'a Rule,
}

impl Display for Clause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.atom(f, &self.rule.head)?;
        if !self.rule.body.is_empty() {
            let mut bound = FxHashSet::default();
            for &open in &self.rules.info(self.rule.head.relation).given_by_caller {
                variables(&self.rule.head.arguments[open], &mut bound);
            }
            f.write_str(" :- ")?;
            self.conditions(f, &self.rule.body, &mut bound)?;
        }
        f.write_char('.')
    }
}

impl Clause<'_> {
    fn atom(&self, f: &mut fmt::Formatter<'_>, atom: &Atom) -> fmt::Result {
        let symbol = self.rules.info(atom.relation).symbol;
        write!(f, "{}", Predicate { spelling: self.spelling, symbol })?;
        self.arguments(f, &atom.arguments)
    }

    fn arguments(&self, f: &mut fmt::Formatter<'_>, arguments: &[Term]) -> fmt::Result {
        for (at, argument) in arguments.iter().enumerate() {
            f.write_str(if at == 0 { "(" } else { ", " })?;
            self.term(f, argument)?;
        }
        f.write_str(if arguments.is_empty() { "" } else { ")" })
    }

    fn term(&self, f: &mut fmt::Formatter<'_>, term: &Term) -> fmt::Result {
        match term {
            Term::Constant(symbol) => f.write_str(constant(&self.rules.names, self.spelling, *symbol)),
            Term::Variable(variable) => write!(f, "V{variable}"),
            Term::Compound(symbol, arguments) => {
                f.write_str(self.spelling.name(*symbol))?;
                self.arguments(f, arguments)
            }
        }
    }

    fn conditions(
        &self,
        f: &mut fmt::Formatter<'_>,
        conditions: &[Condition],
        bound: &mut FxHashSet<u32>,
    ) -> fmt::Result {
        if conditions.is_empty() {
            return f.write_str("true");
        }
        let mut before = bound.clone();
        for (at, condition) in ordered(self.rules, conditions, bound).into_iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            self.condition(f, condition, &mut before)?;
            ordered(self.rules, std::slice::from_ref(condition), &mut before);
        }
        Ok(())
    }

    fn condition(
        &self,
        f: &mut fmt::Formatter<'_>,
        condition: &Condition,
        bound: &mut FxHashSet<u32>,
    ) -> fmt::Result {
        match condition {
            Condition::Holds(atom) => self.atom(f, atom),
            Condition::Fails(atom) => {
                f.write_str("\\+ ")?;
                self.atom(f, atom)
            }
            Condition::Differ(a, b) => {
                f.write_str("distinct(")?;
                self.term(f, a)?;
                f.write_str(", ")?;
                self.term(f, b)?;
                f.write_char(')')
            }
            Condition::Same(a, b) => {
                self.term(f, a)?;
                f.write_str(" = ")?;
                self.term(f, b)
            }
            Condition::Any(branches) if branches.is_empty() => f.write_str("fail"),
            Condition::Any(branches) => {
                for (at, branch) in branches.iter().enumerate() {
                    f.write_str(if at == 0 { "( " } else { " ; " })?;
                    self.conditions(f, branch, &mut bound.clone())?;
                }
                f.write_str(" )")
            }
        }
    }
}

/// A constant: numbers stay numbers.
pub(crate) fn constant<'a>(names: &'a Names, spelling: &'a Spelling, symbol: Symbol) -> &'a str {
    let text = names.text(symbol);
    if is_number(text) { text } else { spelling.name(symbol) }
}
