//! Matches of games for one: a row for each game, a column for each player, as in table 2 of J. Méhat
//! and T. Cazenave 2010; and how often each score was reached, as in figure 3.

use std::collections::BTreeMap;

use super::measurements::{in_order, kind_of, mean};
use super::numbers::counted;
use super::page::{Block, Entry, Table};
use crate::experiment::{Experiment, Form, ScoreKind};
use crate::outcome::ScoreOutcome;
use crate::published::Published;

/// Points of a class of scores in a histogram.
const CLASS: u8 = 5;

/// The scores of a player in a game, in a setting.
struct Runs<'a> {
    experiment: &'a Experiment,
    form: &'a Form,
    published: &'a Published,
    all: &'a [ScoreOutcome],
}

impl<'a> Runs<'a> {
    fn scores(&self, setting: &str, game: &str, player: &str) -> Vec<f64> {
        let is_it =
            |run: &&ScoreOutcome| (&*run.setting, &*run.game, &*run.player) == (setting, game, player);
        let own = self.all.iter().filter(is_it);
        own.filter_map(|run| run.scores.last()).map(|&(_, score)| f64::from(score)).collect()
    }

    /// What was published: mean and margin.
    fn beside(&self, setting: &str, game: &str, player: &str) -> Option<(f64, Option<f64>)> {
        let known = self.form.settings.iter().find(|known| known.name == setting)?;
        let setting = known.published.as_deref().unwrap_or(setting);
        self.published.find(setting, game, player, None).map(|figure| (figure.value, figure.margin))
    }

    fn players(&self, setting: &str) -> Vec<&'a String> {
        let own = self.all.iter().filter(|run| run.setting == setting).map(|run| &run.player);
        in_order(self.experiment.players.iter().map(|entry| &entry.name), own.collect::<Vec<_>>().into_iter())
    }

    fn games(&self, setting: &str) -> Vec<&'a String> {
        let own = self.all.iter().filter(|run| run.setting == setting).map(|run| &run.game);
        in_order(self.experiment.games.iter(), own.collect::<Vec<_>>().into_iter())
    }

    /// Means with standard deviations, and their sums over all games.
    fn table(&self, setting: &str) -> Table {
        let (players, games) = (self.players(setting), self.games(setting));
        let mut head = vec!["game".to_owned()];
        head.extend(players.iter().map(|&player| player.clone()));
        head.push("runs".to_owned());
        let mut totals = vec![(0.0, 0.0, true, true); players.len()];
        let mut rows = Vec::new();
        for &game in &games {
            let mut row = vec![Entry::new(game)];
            let mut counts = Vec::new();
            for (&player, (total, published, complete, is_published)) in players.iter().zip(&mut totals) {
                let scores = self.scores(setting, game, player);
                let beside = self.beside(setting, game, player);
                *published += beside.map_or(0.0, |(value, _)| value);
                *is_published &= beside.is_some();
                let beside = beside.map(|(value, margin)| spread(value, margin));
                match mean(scores.iter().copied()) {
                    Some(value) => {
                        *total += value;
                        row.push(Entry { text: spread(value, deviation(&scores)), beside });
                    }
                    None => {
                        *complete = false;
                        row.push(Entry { text: String::new(), beside });
                    }
                }
                counts.push(scores.len());
            }
            let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
            let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
            row.push(Entry::new(if least < most { format!("{least}–{most}") } else { most.to_string() }));
            rows.push(row);
        }
        let mut last = vec![Entry::new("total")];
        last.extend(totals.iter().map(|&(total, published, complete, is_published)| Entry {
            // A sum over fewer games would look like a low one.
            text: if complete { format!("{total:.0}") } else { String::new() },
            beside: is_published.then(|| format!("{published:.0}")),
        }));
        last.push(Entry::default());
        rows.push(last);
        Table { head, rows }
    }

    /// Percent of the runs of each player that reached a class of scores.
    fn histogram(&self, setting: &str, game: &str) -> Table {
        let players = self.players(setting);
        let mut classes: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        let mut counts = vec![0; players.len()];
        for (at, player) in players.iter().enumerate() {
            for score in self.scores(setting, game, player) {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
                let class = score as u8 / CLASS * CLASS;
                classes.entry(class).or_insert_with(|| vec![0; players.len()])[at] += 1;
                counts[at] += 1;
            }
        }
        let mut head = vec!["score".to_owned()];
        head.extend(players.iter().map(|&player| player.clone()));
        let share = |(&count, &all): (&usize, &usize)| match count {
            0 => Entry::default(),
            _ => Entry::new(format!("{:.0} %", 100.0 * count as f64 / all as f64)),
        };
        let row = |(class, found): (u8, Vec<usize>)| {
            let name =
                if class >= 100 { "100".to_owned() } else { format!("{class}–{}", class + CLASS - 1) };
            std::iter::once(Entry::new(name)).chain(found.iter().zip(&counts).map(share)).collect()
        };
        Table { head, rows: classes.into_iter().map(row).collect() }
    }
}

/// Mean and standard deviation, as in the paper: `68 ± 18`.
fn spread(value: f64, deviation: Option<f64>) -> String {
    match deviation {
        Some(deviation) => format!("{value:.0} ± {deviation:.0}"),
        None => format!("{value:.0}"),
    }
}

/// The standard deviation; none of a single score.
fn deviation(scores: &[f64]) -> Option<f64> {
    let all = mean(scores.iter().copied()).filter(|_| scores.len() > 1)?;
    let squares: f64 = scores.iter().map(|score| (score - all).powi(2)).sum();
    Some((squares / (scores.len() - 1) as f64).sqrt())
}

/// The tables of all settings in which matches were played; nothing if there are none.
pub(super) fn blocks(
    experiment: &Experiment,
    form: &Form,
    published: &Published,
    all: &[ScoreOutcome],
) -> Vec<Block> {
    let is_match = |run: &&ScoreOutcome| kind_of(form, &run.setting) == ScoreKind::EveryMove;
    let count = all.iter().filter(is_match).count() as u64;
    if count == 0 {
        return Vec::new();
    }
    let runs = Runs { experiment, form, published, all };
    let beside = if published.is_empty() { "" } else { " In italics: what was published." };
    let text = format!("The goal at the end of a match, 0 to 100: mean ± standard deviation.{beside}");
    let mut blocks = vec![Block::Text(text)];
    let names = || form.settings.iter().map(|setting| &setting.name);
    for setting in in_order(names(), all.iter().filter(is_match).map(|run| &run.setting)) {
        blocks.push(Block::Heading(setting.clone()));
        blocks.push(Block::Table(runs.table(setting)));
        for game in experiment.histograms.iter().filter(|game| runs.games(setting).contains(game)) {
            blocks.push(Block::Heading(format!("{game}, {setting}: how often each score was reached")));
            blocks.push(Block::Table(runs.histogram(setting, game)));
        }
    }
    blocks.push(Block::Text(format!("{}.", counted(count, "match", "matches"))));
    blocks
}
