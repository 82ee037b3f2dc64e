//! ARCHITECTURE.md and the workspace say the same: crates, arrows, dependencies, folders.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// Each crate's folder, with the names of its normal and development dependencies.
fn crates() -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let of = |package: &Value, development: bool| -> BTreeSet<String> {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let kind = |d: &&Value| (d["kind"] == "dev") == development;
        dependencies.iter().filter(kind).map(|d| d["name"].as_str().expect("a name").to_owned()).collect()
    };
    packages
        .iter()
        .map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
            let folder = manifest.parent().and_then(Path::file_name).expect("a folder");
            (folder.to_string_lossy().into_owned(), (of(package, false), of(package, true)))
        })
        .collect()
}

/// Rows of the table behind a heading, as cells without their marks.
fn table(text: &str, heading: &str) -> Vec<Vec<String>> {
    let section = text.split("\n## ").find(|s| s.starts_with(heading)).expect(heading);
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The words between backticks.
fn code_words(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn crates_depend_on_each_other_as_the_map_says() {
    let text = architecture();
    let mut written = BTreeMap::new();
    for row in table(&text, "The map") {
        let name = code_words(&row[0]).into_iter().next().expect("a crate");
        written.insert(name, code_words(&row[2]));
    }
    let ours = |names: &BTreeSet<String>| -> BTreeSet<String> {
        names.iter().filter_map(|n| n.strip_prefix("ludex-")).map(str::to_owned).collect()
    };
    let real: BTreeMap<_, _> =
        crates().iter().map(|(name, (normal, _))| (name.clone(), ours(normal))).collect();
    assert_eq!(written, real, "a new crate or arrow needs its line in ARCHITECTURE.md");
}

#[test]
fn every_dependency_has_its_reason() {
    let text = architecture();
    let written: BTreeSet<_> =
        table(&text, "Dependencies").iter().flat_map(|row| code_words(&row[0])).collect();
    let real: BTreeSet<_> = crates()
        .values()
        .flat_map(|(normal, development)| normal.iter().chain(development))
        .filter(|name| !name.starts_with("ludex-"))
        .cloned()
        .collect();
    assert_eq!(written, real, "each dependency has a line in ARCHITECTURE.md, and nothing else has");
}

#[test]
fn files_named_in_the_map_exist() {
    let text = architecture();
    let mut count = 0;
    for word in code_words(&text).iter().filter(|w| w.starts_with("crates/") || w.starts_with("fuzz/")) {
        assert!(root().join(word).exists(), "{word} is named in ARCHITECTURE.md but does not exist");
        count += 1;
    }
    assert!(count > 10, "the map names only {count} places");
}

/// The text of a source file without its tests.
fn without_tests(text: &str) -> &str {
    text.split("\nmod tests {").next().unwrap_or(text)
}

#[test]
fn unsafe_code_is_where_the_map_says() {
    let text = architecture();
    let rule = text.split("- **`unsafe`**").nth(1).expect("the rule about unsafe code");
    let rule = rule.split("\n\n").next().unwrap_or(rule);
    let written: BTreeSet<String> =
        code_words(rule).into_iter().filter(|word| word.starts_with("crates/")).collect();
    let mut real = BTreeSet::new();
    for entry in walkdir::WalkDir::new(root().join("crates")) {
        let path = entry.expect("an entry").into_path();
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        if !name.ends_with(".rs") || !name.contains("/src/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let code = without_tests(&text).lines().filter(|line| !line.trim_start().starts_with("//"));
        if code.into_iter().any(|line| line.contains("unsafe {") || line.contains("unsafe fn")) {
            real.insert(name);
        }
    }
    assert_eq!(written, real, "ARCHITECTURE.md lists the files with unsafe code");
}

/// Relative links of the documents lead to files.
#[test]
fn links_of_documents_lead_to_files() {
    let mut count = 0;
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"];
    let files = documents.iter().flat_map(|name| walkdir::WalkDir::new(root().join(name)));
    for entry in files {
        let path = entry.expect("an entry").into_path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a document");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or(link);
            if file.is_empty() || file.contains("://") || file.contains(' ') {
                continue;
            }
            let target = path.parent().expect("a folder").join(file);
            assert!(target.exists(), "{} links to {link}, which does not exist", path.display());
            count += 1;
        }
    }
    assert!(count > 50, "only {count} links");
}
