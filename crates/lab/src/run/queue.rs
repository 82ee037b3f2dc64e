//! Which match is next: game by game, and there the first match of every cell before the second of
//! any.

use super::stopping::Tally;
use crate::design::CellPlan;
use crate::experiment::{Setting, Stopping};
use crate::games::GameSheet;

/// A cell that is being filled.
#[derive(Clone, Debug)]
pub(crate) struct CellRun<'a> {
    pub(crate) plan: CellPlan,
    pub(super) setting: &'a Setting,
    pub(crate) sheet: &'a GameSheet,
    pub(super) tally: Tally,
}

impl CellRun<'_> {
    /// How many matches count at most, as far as is known.
    pub(super) fn wanted(&mut self, count: u64, stopping: Option<&Stopping>) -> u64 {
        self.tally.stopped(stopping).map_or(count, |stopped| stopped.min(count))
    }

    /// How many of them are still to be played.
    pub(super) fn left(&mut self, count: u64, stopping: Option<&Stopping>) -> u64 {
        let wanted = self.wanted(count, stopping);
        wanted - self.tally.played(wanted)
    }
}

/// Goes through all matches once.
#[derive(Debug)]
pub(super) struct Queue {
    /// Cells of each game.
    games: Vec<Vec<usize>>,
    count: u64,
    game: usize,
    number: u64,
    at: usize,
}

impl Queue {
    /// All matches of these cells, `count` of each.
    pub(super) fn new(games: &[&str], cells: &[CellRun<'_>], count: u64) -> Self {
        let of = |game: &&str| {
            let cells = cells.iter().enumerate();
            cells.filter(|(_, cell)| cell.plan.cell.game == **game).map(|(at, _)| at).collect()
        };
        Self { games: games.iter().map(of).collect(), count, game: 0, number: 0, at: 0 }
    }

    /// The next match that is not there and still wanted: its cell and number.
    pub(super) fn next(
        &mut self,
        cells: &mut [CellRun<'_>],
        stopping: Option<&Stopping>,
    ) -> Option<(usize, u64)> {
        while let Some(of_game) = self.games.get(self.game) {
            if self.number >= self.count {
                (self.game, self.number, self.at) = (self.game + 1, 0, 0);
            } else if let Some(&cell) = of_game.get(self.at) {
                self.at += 1;
                let number = self.number;
                if number < cells[cell].wanted(self.count, stopping) && !cells[cell].tally.has(number) {
                    return Some((cell, number));
                }
            } else {
                (self.number, self.at) = (self.number + 1, 0);
            }
        }
        None
    }
}
