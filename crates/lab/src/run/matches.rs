//! Plays the matches of a design that are not there yet.
//!
//! One thread gives out matches as long as there are cores, and keeps what comes back: a match is
//! in the store before anybody hears of it. Whatever is not in the store was never played.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

use ludex_arena::{Check, End, MatchRecord, MatchSetup, Participant, Rulebook, Store, run_match};

use super::cores::{cores, is_simultaneous};
use super::queue::{CellRun, Queue};
use super::share::participant;
use super::{Order, RunError, RunEvent, Spectators, Summary, Watcher};
use crate::design::{PlannedMatch, cells};
use crate::experiment::Measure;
use crate::games::GameSheet;
use crate::results::{outcome_of, stored_scores};
use crate::rulebook::rulebook;

/// Bytes that a player may hold on to.
const MEMORY: usize = 512 << 20;

/// A game that is ready.
struct Ready {
    rulebook: Rulebook,
    simultaneous: bool,
}

/// Everything that does not change while matches are played.
struct Hall<'a> {
    order: &'a Order<'a>,
    games: BTreeMap<&'a str, Ready>,
    /// By name of the setting and of the player.
    players: BTreeMap<(&'a str, &'a str), Participant>,
}

/// A match to play.
struct Job {
    cell: usize,
    number: u64,
    planned: PlannedMatch,
    cores: usize,
}

/// A match that is over.
struct Done {
    job: Job,
    record: Result<MatchRecord, String>,
}

/// Runs the matches.
pub(super) fn run(order: &Order<'_>, watcher: &mut dyn Watcher) -> Result<Summary, RunError> {
    let mut store = Store::open(&order.folder.file("matches.db"))?;
    let mut cells = planned_cells(order);
    for (cell, number, score) in stored_scores(&store, &cells)? {
        cells[cell].tally.add(number, score);
    }
    let stopping = order.form.stop.as_ref();
    let left: u64 = cells.iter_mut().map(|cell| cell.left(order.count, stopping)).sum();
    let before: u64 = cells.iter().map(|cell| cell.tally.played(order.count)).sum();
    watcher.event(&RunEvent::Planned { total: before + left, before });
    let hall = Hall::new(order, &mut cells, watcher)?;
    let mut summary = Summary { before, ..Summary::default() };
    let mut queue = Queue::new(&order.games, &cells, order.count);
    let (sender, messages) = channel();
    let result = std::thread::scope(|scope| {
        let mut desk = Desk {
            hall: &hall,
            cells: &mut cells,
            queue: &mut queue,
            free: isize::try_from(order.cores).unwrap_or(isize::MAX),
            running: 0,
            timed: 0,
            waiting: None,
        };
        let result = desk.work(scope, &sender, &messages, &mut store, &mut summary, watcher);
        if result.is_err() {
            // Nothing can be kept any more: those who still play need not go on.
            order.stop.set();
        }
        result
    });
    result?;
    summary.interrupted = order.stop.is_set();
    Ok(summary)
}

fn planned_cells<'a>(order: &'a Order<'a>) -> Vec<CellRun<'a>> {
    let plans = cells(&order.file.name, &order.file.experiment, order.form_name, order.form);
    let mut cells = Vec::new();
    for plan in plans.into_iter().filter(|plan| order.games.contains(&plan.cell.game.as_str())) {
        let setting = order.form.settings.iter().find(|setting| setting.name == plan.cell.setting);
        let sheet = order.file.sheet(&plan.cell.game);
        // Cells are made of names that are there.
        if let (Some(setting), Some(sheet)) = (setting, sheet) {
            cells.push(CellRun { plan, setting, sheet, tally: Default::default() });
        }
    }
    cells
}

impl<'a> Hall<'a> {
    /// Sets up the games of which something is to be played, before the first match: afterwards it
    /// would take time from players, and what cannot be set up should be known now.
    fn new(
        order: &'a Order<'a>,
        cells: &mut [CellRun<'a>],
        watcher: &mut dyn Watcher,
    ) -> Result<Self, RunError> {
        let mut games = BTreeMap::new();
        for cell in cells {
            let sheet: &'a GameSheet = cell.sheet;
            if order.stop.is_set()
                || games.contains_key(sheet.name.as_str())
                || cell.left(order.count, order.form.stop.as_ref()) == 0
            {
                continue;
            }
            watcher.event(&RunEvent::Preparing { game: &sheet.name });
            let rulebook = rulebook(sheet).map_err(|problem| RunError::game(&sheet.name, problem))?;
            let simultaneous = is_simultaneous(sheet, &**rulebook.game())
                .map_err(|failure| RunError::failure(&sheet.name, failure))?;
            let settings = order.form.settings.iter();
            let wanted =
                settings.map(|setting| cores(setting, sheet.seats(), simultaneous)).max().unwrap_or(1);
            if wanted > order.cores {
                watcher.event(&RunEvent::Crowded { game: &sheet.name, wanted });
            }
            games.insert(sheet.name.as_str(), Ready { rulebook, simultaneous });
        }
        let mut players = BTreeMap::new();
        for setting in &order.form.settings {
            for player in &order.file.experiment.players {
                let key = (setting.name.as_str(), player.name.as_str());
                players.insert(key, participant(player, setting)?);
            }
        }
        Ok(Self { order, games, players })
    }

    fn setup(&self, cell: &CellRun<'_>, job: &Job) -> MatchSetup {
        let planned = &job.planned;
        let seated = |&first: &bool| {
            let name = if first { &cell.plan.cell.player } else { &cell.plan.cell.opponent };
            self.players.get(&(cell.setting.name.as_str(), name.as_str())).cloned()
        };
        let play = cell.setting.play.map_or(Duration::ZERO, Duration::from_secs_f64);
        MatchSetup {
            start_clock: cell.setting.start.map_or(play, Duration::from_secs_f64),
            play_clock: play,
            playouts: cell.setting.playouts,
            seed: planned.seed,
            // Then as many think at once as there are cores for, and no more.
            start_in_turn: job.cores < planned.seats.len() * cell.setting.threads.max(1),
            threads: cell.setting.threads.max(1),
            memory: MEMORY,
            check: Check::Ends,
            id: Some(planned.id.clone()),
            tournament: Some(format!("{} {}", self.order.file.name, self.order.form_name)),
            abort: self.order.stop.clone(),
            ..MatchSetup::new(planned.seats.iter().filter_map(seated).collect())
        }
    }
}

/// Gives out matches and takes results.
struct Desk<'a, 'b> {
    hall: &'b Hall<'a>,
    cells: &'b mut Vec<CellRun<'a>>,
    queue: &'b mut Queue,
    /// Cores that nobody uses; below zero while there are more matches than cores.
    free: isize,
    /// Matches that are being played, and how many of them have clocks.
    running: usize,
    timed: usize,
    /// The next match, if it has to wait for cores.
    waiting: Option<Job>,
}

impl Desk<'_, '_> {
    /// Until everything is played, or somebody wants an end.
    fn work<'scope, 'env>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        sender: &Sender<Done>,
        messages: &Receiver<Done>,
        store: &mut Store,
        summary: &mut Summary,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError>
    where
        Self: 'env,
    {
        loop {
            self.start_all(scope, sender)?;
            if self.running == 0 {
                return Ok(());
            }
            // There is a sender here, so the channel stays open.
            let Ok(first) = messages.recv() else { return Ok(()) };
            let all: Vec<Done> = std::iter::once(first).chain(messages.try_iter()).collect();
            all.iter().for_each(|done| self.release(&done.job));
            // Before results are kept: that waits for the disk, and cores need not. If it fails,
            // they are kept all the same.
            let started = self.start_all(scope, sender);
            let records = all.iter().filter_map(|done| done.record.as_ref().ok());
            let records: Vec<&MatchRecord> = records.filter(|record| record.is_completed).collect();
            store.append_all(&records)?;
            for done in all {
                self.take(done, summary, watcher);
            }
            started?;
        }
    }

    /// Starts as many matches as there are cores for.
    fn start_all<'scope, 'env>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        sender: &Sender<Done>,
    ) -> Result<(), RunError>
    where
        Self: 'env,
    {
        while let Some(job) = self.next() {
            let is_timed = self.is_timed(&job);
            // Without clocks some more do no harm: they go on while others end, and wait to be
            // kept.
            let more = if is_timed || self.timed > 0 { 0 } else { MORE };
            if taken(&job) > self.free + more {
                self.waiting = Some(job);
                break;
            }
            self.free -= taken(&job);
            self.running += 1;
            self.timed += usize::from(is_timed);
            self.start(scope, sender, job)?;
        }
        Ok(())
    }

    /// A match is over: its cores are free again.
    fn release(&mut self, job: &Job) {
        self.free += taken(job);
        self.running -= 1;
        self.timed -= usize::from(self.is_timed(job));
    }

    /// Whether it matters how long its players take.
    fn is_timed(&self, job: &Job) -> bool {
        self.cells[job.cell].setting.play.is_some()
            || self.hall.order.file.experiment.measure != Measure::Wins
    }

    /// The next match to play.
    fn next(&mut self) -> Option<Job> {
        let order = self.hall.order;
        if order.stop.is_set() {
            return None;
        }
        if let Some(job) = self.waiting.take()
            && job.number < self.cells[job.cell].wanted(order.count, order.form.stop.as_ref())
        {
            return Some(job);
        }
        let (cell, number) = self.queue.next(self.cells, order.form.stop.as_ref())?;
        let run = &self.cells[cell];
        let seats = run.sheet.seats();
        let simultaneous = self.hall.games.get(run.sheet.name.as_str()).is_some_and(|game| game.simultaneous);
        let cores = cores(run.setting, seats, simultaneous).min(order.cores);
        Some(Job { cell, number, planned: run.plan.planned(number, seats), cores })
    }

    /// Plays a match on a thread of its own.
    fn start<'scope, 'env>(
        &self,
        scope: &'scope Scope<'scope, 'env>,
        sender: &Sender<Done>,
        job: Job,
    ) -> Result<(), RunError>
    where
        Self: 'env,
    {
        let cell = &self.cells[job.cell];
        let setup = self.hall.setup(cell, &job);
        let rulebook = self.hall.games.get(cell.sheet.name.as_str()).map(|game| game.rulebook.clone());
        let sender = sender.clone();
        let spectators = self.hall.order.spectators;
        let thread = std::thread::Builder::new().name("match".to_owned());
        thread.spawn_scoped(scope, move || {
            let record = match &rulebook {
                Some(rulebook) => played(rulebook, &setup, spectators),
                None => Err("the game was not set up".to_owned()),
            };
            // If nobody listens any more, nobody needs it.
            let _ = sender.send(Done { job, record });
        })?;
        Ok(())
    }

    /// Counts a result, which has been kept.
    fn take(&mut self, done: Done, summary: &mut Summary, watcher: &mut dyn Watcher) {
        let Done { job: Job { cell, number, planned, .. }, record } = done;
        let id = planned.id;
        let order = self.hall.order;
        let problem = match record {
            Ok(record) if record.is_completed => {
                let stopping = order.form.stop.as_ref();
                let run = &mut self.cells[cell];
                let outcome = outcome_of(&run.plan.cell, number, &record);
                let before = run.wanted(order.count, stopping);
                run.tally.add(number, outcome.score());
                summary.finished += 1;
                watcher.event(&RunEvent::Finished { id: &id, outcome: &outcome });
                let after = run.wanted(order.count, stopping);
                if after < before {
                    let spared = before - run.tally.played(before);
                    watcher.event(&RunEvent::Enough { cell: &run.plan.cell, after, spared });
                }
                return;
            }
            // Somebody wanted an end; it is played again from the start.
            Ok(_) if order.stop.is_set() => return,
            Ok(record) => match record.ludex.map(|details| details.end) {
                Some(End::Fault(reason)) => reason,
                Some(End::StepLimit) => {
                    format!("there was no end after {} steps", MatchSetup::DEFAULT_MAX_STEPS)
                }
                _ => "it did not come to an end".to_owned(),
            },
            Err(problem) => problem,
        };
        watcher.event(&RunEvent::Failed { id: &id, problem: &problem });
        summary.failed.push((id, problem));
    }
}

/// How many matches without clocks there may be beyond the number of cores.
const MORE: isize = 4;

/// The cores that a match takes.
fn taken(job: &Job) -> isize {
    isize::try_from(job.cores).unwrap_or(isize::MAX)
}

/// Plays a match; whatever happens in it is no reason for the others to end.
fn played(
    rulebook: &Rulebook,
    setup: &MatchSetup,
    spectators: Option<&dyn Spectators>,
) -> Result<MatchRecord, String> {
    let play = || match spectators {
        Some(spectators) => run_match(rulebook, setup, &mut *spectators.observer()),
        None => run_match(rulebook, setup, &mut ()),
    };
    match catch_unwind(AssertUnwindSafe(play)) {
        Ok(Ok(record)) => Ok(record),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the referee panicked".to_owned()),
    }
}
