//! What lies on boards: contents of cells, whose they are, and how they move.
//!
//! All of it is seen in play. A content belongs to the player in whose steps it appears; it moves if
//! it disappears from one cell and appears in another in the same step. A content of which there is
//! never more than one is a piece, others are markers (as in Fluxplayer).

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::facts::{Facts, Value};
use crate::random_play::{PlayedGame, changes, transitions};
use crate::shapes::{Role, Shape};

/// Contents of one board that are looked at: more are no kinds of pieces.
const MAX_KINDS: usize = 64;

/// Steps in which a content must appear before its owner is believed.
const MIN_ARRIVALS: u32 = 3;

/// A content of the cells of a board.
#[derive(Clone, Debug, Serialize)]
pub struct Kind {
    /// Name of the board's fluent.
    pub board: String,
    /// What the facts say of the cell, with blanks; the name of the fluent if they say nothing.
    pub content: String,
    /// The role that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Most often found and nobody's: the empty cell.
    pub blank: bool,
    /// It goes from cell to cell.
    pub moves: bool,
    /// The least number in a state of play.
    pub least: u32,
    /// The greatest.
    pub most: u32,
    /// How many there are in the first state.
    pub initial: u32,
    /// Number of the role in the game.
    #[serde(skip)]
    pub role: Option<usize>,
    /// Number of the board's shape.
    #[serde(skip)]
    pub shape: usize,
    /// The values at the content places.
    #[serde(skip)]
    pub values: Vec<Value>,
    /// Steps seen: from cell to cell.
    #[serde(skip)]
    pub steps: Vec<(Vec<Value>, Vec<Value>)>,
}

impl Kind {
    /// A piece is alone of its kind.
    pub fn is_unique(&self) -> bool {
        self.most == 1
    }
}

#[derive(Clone, Debug, Default)]
struct Seen {
    arrivals: FxHashMap<usize, u32>,
    counts: Option<(u32, u32)>,
    total: u64,
    steps: Vec<(Vec<Value>, Vec<Value>)>,
}

/// The contents of all boards, by board, in the order in which facts have them.
pub(crate) fn kinds(facts: &Facts, shapes: &[Shape], roles: &[String], games: &[PlayedGame]) -> Vec<Kind> {
    let boards = shapes.iter().enumerate().filter(|(_, shape)| shape.role == Role::Board);
    boards.flat_map(|(at, shape)| of_board(at, shape, facts, roles, games)).collect()
}

fn of_board(at: usize, shape: &Shape, facts: &Facts, roles: &[String], games: &[PlayedGame]) -> Vec<Kind> {
    let mut contents: Vec<Vec<Value>> = Vec::new();
    let mut numbers: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
    for fact in facts.fluents[shape.fluent].facts.iter().filter_map(|&id| facts.get(id)) {
        let content = shape.content_of(&fact.arguments);
        if contents.len() > MAX_KINDS {
            return Vec::new();
        }
        numbers.entry(content).or_insert_with_key(|content| {
            contents.push(content.clone());
            contents.len() - 1
        });
    }
    let mut seen = vec![Seen::default(); contents.len()];
    let mut initial = vec![0; contents.len()];
    for (number, position) in games.iter().flat_map(|game| &game.positions).enumerate() {
        let mut counts = vec![0u32; contents.len()];
        for (_, arguments) in facts.of_fluent(shape.fluent, &position.facts) {
            if let Some(&kind) = numbers.get(&shape.content_of(arguments)) {
                counts[kind] += 1;
            }
        }
        for (seen, &count) in seen.iter_mut().zip(&counts) {
            let (least, most) = seen.counts.unwrap_or((count, count));
            seen.counts = Some((least.min(count), most.max(count)));
            seen.total += u64::from(count);
        }
        if number == 0 {
            initial = counts;
        }
    }
    watch_steps(shape, facts, &numbers, games, &mut seen);
    let blank = blank(&contents, &seen, &initial, roles, facts);
    let mut kinds = Vec::new();
    for (number, (content, seen)) in contents.into_iter().zip(seen).enumerate() {
        let role = if blank == Some(number) { None } else { owner(&content, &seen, roles, facts) };
        let (least, most) = seen.counts.unwrap_or((0, 0));
        kinds.push(Kind {
            board: shape.name.clone(),
            content: if content.is_empty() { shape.name.clone() } else { facts.words(&content) },
            owner: role.map(|role| roles[role].clone()),
            blank: blank == Some(number),
            moves: blank != Some(number) && !seen.steps.is_empty(),
            least,
            most,
            initial: initial[number],
            role,
            shape: at,
            values: content,
            steps: seen.steps,
        });
    }
    kinds
}

/// Who lets which content appear, and where contents go.
fn watch_steps(
    shape: &Shape,
    facts: &Facts,
    numbers: &FxHashMap<Vec<Value>, usize>,
    games: &[PlayedGame],
    seen: &mut [Seen],
) {
    for (before, after) in transitions(games) {
        let (come, go) = changes(before, after);
        let cells = |ids: &[_]| -> Vec<(usize, Vec<Value>)> {
            let of_board = facts.of_fluent(shape.fluent, ids);
            let cell = |(_, arguments): (_, &[Value])| {
                Some((*numbers.get(&shape.content_of(arguments))?, shape.key_of(arguments)))
            };
            of_board.filter_map(cell).collect()
        };
        let (come, go) = (cells(&come), cells(&go));
        for (kind, to) in &come {
            if let Some(mover) = before.mover {
                *seen[*kind].arrivals.entry(mover).or_default() += 1;
            }
            // With several that leave (castling, captures of own pieces) nobody knows which came.
            let mut from = go.iter().filter(|(other, _)| other == kind);
            if let (Some((_, from)), None) = (from.next(), from.next()) {
                let step = (from.clone(), to.clone());
                if from != to && !seen[*kind].steps.contains(&step) {
                    seen[*kind].steps.push(step);
                }
            }
        }
    }
}

/// A role that the content names, or the only one in whose steps it appears.
fn owner(content: &[Value], seen: &Seen, roles: &[String], facts: &Facts) -> Option<usize> {
    let named = content.iter().find_map(|&value| roles.iter().position(|role| role == facts.text(value)));
    named.or_else(|| {
        let mut arrivals: Vec<(u32, usize)> = seen.arrivals.iter().map(|(&role, &n)| (n, role)).collect();
        arrivals.sort_unstable();
        let &(most, role) = arrivals.last()?;
        let all: u32 = arrivals.iter().map(|(count, _)| count).sum();
        (most == all && most >= MIN_ARRIVALS && roles.len() > 1).then_some(role)
    })
}

/// The most frequent content that is nobody's and there from the beginning, of a board on which
/// others have something.
fn blank(
    contents: &[Vec<Value>],
    seen: &[Seen],
    initial: &[u32],
    roles: &[String],
    facts: &Facts,
) -> Option<usize> {
    let is_free = |at: &usize| owner(&contents[*at], &seen[*at], roles, facts).is_none();
    let free = (0..contents.len()).filter(|at| initial[*at] > 1 && is_free(at));
    let found = free.max_by_key(|&at| (seen[at].total, std::cmp::Reverse(at)))?;
    (0..contents.len()).any(|at| !is_free(&at)).then_some(found)
}
