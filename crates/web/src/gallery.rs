//! The games to choose from, and a position of each for its picture.
//!
//! Positions come from random play with a seed of the game's own, by the reference, which needs no
//! set-up. They are made when they are first asked for, one after the other, and kept.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::body::Bytes;
use ludex_game::{Game, MoveId};
use ludex_gdl::{Source, load};
use ludex_library::{Kind, Picture, Sheet, sheets};
use ludex_reasoner::Reference;
use serde::Serialize;

use crate::assets;
use crate::reply::Refusal;
use crate::shelf::contents;
use crate::shown::{ShownPicture, choices};
use crate::style::Style;

/// Most steps of random play before the position.
const MOST_STEPS: usize = 14;

/// A game in the list.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    name: &'static str,
    title: String,
    kind: &'static str,
    roles: Vec<String>,
    /// Mean steps of random playouts.
    length: Option<f64>,
    /// The first sentences about it.
    text: String,
}

/// All games, by title.
pub(crate) static GAMES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries: Vec<Entry> = sheets().iter().filter_map(entry).collect();
    entries.sort_by(|a, b| a.title.cmp(&b.title));
    entries
});

/// The list, compressed: it is the largest thing that the first page needs.
pub(crate) static PACKED_GAMES: LazyLock<Option<Bytes>> =
    LazyLock::new(|| assets::pack(&serde_json::to_vec(&*GAMES).ok()?));

fn entry(sheet: &'static Sheet) -> Option<Entry> {
    let about = sheet.about().ok()?;
    Some(Entry {
        name: sheet.name,
        kind: about.kind.map_or("", Kind::as_str),
        roles: about.roles,
        length: about.average_length,
        title: about.title,
        text: sheet.head(),
    })
}

/// A position to be drawn.
#[derive(Debug, Serialize)]
pub(crate) struct Preview {
    style: Style,
    roles: Vec<String>,
    picture: ShownPicture,
}

/// Previews that were made.
#[derive(Default)]
pub(crate) struct Previews {
    made: Mutex<BTreeMap<&'static str, Arc<Preview>>>,
    /// One at a time: they are for decoration, and matches need the cores.
    working: Mutex<()>,
}

impl Previews {
    /// The preview of a game; takes a moment the first time.
    pub(crate) fn of(&self, name: &str) -> Result<Arc<Preview>, Refusal> {
        let Some(sheet) = ludex_library::find(name) else {
            return Err(Refusal::missing("there is no such game"));
        };
        if let Some(preview) = self.made(sheet.name) {
            return Ok(preview);
        }
        let _working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(preview) = self.made(sheet.name) {
            return Ok(preview);
        }
        let preview = Arc::new(preview(sheet).ok_or_else(|| Refusal::broken("there is no picture"))?);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(sheet.name, Arc::clone(&preview));
        Ok(preview)
    }

    fn made(&self, name: &str) -> Option<Arc<Preview>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone)
    }
}

fn preview(sheet: &Sheet) -> Option<Preview> {
    let about = sheet.about().ok()?;
    let rules = load(&Source::new(sheet.name, sheet.text)).playable().ok()?;
    let game = Reference::new(rules).ok()?;
    let first = game.initial();
    let facts = game.describe(&first);
    let picture = Picture::new(Some(&about), game.roles(), &facts);
    let view = game.view(&first).ok()?;
    let legal: Vec<String> = view.legal.iter().flatten().map(|&id| game.move_name(id)).collect();
    let style = Style::of(&picture, &contents(Some(&about)), &choices(&legal, &picture));
    let steps = steps(about.kind, about.average_length, &picture);
    let seed = sheet.name.bytes().fold(7u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let facts = after_random_play(&game, steps, seed).unwrap_or(facts);
    let picture = Picture::new(Some(&about), game.roles(), &facts);
    Some(Preview { style, roles: game.roles().to_vec(), picture: ShownPicture::from(&picture) })
}

/// How far to play: puzzles are shown as they begin unless nothing is there yet.
fn steps(kind: Option<Kind>, length: Option<f64>, first: &Picture) -> usize {
    let something = first.grids.iter().flat_map(|grid| grid.cells.iter().flatten());
    let something = something.filter(|cell| !matches!(cell.text.as_str(), "·" | " " | "")).count() > 1;
    if kind == Some(Kind::SinglePlayer) && something {
        return 0;
    }
    let share = (0..MOST_STEPS).take_while(|&steps| (steps as f64) < length.unwrap_or(0.0) * 0.45).count();
    // A few simultaneous moves change everything.
    if kind == Some(Kind::Simultaneous) { share.min(4) } else { share }
}

/// The facts after so many random steps; earlier if the game is over before.
fn after_random_play(game: &Reference, steps: usize, seed: u64) -> Option<Vec<String>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut state = game.initial();
    for _ in 0..steps {
        let view = game.view(&state).ok()?;
        let joint: Option<Vec<MoveId>> =
            view.legal.iter().map(|legal| random.choice(legal).copied()).collect();
        let next = game.next(&state, &joint?).ok()?;
        if game.view(&next).ok()?.terminal {
            break;
        }
        state = next;
    }
    Some(game.describe(&state))
}
