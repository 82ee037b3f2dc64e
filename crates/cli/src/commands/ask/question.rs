//! A question as a rule of the sheet, and what is wrong with it.
//!
//! The question becomes the body of one more rule, `(<= (answer ?x ?y) QUESTION)`. The checks for
//! sheets then say what they say of any rule: which name was meant, how many arguments it takes,
//! which variable has no value.

use anyhow::{Context, Result, bail};
use ludex_gdl::{
    Code, Condition, Diagnostic, Rules, Severity, Source, Span, Style, keyword, load, parse, render,
};

use crate::history::terms;

/// Questions are short; a longer one is a sheet.
const MAX_LENGTH: usize = 10_000;

/// A question that the rules can answer.
pub(super) struct Question {
    /// The sheet and the question's rule.
    pub(super) rules: Rules,
    /// The relation that has the answers.
    pub(super) head: String,
    /// In the order in which they first occur.
    pub(super) variables: Vec<String>,
    /// Warnings, as text.
    pub(super) doubts: Vec<String>,
}

/// A question that was read.
pub(super) enum Asked {
    /// It can be answered.
    Fine(Box<Question>),
    /// It cannot; why, as text.
    Wrong(Vec<String>),
}

impl Question {
    /// Reads a question about a sheet without errors.
    pub(super) fn read(sheet: &Source, text: &str) -> Result<Asked> {
        if text.len() > MAX_LENGTH {
            bail!("the question is longer than {MAX_LENGTH} bytes");
        }
        let text = with_parentheses(text)?;
        if terms(&text).context("cannot read the question")?.is_empty() {
            bail!("the question is empty");
        }
        let lower = String::from_utf8_lossy(sheet.bytes()).to_lowercase() + &text.to_lowercase();
        let head = unused(&lower, "answer");
        let stand_ins = [(keyword::NEXT, "next"), (keyword::INIT, "init")]
            .map(|(symbol, word)| (symbol, word, unused(&lower, &word[..3])));
        let mut body = text.clone();
        for (_, word, stand_in) in &stand_ins {
            body = replace_in_front(&body, word, stand_in);
        }
        let variables = variables(&text);
        let start = format!("\n(<= ({head} {}) ", variables.join(" "));
        let mut bytes = sheet.bytes().to_vec();
        // A comment at the end of the sheet must not swallow the question.
        bytes.push(b'\n');
        let offset = bytes.len() + start.len();
        bytes.extend_from_slice(format!("{start}{body})\n").as_bytes());

        let loaded = load(&Source::new(sheet.name(), bytes));
        let (mut wrong, mut doubts) = (Vec::new(), Vec::new());
        let shown = Source::new("question", text.clone());
        for found in loaded.report.diagnostics() {
            let Some(place) = found.primary.as_ref().map(|label| label.span) else { continue };
            if (place.end as usize) < offset - start.len() {
                continue; // about the sheet
            }
            let about_stand_in = stand_ins.iter().any(|(_, _, stand_in)| found.message.contains(stand_in));
            let of_our_making =
                matches!(found.code, Code::Unused | Code::AndUsed | Code::NeedlessParentheses);
            if about_stand_in || of_our_making || found.severity() == Severity::Hint {
                continue;
            }
            let report = in_question(&shown, found, offset, text.len());
            match found.severity() == Severity::Error || found.code == Code::Undefined {
                true => wrong.push(report),
                false => doubts.push(report),
            }
        }
        if !wrong.is_empty() {
            return Ok(Asked::Wrong(wrong));
        }
        let mut rules = loaded.rules;
        for (symbol, _, stand_in) in &stand_ins {
            let from = rules.names.find(stand_in).and_then(|symbol| rules.relation(symbol, 1));
            if let (Some(from), Some(to)) = (from, rules.relation(*symbol, 1))
                && let Some(rule) = rules.rules.last_mut()
            {
                replace(&mut rule.body, from, to);
            }
        }
        Ok(Asked::Fine(Box::new(Question { rules, head, variables, doubts })))
    }
}

/// `not open` is `(not open)`, `line ?x` is `(line ?x)`: shells make parentheses tedious.
fn with_parentheses(text: &str) -> Result<String> {
    let text = text.trim();
    let found = terms(text).context("cannot read the question")?;
    match found.first() {
        Some(first) if found.len() > 1 && !first.starts_with('(') => Ok(format!("({text})")),
        _ => Ok(text.to_owned()),
    }
}

/// A word as long as the sheet allows to find one: `answer`, or `answer0` and so on.
fn unused(text: &str, word: &str) -> String {
    let words: std::collections::BTreeSet<&str> =
        text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').collect();
    let mut names = ('0'..='9').chain('a'..='z').map(|end| format!("{word}{end}"));
    let short = names.find(|name| !words.contains(name.as_str()));
    short.unwrap_or_else(|| format!("{word}{}", "_".repeat(text.len())))
}

/// The text with a word replaced by another wherever it stands in front of a list.
fn replace_in_front(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('(') {
        let inside = &rest[at + 1..];
        let blank = inside.len() - inside.trim_start().len();
        out.push_str(&rest[..=at + blank]);
        rest = &inside[blank..];
        let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
        if rest[..end].eq_ignore_ascii_case(word) {
            out.push_str(by);
            rest = &rest[end..];
        }
    }
    out + rest
}

fn replace(body: &mut [Condition], from: ludex_gdl::Relation, to: ludex_gdl::Relation) {
    for condition in body {
        match condition {
            Condition::Holds(atom) | Condition::Fails(atom) if atom.relation == from => atom.relation = to,
            Condition::Any(branches) => branches.iter_mut().for_each(|branch| replace(branch, from, to)),
            _ => {}
        }
    }
}

/// The variables of a text in the order in which they first occur, each once.
fn variables(text: &str) -> Vec<String> {
    let source = Source::new("question", text);
    let (tree, _) = parse(&source);
    let mut found: Vec<String> = Vec::new();
    for root in tree.roots() {
        let text = tree.text(root).to_string();
        for word in text.split(['(', ')', ' ']).filter(|word| word.starts_with('?')) {
            if !found.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                found.push(word.to_owned());
            }
        }
    }
    found
}

/// A finding about the question's rule as one about the question.
fn in_question(question: &Source, found: &Diagnostic, offset: usize, length: usize) -> String {
    let inside = |span: Span| -> Option<Span> {
        let (start, end) = (span.start as usize, span.end as usize);
        (start >= offset && end <= offset + length).then(|| Span::new(start - offset, end - offset))
    };
    let mut found = found.clone();
    if let Code::UnsafeHead = found.code {
        found.message = found.message.replace(" of the head", "");
        found.help = "use it in a condition that is not negated, and in every branch of an `or`".to_owned();
    }
    if let Code::NeverFires = found.code {
        found.message = "this can never hold".to_owned();
        found.help = String::new();
    }
    found.primary = found.primary.and_then(|mut label| {
        label.span = inside(label.span)?;
        Some(label)
    });
    found.secondary = found
        .secondary
        .into_iter()
        .filter_map(|mut label| {
            label.span = inside(label.span)?;
            Some(label)
        })
        .collect();
    render(question, &found, Style::Coloured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_front_are_replaced_and_others_stay() {
        assert_eq!(
            replace_in_front("(next (next ?x)) next ( NEXT y)", "next", "nex0"),
            "(nex0 (nex0 ?x)) next ( nex0 y)"
        );
        assert_eq!(replace_in_front("p", "next", "nex0"), "p");
    }

    #[test]
    fn parentheses_may_be_left_out() {
        assert_eq!(with_parentheses("not open").unwrap(), "(not open)");
        assert_eq!(with_parentheses("open").unwrap(), "open");
        assert_eq!(with_parentheses("(p ?x) (q ?x)").unwrap(), "(p ?x) (q ?x)");
        assert!(with_parentheses("(p ?x").is_err());
    }

    #[test]
    fn variables_are_found_in_order_and_once() {
        assert_eq!(variables("(p ?y (f ?x)) (q ?Y ?z)"), ["?y", "?x", "?z"]);
    }
}
