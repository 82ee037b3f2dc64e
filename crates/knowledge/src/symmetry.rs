//! Reflections of boards that play does not tell apart.
//!
//! A reflection turns the order of a coordinate round, or exchanges two coordinates, in all facts
//! that have them. It is kept if states of random play and their images agree on the end, the goals
//! and the number of legal moves of every role. That is strong evidence, not a proof; where all games
//! ended alike it is none, and nothing is claimed.

use ludex_game::{FactId, Failure, Game};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::facts::{Facts, Value};
use crate::random_play::{PlayedGame, thinned};
use crate::shapes::{Role, Shape};

/// States that are compared with their images.
const COMPARED: usize = 60;

/// A map of the board that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Symmetry {
    /// This coordinate turned round, by number among the board's coordinates.
    Reflected(usize),
    /// Both coordinates turned round.
    Turned,
    /// The coordinates exchanged.
    Exchanged,
}

/// The symmetries of the largest board.
pub(crate) fn symmetries(
    game: &dyn Game,
    facts: &Facts,
    shapes: &[Shape],
    games: &[PlayedGame],
) -> Result<Vec<Symmetry>, Failure> {
    let boards = shapes.iter().filter(|shape| shape.role == Role::Board && shape.key.len() == 2);
    let ordered = boards.filter(|shape| shape.key.iter().all(|&place| shape.order(place).is_some()));
    let Some(board) = ordered.max_by_key(|shape| shape.facts) else { return Ok(Vec::new()) };
    let candidates = [Symmetry::Reflected(0), Symmetry::Reflected(1), Symmetry::Turned, Symmetry::Exchanged];
    let ids: FxHashMap<(usize, Vec<Value>), FactId> = facts
        .fluents
        .iter()
        .flat_map(|fluent| &fluent.facts)
        .filter_map(|&id| facts.get(id).map(|fact| ((fact.fluent, fact.arguments.clone()), id)))
        .collect();
    let mut found = Vec::new();
    for symmetry in candidates {
        if let Some(map) = fact_map(&symmetry, board, facts, shapes, &ids)
            && holds(game, &map, games)?
        {
            found.push(symmetry);
        }
    }
    Ok(found)
}

/// Where each fact goes; none if some fact would go nowhere.
fn fact_map(
    symmetry: &Symmetry,
    board: &Shape,
    facts: &Facts,
    shapes: &[Shape],
    ids: &FxHashMap<(usize, Vec<Value>), FactId>,
) -> Option<FxHashMap<FactId, FactId>> {
    let axes: Vec<_> = board.key.iter().filter_map(|&place| board.order(place)).collect();
    let turned = |axis: usize, value: Value| -> Option<Value> {
        let values = &facts.fluents[board.fluent].values[board.key[axis]];
        let place = |value: Value| axes[axis].position(value);
        let all: Vec<usize> = values.iter().filter_map(|&value| place(value)).collect();
        let image = all.iter().min()? + all.iter().max()? - place(value)?;
        values.iter().copied().find(|&other| place(other) == Some(image))
    };
    let mut map = FxHashMap::default();
    for (shape, fluent) in shapes.iter().zip(&facts.fluents) {
        // Coordinates of other fluents: the same values in the same order of places.
        let mut places: Vec<(usize, usize)> = Vec::new();
        for ordered in &shape.ordered {
            let is_axis = |axis: &usize| {
                let values = &facts.fluents[board.fluent].values[board.key[*axis]];
                let taken = places.iter().any(|(other, _)| other == axis);
                let inside = fluent.values[ordered.place].iter().all(|value| values.contains(value));
                !taken && ordered.by == axes[*axis].by && inside
            };
            if shape.role != Role::StepCounter
                && shape.role != Role::Quantity
                && let Some(axis) = [0, 1].into_iter().find(is_axis)
            {
                places.push((axis, ordered.place));
            }
        }
        if places.len() != 2 {
            places.clear();
        }
        for &id in &fluent.facts {
            let mut arguments = facts.get(id)?.arguments.clone();
            if !places.is_empty() {
                match symmetry {
                    Symmetry::Reflected(axis) => {
                        let place = places.iter().find(|(found, _)| found == axis)?.1;
                        arguments[place] = turned(*axis, arguments[place])?;
                    }
                    Symmetry::Turned => {
                        for &(axis, place) in &places {
                            arguments[place] = turned(axis, arguments[place])?;
                        }
                    }
                    Symmetry::Exchanged => {
                        let values = |axis: usize| &facts.fluents[board.fluent].values[board.key[axis]];
                        let same = values(0).iter().all(|value| values(1).contains(value));
                        if !same || values(0).len() != values(1).len() {
                            return None;
                        }
                        arguments.swap(places[0].1, places[1].1);
                    }
                }
            }
            map.insert(id, *ids.get(&(shape.fluent, arguments))?);
        }
    }
    Some(map)
}

fn holds(game: &dyn Game, map: &FxHashMap<FactId, FactId>, games: &[PlayedGame]) -> Result<bool, Failure> {
    let mut different = false;
    for position in thinned(games, COMPARED) {
        let mut image: Vec<FactId> =
            position.facts.iter().map(|fact| map.get(fact).copied().unwrap_or(*fact)).collect();
        image.sort_unstable();
        let state = game.state_with(&image);
        different |= state != position.state;
        let (view, other) = (game.view(&position.state)?, game.view(&state)?);
        let counts = |view: &ludex_game::View| view.legal.iter().map(Vec::len).collect::<Vec<_>>();
        if view.terminal != other.terminal || counts(&view) != counts(&other) {
            return Ok(false);
        }
        if game.goals(&position.state)? != game.goals(&state)? {
            return Ok(false);
        }
    }
    Ok(different)
}
