//! Which plots a report has.

use super::ReportError;
use super::measurements::{EngineSummary, ScoreGame, Unit, engine_settings, in_order, with_setting};
use super::numbers::short;
use super::page::Plot;
use super::plots::{Bar, Line, Mark, bars, lines, marks};
use super::summary::Summary;
use super::tables::pair_name;
use crate::experiment::{Form, Measure, ScoreKind};

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
        plots.push(lines("time", &title, &note, Unit::Seconds, &series)?);
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
type Rate = fn(&EngineSummary<'_>) -> Option<f64>;

/// Random playouts and minimax search of each engine in each game, for each setting.
pub(super) fn of_reasoners(form: &Form, all: &[EngineSummary<'_>]) -> Result<Vec<Plot>, ReportError> {
    let engines = in_order(std::iter::empty(), all.iter().map(|one| one.engine));
    let settings = engine_settings(form, all);
    let kinds: [(&str, &str, Rate); 2] = [
        ("playouts", "Random playouts: states a second", |one| one.playouts),
        ("minimax", "Minimax search: states a second", |one| one.minimax),
    ];
    let mut plots = Vec::new();
    for &setting in &settings {
        for (name, title, value) in kinds {
            let rows: Vec<Bar> = all
                .iter()
                .filter(|one| one.setting == setting)
                .filter_map(|one| {
                    let value = value(one)?;
                    Some(Bar {
                        label: format!("{}, {}", one.game, one.engine),
                        colour: engines.iter().position(|&engine| engine == one.engine).unwrap_or(0),
                        value,
                        text: short(value),
                        published: None,
                    })
                })
                .collect();
            if !rows.is_empty() {
                let name = file_name(name, if settings.len() > 1 { setting } else { "" });
                plots.push(bars(&name, &with_setting(title, setting, &settings), &rows)?);
            }
        }
    }
    Ok(plots)
}

/// For each game and setting a line for each player: the mean over its runs.
pub(super) fn of_scores(games: &[ScoreGame<'_>]) -> Result<Vec<Plot>, ReportError> {
    let plot = |game: &ScoreGame<'_>| {
        let series: Vec<Line> = game
            .players
            .iter()
            .enumerate()
            .map(|(colour, line)| Line {
                label: line.player.clone(),
                colour,
                points: line.means.clone(),
                published: Vec::new(),
            })
            .collect();
        let note = match game.kind {
            ScoreKind::Seen => format!("mean of the best scores seen, by {}", game.unit.name()),
            _ => format!("mean of the goals, by {} for the first move", game.unit.name()),
        };
        lines(&file_name("scores", &game.title), &game.title, &note, game.unit, &series)
    };
    games.iter().map(plot).collect()
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
