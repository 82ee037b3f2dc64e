//! Saves the record of a match, at its end or in the middle.

use std::path::PathBuf;

use ludex_arena::MatchRecord;

use crate::commands::matches::write_record;

/// Writes the record and says where. Without a name a new file is made, so that nothing is
/// overwritten by accident.
pub(super) fn save(record: &MatchRecord, file: Option<&str>) -> String {
    const MOST: usize = 10_000;
    let path = match file {
        Some(file) => PathBuf::from(file),
        None => {
            let game = record.ludex.as_ref().map_or("match", |details| details.game.as_str());
            let name = |number: usize| PathBuf::from(format!("{game}-{number}.json"));
            let free = (1..MOST).map(name).find(|path| !path.exists());
            free.unwrap_or_else(|| name(MOST))
        }
    };
    match write_record(&path, record) {
        Ok(()) => format!("Saved: `ludex replay {}` shows it.", path.display()),
        Err(error) => format!("Not saved: {error:#}"),
    }
}
