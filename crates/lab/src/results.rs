//! What has come out so far: outcomes of matches from the store, measurements from their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ludex_arena::{MatchRecord, Row, Store, StoreError};

use crate::design::{CellPlan, cells, seating};
use crate::experiment::{Experiment, ExperimentError, Form, FormName, Measure};
use crate::folder::{Asked, FolderError, read_design};
use crate::games::is_chance;
use crate::journal::{self, JournalError};
use crate::outcome::{Cell, MatchOutcome, ReasonerOutcome, ScoreOutcome};
use crate::provenance::Provenance;
use crate::run::queue::CellRun;
use crate::run::stopping::Tally;

/// Everything in a folder of results.
#[derive(Clone, Debug)]
pub struct Results {
    /// Name of the experiment.
    pub name: String,
    /// What was asked.
    pub experiment: Experiment,
    /// In which form.
    pub form: FormName,
    /// Matches that count: cell by cell in the order of the design, there by number.
    pub outcomes: Vec<MatchOutcome>,
    /// Engines that were measured; the last time counts.
    pub reasoners: Vec<ReasonerOutcome>,
    /// Players that were measured in games for one.
    pub scores: Vec<ScoreOutcome>,
    /// How many matches or measurements of the form are not there.
    pub missing: u64,
    /// Where they come from, run by run.
    pub runs: Vec<Provenance>,
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// Nothing was run there.
    #[error("{} holds no results of an experiment", .0.display())]
    None(PathBuf),
    /// A file cannot be read.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why not.
        problem: std::io::Error,
    },
    /// The folder is not what it should be.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The copy of the experiment is not what it should be.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// The store is not what it should be.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of measurements is not what it should be.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Reads a folder of results; a run may be at work in it.
pub fn read_results(folder: &Path) -> Result<Results, ResultsError> {
    let design = read_design(folder)?.ok_or_else(|| ResultsError::None(folder.to_owned()))?;
    let path = folder.join("experiment.toml");
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|problem| ResultsError::File { path: path.clone(), problem })?;
    let experiment = Experiment::read(&path.display().to_string(), &text)?;
    let form = experiment.form(design.form);
    let (mut outcomes, mut missing) = (Vec::new(), 0);
    if let Some(form) = form.filter(|_| matches!(experiment.measure, Measure::Wins | Measure::Rates)) {
        let plans = cells(&design.experiment, &experiment, design.form, form);
        let found = matches_in(&folder.join("matches.db"), &plans)?;
        for (plan, of_cell) in plans.iter().zip(found) {
            let mut tally = Tally::default();
            of_cell.values().for_each(|outcome| tally.add(outcome.number, outcome.score()));
            let stopped = tally.stopped(form.stop.as_ref());
            let asked = design.asked.matches.unwrap_or(form.matches);
            let wanted = stopped.unwrap_or(asked).min(asked);
            if design.asked.has(&plan.cell.game) {
                missing += wanted - tally.played(wanted);
            }
            let most = stopped.unwrap_or(u64::MAX);
            outcomes.extend(of_cell.into_values().filter(|outcome| outcome.number < most));
        }
    }
    // Those that were measured again, after a mistake was put right, are there twice.
    let mut reasoners: Vec<ReasonerOutcome> = Vec::new();
    for outcome in journal::read::<ReasonerOutcome>(&folder.join("reasoners.jsonl"))? {
        reasoners.retain(|known| !known.is_same(&outcome));
        reasoners.push(outcome);
    }
    let scores: Vec<ScoreOutcome> = journal::read(&folder.join("scores.jsonl"))?;
    if let Some(form) = form {
        missing += missing_measurements(&experiment, form, &design.asked, &reasoners, &scores);
    }
    let runs = journal::read(&folder.join("runs.jsonl"))?;
    let (name, form) = (design.experiment, design.form);
    Ok(Results { name, experiment, form, outcomes, reasoners, scores, missing, runs })
}

/// By cell: the matches of a store, which may not be there yet.
fn matches_in(path: &Path, plans: &[CellPlan]) -> Result<Vec<BTreeMap<u64, MatchOutcome>>, StoreError> {
    if !path.exists() {
        return Ok(vec![BTreeMap::new(); plans.len()]);
    }
    stored_outcomes(&Store::open(path)?, plans)
}

/// How many of what the form asks for is not there. Those that went wrong are there: the report
/// says why.
fn missing_measurements(
    experiment: &Experiment,
    form: &Form,
    asked: &Asked,
    reasoners: &[ReasonerOutcome],
    scores: &[ScoreOutcome],
) -> u64 {
    let matches = asked.matches.unwrap_or(form.matches);
    let is_asked = |setting: &String, game: &String, number: u64| {
        number < matches
            && asked.has(game)
            && form.settings.iter().any(|known| known.name == *setting)
            && experiment.games_of(form).contains(game)
    };
    let (takers, there) = match experiment.measure {
        Measure::Wins | Measure::Rates => return 0,
        Measure::Reasoners => (
            experiment.engines.len() + experiment.external.len(),
            reasoners.iter().filter(|one| is_asked(&one.setting, &one.game, one.number)).count(),
        ),
        Measure::Scores => (
            experiment.players.len(),
            scores.iter().filter(|one| is_asked(&one.setting, &one.game, one.number)).count(),
        ),
    };
    let games = form
        .settings
        .iter()
        .map(|setting| experiment.games_under(form, setting).filter(|game| asked.has(game)).count());
    let places = (takers * games.sum::<usize>()) as u64;
    (places.saturating_mul(matches)).saturating_sub(there as u64)
}

/// The matches that count, and nothing else.
pub fn read_outcomes(folder: &Path) -> Result<Vec<MatchOutcome>, ResultsError> {
    Ok(read_results(folder)?.outcomes)
}

/// Goes through all matches of a store: the cell and number of each that is one of these.
fn for_each_match(
    store: &Store,
    plans: &[&CellPlan],
    mut visit: impl FnMut(usize, u64, &Row) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    const AT_ONCE: usize = 1000;
    let by_prefix: BTreeMap<&str, usize> =
        plans.iter().enumerate().map(|(at, plan)| (plan.prefix(), at)).collect();
    let mut behind = 0;
    loop {
        let rows = store.list(None, behind, AT_ONCE)?;
        let Some(last) = rows.last() else { return Ok(()) };
        behind = last.number;
        for row in rows.iter().filter(|row| row.completed) {
            let prefix = row.id.rsplit_once('.').map_or("", |(prefix, _)| prefix);
            let Some(&at) = by_prefix.get(prefix) else { continue };
            if let Some(number) = plans[at].number(&row.id) {
                visit(at, number, row)?;
            }
        }
    }
}

/// By cell and number: what came out of each match. Of matches that are there twice the first
/// counts.
fn stored_outcomes(
    store: &Store,
    plans: &[CellPlan],
) -> Result<Vec<BTreeMap<u64, MatchOutcome>>, StoreError> {
    let mut found: Vec<BTreeMap<u64, MatchOutcome>> = vec![BTreeMap::new(); plans.len()];
    let borrowed: Vec<&CellPlan> = plans.iter().collect();
    for_each_match(store, &borrowed, |at, number, row| {
        if !found[at].contains_key(&number)
            && let Some(record) = store.record(row.number)?
        {
            found[at].insert(number, outcome_of(&plans[at].cell, number, &record));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Cell, number and score of every match, without a look into the records.
pub(crate) fn stored_scores(
    store: &Store,
    cells: &[CellRun<'_>],
) -> Result<Vec<(usize, u64, f64)>, StoreError> {
    let plans: Vec<&CellPlan> = cells.iter().map(|cell| &cell.plan).collect();
    let mut found = BTreeMap::new();
    for_each_match(store, &plans, |at, number, row| {
        let CellRun { plan, sheet, .. } = &cells[at];
        let goals = of_players(&sheet.roles, &row.goals);
        let seats = seating(goals.len(), number);
        let outcome = MatchOutcome { goals, ..empty(&plan.cell, number, seats) };
        found.entry((at, number)).or_insert_with(|| outcome.score());
        Ok(())
    })?;
    Ok(found.into_iter().map(|((at, number), score)| (at, number, score)).collect())
}

/// What is there by role, chance left out.
fn of_players<T: Copy>(roles: &[String], values: &[T]) -> Vec<T> {
    roles.iter().zip(values).filter(|(role, _)| !is_chance(role)).map(|(_, &value)| value).collect()
}

fn empty(cell: &Cell, number: u64, seats: Vec<bool>) -> MatchOutcome {
    let cell = cell.clone();
    MatchOutcome { cell, number, seats, goals: Vec::new(), faults: 0, steps: 0, visited: 0, seconds: 0.0 }
}

/// What a record says about a match of a cell.
pub(crate) fn outcome_of(cell: &Cell, number: u64, record: &MatchRecord) -> MatchOutcome {
    let roles = record.role_names();
    let goals = of_players(&roles, &record.goal_values);
    let seats = seating(goals.len(), number);
    // By role, since thoughts are written down that way.
    let mut seated = seats.iter().copied();
    let own: Vec<bool> =
        roles.iter().map(|role| !is_chance(role) && seated.next().unwrap_or(false)).collect();
    let (mut visited, mut seconds) = (0, 0.0);
    for step in record.ludex.iter().flat_map(|details| &details.thinking) {
        for (report, _) in step.iter().zip(&own).filter(|(_, own)| **own) {
            if let Some(report) = report {
                visited += report.steps;
                seconds += report.seconds;
            }
        }
    }
    MatchOutcome {
        goals,
        faults: record.error_count() as u64,
        steps: record.steps() as u64,
        visited,
        seconds,
        ..empty(cell, number, seats)
    }
}
