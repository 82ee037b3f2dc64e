//! Semantic checks: mistakes that a well-formed experiment file can still contain.

use std::collections::BTreeSet;
use std::path::Path;

use ludex_arena::{Participant, ParticipantError};
use ludex_engine::PlayerError;
use ludex_reasoner::ENGINES;

use super::problem::Problem;
use super::read::Fault;
use super::{Experiment, Form, FormName, Measure, Pairing, ScoreKind, Setting, Stopping};
use crate::games::GameSheet;
use crate::run::share::{options_of, participant, takes};

type Checked<T = ()> = Result<T, Fault>;

/// Matches of a cell: more is a typing mistake.
const MAX_MATCHES: u64 = 100_000_000;
/// Seconds for a move, one day: more is a typing mistake.
const MAX_CLOCK: f64 = 86_400.0;
/// Threads of a player: above the core count of common machines.
const MAX_THREADS: usize = 1024;

fn fault<T>(path: impl Into<String>, problem: Problem) -> Checked<T> {
    Err(Fault { path: path.into(), problem })
}

fn in_range(
    holds: bool,
    path: impl Into<String>,
    key: &'static str,
    value: impl ToString,
    takes: &'static str,
) -> Checked {
    if holds { Ok(()) } else { fault(path, Problem::Range { key, value: value.to_string(), takes }) }
}

/// Checks that names are unique and not empty.
fn distinct<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
    path: impl Fn(usize) -> String,
) -> Checked {
    let mut seen = BTreeSet::new();
    for (at, name) in names.enumerate() {
        if name.trim().is_empty() {
            return fault(path(at), Problem::Missing("a name cannot be empty"));
        }
        if !seen.insert(name) {
            return fault(path(at), Problem::Duplicate { kind, name: name.to_owned() });
        }
    }
    Ok(())
}

/// Checks that need only the file itself.
pub(super) fn consistency(experiment: &Experiment) -> Checked {
    if experiment.games.is_empty() {
        return fault("games", Problem::Missing("there are no games"));
    }
    distinct("games", experiment.games.iter().map(String::as_str), |at| format!("games.{at}"))?;
    let players = experiment.players.iter().map(|player| player.name.as_str());
    distinct("players", players, |at| format!("players.{at}.name"))?;
    for (at, player) in experiment.players.iter().enumerate() {
        let share = player.share;
        in_range(
            share > 0.0 && share <= 1.0,
            format!("players.{at}.share"),
            "share",
            share,
            "above 0 and at most 1",
        )?;
    }
    let engines = experiment.engines.iter().map(String::as_str);
    distinct("engines", engines, |at| format!("engines.{at}"))?;
    let own_count = experiment.engines.len();
    let engines = experiment.engines.iter().chain(experiment.external.iter().map(|engine| &engine.name));
    let path = |at: usize| format!("external.{}.name", at.saturating_sub(own_count));
    distinct("engines", engines.map(String::as_str), path)?;
    for (at, engine) in experiment.external.iter().enumerate() {
        if engine.command.first().is_none_or(|program| program.is_empty()) {
            return fault(format!("external.{at}.command"), Problem::Missing("there is no program to run"));
        }
    }
    pairing(experiment)?;
    form(experiment, "quick", &experiment.quick)?;
    experiment.full.as_ref().map_or(Ok(()), |full| form(experiment, "full", full))
}

fn pairing(experiment: &Experiment) -> Checked {
    match experiment.measure {
        Measure::Reasoners if experiment.engines.is_empty() && experiment.external.is_empty() => {
            return fault("measure", Problem::Missing("reasoners are compared, but there are no `engines`"));
        }
        Measure::Reasoners => return Ok(()),
        Measure::Scores if experiment.players.is_empty() => {
            return fault("measure", Problem::Missing("scores are measured, but there are no `players`"));
        }
        Measure::Scores => return Ok(()),
        Measure::Wins | Measure::Rates => {}
    }
    let known = |name: &str, path: String| {
        if experiment.player(name).is_some() {
            return Ok(());
        }
        let known = experiment.players.iter().map(|player| player.name.as_str());
        fault(path, Problem::unknown("player", name, known))
    };
    match &experiment.pairing {
        Pairing::AllPairs | Pairing::Against(_) if experiment.players.len() < 2 => {
            fault("players", Problem::Missing("a match needs at least two players"))
        }
        Pairing::AllPairs => Ok(()),
        Pairing::Against(name) => known(name, "pairing.against".to_owned()),
        Pairing::Pairs(pairs) if pairs.is_empty() => {
            fault("pairing.pairs", Problem::Missing("there are no pairs"))
        }
        Pairing::Pairs(pairs) => {
            let mut seen = BTreeSet::new();
            for (at, pair) in pairs.iter().enumerate() {
                for (side, name) in pair.iter().enumerate() {
                    known(name, format!("pairing.pairs.{at}.{side}"))?;
                }
                if !seen.insert(pair) {
                    let name = pair.join(" against ");
                    return fault(format!("pairing.pairs.{at}"), Problem::Duplicate { kind: "pairs", name });
                }
            }
            Ok(())
        }
    }
}

fn form(experiment: &Experiment, name: &str, form: &Form) -> Checked {
    let at = |key: &str| format!("{name}.{key}");
    let matches = form.matches;
    in_range((1..=MAX_MATCHES).contains(&matches), at("matches"), "matches", matches, "from 1 to 100000000")?;
    if let Some(minutes) = form.minutes {
        in_range(
            minutes > 0.0 && minutes <= 1e6,
            at("minutes"),
            "minutes",
            minutes,
            "above 0, at most 1000000",
        )?;
    }
    for (number, game) in form.games.iter().enumerate() {
        if !experiment.games.contains(game) {
            let known = experiment.games.iter().map(String::as_str);
            return fault(at(&format!("games.{number}")), Problem::unknown("game", game, known));
        }
    }
    distinct("games", form.games.iter().map(String::as_str), |number| at(&format!("games.{number}")))?;
    if form.settings.is_empty() {
        return fault(at("settings"), Problem::Missing("there are no settings: clocks, or playouts"));
    }
    let names = form.settings.iter().map(|setting| setting.name.as_str());
    distinct("settings", names, |number| at(&format!("settings.{number}.name")))?;
    for (number, entry) in form.settings.iter().enumerate() {
        setting(experiment, &at(&format!("settings.{number}")), entry)?;
        for (position, game) in entry.without.iter().enumerate() {
            let games = experiment.games_of(form);
            if !games.contains(game) {
                let path = at(&format!("settings.{number}.without.{position}"));
                return fault(path, Problem::unknown("game", game, games.iter().map(String::as_str)));
            }
        }
        if experiment.games_under(form, entry).next().is_none() {
            let message = "all games are excluded: nothing is left to play";
            return fault(at(&format!("settings.{number}.without")), Problem::Missing(message));
        }
    }
    match form.stop {
        None => Ok(()),
        Some(Stopping::HalfWidth(percent)) => in_range(
            percent > 0.0 && percent < 50.0,
            at("stop.half-width"),
            "half-width",
            percent,
            "above 0 and below 50 percent",
        ),
        Some(Stopping::Sprt(test)) => {
            let differs = test.elo0.abs() < 5000.0 && test.elo1.abs() < 5000.0 && test.elo0 < test.elo1;
            in_range(differs, at("stop.sprt.elo1"), "elo1", test.elo1, "above `elo0`")?;
            let small = |rate: f64| rate > 0.0 && rate < 0.5;
            let takes = "above 0 and below 0.5";
            in_range(small(test.alpha), at("stop.sprt.alpha"), "alpha", test.alpha, takes)?;
            in_range(small(test.beta), at("stop.sprt.beta"), "beta", test.beta, takes)
        }
    }
}

fn setting(experiment: &Experiment, path: &str, setting: &Setting) -> Checked {
    let clock = |seconds: f64| seconds > 0.0 && seconds <= MAX_CLOCK;
    let takes = "above 0 and at most a day, in seconds";
    match (setting.play, setting.playouts) {
        (None, None) => {
            let message = "a setting needs `play`, seconds per move, or `playouts`";
            return fault(path, Problem::Missing(message));
        }
        (Some(_), Some(_)) => {
            let message = "a setting has either `play` or `playouts`, not both";
            return fault(path, Problem::Missing(message));
        }
        (Some(play), None) => in_range(clock(play), format!("{path}.play"), "play", play, takes)?,
        (None, Some(playouts)) => {
            let some = (1..=1_000_000_000_000).contains(&playouts);
            in_range(some, format!("{path}.playouts"), "playouts", playouts, "at least 1")?;
            if setting.start.is_some() {
                return fault(
                    format!("{path}.start"),
                    Problem::Missing("`start` is a clock and needs `play`"),
                );
            }
            if experiment.measure == Measure::Reasoners {
                return fault(path, Problem::Missing("reasoners are measured by the clock: `play` seconds"));
            }
            if experiment.players.iter().any(|player| player.spec.contains("://")) {
                return fault(
                    format!("{path}.playouts"),
                    Problem::Missing("HTTP players do not count playouts: they need `play`"),
                );
            }
        }
    }
    if setting.scores != ScoreKind::FirstMove && experiment.measure != Measure::Scores {
        return fault(format!("{path}.scores"), Problem::Missing("`scores` is for the measure `scores`"));
    }
    let threads = setting.threads;
    let takes_threads = "from 1 to 1024";
    in_range(
        (1..=MAX_THREADS).contains(&threads),
        format!("{path}.threads"),
        "threads",
        threads,
        takes_threads,
    )?;
    if threads > 1 && experiment.measure == Measure::Reasoners {
        return fault(format!("{path}.threads"), Problem::Missing("reasoners are measured with one thread"));
    }
    match setting.start {
        Some(start) => in_range(clock(start), format!("{path}.start"), "start", start, takes),
        None => Ok(()),
    }
}

/// Checks the options of a setting: every one is taken by a player, and no value is refused.
fn options(experiment: &Experiment, path: &str, setting: &Setting) -> Checked {
    let refused = |error: ParticipantError| Fault { path: path.to_owned(), problem: error.into() };
    let options = options_of(setting).map_err(|error| refused(PlayerError::from(error).into()))?;
    for (name, _) in options {
        if !experiment.players.iter().any(|player| takes(player, &name)) {
            return fault(path, Problem::NobodyTakes(name));
        }
    }
    for player in &experiment.players {
        participant(player, setting).map_err(refused)?;
    }
    Ok(())
}

/// Checks that all players, engines and games exist; returns the games.
pub(super) fn names(experiment: &Experiment, base: &Path) -> Checked<Vec<GameSheet>> {
    for (at, player) in experiment.players.iter().enumerate() {
        let path = || format!("players.{at}.spec");
        match player.spec.parse::<Participant>() {
            Err(error) => return fault(path(), error.into()),
            Ok(Participant::Http(_)) if player.share < 1.0 => {
                let message = "`share` is not supported for HTTP players: they manage their own time";
                return fault(format!("players.{at}.share"), Problem::Missing(message));
            }
            Ok(Participant::Http(_)) if experiment.measure == Measure::Scores => {
                let message = "scores are measured only for built-in players, not over HTTP";
                return fault(path(), Problem::Missing(message));
            }
            Ok(_) => {}
        }
    }
    for name in [FormName::Quick, FormName::Full] {
        for (at, setting) in
            experiment.form(name).into_iter().flat_map(|form| form.settings.iter().enumerate())
        {
            options(experiment, &format!("{name}.settings.{at}.options"), setting)?;
        }
    }
    for (at, engine) in experiment.engines.iter().enumerate() {
        let known = ENGINES.iter().map(|engine| engine.name);
        if !known.clone().any(|name| name == engine) {
            return fault(format!("engines.{at}"), Problem::unknown("engine", engine, known));
        }
    }
    let mut sheets = Vec::new();
    for (at, game) in experiment.games.iter().enumerate() {
        let path = || format!("games.{at}");
        let sheet =
            GameSheet::find(game, base).map_err(|error| Fault { path: path(), problem: error.into() })?;
        let needs = match (experiment.measure, sheet.seats()) {
            (Measure::Wins | Measure::Rates, 0 | 1) => Some("a match needs at least two"),
            (Measure::Scores, 0 | 2..) => Some("scores are for single-player games"),
            _ => None,
        };
        if let Some(needs) = needs {
            let seats = match sheet.seats() {
                1 => "1 seat".to_owned(),
                seats => format!("{seats} seats"),
            };
            return fault(path(), Problem::Seats { game: game.clone(), seats, needs });
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}
