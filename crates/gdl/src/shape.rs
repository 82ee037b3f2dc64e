//! Builds [`Sheet`]s from trees and reports clauses that have not the shape of a fact or rule.

use rustc_hash::FxHashSet;

use crate::clause::{Clause, Literal, LiteralId, LiteralKind, RelationId, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, is_connective, keyword, relation_keyword_arity};
use crate::parser::{Parsed, nested_rule};
use crate::report::Report;
use crate::source::Source;
use crate::tree::{NodeId, NodeKind, Tree};

/// How deeply `or` and `and` may be nested. Published sheets stay below 5.
const MAX_CONNECTIVE_DEPTH: usize = 32;

/// A clause that was reported and is to be left out.
struct Broken;

/// Turns the tree into clauses; what is not a clause is reported and left out.
pub(crate) fn build<'a>(source: &'a Source, parsed: &'a Parsed, report: &mut Report) -> Sheet<'a> {
    let tree = &parsed.tree;
    let mut builder = Builder {
        sheet: Sheet::new(source, tree, &parsed.lost_words),
        tree,
        report,
        parenthesised: FxHashSet::default(),
        keyword_names: FxHashSet::default(),
        and_seen: false,
        stray_line: None,
    };
    // Words between the clauses come last: whether one is a fact depends on its uses.
    let (words, lists): (Vec<_>, Vec<_>) = tree.roots().partition(|&n| !tree.is_list(n));
    for node in lists {
        builder.add(node, Builder::clause);
    }
    for node in words {
        builder.add(node, Builder::lone_word);
    }
    builder.sheet
}

struct Builder<'a, 'r> {
    sheet: Sheet<'a>,
    tree: &'a Tree,
    report: &'r mut Report,
    /// Names already reported for needless parentheses.
    parenthesised: FxHashSet<Symbol>,
    /// Keywords already reported as used for ordinary names.
    keyword_names: FxHashSet<Symbol>,
    and_seen: bool,
    /// The last line with a stray word: one message a line is enough.
    stray_line: Option<usize>,
}

impl<'a> Builder<'a, '_> {
    /// Adds the clause at a root, or takes back what was begun of it.
    fn add(&mut self, node: NodeId, build: fn(&mut Self, NodeId) -> Result<Clause, Broken>) {
        let first = self.sheet.literals.len();
        match build(self, node) {
            Ok(clause) => {
                let id = self.sheet.clauses.len();
                for literal in clause.body.clone() {
                    if let Some(relation) = self.sheet.literals[literal].relation {
                        self.sheet.relations[relation.index()].uses.push((id, literal));
                    }
                }
                self.sheet.relations[clause.relation.index()].definitions.push(id);
                self.sheet.clauses.push(clause);
            }
            Err(Broken) => {
                self.sheet.literals.truncate(first);
                let words = self.tree.subtree(node).filter_map(|n| self.tree.word(n));
                self.sheet.lost_words.extend(words);
            }
        }
    }

    fn clause(&mut self, node: NodeId) -> Result<Clause, Broken> {
        let tree = self.tree;
        let first = self.sheet.literals.len();
        let is_rule = tree.functor(node) == Some(keyword::ARROW);
        let head = if is_rule {
            let Some(head) = tree.arguments(node).next() else {
                let span = tree.span(node);
                return self.broken(Code::NoHead, || {
                    Diagnostic::at(Code::NoHead, span, "this rule is empty")
                        .label("neither head nor conditions")
                        .help("a rule is `(<= head condition ...)`; remove the clause if nothing was meant")
                });
            };
            head
        } else {
            self.forbid_other_arrows(node)?;
            node
        };
        let has_conditions = is_rule && tree.arity(node) > 1;
        let relation = self.head(head, is_rule, has_conditions)?;
        if is_rule {
            for condition in tree.arguments(node).skip(1) {
                self.condition(condition, 0)?;
            }
            if !has_conditions {
                let span = tree.span(node);
                self.report.add(Code::EmptyBody, || {
                    Diagnostic::at(Code::EmptyBody, span, "this rule has no conditions")
                        .label("always holds")
                        .help("write it as a fact: the head alone, without `<=`")
                });
            }
        }
        Ok(Clause { node, head, relation, body: first..self.sheet.literals.len(), is_rule })
    }

    /// A word between the clauses: `terminal`, or a fact that some rule asks for.
    fn lone_word(&mut self, node: NodeId) -> Result<Clause, Broken> {
        let tree = self.tree;
        let (span, text) = (tree.span(node), self.sheet.source.text(tree.span(node)));
        let symbol = tree.word(node);
        let relation = symbol.and_then(|s| self.sheet.find_relation(s, 0));
        if let Some(relation) =
            relation.filter(|&r| !self.sheet.relation(r).uses.is_empty() || symbol == Some(keyword::TERMINAL))
        {
            let body = self.sheet.literals.len()..self.sheet.literals.len();
            return Ok(Clause { node, head: node, relation, body, is_rule: false });
        }
        if symbol == Some(keyword::TERMINAL) {
            let relation = self.sheet.enter_relation(keyword::TERMINAL, 0);
            let body = self.sheet.literals.len()..self.sheet.literals.len();
            return Ok(Clause { node, head: node, relation, body, is_rule: false });
        }
        self.sheet.stray_words += 1;
        let line = self.sheet.source.line_index(span.start);
        if self.stray_line.replace(line) == Some(line) {
            return Err(Broken);
        }
        let next = self.sheet.source.bytes().get(span.end as usize);
        let help = if text.starts_with('<') && text.len() > 2 {
            "this looks like a web page, not like a rule sheet; GDL is written `(role white)`"
        } else if next == Some(&b'(') || text == ":-" || text == "." {
            "this looks like Prolog; GDL puts the name inside: `(role white)`, `(<= head condition)`"
        } else {
            "put the word inside the clause that it belongs to, or remove it"
        };
        self.broken(Code::StrayWord, || {
            let shown: String = text.chars().take(40).collect();
            Diagnostic::at(Code::StrayWord, span, format!("`{shown}` stands alone between the clauses"))
                .label("not part of any clause")
                .help(help)
        })
    }

    /// Clauses that start with a connective or with an arrow other than `<=`.
    fn forbid_other_arrows(&mut self, node: NodeId) -> Result<(), Broken> {
        let tree = self.tree;
        let front = tree.children(node).next().unwrap_or(node);
        let text = self.sheet.source.text(tree.span(front));
        if matches!(text.as_str(), "=>" | "<-" | "->" | ":-" | "<==" | "==>" | "=<" | "<=>") {
            return self.broken(Code::BadArrow, || {
                Diagnostic::at(Code::BadArrow, tree.span(front), format!("`{text}` is not the arrow of GDL"))
                    .label("not known")
                    .help("a rule is `(<= head condition ...)`: the arrow is `<=` and the head comes first")
            });
        }
        Ok(())
    }

    /// Checks a head or fact and gives its relation.
    fn head(&mut self, head: NodeId, is_rule: bool, has_conditions: bool) -> Result<RelationId, Broken> {
        let tree = self.tree;
        let span = tree.span(head);
        let what = if is_rule { "the head of a rule" } else { "a fact" };
        let Some(symbol) = self.front(head)? else {
            return self.broken(Code::BadHead, || {
                Diagnostic::at(Code::BadHead, span, format!("{what} cannot be a variable"))
                    .label("a variable")
                    .help("write the sentence that the rule defines, such as `(legal ?player noop)`")
            });
        };
        let arity = tree.arity(head);
        match symbol {
            keyword::ARROW => return self.nested_rule(head),
            symbol if is_connective(symbol) => {
                let name = tree.names.text(symbol);
                let help = match symbol {
                    keyword::NOT => "state what holds; whatever no rule derives is false already",
                    keyword::DISTINCT => {
                        "`distinct` is built in; choose another name for a relation of your own"
                    }
                    _ => "write one rule for each sentence",
                };
                return self.broken(Code::BadHead, || {
                    Diagnostic::at(Code::BadHead, span, format!("{what} cannot be built with `{name}`"))
                        .label("not a plain sentence")
                        .help(help)
                });
            }
            keyword::TRUE | keyword::DOES => {
                let name = tree.names.text(symbol);
                let help = if symbol == keyword::TRUE {
                    "use `init` for the first state and `next` for the states after a move"
                } else {
                    "use `legal` to say what a player may do; `does` is what the player chose"
                };
                return self.broken(Code::BodyKeywordInHead, || {
                    Diagnostic::at(Code::BodyKeywordInHead, span, format!("`{name}` cannot be defined"))
                        .label(format!("`{name}` belongs into conditions"))
                        .help(help)
                });
            }
            _ => {}
        }
        self.keyword_arity(head, symbol, arity)?;
        if symbol == keyword::ROLE {
            self.role(head, has_conditions)?;
        }
        self.terms(head)?;
        Ok(self.sheet.enter_relation(symbol, arity))
    }

    fn role(&mut self, head: NodeId, has_conditions: bool) -> Result<(), Broken> {
        let span = self.tree.span(head);
        let message = if has_conditions {
            "roles cannot be defined by rules"
        } else if !self.sheet.is_ground(head) {
            "a role cannot be a variable"
        } else {
            return Ok(());
        };
        self.broken(Code::BadRole, || {
            Diagnostic::at(Code::BadRole, span, message)
                .label("roles are fixed before the game starts")
                .help("list every role as a fact of its own, such as `(role white)`")
        })
    }

    /// Reads one condition and adds it with all inside.
    fn condition(&mut self, node: NodeId, depth: usize) -> Result<(), Broken> {
        let tree = self.tree;
        let span = tree.span(node);
        let Some(symbol) = self.front(node)? else {
            return self.broken(Code::BadCondition, || {
                Diagnostic::at(Code::BadCondition, span, "a condition cannot be a variable")
                    .label("a variable")
                    .help("write a sentence; for a fact of the state write `(true ?fact)`")
            });
        };
        if depth > MAX_CONNECTIVE_DEPTH {
            return self.broken(Code::TooDeep, || {
                Diagnostic::at(
                    Code::TooDeep,
                    span,
                    format!("conditions are nested more than {MAX_CONNECTIVE_DEPTH} deep"),
                )
                .label("one level too many")
                .help("give the inner part a name: a relation with rules of its own")
            });
        }
        let arity = tree.arity(node);
        match symbol {
            keyword::ARROW => self.nested_rule(node),
            keyword::NOT => self.negation(node, arity),
            keyword::DISTINCT => {
                self.distinct(node, arity)?;
                self.leaf(LiteralKind::Distinct, node, node);
                Ok(())
            }
            keyword::AND => {
                self.note_and(node);
                if depth == 0 {
                    // A conjunction in a conjunction adds nothing.
                    return tree.arguments(node).try_for_each(|n| self.condition(n, depth));
                }
                self.group(LiteralKind::And, node, depth)
            }
            keyword::OR => {
                if arity == 0 {
                    self.report.add(Code::EmptyOr, || {
                        Diagnostic::at(Code::EmptyOr, span, "`or` of nothing is never true")
                            .label("the rule can never fire")
                            .help("list the alternatives, or remove the rule")
                    });
                }
                self.group(LiteralKind::Or, node, depth)
            }
            symbol => {
                self.sentence(node, symbol, arity)?;
                self.leaf(LiteralKind::Positive, node, node);
                Ok(())
            }
        }
    }

    fn group(&mut self, kind: LiteralKind, node: NodeId, depth: usize) -> Result<(), Broken> {
        let id = self.leaf(kind, node, node);
        for part in self.tree.arguments(node) {
            self.condition(part, depth + 1)?;
        }
        self.sheet.literals[id].end = self.sheet.literals.len();
        Ok(())
    }

    fn leaf(&mut self, kind: LiteralKind, node: NodeId, atom: NodeId) -> LiteralId {
        let relation = match kind {
            LiteralKind::Positive | LiteralKind::Negative => {
                self.tree.functor(atom).map(|symbol| self.sheet.enter_relation(symbol, self.tree.arity(atom)))
            }
            _ => None,
        };
        let id = self.sheet.literals.len();
        self.sheet.literals.push(Literal { kind, node, atom, relation, end: id + 1 });
        id
    }

    fn negation(&mut self, node: NodeId, arity: usize) -> Result<(), Broken> {
        let tree = self.tree;
        let span = tree.span(node);
        let inner = tree.arguments(node).next();
        let Some(inner) = inner.filter(|_| arity == 1) else {
            return self.broken(Code::ConnectiveArity, || {
                Diagnostic::at(Code::ConnectiveArity, span, format!("`not` takes one sentence, not {arity}"))
                    .label("negate one sentence")
                    .help("write one `(not ...)` for each sentence")
            });
        };
        let symbol = self.front(inner)?;
        match symbol {
            Some(keyword::DISTINCT) => {
                self.distinct(inner, tree.arity(inner))?;
                self.report.add(Code::NotDistinct, || {
                    Diagnostic::at(
                        Code::NotDistinct,
                        span,
                        "a negated `distinct` demands that two terms are the same",
                    )
                    .label("read as equality")
                    .help("use one variable in both places instead; some GDL programs refuse this")
                });
                self.leaf(LiteralKind::Same, node, inner);
                Ok(())
            }
            Some(symbol) if !is_connective(symbol) && symbol != keyword::ARROW => {
                self.sentence(inner, symbol, tree.arity(inner))?;
                self.leaf(LiteralKind::Negative, node, inner);
                Ok(())
            }
            _ => self.broken(Code::BadNegation, || {
                let inside = match symbol {
                    Some(symbol) => format!("`{}`", tree.names.text(symbol)),
                    None => "a variable".to_owned(),
                };
                Diagnostic::at(Code::BadNegation, span, format!("`not` cannot be applied to {inside}"))
                    .also(tree.span(inner), "not a plain sentence")
                    .help("negate a relation with rules of its own that say what the inside says")
            }),
        }
    }

    fn distinct(&mut self, node: NodeId, arity: usize) -> Result<(), Broken> {
        if arity != 2 {
            let span = self.tree.span(node);
            return self.broken(Code::ConnectiveArity, || {
                Diagnostic::at(
                    Code::ConnectiveArity,
                    span,
                    format!("`distinct` compares two terms, not {arity}"),
                )
                .label("wrong number of terms")
                .help("write `(distinct a b)`; for three terms that all differ, three of them")
            });
        }
        self.terms(node)
    }

    /// Checks a sentence that stands in a condition.
    fn sentence(&mut self, node: NodeId, symbol: Symbol, arity: usize) -> Result<(), Broken> {
        let tree = self.tree;
        if matches!(symbol, keyword::INIT | keyword::NEXT | keyword::SEES) {
            let name = tree.names.text(symbol);
            return self.broken(Code::HeadKeywordInBody, || {
                Diagnostic::at(
                    Code::HeadKeywordInBody,
                    tree.span(node),
                    format!("`{name}` cannot be a condition"),
                )
                .label(format!("`{name}` belongs into heads"))
                .help("ask for the current state with `(true fact)`; move shared conditions into a relation of their own")
            });
        }
        self.keyword_arity(node, symbol, arity)?;
        self.terms(node)
    }

    fn keyword_arity(&mut self, node: NodeId, symbol: Symbol, arity: usize) -> Result<(), Broken> {
        let Some(expected) = relation_keyword_arity(symbol).filter(|&n| n != arity) else {
            return Ok(());
        };
        let tree = self.tree;
        let name = tree.names.text(symbol);
        let example = match symbol {
            keyword::TERMINAL => {
                "`terminal` stands alone; a rule for it is `(<= terminal condition ...)`: is the arrow missing?"
            }
            keyword::ROLE => "write `(role white)`",
            keyword::LEGAL => {
                "write `(legal player move)`; a move with parts is one term: `(legal player (mark 1 2))`"
            }
            keyword::DOES => {
                "write `(does player move)`; a move with parts is one term: `(does player (mark 1 2))`"
            }
            keyword::GOAL => "write `(goal player 100)`",
            keyword::SEES => "write `(sees player percept)`",
            _ => "a fact with parts is one term: `(true (cell 1 2 b))`",
        };
        self.broken(Code::KeywordArity, || {
            let count = match expected {
                0 => "no argument".to_owned(),
                1 => "one argument".to_owned(),
                n => format!("{n} arguments"),
            };
            Diagnostic::at(
                Code::KeywordArity,
                tree.span(node),
                format!("`{name}` takes {count}, not {arity}"),
            )
            .label("wrong number of arguments")
            .help(example)
        })
    }

    /// The word in front of a sentence; nothing for a variable. A list with a variable in front is broken.
    fn front(&mut self, node: NodeId) -> Result<Option<Symbol>, Broken> {
        let tree = self.tree;
        let front = match tree.kind(node) {
            NodeKind::Variable(_) => return Ok(None),
            NodeKind::Word(_) => node,
            NodeKind::List => tree.children(node).next().unwrap_or(node),
        };
        match tree.word(front) {
            Some(symbol) => {
                if tree.is_list(node)
                    && tree.arity(node) == 0
                    && !is_connective(symbol)
                    && symbol != keyword::ARROW
                    && relation_keyword_arity(symbol).is_none_or(|n| n == 0)
                {
                    self.needless_parentheses(node, symbol);
                }
                Ok(Some(symbol))
            }
            None => self.variable_in_front(front),
        }
    }

    fn variable_in_front<T>(&mut self, front: NodeId) -> Result<T, Broken> {
        let span = self.tree.span(front);
        self.broken(Code::VariableInFront, || {
            Diagnostic::at(Code::VariableInFront, span, "a variable cannot stand where a name is needed")
                .label("the name of a relation or function belongs here")
                .help("variables stand for whole terms: use `?x` alone, or write the name out")
        })
    }

    /// Checks everything inside the arguments of a sentence.
    fn terms(&mut self, sentence: NodeId) -> Result<(), Broken> {
        let tree = self.tree;
        let mut nodes = tree.subtree(sentence);
        nodes.next();
        if tree.is_list(sentence) {
            nodes.next(); // the name of the relation
        }
        for node in nodes {
            match tree.kind(node) {
                NodeKind::List => {
                    let front = tree.children(node).next().unwrap_or(node);
                    match tree.word(front) {
                        None => return self.variable_in_front(front),
                        Some(keyword::ARROW) => return self.nested_rule(node),
                        Some(symbol) if tree.arity(node) == 0 => self.needless_parentheses(node, symbol),
                        Some(_) => {}
                    }
                }
                NodeKind::Word(name) => {
                    let symbol = tree.names.symbol(name);
                    if symbol.index() < keyword::TEXTS.len() {
                        self.keyword_as_name(node, symbol)?;
                    }
                }
                NodeKind::Variable(_) => {}
            }
        }
        Ok(())
    }

    fn keyword_as_name(&mut self, node: NodeId, symbol: Symbol) -> Result<(), Broken> {
        if symbol == keyword::ARROW {
            return self.nested_rule(node);
        }
        let plain = !is_connective(symbol) && relation_keyword_arity(symbol).is_none();
        if plain || !self.keyword_names.insert(symbol) {
            return Ok(());
        }
        let (span, name) = (self.tree.span(node), self.tree.names.text(symbol));
        self.report.add(Code::KeywordAsName, || {
            Diagnostic::at(
                Code::KeywordAsName,
                span,
                format!("the keyword `{name}` is used as an ordinary name inside a term"),
            )
            .label("has no special meaning here")
            .help("choose another name; some GDL programs refuse this")
        });
        Ok(())
    }

    fn nested_rule<T>(&mut self, node: NodeId) -> Result<T, Broken> {
        let span = self.tree.span(node);
        self.broken(Code::NestedRule, || nested_rule(span))
    }

    fn needless_parentheses(&mut self, node: NodeId, symbol: Symbol) {
        if !self.parenthesised.insert(symbol) {
            return;
        }
        let (span, name) = (self.tree.span(node), self.tree.names.text(symbol));
        self.report.add(Code::NeedlessParentheses, || {
            Diagnostic::at(
                Code::NeedlessParentheses,
                span,
                format!("`{name}` has no arguments, so it needs no parentheses"),
            )
            .label(format!("read as `{name}`"))
            .help("write it without parentheses; some GDL programs hold the two apart")
        });
    }

    fn note_and(&mut self, node: NodeId) {
        if std::mem::replace(&mut self.and_seen, true) {
            return;
        }
        let span = self.tree.span(node);
        self.report.add(Code::AndUsed, || {
            Diagnostic::at(Code::AndUsed, span, "`and` is not part of GDL")
                .label("read as its conditions one after another")
                .help("list the conditions one after another; all of them must hold anyway")
        });
    }

    fn broken<T>(&mut self, code: Code, make: impl FnOnce() -> Diagnostic) -> Result<T, Broken> {
        self.report.add(code, make);
        Err(Broken)
    }
}
