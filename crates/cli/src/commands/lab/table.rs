//! The results so far, as a plain table.

use std::io::Write;

use anyhow::Result;
use ludex_lab::{Cell, MatchOutcome, Measure, Results, ScoreOutcome, Visited};

/// Writes a table of everything in a folder.
pub(super) fn write(out: &mut impl Write, results: &Results) -> Result<()> {
    let rows = match results.experiment.measure {
        Measure::Wins => of_matches(results, false),
        Measure::Rates => of_matches(results, true),
        Measure::Reasoners => of_reasoners(results),
        Measure::Scores => of_scores(results),
    };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |at: usize| rows.iter().filter_map(|row| Some(row.get(at)?.chars().count())).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn of_matches(results: &Results, rates: bool) -> Vec<Vec<String>> {
    let last = if rates { "states/s" } else { "score" };
    let mut rows = vec![row(["setting", "game", "player", "opponent", "matches", last])];
    let same_cell = |a: &MatchOutcome, b: &MatchOutcome| a.cell == b.cell;
    for outcomes in results.outcomes.chunk_by(same_cell) {
        let Some(first) = outcomes.first() else { continue };
        let value = if rates {
            let visited: u64 = outcomes.iter().map(|outcome| outcome.visited).sum();
            let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
            format!("{:.0}", if seconds > 0.0 { visited as f64 / seconds } else { 0.0 })
        } else {
            let sum: f64 = outcomes.iter().map(MatchOutcome::score).sum();
            format!("{:.1} %", 100.0 * sum / outcomes.len() as f64)
        };
        let Cell { setting, game, player, opponent } = &first.cell;
        rows.push(row([setting, game, player, opponent, &outcomes.len().to_string(), &value]));
    }
    rows
}

fn of_reasoners(results: &Results) -> Vec<Vec<String>> {
    let mut rows = vec![row(["setting", "game", "engine", "set-up", "Monte Carlo/s", "minimax/s", "depth"])];
    for outcome in &results.reasoners {
        let rate = |visited: Option<Visited>| visited.map_or("-".to_owned(), |v| format!("{:.0}", v.rate()));
        let setup =
            outcome.setup_seconds.map_or("-".to_owned(), |seconds| format!("{:.1} ms", 1e3 * seconds));
        let depth = outcome.minimax.map_or("-".to_owned(), |visited| visited.depth.to_string());
        rows.push(row([
            &outcome.setting,
            &outcome.game,
            &outcome.engine,
            &setup,
            &rate(outcome.monte_carlo),
            &rate(outcome.minimax),
            &depth,
        ]));
    }
    rows
}

fn of_scores(results: &Results) -> Vec<Vec<String>> {
    let mut rows = vec![row(["setting", "game", "player", "runs", "after: mean score"])];
    let key = |outcome: &ScoreOutcome| {
        [&outcome.setting, &outcome.game, &outcome.player].map(|name| name.to_owned())
    };
    let mut outcomes = results.scores.clone();
    outcomes.sort_by_key(key);
    for runs in outcomes.chunk_by(|a, b| key(a) == key(b)) {
        let Some(first) = runs.first() else { continue };
        // All runs of a setting have the same amounts.
        let mean = |(at, (amount, _)): (usize, &(f64, u8))| {
            let scores = runs.iter().filter_map(|run| run.scores.get(at)).map(|&(_, score)| f64::from(score));
            format!("{amount:.1}: {:.1}", scores.sum::<f64>() / runs.len() as f64)
        };
        let means: Vec<String> = first.scores.iter().enumerate().map(mean).collect();
        let [setting, game, player] = key(first);
        rows.push(row([&setting, &game, &player, &runs.len().to_string(), &means.join("  ")]));
    }
    rows
}
