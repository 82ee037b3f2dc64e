//! Expands an experiment into matches: seats, seeds and ids.
//!
//! Everything follows from the names in the file and the match number. A resumed run, or a run with
//! more matches, therefore plans the same matches again.

use crate::experiment::{Experiment, ExperimentFile, Form, FormName, Pairing};
use crate::outcome::Cell;
use crate::stable_hash::stable_hash;

/// A cell with the id prefix and the hash of its matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPlan {
    /// Setting, game, player and opponent.
    pub cell: Cell,
    /// Prefix of the match ids.
    prefix: String,
    /// Base of the match seeds.
    hash: u64,
    /// Whether both players have the same spec and share.
    self_play: bool,
}

/// A match of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedMatch {
    /// Unique id of letters, digits, `.`, `_` and `-`.
    pub id: String,
    /// Seed of all randomness. The two matches of a seat swap share it, except in self-play, where
    /// they would be the same match twice.
    pub seed: u64,
    /// By role, without chance: whether the first player has the seat.
    pub seats: Vec<bool>,
}

impl CellPlan {
    fn new(name: &str, form_name: FormName, seed: u64, cell: Cell, self_play: bool) -> Self {
        let (form_name, seed) = (form_name.to_string(), seed.to_string());
        let Cell { setting, game, player, opponent } = &cell;
        let hash = stable_hash([name, &form_name, &seed, setting, game, player, opponent]);
        // Names are for readers; the hash distinguishes names that shorten to the same text.
        let short = hash >> 32;
        let [game, player, opponent, setting] = [game, player, opponent, setting].map(|text| id_part(text));
        let prefix = format!("{game}.{player}-{opponent}.{setting}.{short:08x}");
        Self { cell, prefix, hash, self_play }
    }

    /// Prefix of the match ids, up to the last dot.
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
        let suffix = if self.self_play { format!("{number} alone") } else { (number / 2).to_string() };
        let seed = stable_hash([&format!("{:016x}", self.hash), &suffix]);
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
                let definition =
                    |name| experiment.player(name).map(|player| (player.spec.as_str(), player.share));
                let self_play = definition(player) == definition(opponent);
                let cell = Cell {
                    setting: setting.name.clone(),
                    game: game.clone(),
                    player: player.to_owned(),
                    opponent: opponent.to_owned(),
                };
                cells.push(CellPlan::new(name, form_name, form.seed, cell, self_play));
            }
        }
    }
    cells
}

impl ExperimentFile {
    /// The cells of a form; empty if the form does not exist.
    pub fn cells(&self, form_name: FormName) -> Vec<CellPlan> {
        let form = self.experiment.form(form_name);
        form.map_or_else(Vec::new, |form| cells(&self.name, &self.experiment, form_name, form))
    }
}

/// The pairs of players, by name.
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

/// The seating of the match with this number: by seat, whether the first player has it.
///
/// Cycles through all seatings of two players except those where one player has every seat. An odd
/// match swaps all seats of the even match before it, so after every pair of matches both players
/// have had each seat equally often. Two seats have 2 seatings, three have 6, `n` have `2^n - 2`.
pub fn seating(seats: usize, number: u64) -> Vec<bool> {
    // 62 fits a u64 shift and is far above any game; a single seat has only one seating.
    let others = u32::try_from(seats.saturating_sub(1)).unwrap_or(u32::MAX).min(62);
    if others == 0 {
        return vec![true; seats];
    }
    let seatings = (1u64 << others) - 1;
    let mask = (number / 2) % seatings;
    let swapped = number % 2 == 1;
    let first = |seat: usize| seat == 0 || (seat <= 62 && mask >> (seat - 1) & 1 == 1);
    (0..seats).map(|seat| first(seat) != swapped).collect()
}

/// A name as part of an id: other characters become `-`.
fn id_part(text: &str) -> String {
    /// Characters. Longer names are cut to keep ids readable; the hash keeps them unique.
    const MAX_CHARS: usize = 24;
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' });
    let part: String = letters.take(MAX_CHARS).collect();
    part.trim_matches('-').to_owned()
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
    fn all_pairs_meet_in_every_game_and_setting() {
        let plans = plans(TEXT);
        assert_eq!(plans.len(), 2 * 2 * 3);
        let cells: BTreeSet<&Cell> = plans.iter().map(|plan| &plan.cell).collect();
        assert_eq!(cells.len(), plans.len());
    }

    #[test]
    fn a_setting_can_exclude_games() {
        let plans = plans(&TEXT.replace("playouts = 2", "playouts = 2, without = [\"connect_four\"]"));
        let count = |setting: &str, game: &str| {
            plans.iter().filter(|plan| plan.cell.setting == setting && plan.cell.game == game).count()
        };
        assert_eq!([count("one", "tic_tac_toe"), count("one", "connect_four")], [3, 3]);
        assert_eq!([count("two", "tic_tac_toe"), count("two", "connect_four")], [3, 0]);
    }

    #[test]
    fn pairings_follow_the_file() {
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
    fn ids_are_unique_plain_words_that_parse_back_to_numbers() {
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
    fn only_the_two_matches_of_a_seat_swap_share_a_seed() {
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
    fn self_play_never_repeats_a_seed() {
        let plan = &plans(&TEXT.replace("random", "mc"))[0];
        let seeds: BTreeSet<u64> = (0..100).map(|number| plan.planned(number, 2).seed).collect();
        assert_eq!(seeds.len(), 100);
    }

    #[test]
    fn ids_and_seeds_are_pinned() {
        let plan = &plans(TEXT)[0];
        let planned = plan.planned(3, 2);
        assert_eq!(
            (planned.id.as_str(), planned.seed),
            ("tic_tac_toe.a-b-a-b.one.88e5eff4.0003", 12_424_885_007_751_046_679)
        );
    }

    #[test]
    fn seatings_swap_in_pairs_and_cover_every_combination() {
        assert_eq!(seating(2, 0), [true, false]);
        assert_eq!(seating(2, 1), [false, true]);
        assert_eq!(seating(2, 2), [true, false]);
        for seats in 2..=6 {
            let cycle = (1u64 << seats) - 2;
            let seatings: BTreeSet<Vec<bool>> = (0..cycle).map(|number| seating(seats, number)).collect();
            assert_eq!(seatings.len() as u64, cycle, "every seating once");
            assert!(seatings.iter().all(|seating| seating.contains(&true) && seating.contains(&false)));
            for pair in 0..cycle / 2 {
                let (one, other) = (seating(seats, 2 * pair), seating(seats, 2 * pair + 1));
                assert!(one.iter().zip(&other).all(|(a, b)| a != b));
            }
        }
        assert_eq!(seating(1, 5), [true]);
        assert_eq!(seating(100, u64::MAX).len(), 100);
    }
}
