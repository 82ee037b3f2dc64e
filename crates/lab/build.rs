//! Lists the experiments under `experiments/` with their companion files, so that they become part
//! of the binary.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folder = crate_folder.join("../../experiments").canonicalize()?;
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    files.sort();
    // Texts are taken in by the compiler: their paths stay here.
    let mut table = String::from("&[\n");
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let (published, reading) = (beside(file, "csv"), beside(file, "md"));
        let text = include(file);
        let _ = writeln!(
            table,
            "BuiltIn {{ name: {name:?}, text: {text}, published: {published}, reading: {reading} }},"
        );
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("experiments.rs"), table)
}

fn beside(file: &Path, ending: &str) -> String {
    let path = file.with_extension(ending);
    if path.exists() { format!("Some({})", include(&path)) } else { "None".to_owned() }
}

fn include(path: &Path) -> String {
    format!("include_str!({:?})", path.to_string_lossy())
}
