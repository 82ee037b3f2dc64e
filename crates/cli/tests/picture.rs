//! The picture in the README is what the program prints. `LUDEX_UPDATE=1 cargo test` draws it anew.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_picture_of_check_is_what_check_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["check", "take_away.kif", "--color", "always"])
        .current_dir(root.join("docs/pictures"))
        .output()
        .expect("ludex runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let drawn = anstyle_svg::Term::new().render_svg(&format!("$ ludex check take_away.kif\n{text}"));
    let path = root.join("docs/pictures/check.svg");
    if std::env::var_os("LUDEX_UPDATE").is_some() {
        std::fs::write(&path, &drawn).expect("written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == drawn, "the picture is out of date; draw it anew with LUDEX_UPDATE=1 cargo test");
}
