//! The experiments that are part of the binary, with their companion files.

use std::path::Path;

use crate::companions::{CompanionError, Companions};
use crate::experiment::{ExperimentError, ExperimentFile};

/// An experiment in the binary.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
    /// Published figures, as CSV.
    pub published: Option<&'static str>,
    /// The discussion of the results, in Markdown.
    pub reading: Option<&'static str>,
}

/// All of them, by name.
pub const BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

impl BuiltIn {
    /// The experiment with this name.
    pub fn find(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().find(|experiment| experiment.name == name)
    }

    /// The experiment, ready to be run.
    pub fn file(&self) -> Result<ExperimentFile, ExperimentError> {
        let file = ExperimentFile::from_text(self.name, self.text, Path::new(""))?;
        Ok(ExperimentFile {
            published: self.published.map(str::to_owned),
            reading: self.reading.map(str::to_owned),
            ..file
        })
    }

    /// Published figures and discussion.
    pub fn companions(&self) -> Result<Companions, CompanionError> {
        Companions::of(self.name, self.published, self.reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_experiments_come_with_their_companions() {
        assert!(BUILT_IN.len() >= 20);
        for experiment in BUILT_IN {
            let file = experiment.file().unwrap();
            assert_eq!(file.name, experiment.name);
            assert!(experiment.companions().unwrap().reading.is_some(), "{}", experiment.name);
        }
        let paper = BuiltIn::find("ngram-01").unwrap();
        assert!(!paper.companions().unwrap().published.is_empty());
    }
}
