//! Everything that is written for people: colours on terminals only, errors on standard error.

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
    /// Makes the choice hold for everything that is written from now on.
    pub(crate) fn apply(self) {
        let choice = match self {
            Colour::Auto => return, // anstream looks at the terminal and the environment by itself
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Standard output; colours that it cannot show are taken out on the way. Buffered: flush it.
pub(crate) fn stdout() -> io::BufWriter<AutoStream<io::StdoutLock<'static>>> {
    io::BufWriter::with_capacity(1 << 16, AutoStream::auto(io::stdout().lock()))
}

/// Columns of the terminal that standard output is, or those of a page if it is none.
pub(crate) fn terminal_width() -> usize {
    const PAGE: usize = 100;
    terminal_size::terminal_size_of(io::stdout()).map_or(PAGE, |(width, _)| usize::from(width.0).max(40))
}

/// Lines of the terminal that standard output is, or those of a page if it is none.
pub(crate) fn terminal_height() -> usize {
    const PAGE: usize = 50;
    terminal_size::terminal_size_of(io::stdout()).map_or(PAGE, |(_, height)| usize::from(height.0).max(5))
}

/// Writes an error and its causes to standard error.
pub(crate) fn report_error(error: &anyhow::Error) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    // If standard error is gone there is nobody left to tell.
    let _ = writeln!(stderr, "\x1b[1;31merror\x1b[0m: {error:#}");
}

/// A remark on standard error that is not an error.
pub(crate) fn remark(text: std::fmt::Arguments<'_>) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    let _ = writeln!(stderr, "{text}");
}

/// Whether an error only says that the reader of our output went away.
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
