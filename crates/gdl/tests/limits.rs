//! Inputs that try to exhaust the stack, the memory or the patience of a reader.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use ludex_gdl::{Code, MAX_SOURCE_BYTES, Report, Source, check, format};

fn codes(text: impl Into<Vec<u8>>) -> Vec<Code> {
    let report = check(&Source::new("input", text));
    report.diagnostics().iter().map(|d| d.code).collect()
}

#[test]
fn nesting_a_hundred_thousand_deep_is_refused() {
    let deep = 100_000;
    let closed = format!("(role x) (init {}x{})", "(f ".repeat(deep), ")".repeat(deep));
    assert!(codes(closed).contains(&Code::TooDeep));
    let open = "(".repeat(deep);
    assert!(!codes(open.clone()).is_empty());
    assert!(format(&Source::new("input", open)).is_err());
    let negations = format!("(<= terminal {}x{})", "(not ".repeat(deep), ")".repeat(deep));
    assert!(codes(negations).contains(&Code::TooDeep));
    assert!(codes(")".repeat(deep)).contains(&Code::StrayClose));
}

#[test]
fn a_clause_behind_one_that_is_too_deep_is_still_read() {
    let text = format!("(init {}x{}) (role ?x)", "(f ".repeat(5000), ")".repeat(5000));
    assert!(codes(text).contains(&Code::BadRole));
}

#[test]
fn a_file_of_64_mib_is_refused() {
    let found = codes(vec![b'('; 64 << 20]);
    assert_eq!(found, [Code::TooLarge]);
    const { assert!(MAX_SOURCE_BYTES < 64 << 20) };
}

#[test]
fn findings_are_capped_but_counted() {
    let source = Source::new("input", "(role ?x)\n".repeat(5000));
    let report = ludex_gdl::check_with(&source, Report::with_cap(10));
    assert_eq!(report.count(ludex_gdl::Severity::Error), 5000);
    assert!(report.diagnostics().len() < 25);
}

/// Sheets of about a megabyte in the shapes that would be quadratic if a check were careless. Each
/// takes a fraction of a second; a quadratic check would take hours, so the test would not end.
#[test]
fn large_sheets_of_every_shape_come_to_an_end() {
    let n = 30_000;
    let list = |part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
    let shapes = [
        ("facts", list(&|i| format!("(succ {i} {})\n", i + 1))),
        ("one head with many variables", format!("(<= (p {}) (role x))", list(&|i| format!("?v{i} ")))),
        (
            "one rule with many conditions",
            format!("(<= p {})", list(&|i| format!("(q ?v{} ?v{i}) (not (r ?v{i}))", i / 2))),
        ),
        ("one rule with many branches", format!("(<= (p ?x) (or {}))", list(&|i| format!("(q{i} ?x) ")))),
        ("a chain of relations", list(&|i| format!("(<= p{i} p{})\n", i + 1))),
        ("a chain of negations", list(&|i| format!("(<= p{i} (not p{}))\n", i + 1))),
        ("a cycle of negations", list(&|i| format!("(<= p{i} (not p{}))\n", (i + 1) % n))),
        ("recursion in every rule", list(&|i| format!("(<= (p ?x {i}) (p ?x ?y) (q ?y))\n"))),
        ("many unsafe callers", list(&|i| format!("(<= (p{i} ?x ?y) (p{} ?x ?y))\n", i + 1))),
        ("many roles", list(&|i| format!("(role r{i}) (legal r{i} m) (goal r{i} 0)\n"))),
        ("one role declared often", list(&|_| "(role (pair a b))\n".to_owned())),
        (
            "many first facts",
            format!(
                "{}{}",
                list(&|i| format!("(init (f {i}))")),
                list(&|i| format!("(<= (legal x m{i}) (true (f ?x)) (true (g {i})))"))
            ),
        ),
        (
            "abbreviations of abbreviations",
            list(&|i| format!("(<= (p{i} ?x ?y) (p{} ?x) (distinct ?x ?y))\n", i + 1)),
        ),
        (
            "unsafe heads and one long rule",
            format!(
                "(<= (any ?x ?y) (distinct ?x ?y))(<= (p ?x) {})",
                list(&|i| format!("(any ?v{i} ?x) (or (any ?v{i} {i}) (q ?v{i}))"))
            ),
        ),
        ("contradictions", format!("(<= terminal {})", list(&|i| format!("(q {i}) (not (q {}))", i + 9)))),
        ("dead ends", list(&|i| format!("(<= terminal (true (f {i})))\n"))),
        ("facts that nothing reads", list(&|i| format!("(init (f{i} a))\n"))),
        ("words with the same letters", list(&|i| format!("(f ab{0}cd) (f ba{0}cd)\n", "x".repeat(i % 97)))),
        ("many undefined names", list(&|i| format!("(<= (p{i} ?x) (undefined{i} ?x))\n"))),
        (
            "values that flow everywhere",
            format!(
                "{}{}",
                list(&|i| format!("(d {i})\n")),
                (0..300).map(|i| format!("(<= (e{i} ?x ?y) (d ?x) (d ?y))\n")).collect::<String>()
            ),
        ),
        ("unclosed clauses", list(&|i| format!("(<= (p {i})\n"))),
        ("stray words", list(&|i| format!("w{i} "))),
        ("one line", list(&|i| format!("(<= (p ?x{i}) (q ?y{i})) "))),
        ("many comments", list(&|i| format!("(a ; {i}\n b) ; c\n"))),
        ("goals under one condition", list(&|i| format!("(<= (goal x {i}) (true c))\n"))),
        (
            "one argument in every recursion",
            format!("(<= (p {0}) (p {0}))", list(&|i| format!("(f ?v{i}) "))),
        ),
    ];
    for (name, text) in shapes {
        let source = Source::new(name, text);
        let report = check(&source);
        assert!(!report.diagnostics().is_empty(), "{name}: these are no games");
        if let Ok(formatted) = format(&source) {
            assert!(formatted.len() < 4 * source.bytes().len(), "{name} grows");
        }
    }
}
