//! What a tournament is to be, as the page asks for it, and the matches that make it up.

use ludex_arena::Participant;
use serde::Deserialize;

use crate::matches::Seat;
use crate::reply::Refusal;
use crate::shelf::Wanted;
use crate::strength::Strength;

/// Players of a tournament.
const MOST_PLAYERS: usize = 16;
/// Games of a tournament.
const MOST_GAMES: usize = 20;
/// Matches of a tournament.
const MOST_MATCHES: usize = 2000;
/// Matches at a time.
const MOST_AT_ONCE: usize = 8;
/// Longest title, in letters.
const MAX_TITLE: usize = 80;

/// What a tournament is to be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTournament {
    /// For people; made up if there is none.
    #[serde(default)]
    pub(crate) title: String,
    pub(crate) games: Vec<Wanted>,
    /// A strength in plain words, a player of the table, or one behind HTTP.
    pub(crate) players: Vec<String>,
    /// Matches of each group of players that meet in a game.
    pub(crate) matches: usize,
    /// Seconds to get ready.
    pub(crate) start: f64,
    /// Seconds for each move.
    pub(crate) play: f64,
    /// Playouts for each move of players in this process, instead of clocks.
    #[serde(default)]
    pub(crate) playouts: Option<u64>,
    /// Whether players behind HTTP get other words.
    #[serde(default)]
    pub(crate) scramble: bool,
    /// Matches that are played at the same time.
    #[serde(default = "one")]
    pub(crate) at_once: usize,
    #[serde(default)]
    pub(crate) seed: u64,
}

fn one() -> usize {
    1
}

/// A match of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    /// Index of the game.
    pub(crate) game: usize,
    /// By seat: index of the player.
    pub(crate) seats: Vec<usize>,
}

impl NewTournament {
    /// The same in good order, or what is wrong with it.
    pub(crate) fn checked(mut self) -> Result<Self, Refusal> {
        self.title = self.title.chars().filter(|c| !c.is_control()).take(MAX_TITLE).collect();
        if self.title.trim().is_empty() {
            self.title = "Round robin".to_owned();
        }
        for player in &mut self.players {
            *player = player.trim().to_owned();
            seat(player).player()?;
        }
        let mut sorted = self.players.clone();
        sorted.sort();
        sorted.dedup();
        if sorted.len() < self.players.len() {
            return Err(Refusal::bad("a player is there twice: give it other options"));
        }
        if !(1..=MOST_PLAYERS).contains(&self.players.len()) {
            return Err(Refusal::bad(format!("a tournament has from 1 to {MOST_PLAYERS} players")));
        }
        if !(1..=MOST_GAMES).contains(&self.games.len()) {
            return Err(Refusal::bad(format!("a tournament has from 1 to {MOST_GAMES} games")));
        }
        if !(1..=MOST_MATCHES).contains(&self.matches) {
            return Err(Refusal::bad(format!("from 1 to {MOST_MATCHES} matches")));
        }
        if self.playouts == Some(0) {
            return Err(Refusal::bad("a player needs at least one playout"));
        }
        self.at_once = self.at_once.clamp(1, MOST_AT_ONCE);
        Ok(self)
    }

    /// Whether somebody behind HTTP takes part.
    pub(crate) fn asks_others(&self) -> bool {
        self.players.iter().any(|player| matches!(seat(player).player(), Ok(Some(Participant::Http(_)))))
    }

    /// All matches, given the number of seats of each game: every group of players meets equally
    /// often, and its players move on by a seat from match to match.
    pub(crate) fn planned(&self, seats: &[usize]) -> Result<Vec<Planned>, Refusal> {
        let mut planned = Vec::new();
        for (game, &seats) in seats.iter().enumerate() {
            if seats > self.players.len() {
                return Err(Refusal::bad(format!(
                    "a game needs {seats} players, and there are {}",
                    self.players.len()
                )));
            }
            let groups = groups(self.players.len(), seats);
            if planned.len() + groups.len().saturating_mul(self.matches) > MOST_MATCHES {
                return Err(Refusal::bad(format!("that makes more than {MOST_MATCHES} matches")));
            }
            // All groups once, then all of them again: early standings say as much as they can.
            for number in 0..self.matches {
                for group in &groups {
                    let mut seats = group.clone();
                    let by = number % seats.len().max(1);
                    seats.rotate_left(by);
                    planned.push(Planned { game, seats });
                }
            }
        }
        Ok(planned)
    }
}

/// Who plays, by the name that a tournament has for it.
pub(crate) fn seat(player: &str) -> Seat {
    match player {
        "easy" => Seat::Machine { strength: Strength::Easy },
        "medium" => Seat::Machine { strength: Strength::Medium },
        "strong" => Seat::Machine { strength: Strength::Strong },
        spec => Seat::Player { spec: spec.to_owned() },
    }
}

/// All groups of so many of the first `all` numbers, in order.
fn groups(all: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..size {
        found = found
            .into_iter()
            .flat_map(|group: Vec<usize>| {
                let first = group.last().map_or(0, |last| last + 1);
                (first..all).map(move |next| {
                    let mut longer = group.clone();
                    longer.push(next);
                    longer
                })
            })
            .take(MOST_MATCHES + 1)
            .collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(players: &[&str], matches: usize) -> NewTournament {
        NewTournament {
            title: String::new(),
            games: vec![Wanted::Named("tic_tac_toe".to_owned())],
            players: players.iter().map(|&player| player.to_owned()).collect(),
            matches,
            start: 1.0,
            play: 0.1,
            playouts: None,
            scramble: false,
            at_once: 1,
            seed: 1,
        }
    }

    #[test]
    fn everybody_meets_everybody_in_all_seats() {
        let planned = wanted(&["a", "b", "c"], 2).planned(&[2]).unwrap();
        let seats: Vec<&[usize]> = planned.iter().map(|one| one.seats.as_slice()).collect();
        assert_eq!(seats, [[0, 1], [0, 2], [1, 2], [1, 0], [2, 0], [2, 1]]);
        let three = wanted(&["a", "b", "c"], 3).planned(&[3]).unwrap();
        assert_eq!(three.iter().map(|one| one.seats[0]).collect::<Vec<_>>(), [0, 1, 2]);
        let alone = wanted(&["a", "b"], 1).planned(&[1]).unwrap();
        assert_eq!(alone.len(), 2);
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        let refused = |wanted: NewTournament| wanted.checked().unwrap_err().message;
        assert!(refused(wanted(&[], 1)).contains("from 1 to 16 players"));
        assert!(refused(wanted(&["mc", " mc"], 1)).contains("twice"));
        assert!(refused(wanted(&["nobody"], 1)).contains("no player"));
        assert!(refused(wanted(&["mc"], 0)).contains("matches"));
        let few = wanted(&["mc", "random"], 1).planned(&[3]).unwrap_err();
        assert!(few.message.contains("needs 3 players"));
        assert!(wanted(&["mc", "random"], 2000).planned(&[2, 2]).is_err());
        assert_eq!(wanted(&["mc"], 1).checked().unwrap().title, "Round robin");
    }

    #[test]
    fn groups_are_bounded() {
        assert_eq!(groups(4, 2).len(), 6);
        assert_eq!(groups(3, 0), [Vec::<usize>::new()]);
        assert!(groups(16, 8).len() <= MOST_MATCHES + 1);
    }
}
