//! `ludex check --explain CODE`: what a diagnostic means, with an example.

use std::io::Write;

use anyhow::{Result, anyhow};
use ludex_gdl::{
    Code, DEFAULT_CAP, Diagnostic, ExampleLine, Report, Source, Style, check_with, closest, example_bytes,
    render,
};

use crate::Outcome;
use crate::output::{stdout, terminal_width};

/// Widest line of running text.
const PAGE: usize = 90;

pub(super) fn run(name: &str) -> Result<Outcome> {
    let code = Code::find(name).ok_or_else(|| unknown(name))?;
    let explanation = code.explain();
    let mut out = stdout();
    let (word, summary) = (code.severity().as_str(), code.summary());
    writeln!(out, "\x1b[1m{}\x1b[0m ({word}): {summary}", code.as_str())?;
    let width = terminal_width().min(PAGE);
    for paragraph in &explanation.text {
        writeln!(out)?;
        for line in wrap(paragraph, width) {
            writeln!(out, "{line}")?;
        }
    }
    let wrong = explanation.wrong();
    sheet(&mut out, "Wrong", &wrong)?;
    let source = Source::new("example.kif", example_bytes(&wrong));
    let report = check_with(&source, Report::with_cap(DEFAULT_CAP));
    if let Some(found) = report.diagnostics().iter().find(|d: &&Diagnostic| d.code == code) {
        writeln!(out, "\n\x1b[1mWhat `ludex check` says\x1b[0m\n")?;
        for line in render(&source, found, Style::Coloured).lines() {
            writeln!(out, "  {line}")?;
        }
    }
    sheet(&mut out, "Corrected", &explanation.right())?;
    writeln!(out, "\nThe rule behind it: docs/guide/3-reference.md#{}", explanation.section)?;
    out.flush()?;
    Ok(Outcome::Success)
}

fn unknown(name: &str) -> anyhow::Error {
    let upper = name.to_uppercase();
    let known = Code::ALL.iter().map(|code| code.as_str());
    // `E608` for `W608`: the number is what people remember.
    let same_number = known
        .clone()
        .find(|code| upper.len() > 1 && code.ends_with(upper.trim_start_matches(['E', 'W', 'H'])));
    let meant = same_number.or_else(|| closest(&upper, known));
    let meant = meant.map(|meant| format!("did you mean {meant}? ")).unwrap_or_default();
    anyhow!("there is no code `{name}`; {meant}`ludex check --codes` lists them")
}

/// The lines of an example; those that matter are marked.
fn sheet(out: &mut impl Write, title: &str, lines: &[ExampleLine]) -> Result<()> {
    writeln!(out, "\n\x1b[1m{title}\x1b[0m\n")?;
    for line in lines {
        match line.changed {
            true => writeln!(out, "  \x1b[1m> {}\x1b[0m", line.text)?,
            false => writeln!(out, "    {}", line.text)?,
        }
    }
    if lines.iter().any(|line| line.text.contains('\\')) {
        writeln!(out, "\n  (`\\x00` is one byte, `\\repeat{{N}}{{text}}` is N times the text)")?;
    }
    Ok(())
}

/// Breaks a paragraph into lines.
fn wrap(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in paragraph.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
