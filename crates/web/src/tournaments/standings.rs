//! Points, ratings, who beat whom. The role with the highest goal gets the point; those who share
//! it, share the point. Ratings are those of Bradley and Terry's model (`ludex_lab::statistics`), over
//! all pairs that sat in a match.

use std::collections::BTreeMap;

use ludex_lab::statistics::{Estimate, Ratings};
use serde::Serialize;

/// Players of a table: those with the most matches. Ratings take a time that grows with the square.
const MOST_PLAYERS: usize = 60;

/// A match that is over: players and goals by seat.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    pub(crate) players: Vec<String>,
    pub(crate) goals: Vec<u8>,
    /// By seat: late, illegal and missing answers.
    pub(crate) faults: Vec<u64>,
}

/// A player in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Standing {
    pub(crate) player: String,
    pub(crate) matches: u64,
    pub(crate) points: f64,
    /// Mean of its points, with the 95 % Wilson interval.
    mean: f64,
    low: f64,
    high: f64,
    /// Mean goal, 0 to 100.
    goal: f64,
    /// Around the mean of all; none if it met nobody.
    elo: Option<f64>,
    margin: Option<f64>,
    faults: u64,
}

/// A table.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Standings {
    /// The best first.
    pub(crate) rows: Vec<Standing>,
    /// By row and column: what the player scored against the other, and how often they met.
    pairs: Vec<Vec<(f64, u64)>>,
}

#[derive(Default)]
struct Sums {
    shares: Vec<f64>,
    goals: u64,
    faults: u64,
}

impl Standings {
    pub(crate) fn of(results: &[Played]) -> Self {
        let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
        let mut pairs: BTreeMap<(&str, &str), (f64, u64)> = BTreeMap::new();
        for result in results {
            let Some(&best) = result.goals.iter().max() else { continue };
            let winners = result.goals.iter().filter(|&&goal| goal == best).count() as f64;
            let seated = || result.players.iter().zip(&result.goals).enumerate();
            for (seat, (player, &goal)) in seated() {
                let own = sums.entry(player).or_default();
                own.shares.push(if goal == best { 1.0 / winners } else { 0.0 });
                own.goals += u64::from(goal);
                own.faults += result.faults.get(seat).copied().unwrap_or(0);
                for (other, (opponent, &theirs)) in seated() {
                    if other != seat && opponent != player {
                        let pair = pairs.entry((player, opponent)).or_default();
                        pair.0 += score(goal, theirs);
                        pair.1 += 1;
                    }
                }
            }
        }
        let mut players: Vec<&str> = sums.keys().copied().collect();
        players.sort_by_key(|player| std::cmp::Reverse(sums[player].shares.len()));
        players.truncate(MOST_PLAYERS);
        let ratings = rated(&pairs, &players);
        let mut rows: Vec<Standing> = players
            .iter()
            .map(|&player| {
                let Sums { shares, goals, faults } = &sums[player];
                let estimate = Estimate::of(shares);
                let interval = estimate.interval();
                let rating = ratings.get(player);
                Standing {
                    player: player.to_owned(),
                    matches: estimate.count,
                    points: shares.iter().sum(),
                    mean: estimate.mean,
                    low: interval.low,
                    high: interval.high,
                    goal: *goals as f64 / shares.len().max(1) as f64,
                    elo: rating.map(|&(elo, _)| elo),
                    margin: rating.map(|&(_, margin)| margin),
                    faults: *faults,
                }
            })
            .collect();
        let key = |row: &Standing| row.elo.unwrap_or(row.goal);
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.player.cmp(&b.player)));
        let met = |row: &Standing, column: &Standing| {
            pairs.get(&(row.player.as_str(), column.player.as_str())).copied().unwrap_or_default()
        };
        let pairs = rows.iter().map(|row| rows.iter().map(|column| met(row, column)).collect()).collect();
        Self { rows, pairs }
    }
}

/// What a goal scores against another.
fn score(own: u8, other: u8) -> f64 {
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    }
}

/// By player: Elo and half of its interval.
fn rated(pairs: &BTreeMap<(&str, &str), (f64, u64)>, players: &[&str]) -> BTreeMap<String, (f64, f64)> {
    let mut ratings = Ratings::default();
    for (&(player, opponent), &(points, matches)) in pairs {
        // Each pair is there twice, once from either side.
        if player < opponent && players.contains(&player) && players.contains(&opponent) {
            for _ in 0..matches {
                ratings.add(player, opponent, points / matches as f64);
            }
        }
    }
    ratings.fit().into_iter().map(|rating| (rating.player, (rating.elo, rating.margin))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(players: &[&str], goals: &[u8]) -> Played {
        let players = players.iter().map(|&player| player.to_owned()).collect();
        Played { players, goals: goals.to_vec(), faults: vec![0; goals.len()] }
    }

    #[test]
    fn points_are_shared_and_pairs_are_counted() {
        let all = [
            result(&["a", "b"], &[100, 0]),
            result(&["b", "a"], &[50, 50]),
            result(&["a", "c"], &[100, 0]),
            result(&["b", "c"], &[100, 0]),
        ];
        let table = Standings::of(&all);
        let names: Vec<&str> = table.rows.iter().map(|row| row.player.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!((table.rows[0].points, table.rows[0].matches), (2.5, 3));
        assert_eq!(table.pairs[0], [(0.0, 0), (1.5, 2), (1.0, 1)]);
        assert!(table.rows[0].elo > table.rows[1].elo && table.rows[1].elo > table.rows[2].elo);
        let sum: f64 = table.rows.iter().filter_map(|row| row.elo).sum();
        assert!(sum.abs() < 1e-6, "around the mean: {sum}");
    }

    #[test]
    fn games_for_one_are_ranked_by_goals() {
        let table = Standings::of(&[result(&["a"], &[40]), result(&["b"], &[90])]);
        assert_eq!(table.rows[0].player, "b");
        assert!(table.rows[0].elo.is_none() && table.rows[0].goal == 90.0);
        assert!(Standings::of(&[]).rows.is_empty());
    }

    #[test]
    fn three_at_a_table_are_three_pairs() {
        let table = Standings::of(&[result(&["a", "b", "c"], &[100, 50, 0])]);
        assert_eq!(table.pairs[1], [(0.0, 1), (0.0, 0), (1.0, 1)]);
    }
}
