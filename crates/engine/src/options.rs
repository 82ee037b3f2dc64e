//! Options of players: what may be written, what it means, what is taken if nothing is written.

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// A whole number within bounds.
    Whole(u64, u64),
    /// A number within bounds.
    Number(f64, f64),
    /// `on` or `off`; `true`, `false`, `yes`, `no`, `1`, `0` are understood.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// An option of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayerOption {
    /// As it is written, in lower case.
    pub name: &'static str,
    /// Its symbol in formulas; empty if it has none.
    pub symbol: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// The value if nothing is written; of the kind.
    pub default: &'static str,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionValue {
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// On or off.
    Switch(bool),
    /// One of the words of the option.
    Word(&'static str),
}

impl OptionKind {
    /// Reads a value; if it is not one of this kind, what would be.
    pub fn read(self, text: &str) -> Result<OptionValue, String> {
        match self {
            OptionKind::Whole(low, high) => text
                .parse()
                .ok()
                .filter(|value| (low..=high).contains(value))
                .map(OptionValue::Whole)
                .ok_or_else(|| format!("a whole number from {low} to {high}")),
            OptionKind::Number(low, high) => text
                .parse()
                .ok()
                .filter(|value| (low..=high).contains(value))
                .map(OptionValue::Number)
                .ok_or_else(|| format!("a number from {low} to {high}")),
            OptionKind::Switch => match text.to_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => Ok(OptionValue::Switch(true)),
                "off" | "false" | "no" | "0" => Ok(OptionValue::Switch(false)),
                _ => Err("`on` or `off`".to_owned()),
            },
            OptionKind::Word(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .map(|word| OptionValue::Word(word))
                .ok_or_else(|| format!("one of {}", words.join(", "))),
        }
    }

    /// The kind in words.
    pub fn describe(self) -> String {
        match self {
            OptionKind::Whole(low, high) => format!("{low} to {high}"),
            OptionKind::Number(low, high) => format!("{low} to {high}"),
            OptionKind::Switch => "on or off".to_owned(),
            OptionKind::Word(words) => words.join(", "),
        }
    }
}
