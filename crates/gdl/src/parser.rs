//! Tokens to a syntax tree, going on after errors so that one broken clause does not hide the next.
//!
//! A clause that cannot be read is reported once and left out of the tree. Where a parenthesis is
//! missing, the clause would swallow the rest of the sheet; these signs end it instead:
//!
//! 1. `(<=` or `(init` where a line begins: rules and `init` cannot stand inside another clause;
//! 2. when the end of the file comes too early, the sheet is read again from the clause at fault,
//!    now taking every parenthesis in the first column as the start of a clause.
//!
//! The second reading happens at most once, so the time stays linear. Lists are kept on a stack of
//! our own: no input can overflow the call stack.

use crate::diagnostic::{Code, Diagnostic};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::name::Symbol;
use crate::report::Report;
use crate::source::{MAX_SOURCE_BYTES, Source, Span};
use crate::tree::{Comment, NodeId, NodeKind, Tree};

/// The deepest nesting that is read. Published sheets stay below 30.
pub const MAX_DEPTH: usize = 1000;

/// A tree, and the words of the clauses that are missing from it.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub tree: Tree,
    /// Words of clauses that were left out: later checks stay silent about them.
    pub lost_words: Vec<Symbol>,
}

/// Reads a sheet; what is wrong with it goes into the report.
pub(crate) fn parse(source: &Source, report: &mut Report) -> Parsed {
    let bytes = source.bytes();
    if bytes.len() > MAX_SOURCE_BYTES {
        report.add(Code::TooLarge, || {
            let limit = MAX_SOURCE_BYTES >> 20;
            Diagnostic::whole(Code::TooLarge, format!("this file has more than {limit} MiB"))
                .help("is this the right file? the largest published rule sheet has 0.4 MiB")
        });
        return Parsed::default();
    }
    let mut parser = Parser {
        bytes,
        report,
        parsed: Parsed::default(),
        stack: Vec::new(),
        skipped_depth: 0,
        broken: false,
        by_column: false,
        warned_comment: false,
    };
    parser.run();
    parser.parsed
}

struct Parser<'a> {
    bytes: &'a [u8],
    report: &'a mut Report,
    parsed: Parsed,
    /// Lists that are open; the first is the clause.
    stack: Vec<NodeId>,
    /// Parentheses open beyond [`MAX_DEPTH`].
    skipped_depth: usize,
    /// The current clause has been reported and will be left out.
    broken: bool,
    /// Second reading: a parenthesis in the first column starts a clause.
    by_column: bool,
    warned_comment: bool,
}

impl Parser<'_> {
    fn run(&mut self) {
        let mut start = 0;
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            start = 3;
            self.report.add(Code::ByteOrderMark, || {
                Diagnostic::at(
                    Code::ByteOrderMark,
                    Span::new(0, 3),
                    "the file starts with a byte-order mark",
                )
                .label("three invisible bytes")
                .help("save the file as UTF-8 without a byte-order mark; many GDL programs take it for a word")
            });
        }
        self.read(start);
        if let Some(&clause) = self.stack.first() {
            let open = self.parsed.tree.span(clause).start as usize;
            let resume = next_in_first_column(self.bytes, open + 1);
            self.unclosed(resume.map(|at| Span::new(at, at + 1)));
            let Some(resume) = resume else { return };
            // What was read behind the resume point is read again, comments too.
            let kept = |c: &Comment| (c.span.start as usize) < resume;
            self.parsed.tree.comments.retain(kept);
            self.by_column = true;
            self.read(resume);
            if !self.stack.is_empty() {
                self.unclosed(None);
            }
        }
    }

    fn read(&mut self, start: usize) {
        for token in Lexer::new(self.bytes, start) {
            match token.kind {
                TokenKind::Open => self.open(token.span),
                TokenKind::Close => self.close(token.span),
                TokenKind::Comment => self.comment(token),
                TokenKind::Control => self.control(token.span),
                TokenKind::Word | TokenKind::Variable => self.word(token),
            }
        }
    }

    fn open(&mut self, span: Span) {
        if !self.stack.is_empty() && self.starts_clause(span.start as usize) {
            self.unclosed(Some(span));
        }
        if self.skipped_depth > 0 || self.stack.len() >= MAX_DEPTH {
            if self.skipped_depth == 0 && !self.broken {
                self.broken = true;
                self.report.add(Code::TooDeep, || {
                    Diagnostic::at(
                        Code::TooDeep,
                        span,
                        format!("parentheses are nested more than {MAX_DEPTH} deep"),
                    )
                    .label("one level too many")
                    .help("split the term into smaller ones, or name its parts by relations of their own")
                });
            }
            self.skipped_depth += 1;
            return;
        }
        let list = self.parsed.tree.open(span);
        self.stack.push(list);
    }

    fn close(&mut self, span: Span) {
        if self.skipped_depth > 0 {
            self.skipped_depth -= 1;
            return;
        }
        let Some(list) = self.stack.pop() else {
            self.report.add(Code::StrayClose, || {
                Diagnostic::at(Code::StrayClose, span, "this `)` closes nothing")
                    .label("no parenthesis is open here")
                    .help("remove it, or look for an opening parenthesis that is missing before it")
            });
            return;
        };
        self.parsed.tree.close(list, span.end);
        if !self.broken {
            self.check_front(list);
        }
        if self.stack.is_empty() && std::mem::take(&mut self.broken) {
            self.lose(list);
        }
    }

    /// A list starts with a word or (reported later) a variable.
    fn check_front(&mut self, list: NodeId) {
        let tree = &self.parsed.tree;
        let span = tree.span(list);
        match tree.children(list).next() {
            None => {
                self.broken = true;
                self.report.add(Code::EmptyList, || {
                    Diagnostic::at(Code::EmptyList, span, "there is nothing between these parentheses")
                        .label("an empty list")
                        .help("write the sentence that belongs here, or remove the parentheses")
                });
            }
            Some(front) if tree.is_list(front) => {
                let front = tree.span(front);
                self.broken = true;
                self.report.add(Code::ListInFront, || {
                    let open = Span::new(span.start as usize, span.start as usize + 1);
                    Diagnostic::at(Code::ListInFront, open, "a name must follow this parenthesis")
                        .also(
                            Span::new(front.start as usize, front.start as usize + 1),
                            "here a second list starts",
                        )
                        .help("remove one pair of parentheses, or write the missing name between the two")
                });
            }
            Some(_) => {}
        }
    }

    fn comment(&mut self, token: Token) {
        let span = token.span;
        self.parsed.tree.comments.push(Comment { span });
        if token.non_ascii && !self.warned_comment {
            let text = std::str::from_utf8(&self.bytes[span.range()]);
            if let Err(error) = text {
                self.warned_comment = true;
                let at = span.start as usize + error.valid_up_to();
                self.report.add(Code::CommentNotUtf8, || {
                    Diagnostic::at(
                        Code::CommentNotUtf8,
                        Span::new(at, at + 1),
                        "this comment is not UTF-8 text",
                    )
                    .label("not part of any character")
                    .help("save the file as UTF-8; the rules are not affected")
                });
            }
        }
    }

    fn control(&mut self, span: Span) {
        let byte = self.bytes[span.start as usize];
        self.report.add(Code::ControlCharacter, || {
            Diagnostic::at(
                Code::ControlCharacter,
                span,
                format!("a control character (byte {byte:#04x}) stands in the rules"),
            )
            .label("invisible here")
            .help("remove it; blanks, tabs and line ends are the only characters between words")
        });
    }

    fn word(&mut self, token: Token) {
        let Ok(text) = std::str::from_utf8(&self.bytes[token.span.range()]) else {
            self.broken = !self.stack.is_empty();
            self.report.add(Code::NotUtf8, || {
                Diagnostic::at(Code::NotUtf8, token.span, "this name is not UTF-8 text")
                    .label("has bytes that are no character")
                    .help("save the file as UTF-8, or write the name with ASCII letters")
            });
            return;
        };
        if token.unusual && text.contains('"') {
            self.broken = !self.stack.is_empty();
            self.report.add(Code::QuotedString, || {
                Diagnostic::at(Code::QuotedString, token.span, "GDL has no quoted strings")
                    .label("a quotation mark")
                    .help("write one name instead, with `_` for the blanks; `;` starts a comment even between quotes")
            });
            return;
        }
        if token.non_ascii && text.contains('\u{FEFF}') {
            self.broken = !self.stack.is_empty();
            self.report.add(Code::ControlCharacter, || {
                Diagnostic::at(Code::ControlCharacter, token.span, "a byte-order mark stands in the rules")
                    .label("three invisible bytes")
                    .help("remove them; files that were joined often have one in the middle")
            });
            return;
        }
        let known = self.parsed.tree.names.len();
        let name = self.parsed.tree.names.intern(text);
        let is_new = self.parsed.tree.names.len() > known;
        if is_new && (token.unusual || token.non_ascii) {
            let odd = text.chars().find(|c| !c.is_ascii_alphanumeric() && !"_-+?<>=.*/:&$".contains(*c));
            let odd = odd.unwrap_or('?');
            self.report.add(Code::UnusualCharacter, || {
                Diagnostic::at(
                    Code::UnusualCharacter,
                    token.span,
                    format!("`{}` is unusual in a name", odd.escape_default()),
                )
                .label("other GDL programs may not read this")
                .help("use ASCII letters, digits, `_`, `-` and `+`")
            });
        }
        if self.skipped_depth > 0 {
            return;
        }
        if text == "<=" && self.stack.len() > 1 && !self.broken {
            let list = self.stack.last().filter(|list| list.index() + 1 == self.parsed.tree.node_count());
            if let Some(&list) = list {
                self.broken = true;
                let open = self.parsed.tree.span(list);
                self.report.add(Code::NestedRule, || nested_rule(open));
            }
        }
        let kind = match token.kind {
            TokenKind::Variable => NodeKind::Variable(name),
            _ => NodeKind::Word(name),
        };
        self.parsed.tree.push_leaf(kind, token.span);
    }

    /// Whether the parenthesis at `at` must be the start of a clause although one is open.
    fn starts_clause(&self, at: usize) -> bool {
        let line = self.bytes[..at].iter().rev().take_while(|b| !matches!(b, b'\n' | b'\r'));
        // Only blanks before it, and not too many: keeps the whole linear.
        let mut indent = 0;
        for byte in line {
            if !matches!(byte, b' ' | b'\t') || indent > 80 {
                return false;
            }
            indent += 1;
        }
        if indent == 0 && self.by_column {
            return true;
        }
        match self.front_word(at) {
            Some(b"<=") => true,
            Some(word) => indent == 0 && word.eq_ignore_ascii_case(b"init"),
            None => false,
        }
    }

    /// The word behind the parenthesis at `at`. Looks no further than a few blanks.
    fn front_word(&self, at: usize) -> Option<&[u8]> {
        let rest = &self.bytes[at + 1..];
        let start = rest.iter().take(80).position(|b| !b.is_ascii_whitespace())?;
        let word = &rest[start..];
        // `<=` and `init` are what is looked for: five bytes tell.
        let end = word.iter().take(5).position(|b| b.is_ascii_whitespace() || b"();".contains(b));
        Some(&word[..end?])
    }

    /// Reports the clause that is open as never closed, and leaves it out.
    fn unclosed(&mut self, next: Option<Span>) {
        let Some(&clause) = self.stack.first() else { return };
        let tree = &self.parsed.tree;
        let open = tree.span(clause).start as usize;
        if !self.broken {
            let missing = self.stack.len() + self.skipped_depth;
            let innermost = self.stack.last().map(|&list| tree.span(list));
            self.report.add(Code::Unclosed, || {
                let mut diagnostic = Diagnostic::at(
                    Code::Unclosed,
                    Span::new(open, open + 1),
                    "this parenthesis is never closed",
                )
                .label(if missing == 1 {
                    "one `)` is missing".to_owned()
                } else {
                    format!("{missing} closing parentheses are missing")
                })
                .help("close the clause where it ends");
                if let Some(inner) = innermost.filter(|_| missing > 1) {
                    let start = inner.start as usize;
                    diagnostic =
                        diagnostic.also(Span::new(start, start + 1), "the innermost one that is open");
                }
                if let Some(next) = next {
                    diagnostic = diagnostic.also(next, "the next clause starts here");
                }
                diagnostic
            });
        }
        self.lose(clause);
        self.stack.clear();
        self.skipped_depth = 0;
        self.broken = false;
    }

    fn lose(&mut self, clause: NodeId) {
        let tree = &mut self.parsed.tree;
        let words =
            (clause.index()..tree.node_count()).filter_map(|n| tree.word(NodeId(u32::try_from(n).ok()?)));
        self.parsed.lost_words.extend(words);
        tree.truncate(clause);
    }
}

/// A rule inside a clause, at its parenthesis.
pub(crate) fn nested_rule(open: Span) -> Diagnostic {
    Diagnostic::at(Code::NestedRule, open, "a rule cannot stand inside a clause")
        .label("another rule starts here")
        .help("is a closing parenthesis missing before it?")
}

/// The next `(` in the first column, at or behind `from`; comments are not looked into.
fn next_in_first_column(bytes: &[u8], from: usize) -> Option<usize> {
    (from.max(1)..bytes.len()).find(|&at| bytes[at] == b'(' && matches!(bytes[at - 1], b'\n' | b'\r'))
}
