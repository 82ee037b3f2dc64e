//! Matches, cell by cell, in the order in which the experiment names things.

use std::collections::BTreeMap;

use super::{Report, ReportError};
use crate::experiment::{Experiment, Form, Pairing, Setting};
use crate::outcome::{Cell, MatchOutcome};
use crate::published::Published;
use crate::statistics::Estimate;

/// A player and whom it meets.
pub(super) type Pair<'a> = (&'a str, &'a str);

/// What was published for a cell: percent or nodes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beside {
    pub(super) value: f64,
    pub(super) margin: Option<f64>,
}

/// All matches of a cell.
#[derive(Clone, Debug)]
pub(super) struct CellSummary<'a> {
    pub(super) cell: &'a Cell,
    pub(super) matches: Vec<&'a MatchOutcome>,
    pub(super) scores: Vec<f64>,
    pub(super) estimate: Estimate,
    pub(super) faults: u64,
    /// States per second of the player; none if nothing is known.
    pub(super) rate: Option<f64>,
    pub(super) published: Option<Beside>,
}

/// All cells.
#[derive(Debug)]
pub(super) struct Summary<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) form: &'a Form,
    published: &'a Published,
    pub(super) cells: Vec<CellSummary<'a>>,
    /// Those that occur, in the order of the form.
    pub(super) settings: Vec<&'a str>,
    /// Those that occur, in the order of the experiment.
    pub(super) games: Vec<&'a str>,
    /// Those that occur, in the order of the experiment.
    pub(super) pairs: Vec<Pair<'a>>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(report: &'a Report<'a>, outcomes: &'a [MatchOutcome]) -> Result<Self, ReportError> {
        let (experiment, form) = (report.experiment, report.form()?);
        let mut by_cell: BTreeMap<&Cell, Vec<&MatchOutcome>> = BTreeMap::new();
        for outcome in outcomes {
            by_cell.entry(&outcome.cell).or_default().push(outcome);
        }
        let mut summary = Self {
            experiment,
            form,
            published: report.published,
            cells: Vec::new(),
            settings: Vec::new(),
            games: Vec::new(),
            pairs: Vec::new(),
        };
        let mut cells: Vec<_> = by_cell.into_iter().collect();
        let setting_place = |name: &str| place(&form.settings, |setting| setting.name == name);
        let game_place = |name: &str| place(&experiment.games, |game| game == name);
        cells.sort_by_key(|(cell, _)| {
            let pair = pair_place(experiment, &cell.player, &cell.opponent);
            (setting_place(&cell.setting), game_place(&cell.game), pair)
        });
        for (cell, mut matches) in cells {
            matches.sort_by_key(|outcome| outcome.number);
            add_new(&mut summary.settings, cell.setting.as_str());
            add_new(&mut summary.games, cell.game.as_str());
            add_new(&mut summary.pairs, (cell.player.as_str(), cell.opponent.as_str()));
            let scores: Vec<f64> = matches.iter().map(|outcome| outcome.score()).collect();
            let visited: u64 = matches.iter().map(|outcome| outcome.visited).sum();
            let seconds: f64 = matches.iter().map(|outcome| outcome.seconds).sum();
            let found = CellSummary {
                cell,
                estimate: Estimate::of(&scores),
                scores,
                faults: matches.iter().map(|outcome| outcome.faults).sum(),
                rate: (visited > 0 && seconds > 0.0).then(|| visited as f64 / seconds),
                published: summary.beside(&cell.setting, &cell.game, &cell.player, Some(&cell.opponent)),
                matches,
            };
            summary.cells.push(found);
        }
        summary.games.sort_by_key(|game| game_place(game));
        summary.pairs.sort_by_key(|(player, opponent)| pair_place(experiment, player, opponent));
        Ok(summary)
    }

    /// The cell of a place, if anything was played there.
    pub(super) fn get(
        &self,
        setting: &str,
        game: &str,
        (player, opponent): Pair<'_>,
    ) -> Option<&CellSummary<'a>> {
        self.cells.iter().find(|summary| {
            let cell = summary.cell;
            cell.setting == setting && cell.game == game && cell.player == player && cell.opponent == opponent
        })
    }

    /// What `player` scored against `opponent`, whoever of them is named first.
    pub(super) fn scores(&self, setting: &str, game: &str, player: &str, opponent: &str) -> Vec<f64> {
        let mut scores = Vec::new();
        if let Some(found) = self.get(setting, game, (player, opponent)) {
            scores.extend(&found.scores);
        }
        if player != opponent
            && let Some(found) = self.get(setting, game, (opponent, player))
        {
            scores.extend(found.scores.iter().map(|score| 1.0 - score));
        }
        scores
    }

    /// The published figure of a place; that of the opponent turned round, if only that is there.
    pub(super) fn beside(
        &self,
        setting: &str,
        game: &str,
        player: &str,
        opponent: Option<&str>,
    ) -> Option<Beside> {
        let name = self.setting(setting).and_then(|found| found.published.as_deref()).unwrap_or(setting);
        if let Some(found) = self.published.find(name, game, player, opponent) {
            return Some(Beside { value: found.value, margin: found.margin });
        }
        let turned = self.published.find(name, game, opponent?, Some(player))?;
        // Rates are no parts of a whole.
        (self.experiment.measure == crate::experiment::Measure::Wins)
            .then_some(Beside { value: 100.0 - turned.value, margin: turned.margin })
    }

    pub(super) fn setting(&self, name: &str) -> Option<&'a Setting> {
        self.form.settings.iter().find(|setting| setting.name == name)
    }

    /// Who takes part, in the order of the experiment.
    pub(super) fn players(&self) -> Vec<&'a str> {
        let mut players = Vec::new();
        for entry in &self.experiment.players {
            if self.pairs.iter().any(|(a, b)| entry.name == *a || entry.name == *b) {
                players.push(entry.name.as_str());
            }
        }
        players
    }

    /// The one that everybody meets, if there is one and more than one meets it.
    pub(super) fn common_opponent(&self) -> Option<&'a str> {
        let (_, first) = *self.pairs.first()?;
        (self.pairs.len() > 1 && self.pairs.iter().all(|(_, opponent)| *opponent == first)).then_some(first)
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Where something stands in a list; behind the end, if it does not.
fn place<T>(list: &[T], is_it: impl Fn(&T) -> bool) -> usize {
    list.iter().position(is_it).unwrap_or(list.len())
}

fn pair_place(experiment: &Experiment, player: &str, opponent: &str) -> (usize, usize) {
    match &experiment.pairing {
        Pairing::Pairs(pairs) => (place(pairs, |[a, b]| a == player && b == opponent), 0),
        Pairing::AllPairs | Pairing::Against(_) => (
            place(&experiment.players, |entry| entry.name == player),
            place(&experiment.players, |entry| entry.name == opponent),
        ),
    }
}
