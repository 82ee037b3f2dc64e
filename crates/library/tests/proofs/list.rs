//! `games/README.md` lists all games; `LUDEX_UPDATE=1` writes it anew.

use std::fmt::Write;
use std::path::Path;

use ludex_library::{About, Kind, sheets};

const HEAD: &str = "# The games

Rule sheets written by us, in the layout of `ludex fmt`. The header comment of each sheet explains the
rules and names the papers that use the game. The sheets are built into the binary: `ludex games`
lists them with the size of their circuits, `ludex games NAME` shows one. Next to each sheet is a
description, `<name>.toml`: figures that tests compare with the sheet, and how a state is drawn. This
page is generated from the descriptions (`LUDEX_UPDATE=1 cargo test -p ludex-library list`).

`length` is the mean number of steps in random play; `known` is the value under perfect play, or the
best score of a puzzle and the fewest moves to it.
";

fn table(kind: Kind) -> String {
    let heading = match kind {
        Kind::TurnTaking => "Turn-taking",
        Kind::Simultaneous => "Simultaneous moves",
        Kind::SinglePlayer => "Single-player",
    };
    let mut text =
        format!("\n## {heading}\n\n| name | game | players | length | known |\n|---|---|---:|---:|---|\n");
    for sheet in sheets() {
        let about = sheet.about().expect("a description");
        if about.kind == Some(kind) {
            let length = about.average_length.map_or_else(String::new, |length| format!("{length:.1}"));
            let (title, players) = (&about.title, about.roles.len());
            let _ = writeln!(
                text,
                "| [{0}]({0}.kif) | {title} | {players} | {length} | {1} |",
                sheet.name,
                known(&about)
            );
        }
    }
    text
}

fn known(about: &About) -> String {
    match (&about.value, about.best, about.solution_length) {
        (Some(value), _, _) => {
            let parts = about.roles.iter().zip(value).map(|(role, value)| format!("{role} {value}"));
            parts.collect::<Vec<_>>().join(", ")
        }
        (_, Some(best), Some(length)) => format!("{best} in {length}"),
        _ => String::new(),
    }
}

#[test]
fn the_list_of_games_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/README.md");
    let text =
        HEAD.to_owned() + &[Kind::TurnTaking, Kind::Simultaneous, Kind::SinglePlayer].map(table).concat();
    if std::env::var_os("LUDEX_UPDATE").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "games/README.md is old: LUDEX_UPDATE=1 cargo test -p ludex-library list");
}
