//! The cells of a report as programs read them.

use serde::Serialize;

use super::summary::Summary;

/// A cell. Names are a contract with programs that read them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellFigures {
    /// Name of the setting.
    pub setting: String,
    /// As the experiment names it.
    pub game: String,
    /// Whose results these are.
    pub player: String,
    /// Whom it meets.
    pub opponent: String,
    /// How many were played.
    pub matches: u64,
    /// The mean of the points of `player`, a part of one.
    pub score: f64,
    /// Where the 95 % interval of the mean begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// What others published, in percent or nodes per second.
    pub published: Option<f64>,
    /// What they write after ±.
    pub published_margin: Option<f64>,
    /// Late, illegal and missing answers, of everybody.
    pub faults: u64,
    /// What `player` visited while it thought.
    pub states_per_second: Option<f64>,
}

/// All cells, in the order of the tables.
pub(super) fn of(summary: &Summary<'_>) -> Vec<CellFigures> {
    let one = |cell: &super::summary::CellSummary<'_>| {
        let interval = cell.estimate.interval();
        CellFigures {
            setting: cell.cell.setting.clone(),
            game: cell.cell.game.clone(),
            player: cell.cell.player.clone(),
            opponent: cell.cell.opponent.clone(),
            matches: cell.scores.len() as u64,
            score: cell.estimate.mean,
            low: interval.low,
            high: interval.high,
            published: cell.published.map(|figure| figure.value),
            published_margin: cell.published.and_then(|figure| figure.margin),
            faults: cell.faults,
            states_per_second: cell.rate.map(f64::round),
        }
    };
    summary.cells.iter().map(one).collect()
}
