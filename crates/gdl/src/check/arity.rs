//! Names that are used in two ways: with two numbers of arguments, or in two vocabularies.

use rustc_hash::FxHashMap;

use crate::clause::{Relation, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, keyword};
use crate::report::Report;
use crate::source::Span;
use crate::tree::NodeId;

/// How a name is used inside terms, and where first.
#[derive(Default)]
struct Uses {
    /// Number of arguments as a function, and the first place.
    function: Option<(usize, NodeId)>,
    constant: Option<NodeId>,
    arity_reported: bool,
    mixed_reported: bool,
}

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    relations(sheet, report);
    terms(sheet, report);
}

/// The first place where each relation stands.
fn first_place(sheet: &Sheet<'_>, relation: &Relation) -> Option<Span> {
    let head = relation.definitions.first().map(|&c| sheet.tree.span(sheet.clauses[c].head));
    let body = relation.uses.first().map(|&(_, l)| sheet.tree.span(sheet.literals[l].atom));
    head.into_iter().chain(body).min()
}

fn relations(sheet: &Sheet<'_>, report: &mut Report) {
    let mut first: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (at, relation) in sheet.relations.iter().enumerate() {
        let Some(place) = first_place(sheet, relation) else { continue };
        let earlier = *first.entry(relation.symbol).or_insert(at);
        if earlier == at {
            continue;
        }
        let earlier = &sheet.relations[earlier];
        let Some(earlier_place) = first_place(sheet, earlier) else { continue };
        report.add(Code::TwoArities, || {
            two_arities(
                sheet,
                "relation",
                relation.symbol,
                (relation.arity, place),
                (earlier.arity, earlier_place),
            )
        });
    }
}

fn two_arities(
    sheet: &Sheet<'_>,
    kind: &str,
    symbol: Symbol,
    one: (usize, Span),
    other: (usize, Span),
) -> Diagnostic {
    let name = sheet.tree.names.text(symbol);
    let count = |n| match n {
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    };
    Diagnostic::at(
        Code::TwoArities,
        one.1,
        format!("the {kind} `{name}` has {} here and {} elsewhere", count(one.0), count(other.0)),
    )
    .label(count(one.0))
    .also(other.1, count(other.0))
    .help("the two are different things to GDL; add what is missing, or use two names")
}

fn terms(sheet: &Sheet<'_>, report: &mut Report) {
    let tree = sheet.tree;
    let mut uses: Vec<Option<Box<Uses>>> = Vec::new();
    uses.resize_with(tree.names.len(), || None);
    let mut functions: Vec<(Symbol, NodeId)> = Vec::new();
    for clause in &sheet.clauses {
        let body = clause.body.clone().filter(|&l| sheet.literals[l].end == l + 1);
        let sentences = std::iter::once(clause.head).chain(body.map(|l| sheet.literals[l].atom));
        for sentence in sentences {
            // Behind the list and the name of the relation.
            for node in tree.subtree(sentence).skip(2) {
                let is_front = node.0 > 0 && tree.is_list(NodeId(node.0 - 1));
                let (symbol, arity) = match tree.functor(node) {
                    Some(symbol) if tree.is_list(node) => (symbol, tree.arity(node)),
                    Some(symbol) if !is_front => (symbol, 0),
                    _ => continue,
                };
                let known = uses[symbol.index()].get_or_insert_default();
                if arity == 0 {
                    known.constant.get_or_insert(node);
                } else if known.function.is_none() {
                    known.function = Some((arity, node));
                    functions.push((symbol, node));
                }
                term(sheet, symbol, node, arity, known, report);
            }
        }
    }
    // Facts of the state are functions: one that is also a relation may lack its `true`.
    let mut relations = vec![None; tree.names.len()];
    for relation in sheet.relations.iter().filter(|r| r.arity > 0) {
        relations[relation.symbol.index()].get_or_insert(relation);
    }
    for (symbol, node) in functions {
        if let Some(relation) = relations[symbol.index()] {
            relation_and_function(sheet, relation, node, report);
        }
    }
}

fn term(
    sheet: &Sheet<'_>,
    symbol: Symbol,
    node: NodeId,
    arity: usize,
    known: &mut Uses,
    report: &mut Report,
) {
    let tree = sheet.tree;
    let Some((usual, first)) = known.function else { return };
    if arity > 0 && arity != usual && !std::mem::replace(&mut known.arity_reported, true) {
        report.add(Code::TwoArities, || {
            two_arities(sheet, "function", symbol, (arity, tree.span(node)), (usual, tree.span(first)))
        });
    }
    let Some(constant) = known.constant else { return };
    if !std::mem::replace(&mut known.mixed_reported, true) {
        report.add(Code::ConstantAndFunction, || {
            let name = tree.names.text(symbol);
            let other = if node == constant { first } else { constant };
            Diagnostic::at(
                Code::ConstantAndFunction,
                tree.span(node),
                format!("`{name}` is used with arguments and without"),
            )
            .label("here")
            .also(tree.span(other), "and otherwise here")
            .help("the two are different things to GDL; add what is missing, or use two names")
        });
    }
}

fn relation_and_function(sheet: &Sheet<'_>, relation: &Relation, node: NodeId, report: &mut Report) {
    let of_language = relation.symbol.index() < keyword::TEXTS.len();
    let Some(place) = first_place(sheet, relation).filter(|_| !of_language) else {
        return;
    };
    report.add(Code::RelationAndFunction, || {
        let name = sheet.tree.names.text(relation.symbol);
        Diagnostic::at(
            Code::RelationAndFunction,
            sheet.tree.span(node),
            format!("`{name}` is both a relation and part of a term"),
        )
        .label("inside a term")
        .also(place, "as a relation")
        .help(format!("the two have nothing to do with each other; is a `(true ({name} ...))` missing?"))
    });
}
