//! Optional files next to an experiment: published figures and a written interpretation.
//!
//! For `NAME.toml` these are `NAME.csv` and `NAME.md`. A run copies them into its result folder, so
//! that the folder is all a report needs.

use std::path::{Path, PathBuf};

use crate::published::{Published, PublishedError};

/// File extension next to the experiment, and the name of the copy in the result folder.
pub(crate) const COPIES: [(&str, &str); 2] = [("csv", "published.csv"), ("md", "reading.md")];

/// Published figures and an interpretation; both are optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Companions {
    /// Published figures to compare with.
    pub published: Published,
    /// The interpretation of the results, in Markdown.
    pub reading: Option<String>,
}

/// Why the companion files cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CompanionError {
    /// The published figures are invalid.
    #[error("{}: {problem}", path.display())]
    Published {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        problem: PublishedError,
    },
    /// The interpretation exists but cannot be read.
    #[error("{}: {problem}", path.display())]
    Reading {
        /// Which file.
        path: PathBuf,
        /// The I/O error.
        problem: std::io::Error,
    },
}

impl Companions {
    /// Reads the files next to the experiment file.
    pub fn beside(experiment: &Path) -> Result<Self, CompanionError> {
        Self::read(&experiment.with_extension("csv"), &experiment.with_extension("md"))
    }

    /// Reads the copies in a result folder.
    pub fn kept(folder: &Path) -> Result<Self, CompanionError> {
        let [(_, published), (_, reading)] = COPIES;
        Self::read(&folder.join(published), &folder.join(reading))
    }

    /// From texts; `name` is for messages.
    pub fn of(name: &str, published: Option<&str>, reading: Option<&str>) -> Result<Self, CompanionError> {
        let path = PathBuf::from(format!("{name}.csv"));
        let published = published.map(Published::parse).transpose();
        let published = published.map_err(|problem| CompanionError::Published { path, problem })?;
        let reading = reading.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        Ok(Self { published: published.unwrap_or_default(), reading })
    }

    /// These companions, with whatever is missing taken from `others`.
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
    fn files_next_to_the_experiment_override_the_copies() {
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
