//! Cells as the papers lay them out: everybody against everybody, or a row for each game.

use super::numbers::{short, with_interval, with_interval_of_mean, with_margin};
use super::page::{Block, Entry, Table};
use super::summary::{Beside, CellSummary, Pair, Summary};
use crate::experiment::{Columns, Layout, Measure};
use crate::statistics::Estimate;

/// All tables of the layout that the experiment asks for.
pub(super) fn blocks(summary: &Summary<'_>) -> Vec<Block> {
    match (summary.experiment.layout, summary.experiment.columns) {
        // Who beats whom makes no table of rates.
        (Layout::Cross, _) if summary.experiment.measure != Measure::Rates => cross(summary),
        (_, Columns::Players) | (Layout::Cross, _) => by_players(summary),
        (Layout::Grid, Columns::Settings) => by_settings(summary),
    }
}

/// A table for each game and setting, with the average of each row.
fn cross(summary: &Summary<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for game in &summary.games {
        for setting in &summary.settings {
            blocks.push(Block::Heading(format!("{game}, {setting}")));
            blocks.push(Block::Table(cross_table(summary, setting, game)));
        }
    }
    blocks
}

fn cross_table(summary: &Summary<'_>, setting: &str, game: &str) -> Table {
    let players = summary.players();
    let mut head = vec!["player".to_owned()];
    head.extend(players.iter().map(|&player| player.to_owned()));
    head.extend(["win ratio".to_owned(), "matches".to_owned()]);
    let mut rows = Vec::new();
    for player in &players {
        let mut row = vec![Entry::new(*player)];
        let mut all = Vec::new();
        for opponent in &players {
            let scores = summary.scores(setting, game, player, opponent);
            if scores.is_empty() {
                row.push(Entry::default());
                continue;
            }
            let beside = summary.beside(setting, game, player, Some(opponent));
            row.push(points(&Estimate::of(&scores), beside));
            if player != opponent {
                all.extend(scores);
            }
        }
        let beside = summary.beside(setting, game, player, None);
        row.push(if all.is_empty() { Entry::default() } else { points(&Estimate::of(&all), beside) });
        row.push(Entry::new(all.len().to_string()));
        rows.push(row);
    }
    Table { head, rows }
}

/// A table for each setting: games are rows, pairs are columns.
fn by_players(summary: &Summary<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for &setting in &summary.settings {
        let against = summary.common_opponent().map_or(String::new(), |one| format!(", against {one}"));
        blocks.push(Block::Heading(format!("{setting}{against}")));
        let mut head = vec!["game".to_owned()];
        head.extend(summary.pairs.iter().map(|&pair| pair_name(summary, pair)));
        head.push("matches".to_owned());
        let is_played =
            |game: &&&str| summary.pairs.iter().any(|&pair| summary.get(setting, game, pair).is_some());
        let games: Vec<&str> = summary.games.iter().filter(is_played).copied().collect();
        let rows = games.iter().map(|&game| {
            let cells: Vec<_> = summary.pairs.iter().map(|&pair| summary.get(setting, game, pair)).collect();
            row(summary, vec![Entry::new(game)], &cells)
        });
        let mut rows: Vec<Vec<Entry>> = rows.collect();
        let columns: Vec<Vec<_>> = summary
            .pairs
            .iter()
            .map(|&pair| games.iter().filter_map(|game| summary.get(setting, game, pair)).collect())
            .collect();
        rows.extend(averages(summary, games.len(), &columns));
        blocks.push(Block::Table(Table { head, rows }));
    }
    blocks
}

/// One table: games and pairs are rows, settings are columns.
fn by_settings(summary: &Summary<'_>) -> Vec<Block> {
    let single = summary.pairs.len() == 1;
    let mut blocks = Vec::new();
    if let [(player, opponent)] = summary.pairs.as_slice() {
        blocks.push(Block::Heading(format!("{player} against {opponent}")));
    }
    let mut head = vec!["game".to_owned()];
    if !single {
        head.push("players".to_owned());
    }
    head.extend(summary.settings.iter().map(|&setting| setting.to_owned()));
    head.push("matches".to_owned());
    let mut rows = Vec::new();
    for &game in &summary.games {
        for &pair in &summary.pairs {
            let mut first = vec![Entry::new(game)];
            if !single {
                first.push(Entry::new(pair_name(summary, pair)));
            }
            let cells: Vec<_> =
                summary.settings.iter().map(|setting| summary.get(setting, game, pair)).collect();
            rows.push(row(summary, first, &cells));
        }
    }
    if let [pair] = summary.pairs.as_slice() {
        let columns: Vec<Vec<_>> = summary
            .settings
            .iter()
            .map(|setting| {
                summary.games.iter().filter_map(|game| summary.get(setting, game, *pair)).collect()
            })
            .collect();
        rows.extend(averages(summary, summary.games.len(), &columns));
    }
    blocks.push(Block::Table(Table { head, rows }));
    blocks
}

/// The entries of a row and, last, how many matches each of them has.
fn row(summary: &Summary<'_>, first: Vec<Entry>, cells: &[Option<&CellSummary<'_>>]) -> Vec<Entry> {
    let mut row = first;
    row.extend(cells.iter().map(|cell| cell.map_or_else(Entry::default, |cell| entry(summary, cell))));
    let counts = || cells.iter().flatten().map(|cell| cell.scores.len());
    row.push(match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least < most => Entry::new(format!("{least}–{most}")),
        (_, Some(most)) => Entry::new(most.to_string()),
        _ => Entry::default(),
    });
    row
}

/// The mean over games, each with the same weight, as the last line of table 5.6 of the thesis has
/// it, with its 95 % interval. The published mean is over the same games.
fn averages(summary: &Summary<'_>, games: usize, columns: &[Vec<&CellSummary<'_>>]) -> Option<Vec<Entry>> {
    if games < 2 || summary.experiment.measure == Measure::Rates {
        return None;
    }
    let mut row = vec![Entry::new("average")];
    for cells in columns {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        // An average over other games could not be compared.
        if cells.len() < games {
            row.push(Entry::default());
            continue;
        }
        let published: Option<Vec<f64>> = cells.iter().map(|cell| Some(cell.published?.value)).collect();
        let estimates: Vec<Estimate> = cells.iter().map(|cell| cell.estimate).collect();
        row.push(Entry {
            text: with_interval_of_mean(&estimates),
            beside: published.map(|all| format!("{:.1}", mean(all))),
        });
    }
    row.push(Entry::default());
    Some(row)
}

fn entry(summary: &Summary<'_>, cell: &CellSummary<'_>) -> Entry {
    match summary.experiment.measure {
        Measure::Rates => Entry {
            text: cell.rate.map_or_else(|| "unknown".to_owned(), short),
            beside: cell.published.map(|figure| short(figure.value)),
        },
        _ => points(&cell.estimate, cell.published),
    }
}

fn points(estimate: &Estimate, published: Option<Beside>) -> Entry {
    let beside = published.map(|figure| with_margin(figure.value, figure.margin));
    Entry { text: with_interval(estimate), beside }
}

/// What a column is called: the opponent is left out if it is always the same.
pub(super) fn pair_name(summary: &Summary<'_>, (player, opponent): Pair<'_>) -> String {
    match summary.common_opponent() {
        Some(_) => player.to_owned(),
        None => format!("{player} against {opponent}"),
    }
}
