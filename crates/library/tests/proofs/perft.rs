//! As many ways to play as the description says.

use crate::counting::{paths, turns};
use crate::games::{Built, each, ensure};

/// Counts that are checked in every run: states behind at most this many paths are expanded.
const PATHS: u64 = 9_000;
/// The same for the reference.
const REFERENCE_PATHS: u64 = 150;

fn agrees(built: &Built, what: &str, found: &[u64], written: &[u64]) -> Result<(), String> {
    ensure(!found.is_empty() && found == &written[..found.len()], || {
        format!("{what}: written {written:?}, found {found:?}")
    })?;
    println!("{}: {what} to depth {}", built.sheet.name, found.len());
    Ok(())
}

/// How many entries of a list belong to paths that are few enough to be counted.
fn within(written: &[u64], most: u64) -> usize {
    1 + written.iter().take_while(|&&paths| paths <= most).count().min(written.len() - 1)
}

#[test]
fn perft_is_as_written() {
    each(|built| {
        let written = &built.about.perft;
        let found = paths(built.shared(), written.len(), PATHS);
        agrees(built, "perft", &found, written)
    });
}

#[test]
fn perft_of_the_reference_is_as_written() {
    each(|built| {
        let written = &built.about.perft;
        // Joint moves of simultaneous games are many at the first step already.
        let depth = if written[0] > 600 { 0 } else { within(written, REFERENCE_PATHS) };
        if depth == 0 {
            println!("{}: too many joint moves for the reference", built.sheet.name);
            return Ok(());
        }
        let layers = ludex_game::perft(&built.reference(), depth).map_err(|e| e.to_string())?;
        let found: Vec<u64> = layers.iter().skip(1).map(|layer| layer.paths).collect();
        agrees(built, "perft of the reference", &found, written)
    });
}

#[test]
fn turns_are_as_written() {
    each(|built| {
        let written = &built.about.perft_turns;
        if written.is_empty() {
            return Ok(());
        }
        let found = turns(built.shared(), within(written, PATHS));
        agrees(built, "perft by turns", &found, written)
    });
}

#[test]
#[ignore = "takes minutes"]
fn perft_is_as_written_to_the_last_figure() {
    each(|built| {
        let written = &built.about.perft;
        agrees(built, "perft", &paths(built.shared(), written.len(), u64::MAX), written)?;
        let written = &built.about.perft_turns;
        if written.is_empty() {
            return Ok(());
        }
        agrees(built, "perft by turns", &turns(built.shared(), written.len()), written)
    });
}

/// Figures that others have published, whatever the descriptions say.
#[test]
fn published_figures() {
    let published: [(&str, &[u64]); 5] = [
        ("chess", &[20, 400, 8902, 197_281]),
        ("othello", &[4, 12, 56, 244, 1396, 8200, 55092, 390_216]),
        ("connect_four", &[7, 49, 343, 2401, 16807, 117_649, 823_536]),
        ("breakthrough", &[22, 484, 11132, 256_036]),
        ("english_draughts", &[7, 49, 302, 1469, 7361, 36768, 179_740]),
    ];
    each(|built| {
        let about = &built.about;
        let written = if about.perft_turns.is_empty() { &about.perft } else { &about.perft_turns };
        if let Some((_, figures)) = published.iter().find(|(name, _)| *name == built.sheet.name) {
            let known = figures.len().min(written.len());
            ensure(known >= 4 && written[..known] == figures[..known], || {
                format!("published {figures:?}, written {written:?}")
            })?;
        }
        if built.sheet.name == "amazons" {
            ensure(about.perft_turns == [2176], || {
                format!("published 2176, written {:?}", about.perft_turns)
            })?;
        }
        Ok(())
    });
}
