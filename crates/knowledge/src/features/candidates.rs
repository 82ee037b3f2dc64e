//! Candidate features, from the structures of a game.
//!
//! After Cluneplayer (Finnsson 2007, section 3.5.1): how often a content stands on a board (piece
//! counts), distances along the steps that pieces make, how nearly the conjunctions of a goal are
//! satisfied, mobility. Ordered places add how far pieces have come and what quantities are worth.
//! Which of them matter is for `measure` to say.

use ludex_game::{Game, GroundModel, RoleKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conjunctions::Conjunctions;
use super::positions::places;
use super::{About, Feature, Formula, Speaks};
use crate::facts::Value;
use crate::pieces::Kind;
use crate::shapes::{Role, Shape};
use crate::understanding::Understanding;

/// With more kinds of pieces, features of single pieces are left out.
const FEW_KINDS: usize = 4;

/// Features at most: weights of more are not measured well by random games.
const MAX_FEATURES: usize = 160;

/// Nodes of the model that are searched for the facts of a goal.
const MAX_NODES: usize = 200_000;

pub(super) fn candidates(game: &dyn Game, understood: &Understanding) -> Vec<Feature> {
    let model = game.model().and_then(|model| model.ground());
    let mut features = Vec::new();
    for shape in understood.with_role(Role::Quantity) {
        quantities(understood, shape, &mut features);
    }
    let kinds: Vec<&Kind> = understood.kinds.iter().filter(|kind| !kind.blank && kind.most > 0).collect();
    for kind in &kinds {
        of_kind(understood, kind, kinds.len() <= FEW_KINDS, &mut features);
    }
    if let Some(model) = model {
        let goals = best_goals(model, game);
        for kind in &kinds {
            features.extend(distance(understood, kind, model, &goals));
        }
        for &(role, goal) in &goals {
            if let Some(near) = Conjunctions::of(model, goal) {
                let name = format!("goal conjunctions nearly satisfied, {}", understood.roles[role]);
                let about = About::new("near", [understood.roles[role].as_str()]);
                features.push(Feature { name, about, speaks: Speaks::Payoff, formula: Formula::Near(near) });
            }
        }
    }
    for (role, name) in understood.roles.iter().enumerate() {
        if RoleKind::of(name) == RoleKind::Player && understood.roles.len() > 1 {
            features.push(Feature {
                name: format!("legal moves of {name}"),
                about: About::new("moves", [name.as_str()]),
                speaks: Speaks::Control,
                formula: Formula::Mobility(role),
            });
        }
    }
    features.extend(places(understood, &kinds));
    features.truncate(MAX_FEATURES);
    features
}

/// The value of a quantity, for each key.
#[allow(clippy::cast_precision_loss, reason = "places in an order are small")]
fn quantities(understood: &Understanding, shape: &Shape, features: &mut Vec<Feature>) {
    let facts = &understood.facts;
    let Some(order) = shape.content.first().and_then(|&place| shape.order(place)) else { return };
    let mut keys: Vec<Vec<Value>> = Vec::new();
    let mut weights: Vec<Vec<(u32, f32)>> = Vec::new();
    for &id in &facts.fluents[shape.fluent].facts {
        let Some(fact) = facts.get(id) else { continue };
        let Some(position) = order.position(fact.arguments[order.place]) else { continue };
        let key = shape.key_of(&fact.arguments);
        let at = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            weights.push(Vec::new());
            keys.len() - 1
        });
        weights[at].push((id.0, position as f32));
    }
    for (key, weights) in keys.iter().zip(weights) {
        let name = format!("{} {}", shape.name, facts.words(key)).trim_end().to_owned();
        let about = About::new("quantity", [shape.name.as_str(), &facts.words(key)]);
        features.push(Feature { name, about, speaks: Speaks::Payoff, formula: Formula::Sum(weights) });
    }
}

/// Number, advance and centrality of a content.
#[allow(clippy::cast_precision_loss, reason = "boards are small")]
fn of_kind(understood: &Understanding, kind: &Kind, in_detail: bool, features: &mut Vec<Feature>) {
    let facts = &understood.facts;
    let shape = &understood.shapes[kind.shape];
    let members: Vec<(u32, &[Value])> = facts.fluents[shape.fluent]
        .facts
        .iter()
        .filter_map(|&id| Some((id.0, facts.get(id)?.arguments.as_slice())))
        .filter(|(_, arguments)| shape.content_of(arguments) == kind.values)
        .collect();
    let label = if kind.content == kind.board {
        kind.board.clone()
    } else {
        format!("{} {}", kind.board, kind.content)
    };
    let mut add = |name: String, (what, by): (&'static str, &str), speaks, formula| {
        let about = About::new(what, [kind.board.as_str(), &kind.content, by]);
        features.push(Feature { name, about, speaks, formula });
    };
    if kind.least < kind.most {
        let ones = members.iter().map(|&(id, _)| (id, 1.0)).collect();
        add(format!("number of {label}"), ("number", ""), Speaks::Payoff, Formula::Sum(ones));
    }
    let orders: Vec<_> = shape.key.iter().filter_map(|&place| shape.order(place)).collect();
    let mut central: FxHashMap<u32, f32> = FxHashMap::default();
    for order in &orders {
        let at: Vec<(u32, f32)> = members
            .iter()
            .filter_map(|&(id, arguments)| Some((id, order.position(arguments[order.place])? as f32)))
            .collect();
        let low = at.iter().map(|found| found.1).fold(f32::INFINITY, f32::min);
        let high = at.iter().map(|found| found.1).fold(0.0, f32::max);
        if low >= high {
            continue;
        }
        for &(id, position) in &at {
            *central.entry(id).or_default() -= (position - f32::midpoint(low, high)).abs();
        }
        if !kind.moves {
            continue;
        }
        let forward = at.iter().map(|&(id, position)| (id, position - low)).collect();
        let name = format!("{label}: sum of `{}`", order.by);
        add(name, ("advance", &order.by), Speaks::Payoff, Formula::Sum(forward));
        if in_detail {
            let up = at.iter().map(|&(id, position)| (id, position - low + 1.0)).collect();
            let name = format!("{label}: furthest by `{}`", order.by);
            add(name, ("up", &order.by), Speaks::Payoff, Formula::Most(up));
            let down = at.iter().map(|&(id, position)| (id, high - position + 1.0)).collect();
            let name = format!("{label}: furthest against `{}`", order.by);
            add(name, ("down", &order.by), Speaks::Payoff, Formula::Most(down));
        }
    }
    if !orders.is_empty() {
        let weights = members.iter().filter_map(|&(id, _)| Some((id, *central.get(&id)?))).collect();
        add(format!("{label}: near the centre"), ("centre", ""), Speaks::Control, Formula::Sum(weights));
    }
}

/// By role: the signal of its highest goal.
fn best_goals(model: &GroundModel, game: &dyn Game) -> Vec<(usize, ludex_game::model::Literal)> {
    let is_player = |role: &usize| RoleKind::of(&game.roles()[*role]) == RoleKind::Player;
    (0..game.role_count())
        .filter(is_player)
        .filter_map(|role| {
            let of_role = model.goals.iter().filter(|goal| goal.role.index() == role);
            let valued =
                of_role.filter_map(|goal| Some((model.terms.text(goal.value).parse::<u8>().ok()?, goal)));
            valued.max_by_key(|found| found.0).map(|(_, goal)| (role, goal.holds))
        })
        .collect()
}

/// Steps of a content to the cells where some goal wants it, summed over its pieces.
#[allow(clippy::cast_precision_loss, reason = "boards are small")]
fn distance(
    understood: &Understanding,
    kind: &Kind,
    model: &GroundModel,
    goals: &[(usize, ludex_game::model::Literal)],
) -> Option<Feature> {
    if kind.steps.is_empty() {
        return None;
    }
    let shape = &understood.shapes[kind.shape];
    let facts = &understood.facts;
    let mut wanted: FxHashSet<Vec<Value>> = FxHashSet::default();
    let own = goals.iter().filter(|(role, _)| kind.role.is_none_or(|owner| owner == *role));
    for &(_, goal) in own {
        for fact in support(model, goal) {
            let Some(known) = facts.get(ludex_game::FactId(fact)) else { continue };
            if known.fluent == shape.fluent && shape.content_of(&known.arguments) == kind.values {
                wanted.insert(shape.key_of(&known.arguments));
            }
        }
    }
    let mut back: FxHashMap<&Vec<Value>, Vec<&Vec<Value>>> = FxHashMap::default();
    for (from, to) in &kind.steps {
        back.entry(to).or_default().push(from);
    }
    let members: Vec<(u32, Vec<Value>)> = facts.fluents[shape.fluent]
        .facts
        .iter()
        .filter_map(|&id| Some((id.0, &facts.get(id)?.arguments)))
        .filter(|(_, arguments)| shape.content_of(arguments) == kind.values)
        .map(|(id, arguments)| (id, shape.key_of(arguments)))
        .collect();
    // A goal that wants a piece anywhere gives no direction.
    if wanted.is_empty() || wanted.len() * 2 > members.len() {
        return None;
    }
    let mut distances: FxHashMap<&Vec<Value>, usize> = FxHashMap::default();
    let mut open: Vec<&Vec<Value>> =
        members.iter().map(|(_, cell)| cell).filter(|c| wanted.contains(*c)).collect();
    open.iter().for_each(|&cell| {
        distances.insert(cell, 0);
    });
    let mut steps = 0;
    while !open.is_empty() {
        steps += 1;
        let mut next = Vec::new();
        for cell in open {
            for &from in back.get(cell).into_iter().flatten() {
                if !distances.contains_key(from) {
                    distances.insert(from, steps);
                    next.push(from);
                }
            }
        }
        open = next;
    }
    let far = steps as f32;
    let weight = |cell: &Vec<Value>| distances.get(cell).map_or(far, |&steps| steps as f32);
    let weights = members.iter().map(|(id, cell)| (*id, weight(cell))).collect();
    let name = format!("{} {}: steps to a cell of the goal", kind.board, kind.content);
    let about = About::new("distance", [kind.board.as_str(), &kind.content]);
    Some(Feature { name, about, speaks: Speaks::Payoff, formula: Formula::Sum(weights) })
}

/// The facts that a signal reads.
fn support(model: &GroundModel, signal: ludex_game::model::Literal) -> Vec<u32> {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let (mut stack, mut found) = (vec![signal.node()], Vec::new());
    while let Some(node) = stack.pop() {
        if !seen.insert(node) || seen.len() > MAX_NODES {
            continue;
        }
        if let Some(ludex_game::model::Node::Fact(fact)) = model.gates.nodes().get(node as usize) {
            found.push(fact.0);
        }
        stack.extend(model.gates.inputs(node).iter().map(|input| input.node()));
    }
    found
}
