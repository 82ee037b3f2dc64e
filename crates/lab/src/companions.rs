//! What may stand beside an experiment: figures that others published, and what people read in the results.
//!
//! Beside `NAME.toml` they are `NAME.csv` and `NAME.md`. A run copies them into the folder of its results, so that
//! the folder is enough for a report.

use std::path::{Path, PathBuf};

use crate::published::{Published, PublishedError};

/// The copies in a folder of results.
pub(crate) const KEPT: [(&str, &str); 2] = [("csv", "published.csv"), ("md", "reading.md")];

/// Published figures and a reading, as far as there are any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Companions {
    /// What others found.
    pub published: Published,
    /// What people read in the results, in Markdown.
    pub reading: Option<String>,
}

/// Why they cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CompanionError {
    /// The figures are not what they should be.
    #[error("{}: {problem}", path.display())]
    Published {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        problem: PublishedError,
    },
    /// There is a reading, but it cannot be read.
    #[error("{}: {problem}", path.display())]
    Reading {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
}

impl Companions {
    /// Those beside the file of an experiment.
    pub fn beside(experiment: &Path) -> Result<Self, CompanionError> {
        Self::read(&experiment.with_extension("csv"), &experiment.with_extension("md"))
    }

    /// Those that a run has kept with its results.
    pub fn kept(folder: &Path) -> Result<Self, CompanionError> {
        let [(_, published), (_, reading)] = KEPT;
        Self::read(&folder.join(published), &folder.join(reading))
    }

    /// These, and of others what is not here.
    pub fn or(self, others: Self) -> Self {
        Self {
            published: if self.published.is_empty() { others.published } else { self.published },
            reading: self.reading.or(others.reading),
        }
    }

    fn read(published: &Path, reading: &Path) -> Result<Self, CompanionError> {
        let figures = Published::read(published)
            .map_err(|problem| CompanionError::Published { path: published.to_owned(), problem })?;
        let text = match std::fs::read_to_string(reading) {
            Ok(text) => Some(text).filter(|text| !text.trim().is_empty()),
            Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => None,
            Err(problem) => return Err(CompanionError::Reading { path: reading.to_owned(), problem }),
        };
        Ok(Self { published: figures, reading: text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_goes_before_what_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(Companions::beside(&path("thesis-5.1.toml")).unwrap(), Companions::default());
        let head = "setting,game,player,opponent,value,margin\n";
        std::fs::write(path("thesis-5.1.csv"), format!("{head}a,b,c,d,1,\n")).unwrap();
        std::fs::write(path("reading.md"), "Old.\n").unwrap();
        std::fs::write(path("published.csv"), format!("{head}a,b,c,d,2,\n")).unwrap();
        let found = Companions::beside(&path("thesis-5.1.toml")).unwrap();
        let found = found.or(Companions::kept(folder.path()).unwrap());
        assert_eq!(found.published.figures()[0].value, 1.0);
        assert_eq!(found.reading.as_deref(), Some("Old.\n"));
        std::fs::write(path("published.csv"), "nothing\n").unwrap();
        let error = Companions::kept(folder.path()).unwrap_err().to_string();
        assert!(error.contains("published.csv: line 1: the columns must be"), "{error}");
    }
}
