//! Records of matches, to be looked at: a match that is over, with the seats of those who played it.

use ludex_arena::{MatchRecord, Verdict, verify_record};

use super::live::MAX_STEPS;
use super::new_match::{NewMatch, Seat};
use crate::reply::Refusal;
use crate::shelf::{Game, Wanted};

/// Most bytes of a record.
pub(crate) const MAX_RECORD: usize = 16 << 20;
/// Longest name of a player, in letters.
const MAX_NAME: usize = 80;

/// Reads a record.
pub(crate) fn read(bytes: &[u8]) -> Result<MatchRecord, Refusal> {
    let record = MatchRecord::read(bytes).map_err(|error| Refusal::bad(format!("no record: {error}")))?;
    if record.steps() > MAX_STEPS {
        return Err(Refusal::bad(format!("the record has more than {MAX_STEPS} steps")));
    }
    Ok(record)
}

/// The game of a record: by its rules.
pub(crate) fn game(record: &MatchRecord) -> Result<Wanted, Refusal> {
    let Some(details) = &record.ludex else {
        return Err(Refusal::bad("the record does not have its rules, as those of Ludex do"));
    };
    Ok(match ludex_library::find(&details.game).filter(|sheet| sheet.text == details.rules) {
        Some(sheet) => Wanted::Named(sheet.name.to_owned()),
        None => Wanted::Sheet { name: details.game.clone(), text: details.rules.clone() },
    })
}

/// The match that it was, if it keeps to the rules: positions and moves are shown as those of a match.
pub(crate) fn played(record: &MatchRecord, game: &Game, wanted: Wanted) -> Result<NewMatch, Refusal> {
    if let Verdict::Differs(difference) = verify_record(record, &**game.rulebook.game()) {
        return Err(Refusal::bad(format!("the record breaks the rules at {difference}")));
    }
    Ok(seated(record, wanted))
}

/// A match with the seats of those who played it.
pub(crate) fn seated(record: &MatchRecord, wanted: Wanted) -> NewMatch {
    let details = record.ludex.as_ref();
    let roles = record.role_names();
    let seats = roles.iter().enumerate().filter(|(_, role)| !ludex_search::is_chance(role));
    let seats = seats.map(|(role, _)| {
        let name = details
            .and_then(|details| details.players.get(role))
            .map(|player| player.spec.as_str())
            .or_else(|| record.player_names_from_host.get(role).map(String::as_str))
            .unwrap_or("");
        Seat::Recorded(name.chars().take(MAX_NAME).collect())
    });
    NewMatch { seats: seats.collect(), ..NewMatch::of(wanted) }
}
