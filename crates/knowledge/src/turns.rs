//! Who moves when.

use ludex_game::RoleKind;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::facts::Facts;
use crate::random_play::{PlayedGame, transitions};
use crate::shapes::{Role, Shape};

/// The order of turns, as seen in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Turns {
    /// One player.
    Alone,
    /// Players move one at a time, always in this order.
    InTurn(Vec<String>),
    /// One at a time, but not always in the same order.
    OneAtATime,
    /// Several players have a choice in the same state.
    AtOnce,
    /// Nobody had a choice.
    NoChoice,
}

/// The order of turns, and the fluent that says whose turn it is.
pub(crate) fn turns(
    roles: &[String],
    facts: &Facts,
    shapes: &[Shape],
    games: &[PlayedGame],
) -> (Turns, Option<String>) {
    let players: Vec<usize> =
        (0..roles.len()).filter(|&role| RoleKind::of(&roles[role]) == RoleKind::Player).collect();
    if players.len() == 1 {
        return (Turns::Alone, None);
    }
    let positions = || games.iter().flat_map(|game| &game.positions);
    if positions().any(|position| players.iter().filter(|&&role| position.legal[role] > 1).count() > 1) {
        return (Turns::AtOnce, None);
    }
    if positions().all(|position| position.mover.is_none()) {
        return (Turns::NoChoice, None);
    }
    let mut follows: FxHashMap<usize, usize> = FxHashMap::default();
    let mut regular = true;
    for (before, after) in transitions(games) {
        if let (Some(mover), Some(next)) = (before.mover, after.mover) {
            regular &= *follows.entry(mover).or_insert(next) == next;
        }
    }
    let first = positions().find_map(|position| position.mover);
    let mut order: Vec<usize> = first.into_iter().collect();
    while let Some(&next) = order.last().and_then(|last| follows.get(last)) {
        if order.contains(&next) {
            regular &= order.first() == Some(&next);
            break;
        }
        order.push(next);
    }
    let control = control(roles, facts, shapes, games);
    match regular && order.len() > 1 {
        true => (Turns::InTurn(order.iter().map(|&role| roles[role].clone()).collect()), control),
        false => (Turns::OneAtATime, control),
    }
}

/// The variable that always names the player who has a choice.
fn control(roles: &[String], facts: &Facts, shapes: &[Shape], games: &[PlayedGame]) -> Option<String> {
    let variables = shapes.iter().filter(|shape| shape.role == Role::Variable);
    let names_mover = |shape: &&Shape| {
        let moving = games.iter().flat_map(|game| &game.positions).filter_map(|p| Some((p, p.mover?)));
        moving.clone().count() > 0
            && moving.clone().all(|(position, mover)| {
                let mut named = facts.of_fluent(shape.fluent, &position.facts);
                named.any(|(_, values)| values.iter().any(|&value| facts.text(value) == roles[mover]))
            })
    };
    variables.clone().find(names_mover).map(|shape| shape.name.clone())
}
