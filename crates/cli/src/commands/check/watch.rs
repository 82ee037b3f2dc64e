//! `ludex check --watch`: checks again whenever a file changes.
//!
//! Modification times are compared a few times per second. That works on every file system, also for
//! editors that replace a file instead of writing to it, and finds new sheets in watched folders.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};

use super::{Arguments, Format, round};
use crate::Outcome;
use crate::input;
use crate::output::{report_error, stdout};

/// Time between two looks at the files: short enough to feel immediate.
const INTERVAL: Duration = Duration::from_millis(250);

/// What of a file tells that it has changed; `None` if it is not there.
type Stamp = (PathBuf, Option<(SystemTime, u64)>);

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.files.iter().any(|file| input::is_stdin(file)) {
        bail!("standard input cannot be watched; name a file or a folder");
    }
    if arguments.files.iter().any(|file| input::built_in(file).is_some()) {
        bail!("a built-in game never changes; name a file or a folder");
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(watch(arguments))
}

async fn watch(arguments: &Arguments) -> Result<Outcome> {
    let mut seen: Option<Vec<Stamp>> = None;
    let interrupt = tokio::signal::ctrl_c();
    tokio::pin!(interrupt);
    loop {
        let now = stamps(arguments);
        if seen.as_ref() != Some(&now) {
            one_round(arguments)?;
            seen = Some(now);
        }
        tokio::select! {
            _ = &mut interrupt => break,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
    let mut out = stdout();
    if arguments.format == Format::Text {
        writeln!(out)?; // behind the `^C` of the terminal
    }
    out.flush()?;
    Ok(Outcome::Success)
}

fn one_round(arguments: &Arguments) -> Result<()> {
    let text = arguments.format == Format::Text;
    let mut out = stdout();
    if text && std::io::stdout().is_terminal() {
        // Clear the screen and what has scrolled out of it, and start at the top.
        write!(out, "\x1b[2J\x1b[3J\x1b[H")?;
        out.flush()?;
    }
    drop(out);
    // A file that cannot be read now may come back: editors replace files.
    if let Err(error) = round(arguments) {
        if crate::output::is_broken_pipe(&error) {
            return Err(error);
        }
        report_error(&error);
    }
    let mut out = stdout();
    if text {
        writeln!(out, "Waiting for changes; Ctrl-C ends.\n")?;
    }
    out.flush()?;
    Ok(())
}

/// The state of all files, those below folders included.
fn stamps(arguments: &Arguments) -> Vec<Stamp> {
    let files = input::expand(&arguments.files).into_iter().flatten();
    let stamp = |path: PathBuf| {
        let about = std::fs::metadata(&path).ok();
        let stamp = about.and_then(|about| Some((about.modified().ok()?, about.len())));
        (path, stamp)
    };
    files.map(stamp).collect()
}
