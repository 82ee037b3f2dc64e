//! Amounts on the command line: `2GB`, `0.5`.

use std::time::Duration;

/// Bytes: a number with B, KB, MB, GB or TB (of 1024), or none of them.
fn bytes(text: &str) -> Result<usize, String> {
    let help = || format!("`{text}` is not an amount of memory: write for example 512MB or 2GB");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let power = match unit.trim().to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(help()),
    };
    let number: f64 = number.parse().map_err(|_| help())?;
    let bytes = number * 1024f64.powi(power);
    if !(1024.0..1e15).contains(&bytes) {
        return Err(help());
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bounds")]
    Ok(bytes as usize)
}

/// Memory for searches: less than the minimum would end a search before it begins.
pub(crate) fn memory(text: &str) -> Result<usize, String> {
    const MINIMUM: usize = 1 << 20; // a tree of some ten thousand nodes
    match bytes(text)? {
        less if less < MINIMUM => Err(format!("`{text}` is too little for a search; the minimum is 1MB")),
        enough => Ok(enough),
    }
}

/// Seconds, with a fraction if need be; not more than a year.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok().filter(|number| (0.0..=31_536_000.0).contains(number));
    number.map(Duration::from_secs_f64).ok_or_else(|| format!("`{text}` is not a number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read() {
        assert_eq!(bytes("2GB"), Ok(2 << 30));
        assert_eq!(bytes("512 mb"), Ok(512 << 20));
        assert_eq!(bytes("1.5GiB"), Ok(3 << 29));
        assert_eq!(bytes("4096"), Ok(4096));
        for text in ["", "GB", "2XB", "-1GB", "0", "1e30"] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert!(memory("1kB").unwrap_err().contains("the minimum is 1MB"));
        assert_eq!(memory("1MB"), Ok(1 << 20));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("-1").is_err() && seconds("inf").is_err() && seconds("x").is_err());
    }
}
