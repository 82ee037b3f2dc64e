//! One canonical layout for rule sheets. Words, their spelling and comments stay as they are.
//!
//! - A clause starts in the first column. A fact, or a rule with one condition, stands on one line
//!   if it fits; other rules have their head on the first line and a line for each condition.
//! - What does not fit into [`WIDTH`] columns is broken between arguments.
//! - A comment that had a line of its own keeps one, above what follows it; a comment behind
//!   something stays behind it, and ends the line.
//! - One blank line between clauses stays, more become one; blank lines inside clauses go.
//! - Lines end with `\n`; there is no byte-order mark and no blank at the end of a line.
//!
//! The token sequence is unchanged, so the meaning is; formatting twice is formatting once.

use crate::name::keyword;
use crate::parser;
use crate::report::Report;
use crate::source::{Source, Span};
use crate::tree::{NodeId, Tree};

/// Lines are kept within this many columns where the words allow it.
const WIDTH: usize = 100;
/// Deeper indentation is not used: very deep terms would grow to the right without end.
const MAX_INDENT: usize = 60;

/// The sheet in canonical layout, or the report on why it cannot be read.
pub fn format(source: &Source) -> Result<Vec<u8>, Report> {
    let mut report = Report::default();
    let parsed = parser::parse(source, &mut report);
    report.finish();
    if report.has_errors() {
        return Err(report);
    }
    let layout = Layout {
        bytes: source.bytes(),
        tree: &parsed.tree,
        widths: flat_widths(source.bytes(), &parsed.tree),
        next_comment: 0,
        out: Vec::with_capacity(source.bytes().len() + 64),
        column: 0,
        line_is_over: false,
    };
    Ok(layout.run())
}

/// The columns each subtree takes on one line.
fn flat_widths(bytes: &[u8], tree: &Tree) -> Vec<usize> {
    let mut widths = vec![0; tree.node_count()];
    // Children come behind their list, so going backwards they are done when it is reached.
    let mut nodes: Vec<NodeId> = tree.roots().flat_map(|root| tree.subtree(root)).collect();
    nodes.reverse();
    for node in nodes {
        widths[node.index()] = if tree.is_list(node) {
            // Each child with one blank or parenthesis before it, and one parenthesis behind all.
            1 + tree.children(node).map(|n| widths[n.index()] + 1).sum::<usize>()
        } else {
            characters(&bytes[tree.span(node).range()])
        };
    }
    widths
}

fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

struct Layout<'a> {
    bytes: &'a [u8],
    tree: &'a Tree,
    widths: Vec<usize>,
    /// The first comment that is not yet written.
    next_comment: usize,
    out: Vec<u8>,
    column: usize,
    /// A comment was written: whatever follows needs a new line.
    line_is_over: bool,
}

impl Layout<'_> {
    fn run(mut self) -> Vec<u8> {
        let tree = self.tree;
        // Offset behind the last thing written, to see blank lines.
        let mut done = if self.bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        for clause in tree.roots() {
            let span = tree.span(clause);
            done = self.comments_between(done, span.start);
            self.separate(done, span.start as usize);
            self.clause(clause);
            done = span.end as usize;
        }
        let end = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.comments_between(done, end);
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
        self.out
    }

    /// Writes the comments before `end` that stand between clauses; gives the offset behind them.
    fn comments_between(&mut self, mut done: usize, end: u32) -> usize {
        while let Some(span) = self.pending(end) {
            if !self.out.is_empty() && !self.has_line_of_its_own(span) {
                self.blank();
            } else {
                self.separate(done, span.start as usize);
            }
            self.comment(span);
            done = span.end as usize;
        }
        done
    }

    /// Starts a line for the next clause or comment, with a blank line before it if there was one.
    fn separate(&mut self, done: usize, next: usize) {
        if self.out.is_empty() {
            return;
        }
        let between = &self.bytes[done..next];
        let lines = between.iter().enumerate().filter(|&(i, b)| match b {
            b'\n' => true,
            b'\r' => between.get(i + 1) != Some(&b'\n'),
            _ => false,
        });
        if lines.count() > 1 {
            self.out.push(b'\n');
        }
        self.new_line(0);
    }

    fn clause(&mut self, clause: NodeId) {
        let tree = self.tree;
        let is_rule = tree.functor(clause) == Some(keyword::ARROW) && tree.is_list(clause);
        let conditions = tree.arity(clause).saturating_sub(1);
        if is_rule && conditions > 1 {
            self.broken(clause, 0, 0);
        } else {
            self.node(clause, 0, 0);
        }
    }

    /// Writes a node; `closing` parentheses will follow it on the same line.
    fn node(&mut self, node: NodeId, indent: usize, closing: usize) {
        let span = self.tree.span(node);
        let fits = self.column + self.widths[node.index()] + closing <= WIDTH;
        let has_comment = self.pending(span.end).is_some();
        if !self.tree.is_list(node) || (fits && !has_comment) {
            self.flat(node);
        } else {
            self.broken(node, indent, closing);
        }
    }

    /// Writes a subtree without breaks.
    fn flat(&mut self, node: NodeId) {
        let tree = self.tree;
        let mut open: Vec<usize> = Vec::new();
        let mut first = true;
        for part in tree.subtree(node) {
            while open.last().is_some_and(|&end| end == part.index()) {
                open.pop();
                self.write(b")");
            }
            if !first {
                self.write(b" ");
            }
            first = tree.is_list(part);
            if first {
                open.push(part.index() + tree.size(part));
                self.write(b"(");
            } else {
                self.write(&self.bytes[tree.span(part).range()]);
            }
        }
        for _ in open {
            self.write(b")");
        }
    }

    /// Writes a list over several lines: the name and the first argument, then each list on a line
    /// of its own and words side by side while they fit.
    fn broken(&mut self, list: NodeId, indent: usize, closing: usize) {
        let tree = self.tree;
        let end = tree.span(list).end;
        self.write(b"(");
        let name_width = tree.children(list).next().map_or(0, |name| self.widths[name.index()]);
        // Arguments line up under the first one, unless the name is long.
        let step = if name_width <= 10 { name_width + 2 } else { 2 };
        let inner = (indent + step).min(MAX_INDENT);
        let is_rule = tree.functor(list) == Some(keyword::ARROW);
        let count = tree.children(list).count();
        for (at, child) in tree.children(list).enumerate() {
            self.comments_inside(tree.span(child).start, inner);
            let last = if at + 1 == count { closing + 1 } else { 0 };
            let side_by_side = match at {
                0 => true,
                1 => step > 2 || is_rule,
                _ => {
                    !tree.is_list(child)
                        && !is_rule
                        && self.column + 1 + self.widths[child.index()] + last <= WIDTH
                }
            };
            if self.line_is_over || !side_by_side {
                self.new_line(inner);
            } else if at > 0 {
                self.write(b" ");
            }
            self.node(child, inner, last);
        }
        self.comments_inside(end, inner);
        if self.line_is_over {
            self.new_line(indent.min(MAX_INDENT));
        }
        self.write(b")");
    }

    /// Writes the comments before `end` that stand inside a clause.
    fn comments_inside(&mut self, end: u32, indent: usize) {
        while let Some(span) = self.pending(end) {
            if self.has_line_of_its_own(span) {
                self.new_line(indent);
            } else {
                self.blank();
            }
            self.comment(span);
        }
    }

    /// The next comment, if it starts before `end`.
    fn pending(&self, end: u32) -> Option<Span> {
        let comment = self.tree.comments.get(self.next_comment)?;
        (comment.span.start < end).then_some(comment.span)
    }

    fn has_line_of_its_own(&self, comment: Span) -> bool {
        let before = self.bytes[..comment.start as usize].iter().rev();
        let mut line = before.take_while(|b| !matches!(b, b'\n' | b'\r'));
        line.all(|b| b.is_ascii_whitespace() || *b == 0x0B)
    }

    fn comment(&mut self, span: Span) {
        let text = self.bytes[span.range()].trim_ascii_end();
        self.write(text);
        self.next_comment += 1;
        self.line_is_over = true;
    }

    fn blank(&mut self) {
        if self.line_is_over {
            self.new_line(0);
        } else {
            self.write(b" ");
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push(b'\n');
        self.out.resize(self.out.len() + indent, b' ');
        self.column = indent;
        self.line_is_over = false;
    }

    fn write(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.column += characters(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let bytes = format(&Source::new("test", text)).expect("readable");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn rules_have_a_line_for_each_condition() {
        let text = "(<= (legal ?p\n noop) (role ?p)\n\n\n (not (true (control ?p))))(role   x)";
        assert_eq!(
            formatted(text),
            "(<= (legal ?p noop)\n    (role ?p)\n    (not (true (control ?p))))\n(role x)\n"
        );
    }

    #[test]
    fn short_rules_and_facts_stay_on_one_line() {
        let text = "(<= terminal\n   (true (count 6)))\n(succ 1\n 2)\n";
        assert_eq!(formatted(text), "(<= terminal (true (count 6)))\n(succ 1 2)\n");
    }

    #[test]
    fn comments_stay_where_they_are() {
        let text = "; head \n\n\n\n(role x) ; the only one\r\n;; rules\n(<= terminal ; end\n  ; when full\n (a) (b) ; or not\n ; tail\n )";
        assert_eq!(
            formatted(text),
            "; head\n\n(role x) ; the only one\n;; rules\n(<= terminal ; end\n    ; when full\n    (a)\n    (b) ; or not\n    ; tail\n)\n"
        );
    }

    #[test]
    fn long_lists_are_filled_and_long_terms_broken() {
        let words = vec!["abcdefgh"; 30].join(" ");
        let text = formatted(&format!("(init (row {words}))"));
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.lines().count() < 6, "{text}");
        assert_eq!(formatted(&text), text);
    }

    #[test]
    fn a_sheet_that_cannot_be_read_is_refused() {
        assert!(format(&Source::new("test", "(role x")).is_err());
    }
}
