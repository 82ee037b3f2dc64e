//! Ground rules as text: an equivalent sheet without variables.
//!
//! What does not change in play has been decided and does not occur; conditions that cannot fail
//! are left out. Parts that grounding split off rules with many variables have names of their own,
//! `part#17`. The text is GDL: it can be read back, and plays like the sheet that it was made of.

use std::fmt;

use ludex_gdl::{Rules, Symbol};

use super::program::Rel;
use super::table::GroundTable;
use super::{AtomKind, Ground};
use crate::limits::{Limits, StopReason};
use crate::progress::Progress;
use crate::term::TermId;

/// Names of atoms. Kept only for printing, because the tables are large.
#[derive(Debug)]
pub(crate) struct Labels {
    pub(super) relations: Vec<Option<Symbol>>,
    /// Relation and row of every atom.
    pub(super) atoms: Vec<(Rel, u32)>,
    pub(super) tables: Vec<GroundTable>,
}

/// A rule without variables, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundRule {
    /// The atom that follows.
    pub head: String,
    /// The conditions; empty for a fact.
    pub body: Vec<String>,
}

impl fmt::Display for GroundRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.body.as_slice() {
            [] => f.write_str(&self.head),
            body => write!(f, "(<= {} {})", self.head, body.join(" ")),
        }
    }
}

impl Ground {
    /// Grounds a sheet and keeps the names of atoms, so that its rules can be read.
    pub fn readable(rules: &Rules, limits: &Limits, progress: &Progress) -> Result<Self, StopReason> {
        Self::make(rules, limits, progress, true)
    }

    /// All rules one after the other: roles, the first state, instances. Atoms of a sheet that was
    /// not made [readable](Self::readable) have numbers for names.
    pub fn rules(&self) -> impl Iterator<Item = GroundRule> + '_ {
        let fact = |keyword: &str, term: TermId| GroundRule {
            head: format!("({keyword} {})", self.term(term)),
            body: Vec::new(),
        };
        let roles = self.roles.iter().map(move |&role| fact("role", role));
        let init = self.init.iter().map(move |&term| fact("init", term));
        let instances = (0..self.instances.len()).map(|at| {
            let (head, body) = self.instances.get(at);
            // The negation of an impossible atom always holds: left out.
            let matters = |literal: &&u32| **literal & 1 == 0 || self.possible[(**literal >> 1) as usize];
            let literal = |&literal: &u32| match (self.atom(literal >> 1), literal & 1 == 1) {
                (atom, true) => format!("(not {atom})"),
                (atom, false) => atom,
            };
            GroundRule { head: self.atom(head), body: body.iter().filter(matters).map(literal).collect() }
        });
        roles.chain(init).chain(instances)
    }

    fn term(&self, term: TermId) -> String {
        self.terms.text(&self.sheet.names, term)
    }

    fn atom(&self, atom: u32) -> String {
        let role = |role: u32| self.roles.get(role as usize).map_or_else(String::new, |&r| self.term(r));
        match self.atoms[atom as usize] {
            AtomKind::True(fact) => format!("(true {})", self.term(fact)),
            AtomKind::Next(fact) => format!("(next {})", self.term(fact)),
            AtomKind::Does(r, what) => format!("(does {} {})", role(r), self.term(what)),
            AtomKind::Legal(r, what) => format!("(legal {} {})", role(r), self.term(what)),
            AtomKind::Goal(r, value) => format!("(goal {} {})", role(r), self.term(value)),
            AtomKind::Terminal => "terminal".to_owned(),
            AtomKind::Derived => self.derived(atom),
        }
    }

    fn derived(&self, atom: u32) -> String {
        let Some(labels) = &self.labels else { return format!("atom#{atom}") };
        let (relation, row) = labels.atoms[atom as usize];
        let mut text = match labels.relations[relation as usize] {
            Some(symbol) => self.sheet.names.text(symbol).to_lowercase(),
            None => format!("part#{relation}"),
        };
        let arguments = labels.tables[relation as usize].row(row);
        if arguments.is_empty() {
            return text;
        }
        for &argument in arguments {
            text.push(' ');
            text.push_str(&self.term(argument));
        }
        format!("({text})")
    }
}
