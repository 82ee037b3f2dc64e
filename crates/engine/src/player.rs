//! A player that was asked for: its kind and the values of all its options.

use ludex_search::{Search, SearchContext};

use crate::options::OptionValue;
use crate::players::{HUMAN, Kind, PLAYERS};
use crate::spec::{Spec, SpecError};

/// A player with all its options, ready to be seated.
#[derive(Clone, Debug)]
pub struct Player {
    kind: &'static Kind,
    spec: Spec,
    /// In the order of the kind's options.
    values: Vec<OptionValue>,
}

/// Why there is no such player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// The text is not a spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// No player has this name.
    #[error("there is no player `{name}`; {meant}`ludex players` lists them all")]
    Unknown {
        /// What was written.
        name: String,
        /// `did you mean …? `, or nothing.
        meant: String,
    },
    /// A person, where only programs can play.
    #[error("`human` cannot play here: a person needs a terminal; use `ludex play` or `ludex match`")]
    Human,
    /// The player has no such option.
    #[error("the player `{player}` has no option `{option}`; {has}")]
    UnknownOption {
        /// Name of the player.
        player: &'static str,
        /// What was written.
        option: String,
        /// What it has instead, in words.
        has: String,
    },
    /// The value does not fit.
    #[error("`{value}` is not a value for `{option}` of `{player}`: it takes {takes}")]
    BadValue {
        /// Name of the player.
        player: &'static str,
        /// Name of the option.
        option: &'static str,
        /// What was written.
        value: String,
        /// What may be written.
        takes: String,
    },
}

impl Player {
    /// The player that a text means: `name` or `name:option=value,…`.
    pub fn new(text: &str) -> Result<Self, PlayerError> {
        Self::from_spec(text.parse()?)
    }

    /// The player that a spec means.
    pub fn from_spec(spec: Spec) -> Result<Self, PlayerError> {
        if spec.name == HUMAN {
            return Err(PlayerError::Human);
        }
        let Some(kind) = PLAYERS.iter().find(|kind| kind.name == spec.name) else {
            return Err(PlayerError::Unknown { meant: meant(&spec.name), name: spec.name });
        };
        for (name, _) in &spec.options {
            if !kind.options.iter().any(|option| option.name == name) {
                return Err(PlayerError::UnknownOption {
                    player: kind.name,
                    option: name.clone(),
                    has: kind.option_names(),
                });
            }
        }
        let mut values = Vec::new();
        for option in kind.options {
            let written = spec.options.iter().find(|(name, _)| name == option.name);
            let text = written.map_or(option.default, |(_, value)| value);
            let value = option.kind.read(text).map_err(|takes| PlayerError::BadValue {
                player: kind.name,
                option: option.name,
                value: text.to_owned(),
                takes,
            })?;
            values.push(value);
        }
        Ok(Self { kind, spec, values })
    }

    /// What kind of player it is.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// As it was written, in canonical form.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// All options with their values, also those that were not written.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, OptionValue)> {
        self.kind.options.iter().map(|option| option.name).zip(self.values.iter().copied())
    }

    /// Takes the seat.
    pub fn search(&self, context: SearchContext) -> Box<dyn Search> {
        (self.kind.make)(context, self)
    }

    /// The value of an option of this kind; every option has one.
    fn value(&self, name: &str) -> Option<OptionValue> {
        self.settings().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The value of a whole number; 0 for options that the kind does not have.
    pub(crate) fn whole(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(OptionValue::Whole(value)) => value,
            _ => 0,
        }
    }

    /// The value of a number; 0 for options that the kind does not have.
    pub(crate) fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(OptionValue::Number(value)) => value,
            _ => 0.0,
        }
    }

    /// The value of a switch; off for options that the kind does not have.
    pub(crate) fn switch(&self, name: &str) -> bool {
        matches!(self.value(name), Some(OptionValue::Switch(true)))
    }

    /// The value of a word; nothing for options that the kind does not have.
    pub(crate) fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(OptionValue::Word(value)) => value,
            _ => "",
        }
    }
}

/// Names that look like this one, as a question.
fn meant(name: &str) -> String {
    let close: Vec<String> = PLAYERS
        .iter()
        .filter(|kind| {
            kind.name.contains(name) || name.contains(kind.name) || strsim::levenshtein(kind.name, name) <= 2
        })
        .map(|kind| format!("`{}`", kind.name))
        .collect();
    if close.is_empty() { String::new() } else { format!("did you mean {}? ", close.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_fit_their_options() {
        for kind in PLAYERS {
            let player = Player::new(kind.name).unwrap();
            assert_eq!(player.settings().count(), kind.options.len());
        }
    }

    #[test]
    fn mistakes_are_answered_with_what_to_do() {
        let error = Player::new("randm").unwrap_err().to_string();
        assert!(error.contains("did you mean `random`?"), "{error}");
        let error = Player::new("mc:plyouts=3").unwrap_err().to_string();
        assert!(error.contains("each"), "{error}");
        let error = Player::new("mc:each=many").unwrap_err().to_string();
        assert!(error.contains("a whole number from 0 to"), "{error}");
    }
}
