//! `ludex completions`: shell completion scripts.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::Outcome;
use crate::output::stdout;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "Examples:
  ludex completions bash > ~/.local/share/bash-completion/completions/ludex
  ludex completions zsh  > ~/.zfunc/_ludex
  ludex completions fish > ~/.config/fish/completions/ludex.fish

Exit codes: 0 success, 2 wrong usage.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "ludex", &mut script);
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Outcome::Success)
}
