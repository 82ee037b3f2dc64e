//! Every code is explained, its example really triggers it, and the correction is clean.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::path::Path;

use ludex_gdl::{Code, EXAMPLE_GAME, Severity, Source, check, example_bytes};

/// Codes without hints, in order.
fn findings(bytes: Vec<u8>) -> Vec<Code> {
    check(&Source::new("game.kif", bytes)).diagnostics().iter().map(|d| d.code).collect()
}

#[test]
fn the_example_game_has_no_findings() {
    assert_eq!(findings(EXAMPLE_GAME.as_bytes().to_vec()), []);
}

#[test]
fn every_example_gets_its_diagnostic_and_the_correction_does_not() {
    let mut problems = Vec::new();
    for &code in Code::ALL {
        let explanation = code.explain();
        let name = code.as_str();
        assert!(explanation.text.iter().map(String::len).sum::<usize>() > 40, "{name} has no explanation");
        let wrong = findings(example_bytes(&explanation.wrong()));
        if !wrong.contains(&code) {
            problems.push(format!("the example of {name} gets {wrong:?}"));
        }
        let right = findings(example_bytes(&explanation.right()));
        let left: Vec<_> = right.iter().filter(|c| c.severity() != Severity::Hint || **c == code).collect();
        if !left.is_empty() {
            problems.push(format!("the correction of {name} gets {left:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_explanation_names_a_section_of_the_reference() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/3-reference.md");
    let text = std::fs::read_to_string(file).expect("the reference is there");
    // The anchor of a heading: lower case, blanks as hyphens, nothing else but letters and digits.
    let anchors: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|heading| {
            let kept = heading.to_lowercase().replace(' ', "-");
            kept.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
        })
        .collect();
    for &code in Code::ALL {
        let section = code.explain().section;
        assert!(anchors.iter().any(|a| a == section), "{}: no section {section}", code.as_str());
        assert!(text.contains(code.as_str()), "the reference does not mention {}", code.as_str());
    }
}

#[test]
fn codes_are_found_in_any_letter_case() {
    assert_eq!(Code::find("w608"), Some(Code::NeverFires));
    assert_eq!(Code::find("W999"), None);
}
