//! A report in order, without any markup.

use std::collections::BTreeSet;

use super::numbers::counted;
use super::summary::Summary;
use super::{Measured, Report, ReportError, decided, measurements, pictures, puzzles, standings, tables};
use crate::experiment::Measure;

/// A report, top to bottom.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A part of it.
#[derive(Debug)]
pub(super) enum Block {
    Heading(String),
    Text(String),
    /// Markdown of a person.
    Reading(String),
    /// Names and values.
    Facts(Vec<(&'static str, String)>),
    Table(Table),
    Plot(Plot),
}

/// Rows under a head.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<Entry>>,
}

/// A place in a table: ours, and what was published.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) beside: Option<String>,
}

impl Entry {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), beside: None }
    }
}

/// A picture.
#[derive(Debug)]
pub(super) struct Plot {
    /// Of its file, without the ending.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) svg: String,
}

impl Page {
    pub(super) fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Plot(plot) => Some(plot),
            _ => None,
        })
    }
}

/// The whole report.
pub(super) fn page(report: &Report<'_>) -> Result<Page, ReportError> {
    let mut blocks = vec![Block::Facts(facts(report))];
    if report.missing > 0 {
        let (one, many) = match report.measured {
            Measured::Matches(_) => ("match is", "matches are"),
            Measured::Reasoners(_) | Measured::Scores(_) => ("measurement is", "measurements are"),
        };
        let missing = counted(report.missing, one, many);
        blocks.push(Block::Text(format!("Not finished: {missing} still to come.")));
    }
    if let Some(reading) = report.reading {
        blocks.push(Block::Reading(reading.to_owned()));
    }
    match report.measured {
        Measured::Matches(outcomes) => {
            let summary = Summary::new(report, outcomes)?;
            blocks.push(Block::Text(how_to_read(&summary, report)));
            blocks.extend(tables::blocks(&summary));
            blocks.extend(decided::blocks(&summary));
            blocks.push(Block::Text(totals(&summary)));
            blocks.extend(standings::blocks(&summary));
            blocks.extend(pictures::of_matches(&summary)?.into_iter().map(Block::Plot));
        }
        Measured::Reasoners(measured) => {
            let engines = measurements::merged(measured);
            blocks.extend(measurements::reasoners(report.experiment, report.form()?, &engines));
            blocks.extend(pictures::of_reasoners(report.form()?, &engines)?.into_iter().map(Block::Plot));
        }
        Measured::Scores(runs) => {
            let games = measurements::score_games(report.experiment, report.form()?, runs);
            let matches = puzzles::blocks(report.experiment, report.form()?, report.published, runs);
            if matches.is_empty() || !games.is_empty() {
                blocks.extend(measurements::scores(&games));
            }
            blocks.extend(matches);
            blocks.extend(pictures::of_scores(&games)?.into_iter().map(Block::Plot));
        }
    }
    name_apart(&mut blocks);
    Ok(Page { title: report.experiment.title.clone(), blocks })
}

/// Settings that differ only in signs would have their plots in the same file.
fn name_apart(blocks: &mut [Block]) {
    let mut taken = BTreeSet::new();
    for block in blocks {
        if let Block::Plot(plot) = block {
            let first = plot.name.clone();
            let mut number = 1;
            while !taken.insert(plot.name.clone()) {
                number += 1;
                plot.name = format!("{first}-{number}");
            }
        }
    }
}

fn facts(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let provenance = report.provenance;
    let all = [
        ("after", report.experiment.source.clone().unwrap_or_default()),
        ("form", report.form.to_string()),
        ("date", provenance.date.clone()),
        ("machine", provenance.machine.clone()),
        ("version", provenance.commit.clone()),
        ("search signature", provenance.signature.clone()),
        ("command", provenance.command.clone()),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn how_to_read(summary: &Summary<'_>, report: &Report<'_>) -> String {
    let what = match summary.experiment.measure {
        Measure::Rates => "States a second of the first player.",
        _ => {
            "Points in percent, with the 95 % Wilson interval in brackets; a shared win counts in equal parts."
        }
    };
    if report.published.is_empty() {
        what.to_owned()
    } else {
        format!("{what} In italics: what was published, on machines and with clocks of its own.")
    }
}

fn totals(summary: &Summary<'_>) -> String {
    let matches: usize = summary.cells.iter().map(|cell| cell.scores.len()).sum();
    let faults: u64 = summary.cells.iter().map(|cell| cell.faults).sum();
    let faults = if faults == 0 { "no faults".to_owned() } else { counted(faults, "fault", "faults") };
    format!("{}, {faults}.", counted(matches as u64, "match", "matches"))
}
