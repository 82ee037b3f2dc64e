//! What has come out so far, as a plain table.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use ludex_lab::{Measure, Results, Visited};

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
    let same_cell = |a: &ludex_lab::MatchOutcome, b: &ludex_lab::MatchOutcome| a.cell == b.cell;
    for outcomes in results.outcomes.chunk_by(same_cell) {
        let Some(first) = outcomes.first() else { continue };
        let value = if rates {
            let visited: u64 = outcomes.iter().map(|outcome| outcome.visited).sum();
            let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
            format!("{:.0}", if seconds > 0.0 { visited as f64 / seconds } else { 0.0 })
        } else {
            let sum: f64 = outcomes.iter().map(ludex_lab::MatchOutcome::score).sum();
            format!("{:.1} %", 100.0 * sum / outcomes.len() as f64)
        };
        let ludex_lab::Cell { setting, game, player, opponent } = &first.cell;
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
    // In the order in which they were first met.
    let mut groups: Vec<([&str; 3], Vec<&[(f64, u8)]>)> = Vec::new();
    for outcome in &results.scores {
        let key = [outcome.setting.as_str(), &outcome.game, &outcome.player];
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, runs)) => runs.push(&outcome.scores),
            None => groups.push((key, vec![&outcome.scores])),
        }
    }
    for ([setting, game, player], runs) in groups {
        // Amounts are multiples of a tenth: whole tenths can be compared.
        let mut sums: BTreeMap<String, (f64, u32)> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        for &(amount, score) in runs.iter().copied().flatten() {
            let amount = format!("{:.1}", amount);
            if !order.contains(&amount) {
                order.push(amount.clone());
            }
            let entry = sums.entry(amount).or_default();
            *entry = (entry.0 + f64::from(score), entry.1 + 1);
        }
        let mean = |amount: &String| {
            let (sum, count) = sums.get(amount).copied().unwrap_or_default();
            format!("{amount}: {:.1}", sum / f64::from(count.max(1)))
        };
        let means: Vec<String> = order.iter().map(mean).collect();
        rows.push(row([setting, game, player, &runs.len().to_string(), &means.join("  ")]));
    }
    rows
}
