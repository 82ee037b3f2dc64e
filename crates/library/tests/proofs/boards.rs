//! Boards as people see them: snapshots of first states and later ones, and nothing that a hint forgot.

use std::collections::BTreeSet;
use std::fmt::Write;

use ludex_game::Game;
use ludex_library::{Look, Picture};

use crate::games::{Built, each, ensure, games};
use crate::play::states_at_random;

fn picture(built: &Built, game: &dyn Game, state: &ludex_game::State) -> Picture {
    Picture::new(Some(&built.about), game.roles(), &game.describe(state))
}

/// A state after some steps in which everyone makes the first or the last move by name, in turn.
fn later(game: &dyn Game, steps: usize) -> ludex_game::State {
    let mut state = game.initial();
    for step in 0..steps {
        let view = game.view(&state).expect("the engine answers");
        if view.terminal {
            break;
        }
        let choose = |legal: &Vec<ludex_game::MoveId>| {
            let mut moves: Vec<_> = legal.iter().map(|&id| (game.move_name(id), id)).collect();
            moves.sort();
            moves[if step % 4 < 2 { 0 } else { moves.len() / 2 }].1
        };
        let joint: Vec<_> = view.legal.iter().map(choose).collect();
        state = game.next(&state, &joint).expect("the engine answers");
    }
    state
}

#[test]
fn boards_look_right() {
    for built in games() {
        let game = built.game();
        let look = Look { width: 100, ..Look::default() };
        let draw = |state, look| picture(built, game, state).text(look);
        let (first, later) = (game.initial(), later(game, 9));
        let mut text = String::new();
        let _ = write!(text, "{}\n\n{}", built.about.title, draw(&first, &look));
        let _ = write!(text, "\nlater\n\n{}", draw(&later, &look));
        let _ = write!(text, "\nin ASCII\n\n{}", draw(&later, &Look { ascii: true, ..look }));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(built.sheet.name, text);
        });
    }
}

#[test]
fn ascii_is_ascii_and_escapes_come_only_with_colours() {
    each(|built| {
        let game = built.game();
        let state = later(game, 5);
        let text = |look: &Look| picture(built, game, &state).text(look);
        let plain = text(&Look { ascii: true, ..Look::default() });
        ensure(plain.is_ascii() && !plain.contains('\x1b'), || format!("not ASCII: {plain}"))
    });
}

/// Every content has its glyph, every cell its place, and every line beside the board says something in
/// some state.
#[test]
fn hints_cover_what_occurs() {
    each(|built| {
        let (game, about) = (built.game(), &built.about);
        let mut silent: BTreeSet<usize> = (0..about.beside.len()).collect();
        let mut missing = BTreeSet::new();
        states_at_random(game, 1500, |state| {
            let facts = game.describe(state);
            silent.retain(|&at| !facts.iter().any(|fact| about.beside[at].fact.matches(fact).is_some()));
            let Some(board) = &about.board else { return Ok(()) };
            let own = (&board.cells, &board.glyphs, &board.glyph);
            let also = board.also.iter().map(|layer| (&layer.cells, &layer.glyphs, &layer.glyph));
            for (cells, glyphs, _) in std::iter::once(own).chain(also) {
                for values in facts.iter().filter_map(|fact| cells.matches(fact)) {
                    let value = |variable: &str| cells.place(variable).map(|at| values[at].to_owned());
                    let known =
                        |values: &[String], found: Option<String>| found.is_some_and(|v| values.contains(&v));
                    if !known(&board.columns, value("column")) || !known(&board.rows, value("row")) {
                        missing.insert(format!("a place for {values:?}"));
                    }
                    if let Some(content) = value("content").filter(|content| !glyphs.contains_key(content)) {
                        missing.insert(format!("a glyph for {content}"));
                    }
                }
            }
            Ok(())
        })?;
        ensure(missing.is_empty(), || format!("missing: {missing:?}"))?;
        let silent: Vec<&str> = silent.into_iter().map(|at| about.beside[at].label.as_str()).collect();
        ensure(silent.is_empty(), || format!("never seen beside the board: {silent:?}"))
    });
}

/// Games are drawn without their hints too, at least somehow.
#[test]
fn boards_are_found_without_hints() {
    let found = std::sync::Mutex::new(BTreeSet::new());
    each(|built| {
        let game = built.game();
        let picture = Picture::new(None, game.roles(), &game.describe(&game.initial()));
        let text = picture.text(&Look::default());
        ensure(!text.trim().is_empty(), || "nothing is drawn".into())?;
        if !picture.grids.is_empty() {
            found.lock().expect("no panic").insert(built.sheet.name);
        }
        Ok(())
    });
    let found = found.into_inner().expect("no panic");
    println!("boards found without hints: {found:?}");
    for name in ["tic_tac_toe", "othello", "eight_puzzle", "chess", "sudoku_easy"] {
        let asked_for = games().iter().any(|built| built.sheet.name == name);
        assert!(!asked_for || found.contains(name), "{name}");
    }
}
