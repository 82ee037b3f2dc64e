//! Grounding: instantiates the variables of rules.
//!
//! The pipeline: [`normal`] form, split into what changes in play and what does not, relaxed
//! reachability ([`reach`]), then [`Ground`]: atoms by kind, and instances of rules over them.

mod attempts;
mod change;
mod demand;
mod demand_choice;
mod instances;
mod join;
mod merge;
mod normal;
mod plan;
mod program;
mod reach;
mod sizes;
mod split;
mod statics;
mod table;
mod text;
mod unfold;

use std::sync::Arc;

use ludex_gdl::{Rules, keyword};

use crate::limits::{Limits, StopReason, Watch, errors_in};
use crate::progress::{Phase, Progress};
use crate::term::{TermId, Terms};
pub(crate) use instances::GroundInstances;
use program::Rel;
pub(crate) use program::number;
pub(crate) use statics::static_tables;
pub use text::GroundRule;
use text::Labels;

/// What a ground atom stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AtomKind {
    /// A fact of the state.
    True(TermId),
    /// A move made: number of the role, move.
    Does(u32, TermId),
    /// A legal move.
    Legal(u32, TermId),
    /// A fact of the next state.
    Next(TermId),
    /// A goal value of a role.
    Goal(u32, TermId),
    /// The game is over.
    Terminal,
    /// Anything else.
    Derived,
}

/// A sheet without variables.
#[derive(Debug)]
pub struct Ground {
    pub(crate) sheet: Arc<Rules>,
    pub(crate) terms: Terms,
    pub(crate) roles: Vec<TermId>,
    pub(crate) atoms: Vec<AtomKind>,
    /// Whether the atom can ever hold.
    pub(crate) possible: Vec<bool>,
    pub(crate) instances: GroundInstances,
    /// Facts of the first state.
    pub(crate) init: Vec<TermId>,
    /// Names of atoms, if the sheet was grounded to be printed.
    labels: Option<Labels>,
    /// Limits that also apply to the circuit built from it.
    pub(crate) watch: Watch,
}

/// Size of a grounded sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundSize {
    /// Atoms that change in play.
    pub atoms: usize,
    /// Instances of rules.
    pub instances: usize,
}

impl Ground {
    /// Grounds a sheet. The limits are for all of set-up: a circuit made of it must keep to what
    /// grounding left.
    pub fn new(rules: &Rules, limits: &Limits) -> Result<Self, StopReason> {
        Self::with_progress(rules, limits, &Progress::new())
    }

    /// Grounds a sheet, and lets others see how far that and the building of its circuit have come.
    pub fn with_progress(rules: &Rules, limits: &Limits, progress: &Progress) -> Result<Self, StopReason> {
        Self::make(rules, limits, progress, false)
    }

    fn make(rules: &Rules, limits: &Limits, progress: &Progress, readable: bool) -> Result<Self, StopReason> {
        if rules.errors > 0 {
            return Err(StopReason::Unsupported(errors_in(rules)));
        }
        let mut watch = Watch::new(limits, progress);
        watch.enter(Phase::Grounding);
        let (program, reached) = attempts::ground(rules, &mut watch)?;
        let mut terms = reached.terms;
        let roles: Vec<TermId> = rules.roles.iter().filter_map(|role| intern(role, &mut terms)).collect();
        let role_number = |term: TermId| roles.iter().position(|&r| r == term).map(number);
        let kind = |&(relation, row): &(Rel, u32)| {
            let values = reached.tables[relation as usize].row(row);
            let symbol = program.relations[relation as usize].symbol;
            match (symbol, values) {
                (Some(keyword::TRUE), &[fact]) => AtomKind::True(fact),
                (Some(keyword::NEXT), &[fact]) => AtomKind::Next(fact),
                (Some(keyword::TERMINAL), []) => AtomKind::Terminal,
                (Some(keyword::DOES), &[role, what]) => {
                    role_number(role).map_or(AtomKind::Derived, |r| AtomKind::Does(r, what))
                }
                (Some(keyword::LEGAL), &[role, what]) => {
                    role_number(role).map_or(AtomKind::Derived, |r| AtomKind::Legal(r, what))
                }
                (Some(keyword::GOAL), &[role, what]) => {
                    role_number(role).map_or(AtomKind::Derived, |r| AtomKind::Goal(r, what))
                }
                _ => AtomKind::Derived,
            }
        };
        let atoms: Vec<AtomKind> = reached.atoms.iter().map(kind).collect();
        let possible =
            reached.atoms.iter().map(|&(r, row)| reached.tables[r as usize].is_active(row)).collect();
        let init = program.find(keyword::INIT, 1).map_or(Vec::new(), |init| {
            let table = &reached.tables[init as usize];
            (0..table.len()).map(|row| table.row(number(row))[0]).collect()
        });
        let relations = program.relations.iter().map(|relation| relation.symbol).collect();
        let labels = readable.then_some(Labels { relations, atoms: reached.atoms, tables: reached.tables });
        Ok(Self {
            sheet: Arc::new(rules.clone()),
            terms,
            roles,
            atoms,
            possible,
            instances: reached.instances,
            init,
            labels,
            watch,
        })
    }

    /// Bytes in use, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.atoms.len() * (size_of::<AtomKind>() + 1) + self.terms.bytes() + self.instances.bytes()
    }

    /// Counts atoms and instances.
    pub fn size(&self) -> GroundSize {
        GroundSize { atoms: self.atoms.len(), instances: self.instances.len() }
    }
}

fn intern(term: &ludex_gdl::Term, terms: &mut Terms) -> Option<TermId> {
    match term {
        ludex_gdl::Term::Constant(symbol) => Some(terms.intern(*symbol, &[])),
        ludex_gdl::Term::Variable(_) => None,
        ludex_gdl::Term::Compound(symbol, arguments) => {
            let arguments: Option<Vec<TermId>> = arguments.iter().map(|a| intern(a, terms)).collect();
            Some(terms.intern(*symbol, &arguments?))
        }
    }
}
