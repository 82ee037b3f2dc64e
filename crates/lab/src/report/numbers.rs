//! How numbers are written.

use crate::statistics::{Estimate, mean_with_interval};

/// A part of one, as percent with a digit.
pub(super) fn percent(part: f64) -> String {
    format!("{:.1}", part * 100.0)
}

/// The mean in percent, with the ends of its interval.
pub(super) fn with_interval(estimate: &Estimate) -> String {
    let interval = estimate.interval();
    format!("{} ({:.0}–{:.0})", percent(estimate.mean), interval.low * 100.0, interval.high * 100.0)
}

/// The mean of several estimates, each with the same weight, with the ends of its interval.
pub(super) fn with_interval_of_mean(estimates: &[Estimate]) -> String {
    let (mean, interval) = mean_with_interval(estimates);
    format!("{} ({:.0}–{:.0})", percent(mean), interval.low * 100.0, interval.high * 100.0)
}

/// What was published, in percent already.
pub(super) fn with_margin(value: f64, margin: Option<f64>) -> String {
    match margin {
        Some(margin) => format!("{value:.1} ± {margin:.2}"),
        None => format!("{value:.1}"),
    }
}

/// A number with three digits and a letter for thousands: `51.9 M`.
pub(super) fn short(number: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    // 999.6 k would be rounded to 1000 k.
    let found = units.iter().find(|(size, _)| number >= size * 0.9995);
    let (number, unit) = found.map_or((number, ""), |(size, unit)| (number / size, *unit));
    let digits = if number >= 99.95 || number == 0.0 {
        0
    } else if number >= 9.995 {
        1
    } else {
        2
    };
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// `1 match`, `2 matches`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases = [
            (0.0, "0"),
            (0.25, "0.25"),
            (1.0, "1"),
            (135.31, "135"),
            (536.96, "537"),
            (999.7, "1 k"),
            (1060.3, "1.06 k"),
            (10_049.0, "10 k"),
            (51_940_000.0, "51.9 M"),
            (2e9, "2 G"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }
}
