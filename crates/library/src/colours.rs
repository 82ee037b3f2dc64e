//! A colour for each role: the one of its name if it is a colour, or else the next unused one.

use anstyle::{AnsiColor, Style};

/// In the order in which roles get them.
const PALETTE: [AnsiColor; 6] = [
    AnsiColor::BrightYellow,
    AnsiColor::BrightBlue,
    AnsiColor::BrightRed,
    AnsiColor::BrightGreen,
    AnsiColor::BrightMagenta,
    AnsiColor::BrightCyan,
];

/// Styles in the order of the roles. Without other players nothing needs a colour.
pub fn styles(roles: &[String]) -> Vec<Style> {
    if roles.len() < 2 {
        return vec![Style::new(); roles.len()];
    }
    let named: Vec<Option<AnsiColor>> = roles.iter().map(|role| by_name(role)).collect();
    let mut free = PALETTE.iter().copied().filter(|colour| !named.contains(&Some(*colour)));
    let colours = named.iter().map(|colour| colour.or_else(|| free.next()));
    colours.map(|colour| Style::new().bold().fg_color(colour.map(Into::into))).collect()
}

fn by_name(role: &str) -> Option<AnsiColor> {
    Some(match role {
        "red" => AnsiColor::BrightRed,
        "yellow" => AnsiColor::BrightYellow,
        "green" => AnsiColor::BrightGreen,
        "blue" => AnsiColor::BrightBlue,
        "magenta" => AnsiColor::BrightMagenta,
        "teal" | "cyan" => AnsiColor::BrightCyan,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_roles_share_a_colour() {
        let roles: Vec<String> = ["white", "yellow", "black", "blue"].map(str::to_owned).to_vec();
        let mut styles = styles(&roles);
        styles.dedup();
        assert_eq!(styles.len(), 4);
    }
}
