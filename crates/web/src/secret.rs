//! Tokens, keys and names that cannot be guessed.

/// Letters and digits that nobody mistakes for each other: 32 of them, so a byte gives one evenly.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A word of so many letters, five bits each, from the random numbers of the system.
pub(crate) fn word(letters: usize) -> Result<String, getrandom::Error> {
    let mut bytes = vec![0u8; letters];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// Whether two secrets are equal, in a time that does not depend on where they differ.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0u8, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_differ_and_compare() {
        let (a, b) = (word(24).unwrap(), word(24).unwrap());
        assert!(a.len() == 24 && a != b && same(&a, &a.clone()) && !same(&a, &b));
        assert!(!same("abc", "ab") && !same("", "a") && same("", ""));
    }
}
