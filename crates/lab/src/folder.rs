//! The folder that results are kept in: what was asked, what came out, and who is at work in it.
//!
//! | file | what it is |
//! |---|---|
//! | `experiment.toml` | a copy of the file |
//! | `design.json` | what names in it meant when results were made |
//! | `matches.db` | the store of matches |
//! | `reasoners.jsonl`, `scores.jsonl` | measurements |
//! | `runs.jsonl` | when, with what and on which machine they were made |
//! | `published.csv`, `reading.md` | copies of the companion files |
//! | `lock` | held by whoever adds results |

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::companions::COPIES;
use crate::experiment::{ExperimentFile, FormName, Measure, Setting};
use crate::run::share::spec_text;
use crate::stable_hash::stable_hash;

/// Why a folder cannot take results.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The system says no.
    #[error("{}: {problem}", path.display())]
    File {
        /// What was touched.
        path: PathBuf,
        /// Why not.
        problem: std::io::Error,
    },
    /// The folder is there and holds something else.
    #[error("{} holds no results of an experiment, and is not empty", .0.display())]
    Foreign(PathBuf),
    /// Somebody else is at work.
    #[error("another run is at work in {}", .0.display())]
    Busy(PathBuf),
    /// Results of two different designs would be mixed.
    #[error(
        "{} has results of another design: {}. Keep them and use another --out, or throw them away with --fresh",
        folder.display(), changes.join("; ")
    )]
    Changed {
        /// Which folder.
        folder: PathBuf,
        /// What is different.
        changes: Vec<String>,
    },
    /// What should say what results mean cannot be read.
    #[error("{}: {problem}", path.display())]
    Design {
        /// Which file.
        path: PathBuf,
        /// Why not.
        problem: serde_json::Error,
    },
}

/// What names meant when results were made. Matches are known by names, so as long as each name
/// means the same, results belong together: more matches, games, players and settings can be added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Design {
    /// Name of the experiment: seeds depend on it.
    pub(crate) experiment: String,
    pub(crate) form: FormName,
    measure: Measure,
    seed: u64,
    /// Name and spec, with the share.
    players: BTreeMap<String, String>,
    /// Name and clocks or playouts.
    settings: BTreeMap<String, String>,
    /// Name and hash of the sheet.
    games: BTreeMap<String, String>,
    /// Name and command.
    external: BTreeMap<String, String>,
    /// What the last run was asked for.
    #[serde(default)]
    pub(crate) asked: Asked,
}

/// What a run was asked for, where that is not what the form says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// Matches of a cell, instead of those of the form.
    pub(crate) matches: Option<u64>,
    /// Only these games; all if there are none.
    pub(crate) games: Vec<String>,
}

impl Asked {
    /// Whether a game was asked for.
    pub(crate) fn has(&self, game: &str) -> bool {
        self.games.is_empty() || self.games.iter().any(|asked| asked == game)
    }
}

impl Design {
    fn new(file: &ExperimentFile, form_name: FormName, asked: Asked) -> Self {
        let experiment = &file.experiment;
        let form = experiment.form(form_name).unwrap_or(&experiment.quick);
        let players = experiment.players.iter();
        let sheets = file.sheets.iter();
        let external = experiment.external.iter();
        Self {
            experiment: file.name.clone(),
            form: form_name,
            measure: experiment.measure,
            seed: form.seed,
            players: players.map(|player| (player.name.clone(), spec_text(player))).collect(),
            settings: form.settings.iter().map(|s| (s.name.clone(), clocks(s))).collect(),
            games: sheets.map(|g| (g.name.clone(), format!("{:016x}", stable_hash([&g.text])))).collect(),
            external: external.map(|engine| (engine.name.clone(), engine.command.join(" "))).collect(),
            asked,
        }
    }

    /// What means something else now.
    fn changes(&self, now: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let mut whole = |what: &str, old: String, new: String| {
            if old != new {
                changes.push(format!("the {what} was {old}, is {new}"));
            }
        };
        whole("experiment", self.experiment.clone(), now.experiment.clone());
        whole("form", self.form.to_string(), now.form.to_string());
        let measure = |design: &Self| format!("{:?}", design.measure).to_lowercase();
        whole("measure", measure(self), measure(now));
        whole("seed", self.seed.to_string(), now.seed.to_string());
        let named = [
            ("player", &self.players, &now.players),
            ("setting", &self.settings, &now.settings),
            ("external engine", &self.external, &now.external),
        ];
        for (what, old, new) in named {
            for (name, old) in old {
                if let Some(new) = new.get(name).filter(|&new| new != old) {
                    changes.push(format!("the {what} `{name}` was {old}, is {new}"));
                }
            }
        }
        for (name, old) in &self.games {
            if now.games.get(name).is_some_and(|new| new != old) {
                changes.push(format!("the rules of the game `{name}` have changed"));
            }
        }
        changes
    }

    /// All names of both: what was once said is never forgotten.
    fn joined(mut self, now: &Self) -> Self {
        self.asked.clone_from(&now.asked);
        let maps = [
            (&mut self.players, &now.players),
            (&mut self.settings, &now.settings),
            (&mut self.games, &now.games),
            (&mut self.external, &now.external),
        ];
        for (old, new) in maps {
            old.extend(new.clone());
        }
        self
    }
}

/// All that a setting gives to players.
fn clocks(setting: &Setting) -> String {
    let amount = match (setting.play, setting.playouts) {
        (_, Some(playouts)) => format!("{playouts} playouts"),
        (play, None) => {
            let play = play.unwrap_or_default();
            format!("{} s to start, {play} s a move", setting.start.unwrap_or(play))
        }
    };
    let threads = if setting.threads > 1 { format!(", {} threads", setting.threads) } else { String::new() };
    let options = setting.options.trim();
    let options = if options.is_empty() { String::new() } else { format!(", {options}") };
    format!("{amount}{threads}{options}")
}

/// A folder that is ours as long as this lives.
#[derive(Debug)]
pub(crate) struct ResultFolder {
    path: PathBuf,
    _lock: File,
}

/// Every file of results; `--fresh` removes these and nothing else.
const FILES: [&str; 10] = [
    "design.json",
    "experiment.toml",
    "matches.db",
    "matches.db-wal",
    "matches.db-shm",
    "reasoners.jsonl",
    "scores.jsonl",
    "runs.jsonl",
    "published.csv",
    "reading.md",
];

impl ResultFolder {
    /// Takes a folder for the results of an experiment; makes it if there is none.
    pub(crate) fn open(
        path: &Path,
        file: &ExperimentFile,
        form: FormName,
        asked: Asked,
        fresh: bool,
    ) -> Result<Self, FolderError> {
        let failed = |at: &Path, problem| FolderError::File { path: at.to_owned(), problem };
        let is_new = !path.exists();
        std::fs::create_dir_all(path).map_err(|problem| failed(path, problem))?;
        let lock_path = path.join("lock");
        let entries = std::fs::read_dir(path).map_err(|problem| failed(path, problem))?;
        if !is_new && !path.join("design.json").exists() && !lock_path.exists() && entries.count() > 0 {
            return Err(FolderError::Foreign(path.to_owned()));
        }
        let lock = File::create(&lock_path).map_err(|problem| failed(&lock_path, problem))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Busy(path.to_owned())),
            Err(TryLockError::Error(problem)) => return Err(failed(&lock_path, problem)),
        }
        if fresh {
            for name in FILES {
                let file = path.join(name);
                match std::fs::remove_file(&file) {
                    Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
                        return Err(failed(&file, problem));
                    }
                    _ => {}
                }
            }
        }
        let now = Design::new(file, form, asked);
        let design = match read_design(path)? {
            Some(old) => {
                let changes = old.changes(&now);
                if !changes.is_empty() {
                    return Err(FolderError::Changed { folder: path.to_owned(), changes });
                }
                old.joined(&now)
            }
            None => now,
        };
        let folder = Self { path: path.to_owned(), _lock: lock };
        folder.write("experiment.toml", &file.text)?;
        for ((_, name), text) in COPIES.iter().zip([&file.published, &file.reading]) {
            if let Some(text) = text {
                folder.write(name, text)?;
            }
        }
        folder.write("design.json", &serde_json::to_string_pretty(&design).unwrap_or_default())?;
        Ok(folder)
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file as a whole or not at all.
    fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let path = self.file(name);
        let write = || -> std::io::Result<()> {
            // As any new file: whoever may read those may read this one.
            let mut file = tempfile::Builder::new().make_in(&self.path, |path| File::create_new(path))?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|problem| FolderError::File { path: path.clone(), problem })
    }
}

/// What names mean in a folder; none if it holds no results.
pub(crate) fn read_design(folder: &Path) -> Result<Option<Design>, FolderError> {
    let path = folder.join("design.json");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(problem) => return Err(FolderError::File { path, problem }),
    };
    serde_json::from_str(&text).map(Some).map_err(|problem| FolderError::Design { path, problem })
}
