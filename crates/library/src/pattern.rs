//! Patterns of facts: `(cell ?column ?row ?content)`.
//!
//! Facts are texts in prefix form with single blanks. They are taken apart one level deep: an argument
//! that is a term itself stays text, so no fact is too deep.

use serde::Deserialize;

/// A pattern of facts; words that begin with `?` match any argument.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Exactly(String),
    Variable(String),
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing, or the parentheses do not match.
    #[error("`{0}` is not a fact")]
    NoFact(String),
    /// A variable inside an argument: arguments are matched as a whole.
    #[error("`{0}` has a variable inside an argument")]
    Nested(String),
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        let parts = parts(&text);
        if parts.is_empty() || text.matches('(').count() != text.matches(')').count() {
            return Err(PatternError::NoFact(text));
        }
        if parts.iter().any(|part| part.starts_with('(') && part.contains('?')) {
            return Err(PatternError::Nested(text));
        }
        let part = |text: &str| match text.strip_prefix('?') {
            Some(name) => Part::Variable(name.to_owned()),
            None => Part::Exactly(text.to_ascii_lowercase()),
        };
        Ok(Self { parts: parts.into_iter().map(part).collect() })
    }
}

impl Pattern {
    /// The arguments of a fact that stand where the pattern has variables, in the order of the
    /// pattern; none if the fact does not match.
    pub fn matches<'a>(&self, fact: &'a str) -> Option<Vec<&'a str>> {
        let found = parts(fact);
        if found.len() != self.parts.len() {
            return None;
        }
        let mut values = Vec::new();
        for (part, text) in self.parts.iter().zip(found) {
            match part {
                Part::Variable(_) => values.push(text),
                Part::Exactly(exactly) if exactly == text => {}
                Part::Exactly(_) => return None,
            }
        }
        Some(values)
    }

    /// The name of the facts; empty if that is a variable.
    pub(crate) fn name(&self) -> &str {
        match self.parts.first() {
            Some(Part::Exactly(name)) => name,
            _ => "",
        }
    }

    /// Where a variable stands among the variables.
    pub fn place(&self, variable: &str) -> Option<usize> {
        let variables = self.parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Exactly(_) => None,
        });
        variables.into_iter().position(|name| name == variable)
    }

    /// Whether there is no variable: a fact that holds or not.
    pub fn is_fact(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Exactly(_)))
    }
}

/// The name and the arguments of a fact; a fact without arguments is its name alone.
pub(crate) fn parts(fact: &str) -> Vec<&str> {
    let fact = fact.trim();
    let Some(inside) = fact.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return if fact.is_empty() { Vec::new() } else { vec![fact] };
    };
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' | b'\t' | b'\n' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn facts_are_matched_one_level_deep() {
        let cell = pattern("(cell ?column ?row ?content)");
        assert_eq!(cell.matches("(cell 1 2 (pawn white))"), Some(vec!["1", "2", "(pawn white)"]));
        assert_eq!(cell.matches("(cell 1 2)"), None);
        assert_eq!(cell.matches("(hall 1 2 x)"), None);
        assert_eq!((cell.place("row"), cell.place("who")), (Some(1), None));
        assert_eq!(pattern("(at across ?x)").matches("(at up 3)"), None);
        assert!(pattern("over").is_fact() && pattern("over").matches("over").is_some());
        assert!(cell.matches(&("(".repeat(100_000) + &")".repeat(100_000))).is_none());
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["", "()", "(cell ?x", "(cell (at ?x) 1)"] {
            assert!(Pattern::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
