//! Tables of what was measured without matches: engines, and scores in games for one.

use super::numbers::{counted, short};
use super::page::{Block, Entry, Table};
use crate::experiment::Experiment;
use crate::outcome::{ReasonerRate, ScorePoint};

/// What a table shows of an engine in a game.
type Shown = fn(&ReasonerRate) -> Option<String>;

/// Engines are columns, games are rows; a table for each kind of rate, one for set-up, and what went wrong.
pub(super) fn reasoners(experiment: &Experiment, rates: &[ReasonerRate]) -> Vec<Block> {
    let engines = in_order(
        experiment.engines.iter().chain(experiment.external.iter().map(|engine| &engine.name)),
        rates.iter().map(|rate| &rate.engine),
    );
    let games = in_order(experiment.games.iter(), rates.iter().map(|rate| &rate.game));
    let kinds: [(&str, Shown); 3] = [
        ("Random playouts: states a second", |rate| rate.monte_carlo_nodes_per_second.map(short)),
        ("Minimax search: states a second", |rate| rate.minimax_nodes_per_second.map(short)),
        // Of engines of others it is not known.
        ("Set-up: milliseconds", |rate| (rate.setup_ms > 0.0).then(|| short(rate.setup_ms))),
    ];
    let mut blocks = Vec::new();
    for (title, text) in kinds {
        if rates.iter().all(|rate| text(rate).is_none()) {
            continue;
        }
        let mut head = vec!["game".to_owned()];
        head.extend(engines.iter().map(|&engine| engine.clone()));
        let rows = games.iter().map(|&game| {
            let cells = engines.iter().map(|&engine| {
                let found = rates.iter().find(|rate| rate.engine == *engine && rate.game == *game);
                Entry::new(found.and_then(text).unwrap_or_default())
            });
            std::iter::once(Entry::new(game)).chain(cells).collect()
        });
        let rows = rows.collect();
        blocks.push(Block::Heading(title.to_owned()));
        blocks.push(Block::Table(Table { head, rows }));
    }
    let problems: Vec<Vec<Entry>> = rates
        .iter()
        .filter_map(|rate| {
            let problem = rate.problem.as_ref()?;
            Some(vec![Entry::new(&rate.game), Entry::new(&rate.engine), Entry::new(problem)])
        })
        .collect();
    if !problems.is_empty() {
        blocks.push(Block::Heading("What did not work".to_owned()));
        let head = ["game", "engine", "why"].map(str::to_owned).to_vec();
        blocks.push(Block::Table(Table { head, rows: problems }));
    }
    blocks
}

/// One for each engine and game: the mean of what was measured, the first thing that went wrong.
pub(super) fn merged(rates: &[ReasonerRate]) -> Vec<ReasonerRate> {
    let mut merged: Vec<ReasonerRate> = Vec::new();
    for rate in rates {
        if merged.iter().any(|known| known.engine == rate.engine && known.game == rate.game) {
            continue;
        }
        let same = || rates.iter().filter(|other| other.engine == rate.engine && other.game == rate.game);
        merged.push(ReasonerRate {
            engine: rate.engine.clone(),
            game: rate.game.clone(),
            setup_ms: mean(same().map(|one| one.setup_ms).filter(|&ms| ms > 0.0)).unwrap_or(0.0),
            monte_carlo_nodes_per_second: mean(same().filter_map(|one| one.monte_carlo_nodes_per_second)),
            minimax_nodes_per_second: mean(same().filter_map(|one| one.minimax_nodes_per_second)),
            problem: same().find_map(|one| one.problem.clone()),
        });
    }
    merged
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A table for each game: players are rows, times are columns, entries are means over runs.
pub(super) fn scores(experiment: &Experiment, points: &[ScorePoint]) -> Vec<Block> {
    let games = in_order(experiment.games.iter(), points.iter().map(|point| &point.game));
    let players = score_players(experiment, points);
    let mut blocks =
        vec![Block::Text("The best score by then, 0 to 100: the mean over all runs.".to_owned())];
    for game in games {
        let of_game = || points.iter().filter(move |point| point.game == *game);
        let mut times: Vec<f64> = of_game().map(|point| point.seconds).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut head = vec!["player".to_owned()];
        head.extend(times.iter().map(|&seconds| format!("{} s", short(seconds))));
        head.push("runs".to_owned());
        let mut rows = Vec::new();
        for &player in &players {
            let mut runs: Vec<u64> =
                of_game().filter(|point| point.player == *player).map(|point| point.run).collect();
            runs.sort_unstable();
            runs.dedup();
            if runs.is_empty() {
                continue;
            }
            let mut row = vec![Entry::new(player)];
            for &seconds in &times {
                let mean = mean_score(of_game().filter(|point| point.player == *player), seconds);
                row.push(Entry::new(mean.map_or_else(String::new, |mean| format!("{mean:.1}"))));
            }
            row.push(Entry::new(runs.len().to_string()));
            rows.push(row);
        }
        blocks.push(Block::Heading(game.clone()));
        blocks.push(Block::Table(Table { head, rows }));
    }
    blocks.push(Block::Text(format!("{}.", counted(points.len() as u64, "measurement", "measurements"))));
    blocks
}

/// Who was measured, in the order of the experiment.
pub(super) fn score_players<'a>(experiment: &'a Experiment, points: &'a [ScorePoint]) -> Vec<&'a String> {
    in_order(experiment.players.iter().map(|entry| &entry.name), points.iter().map(|point| &point.player))
}

/// The mean of those scores that belong to this time.
#[allow(clippy::float_cmp, reason = "the times are the same numbers, copied")]
pub(super) fn mean_score<'a>(points: impl Iterator<Item = &'a ScorePoint>, seconds: f64) -> Option<f64> {
    mean(points.filter(|point| point.seconds == seconds).map(|point| point.score))
}

/// The names that occur: first as the experiment has them, then those it does not know.
pub(super) fn in_order<'a>(
    known: impl Iterator<Item = &'a String>,
    occurring: impl Iterator<Item = &'a String> + Clone,
) -> Vec<&'a String> {
    let mut names: Vec<&String> =
        known.filter(|name| occurring.clone().any(|other| other == *name)).collect();
    for name in occurring {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
