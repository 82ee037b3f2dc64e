//! Sheets that are malformed the way printed ones are: what `check` reports, line by line.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use ludex_gdl::{Report, Severity, Source, check};

const MORE_MONEY: &str = include_str!("data/printed/more_money.kif");
const TWO_BUTTONS: &str = include_str!("data/printed/two_buttons.kif");

fn report(text: &str) -> (Source, Report) {
    let source = Source::new("printed.kif", text);
    let report = check(&source);
    (source, report)
}

/// Line and code of every error and warning; line 0 is the sheet as a whole.
fn findings(text: &str) -> Vec<(usize, &'static str)> {
    let (source, report) = report(text);
    let found = report.diagnostics().iter().filter(|d| d.severity() != Severity::Hint);
    let line = |d: &ludex_gdl::Diagnostic| {
        d.primary.as_ref().map_or(0, |label| source.position(label.span.start).line)
    };
    let mut found: Vec<_> = found.map(|d| (line(d), d.code.as_str())).collect();
    found.sort_unstable();
    found
}

/// The text with every piece replaced; each must be there.
fn repaired(text: &str, repairs: &[(&str, &str)]) -> String {
    repairs.iter().fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old} is not in the sheet");
        text.replace(old, new)
    })
}

#[test]
fn a_legal_that_takes_a_whole_does_is_an_error_and_a_rule_without_body_a_warning() {
    assert_eq!(findings(MORE_MONEY), [(5, "E301"), (6, "E301"), (9, "W211")]);
    let (_, report) = report(MORE_MONEY);
    let first = report.diagnostics().first().expect("an error");
    assert!(first.message.contains("`legal` takes 2 arguments"), "{}", first.message);
    assert!(first.help.contains("(legal player move)"), "{}", first.help);
}

#[test]
fn what_is_left_of_the_sheet_is_sound() {
    let repairs = [
        ("(LEGAL (DOES ?who (say 0)))", "(<= (LEGAL ?who (say 0)) (ROLE ?who))"),
        ("(LEGAL (DOES ?who (say 1)))", "(<= (LEGAL ?who (say 1)) (ROLE ?who))"),
        ("(<= (NEXT (spoken now)))", "(NEXT (spoken now))"),
    ];
    let text = repaired(MORE_MONEY, &repairs);
    // Nobody has said anything yet: the sheet has no goals for that state, and needs none.
    assert_eq!(findings(&text), []);
    // A repair that keeps the variable in a fact is still refused.
    let text = repaired(MORE_MONEY, &[("(LEGAL (DOES ?who (say 0)))", "(LEGAL ?who (say 0))")]);
    assert_eq!(findings(&text)[0], (5, "E404"));
}

#[test]
fn names_in_front_of_parentheses_make_rules_that_are_all_head() {
    let expected = [(0, "W512"), (6, "E301"), (7, "E301"), (8, "E301"), (9, "E301")];
    assert_eq!(findings(TWO_BUTTONS), expected);
    let repairs = [
        ("(next(lamp) ", "(next lamp) "),
        ("(next(bulb) ", "(next bulb) "),
        ("(not (true lamp))))", "(not (true lamp)))"),
        ("(true bulb)))", "(true bulb))"),
        ("right) (true lamp)))", "right) (true lamp))"),
    ];
    assert_eq!(findings(&repaired(TWO_BUTTONS, &repairs)), [(0, "W512")]);
}
