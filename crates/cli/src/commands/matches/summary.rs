//! The results of many matches as a table.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use ludex_arena::MatchRecord;

/// What came of several matches.
#[derive(Default)]
pub(crate) struct Summary {
    matches: usize,
    seconds: f64,
    /// By player, as written.
    players: BTreeMap<String, Score>,
}

#[derive(Default)]
struct Score {
    played: usize,
    /// A sole win counts one; a shared win counts in equal parts.
    won: f64,
    goals: u64,
    errors: usize,
}

impl Summary {
    pub(crate) fn add(&mut self, record: &MatchRecord) {
        self.matches += 1;
        self.seconds += record.seconds();
        let most = record.goal_values.iter().max().copied();
        let winners = record.goal_values.iter().filter(|&&goal| Some(goal) == most).count();
        for (role, player) in record.player_names_from_host.iter().enumerate() {
            let score = self.players.entry(player.clone()).or_default();
            score.errors += record.faults().filter(|&(_, whose, _)| whose == role).count();
            if let Some(&goal) = record.goal_values.get(role) {
                score.played += 1;
                score.goals += u64::from(goal);
                if Some(goal) == most {
                    score.won += 1.0 / winners as f64;
                }
            }
        }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> Result<()> {
        let width = self.players.keys().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
        let (player, played) = ("player", "played");
        writeln!(out, "{player:<width$}  {played:>6}  {:>6}  {:>10}  {:>6}", "won", "mean goal", "errors")?;
        for (name, Score { played, won, goals, errors }) in &self.players {
            let mean = if *played == 0 { 0.0 } else { *goals as f64 / *played as f64 };
            writeln!(out, "{name:<width$}  {played:>6}  {won:>6.1}  {mean:>10.1}  {errors:>6}")?;
        }
        let each = self.seconds / self.matches.max(1) as f64;
        let matches = self.matches;
        let noun = if matches == 1 { "match" } else { "matches" };
        writeln!(out, "{matches} {noun}, {each:.3} s each")?;
        Ok(())
    }
}
