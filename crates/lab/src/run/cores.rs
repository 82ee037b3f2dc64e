//! How many cores a match takes, so that no two players with a clock share one.

use ludex_game::{Failure, Game};
use ludex_library::Kind;

use crate::experiment::Setting;
use crate::games::{GameSheet, is_chance};

/// Cores of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cores {
    /// While everyone gets ready: with clocks all players think then.
    pub(crate) start: usize,
    /// From the first move on.
    pub(crate) play: usize,
}

impl Cores {
    /// What a match of a game takes. With playouts players think one after the other, and nobody looks at
    /// a clock.
    pub(crate) fn new(setting: &Setting, seats: usize, simultaneous: bool) -> Self {
        match setting.playouts {
            Some(_) => Self { start: 1, play: 1 },
            None => Self { start: seats.max(1), play: if simultaneous { seats.max(1) } else { 1 } },
        }
    }

    /// No more than there are.
    pub(crate) fn at_most(self, cores: usize) -> Self {
        let cores = cores.max(1);
        Self { start: self.start.min(cores), play: self.play.min(cores) }
    }
}

/// Games that are played at random to see who chooses when.
const GAMES: u64 = 30;
/// Longer games are cut off.
const STEPS: usize = 500;

/// Whether several players can have a choice at the same time: as the description of the game says, or else
/// as games at random show.
pub(crate) fn is_simultaneous(sheet: &GameSheet, game: &dyn Game) -> Result<bool, Failure> {
    match sheet.kind {
        Some(kind) => Ok(kind == Kind::Simultaneous),
        None => played_simultaneously(game),
    }
}

fn played_simultaneously(game: &dyn Game) -> Result<bool, Failure> {
    let players: Vec<bool> = game.roles().iter().map(|role| !is_chance(role)).collect();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..GAMES {
        let mut state = game.initial();
        for _ in 0..STEPS {
            let view = game.view(&state)?;
            if view.terminal || view.legal.iter().any(Vec::is_empty) {
                break;
            }
            let choosing =
                view.legal.iter().zip(&players).filter(|(legal, player)| **player && legal.len() > 1);
            if choosing.count() > 1 {
                return Ok(true);
            }
            let joint: Vec<_> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            state = game.next(&state, &joint)?;
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_gdl::{Source, load};
    use std::path::Path;

    fn setting(play: Option<f64>, playouts: Option<u64>) -> Setting {
        Setting { name: "s".to_owned(), start: None, play, playouts, published: None }
    }

    #[test]
    fn only_clocks_need_cores_of_their_own() {
        let timed = setting(Some(1.0), None);
        assert_eq!(Cores::new(&timed, 2, false), Cores { start: 2, play: 1 });
        assert_eq!(Cores::new(&timed, 3, true), Cores { start: 3, play: 3 });
        assert_eq!(Cores::new(&timed, 3, true).at_most(2), Cores { start: 2, play: 2 });
        assert_eq!(Cores::new(&setting(None, Some(9)), 3, true), Cores { start: 1, play: 1 });
    }

    #[test]
    fn random_games_show_what_descriptions_say() {
        for name in ["tic_tac_toe", "rock_paper_scissors", "tic_tic_toe", "connect_four_3p"] {
            let sheet = GameSheet::find(name, Path::new("")).unwrap();
            let rules = load(&Source::new(name, sheet.text.as_str())).playable().unwrap();
            let game = ludex_reasoner::build(rules, "rules").unwrap();
            let known = is_simultaneous(&sheet, &*game).unwrap();
            let unknown = GameSheet { kind: None, ..sheet };
            assert_eq!(is_simultaneous(&unknown, &*game).unwrap(), known, "{name}");
        }
    }
}
