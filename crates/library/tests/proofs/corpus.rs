//! Published sheets of the same games: as many ways to play, or else a difference that is stated.

use std::path::PathBuf;

use ludex_gdl::{Source, load};
use ludex_reasoner::build;

use crate::counting::paths;
use crate::games::{each, ensure};

/// States behind at most this many paths are expanded.
const PATHS: u64 = 300;
/// The same when asked for.
const MANY_PATHS: u64 = 20_000;

fn compare(most: u64) {
    let Some(corpus) = std::env::var_os("LUDEX_CORPUS").map(PathBuf::from) else {
        println!("LUDEX_CORPUS is not set: published sheets are not compared");
        return;
    };
    each(|built| {
        let written = &built.about.perft;
        for other in &built.about.corpus {
            let path = corpus.join("games").join(&other.sheet).with_extension("kif");
            let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let rules = load(&Source::new(other.sheet.as_str(), bytes)).rules;
            let game = build(rules, "rules").map_err(|error| format!("{}: {error}", other.sheet))?;
            let found = paths(&*game, written.len(), most);
            let same = found == written[..found.len()];
            let depth = found.len();
            println!(
                "{}: {} to depth {depth}: {}",
                built.sheet.name,
                other.sheet,
                if same { "same" } else { "differs" }
            );
            ensure(same || !other.same, || format!("{}: written {written:?}, found {found:?}", other.sheet))?;
        }
        Ok(())
    });
}

#[test]
fn published_sheets_have_as_many_ways_to_play() {
    compare(PATHS);
}

#[test]
#[ignore = "takes minutes"]
fn published_sheets_have_as_many_ways_to_play_deeper() {
    compare(MANY_PATHS);
}
