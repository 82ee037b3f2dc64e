//! Bytes to words, parentheses and comments. Never fails: what is odd is reported by the parser.

use crate::source::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Open,
    Close,
    /// A name, a number, a keyword or an arrow.
    Word,
    /// A word that starts with `?` and has at least one more character.
    Variable,
    /// From `;` to the end of the line, without the line end.
    Comment,
    /// A run of control characters.
    Control,
}

/// A token and what is odd about its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// The token has bytes outside ASCII.
    pub non_ascii: bool,
    /// The token is a word with a character that published sheets do not use.
    pub unusual: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Open,
    Close,
    Semicolon,
    Control,
    Word,
    UnusualWord,
    NonAscii,
}

const CLASSES: [Class; 256] = {
    let mut table = [Class::UnusualWord; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => Class::Blank,
            b'(' => Class::Open,
            b')' => Class::Close,
            b';' => Class::Semicolon,
            0..=0x1F | 0x7F => Class::Control,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'+' | b'?' => Class::Word,
            b'<' | b'>' | b'=' | b'.' | b'*' | b'/' | b':' | b'&' | b'$' => Class::Word,
            0x80.. => Class::NonAscii,
            _ => Class::UnusualWord,
        };
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Splits a sheet into tokens.
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, at: start }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let bytes = self.bytes;
        let mut at = self.at;
        while at < bytes.len() && class(bytes[at]) == Class::Blank {
            at += 1;
        }
        let start = at;
        let first = *bytes.get(at)?;
        let (mut non_ascii, mut unusual) = (false, false);
        let kind = match class(first) {
            Class::Open => {
                at += 1;
                TokenKind::Open
            }
            Class::Close => {
                at += 1;
                TokenKind::Close
            }
            Class::Semicolon => {
                while at < bytes.len() && !matches!(bytes[at], b'\n' | b'\r') {
                    non_ascii |= bytes[at] >= 0x80;
                    at += 1;
                }
                TokenKind::Comment
            }
            Class::Control => {
                while at < bytes.len() && class(bytes[at]) == Class::Control {
                    at += 1;
                }
                TokenKind::Control
            }
            _ => {
                while at < bytes.len() {
                    match class(bytes[at]) {
                        Class::Word => {}
                        Class::UnusualWord => unusual = true,
                        Class::NonAscii => non_ascii = true,
                        _ => break,
                    }
                    at += 1;
                }
                if first == b'?' && at > start + 1 { TokenKind::Variable } else { TokenKind::Word }
            }
        };
        self.at = at;
        Some(Token { kind, span: Span::new(start, at), non_ascii, unusual })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_parentheses_and_comments() {
        let text = b"(<= a; no ) here\r?x)\0";
        let tokens: Vec<_> = Lexer::new(text, 0).map(|t| (t.kind, &text[t.span.range()])).collect();
        use TokenKind::*;
        assert_eq!(
            tokens,
            [
                (Open, &b"("[..]),
                (Word, b"<="),
                (Word, b"a"),
                (Comment, b"; no ) here"),
                (Variable, b"?x"),
                (Close, b")"),
                (Control, b"\0"),
            ]
        );
    }
}
