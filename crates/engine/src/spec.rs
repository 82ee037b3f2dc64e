//! What people write for a player: `name` or `name:key=value,key=value`.

use std::fmt;
use std::str::FromStr;

/// The name of a player, and its options as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The name, in lower case.
    pub name: String,
    /// Options in the order in which they were written, names in lower case.
    pub options: Vec<(String, String)>,
}

/// Why a text is not a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is nothing before the colon.
    #[error("a player needs a name: write `name` or `name:option=value,…`")]
    NoName,
    /// An option has no value.
    #[error("`{0}` is not an option: write `{1}:option=value,option=value`")]
    NoValue(String, String),
    /// An option is there twice.
    #[error("the option `{0}` is given twice")]
    Twice(String),
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim().to_lowercase();
        if name.is_empty() {
            return Err(SpecError::NoName);
        }
        let mut options: Vec<(String, String)> = Vec::new();
        for piece in rest.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
            let Some((key, value)) = piece.split_once('=') else {
                return Err(SpecError::NoValue(piece.to_owned(), name));
            };
            let key = key.trim().to_lowercase();
            if options.iter().any(|(known, _)| *known == key) {
                return Err(SpecError::Twice(key));
            }
            options.push((key, value.trim().to_owned()));
        }
        Ok(Self { name, options })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (at, (key, value)) in self.options.iter().enumerate() {
            write!(f, "{}{key}={value}", if at == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_and_written() {
        let spec: Spec = " Cadia-NST: Epsilon=0.1 ,k=7".parse().unwrap();
        assert_eq!(spec.to_string(), "cadia-nst:epsilon=0.1,k=7");
        assert_eq!(spec.to_string().parse::<Spec>(), Ok(spec));
        assert_eq!("mc:".parse::<Spec>().unwrap().to_string(), "mc");
    }

    #[test]
    fn what_is_not_a_spec_is_said() {
        assert_eq!(":k=1".parse::<Spec>(), Err(SpecError::NoName));
        assert_eq!("mc:k".parse::<Spec>(), Err(SpecError::NoValue("k".into(), "mc".into())));
        assert_eq!("mc:k=1,K=2".parse::<Spec>(), Err(SpecError::Twice("k".into())));
    }
}
