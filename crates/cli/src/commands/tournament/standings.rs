//! The table of a tournament: points with intervals, ratings, and who beat whom.

use std::io::Write;

use anyhow::Result;
use ludex_lab::MatchOutcome;
use ludex_lab::statistics::{Estimate, Rating, ratings};
use serde_json::json;

/// The results of all players.
pub(super) struct Standings {
    /// The best first.
    rows: Vec<Row>,
    pairs: Vec<Pair>,
    /// Late, illegal and missing answers, of everybody.
    errors: u64,
}

struct Row {
    rating: Rating,
    estimate: Estimate,
}

/// Two players over all games.
struct Pair {
    player: String,
    opponent: String,
    estimate: Estimate,
}

impl Standings {
    /// Of these matches; a player without any is left out.
    pub(super) fn new(players: &[String], outcomes: &[MatchOutcome]) -> Self {
        let matches =
            outcomes.iter().map(|outcome| (&*outcome.cell.player, &*outcome.cell.opponent, outcome.score()));
        let row = |rating: Rating| {
            let own = |outcome: &&MatchOutcome| {
                outcome.cell.player == rating.player || outcome.cell.opponent == rating.player
            };
            let score = |outcome: &MatchOutcome| match outcome.cell.player == rating.player {
                true => outcome.score(),
                false => 1.0 - outcome.score(),
            };
            let scores: Vec<f64> = outcomes.iter().filter(own).map(score).collect();
            Row { estimate: Estimate::of(&scores), rating }
        };
        let rows = ratings(matches).into_iter().map(row).collect();
        let mut pairs = Vec::new();
        for (at, player) in players.iter().enumerate() {
            for opponent in &players[at + 1..] {
                let met = outcomes
                    .iter()
                    .filter(|outcome| outcome.cell.player == *player && outcome.cell.opponent == *opponent);
                let scores: Vec<f64> = met.map(MatchOutcome::score).collect();
                if !scores.is_empty() {
                    let (player, opponent) = (player.clone(), opponent.clone());
                    pairs.push(Pair { player, opponent, estimate: Estimate::of(&scores) });
                }
            }
        }
        let errors = outcomes.iter().map(|outcome| outcome.faults).sum();
        Self { rows, pairs, errors }
    }

    /// As a table, and another one of the pairs if there are several.
    pub(super) fn write(&self, out: &mut impl Write) -> Result<()> {
        let names = self.rows.iter().map(|row| row.rating.player.chars().count());
        let width = names.max().unwrap_or(0).max(6);
        writeln!(
            out,
            "{:<width$}  {:>7}  {:>6}  {:>7}  {:<15}  {:>5}  95 %",
            "player", "matches", "points", "score", "95 % interval", "Elo"
        )?;
        for Row { rating, estimate } in &self.rows {
            let Rating { player, elo, margin, points, matches } = rating;
            let margin = format!("± {margin:.0}");
            let (mean, interval) = percents(estimate);
            writeln!(
                out,
                "{player:<width$}  {matches:>7}  {points:>6.1}  {mean:>7}  {interval:<15}  {elo:>+5.0}  {margin}"
            )?;
        }
        if self.pairs.len() > 1 {
            writeln!(out)?;
            for Pair { player, opponent, estimate } in &self.pairs {
                let (mean, interval) = percents(estimate);
                let matches = estimate.count;
                let names = format!("{player} against {opponent}");
                let width = 2 * width + 9;
                writeln!(out, "{names:<width$}  {matches:>7}  {mean:>7}  {interval}")?;
            }
        }
        writeln!(out)?;
        if self.errors > 0 {
            writeln!(out, "{} answers were late, illegal or missing", self.errors)?;
        }
        Ok(())
    }

    /// For programs.
    pub(super) fn in_json(&self) -> serde_json::Value {
        let player = |Row { rating, estimate }: &Row| {
            let interval = estimate.interval();
            json!({
                "player": rating.player,
                "matches": rating.matches,
                "points": rating.points,
                "score": estimate.mean,
                "low": interval.low,
                "high": interval.high,
                "elo": rating.elo,
                "elo_margin": rating.margin,
            })
        };
        let pair = |Pair { player, opponent, estimate }: &Pair| {
            let interval = estimate.interval();
            json!({
                "player": player,
                "opponent": opponent,
                "matches": estimate.count,
                "score": estimate.mean,
                "low": interval.low,
                "high": interval.high,
            })
        };
        json!({
            "players": self.rows.iter().map(player).collect::<Vec<_>>(),
            "pairs": self.pairs.iter().map(pair).collect::<Vec<_>>(),
            "errors": self.errors,
        })
    }
}

/// Mean and interval in percent.
fn percents(estimate: &Estimate) -> (String, String) {
    let interval = estimate.interval();
    let mean = format!("{:.1} %", 100.0 * estimate.mean);
    (mean, format!("{:.1} to {:.1}", 100.0 * interval.low, 100.0 * interval.high))
}
