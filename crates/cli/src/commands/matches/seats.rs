//! Who plays which role: players in the order of the roles, or named by role (`red=mc`).

use anyhow::{Result, bail};
use ludex_arena::{Participant, Rulebook};
use ludex_engine::default_player;
use ludex_search::is_chance;

use crate::terminal::People;

/// Who plays against the default player if nobody is named.
const OPPONENT: &str = "mc";

/// The players of a match by role, without chance.
pub(super) fn players(words: &[String], rulebook: &Rulebook, people: &People) -> Result<Vec<Participant>> {
    let roles: Vec<&String> = rulebook.game().roles().iter().filter(|role| !is_chance(role)).collect();
    let specs = by_role(words, &roles)?;
    specs.iter().map(|spec| people.participant(spec)).collect()
}

/// Whether players are named by role.
pub(super) fn are_named(words: &[String]) -> bool {
    words.iter().any(|word| named(word).is_some())
}

fn by_role(words: &[String], roles: &[&String]) -> Result<Vec<String>> {
    if words.is_empty() {
        let first = [default_player(roles.len())].into_iter().chain(std::iter::repeat(OPPONENT));
        return Ok(first.take(roles.len()).map(str::to_owned).collect());
    }
    if !are_named(words) {
        return Ok(words.to_vec());
    }
    let all = roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    let mut specs: Vec<Option<String>> = vec![None; roles.len()];
    for word in words {
        let Some((name, spec)) = named(word) else {
            bail!(
                "`{word}` has no role: name all players by role (`role=spec`) or none; the roles are {all}"
            );
        };
        let Some(seat) = roles.iter().position(|role| role.eq_ignore_ascii_case(name)) else {
            bail!("there is no role `{name}`; the roles are {all}");
        };
        if specs[seat].replace(spec.to_owned()).is_some() {
            bail!("the role `{name}` has two players; the roles are {all}");
        }
    }
    let missing: Vec<&str> =
        roles.iter().zip(&specs).filter(|(_, spec)| spec.is_none()).map(|(role, _)| role.as_str()).collect();
    if !missing.is_empty() {
        bail!("there is no player for {}; the roles are {all}", missing.join(", "));
    }
    Ok(specs.into_iter().flatten().collect())
}

/// The role and the spec of `role=spec`. The `=` of an option (`mc:each=64`) comes after a colon.
fn named(word: &str) -> Option<(&str, &str)> {
    let (name, spec) = word.split_once('=')?;
    (!name.contains(':')).then(|| (name.trim(), spec))
}

#[cfg(test)]
mod tests {
    use ludex_engine::{DEFAULT_PLAYER, DEFAULT_PUZZLE_PLAYER};

    use super::*;

    fn seated(words: &[&str]) -> Result<Vec<String>, String> {
        let roles = ["red".to_owned(), "yellow".to_owned()];
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        by_role(&words, &roles.iter().collect::<Vec<_>>()).map_err(|error| error.to_string())
    }

    #[test]
    fn players_sit_by_order_or_by_role() {
        assert_eq!(seated(&[]).unwrap(), [DEFAULT_PLAYER, OPPONENT]);
        assert_eq!(by_role(&[], &[&"robot".to_owned()]).unwrap(), [DEFAULT_PUZZLE_PLAYER]);
        assert_eq!(seated(&["mc:each=4", "random"]).unwrap(), ["mc:each=4", "random"]);
        let named = seated(&["YELLOW=mc:each=4", "red=http://localhost:9147"]).unwrap();
        assert_eq!(named, ["http://localhost:9147", "mc:each=4"]);
    }

    #[test]
    fn mistakes_are_answered_with_the_roles() {
        for (words, reason) in [
            (["green=mc", "red=mc"], "no role `green`"),
            (["red=mc", "red=mc"], "two players"),
            (["red=mc", "mc"], "`mc` has no role"),
        ] {
            let error = seated(&words).unwrap_err();
            assert!(error.contains(reason) && error.contains("the roles are red, yellow"), "{error}");
        }
        assert!(seated(&["red=mc"]).unwrap_err().contains("no player for yellow"));
    }
}
