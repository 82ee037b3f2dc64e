//! Clocks as text: seconds, with a fraction if need be. Exact, so that what is written reads back
//! the same.

use std::time::Duration;

/// Why a text is not a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a number of seconds")]
pub struct ClockError(pub String);

/// Seconds from text: `10`, `0.5`, `.5`, `10.`; what is finer than a nanosecond is cut off.
pub(super) fn read(text: &str) -> Result<Duration, ClockError> {
    let error = || ClockError(text.chars().take(40).collect());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() + fraction.len() == 0 {
        return Err(error());
    }
    // Clocks of more than a century are mistakes; and sums of clocks must not overflow.
    let seconds: u32 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| error())? };
    let mut nanoseconds = 0;
    let mut place = 100_000_000;
    for digit in fraction.bytes().take(9) {
        nanoseconds += u32::from(digit - b'0') * place;
        place /= 10;
    }
    Ok(Duration::new(u64::from(seconds), nanoseconds))
}

/// Seconds as text, without a fraction if they are whole.
pub(super) fn write(clock: Duration) -> String {
    match clock.subsec_nanos() {
        0 => clock.as_secs().to_string(),
        fraction => {
            let digits = format!("{fraction:09}");
            format!("{}.{}", clock.as_secs(), digits.trim_end_matches('0'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_and_written() {
        for (text, milliseconds, written) in
            [("10", 10_000, "10"), ("0.5", 500, "0.5"), (".25", 250, "0.25"), ("3.", 3_000, "3")]
        {
            let clock = Duration::from_millis(milliseconds);
            assert_eq!(read(text), Ok(clock));
            assert_eq!(write(clock), written);
        }
        assert_eq!(read("0.0000000019"), Ok(Duration::from_nanos(1)));
        for text in ["", ".", "-1", "1e3", "inf", "ten", "99999999999", "1.5.2", "1,5"] {
            assert_eq!(read(text), Err(ClockError(text.to_owned())));
        }
    }
}
