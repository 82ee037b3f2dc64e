//! Grounding: from rules with variables to rules without.
//!
//! The pipeline: [`normal`] form, split into what changes in play and what does not, relaxed
//! reachability ([`reach`]), then [`Ground`]: atoms by kind, and instances of rules over them.

mod join;
mod normal;
mod plan;
mod reach;
mod split;
mod table;
mod text;

use std::time::Duration;

use ludex_gdl::graph::Graph;
use ludex_gdl::{Names, Rules, keyword};

use crate::limits::{Limits, StopReason, Watch};
use crate::progress::{Phase, Progress};
use crate::term::{TermId, Terms};
use normal::{Literal, Program, Rel, number};
pub(crate) use reach::Instances;
use reach::Reached;
use split::Sizes;
pub use text::GroundRule;
use text::Labels;

/// What a ground atom stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AtomKind {
    /// A fact of the state.
    True(TermId),
    /// What a role does: number of the role, move.
    Does(u32, TermId),
    /// What a role may do.
    Legal(u32, TermId),
    /// A fact of the next state.
    Next(TermId),
    /// What a role gets.
    Goal(u32, TermId),
    /// The game is over.
    Terminal,
    /// Anything else.
    Derived,
}

/// A sheet without variables.
#[derive(Debug)]
pub struct Ground {
    pub(crate) names: Names,
    pub(crate) terms: Terms,
    pub(crate) roles: Vec<TermId>,
    pub(crate) atoms: Vec<AtomKind>,
    /// Whether the atom can ever hold.
    pub(crate) possible: Vec<bool>,
    pub(crate) instances: Instances,
    /// Facts of the first state.
    pub(crate) init: Vec<TermId>,
    /// What atoms are called, if someone wants to read them.
    labels: Option<Labels>,
    /// Watches over what is made of it, too.
    pub(crate) watch: Watch,
}

/// How large a grounded sheet is.
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
        let mut watch = Watch::new(limits, progress);
        watch.enter(Phase::Grounding);
        let (program, reached) = best_grounding(rules, limits, &mut watch)?;
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
            names: rules.names.clone(),
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

    /// How large it is.
    pub fn size(&self) -> GroundSize {
        GroundSize { atoms: self.atoms.len(), instances: self.instances.len() }
    }
}

/// Grounds the rules as they are if they are small, or else with rules split: first by the number of
/// their variables, to learn how large the tables are, then by size.
fn best_grounding(
    rules: &Rules,
    limits: &Limits,
    watch: &mut Watch,
) -> Result<(Program, Reached), StopReason> {
    let normal = || -> Result<Program, StopReason> {
        let mut program = Program::new(rules)?;
        ensure_keywords(&mut program);
        Ok(program)
    };
    let ground = |mut program: Program, watch: &mut Watch| -> Result<(Program, Reached), StopReason> {
        let (is_dynamic, order) = classify(&program);
        let reached = reach::reach(&mut program, &is_dynamic, &order, watch)?;
        Ok((program, reached))
    };
    if let Ok(done) = ground(normal()?, &mut watch.attempt(SMALL_INSTANCES, SMALL_TIME)) {
        return Ok(done);
    }
    watch.look()?;
    let mut program = normal()?;
    split::split(&mut program, None);
    let (measured, reached) = ground(program, watch)?;
    let mut program = normal()?;
    let sizes = Sizes::measure(&program, &reached);
    split::split(&mut program, Some(&sizes));
    let first = (measured, reached);
    watch.keep(first.1.bytes());
    let second = ground(program, &mut watch.attempt(first.1.instances.len(), limits.time));
    watch.keep(0);
    watch.look()?;
    Ok(second.unwrap_or(first))
}

/// Up to this many instances a sheet is grounded as it is.
const SMALL_INSTANCES: usize = 2_000;
/// Up to this long.
const SMALL_TIME: Duration = Duration::from_millis(20);

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

/// The tables that feed each other must be there even if the sheet does not mention them.
fn ensure_keywords(program: &mut Program) {
    use keyword as k;
    for (symbol, arity) in
        [(k::TRUE, 1), (k::DOES, 2), (k::INIT, 1), (k::NEXT, 1), (k::LEGAL, 2), (k::ROLE, 1)]
    {
        if program.find(symbol, arity).is_none() {
            program.relations.push(normal::RelationInfo { symbol: Some(symbol), arity });
        }
    }
}

/// Which relations change in play, and the order in which to compute the others.
fn classify(program: &Program) -> (Vec<bool>, Vec<Vec<Rel>>) {
    use keyword as k;
    let count = program.relations.len();
    let mut edges = Vec::new();
    let mut negative = Vec::new();
    for rule in &program.rules {
        for literal in &rule.body {
            match literal {
                Literal::Holds(relation, _) => edges.push((rule.head.0, *relation)),
                Literal::Fails(relation, _) => {
                    edges.push((rule.head.0, *relation));
                    negative.push((rule.head.0, *relation));
                }
                Literal::Differ(..) => {}
            }
        }
    }
    let component = Graph::new(count, &edges).components();
    // What is decided in play: by keyword, or stratified only by values (decided in the circuit).
    let by_keyword = |r: &usize| {
        let symbol = program.relations[*r].symbol;
        let words = [k::TRUE, k::DOES, k::NEXT, k::LEGAL, k::GOAL, k::TERMINAL, k::SEES];
        symbol.is_some_and(|s| words.contains(&s))
    };
    let mut starts: Vec<u32> = (0..count).filter(by_keyword).map(number).collect();
    starts.extend(
        negative.iter().filter(|(a, b)| component[*a as usize] == component[*b as usize]).map(|&(a, _)| a),
    );
    let backward: Vec<_> = edges.iter().map(|&(a, b)| (b, a)).collect();
    let reached = Graph::new(count, &backward).reach(&starts);
    let is_dynamic: Vec<bool> = reached.iter().map(Option::is_some).collect();
    // Components are numbered against the edges: what a relation depends on comes first.
    let components = component.iter().max().map_or(0, |&c| c as usize + 1);
    let mut order: Vec<Vec<Rel>> = vec![Vec::new(); components];
    for relation in 0..count {
        if !is_dynamic[relation] {
            order[component[relation] as usize].push(number(relation));
        }
    }
    order.retain(|relations| !relations.is_empty());
    (is_dynamic, order)
}
