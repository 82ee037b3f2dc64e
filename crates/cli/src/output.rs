//! Output for people: colours on terminals only, errors on standard error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// Applies the choice to all further output.
    pub(crate) fn apply(self) {
        let choice = match self {
            Colour::Auto => return, // anstream looks at the terminal and the environment by itself
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Standard output, buffered (flush it). Strips colours that it cannot show.
pub(crate) fn stdout() -> io::BufWriter<AutoStream<io::StdoutLock<'static>>> {
    io::BufWriter::with_capacity(1 << 16, AutoStream::auto(io::stdout().lock()))
}

/// Columns of the terminal; 100 if standard output is not a terminal.
pub(crate) fn terminal_width() -> usize {
    const PAGE: usize = 100;
    terminal_size::terminal_size_of(io::stdout()).map_or(PAGE, |(width, _)| usize::from(width.0).max(40))
}

/// Writes an error and its causes to standard error.
pub(crate) fn report_error(error: &anyhow::Error) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    // If standard error is closed there is nowhere to report to.
    let _ = writeln!(stderr, "\x1b[1;31merror\x1b[0m: {}", in_words(error));
}

/// An error with its causes. A cause that the words before it already contain is left out: many
/// errors repeat theirs.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// A remark on standard error that is not an error.
pub(crate) fn remark(text: std::fmt::Arguments<'_>) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    let _ = writeln!(stderr, "{text}");
}

/// Whether the error is a broken pipe: the reader closed our output.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is = |e: &(dyn std::error::Error + 'static)| {
        e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(is)
}

/// A number with its noun: `1 error`, `2 errors`, `no errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}
