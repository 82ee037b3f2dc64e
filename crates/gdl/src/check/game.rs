//! What every game needs: roles, legal moves, an end, goals, states.

use rustc_hash::FxHashMap;

use super::similar;
use crate::clause::{ClauseId, LiteralKind, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, keyword};
use crate::report::Report;
use crate::source::Span;
use crate::tree::NodeId;

/// Comparisons of a condition with a fact of the first state that one sheet may cost.
const MAX_COMPARISONS: usize = 200_000;
/// Games with more roles are not checked role by role.
const MAX_ROLES: usize = 64;

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    required(sheet, report);
    let roles = roles(sheet, report);
    players(sheet, &roles, report);
    first_moves(sheet, &roles, report);
    over_before_start(sheet, report);
}

/// Relations that a sheet must, or ought to, define.
fn required(sheet: &Sheet<'_>, report: &mut Report) {
    use keyword as k;
    if sheet.clauses.is_empty() {
        // What little there was has been reported; an empty sheet needs one message, not six.
        if !report.has_errors() {
            report.add(Code::NoRole, || {
                Diagnostic::whole(Code::NoRole, "this sheet has no rules")
                    .help("start with the players: `(role white)`; `ludex check --help` shows a first game")
            });
        }
        return;
    }
    let needs: [(Symbol, usize, Code, &str, &str); 6] = [
        (
            k::ROLE,
            1,
            Code::NoRole,
            "this game has no role",
            "name every player with a fact such as `(role white)`",
        ),
        (
            k::LEGAL,
            2,
            Code::NoLegal,
            "this game has no legal moves",
            "say what players may do with rules for `(legal ?player ?move)`",
        ),
        (
            k::TERMINAL,
            0,
            Code::NoTerminal,
            "this game has no end",
            "say when it is over with a rule `(<= terminal condition ...)`",
        ),
        (
            k::GOAL,
            2,
            Code::NoGoal,
            "this game has no goals",
            "say what players get with rules for `(goal ?player value)`, values from 0 to 100",
        ),
        (
            k::NEXT,
            1,
            Code::NoNext,
            "no rule says what the next state is",
            "without rules for `(next fact)` every state after the first is empty",
        ),
        (
            k::INIT,
            1,
            Code::NoInit,
            "no fact says what the first state is",
            "without `(init fact)` the first state is empty",
        ),
    ];
    for (symbol, arity, code, message, help) in needs {
        if sheet.definitions(symbol, arity).is_empty() && !sheet.lost_words.contains(&symbol) {
            report.add(code, || Diagnostic::whole(code, message).help(help));
        }
    }
}

/// The roles in order, without repetitions.
fn roles(sheet: &Sheet<'_>, report: &mut Report) -> Vec<NodeId> {
    let mut roles: Vec<NodeId> = Vec::new();
    let mut by_word: FxHashMap<Symbol, NodeId> = FxHashMap::default();
    for (clause, role) in sheet.roles() {
        let first = match sheet.tree.functor(role).filter(|_| sheet.tree.arity(role) == 0) {
            Some(word) => by_word.get(&word).copied(),
            // Roles that are compound terms are legal, and unheard of.
            None => roles.iter().take(64).copied().find(|&r| sheet.tree.same(r, role)),
        };
        if let Some(first) = first {
            report.add(Code::DuplicateRole, || {
                let name = sheet.source.text(sheet.tree.span(role));
                Diagnostic::at(
                    Code::DuplicateRole,
                    sheet.tree.span(sheet.clauses[clause].node),
                    format!("the role `{name}` is declared twice"),
                )
                .label("adds nothing")
                .also(sheet.tree.span(first), "declared here")
                .help("remove one of the two, or give the second player a name of its own")
            });
            continue;
        }
        by_word.extend(sheet.tree.word(role).map(|word| (word, role)));
        roles.push(role);
    }
    roles
}

/// Every role needs moves and goals, and nobody else does.
fn players(sheet: &Sheet<'_>, roles: &[NodeId], report: &mut Report) {
    if roles.is_empty() || roles.len() > MAX_ROLES {
        return;
    }
    let is_role = |term: NodeId| roles.iter().any(|&r| sheet.tree.same(r, term));
    for (keyword, code, verb) in
        [(keyword::LEGAL, Code::RoleWithoutLegal, "may do"), (keyword::GOAL, Code::RoleWithoutGoal, "gets")]
    {
        let word = sheet.tree.names.text(keyword);
        let clauses = sheet.definitions(keyword, 2);
        let mut for_all = sheet.lost_words.contains(&keyword) || clauses.is_empty();
        let mut named: Vec<NodeId> = Vec::new();
        for &clause in clauses {
            let Some(player) = sheet.argument(sheet.clauses[clause].head, 0) else { continue };
            if sheet.tree.variable(player).is_some() {
                for_all = true;
            } else if is_role(player) {
                if named.len() < roles.len() && !named.iter().any(|&n| sheet.tree.same(n, player)) {
                    named.push(player);
                }
            } else {
                report.add(Code::NotARole, || not_a_role(sheet, roles, player, word));
            }
        }
        for &role in roles {
            let needs_none = sheet.tree.word(role) == Some(keyword::RANDOM) && keyword == keyword::GOAL;
            if !for_all && !needs_none && !named.iter().any(|&n| sheet.tree.same(n, role)) {
                let span = sheet.tree.span(role);
                report.add(code, || {
                    let name = sheet.source.text(span);
                    Diagnostic::at(code, span, format!("no `{word}` rule is about the role `{name}`"))
                        .label(format!("has no `{word}`"))
                        .help(format!(
                            "add a rule for `({word} {name} ...)` that says what this player {verb}"
                        ))
                });
            }
        }
    }
}

fn not_a_role(sheet: &Sheet<'_>, roles: &[NodeId], player: NodeId, word: &str) -> Diagnostic {
    let span = sheet.tree.span(player);
    let name = sheet.source.text(span);
    let known: Vec<String> = roles.iter().take(8).map(|&r| sheet.source.text(sheet.tree.span(r))).collect();
    let help = match similar::closest(&name, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            format!("the roles are {}", known.iter().map(|r| format!("`{r}`")).collect::<Vec<_>>().join(", "))
        }
    };
    Diagnostic::at(Code::NotARole, span, format!("`{word}` is about `{name}`, which is not a role"))
        .label("not a role")
        .help(help)
}

/// Roles that certainly have no move in the first state: each of their `legal` rules asks for a
/// fact that is not among those of `init`.
fn first_moves(sheet: &Sheet<'_>, roles: &[NodeId], report: &mut Report) {
    let legal = sheet.definitions(keyword::LEGAL, 2);
    let over = sheet.definitions(keyword::TERMINAL, 0).iter().any(|&c| sheet.clauses[c].body.is_empty());
    if legal.is_empty()
        || over
        || sheet.lost_words.contains(&keyword::LEGAL)
        || sheet.lost_words.contains(&keyword::INIT)
    {
        return;
    }
    let mut facts: FxHashMap<(Symbol, usize), Vec<NodeId>> = FxHashMap::default();
    for &clause in sheet.definitions(keyword::INIT, 1) {
        let Some(fact) = sheet.argument(sheet.clauses[clause].head, 0) else { continue };
        let Some(functor) = sheet.tree.functor(fact) else { return };
        facts.entry((functor, sheet.tree.arity(fact))).or_default().push(fact);
    }
    let mut comparisons = MAX_COMPARISONS;
    for &role in roles.iter().take(MAX_ROLES) {
        let mut without_move = |clause: ClauseId| {
            let Some(player) = sheet.argument(sheet.clauses[clause].head, 0) else { return false };
            let variable = sheet.tree.variable(player);
            if variable.is_none() && !sheet.tree.same(player, role) {
                return true;
            }
            sheet.conditions(sheet.clauses[clause].body.clone()).any(|(_, literal)| {
                let asks = literal.kind == LiteralKind::Positive
                    && literal.relation.is_some_and(|r| sheet.relation(r).symbol == keyword::TRUE);
                let Some(fact) = sheet.argument(literal.atom, 0).filter(|_| asks) else { return false };
                let Some(functor) = sheet.tree.functor(fact) else { return false };
                let candidates = facts.get(&(functor, sheet.tree.arity(fact)));
                !candidates.is_some_and(|candidates| {
                    candidates.iter().any(|&known| {
                        comparisons = comparisons.saturating_sub(1);
                        comparisons == 0 || agree(sheet, fact, known, variable.map(|v| (v, role)))
                    })
                })
            })
        };
        let named = |c: ClauseId| {
            let player = sheet.argument(sheet.clauses[c].head, 0);
            player.is_some_and(|p| sheet.tree.variable(p).is_some() || sheet.tree.same(p, role))
        };
        let Some(&last) = legal.iter().rev().find(|&&c| named(c)) else { continue };
        if legal.iter().all(|&clause| without_move(clause)) {
            report.add(Code::NoFirstMove, || no_first_move(sheet, role, last));
        }
    }
}

/// Whether a term of a rule and a fact of the first state can be the same.
fn agree(sheet: &Sheet<'_>, term: NodeId, fact: NodeId, player: Option<(Symbol, NodeId)>) -> bool {
    let tree = sheet.tree;
    match (tree.variable(term), tree.variable(fact)) {
        (_, Some(_)) => true,
        (Some(variable), None) => player.is_none_or(|(v, role)| v != variable || tree.same(role, fact)),
        (None, None) => {
            tree.functor(term) == tree.functor(fact)
                && tree.arity(term) == tree.arity(fact)
                && tree.arguments(term).zip(tree.arguments(fact)).all(|(t, f)| agree(sheet, t, f, player))
        }
    }
}

fn no_first_move(sheet: &Sheet<'_>, role: NodeId, last: ClauseId) -> Diagnostic {
    let name = sheet.source.text(sheet.tree.span(role));
    // Point to the line behind the last rule that could help: the place where one is missing.
    let rule = sheet.tree.span(sheet.clauses[last].node);
    let line = sheet.source.line_index(rule.end.saturating_sub(1)) + 1;
    let span = if line < sheet.source.line_count() {
        let start = sheet.source.line_span(line).start as usize;
        Span::new(start, start)
    } else {
        rule
    };
    Diagnostic::at(Code::NoFirstMove, span, format!("the role `{name}` has no legal move in the first state"))
        .label("a rule is missing, perhaps here")
        .also(rule, "the last `legal` rule that could give one")
        .help(format!(
            "every role moves at every step; let those who wait do nothing: `(<= (legal {name} noop) ...)`"
        ))
}

fn over_before_start(sheet: &Sheet<'_>, report: &mut Report) {
    for &clause in sheet.definitions(keyword::TERMINAL, 0) {
        if sheet.clauses[clause].body.is_empty() {
            let span = sheet.tree.span(sheet.clauses[clause].node);
            report.add(Code::AlwaysTerminal, || {
                Diagnostic::at(Code::AlwaysTerminal, span, "the game is over before it starts")
                    .label("holds in every state")
                    .help("give `terminal` conditions: `(<= terminal condition ...)`")
            });
        }
    }
}
