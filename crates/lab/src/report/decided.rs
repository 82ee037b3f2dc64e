//! Win rates without the matches that nobody won: where most matches are drawn, points say little
//! (Tak, Winands, Björnsson 2012, VI-F, gives them for Fighter).

use super::numbers::with_interval;
use super::page::{Block, Entry, Table};
use super::summary::{CellSummary, Summary};
use super::tables::pair_name;
use crate::experiment::Measure;
use crate::statistics::Estimate;

/// A table for each setting in which matches were drawn: the cells that have draws, with wins among
/// decided matches and how many these are.
pub(super) fn blocks(summary: &Summary<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if summary.experiment.measure == Measure::Rates {
        return blocks;
    }
    for &setting in &summary.settings {
        let mut rows = Vec::new();
        for &game in &summary.games {
            let cells: Vec<_> = summary.pairs.iter().map(|&pair| summary.get(setting, game, pair)).collect();
            if cells.iter().flatten().any(|cell| decided(cell).len() < cell.scores.len()) {
                let mut row = vec![Entry::new(game)];
                row.extend(cells.into_iter().map(|cell| cell.map_or_else(Entry::default, entry)));
                rows.push(row);
            }
        }
        if rows.is_empty() {
            continue;
        }
        let mut head = vec!["game".to_owned()];
        head.extend(summary.pairs.iter().map(|&pair| pair_name(summary, pair)));
        blocks.push(Block::Heading(format!("{setting}, without draws")));
        blocks.push(Block::Text("Wins in percent of the decided matches, of which there are n.".to_owned()));
        blocks.push(Block::Table(Table { head, rows }));
    }
    blocks
}

/// The scores of the matches that one side won alone.
fn decided(cell: &CellSummary<'_>) -> Vec<f64> {
    cell.scores.iter().copied().filter(|&score| score == 0.0 || score == 1.0).collect()
}

fn entry(cell: &CellSummary<'_>) -> Entry {
    let decided = decided(cell);
    if decided.is_empty() {
        return Entry::new("all drawn");
    }
    Entry::new(format!("{}, n={}", with_interval(&Estimate::of(&decided)), decided.len()))
}
