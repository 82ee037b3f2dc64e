//! The games that come with Ludex are in canonical layout and without findings.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::path::Path;

use ludex_gdl::{Severity, Source, check, format};
use ludex_testkit::kif_files;

#[test]
fn our_games_are_canonical_and_without_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut count = 0;
    for path in kif_files(&folder) {
        let source = Source::new(path.display().to_string(), std::fs::read(&path).expect("readable"));
        let report = check(&source);
        let found: Vec<_> = report.diagnostics().iter().filter(|d| d.severity() != Severity::Hint).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        let canonical = format(&source).expect("readable");
        assert!(canonical == source.bytes(), "{}: run `ludex fmt games/`", path.display());
        let text = String::from_utf8(canonical).expect("text");
        for head in ["; Players: ", "; Rules:   ", "; Papers:  "] {
            assert!(text.contains(head), "{} has no comment head {head}", path.display());
        }
        count += 1;
    }
    assert!(count >= 89, "only {count} sheets");
}
