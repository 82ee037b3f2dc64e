//! What the editor wants to know about a sheet: what is wrong with it, what it defines, its canonical
//! layout. Places are offsets in UTF-16, as browsers count.

use std::collections::BTreeMap;

use ludex_gdl::{Diagnostic, Label, NodeId, NodeKind, Source, Span, Tree, check, format, keyword, parse};
use serde::{Deserialize, Serialize};

use crate::reply::Refusal;
use crate::shelf::MAX_SHEET_BYTES;

/// Findings that are sent; a sheet with more has something else wrong.
const MOST_FINDINGS: usize = 200;
/// Relations that are listed.
const MOST_RELATIONS: usize = 2000;
/// Words that are offered.
const MOST_WORDS: usize = 5000;

/// A sheet from the editor.
#[derive(Debug, Deserialize)]
pub(crate) struct Written {
    text: String,
}

impl Written {
    fn source(self) -> Result<Source, Refusal> {
        if self.text.len() > MAX_SHEET_BYTES {
            return Err(Refusal::unplayable(format!(
                "the sheet is longer than {} KiB",
                MAX_SHEET_BYTES >> 10
            )));
        }
        Ok(Source::new("sheet", self.text))
    }
}

/// What is known about a sheet.
#[derive(Debug, Serialize)]
pub(crate) struct Checked {
    findings: Vec<Finding>,
    relations: Vec<Defined>,
    words: Vec<String>,
    roles: Vec<String>,
    playable: bool,
}

#[derive(Debug, Serialize)]
struct Finding {
    severity: &'static str,
    code: &'static str,
    message: String,
    help: String,
    /// Where, unless the sheet as a whole is at fault.
    place: Option<Place>,
    related: Vec<Place>,
}

#[derive(Debug, Serialize)]
struct Place {
    from: usize,
    to: usize,
    text: String,
}

/// What a sheet says about one relation, in the order of the sheet.
#[derive(Debug, Serialize)]
struct Defined {
    /// `legal mark`, `next cell`, or the name alone.
    title: String,
    /// The name that is hovered over.
    name: String,
    arity: usize,
    facts: usize,
    rules: usize,
    from: usize,
    line: usize,
    /// The comment above.
    comment: String,
}

/// Offsets of bytes as offsets in UTF-16, for rising bytes and others.
struct Offsets<'a> {
    text: &'a str,
    /// Every so many bytes: the offset there.
    marks: Vec<usize>,
}

const MARK: usize = 1024;

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        let mut marks = Vec::with_capacity(text.len() / MARK + 1);
        let mut units = 0;
        for (at, c) in text.char_indices() {
            while marks.len() * MARK <= at {
                marks.push(units);
            }
            units += c.len_utf16();
        }
        Self { text, marks }
    }

    fn of(&self, byte: u32) -> usize {
        let byte = (byte as usize).min(self.text.len());
        // A mark inside of a character counts from the end of it.
        let mut start = (byte / MARK).min(self.marks.len().saturating_sub(1)) * MARK;
        let units = self.marks.get(start / MARK).copied().unwrap_or(0);
        while start < byte && !self.text.is_char_boundary(start) {
            start += 1;
        }
        let rest = self.text[start.min(byte)..].char_indices();
        units + rest.take_while(|(at, _)| start + at < byte).map(|(_, c)| c.len_utf16()).sum::<usize>()
    }

    fn place(&self, span: Span, text: &str) -> Place {
        Place { from: self.of(span.start), to: self.of(span.end), text: text.to_owned() }
    }
}

/// Checks a sheet and looks at what it defines.
pub(crate) fn checked(written: Written) -> Result<Checked, Refusal> {
    let source = written.source()?;
    let report = check(&source);
    let (tree, _) = parse(&source);
    let text = String::from_utf8_lossy(source.bytes()).into_owned();
    let offsets = Offsets::new(&text);
    let findings =
        report.diagnostics().iter().take(MOST_FINDINGS).map(|found| finding(found, &offsets)).collect();
    let roles = tree
        .roots()
        .filter(|&root| tree.functor(root) == Some(keyword::ROLE) && tree.arity(root) == 1)
        .filter_map(|root| tree.arguments(root).next())
        .map(|role| source.text(tree.span(role)).to_lowercase())
        .collect();
    Ok(Checked {
        findings,
        relations: relations(&tree, &source, &offsets),
        words: words(&tree),
        roles,
        playable: !report.has_errors(),
    })
}

fn finding(found: &Diagnostic, offsets: &Offsets<'_>) -> Finding {
    let place = |label: &Label| offsets.place(label.span, &label.text);
    Finding {
        severity: found.severity().as_str(),
        code: found.code.as_str(),
        message: found.message.clone(),
        help: found.help.clone(),
        place: found.primary.as_ref().map(place),
        related: found.secondary.iter().map(place).collect(),
    }
}

/// The head of a clause, and whether it is a rule.
fn head(tree: &Tree, root: NodeId) -> Option<(NodeId, bool)> {
    match tree.functor(root) {
        Some(keyword::ARROW) => Some((tree.arguments(root).next()?, true)),
        _ => Some((root, false)),
    }
}

/// The relations in the order in which they are first defined. What happens to a fact or a move is
/// one relation for each fact and move.
fn relations(tree: &Tree, source: &Source, offsets: &Offsets<'_>) -> Vec<Defined> {
    let mut found: Vec<Defined> = Vec::new();
    let mut known: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for root in tree.roots() {
        let Some((head, is_rule)) = head(tree, root) else { continue };
        let Some(name) = tree.functor(head) else { continue };
        let about = match name {
            keyword::INIT | keyword::NEXT => tree.arguments(head).next(),
            keyword::LEGAL => tree.arguments(head).nth(1),
            _ => None,
        };
        let named = about.filter(|&about| tree.functor(about).is_some());
        let own = tree.names.text(name).to_owned();
        let (title, name, arity) = match named.and_then(|about| Some((about, tree.functor(about)?))) {
            Some((about, symbol)) => {
                let inner = tree.names.text(symbol).to_owned();
                (format!("{own} {inner}"), inner, tree.arity(about))
            }
            None => (own.clone(), own, tree.arity(head)),
        };
        let key = (title.clone(), arity);
        let at = match known.get(&key) {
            Some(&at) => at,
            None if found.len() == MOST_RELATIONS => break,
            None => {
                let start = tree.span(root).start;
                let from = offsets.of(start);
                let line = source.position(start).line;
                let comment = comment(tree, source, root);
                known.insert(key, found.len());
                found.push(Defined { title, name, arity, facts: 0, rules: 0, from, line, comment });
                found.len() - 1
            }
        };
        if is_rule {
            found[at].rules += 1;
        } else {
            found[at].facts += 1;
        }
    }
    found
}

/// The comment lines directly above a clause.
fn comment(tree: &Tree, source: &Source, root: NodeId) -> String {
    let start = tree.span(root).start;
    let behind = tree.comments.partition_point(|comment| comment.span.start < start);
    let mut line = source.position(start).line;
    let mut lines = Vec::new();
    for comment in tree.comments[..behind].iter().rev() {
        let at = source.position(comment.span.start);
        if at.line + 1 != line || at.column != 1 {
            break;
        }
        line = at.line;
        lines.push(source.text(comment.span).trim_start_matches(';').trim().to_owned());
    }
    lines.reverse();
    lines.join(" ")
}

/// The words and variables of a sheet, sorted.
fn words(tree: &Tree) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for root in tree.roots() {
        for node in tree.subtree(root) {
            if let NodeKind::Word(name) | NodeKind::Variable(name) = tree.kind(node) {
                words.push(tree.names.spelling(name).to_owned());
            }
        }
        if words.len() > 16 * MOST_WORDS {
            words.sort();
            words.dedup();
        }
    }
    words.sort();
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

/// A sheet in the canonical layout.
pub(crate) fn formatted(written: Written) -> Result<String, Refusal> {
    let source = written.source()?;
    match format(&source) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(report) => {
            let first = report.diagnostics().first().map_or("", |found| found.message.as_str());
            Err(Refusal::unplayable(format!("a sheet with such errors cannot be formatted: {first}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str) -> Checked {
        checked(Written { text: text.to_owned() }).unwrap()
    }

    #[test]
    fn offsets_are_those_of_browsers() {
        let text = format!("é{}𝄞x", "a".repeat(3000));
        let offsets = Offsets::new(&text);
        for (at, _) in text.char_indices() {
            let expected = text[..at].encode_utf16().count();
            assert_eq!(offsets.of(u32::try_from(at).unwrap()), expected, "{at}");
        }
        assert_eq!(offsets.of(u32::MAX), text.encode_utf16().count());
        assert_eq!(Offsets::new("").of(7), 0);
        // Characters that lie across the marks.
        let wide = "𝄞".repeat(2000);
        let offsets = Offsets::new(&wide);
        assert!((0..2000u32).all(|n| offsets.of(4 * n) == 2 * n as usize));
    }

    #[test]
    fn what_is_defined_is_listed_once_with_its_comment() {
        let text = "; Who plays.\n(role x)\n(role o)\n\n; The board.\n; All of it.\n(init (cell 1 1 b))\n\
                    (<= (legal ?p (mark ?x)) (true (cell ?x ?x b)) (role ?p))\n(<= (legal ?p noop) (role ?p))\n\
                    (<= (next (cell ?x ?x ?p)) (does ?p (mark ?x)))\n(index 1)\n(index 2)\n";
        let found = look(text);
        let titles: Vec<&str> = found.relations.iter().map(|relation| relation.title.as_str()).collect();
        assert_eq!(titles, ["role", "init cell", "legal mark", "legal noop", "next cell", "index"]);
        assert_eq!(found.relations[1].comment, "The board. All of it.");
        assert_eq!((found.relations[5].facts, found.relations[5].rules, found.relations[5].line), (2, 0, 11));
        assert_eq!(&text[found.relations[2].from..][..9], "(<= (lega");
        assert_eq!(found.roles, ["x", "o"]);
        assert!(
            !found.playable
                && found.words.contains(&"mark".to_owned())
                && found.words.contains(&"?x".to_owned())
        );
    }

    #[test]
    fn nothing_is_too_strange() {
        for text in
            ["", "(", ")))", "(<= )", "(<=)", "((a))", "(role", "; only a comment", "(legal)", "\u{0}"]
        {
            assert!(!look(text).playable, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(!look(&deep).findings.is_empty());
        assert!(checked(Written { text: " ".repeat(MAX_SHEET_BYTES + 1) }).is_err());
        assert!(formatted(Written { text: "(a".to_owned() }).is_err());
        assert_eq!(formatted(Written { text: "(a   b)".to_owned() }).unwrap(), "(a b)\n");
    }
}
