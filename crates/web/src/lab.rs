//! The laboratory on the page: experiments that can be run, those that run, and the results that are
//! there as tables and plots.
//!
//! Results are folders, as `ludex lab run` makes them. Experiments are started on this machine only:
//! they take all cores for as long as they need.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{self, State};
use axum::routing::{get, post};
use ludex_lab::{
    BUILT_IN, BuiltIn, Companions, ExperimentFile, FormName, Measure, Measured, Provenance, Report, RunEvent,
    RunOptions, Watcher, read_results, search_signature, write_report,
};
use ludex_search::Stop;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::publish::{Run, RunBoard, RunState};
use crate::reply::{self, Answer, Refusal, apart, read};
use crate::routes::{Server, Shared};

/// Folders of results that are listed.
const MOST_FOLDERS: usize = 200;
/// Matches of a cell that a form may ask for.
const MOST_MATCHES: u64 = 100_000;
/// How often the state of a run is kept.
const APART: Duration = Duration::from_millis(200);
/// Most bytes of a report that the page shows.
const MAX_REPORT: usize = 8 << 20;

/// What is needed to run experiments.
pub(crate) struct Lab {
    folder: PathBuf,
    /// The run of this process, if one is going on: its id, and what ends it.
    own: Mutex<Option<(String, Stop)>>,
}

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/lab", get(list))
        .route("/api/lab/runs", post(begin))
        .route("/api/lab/runs/{id}", get(look))
        .route("/api/lab/runs/{id}/stop", post(stop))
        .route("/api/lab/results/{name}", get(results))
}

impl Lab {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder: folder.unwrap_or_else(|| PathBuf::from("lab")), own: Mutex::default() }
    }

    fn own(&self) -> MutexGuard<'_, Option<(String, Stop)>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what runs.
    pub(crate) fn close(&self) {
        if let Some((_, stop)) = &*self.own() {
            stop.set();
        }
    }

    /// A folder of results, by its name.
    fn results(&self, name: &str) -> Result<PathBuf, Refusal> {
        let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(good) {
            return Err(Refusal::missing("there are no such results"));
        }
        let folder = self.folder.join(name);
        match folder.join("design.json").is_file() {
            true => Ok(folder),
            false => Err(Refusal::missing("there are no such results")),
        }
    }
}

/// An experiment that can be run.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    title: String,
    source: Option<String>,
    games: Vec<String>,
    players: Vec<String>,
    matches: u64,
    minutes: Option<f64>,
    full: bool,
}

impl Listed {
    fn of(built_in: &BuiltIn) -> Option<Self> {
        let experiment = built_in.file().ok()?.experiment;
        Some(Self {
            name: built_in.name,
            title: experiment.title,
            source: experiment.source,
            games: experiment.games,
            players: experiment.players.into_iter().map(|player| player.name).collect(),
            matches: experiment.quick.matches,
            minutes: experiment.quick.minutes,
            full: experiment.full.is_some(),
        })
    }
}

/// Results that are there.
#[derive(Debug, Serialize)]
struct Kept {
    name: String,
    experiment: String,
    form: String,
    title: String,
}

impl Kept {
    /// From the two small files of a folder; the matches are not looked at.
    fn of(folder: &Path) -> Option<Self> {
        #[derive(Deserialize)]
        struct Design {
            experiment: String,
            form: String,
        }
        let design = std::fs::read_to_string(folder.join("design.json")).ok()?;
        let Design { experiment, form } = serde_json::from_str(&design).ok()?;
        let text = std::fs::read_to_string(folder.join("experiment.toml")).ok()?;
        let title = text.lines().find_map(|line| line.strip_prefix("title"));
        let title = title.map(|rest| rest.trim_start_matches([' ', '=']).trim_matches('"').to_owned());
        let name = folder.file_name()?.to_str()?.to_owned();
        Some(Self { name, title: title.unwrap_or_else(|| experiment.clone()), experiment, form })
    }
}

#[derive(Debug, Serialize)]
struct ShownRun {
    id: String,
    elsewhere: bool,
    #[serde(flatten)]
    state: RunState,
}

impl ShownRun {
    fn of(run: &Run) -> Self {
        Self { id: run.id.clone(), elsewhere: run.is_elsewhere(), state: run.state() }
    }
}

async fn list(State(shared): Server) -> Answer {
    let found = apart(move || {
        let entries = std::fs::read_dir(&shared.lab.folder).into_iter().flatten().flatten();
        let mut kept: Vec<Kept> =
            entries.take(MOST_FOLDERS).filter_map(|entry| Kept::of(&entry.path())).collect();
        kept.sort_by(|a, b| a.name.cmp(&b.name));
        let experiments: Vec<Listed> = BUILT_IN.iter().filter_map(Listed::of).collect();
        let runs: Vec<ShownRun> = shared.runs.list().iter().map(|run| ShownRun::of(run)).collect();
        Ok(json!({ "experiments": experiments, "results": kept, "runs": runs, "allowed": shared.is_local }))
    });
    reply::json(&found.await?)
}

async fn look(State(shared): Server, extract::Path(id): extract::Path<String>) -> Answer {
    reply::json(&ShownRun::of(&*shared.runs.find(&id)?))
}

async fn stop(State(shared): Server, extract::Path(id): extract::Path<String>) -> Answer {
    match &*shared.lab.own() {
        Some((own, stop)) if *own == id => stop.set(),
        _ => return Err(Refusal::conflict("only a run of this page can be stopped here")),
    }
    reply::json(&json!({}))
}

/// What is to be run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRun {
    /// One of the built-in experiments; else the fields below make a new one.
    #[serde(default)]
    experiment: Option<String>,
    #[serde(default)]
    full: bool,
    #[serde(default)]
    matches: Option<u64>,
    #[serde(default)]
    games: Vec<String>,
    #[serde(default)]
    cores: Option<usize>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    players: Vec<String>,
    #[serde(default)]
    playouts: Option<u64>,
    #[serde(default)]
    play: Option<f64>,
    #[serde(default)]
    seed: Option<u32>,
}

impl NewRun {
    fn form(&self) -> FormName {
        if self.full { FormName::Full } else { FormName::Quick }
    }

    fn file(&self) -> Result<ExperimentFile, Refusal> {
        if self.matches.is_some_and(|matches| !(1..=MOST_MATCHES).contains(&matches)) {
            return Err(Refusal::bad(format!("from 1 to {MOST_MATCHES} matches")));
        }
        let bad = |error: &dyn std::fmt::Display| Refusal::bad(error.to_string());
        let file = match &self.experiment {
            Some(name) => {
                let found = BuiltIn::find(name).ok_or_else(|| Refusal::missing("no such experiment"))?;
                found.file().map_err(|error| bad(&error))?
            }
            None => {
                let text = self.text()?;
                ExperimentFile::from_text(&self.name(), &text, Path::new("")).map_err(|error| bad(&error))?
            }
        };
        file.form(self.form()).map_err(|error| bad(&error))?;
        Ok(file)
    }

    /// The name of an experiment of one's own: the folder of its results.
    fn name(&self) -> String {
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let name: String = self.title.chars().take(40).map(word).collect();
        let name = name.trim_matches('-');
        if name.is_empty() { "page".to_owned() } else { name.to_owned() }
    }

    /// An experiment of one's own as a file. Games are built-in ones: a form opens no files.
    fn text(&self) -> Result<String, Refusal> {
        if let Some(game) = self.games.iter().find(|game| ludex_library::find(game).is_none()) {
            return Err(Refusal::missing(format!("there is no game `{game}`")));
        }
        let title = if self.title.trim().is_empty() { "From the page" } else { self.title.trim() };
        let mut text = format!("title = {}\ngames = {}\nplayers = [\n", quoted(title), json!(self.games));
        for player in &self.players {
            let name = quoted(player.trim());
            let _ = writeln!(text, "  {{ name = {name}, spec = {name} }},");
        }
        let (matches, seed) = (self.matches.unwrap_or(10), self.seed.unwrap_or(1));
        let _ = writeln!(text, "]\n[quick]\nmatches = {matches}\nseed = {seed}");
        let setting = match (self.playouts, self.play) {
            (Some(playouts), _) => format!("name = \"{playouts} playouts\", playouts = {playouts}"),
            (None, play) => {
                let play = play.unwrap_or(1.0);
                format!("name = \"{play} s\", start = {play:?}, play = {play:?}")
            }
        };
        let _ = writeln!(text, "settings = [{{ {setting} }}]");
        Ok(text)
    }
}

/// A text as TOML has it: JSON's escapes are among those of TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

async fn begin(State(shared): Server, body: Bytes) -> Answer {
    if !shared.is_local {
        return Err(Refusal::forbidden("experiments are started only where the page is not shared"));
    }
    let wanted: NewRun = read(&body)?;
    let id = apart(move || start(&shared, &wanted)).await?;
    reply::json(&json!({ "id": id }))
}

/// Starts a run on a thread of its own.
fn start(shared: &Arc<Shared>, wanted: &NewRun) -> Result<String, Refusal> {
    let file = wanted.file()?;
    let form = wanted.form();
    let mut own = shared.lab.own();
    if own.is_some() {
        return Err(Refusal::busy("another experiment is running; two at once would disturb each other"));
    }
    let folder = shared.lab.folder.join(format!("{}-{form}", file.name));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let custom = wanted.experiment.is_none();
    let options = RunOptions {
        folder,
        cores: wanted.cores.unwrap_or(cores).clamp(1, cores),
        matches: wanted.matches,
        games: if custom { Vec::new() } else { wanted.games.clone() },
        fresh: false,
        provenance: None,
        stop: Stop::new(),
    };
    let mut words = format!("ludex lab run {}", file.name);
    if wanted.full {
        words.push_str(" --full");
    }
    if let Some(matches) = wanted.matches {
        let _ = write!(words, " --matches {matches}");
    }
    let title = file.experiment.title.clone();
    let (run, _) = shared.runs.open(RunState { title: title.clone(), ..RunState::default() }, false)?;
    let id = run.id.clone();
    *own = Some((id.clone(), options.stop.clone()));
    drop(own);
    let of_thread = Arc::clone(shared);
    let work = move || {
        let state = played(&run, &file, form, options, &title, words);
        run.set(state);
        *of_thread.lab.own() = None;
    };
    let spawned = std::thread::Builder::new().name("lab".to_owned()).spawn(work);
    if let Err(error) = spawned {
        *shared.lab.own() = None;
        return Err(Refusal::busy(format!("no thread for the experiment: {error}")));
    }
    Ok(id)
}

/// Runs an experiment; how it ended.
fn played(
    run: &Run,
    file: &ExperimentFile,
    form: FormName,
    options: RunOptions,
    title: &str,
    words: String,
) -> RunState {
    let signature =
        file.form(form).ok().and_then(|form| search_signature(&file.experiment, form).ok()).flatten();
    let provenance = Some(Provenance::now(words).with_signature(signature));
    let options = RunOptions { provenance, ..options };
    let mut board = RunBoard::new(title);
    let mut last: Option<Instant> = None;
    let mut watcher = |event: &RunEvent<'_>| {
        board.event(event);
        if last.is_none_or(|last| last.elapsed() >= APART) {
            last = Some(Instant::now());
            run.set(board.now());
        }
    };
    let result = ludex_lab::run(file, form, &options, &mut watcher);
    let mut state = board.now();
    state.over = true;
    state.problem = match result {
        Ok(summary) if summary.interrupted => Some("stopped; the same form resumes it".to_owned()),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    state
}

/// Tables and plots of results.
async fn results(State(shared): Server, extract::Path(name): extract::Path<String>) -> Answer {
    let folder = shared.lab.results(&name)?;
    let Ok(_permit) = shared.hints.try_acquire() else {
        return Err(Refusal::busy("the machine is busy for others; ask again in a moment"));
    };
    reply::json(&apart(move || report(&folder)).await?)
}

/// The report of a folder: Markdown, and its plots by name.
fn report(folder: &Path) -> Result<serde_json::Value, Refusal> {
    let broken = |error: &dyn std::fmt::Display| Refusal::conflict(error.to_string());
    let results = read_results(folder).map_err(|error| broken(&error))?;
    let kept = Companions::kept(folder).map_err(|error| broken(&error))?;
    let provenance = Provenance::joined(&results.runs);
    let report = Report {
        experiment: &results.experiment,
        form: results.form,
        measured: match results.experiment.measure {
            Measure::Wins | Measure::Rates => Measured::Matches(&results.outcomes),
            Measure::Reasoners => Measured::Reasoners(&results.reasoners),
            Measure::Scores => Measured::Scores(&results.scores),
        },
        missing: results.missing,
        published: &kept.published,
        reading: kept.reading.as_deref(),
        provenance: &provenance,
    };
    let out = tempfile::tempdir().map_err(|error| broken(&error))?;
    let mut plots = BTreeMap::new();
    let mut bytes = 0;
    for path in write_report(out.path(), &report).map_err(|error| broken(&error))? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.ends_with(".svg") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| broken(&error))?;
        bytes += text.len();
        if bytes <= MAX_REPORT {
            plots.insert(name, text);
        }
    }
    let markdown = report.markdown().map_err(|error| broken(&error))?;
    Ok(
        json!({ "title": results.experiment.title, "markdown": markdown, "plots": plots, "missing": results.missing }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_results_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let lab = Lab::new(Some(folder.path().join("lab")));
        std::fs::create_dir_all(folder.path().join("lab/good-quick")).unwrap();
        std::fs::write(folder.path().join("design.json"), "{}").unwrap();
        std::fs::write(folder.path().join("lab/good-quick/design.json"), "{}").unwrap();
        assert!(lab.results("good-quick").is_ok());
        for name in ["..", ".", "", "../lab/good-quick", "good-quick/..", "a\\b", "nothing"] {
            assert!(lab.results(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_form_is_an_experiment() {
        let wanted: NewRun = serde_json::from_value(json!({
            "title": "Two \"players\"", "games": ["tic_tac_toe"], "players": ["mc:each=4", "random"], "playouts": 20,
        }))
        .unwrap();
        let file = wanted.file().unwrap();
        assert_eq!((file.name.as_str(), file.experiment.players.len()), ("two--players", 2));
        let wrong = |change: serde_json::Value| {
            let wanted: NewRun = serde_json::from_value(change).unwrap();
            wanted.file().unwrap_err().message
        };
        assert!(wrong(json!({ "games": ["/etc/passwd"], "players": ["mc", "random"] })).contains("no game"));
        assert!(wrong(json!({ "games": ["tic_tac_toe"], "players": ["nobody", "mc"] })).contains("nobody"));
        assert!(wrong(json!({ "experiment": "nothing" })).contains("no such"));
        assert!(wrong(json!({ "experiment": "equal", "matches": 0 })).contains("matches"));
    }
}
