//! All findings about one sheet, with a cap so that a hopeless file does not drown its reader.

use crate::diagnostic::{Code, Diagnostic, Severity};

/// How many diagnostics of each severity are kept.
pub const DEFAULT_CAP: usize = 100;

/// The findings about one sheet.
#[derive(Clone, Debug)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    cap: usize,
    /// Found in all, by severity: error, warning, hint.
    found: [usize; 3],
}

impl Default for Report {
    fn default() -> Self {
        Self::with_cap(DEFAULT_CAP)
    }
}

impl Report {
    /// A report that keeps at most `cap` findings of each severity, and counts the others.
    pub fn with_cap(cap: usize) -> Self {
        Self { diagnostics: Vec::new(), cap, found: [0; 3] }
    }

    /// Adds a finding. The text is made only when there is room for it.
    pub(crate) fn add(&mut self, code: Code, make: impl FnOnce() -> Diagnostic) {
        let found = &mut self.found[code.severity() as usize];
        *found += 1;
        if *found <= self.cap {
            let diagnostic = make();
            debug_assert_eq!(diagnostic.code, code);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Puts the findings in the order of the text and says how many were left out.
    pub(crate) fn finish(&mut self) {
        self.diagnostics.sort_by_key(|d| {
            let at = d.primary.as_ref().map(|label| label.span.start);
            (at, d.severity(), d.code)
        });
        let left_out: usize =
            [Severity::Error, Severity::Warning].map(|s| self.count(s).saturating_sub(self.cap)).iter().sum();
        if left_out > 0 {
            self.diagnostics.push(
                Diagnostic::whole(Code::TooMany, format!("{left_out} more findings are not shown"))
                    .help("correct the first ones and check again, or ask for more at once"),
            );
        }
    }

    /// The findings that were kept: those about the whole sheet first, then by place.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many of this severity were found, kept or not.
    pub fn count(&self, severity: Severity) -> usize {
        self.found[severity as usize]
    }

    /// Whether the sheet cannot be used.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }
}
