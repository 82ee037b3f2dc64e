//! Who takes part: specs separated by commas, though specs may have commas in them.

use anyhow::{Result, bail};
use ludex_arena::Participant;

/// The players of all lists, as they are written in canonical form; at least two, all different.
pub(super) fn entrants(lists: &[String]) -> Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for spec in lists.iter().flat_map(|list| split(list)) {
        if spec.split(':').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("human")) {
            bail!("`human` cannot take part in a tournament: people play with `ludex play`");
        }
        let spec = spec.parse::<Participant>()?.to_string();
        if found.contains(&spec) {
            bail!("the player `{spec}` is given twice: give it other options");
        }
        found.push(spec);
    }
    match found.len() {
        0 | 1 => bail!("a tournament needs at least two players: --players mc,random"),
        _ => Ok(found),
    }
}

/// The specs of a list. A piece `option=value` continues the player before it; the `=` of a
/// player's first option comes after its colon.
fn split(list: &str) -> Vec<String> {
    let mut specs: Vec<String> = Vec::new();
    for piece in list.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
        let is_option = piece.split_once('=').is_some_and(|(name, _)| !name.contains(':'));
        match specs.last_mut() {
            Some(last) if is_option => {
                last.push(',');
                last.push_str(piece);
            }
            _ => specs.push(piece.to_owned()),
        }
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lists: &[&str]) -> Result<Vec<String>, String> {
        let lists: Vec<String> = lists.iter().map(|&list| list.to_owned()).collect();
        entrants(&lists).map_err(|error| error.to_string())
    }

    #[test]
    fn commas_separate_players_and_options() {
        let found =
            read(&["mc:each=4, cadia-uct:c=60,gamma=1,random", "http://localhost:9148,legal"]).unwrap();
        assert_eq!(
            found,
            ["mc:each=4", "cadia-uct:c=60,gamma=1", "random", "http://localhost:9148", "legal"]
        );
    }

    #[test]
    fn mistakes_are_said() {
        for (lists, reason) in [
            (&["mc"][..], "at least two"),
            (&["mc", "mc"], "given twice"),
            (&["mc,human"], "`human` cannot"),
            (&["mc,nobody"], "no player `nobody`"),
            (&["c=60,mc"], "no player `c=60`"),
            (&["mc:c=60,random"], "no option `c`"),
        ] {
            let error = read(lists).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
