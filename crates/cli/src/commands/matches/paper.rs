//! What views write on: standard output. Whoever reads it may go away, which ends the match.

use std::io::{self, Write};

use anyhow::Result;
use ludex_search::Stop;

use crate::output::stdout;

/// Standard output with a memory for errors, since observers cannot return any.
pub(crate) struct Paper {
    abort: Stop,
    error: Option<io::Error>,
}

impl Paper {
    /// The match is aborted when nobody reads any more.
    pub(crate) fn new(abort: Stop) -> Self {
        Self { abort, error: None }
    }

    /// Writes a text at once.
    pub(crate) fn write(&mut self, text: &str) {
        if self.error.is_some() {
            return;
        }
        let mut out = stdout();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            self.error = Some(error);
            self.abort.set();
        }
    }

    /// The error, if there was one.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match self.error.take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}
