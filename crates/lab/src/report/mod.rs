//! From outcomes to something to read: tables as the papers have them, plots, and all numbers for
//! further use.
//!
//! | file | what it does |
//! |---|---|
//! | `summary` | matches to cells: points, intervals, what was published |
//! | `tables` | cells to tables: cross and grid |
//! | `decided` | wins among decided matches, where many are drawn |
//! | `standings` | ratings, results by seat, how surely one is better |
//! | `measurements` | tables of engines and of scores |
//! | `pictures`, `plots` | which plots there are, and how they are drawn |
//! | `page` | all of it in order, still without any markup |
//! | `figures` | cells for programs |
//! | `markdown`, `html`, `csv` | the markup |
//! | `reading` | what people wrote, from Markdown to HTML |

mod csv;
mod decided;
mod figures;
mod html;
mod markdown;
mod measurements;
mod numbers;
mod page;
mod pictures;
mod plots;
mod puzzles;
mod reading;
mod standings;
mod summary;
mod tables;

pub use figures::CellFigures;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::experiment::{Experiment, Form, FormName};
use crate::outcome::{MatchOutcome, ReasonerOutcome, ScoreOutcome};
use crate::provenance::Provenance;
use crate::published::Published;

/// What was found out.
#[derive(Clone, Copy, Debug)]
pub enum Measured<'a> {
    /// Matches, for wins and for rates.
    Matches(&'a [MatchOutcome]),
    /// Engines.
    Reasoners(&'a [ReasonerOutcome]),
    /// Single-player games.
    Scores(&'a [ScoreOutcome]),
}

/// All that a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was asked.
    pub experiment: &'a Experiment,
    /// In which form.
    pub form: FormName,
    /// The answers.
    pub measured: Measured<'a>,
    /// How many matches or measurements are still to come.
    pub missing: u64,
    /// What others found.
    pub published: &'a Published,
    /// What a person reads in it: Markdown, taken over as it is.
    pub reading: Option<&'a str>,
    /// Where the answers come from.
    pub provenance: &'a Provenance,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The experiment has no such form.
    #[error("the experiment has no form `{0}`")]
    Form(FormName),
    /// A file cannot be written.
    #[error("{path}: {error}")]
    File {
        /// Which one.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A plot cannot be drawn.
    #[error("the plot `{name}` cannot be drawn: {reason}")]
    Plot {
        /// Which one.
        name: String,
        /// Why not.
        reason: String,
    },
}

impl Report<'_> {
    /// Clocks, games and numbers of matches.
    fn form(&self) -> Result<&Form, ReportError> {
        self.experiment.form(self.form).ok_or(ReportError::Form(self.form))
    }

    /// The report as Markdown; plots are files next to it.
    pub fn markdown(&self) -> Result<String, ReportError> {
        Ok(markdown::render(&page::page(self)?))
    }

    /// Only the tables of it, as Markdown.
    pub fn tables(&self) -> Result<String, ReportError> {
        let mut page = page::page(self)?;
        page.blocks.retain(|block| {
            matches!(block, page::Block::Heading(_) | page::Block::Text(_) | page::Block::Table(_))
        });
        Ok(markdown::render(&page))
    }

    /// The cells of its tables, in order; none if no matches were played.
    pub fn cells(&self) -> Result<Vec<CellFigures>, ReportError> {
        match self.measured {
            Measured::Matches(outcomes) => Ok(figures::of(&summary::Summary::new(self, outcomes)?)),
            Measured::Reasoners(_) | Measured::Scores(_) => Ok(Vec::new()),
        }
    }

    /// The report as one page that needs nothing else.
    pub fn html(&self) -> Result<String, ReportError> {
        Ok(html::render(&page::page(self)?))
    }
}

/// Writes `report.md`, `report.html`, tables of numbers and every plot into a folder, which is made
/// if it is not there. Each file is replaced as a whole: whoever reads meanwhile sees the old or
/// the new one. Returns what was written.
pub fn write_report(folder_out: &Path, report: &Report<'_>) -> Result<Vec<PathBuf>, ReportError> {
    let page = page::page(report)?;
    let mut files = vec![
        ("report.md".to_owned(), markdown::render(&page)),
        ("report.html".to_owned(), html::render(&page)),
    ];
    files.extend(csv::files(report)?);
    files.extend(page.plots().map(|plot| (format!("{}.svg", plot.name), plot.svg.clone())));
    let failed = |path: &Path, error| ReportError::File { path: path.display().to_string(), error };
    std::fs::create_dir_all(folder_out).map_err(|error| failed(folder_out, error))?;
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder_out.join(name);
        replace(folder_out, &path, &text).map_err(|error| failed(&path, error))?;
        written.push(path);
    }
    Ok(written)
}

/// A file next to the old one takes its place. Made by hand, so that it has the permissions of any
/// new file.
fn replace(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
    file.as_file_mut().write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}
