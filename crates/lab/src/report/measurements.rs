//! Tables of what was measured without matches: engines, and scores in games for one.

use super::numbers::{counted, short};
use super::page::{Block, Entry, Table};
use crate::experiment::{Experiment, Form, ScoreKind};
use crate::outcome::{ReasonerOutcome, ScoreOutcome, Visited};

/// What is known of an engine in a game, over all times it was measured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EngineSummary<'a> {
    pub(super) setting: &'a String,
    pub(super) game: &'a String,
    pub(super) engine: &'a String,
    /// Milliseconds.
    setup: Option<f64>,
    /// States per second.
    pub(super) playouts: Option<f64>,
    /// States per second.
    pub(super) minimax: Option<f64>,
    problem: Option<&'a String>,
}

/// One for each setting, game and engine: the mean of what was measured, the first thing that went
/// wrong.
pub(super) fn merged(measured: &[ReasonerOutcome]) -> Vec<EngineSummary<'_>> {
    let mut merged: Vec<EngineSummary<'_>> = Vec::new();
    for one in measured {
        let key = (&one.setting, &one.game, &one.engine);
        if merged.iter().any(|known| (known.setting, known.game, known.engine) == key) {
            continue;
        }
        let same =
            || measured.iter().filter(move |other| (&other.setting, &other.game, &other.engine) == key);
        let rate = |visited: Option<Visited>| visited.map(|visited| visited.rate());
        merged.push(EngineSummary {
            setting: key.0,
            game: key.1,
            engine: key.2,
            setup: mean(same().filter_map(|one| Some(one.setup_seconds? * 1e3))),
            playouts: mean(same().filter_map(|one| rate(one.monte_carlo))),
            minimax: mean(same().filter_map(|one| rate(one.minimax))),
            problem: same().find_map(|one| one.error.as_ref()),
        });
    }
    merged
}

/// What a table shows of an engine in a game.
type Shown = fn(&EngineSummary<'_>) -> Option<f64>;

/// For each setting: engines are columns, games are rows; a table for each kind of rate, one for
/// set-up, and what went wrong.
pub(super) fn reasoners(experiment: &Experiment, form: &Form, all: &[EngineSummary<'_>]) -> Vec<Block> {
    let ours = experiment.engines.iter().chain(experiment.external.iter().map(|engine| &engine.name));
    let engines = in_order(ours, all.iter().map(|one| one.engine));
    let games = in_order(experiment.games.iter(), all.iter().map(|one| one.game));
    let settings = engine_settings(form, all);
    let kinds: [(&str, Shown); 3] = [
        ("Random playouts: states a second", |one| one.playouts),
        ("Minimax search: states a second", |one| one.minimax),
        // Of engines of others it is not known.
        ("Set-up: milliseconds", |one| one.setup),
    ];
    let mut blocks = Vec::new();
    for &setting in &settings {
        let of_setting = || all.iter().filter(move |one| one.setting == setting);
        for (title, value) in kinds {
            if of_setting().all(|one| value(one).is_none()) {
                continue;
            }
            let mut head = vec!["game".to_owned()];
            head.extend(engines.iter().map(|&engine| engine.clone()));
            let rows = games.iter().map(|&game| {
                let cells = engines.iter().map(|&engine| {
                    let found = of_setting().find(|one| one.engine == engine && one.game == game);
                    Entry::new(found.and_then(value).map(short).unwrap_or_default())
                });
                std::iter::once(Entry::new(game)).chain(cells).collect()
            });
            let rows = rows.collect();
            blocks.push(Block::Heading(with_setting(title, setting, &settings)));
            blocks.push(Block::Table(Table { head, rows }));
        }
    }
    let problems: Vec<Vec<Entry>> = all
        .iter()
        .filter_map(|one| Some(vec![Entry::new(one.game), Entry::new(one.engine), Entry::new(one.problem?)]))
        .collect();
    if !problems.is_empty() {
        blocks.push(Block::Heading("What did not work".to_owned()));
        let head = ["game", "engine", "why"].map(str::to_owned).to_vec();
        blocks.push(Block::Table(Table { head, rows: problems }));
    }
    blocks
}

/// The settings in which engines were measured, in the order of the form.
pub(super) fn engine_settings<'a>(form: &'a Form, all: &[EngineSummary<'a>]) -> Vec<&'a String> {
    in_order(form.settings.iter().map(|setting| &setting.name), all.iter().map(|one| one.setting))
}

/// The setting is named where there are several.
pub(super) fn with_setting(title: &str, setting: &str, settings: &[&String]) -> String {
    if settings.len() > 1 { format!("{title}, {setting}") } else { title.to_owned() }
}

/// What players were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Playouts,
}

impl Unit {
    /// That of a setting.
    pub(super) fn of(form: &Form, setting: &str) -> Self {
        let found = form.settings.iter().find(|found| found.name == setting);
        if found.is_some_and(|found| found.playouts.is_some()) { Unit::Playouts } else { Unit::Seconds }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Playouts => "playouts",
        }
    }

    /// An amount in short: `0.4 s`, or `128`.
    pub(super) fn text(self, amount: f64) -> String {
        match self {
            Unit::Seconds => format!("{} s", short(amount)),
            Unit::Playouts => format!("{amount:.0}"),
        }
    }
}

/// What was found in a game, in a setting.
#[derive(Debug)]
pub(super) struct ScoreGame<'a> {
    pub(super) title: String,
    pub(super) unit: Unit,
    pub(super) kind: ScoreKind,
    pub(super) players: Vec<ScoreLine<'a>>,
}

/// What a player found.
#[derive(Debug)]
pub(super) struct ScoreLine<'a> {
    pub(super) player: &'a String,
    runs: usize,
    /// Amounts and means over all runs, in order.
    pub(super) means: Vec<(f64, f64)>,
}

/// What the scores of a setting are.
pub(super) fn kind_of(form: &Form, setting: &str) -> ScoreKind {
    form.settings.iter().find(|found| found.name == setting).map(|found| found.scores).unwrap_or_default()
}

/// Games and settings in the order of the experiment, where scores depend on an amount.
pub(super) fn score_games<'a>(
    experiment: &'a Experiment,
    form: &'a Form,
    runs: &'a [ScoreOutcome],
) -> Vec<ScoreGame<'a>> {
    let games = in_order(experiment.games.iter(), runs.iter().map(|run| &run.game));
    let settings =
        in_order(form.settings.iter().map(|setting| &setting.name), runs.iter().map(|run| &run.setting));
    let players =
        in_order(experiment.players.iter().map(|entry| &entry.name), runs.iter().map(|run| &run.player));
    let mut found = Vec::new();
    for &game in &games {
        for &setting in &settings {
            let kind = kind_of(form, setting);
            if kind == ScoreKind::EveryMove {
                continue;
            }
            let line = |player: &&'a String| {
                let own: Vec<&ScoreOutcome> = runs
                    .iter()
                    .filter(|run| (&run.game, &run.setting, &run.player) == (game, setting, *player))
                    .collect();
                (!own.is_empty()).then(|| ScoreLine { player, runs: own.len(), means: means(&own) })
            };
            let players: Vec<ScoreLine<'_>> = players.iter().filter_map(line).collect();
            if !players.is_empty() {
                let title = with_setting(game, setting, &settings);
                found.push(ScoreGame { title, unit: Unit::of(form, setting), kind, players });
            }
        }
    }
    found
}

/// The mean over all runs for each amount.
#[allow(clippy::float_cmp, reason = "the amounts are the same numbers, copied")]
fn means(runs: &[&ScoreOutcome]) -> Vec<(f64, f64)> {
    let points = || runs.iter().flat_map(|run| run.scores.iter().copied());
    let mut amounts: Vec<f64> = points().map(|(amount, _)| amount).collect();
    amounts.sort_by(f64::total_cmp);
    amounts.dedup();
    let scores =
        |of: f64| points().filter(move |(amount, _)| *amount == of).map(|(_, score)| f64::from(score));
    amounts.into_iter().filter_map(|amount| Some((amount, mean(scores(amount))?))).collect()
}

/// A table for each game and setting: players are rows, amounts are columns, entries are means over
/// runs.
#[allow(clippy::float_cmp, reason = "the amounts are the same numbers, copied")]
pub(super) fn scores(games: &[ScoreGame<'_>]) -> Vec<Block> {
    let texts = [
        (
            ScoreKind::FirstMove,
            "The goal at the end of a match, 0 to 100, by how long the player thought about its first move: the mean \
             over all runs.",
        ),
        (
            ScoreKind::Seen,
            "The best score seen in a search of the first position, 0 to 100, by how long it had taken: the mean over \
             all runs.",
        ),
    ];
    let used = |&(kind, _): &(ScoreKind, &str)| {
        games.iter().any(|game| game.kind == kind) || (games.is_empty() && kind == ScoreKind::FirstMove)
    };
    let mut blocks: Vec<Block> =
        texts.into_iter().filter(used).map(|(_, text)| Block::Text(text.to_owned())).collect();
    let mut count = 0;
    for game in games {
        let mut amounts: Vec<f64> =
            game.players.iter().flat_map(|line| line.means.iter().map(|(amount, _)| *amount)).collect();
        amounts.sort_by(f64::total_cmp);
        amounts.dedup();
        let mut head = vec!["player".to_owned()];
        head.extend(amounts.iter().map(|&amount| game.unit.text(amount)));
        head.push("runs".to_owned());
        let mut rows = Vec::new();
        for line in &game.players {
            let mut row = vec![Entry::new(line.player)];
            for amount in &amounts {
                let found = line.means.iter().find(|(known, _)| known == amount);
                row.push(Entry::new(found.map_or_else(String::new, |(_, mean)| format!("{mean:.1}"))));
            }
            row.push(Entry::new(line.runs.to_string()));
            rows.push(row);
            count += line.runs as u64;
        }
        let unit = if game.unit == Unit::Playouts { ": by playouts" } else { "" };
        blocks.push(Block::Heading(format!("{}{unit}", game.title)));
        blocks.push(Block::Table(Table { head, rows }));
    }
    blocks.push(Block::Text(format!("{}.", counted(count, "run", "runs"))));
    blocks
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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
