//! Runs of the lab that the page shows: its own, and those of other processes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_lab::{RunEvent, Watcher};

use super::wire::{RunCell, RunState};
use crate::reply::Refusal;
use crate::secret;

/// Runs that are kept; the oldest that is over goes first.
const MOST: usize = 30;
/// Places in the table of a run.
pub(crate) const MOST_CELLS: usize = 400;
/// Results in words.
pub(crate) const MOST_LAST: usize = 12;
/// Longest text of a run, in letters.
const MAX_TEXT: usize = 200;
/// How long a run of another process may be silent before it counts as gone.
const SILENCE: Duration = Duration::from_secs(60);

/// A run on the page.
pub(crate) struct Run {
    pub(crate) id: String,
    key: String,
    state: Mutex<RunState>,
    heard: Mutex<Option<Instant>>,
}

impl Run {
    /// How far it is.
    pub(crate) fn state(&self) -> RunState {
        let mut state = self.lock().clone();
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.over && heard.is_some_and(|heard| heard.elapsed() > SILENCE) {
            state.over = true;
            state.problem = Some("nothing was heard of it for a minute".to_owned());
        }
        state
    }

    /// Whether another process runs it.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn set(&self, state: RunState) {
        *self.lock() = bounded(state);
    }

    fn lock(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All runs.
#[derive(Default)]
pub(crate) struct Runs {
    all: Mutex<Vec<Arc<Run>>>,
}

impl Runs {
    /// A new run; with a key if another process has it.
    pub(crate) fn open(&self, state: RunState, elsewhere: bool) -> Result<(Arc<Run>, String), Refusal> {
        let word = |letters| secret::word(letters).map_err(|error| Refusal::broken(error.to_string()));
        let key = word(20)?;
        let run = Arc::new(Run {
            id: word(12)?,
            key: key.clone(),
            state: Mutex::new(bounded(state)),
            heard: Mutex::new(elsewhere.then(Instant::now)),
        });
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            let Some(at) = all.iter().position(|run| run.state().over) else {
                return Err(Refusal::busy("too many runs are on this page already"));
            };
            all.remove(at);
        }
        all.push(Arc::clone(&run));
        Ok((run, key))
    }

    /// News of another process.
    pub(crate) fn news(&self, id: &str, key: &str, state: RunState) -> Result<(), Refusal> {
        let run = self.find(id)?;
        if !secret::same(&run.key, key) || !run.is_elsewhere() {
            return Err(Refusal::forbidden("this run is somebody else's"));
        }
        run.set(state);
        *run.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Ok(())
    }

    /// The run with this id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Run>, Refusal> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|run| run.id == id).map(Arc::clone);
        found.ok_or_else(|| Refusal::missing("this run is not here any more"))
    }

    /// All of them, the newest first.
    pub(crate) fn list(&self) -> Vec<Arc<Run>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().map(Arc::clone).collect()
    }
}

fn bounded(mut state: RunState) -> RunState {
    let cut = |text: &mut String| {
        if text.chars().count() > MAX_TEXT {
            *text = text.chars().take(MAX_TEXT).collect();
        }
    };
    state.cells.truncate(MOST_CELLS);
    state.last.truncate(MOST_LAST);
    state.last.iter_mut().chain(&mut state.problem).for_each(cut);
    cut(&mut state.title);
    for cell in &mut state.cells {
        [&mut cell.setting, &mut cell.game, &mut cell.player, &mut cell.opponent].into_iter().for_each(cut);
    }
    state
}

/// Watches a run and keeps its state.
pub(crate) struct RunBoard {
    pub(crate) state: RunState,
    begun: Instant,
    before: u64,
}

impl RunBoard {
    pub(crate) fn new(title: &str) -> Self {
        let state = RunState { title: title.to_owned(), ..RunState::default() };
        Self { state, begun: Instant::now(), before: 0 }
    }

    /// The state with the time so far.
    pub(crate) fn now(&mut self) -> RunState {
        self.state.seconds = self.begun.elapsed().as_secs_f64();
        self.state.clone()
    }

    fn one_more(&mut self, words: String) {
        self.state.done += 1;
        self.state.last.insert(0, words);
        self.state.last.truncate(MOST_LAST);
    }
}

impl Watcher for RunBoard {
    fn event(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Planned { total, before } => {
                (self.state.total, self.state.done, self.before) = (*total, *before, *before);
            }
            RunEvent::Finished { outcome, .. } => {
                let (cell, score) = (&outcome.cell, outcome.score());
                let names = |known: &RunCell| {
                    known.setting == cell.setting
                        && known.game == cell.game
                        && known.player == cell.player
                        && known.opponent == cell.opponent
                };
                let cells = &mut self.state.cells;
                let at = cells.iter().position(names).unwrap_or_else(|| {
                    cells.push(RunCell {
                        setting: cell.setting.clone(),
                        game: cell.game.clone(),
                        player: cell.player.clone(),
                        opponent: cell.opponent.clone(),
                        ..RunCell::default()
                    });
                    cells.len() - 1
                });
                cells[at].matches += 1;
                cells[at].points += score;
                let goals: Vec<String> = outcome.goals.iter().map(u8::to_string).collect();
                let (game, player, opponent) = (&cell.game, &cell.player, &cell.opponent);
                self.one_more(format!("{game}: {player} – {opponent}, goals {}", goals.join(" : ")));
            }
            RunEvent::Failed { id, problem } => {
                self.state.failed += 1;
                self.state.last.insert(0, format!("{id} failed: {problem}"));
                self.state.last.truncate(MOST_LAST);
            }
            RunEvent::Enough { spared, .. } => {
                self.state.total = self.state.total.saturating_sub(*spared);
            }
            RunEvent::Measured(outcome) => {
                self.one_more(format!("{}: {} measured", outcome.game, outcome.engine));
            }
            RunEvent::Scored(outcome) => {
                self.one_more(format!("{}: {} measured", outcome.game, outcome.player));
            }
            RunEvent::Preparing { .. } | RunEvent::Crowded { .. } => {}
        }
    }
}
