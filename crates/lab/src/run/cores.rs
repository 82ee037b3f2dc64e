//! How many cores a match takes, so that no two players with a clock share one.

use ludex_game::{Failure, Game};
use ludex_library::Kind;

use crate::experiment::Setting;
use crate::games::{GameSheet, is_chance};

/// How many cores a match takes: the threads of everybody who thinks at the same time. With
/// playouts players think one after the other, and nobody looks at a clock; with clocks there are
/// as many as can have a choice at the same time.
pub(crate) fn cores(setting: &Setting, seats: usize, simultaneous: bool) -> usize {
    let thinking = if setting.playouts.is_none() && simultaneous { seats.max(1) } else { 1 };
    thinking * setting.threads.max(1)
}

/// Games that are played at random to see who chooses when.
const GAMES: u64 = 30;
/// Longer games are cut off.
const STEPS: usize = 500;

/// Whether several players can have a choice at the same time: as the description of the game says,
/// or else as games at random show.
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
    use std::path::Path;

    fn setting(play: Option<f64>, playouts: Option<u64>) -> Setting {
        Setting {
            name: "s".to_owned(),
            start: None,
            play,
            playouts,
            threads: 1,
            options: String::new(),
            published: None,
            scores: Default::default(),
            without: Vec::new(),
        }
    }

    #[test]
    fn only_clocks_need_cores_of_their_own() {
        let timed = setting(Some(1.0), None);
        assert_eq!(cores(&timed, 2, false), 1);
        assert_eq!(cores(&timed, 3, true), 3);
        assert_eq!(cores(&setting(None, Some(9)), 3, true), 1);
        let threads = Setting { threads: 4, ..timed };
        assert_eq!(cores(&threads, 3, false), 4);
        assert_eq!(cores(&threads, 3, true), 12);
    }

    #[test]
    fn random_games_show_what_descriptions_say() {
        for name in ["tic_tac_toe", "rock_paper_scissors", "tic_tic_toe", "connect_four_3p"] {
            let sheet = GameSheet::find(name, Path::new("")).unwrap();
            let game = ludex_testkit::game(name, "rules");
            let known = is_simultaneous(&sheet, &*game).unwrap();
            let unknown = GameSheet { kind: None, ..sheet };
            assert_eq!(is_simultaneous(&unknown, &*game).unwrap(), known, "{name}");
        }
    }
}
