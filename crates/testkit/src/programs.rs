//! Programs of others that some tests run.

use std::process::{Command, Stdio};

/// Whether the program can be started. If not, the test that asks is not run, and says so; with
/// `CI=true` it fails instead.
///
/// `package` is the Debian package to install.
pub fn has_program(program: &str, package: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        let required = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!required, "{program} is required when CI=true: apt-get install {package}");
        println!("not run: {program} is not installed (apt-get install {package})");
    }
    found
}
