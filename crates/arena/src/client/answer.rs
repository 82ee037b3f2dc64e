//! Answers as they come: pieces of an HTTP response, to be judged after each piece.
//!
//! With `Content-Length` the answer ends there, without it at the end of the connection. Blank
//! lines may end in `\n` or `\r\n`. The status line must be one, but which version it says does not
//! matter.

/// Longest response that is read, head and all: moves are short.
pub const MAX_ANSWER_BYTES: usize = 1 << 16;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Response {
    pub body: String,
    /// The header `Server`: which program answers.
    pub server: Option<String>,
}

/// What the bytes so far are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Something is missing.
    More,
    /// The whole answer.
    Done(Response),
    /// It will never be an answer: why, and what came.
    Garbled(String),
    /// An HTTP error.
    Status(u16),
}

/// Judges the bytes so far; `ended` if no more will come.
pub(super) fn judge(bytes: &[u8], ended: bool) -> Progress {
    const START: &[u8] = b"HTTP/";
    let known = bytes.len().min(START.len());
    if bytes[..known] != START[..known] {
        return Progress::Garbled(String::from_utf8_lossy(bytes).into_owned());
    }
    let Some((head, body)) = split(bytes) else {
        if bytes.len() > MAX_ANSWER_BYTES {
            return Progress::Garbled(format!("a head of more than {MAX_ANSWER_BYTES} bytes"));
        }
        return Progress::More;
    };
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split_whitespace().nth(1)).and_then(|s| s.parse().ok());
    let Some(status) = status else { return Progress::Garbled(head.into_owned()) };
    if !(200..300).contains(&status) {
        return Progress::Status(status);
    }
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let header = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim())
    };
    let text = |body: &[u8]| {
        let body = String::from_utf8_lossy(body).trim().to_owned();
        Progress::Done(Response { body, server: header("server").map(str::to_owned) })
    };
    match header("content-length").map(str::parse::<usize>) {
        Some(Err(_)) => Progress::Garbled("a Content-Length that is no number".to_owned()),
        Some(Ok(length)) if length > MAX_ANSWER_BYTES => {
            Progress::Garbled(format!("an answer of {length} bytes"))
        }
        Some(Ok(length)) if body.len() >= length => text(&body[..length]),
        None if body.len() > MAX_ANSWER_BYTES => {
            Progress::Garbled(format!("an answer of more than {MAX_ANSWER_BYTES} bytes"))
        }
        None if ended => text(body),
        _ => Progress::More,
    }
}

/// Head and body, if the blank line between them is there.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut line = 0;
    for (at, _) in bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n') {
        if matches!(&bytes[line..at], b"" | b"\r") && line > 0 {
            return Some((&bytes[..line], &bytes[at + 1..]));
        }
        line = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(text: &str) -> Progress {
        Progress::Done(Response { body: text.to_owned(), server: None })
    }

    #[test]
    fn answers_end_where_they_say_or_with_the_connection() {
        let answer = b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 8\r\n\r\n(drop 3)more";
        assert_eq!(judge(answer, false), done("(drop 3)"));
        for end in 0..answer.len() - 4 {
            assert_eq!(judge(&answer[..end], false), Progress::More, "{end}");
        }
        let answer = b"HTTP/1.1 200\n\n ( drop 3 )\r\n";
        assert_eq!(judge(answer, false), Progress::More);
        assert_eq!(judge(answer, true), done("( drop 3 )"));
        assert_eq!(judge(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false), done(""));
        let named = judge(b"HTTP/1.0 200 OK\r\nserver: Ludex/1\r\n\r\nbusy", true);
        assert_eq!(named, Progress::Done(Response { body: "busy".into(), server: Some("Ludex/1".into()) }));
    }

    #[test]
    fn what_is_no_answer_is_found_out_early() {
        assert_eq!(judge(b"SSH-2.0", false), Progress::Garbled("SSH-2.0".to_owned()));
        assert_eq!(judge(b"HTTP/1.0 500 no\r\n\r\n", false), Progress::Status(500));
        assert!(matches!(judge(b"HTTP/1.0 OK\r\n\r\n", false), Progress::Garbled(_)));
        let long = b"HTTP/1.0 200 OK\r\nContent-Length: 100000000\r\n\r\nx";
        assert!(matches!(judge(long, false), Progress::Garbled(_)));
        let head = [b"HTTP/1.0 200 OK\r\nA: ".as_slice(), &vec![b'x'; MAX_ANSWER_BYTES]].concat();
        assert!(matches!(judge(&head, false), Progress::Garbled(_)));
        let body = [b"HTTP/1.0 200 OK\r\n\r\n".as_slice(), &vec![b'x'; MAX_ANSWER_BYTES + 1]].concat();
        assert!(matches!(judge(&body, false), Progress::Garbled(_)));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_judged(bytes: Vec<u8>, ended: bool) {
            judge(&bytes, ended);
            judge(&[b"HTTP/1.0 200 OK\r\n".as_slice(), &bytes].concat(), ended);
        }
    }
}
