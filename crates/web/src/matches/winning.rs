//! The cells that decided a match: a line of four, a chain from edge to edge.
//!
//! Rules do not say what decided. A piece did if the game would not be over without it. Where the
//! end has other reasons (a king in check, a full board) that says little, so nothing is shown then.

use ludex_game::{FactId, Game};
use ludex_library::{Picture, Place};

use crate::shelf::Game as Shelved;

/// Most facts of a state that are looked at: each needs a look at a state.
const MOST_FACTS: usize = 600;
/// Fewer or more cells are no line.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=30;

/// The cells without which a terminal state would not be terminal, if the winner owns them all.
pub(crate) fn winning(shelved: &Shelved, facts: &[String], goals: &[u8]) -> Vec<Place> {
    let mut winners = (0..goals.len()).filter(|&role| goals[role] == 100);
    let (Some(winner), None) = (winners.next(), winners.next()) else { return Vec::new() };
    if goals.len() < 2 || facts.len() > MOST_FACTS {
        return Vec::new();
    }
    let game: &dyn Game = &**shelved.rulebook.game();
    let ids: Option<Vec<FactId>> = facts.iter().map(|fact| game.find_fact(fact)).collect();
    let Some(mut ids) = ids else { return Vec::new() };
    ids.sort_unstable();
    let whole = shelved.picture(facts);
    let mut found = Vec::new();
    for without in &ids {
        let rest: Vec<FactId> = ids.iter().filter(|id| *id != without).copied().collect();
        let is_over = game.view(&game.state_with(&rest)).map_or(true, |view| view.terminal);
        if is_over {
            continue;
        }
        let rest: Vec<String> = rest.iter().map(|&id| game.fact_name(id)).collect();
        let places = shelved.picture(&rest).changes(&whole);
        let [place] = places[..] else { return Vec::new() };
        if owner(&whole, place) != Some(winner) {
            return Vec::new();
        }
        found.push(place);
    }
    if LENGTHS.contains(&found.len()) { found } else { Vec::new() }
}

fn owner(picture: &Picture, place: Place) -> Option<usize> {
    picture.grids.get(place.grid)?.cells.get(place.row)?.get(place.column)?.role
}
