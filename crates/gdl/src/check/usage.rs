//! Relations that are used but never defined, or defined but never used.

use super::similar;
use crate::clause::{Relation, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{keyword, relation_keyword_arity};
use crate::report::Report;

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    for relation in &sheet.relations {
        let of_language = relation_keyword_arity(relation.symbol).is_some();
        if of_language || sheet.lost_words.contains(&relation.symbol) {
            continue;
        }
        if relation.definitions.is_empty() && !relation.uses.is_empty() {
            report.add(Code::Undefined, || undefined(sheet, relation));
        } else if !relation.definitions.is_empty() {
            unused(sheet, relation, report);
        }
    }
}

fn undefined(sheet: &Sheet<'_>, relation: &Relation) -> Diagnostic {
    let name = sheet.tree.names.text(relation.symbol);
    let literal = sheet.literals[relation.uses[0].1];
    // A fact of the state that was asked for without `true` is the most common slip.
    let as_fact = [keyword::INIT, keyword::NEXT].iter().any(|&word| {
        sheet.definitions(word, 1).iter().any(|&c| {
            let fact = sheet.argument(sheet.clauses[c].head, 0);
            fact.is_some_and(|f| {
                sheet.tree.functor(f) == Some(relation.symbol) && sheet.tree.arity(f) == relation.arity
            })
        })
    });
    let other_arity = |r: &&Relation| r.symbol == relation.symbol && !r.definitions.is_empty();
    // `(ture (cell 1 1))` is a slip too.
    let asked = [keyword::TRUE, keyword::DOES, keyword::DISTINCT, keyword::NOT, keyword::OR];
    let defined = sheet.relations.iter().filter(|r| !r.definitions.is_empty()).map(|r| r.symbol);
    let defined = asked.into_iter().chain(defined);
    let help = if as_fact {
        format!("`{name}` is a fact of the state: ask for it with `(true ({name} ...))`")
    } else if let Some(other) = sheet.relations.iter().find(other_arity) {
        format!("`{name}` is defined with {} arguments, and used here with {}", other.arity, relation.arity)
    } else if let Some(meant) =
        similar::closest(name, defined.map(|symbol| sheet.tree.names.text(symbol)).take(5000))
    {
        format!("did you mean `{meant}`?")
    } else {
        "define it by facts or rules, or remove the condition".to_owned()
    };
    Diagnostic::at(Code::Undefined, sheet.tree.span(literal.atom), format!("nothing defines `{name}`"))
        .label("never holds")
        .help(help)
}

fn unused(sheet: &Sheet<'_>, relation: &Relation, report: &mut Report) {
    // `base` and `input` say which facts and moves can occur: for programs, not for rules.
    let declares = matches!((relation.symbol, relation.arity), (keyword::BASE, 1) | (keyword::INPUT, 2));
    let definition = &sheet.clauses[relation.definitions[0]];
    let used_by_others =
        relation.uses.iter().any(|&(user, _)| sheet.clauses[user].relation != definition.relation);
    if declares || used_by_others {
        return;
    }
    report.add(Code::Unused, || {
        let name = sheet.tree.names.text(relation.symbol);
        let head = sheet.tree.span(definition.head);
        let diagnostic = match relation.uses.first() {
            None => {
                Diagnostic::at(Code::Unused, head, format!("nothing uses `{name}`")).label("defined here")
            }
            Some(&(_, literal)) => Diagnostic::at(
                Code::Unused,
                sheet.tree.span(sheet.literals[literal].atom),
                format!("`{name}` is used only by its own rules"),
            )
            .label("the only use")
            .also(head, "defined here"),
        };
        diagnostic.help("use it in a rule that matters to the game, or remove it")
    });
}
