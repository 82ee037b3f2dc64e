//! The search report of a move, as records have it.

use std::time::Duration;

use ludex_search::SearchReport;
use serde::{Deserialize, Serialize};

/// Longest principal variation that is recorded, in steps: later moves have few visits.
const LONGEST_VARIATION: usize = 12;

/// A player's report about its move: a [`SearchReport`] in the form of the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveReport {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: String,
    /// Expected goal of the role that moves, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// By role: the expected goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// Playouts through the move.
    pub visits: u64,
    /// Playouts in all.
    pub playouts: u64,
    /// State transitions in all.
    #[serde(default)]
    pub steps: u64,
    /// Nodes in memory.
    pub nodes: u64,
    /// Whether the value is exact.
    #[serde(default)]
    pub proven: bool,
    /// Steps to the end in best play, if the goals of all are proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u16>,
    /// The expected continuation, as joint moves.
    #[serde(rename = "line", default, skip_serializing_if = "Vec::is_empty")]
    pub principal_variation: Vec<Vec<String>>,
    /// Time until the answer, in seconds.
    pub seconds: f64,
}

impl MoveReport {
    /// The report of a role that made its best move after this time.
    pub(crate) fn new(report: SearchReport<String>, role: usize, took: Duration) -> Self {
        let chosen = report.chosen().filter(|chosen| !chosen.values.is_empty());
        let values = chosen.map_or(&report.values, |chosen| &chosen.values);
        let values: Vec<f64> = values.iter().map(|&value| rounded(value)).collect();
        let visits = report.visits();
        let mut principal_variation = report.principal_variation;
        principal_variation.truncate(LONGEST_VARIATION);
        Self {
            chosen: report.best.unwrap_or_default(),
            value: values.get(role).copied(),
            values,
            visits,
            playouts: report.playouts,
            steps: report.steps,
            nodes: report.nodes,
            proven: report.proven,
            distance: report.proof.and_then(|proof| proof.steps),
            principal_variation,
            seconds: took.as_secs_f64(),
        }
    }

    /// Playouts per second.
    pub fn playouts_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.playouts as f64 / self.seconds } else { 0.0 }
    }
}

/// Rounds to two digits; more would only fill records.
fn rounded(value: f64) -> f64 {
    if value.is_finite() { (value * 100.0).round() / 100.0 } else { 0.0 }
}
