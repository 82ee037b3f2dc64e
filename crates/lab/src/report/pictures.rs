//! Which plots a report has.

use super::ReportError;
use super::measurements::{in_order, mean_score, score_players};
use super::numbers::short;
use super::page::Plot;
use super::plots::{Bar, Line, Mark, bars, lines, marks};
use super::summary::Summary;
use super::tables::pair_name;
use crate::experiment::{Experiment, Measure};
use crate::outcome::{ReasonerRate, ScorePoint};

/// For each setting all cells; and if there are several clocks, points against time.
pub(super) fn of_matches(summary: &Summary<'_>) -> Result<Vec<Plot>, ReportError> {
    let mut plots = Vec::new();
    for &setting in &summary.settings {
        let against = summary.common_opponent().map_or(String::new(), |one| format!(", against {one}"));
        let title = format!("{}: {setting}{against}", summary.experiment.title);
        plots.push(match summary.experiment.measure {
            Measure::Rates => bars(&file_name("rates", setting), &title, &rate_bars(summary, setting))?,
            _ => marks(&file_name("points", setting), &title, &point_marks(summary, setting))?,
        });
    }
    if summary.experiment.measure != Measure::Rates
        && let Some(series) = against_time(summary)
    {
        let title = format!("{}: points against time", summary.experiment.title);
        let published = series.iter().any(|line| !line.published.is_empty());
        let pale = if published { "; pale: published" } else { "" };
        let note = format!("points in percent, by seconds a move{pale}");
        plots.push(lines("time", &title, &note, &series)?);
    }
    Ok(plots)
}

fn point_marks(summary: &Summary<'_>, setting: &str) -> Vec<Mark> {
    let cells = summary.cells.iter().filter(|cell| cell.cell.setting == setting);
    cells
        .map(|cell| {
            let pair = (cell.cell.player.as_str(), cell.cell.opponent.as_str());
            let interval = cell.estimate.interval();
            Mark {
                label: row_label(summary, &cell.cell.game, pair),
                colour: colour_of(summary, pair),
                value: cell.estimate.mean * 100.0,
                low: interval.low * 100.0,
                high: interval.high * 100.0,
                published: cell.published.map(|figure| (figure.value, figure.margin)),
            }
        })
        .collect()
}

fn rate_bars(summary: &Summary<'_>, setting: &str) -> Vec<Bar> {
    let cells = summary.cells.iter().filter(|cell| cell.cell.setting == setting);
    cells
        .filter_map(|cell| {
            let pair = (cell.cell.player.as_str(), cell.cell.opponent.as_str());
            let value = cell.rate?;
            Some(Bar {
                label: row_label(summary, &cell.cell.game, pair),
                colour: colour_of(summary, pair),
                value,
                text: short(value),
                published: cell.published.map(|figure| figure.value),
            })
        })
        .collect()
}

/// A line for each game and pair, if there are at least two clocks.
fn against_time(summary: &Summary<'_>) -> Option<Vec<Line>> {
    let timed: Vec<(&str, f64)> = summary
        .settings
        .iter()
        .filter_map(|&setting| Some((setting, summary.setting(setting)?.play?)))
        .collect();
    if timed.len() < 2 {
        return None;
    }
    let mut series = Vec::new();
    for &game in &summary.games {
        for &pair in &summary.pairs {
            let mut points: Vec<(f64, f64)> = timed
                .iter()
                .filter_map(|&(setting, play)| {
                    Some((play, summary.get(setting, game, pair)?.estimate.mean * 100.0))
                })
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut published: Vec<(f64, f64)> = timed
                .iter()
                .filter(|(setting, _)| {
                    summary.setting(setting).is_some_and(|found| found.published.is_none())
                })
                .filter_map(|&(setting, play)| {
                    Some((play, summary.get(setting, game, pair)?.published?.value))
                })
                .collect();
            published.sort_by(|a, b| a.0.total_cmp(&b.0));
            let label = row_label(summary, game, pair);
            series.push(Line { label, colour: series.len(), points, published });
        }
    }
    Some(series)
}

/// One of the rates of an engine.
type Rate = fn(&ReasonerRate) -> Option<f64>;

/// Random playouts and minimax search of each engine in each game.
pub(super) fn of_reasoners(rates: &[ReasonerRate]) -> Result<Vec<Plot>, ReportError> {
    let engines = in_order(std::iter::empty(), rates.iter().map(|rate| &rate.engine));
    let kinds: [(&str, &str, Rate); 2] = [
        ("playouts", "Random playouts: states a second", |rate| rate.monte_carlo_nodes_per_second),
        ("minimax", "Minimax search: states a second", |rate| rate.minimax_nodes_per_second),
    ];
    let mut plots = Vec::new();
    for (name, title, value) in kinds {
        let rows: Vec<Bar> = rates
            .iter()
            .filter_map(|rate| {
                let value = value(rate)?;
                Some(Bar {
                    label: format!("{}, {}", rate.game, rate.engine),
                    colour: engines.iter().position(|engine| **engine == rate.engine).unwrap_or(0),
                    value,
                    text: short(value),
                    published: None,
                })
            })
            .collect();
        if !rows.is_empty() {
            plots.push(bars(name, title, &rows)?);
        }
    }
    Ok(plots)
}

/// For each game a line for each player: the mean over its runs.
pub(super) fn of_scores(experiment: &Experiment, points: &[ScorePoint]) -> Result<Vec<Plot>, ReportError> {
    let mut plots = Vec::new();
    for game in in_order(experiment.games.iter(), points.iter().map(|point| &point.game)) {
        let mut series = Vec::new();
        for (colour, player) in score_players(experiment, points).into_iter().enumerate() {
            let own = || points.iter().filter(|point| point.game == *game && point.player == *player);
            let mut times: Vec<f64> = own().map(|point| point.seconds).collect();
            times.sort_by(f64::total_cmp);
            times.dedup();
            let means = times.iter().filter_map(|&seconds| Some((seconds, mean_score(own(), seconds)?)));
            let label = player.clone();
            series.push(Line { label, colour, points: means.collect(), published: Vec::new() });
        }
        plots.push(lines(&file_name("scores", game), game, "mean of the best scores, by seconds", &series)?);
    }
    Ok(plots)
}

fn row_label(summary: &Summary<'_>, game: &str, pair: (&str, &str)) -> String {
    if summary.pairs.len() == 1 {
        return game.to_owned();
    }
    let pair = pair_name(summary, pair);
    if summary.games.len() == 1 { pair } else { format!("{game}, {pair}") }
}

fn colour_of(summary: &Summary<'_>, pair: (&str, &str)) -> usize {
    summary.pairs.iter().position(|known| *known == pair).unwrap_or(0)
}

/// Letters and digits of a name, for a file: `points-60-30-s`.
fn file_name(kind: &str, name: &str) -> String {
    let words =
        name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(kind).chain(words).collect::<Vec<_>>().join("-").to_lowercase()
}
