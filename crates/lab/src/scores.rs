//! Games for one: how good is what a player finds in 0.1, 0.2, 0.4 … seconds?
//!
//! After the comparison of J. Méhat and T. Cazenave, where every search thinks about the first
//! state and the best score it has seen is written down as time goes by. Our searches run playouts
//! by the hundreds at once and only hear of sums, so none of them can tell the best score it has
//! seen. What every player can do is play. So for each amount a match is played: all of the amount
//! goes into the first move, by a search that begins anew; the rest is played from what it
//! remembers and a few more playouts for each move. The score is the goal at the end: what the
//! player would really have got.
//!
//! With playouts instead of clocks the amounts are 64, 128, 256 … playouts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ludex_arena::MakeSearch;
use ludex_game::{Failure, Game, RoleId};
use ludex_search::{Budget, SearchContext, Stop};

use crate::experiment::{PlayerEntry, Setting};
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

/// Plays a match of a game for one: the goal at its end.
fn score(
    game: &Arc<dyn Game>,
    make: &MakeSearch,
    seed: u64,
    amount: Amount,
    threads: usize,
    stop: &Stop,
) -> Result<u8, Failure> {
    let role = game.roles().iter().position(|role| !is_chance(role)).unwrap_or(0);
    let mut random = fastrand::Rng::with_seed(seed);
    let context =
        SearchContext { game: Arc::clone(game), role: RoleId::new(role), seed: random.u64(..), threads };
    let mut search = make(context);
    let mut state = game.initial();
    let mut is_first = true;
    for _ in 0..MAX_STEPS {
        let view = game.view(&state)?;
        if view.terminal {
            let goal = game.goals(&state)?.get(role).and_then(|goal| goal.value());
            return Ok(goal.unwrap_or(0));
        }
        if view.legal.iter().any(Vec::is_empty) || stop.is_set() {
            return Ok(0);
        }
        let mut joint: Vec<_> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
        if view.legal[role].len() > 1 {
            search.set_root(&state)?;
            search.think(&amount.budget(is_first, stop))?;
            is_first = false;
            if let Some(best) = search.report().best.filter(|best| view.legal[role].contains(best)) {
                joint[role] = best;
            }
        }
        state = game.next(&state, &joint)?;
    }
    Ok(0)
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
        let seed = self.seed(order);
        let mut scores = Vec::new();
        for amount in Amount::all(self.setting) {
            scores
                .push((amount.number(), score(game, make, seed, amount, self.setting.threads, order.stop)?));
        }
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
