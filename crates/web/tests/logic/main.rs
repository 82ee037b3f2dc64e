//! The logic of the page without a browser, by the test runner of Node.js.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests end by panicking, and say what is skipped"
)]

use std::process::Command;

#[test]
fn logic_of_the_page() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/logic");
    let Ok(version) = Command::new("node").arg("--version").output() else {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "node is needed here");
        eprintln!("NOT RUN: the logic of the page is tested by node, which is not installed");
        return;
    };
    assert!(version.status.success());
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "mjs")).collect();
    files.sort();
    assert!(!files.is_empty());
    let output = Command::new("node").arg("--test").args(&files).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("# tests 0"), "{said}");
}
