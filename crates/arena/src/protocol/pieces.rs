//! Words and lists: how a text falls into pieces, without looking into them.
//!
//! Blanks, comments and parentheses are those of the language (`ludex_gdl`): a comment goes from
//! `;` to the end of its line, so a parenthesis in there does not count. Control characters are
//! blanks here.

use ludex_gdl::MAX_DEPTH;

/// Why a text is not made of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermError {
    /// There is nothing but blanks and comments.
    #[error("it is empty")]
    Empty,
    /// A list is not closed.
    #[error("a `)` is missing")]
    NotClosed,
    /// A list is closed that was not opened.
    #[error("there is a `)` too many")]
    NotOpened,
    /// Something follows where one term should stand.
    #[error("there is more than one term")]
    Several,
    /// Lists in lists in lists.
    #[error("lists are nested more than {MAX_DEPTH} deep")]
    TooDeep,
}

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    Word(&'a str),
}

/// The tokens of a text with the offsets behind them.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    /// Where it starts, and what it is.
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        loop {
            let first = *bytes.get(self.at)?;
            if is_blank(first) {
                self.at += 1;
            } else if first == b';' {
                while bytes.get(self.at).is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                    self.at += 1;
                }
            } else {
                break;
            }
        }
        let start = self.at;
        let token = match bytes[start] {
            b'(' => Token::Open,
            b')' => Token::Close,
            _ => {
                while bytes.get(self.at).is_some_and(|&byte| !ends_word(byte)) {
                    self.at += 1;
                }
                return Some((start, Token::Word(&self.text[start..self.at])));
            }
        };
        self.at += 1;
        Some((start, token))
    }
}

fn is_blank(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7F
}

fn ends_word(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'(' | b')' | b';')
}

/// The words and lists that a text is made of, as they are written.
pub(crate) fn pieces(text: &str) -> Result<Vec<&str>, TermError> {
    let mut found = Vec::new();
    let tokens = Tokens { text, at: 0 };
    // Where the list starts that is open, and how many are.
    let (mut start, mut depth) = (0, 0usize);
    for (at, token) in tokens {
        match token {
            Token::Open => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            Token::Close => {
                depth = depth.checked_sub(1).ok_or(TermError::NotOpened)?;
                if depth == 0 {
                    found.push(&text[start..=at]);
                }
            }
            Token::Word(word) if depth == 0 => found.push(word),
            Token::Word(_) => {}
        }
    }
    if depth > 0 { Err(TermError::NotClosed) } else { Ok(found) }
}

/// What stands between the parentheses of a piece; none if it is a word.
pub(crate) fn inside(piece: &str) -> Option<&str> {
    piece.strip_prefix('(')?.strip_suffix(')')
}

/// A term with single blanks and without comments: ` ( mark  1 1 )` becomes `(mark 1 1)`. Letter
/// case stays.
pub fn normal_term(text: &str) -> Result<String, TermError> {
    let mut out = String::with_capacity(text.len().min(256));
    let mut depth = 0usize;
    for (_, token) in (Tokens { text, at: 0 }) {
        if depth == 0 && !out.is_empty() {
            return Err(if token == Token::Close { TermError::NotOpened } else { TermError::Several });
        }
        if token != Token::Close && !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        match token {
            Token::Open => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(TermError::TooDeep);
                }
                out.push('(');
            }
            Token::Close => {
                depth = depth.checked_sub(1).ok_or(TermError::NotOpened)?;
                out.push(')');
            }
            Token::Word(word) => out.push_str(word),
        }
    }
    match (depth, out.is_empty()) {
        (0, true) => Err(TermError::Empty),
        (0, false) => Ok(out),
        _ => Err(TermError::NotClosed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_words_and_lists() {
        assert_eq!(pieces(" a\r\n(b (c))d ;) x\r(e)"), Ok(vec!["a", "(b (c))", "d", "(e)"]));
        assert_eq!(pieces(""), Ok(vec![]));
        assert_eq!(pieces("(a"), Err(TermError::NotClosed));
        assert_eq!(pieces("(a))"), Err(TermError::NotOpened));
        assert_eq!(inside("( a )"), Some(" a "));
        assert_eq!(inside("a"), None);
    }

    #[test]
    fn terms_lose_what_does_not_matter() {
        assert_eq!(normal_term("\t( Mark  1( f 2 ) ;)\n )\0"), Ok("(Mark 1 (f 2))".to_owned()));
        assert_eq!(normal_term(" noop\r\n"), Ok("noop".to_owned()));
        assert_eq!(normal_term(" ; nothing"), Err(TermError::Empty));
        assert_eq!(normal_term("a b"), Err(TermError::Several));
        assert_eq!(normal_term("(a) (b)"), Err(TermError::Several));
        assert_eq!(normal_term("(a"), Err(TermError::NotClosed));
        assert_eq!(normal_term(")"), Err(TermError::NotOpened));
        assert_eq!(normal_term("a)"), Err(TermError::NotOpened));
    }

    #[test]
    fn depth_has_a_limit_but_costs_no_stack() {
        let deep = "(".repeat(1 << 20);
        assert_eq!(normal_term(&deep), Err(TermError::TooDeep));
        assert_eq!(pieces(&deep), Err(TermError::NotClosed));
    }
}
