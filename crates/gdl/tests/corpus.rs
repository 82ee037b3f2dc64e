//! The published rule sheets, and sheets with known defects.
//!
//! They are not part of this repository: set `LUDEX_CORPUS` to a folder with `games/*.kif` and
//! `invalid/*.kif` with `invalid/EXPECTED.csv`. Without it these tests have nothing to look at.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests end by panicking")]

mod laws;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ludex_gdl::{Code, Diagnostic, Severity, Source, check, load};
use ludex_testkit::Corpus;

fn corpus() -> Option<Corpus> {
    Corpus::find("the published sheets are not checked")
}

fn read(path: &Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read(path).expect("readable"))
}

/// Lines of a CSV file as fields; a field may be quoted, without quotes inside.
fn csv(text: &str) -> Vec<Vec<String>> {
    let line = |line: &str| {
        let mut fields = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                c => fields.last_mut().expect("never empty").push(c),
            }
        }
        fields
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn published_sheets_are_accepted_but_for_a_list_with_reasons() {
    let Some(corpus) = corpus() else { return };
    let refused: BTreeMap<String, String> = csv(include_str!("data/refused.csv"))
        .into_iter()
        .map(|row| {
            assert!(row.len() == 3 && row[2].len() > 10, "a reason is missing: {row:?}");
            (row[0].clone(), row[1].clone())
        })
        .collect();
    let mut seen = BTreeSet::new();
    for folder in ["games", "gdl2"] {
        for sheet in corpus.sheets(folder) {
            let (path, source) = (&sheet.path, sheet.source());
            let loaded = load(&source);
            let codes: BTreeSet<_> = loaded
                .report
                .diagnostics()
                .iter()
                .filter(|d| d.severity() == Severity::Error)
                .map(|d| d.code.as_str())
                .collect();
            match refused.get(&sheet.name) {
                None => assert!(codes.is_empty(), "{} is refused: {codes:?}", path.display()),
                Some(code) => assert!(codes.contains(code.as_str()), "{}: {codes:?}", path.display()),
            }
            assert!(!loaded.rules.roles.is_empty(), "{} has no roles", path.display());
            seen.insert(sheet.name.clone());
        }
    }
    let gone: Vec<_> = refused.keys().filter(|sheet| !seen.contains(*sheet)).collect();
    assert!(gone.is_empty(), "listed but not in the corpus: {gone:?}");
}

#[test]
fn sheets_with_known_defects_give_what_is_expected_on_the_line() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.path("invalid");
    let expected = std::fs::read_to_string(folder.join("EXPECTED.csv")).expect("readable");
    let mut failures = Vec::new();
    let rows = csv(&expected);
    assert!(rows.len() >= 123);
    for row in rows {
        let (file, line, expect) = (&row[0], row[2].parse::<usize>().ok(), row[3].as_str());
        let source = read(&folder.join(file));
        let report = check(&source);
        let of = |severity: Severity| -> Vec<&Diagnostic> {
            report.diagnostics().iter().filter(|d| d.severity() == severity).collect()
        };
        let on_line = |found: &[&Diagnostic]| {
            let line_of = |d: &&Diagnostic| d.primary.as_ref().map(|l| source.position(l.span.start).line);
            !found.is_empty() && (line.is_none() || found.iter().any(|d| line_of(d) == line))
        };
        let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
        let good = match expect {
            "error" => on_line(&errors),
            "warning" => errors.is_empty() && on_line(&warnings),
            "none" => errors.is_empty() && warnings.is_empty(),
            "nocrash" => true,
            other => panic!("unknown expectation {other}"),
        };
        if !good {
            failures.push(format!("{file}: {expect} on {line:?}, but {errors:?} {warnings:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_laws_hold_for_every_sheet() {
    let Some(corpus) = corpus() else { return };
    for folder in ["games", "gdl2", "invalid"] {
        for sheet in corpus.sheets(folder) {
            laws::hold(sheet.source().bytes());
        }
    }
}

#[test]
fn stratification_by_ground_atoms_agrees_with_the_recorded_property() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.path("games.csv")).expect("readable");
    let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    let column = header.iter().position(|h| *h == "stratified").expect("the column");
    let mut by_value = 0;
    for row in csv(&table) {
        let report = check(&corpus.game(&row[0]).source());
        let found = report.diagnostics().iter().any(|d| d.code == Code::StratifiedByValue);
        assert_eq!(found, row[column] == "by ground atom only", "{}", row[0]);
        by_value += usize::from(found);
    }
    assert!(by_value > 0);
}
