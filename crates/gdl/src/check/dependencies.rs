//! Which relation depends on which, and the dependencies that the language forbids.
//!
//! `legal`, `goal` and `terminal` must not depend on `does`; `init` must not depend on anything
//! that play decides (GDL specification, Love et al. 2008, section 4).

use crate::clause::{ClauseId, LiteralId, RelationId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::Graph;
use crate::name::{Symbol, keyword};
use crate::report::Report;

/// The dependency graph of a sheet: from each relation to those in the bodies of its rules.
pub(crate) struct Dependencies {
    /// Component of each relation; relations in one component depend on each other.
    pub component: Vec<u32>,
    /// From each relation to those that depend on it.
    dependents: Graph,
}

impl Dependencies {
    pub(crate) fn new(sheet: &Sheet<'_>) -> Self {
        let mut forward = Vec::new();
        for clause in &sheet.clauses {
            for literal in &sheet.literals[clause.body.clone()] {
                if let Some(relation) = literal.relation {
                    forward.push((clause.relation.0, relation.0));
                }
            }
        }
        let backward: Vec<_> = forward.iter().map(|&(a, b)| (b, a)).collect();
        let count = sheet.relations.len();
        Self { component: Graph::new(count, &forward).components(), dependents: Graph::new(count, &backward) }
    }

    /// Whether two relations depend on each other (or are the same).
    pub(crate) fn mutual(&self, a: RelationId, b: RelationId) -> bool {
        self.component[a.index()] == self.component[b.index()]
    }
}

pub(super) fn check(sheet: &Sheet<'_>, dependencies: &Dependencies, report: &mut Report) {
    use keyword as k;
    let find = |words: &[(Symbol, usize)]| -> Vec<RelationId> {
        let found = words.iter().filter_map(|&(word, arity)| sheet.find_relation(word, arity));
        found.collect()
    };
    let does = find(&[(k::DOES, 2)]);
    let play = find(&[(k::TRUE, 1), (k::DOES, 2), (k::LEGAL, 2), (k::GOAL, 2), (k::TERMINAL, 0)]);
    for (heads, causes, code) in [
        (find(&[(k::LEGAL, 2), (k::GOAL, 2), (k::TERMINAL, 0)]), does, Code::DependsOnDoes),
        (find(&[(k::INIT, 1)]), play, Code::InitDepends),
    ] {
        // For each relation that depends on a cause, the next one on the way to it.
        let causes: Vec<u32> = causes.iter().map(|r| r.0).collect();
        let toward = dependencies.dependents.reach(&causes);
        for head in heads {
            for &clause in &sheet.relation(head).definitions {
                let found = sheet.clauses[clause].body.clone().find(|&l| {
                    let relation = sheet.literals[l].relation;
                    relation.is_some_and(|r| toward[r.index()].is_some())
                });
                if let Some(literal) = found {
                    report.add(code, || describe(sheet, code, clause, literal, &toward));
                }
            }
        }
    }
}

fn describe(
    sheet: &Sheet<'_>,
    code: Code,
    clause: ClauseId,
    literal: LiteralId,
    toward: &[Option<u32>],
) -> Diagnostic {
    let head = sheet.relation_name(sheet.clauses[clause].relation);
    let span = |literal: LiteralId| sheet.tree.span(sheet.literals[literal].node);
    // The chain of relations from the condition to the cause, with the condition that makes each step.
    let mut at = sheet.literals[literal].relation;
    let mut steps = Vec::new();
    while let Some(relation) = at {
        let next = toward[relation.index()].map(RelationId).filter(|&next| next != relation);
        if let Some(next) = next {
            let step = sheet.relation(relation).definitions.iter().find_map(|&c| {
                sheet.clauses[c].body.clone().find(|&l| sheet.literals[l].relation == Some(next))
            });
            steps.push((relation, next, step));
        }
        at = next;
    }
    let cause = steps.last().map_or(sheet.literals[literal].relation, |&(_, next, _)| Some(next));
    let cause = cause.map_or("does", |c| sheet.relation_name(c));
    let (message, help) = match code {
        Code::DependsOnDoes => (
            format!("`{head}` must not depend on what the players do now"),
            "`legal`, `goal` and `terminal` are decided in a state, before anyone moves: ask for facts of the state with `true`",
        ),
        _ => (
            format!("`init` must not depend on `{cause}`"),
            "the first state is fixed before play: use facts and relations that hold in every state",
        ),
    };
    let label =
        if steps.is_empty() { format!("`{cause}` is not allowed here") } else { "leads there".to_owned() };
    let mut diagnostic = Diagnostic::at(code, span(literal), message).label(label).help(help);
    for (relation, next, step) in steps.iter().take(3) {
        if let Some(step) = step {
            let text =
                format!("`{}` depends on `{}`", sheet.relation_name(*relation), sheet.relation_name(*next));
            diagnostic = diagnostic.also(span(*step), text);
        }
    }
    diagnostic
}
