//! From an experiment to its matches: who sits where, by which seed, under which id.
//!
//! Everything follows from the names in the file and the number of the match, so a run that was cut off, or
//! one with more matches, finds the same matches again.

use crate::experiment::{Experiment, ExperimentFile, Form, FormName, Pairing};
use crate::outcome::Cell;
use crate::stable_hash::stable_hash;

/// A cell, and what its matches are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPlan {
    /// Which place in the table.
    pub cell: Cell,
    /// What the ids of its matches begin with.
    prefix: String,
    /// Seeds come from here.
    hash: u64,
    /// Both players are the same one.
    twins: bool,
}

/// A match of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedMatch {
    /// Known by this: letters, digits, `.`, `_` and `-`.
    pub id: String,
    /// Decides everything random. The two matches of a pair of seats share it, unless a player meets itself:
    /// they would be one match, played twice.
    pub seed: u64,
    /// By role, chance left out: whether the first player sits there.
    pub seats: Vec<bool>,
}

impl CellPlan {
    fn new(name: &str, form_name: FormName, seed: u64, cell: Cell, twins: bool) -> Self {
        let (form_name, seed) = (form_name.to_string(), seed.to_string());
        let Cell { setting, game, player, opponent } = &cell;
        let hash = stable_hash([name, &form_name, &seed, setting, game, player, opponent]);
        // Names are for people, the hash tells apart what looks alike.
        let short = hash >> 32;
        let [game, player, opponent, setting] = [game, player, opponent, setting].map(|text| word(text));
        let prefix = format!("{game}.{player}-{opponent}.{setting}.{short:08x}");
        Self { cell, prefix, hash, twins }
    }

    /// What the ids of its matches begin with, up to the last dot.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The id of a match.
    pub fn id(&self, number: u64) -> String {
        format!("{}.{number:04}", self.prefix)
    }

    /// The number of the match with this id, if it is one of this cell.
    pub fn number(&self, id: &str) -> Option<u64> {
        let digits = id.strip_prefix(self.prefix.as_str())?.strip_prefix('.')?;
        digits.parse().ok().filter(|&number| self.id(number) == id)
    }

    /// The match with this number, of a game with this many seats.
    pub fn planned(&self, number: u64, seats: usize) -> PlannedMatch {
        let draw = if self.twins { format!("{number} alone") } else { (number / 2).to_string() };
        let seed = stable_hash([&format!("{:016x}", self.hash), &draw]);
        PlannedMatch { id: self.id(number), seed, seats: seating(seats, number) }
    }
}

/// The cells of a form, in the order of the file: setting by setting, game by game, pair by pair.
pub fn cells(name: &str, experiment: &Experiment, form_name: FormName, form: &Form) -> Vec<CellPlan> {
    let pairs = pairs(experiment);
    let mut cells = Vec::new();
    for setting in &form.settings {
        for game in experiment.games_under(form, setting) {
            for &[player, opponent] in &pairs {
                let meaning =
                    |name| experiment.player(name).map(|player| (player.spec.as_str(), player.share));
                let twins = meaning(player) == meaning(opponent);
                let cell = Cell {
                    setting: setting.name.clone(),
                    game: game.clone(),
                    player: player.to_owned(),
                    opponent: opponent.to_owned(),
                };
                cells.push(CellPlan::new(name, form_name, form.seed, cell, twins));
            }
        }
    }
    cells
}

impl ExperimentFile {
    /// The cells of a form, or none if there is no such form.
    pub fn cells(&self, form_name: FormName) -> Vec<CellPlan> {
        let form = self.experiment.form(form_name);
        form.map_or_else(Vec::new, |form| cells(&self.name, &self.experiment, form_name, form))
    }
}

/// Who meets whom, by name.
fn pairs(experiment: &Experiment) -> Vec<[&str; 2]> {
    let players: Vec<&str> = experiment.players.iter().map(|player| player.name.as_str()).collect();
    match &experiment.pairing {
        Pairing::AllPairs => players
            .iter()
            .enumerate()
            .flat_map(|(at, &first)| players[at + 1..].iter().map(move |&second| [first, second]))
            .collect(),
        Pairing::Against(name) => {
            let others = players.iter().filter(|&player| player != name);
            others.map(|&player| [player, name.as_str()]).collect()
        }
        Pairing::Pairs(pairs) => pairs.iter().map(|[first, second]| [first.as_str(), second]).collect(),
    }
}

/// Who sits where in the match with this number: by seat, whether the first player does.
///
/// All ways to seat two players are gone through, but those where one of them has every seat. They come in
/// pairs: whoever sat somewhere in an even match sits everywhere else in the next. So after every pair both
/// have had each seat equally often, and with three seats there are six ways.
pub fn seating(seats: usize, number: u64) -> Vec<bool> {
    // Far above any game; and where there is one seat, nobody else can sit.
    let others = u32::try_from(seats.saturating_sub(1)).unwrap_or(u32::MAX).min(62);
    if others == 0 {
        return vec![true; seats];
    }
    let ways = (1u64 << others) - 1;
    let way = (number / 2) % ways;
    let swapped = number % 2 == 1;
    let first = |seat: usize| seat == 0 || (seat <= 62 && way >> (seat - 1) & 1 == 1);
    (0..seats).map(|seat| first(seat) != swapped).collect()
}

/// A name as part of an id.
fn word(text: &str) -> String {
    /// Longer names are cut: the hash tells them apart.
    const LONGEST: usize = 24;
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' });
    let word: String = letters.take(LONGEST).collect();
    word.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const TEXT: &str = r#"
title = "t"
games = ["tic_tac_toe", "connect_four"]
players = [{ name = "a b", spec = "mc" }, { name = "a-b", spec = "random" }, { name = "c", spec = "first" }]
[quick]
matches = 4
settings = [{ name = "one", playouts = 1 }, { name = "two", playouts = 2 }]
"#;

    fn plans(text: &str) -> Vec<CellPlan> {
        let experiment = Experiment::read("t.toml", text).unwrap();
        cells("t", &experiment, FormName::Quick, &experiment.quick)
    }

    #[test]
    fn everybody_meets_everybody_in_every_game_and_setting() {
        let plans = plans(TEXT);
        assert_eq!(plans.len(), 2 * 2 * 3);
        let cells: BTreeSet<&Cell> = plans.iter().map(|plan| &plan.cell).collect();
        assert_eq!(cells.len(), plans.len());
    }

    #[test]
    fn games_can_be_left_out_of_a_setting() {
        let plans = plans(&TEXT.replace("playouts = 2", "playouts = 2, without = [\"connect_four\"]"));
        let count = |setting: &str, game: &str| {
            plans.iter().filter(|plan| plan.cell.setting == setting && plan.cell.game == game).count()
        };
        assert_eq!([count("one", "tic_tac_toe"), count("one", "connect_four")], [3, 3]);
        assert_eq!([count("two", "tic_tac_toe"), count("two", "connect_four")], [3, 0]);
    }

    #[test]
    fn pairings_are_as_the_file_says() {
        let with = |pairing: &str| {
            let text = TEXT.replacen("games", &format!("pairing = {pairing}\ngames"), 1);
            let of = |plan: CellPlan| (plan.cell.player, plan.cell.opponent);
            plans(&text).into_iter().take(2).map(of).collect::<Vec<_>>()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(with("{ against = \"a-b\" }"), [pair("a b", "a-b"), pair("c", "a-b")]);
        assert_eq!(with("{ pairs = [[\"c\", \"a b\"]] }"), [pair("c", "a b"), pair("c", "a b")]);
    }

    #[test]
    fn ids_are_words_that_lead_back_and_never_the_same() {
        let mut seen = BTreeSet::new();
        for plan in plans(TEXT) {
            for number in [0, 1, 9_999, 10_000] {
                let id = plan.id(number);
                assert!(
                    id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')),
                    "{id}"
                );
                assert_eq!(plan.number(&id), Some(number));
                assert!(seen.insert(id));
            }
        }
        assert_eq!(plans(TEXT)[0].number("x.0001"), None);
    }

    #[test]
    fn seeds_are_shared_by_two_matches_and_by_no_others() {
        let mut seeds = BTreeSet::new();
        for plan in plans(TEXT) {
            for pair in 0..10 {
                let seed = |number| plan.planned(number, 2).seed;
                assert_eq!(seed(2 * pair), seed(2 * pair + 1));
                assert!(seeds.insert(seed(2 * pair)));
            }
        }
        assert_ne!(
            plans(TEXT)[0].planned(0, 2).seed,
            plans(&TEXT.replace("matches", "seed = 2\nmatches"))[0].planned(0, 2).seed
        );
    }

    #[test]
    fn a_player_that_meets_itself_never_plays_a_match_twice() {
        let twins = &plans(&TEXT.replace("random", "mc"))[0];
        let seeds: BTreeSet<u64> = (0..100).map(|number| twins.planned(number, 2).seed).collect();
        assert_eq!(seeds.len(), 100);
    }

    #[test]
    fn ids_and_seeds_stay_the_same_for_ever() {
        let plan = &plans(TEXT)[0];
        let planned = plan.planned(3, 2);
        assert_eq!(
            (planned.id.as_str(), planned.seed),
            ("tic_tac_toe.a-b-a-b.one.88e5eff4.0003", 12_424_885_007_751_046_679)
        );
    }

    #[test]
    fn two_change_seats_and_three_sit_in_six_ways() {
        assert_eq!(seating(2, 0), [true, false]);
        assert_eq!(seating(2, 1), [false, true]);
        assert_eq!(seating(2, 2), [true, false]);
        for seats in 2..=6 {
            let cycle = (1u64 << seats) - 2;
            let ways: BTreeSet<Vec<bool>> = (0..cycle).map(|number| seating(seats, number)).collect();
            assert_eq!(ways.len() as u64, cycle, "every way once");
            assert!(ways.iter().all(|way| way.contains(&true) && way.contains(&false)));
            for pair in 0..cycle / 2 {
                let (one, other) = (seating(seats, 2 * pair), seating(seats, 2 * pair + 1));
                assert!(one.iter().zip(&other).all(|(a, b)| a != b));
            }
        }
        assert_eq!(seating(1, 5), [true]);
        assert_eq!(seating(100, u64::MAX).len(), 100);
    }
}
