//! Rules that can never fire, because something they ask for can never hold: it is never made
//! ([`Domains`]), or the conditions contradict each other. If these are all rules for `terminal`, the
//! game never ends.

use rustc_hash::FxHashSet;

use super::domains::{Domains, Obstacle};
use super::{Demands, similar};
use crate::clause::{ClauseId, Literal, LiteralId, LiteralKind, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, keyword};
use crate::report::Report;
use crate::tree::NodeId;

/// What to do where nothing better is known.
const NO_HELP: &str = "correct the condition, or remove the rule";
/// Conditions of one rule that a negated condition is compared with.
const MAX_CONDITIONS: usize = 64;

pub(super) fn check(sheet: &Sheet<'_>, demands: &Demands, report: &mut Report) {
    let domains = Domains::compute(sheet, demands);
    let mut dead: Vec<(ClauseId, Obstacle)> = domains.iter().flat_map(Domains::dead).collect();
    let mut is_dead = vec![false; sheet.clauses.len()];
    for &(clause, _) in &dead {
        is_dead[clause] = true;
    }
    for (clause, is_dead) in is_dead.iter_mut().enumerate().filter(|(_, is_dead)| !**is_dead) {
        let obstacle = contradiction(sheet, clause);
        dead.extend(obstacle.map(|obstacle| (clause, obstacle)));
        *is_dead = obstacle.is_some();
    }
    let ends = sheet.definitions(keyword::TERMINAL, 0);
    let never_ends = !ends.is_empty()
        && !sheet.lost_words.contains(&keyword::TERMINAL)
        && ends.iter().all(|&clause| is_dead[clause]);
    let made = made_facts(sheet);
    let heads = sheet.clauses.iter().zip(&is_dead).filter(|&(_, is_dead)| *is_dead).map(|(c, _)| c.head);
    let of_dead: FxHashSet<Symbol> =
        heads.flat_map(|head| sheet.tree.subtree(head)).filter_map(|n| sheet.tree.word(n)).collect();
    for (clause, literal, node) in domains.iter().flat_map(Domains::never_hold) {
        let relation = sheet.literals[literal].relation.map(|r| sheet.relation(r));
        // Nothing defines it or makes the word, or only rules that are reported.
        let empty = relation.is_some_and(|r| {
            !matches!(r.symbol, keyword::TRUE | keyword::DOES) && r.definitions.iter().all(|&c| is_dead[c])
        });
        let obstacle = Obstacle::Missing(literal, node);
        let empty = empty || sheet.tree.word(node).is_some_and(|word| of_dead.contains(&word));
        if !is_dead[clause] && !empty && !is_consequence(sheet, obstacle, &is_dead, &made) {
            let code = match sheet.literals[literal].kind {
                LiteralKind::Negative => Code::AlwaysHolds,
                _ => Code::NeverFires,
            };
            report.add(code, || never_holding(sheet, clause, obstacle, code));
        }
    }
    for (clause, obstacle) in dead {
        if never_ends && sheet.clauses[clause].relation == sheet.clauses[ends[0]].relation {
            if ends[0] == clause {
                report.add(Code::NeverEnds, || never_ending(sheet, clause, obstacle));
            }
        } else if !is_consequence(sheet, obstacle, &is_dead, &made) {
            report.add(Code::NeverFires, || describe(sheet, clause, obstacle));
        }
    }
}

/// Two conditions of a rule that cannot hold together, or one that cannot hold by itself.
fn contradiction(sheet: &Sheet<'_>, clause: ClauseId) -> Option<Obstacle> {
    let body = || sheet.conditions(sheet.clauses[clause].body.clone());
    let tree = sheet.tree;
    for (id, literal) in body() {
        match literal.kind {
            LiteralKind::Distinct => {
                let mut terms = tree.arguments(literal.atom);
                if let (Some(a), Some(b)) = (terms.next(), terms.next())
                    && tree.same(a, b)
                {
                    return Some(Obstacle::Contradiction(id, id));
                }
            }
            LiteralKind::Negative => {
                let same = |l: &Literal| {
                    l.kind == LiteralKind::Positive
                        && l.relation == literal.relation
                        && tree.same(l.atom, literal.atom)
                };
                let mut others = body().take(MAX_CONDITIONS);
                if let Some((other, _)) = others.find(|(_, l)| same(l)) {
                    return Some(Obstacle::Contradiction(id, other));
                }
            }
            _ => {}
        }
    }
    None
}

/// The message that the game has no end: it points to the first rule for `terminal`.
fn never_ending(sheet: &Sheet<'_>, clause: ClauseId, obstacle: Obstacle) -> Diagnostic {
    let mut diagnostic = describe(sheet, clause, obstacle);
    diagnostic.code = Code::NeverEnds;
    diagnostic.message = match sheet.definitions(keyword::TERMINAL, 0).len() {
        1 => "this game can never end: its rule for `terminal` can never fire".to_owned(),
        n => format!("this game can never end: none of its {n} rules for `terminal` can ever fire"),
    };
    diagnostic
}

/// The names of the facts that `init` and `next` make.
fn made_facts(sheet: &Sheet<'_>) -> FxHashSet<Symbol> {
    let clauses = [keyword::INIT, keyword::NEXT].into_iter().flat_map(|word| sheet.definitions(word, 1));
    clauses.filter_map(|&c| sheet.tree.functor(sheet.argument(sheet.clauses[c].head, 0)?)).collect()
}

/// Whether the obstacle has a message of its own: an undefined relation, or dead rules elsewhere.
fn is_consequence(sheet: &Sheet<'_>, obstacle: Obstacle, is_dead: &[bool], made: &FxHashSet<Symbol>) -> bool {
    match obstacle {
        Obstacle::Empty(literal) => sheet.literals[literal].relation.is_some_and(|r| {
            let relation = sheet.relation(r);
            // Without `init` or `legal` the whole sheet is at fault, which is said once.
            relation.definitions.iter().all(|&c| is_dead[c])
        }),
        // A fact that only dead rules make: they have been reported.
        Obstacle::Missing(_, node) => {
            sheet.tree.is_list(node) && sheet.tree.functor(node).is_some_and(|f| made.contains(&f))
        }
        Obstacle::NoValue(_) | Obstacle::Contradiction(..) => false,
    }
}

/// The message about a condition that never holds: negated, or one of several alternatives.
fn never_holding(sheet: &Sheet<'_>, clause: ClauseId, obstacle: Obstacle, code: Code) -> Diagnostic {
    let mut diagnostic = describe(sheet, clause, obstacle);
    diagnostic.code = code;
    let (message, head, help) = match code {
        Code::AlwaysHolds => (
            "this negated condition always holds",
            "decided without it",
            "correct the condition, or remove it",
        ),
        _ => ("this alternative can never hold", "never derived by it", "correct it, or remove it"),
    };
    message.clone_into(&mut diagnostic.message);
    for label in &mut diagnostic.secondary {
        head.clone_into(&mut label.text);
    }
    if diagnostic.help == NO_HELP {
        help.clone_into(&mut diagnostic.help);
    }
    diagnostic
}

fn describe(sheet: &Sheet<'_>, clause: ClauseId, obstacle: Obstacle) -> Diagnostic {
    let tree = sheet.tree;
    let text = |node: NodeId| {
        let text = sheet.source.text(tree.span(node));
        let short: String = text.chars().take(60).collect();
        short.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (node, label, help) = match obstacle {
        Obstacle::Empty(literal) => {
            (sheet.literals[literal].node, "can never hold".to_owned(), String::new())
        }
        Obstacle::Missing(literal, node) => missing(sheet, literal, node),
        Obstacle::NoValue(node) => (
            node,
            format!("no value of `{}` fits all its conditions", text(node)),
            "the conditions draw their values from sets that have nothing in common".to_owned(),
        ),
        Obstacle::Contradiction(one, other) if one == other => (
            sheet.literals[one].node,
            "never differs from itself".to_owned(),
            "compare it with something else, or remove the rule".to_owned(),
        ),
        Obstacle::Contradiction(one, other) => {
            let wanted = sheet.source.line_index(tree.span(sheet.literals[other].node).start) + 1;
            (
                sheet.literals[one].node,
                format!("contradicts a condition of line {wanted}"),
                "a rule asks for all its conditions at once; write two rules, or an `or`".to_owned(),
            )
        }
    };
    let help = if help.is_empty() { NO_HELP.to_owned() } else { help };
    Diagnostic::at(Code::NeverFires, tree.span(node), "this rule can never fire")
        .label(label)
        .also(tree.span(sheet.clauses[clause].head), "never derived by this rule")
        .help(help)
}

/// A word or term that never stands where a condition asks for it.
fn missing(sheet: &Sheet<'_>, literal: LiteralId, node: NodeId) -> (NodeId, String, String) {
    let tree = sheet.tree;
    let atom = sheet.literals[literal].atom;
    let asks_for_fact = tree.functor(atom) == Some(keyword::TRUE) && sheet.argument(atom, 0) == Some(node);
    let Some(functor) = tree.functor(node) else {
        return (node, String::new(), String::new());
    };
    let name = tree.names.text(functor);
    if !asks_for_fact {
        let shown = match tree.is_list(node) {
            true => format!("`({name} ...)`"),
            false => format!("`{name}`"),
        };
        let words = sheet.clauses.iter().flat_map(|c| tree.subtree(c.head));
        let words = words.filter_map(|n| tree.word(n)).filter(|&w| w != functor).take(2000);
        let meant = similar::slip(name, words.map(|w| tree.names.text(w)));
        let help = meant.map(|meant| format!("did you mean `{meant}`?"));
        return (node, format!("never {shown} here"), help.unwrap_or_default());
    }
    let made: Vec<&str> = [keyword::INIT, keyword::NEXT]
        .iter()
        .flat_map(|&word| sheet.definitions(word, 1))
        .filter_map(|&c| tree.functor(sheet.argument(sheet.clauses[c].head, 0)?))
        .map(|symbol| tree.names.text(symbol))
        .take(2000)
        .collect();
    let help = similar::closest(name, made.into_iter()).map(|meant| format!("did you mean `{meant}`?"));
    let label = "no `init` or `next` makes this true".to_owned();
    let default =
        format!("add `(init ({name} ...))` or a rule for `(next ({name} ...))`, or correct the name");
    (node, label, help.unwrap_or(default))
}
