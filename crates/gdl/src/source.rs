//! A rule sheet as bytes with a name, and the spans that point into it.
//!
//! Spans are byte offsets. Bytes are kept as they came, so that a span always means the same place
//! in the file on disk, also when the file is not UTF-8.

use std::ops::Range;
use std::sync::OnceLock;

/// The largest sheet that is read. The largest published one has 0.4 MB; offsets are 32 bits.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// A half-open range of byte offsets into a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, but not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Self { start: offset(start), end: offset(end) }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of indexes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Offsets never exceed [`MAX_SOURCE_BYTES`], which the parser enforces; saturate for safety.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Line and column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The bytes of one rule sheet and the name it is shown under.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
    line_starts: OnceLock<Vec<u32>>,
}

impl Source {
    /// Wraps the bytes of a sheet; `name` is what messages call it, usually a path.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), line_starts: OnceLock::new() }
    }

    /// What messages call this sheet.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole sheet.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text of a span, with bytes that are not UTF-8 replaced.
    pub fn text(&self, span: Span) -> String {
        let slice = self.bytes.get(span.range()).unwrap_or_default();
        String::from_utf8_lossy(slice).into_owned()
    }

    /// Offsets of the first byte of every line. Lines end with `\n`, `\r\n` or a lone `\r`.
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = (0..self.bytes.len()).filter(|&i| match self.bytes[i] {
                b'\n' => true,
                b'\r' => self.bytes.get(i + 1) != Some(&b'\n'),
                _ => false,
            });
            std::iter::once(0).chain(ends.map(|i| offset(i + 1))).collect()
        })
    }

    /// Index (from 0) of the line that holds the byte at `at`.
    pub(crate) fn line_index(&self, at: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= at) - 1
    }

    /// Number of lines, at least one.
    pub(crate) fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// The bytes of the line with this index (from 0), its line end included.
    pub(crate) fn line_span(&self, index: usize) -> Span {
        let starts = self.line_starts();
        let end = starts.get(index + 1).copied();
        Span { start: starts[index], end: end.unwrap_or(offset(self.bytes.len())) }
    }

    /// Line and column of a byte offset.
    pub fn position(&self, at: u32) -> Position {
        let at = at.min(offset(self.bytes.len()));
        let line = self.line_index(at);
        let before = &self.bytes[self.line_span(line).start as usize..at as usize];
        // Count the bytes that start a character: all but UTF-8 continuation bytes.
        let column = before.iter().filter(|&&b| b & 0xC0 != 0x80).count();
        Position { line: line + 1, column: column + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_of_three_conventions() {
        let source = Source::new("s", "a\nb\r\nc\rd");
        let lines: Vec<_> = [0, 2, 5, 7].map(|at| source.position(at)).into_iter().collect();
        assert_eq!(lines.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(lines.iter().all(|p| p.column == 1));
    }

    #[test]
    fn columns_count_characters_and_offsets_may_lie_past_the_end() {
        let source = Source::new("s", "é(x)");
        assert_eq!(source.position(2), Position { line: 1, column: 2 });
        assert_eq!(source.position(900), Position { line: 1, column: 5 });
    }
}
