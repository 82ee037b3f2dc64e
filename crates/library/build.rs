//! Lists the rule sheets under `games/` and their descriptions, so that they become part of the binary.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folder = crate_folder.join("../../games").canonicalize()?;
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut sheets = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "kif") {
            sheets.push(path);
        }
    }
    sheets.sort();
    // Texts are taken in by the compiler: their paths stay here.
    let mut table = String::from("&[\n");
    for sheet in &sheets {
        let name = sheet.file_stem().unwrap_or_default().to_string_lossy();
        let about = sheet.with_extension("toml");
        let about = if about.exists() { include(&about) } else { "\"\"".to_owned() };
        let _ = writeln!(table, "Sheet {{ name: {name:?}, text: {}, about: {about} }},", include(sheet));
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("sheets.rs"), table)
}

fn include(path: &Path) -> String {
    format!("include_str!({:?})", path.to_string_lossy())
}
