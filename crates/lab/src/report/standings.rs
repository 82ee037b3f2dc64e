//! What follows from the cells: ratings, what the seats are worth, how surely one player is better.

use super::numbers::{percent, with_interval};
use super::page::{Block, Entry, Table};
use super::summary::{CellSummary, Summary};
use crate::experiment::Measure;
use crate::statistics::{Estimate, improvement_confidence, ratings};

/// Those of the three that make sense here.
pub(super) fn blocks(summary: &Summary<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if summary.experiment.measure == Measure::Rates {
        return blocks;
    }
    if summary.players().len() >= 3 {
        blocks.push(Block::Heading("Ratings".to_owned()));
        blocks.push(Block::Text(
            "Bradley and Terry's model over all games, in Elo around the mean of the players; everybody has one more \
             match, drawn against the average."
                .to_owned(),
        ));
        blocks.push(Block::Table(ratings_table(summary)));
    }
    let single = summary.pairs.len() == 1;
    let shown: Vec<&CellSummary<'_>> =
        summary.cells.iter().filter(|cell| single || cell.cell.player == cell.cell.opponent).collect();
    if single && summary.pairs.iter().all(|(player, opponent)| player != opponent) {
        blocks.push(Block::Heading("How surely the first is better".to_owned()));
        blocks.push(Block::Text("One-tailed, in percent.".to_owned()));
        blocks.push(Block::Table(confidence_table(summary)));
    }
    if !shown.is_empty() {
        blocks.push(Block::Heading("By seat".to_owned()));
        blocks.push(Block::Text(
            "Points of each player where it had the seat; of the seat, where a player meets itself. Seats need not be worth \
             the same: who is better is seen by comparing both players in one seat."
                .to_owned(),
        ));
        blocks.push(Block::Table(seats_table(&shown)));
    }
    blocks
}

fn ratings_table(summary: &Summary<'_>) -> Table {
    let head = ["setting", "player", "Elo", "95 %", "points", "matches"].map(str::to_owned).to_vec();
    let mut rows = Vec::new();
    for &setting in &summary.settings {
        let cells = summary.cells.iter().filter(|cell| cell.cell.setting == setting);
        let matches = cells.flat_map(|cell| {
            cell.scores.iter().map(|&score| (cell.cell.player.as_str(), cell.cell.opponent.as_str(), score))
        });
        for rating in ratings(matches) {
            rows.push(vec![
                Entry::new(setting),
                Entry::new(rating.player),
                Entry::new(format!("{:+.0}", rating.elo)),
                Entry::new(format!("± {:.0}", rating.margin)),
                Entry::new(percent(rating.points / rating.matches.max(1) as f64)),
                Entry::new(rating.matches.to_string()),
            ]);
        }
    }
    Table { head, rows }
}

fn confidence_table(summary: &Summary<'_>) -> Table {
    let mut head = vec!["game".to_owned()];
    head.extend(summary.settings.iter().map(|&setting| setting.to_owned()));
    let mut rows = Vec::new();
    for (&game, pair) in
        summary.games.iter().flat_map(|game| summary.pairs.iter().map(move |pair| (game, pair)))
    {
        let mut row = vec![Entry::new(game)];
        for setting in &summary.settings {
            let cell = summary.get(setting, game, *pair);
            // Rounded down, as in the thesis.
            let text = |cell: &CellSummary<'_>| {
                format!("{:.0}", (improvement_confidence(&cell.estimate) * 100.0).floor())
            };
            row.push(cell.map_or_else(Entry::default, |cell| Entry::new(text(cell))));
        }
        rows.push(row);
    }
    Table { head, rows }
}

fn seats_table(cells: &[&CellSummary<'_>]) -> Table {
    let seats =
        cells.iter().flat_map(|cell| &cell.matches).map(|outcome| outcome.seats.len()).max().unwrap_or(0);
    let mut head = ["setting", "game", "players"].map(str::to_owned).to_vec();
    head.extend((1..=seats).map(|seat| format!("seat {seat}")));
    let mut rows = Vec::new();
    for cell in cells {
        let place = cell.cell;
        let itself = place.player == place.opponent;
        let names = if itself { format!("{} against itself", place.player) } else { place.player.clone() };
        let mut push = |name: String, scores: &dyn Fn(usize) -> Vec<f64>| {
            let mut row = vec![Entry::new(&place.setting), Entry::new(&place.game), Entry::new(name)];
            row.extend((0..seats).map(|seat| match scores(seat) {
                scores if scores.is_empty() => Entry::new(""),
                scores => Entry::new(with_interval(&Estimate::of(&scores))),
            }));
            rows.push(row);
        };
        push(names, &|seat| seat_scores(cell, seat));
        if !itself && seats == 2 {
            // Of two players one has what the other does not have, in the other seat.
            let other = |seat: usize| seat_scores(cell, 1 - seat).iter().map(|score| 1.0 - score).collect();
            push(place.opponent.clone(), &other);
        }
    }
    Table { head, rows }
}

/// What the player scored in matches where it had the seat. In matches against itself: what the
/// seat scored.
fn seat_scores(cell: &CellSummary<'_>, seat: usize) -> Vec<f64> {
    let itself = cell.cell.player == cell.cell.opponent;
    let matches = cell.matches.iter().filter(|outcome| seat < outcome.seats.len());
    if !itself {
        return matches.filter(|outcome| outcome.seats[seat]).map(|outcome| outcome.score()).collect();
    }
    matches
        .map(|outcome| {
            let best = outcome.goals.iter().max();
            let winners = outcome.goals.iter().filter(|goal| Some(*goal) == best).count();
            let own = outcome.goals.get(seat);
            if winners > 0 && own == best { 1.0 / winners as f64 } else { 0.0 }
        })
        .collect()
}
