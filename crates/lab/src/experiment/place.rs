//! Line numbers of TOML values, for error messages.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The line, from 1, of the value at a path such as `players.1.spec`, or of its longest existing
/// prefix.
pub(super) fn line_of(text: &str, path: &str) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 1 };
    let mut steps = path.split('.');
    let mut found: Option<&Spanned<DeValue<'_>>> = steps.next().and_then(|key| table.get_ref().get(key));
    let mut start = 0;
    while let Some(value) = found {
        start = value.span().start;
        found = steps.next().and_then(|step| match step.parse::<usize>() {
            Ok(index) => value.get_ref().as_array().and_then(|array| array.get(index)),
            Err(_) => value.get_ref().as_table().and_then(|table| table.get(step)),
        });
    }
    line_at(text, start)
}

/// The line of a byte offset, from 1.
pub(super) fn line_at(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_resolve_to_lines() {
        let text = "a = 1\nb = [\n  { c = 1 },\n  { c = 2 },\n]\n[d]\ne = 3\n";
        assert_eq!(line_of(text, "a"), 1);
        assert_eq!(line_of(text, "b.1.c"), 4);
        assert_eq!(line_of(text, "b.7.c"), 2, "the longest existing prefix");
        assert_eq!(line_of(text, "d.e"), 7);
        assert_eq!(line_of(text, "x.y"), 1);
        assert_eq!(line_of("= broken", "x"), 1);
    }
}
