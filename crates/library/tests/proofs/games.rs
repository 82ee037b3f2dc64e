//! All games, built once and shared by the tests, and a way to do something with each of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use ludex_game::Game;
use ludex_gdl::Rules;
use ludex_library::{About, Sheet, sheets};
use ludex_reasoner::build;
use ludex_testkit::rules;

/// A game that runs, with what is said of it.
pub(crate) struct Built {
    pub(crate) sheet: &'static Sheet,
    pub(crate) about: About,
    game: OnceLock<Arc<dyn Game>>,
}

impl Built {
    pub(crate) fn rules(&self) -> Rules {
        rules(self.sheet.text)
    }

    /// Run by the fastest engine.
    pub(crate) fn game(&self) -> &dyn Game {
        &**self.shared()
    }

    /// The same, for those who want a simulator of it.
    pub(crate) fn shared(&self) -> &Arc<dyn Game> {
        self.game.get_or_init(|| build(self.rules(), "batch").expect("every game grounds"))
    }

    /// Run by the engine that is to be believed.
    pub(crate) fn reference(&self) -> Arc<dyn Game> {
        build(self.rules(), "reference").expect("every game runs")
    }
}

/// All games, or those named by `LUDEX_GAMES`.
pub(crate) fn games() -> &'static [Built] {
    static GAMES: OnceLock<Vec<Built>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let wanted = std::env::var("LUDEX_GAMES").unwrap_or_default();
        let wanted: Vec<&str> = wanted.split(',').filter(|name| !name.is_empty()).collect();
        let chosen = sheets().iter().filter(|sheet| wanted.is_empty() || wanted.contains(&sheet.name));
        let about = |sheet: &Sheet| sheet.about().unwrap_or_else(|error| panic!("{error}"));
        chosen.map(|sheet| Built { sheet, about: about(sheet), game: OnceLock::new() }).collect()
    })
}

/// Does something with each game, on all processors; what is wrong with any of them is told at the end.
pub(crate) fn each(what: impl Fn(&Built) -> Result<(), String> + Sync) {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(built) = games().get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = what(built) {
                        failures.lock().expect("no panic").push(format!("{}: {failure}", built.sheet.name));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// An error unless something holds.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

#[test]
fn there_are_games_and_every_one_is_described() {
    assert!(sheets().len() >= 91, "only {} games", sheets().len());
    each(|built| {
        let about = &built.about;
        let title = built.sheet.head().lines().next().unwrap_or("").to_owned();
        ensure(about.title == title, || format!("the title is {}, in the sheet {title}", about.title))?;
        ensure(about.average_length.is_some(), || "no average length".into())?;
        ensure(!about.perft.is_empty(), || "no perft".into())?;
        ensure(about.best.is_some() == about.solution_length.is_some(), || {
            "`best` and `solution_length` belong together".into()
        })?;
        ensure(about.board.is_some() || !about.beside.is_empty(), || "nothing to see".into())
    });
}
