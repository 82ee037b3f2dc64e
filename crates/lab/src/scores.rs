//! Games for one: how good is what a player finds?
//!
//! After the two comparisons of J. Méhat and T. Cazenave, Combining UCT and nested Monte-Carlo search
//! for single-player general game playing, 2010.
//!
//! | a setting says `scores` | a run is | after |
//! |---|---|---|
//! | `every-move` | a match, with all of the time for every move, and the start clock before the first | section 6.1, table 2 |
//! | `seen` | a search of the first position; the best score seen is written down after 0.1, 0.2, 0.4 … seconds | section 6.2, figures 4 to 9 |
//! | `first-move` | for each of these amounts a match: all of it goes into the first move, the rest is played from what the player remembers and a few more playouts for each move | our own |
//!
//! The best score seen is what a report proves: players that remember their best playout prove its
//! score. Most searches run playouts by the hundreds at once and only hear of sums, so they have seen
//! nothing. What every player can do is play: the score of a match is the goal at its end.
//!
//! With playouts instead of clocks the amounts are 64, 128, 256 … playouts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ludex_arena::MakeSearch;
use ludex_game::{Failure, Game, RoleId};
use ludex_search::{Budget, Search, SearchContext, Stop};

use crate::experiment::{PlayerEntry, ScoreKind, Setting};
use crate::games::is_chance;
use crate::journal::Journal;
use crate::outcome::ScoreOutcome;
use crate::rulebook::rulebook;
use crate::run::share::participant;
use crate::run::{Order, RunError, RunEvent, Summary, Watcher};
use crate::stable_hash::stable_hash;

/// How much a search may think about its first move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    Seconds(f64),
    Playouts(u64),
}

/// Playouts for each later move, which take about a millisecond: without any, a player that
/// remembers nothing would make no move of its own.
const LATER: u64 = 1000;
/// But no more than one part in this many of the amount, where playouts take long.
const PART: u32 = 10;
/// Games without an end are given up.
const MAX_STEPS: usize = 10_000;
/// Bytes that a player may hold on to.
const MEMORY: usize = 512 << 20;

impl Amount {
    /// All amounts of a setting: twice as much each time, up to what it says; at least one.
    fn all(setting: &Setting) -> Vec<Self> {
        let doubled = (0..40).map(|power| 1u64 << power);
        let mut amounts: Vec<Self> = match (setting.play, setting.playouts) {
            (Some(play), _) => doubled
                .map(|times| 0.1 * times as f64)
                .take_while(|&seconds| seconds <= play * 1.000_001)
                .map(Amount::Seconds)
                .collect(),
            (None, most) => {
                let most = most.unwrap_or_default();
                doubled
                    .map(|times| 64 * times)
                    .take_while(|&count| count <= most)
                    .map(Amount::Playouts)
                    .collect()
            }
        };
        if amounts.is_empty() {
            amounts.push(match (setting.play, setting.playouts) {
                (Some(play), _) => Amount::Seconds(play),
                (None, playouts) => Amount::Playouts(playouts.unwrap_or(1)),
            });
        }
        amounts
    }

    /// What every move has, if all have the same.
    fn of_every_move(setting: &Setting) -> Self {
        match setting.play {
            Some(play) => Amount::Seconds(play),
            None => Amount::Playouts(setting.playouts.unwrap_or(1)),
        }
    }

    /// All of it, from now on.
    fn whole(self, stop: &Stop) -> Budget {
        let budget = match self {
            Amount::Seconds(seconds) => Budget::until(Instant::now() + Duration::from_secs_f64(seconds)),
            Amount::Playouts(playouts) => Budget::playouts(playouts),
        };
        Budget { memory: MEMORY, stop: stop.clone(), ..budget }
    }

    fn number(self) -> f64 {
        match self {
            Amount::Seconds(seconds) => seconds,
            Amount::Playouts(playouts) => playouts as f64,
        }
    }

    /// For the first move, or for a later one.
    fn budget(self, is_first: bool, stop: &Stop) -> Budget {
        let part = if is_first { 1 } else { PART };
        let mut budget = match self {
            Amount::Seconds(seconds) => {
                Budget::until(Instant::now() + Duration::from_secs_f64(seconds / f64::from(part)))
            }
            Amount::Playouts(playouts) => Budget::playouts((playouts / u64::from(part)).max(1)),
        };
        if !is_first {
            budget.playouts = Some(budget.playouts.map_or(LATER, |playouts| playouts.min(LATER)));
        }
        Budget { memory: MEMORY, stop: stop.clone(), ..budget }
    }
}

/// A player in a game for one.
struct Seat<'a> {
    game: &'a Arc<dyn Game>,
    role: usize,
    search: Box<dyn Search>,
    random: fastrand::Rng,
}

impl<'a> Seat<'a> {
    fn new(game: &'a Arc<dyn Game>, make: &MakeSearch, seed: u64, threads: usize) -> Self {
        let role = game.roles().iter().position(|role| !is_chance(role)).unwrap_or(0);
        let mut random = fastrand::Rng::with_seed(seed);
        let context =
            SearchContext { game: Arc::clone(game), role: RoleId::new(role), seed: random.u64(..), threads };
        Self { game, role, search: make(context), random }
    }

    /// Plays a match: the goal at its end. Before each move with a choice `think` is called, and
    /// whether that is the first one.
    fn play(
        &mut self,
        stop: &Stop,
        mut think: impl FnMut(&mut dyn Search, bool) -> Result<(), Failure>,
    ) -> Result<u8, Failure> {
        let role = self.role;
        let mut state = self.game.initial();
        let mut is_first = true;
        for _ in 0..MAX_STEPS {
            let view = self.game.view(&state)?;
            if view.terminal {
                let goal = self.game.goals(&state)?.get(role).and_then(|goal| goal.value());
                return Ok(goal.unwrap_or(0));
            }
            if view.legal.iter().any(Vec::is_empty) || stop.is_set() {
                return Ok(0);
            }
            let random = &mut self.random;
            let mut joint: Vec<_> =
                view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            if view.legal[role].len() > 1 {
                self.search.set_root(&state)?;
                think(&mut *self.search, is_first)?;
                is_first = false;
                if let Some(best) = self.search.report().best.filter(|best| view.legal[role].contains(best)) {
                    joint[role] = best;
                }
            }
            state = self.game.next(&state, &joint)?;
        }
        Ok(0)
    }

    /// Searches the first position: the best score seen after each amount.
    fn see(&mut self, amounts: &[Amount], stop: &Stop) -> Result<Vec<(f64, u8)>, Failure> {
        self.search.set_root(&self.game.initial())?;
        let begun = Instant::now();
        let mut before = 0;
        let mut seen = Vec::new();
        for &amount in amounts {
            let budget = match amount {
                Amount::Seconds(seconds) => Budget::until(begun + Duration::from_secs_f64(seconds)),
                Amount::Playouts(playouts) => Budget::playouts(playouts - before),
            };
            if let Amount::Playouts(playouts) = amount {
                before = playouts;
            }
            self.search.think(&Budget { memory: MEMORY, stop: stop.clone(), ..budget })?;
            seen.push((amount.number(), self.search.report().proof.map_or(0, |proof| proof.low)));
        }
        Ok(seen)
    }
}

/// A run that is not there yet.
struct Job<'a> {
    setting: &'a Setting,
    game: &'a str,
    player: &'a PlayerEntry,
    number: u64,
}

impl Job<'_> {
    fn is(&self, outcome: &ScoreOutcome) -> bool {
        let names = [&outcome.setting, &outcome.game, &outcome.player];
        names == [&self.setting.name, self.game, &self.player.name].map(|name| name)
            && outcome.number == self.number
    }

    /// Nothing but names and numbers decide the seed.
    fn seed(&self, order: &Order<'_>) -> u64 {
        let (form, seed, number) =
            (order.form_name.to_string(), order.form.seed.to_string(), self.number.to_string());
        let Job { setting, game, player, .. } = self;
        stable_hash([order.file.name.as_str(), &form, &seed, &setting.name, game, &player.name, &number])
    }

    fn run(
        &self,
        order: &Order<'_>,
        game: &Arc<dyn Game>,
        make: &MakeSearch,
    ) -> Result<ScoreOutcome, Failure> {
        let setting = self.setting;
        let seat = || Seat::new(game, make, self.seed(order), setting.threads);
        let scores = match setting.scores {
            ScoreKind::Seen => seat().see(&Amount::all(setting), order.stop)?,
            ScoreKind::EveryMove => {
                let amount = Amount::of_every_move(setting);
                let score = seat().play(order.stop, |search, is_first| {
                    if let Some(start) = setting.start.filter(|_| is_first) {
                        search.think(&Amount::Seconds(start).whole(order.stop))?;
                    }
                    search.think(&amount.whole(order.stop)).map(|_| ())
                })?;
                vec![(amount.number(), score)]
            }
            ScoreKind::FirstMove => {
                let mut scores = Vec::new();
                for amount in Amount::all(setting) {
                    let score = seat().play(order.stop, |search, is_first| {
                        search.think(&amount.budget(is_first, order.stop)).map(|_| ())
                    })?;
                    scores.push((amount.number(), score));
                }
                scores
            }
        };
        Ok(ScoreOutcome {
            setting: self.setting.name.clone(),
            game: self.game.to_owned(),
            player: self.player.name.clone(),
            number: self.number,
            scores,
        })
    }
}

/// Runs what is not there yet, on as many cores as there are.
pub(crate) fn run(order: &Order<'_>, watcher: &mut dyn Watcher) -> Result<Summary, RunError> {
    let (mut journal, known) = Journal::<ScoreOutcome>::open(&order.folder.file("scores.jsonl"))?;
    let mut jobs = Vec::new();
    for &game in &order.games {
        for setting in order.form.settings.iter().filter(|setting| !setting.leaves_out(game)) {
            for number in 0..order.count {
                let players = order.file.experiment.players.iter();
                jobs.extend(players.map(|player| Job { setting, game, player, number }));
            }
        }
    }
    let total = jobs.len() as u64;
    jobs.retain(|job| !known.iter().any(|outcome| job.is(outcome)));
    let before = total - jobs.len() as u64;
    watcher.event(&RunEvent::Planned { total, before });
    let mut games: BTreeMap<&str, Arc<dyn Game>> = BTreeMap::new();
    for job in &jobs {
        let Some(sheet) = order.file.sheet(job.game).filter(|_| !games.contains_key(job.game)) else {
            continue;
        };
        watcher.event(&RunEvent::Preparing { game: job.game });
        let rulebook = rulebook(sheet).map_err(|problem| RunError::game(job.game, problem))?;
        games.insert(job.game, Arc::clone(rulebook.game()));
    }
    // By name of the setting and of the player.
    let mut makers: BTreeMap<(&str, &str), MakeSearch> = BTreeMap::new();
    for setting in &order.form.settings {
        for player in &order.file.experiment.players {
            let key = (setting.name.as_str(), player.name.as_str());
            makers.extend(participant(player, setting)?.maker().map(|make| (key, make)));
        }
    }
    let mut summary = Summary { before, ..Summary::default() };
    let next = AtomicUsize::new(0);
    // No two players share a core: with clocks that would be unfair.
    let threads = order.form.settings.iter().map(|setting| setting.threads).max().unwrap_or(1).max(1);
    let at_once = (order.cores / threads).max(1);
    let (sender, results) = channel();
    std::thread::scope(|scope| -> Result<(), RunError> {
        for _ in 0..at_once.min(jobs.len()) {
            let (sender, next, jobs, games, makers) = (sender.clone(), &next, &jobs, &games, &makers);
            std::thread::Builder::new().name("scores".to_owned()).spawn_scoped(scope, move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ready = games
                        .get(job.game)
                        .zip(makers.get(&(job.setting.name.as_str(), job.player.name.as_str())));
                    let Some((game, make)) = ready else { continue };
                    let outcome = job.run(order, game, make);
                    if order.stop.is_set() || sender.send((job, outcome)).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        for (job, outcome) in results {
            match outcome {
                Ok(outcome) => {
                    let kept = journal.append(&outcome);
                    if kept.is_err() {
                        order.stop.set();
                    }
                    kept?;
                    summary.finished += 1;
                    watcher.event(&RunEvent::Scored(&outcome));
                }
                Err(failure) => {
                    let (id, problem) =
                        (format!("{} with {}", job.game, job.player.name), failure.to_string());
                    watcher.event(&RunEvent::Failed { id: &id, problem: &problem });
                    summary.failed.push((id, problem));
                }
            }
        }
        Ok(())
    })?;
    summary.interrupted = order.stop.is_set();
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_double() {
        let setting = |play, playouts| Setting {
            name: "s".to_owned(),
            start: None,
            play,
            playouts,
            threads: 1,
            options: String::new(),
            published: None,
            scores: ScoreKind::FirstMove,
            without: Vec::new(),
        };
        let numbers =
            |setting: &Setting| Amount::all(setting).into_iter().map(Amount::number).collect::<Vec<_>>();
        assert_eq!(numbers(&setting(Some(0.5), None)), [0.1, 0.2, 0.4]);
        assert_eq!(numbers(&setting(Some(0.05), None)), [0.05]);
        assert_eq!(numbers(&setting(None, Some(256))), [64.0, 128.0, 256.0]);
        assert_eq!(numbers(&setting(None, Some(5))), [5.0]);
    }
}
