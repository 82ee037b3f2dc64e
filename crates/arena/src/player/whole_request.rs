//! Requests that do not say how long they are.
//!
//! HTTP takes a POST without `Content-Length` for one without a body. Simple senders just write
//! their message and close their half of the connection, or wait. So the head of a request is
//! looked at before the HTTP layer gets it: without a length the body is read to its end, which is
//! the end of the stream or the parenthesis that closes the message, and the length is added to the
//! head.

use crate::protocol::MAX_MESSAGE_BYTES;

/// Longer heads are left to the HTTP layer, which refuses them.
const MAX_HEAD: usize = 64 << 10;

/// The bytes of a request on their way to the HTTP layer.
#[derive(Debug)]
pub(super) enum WholeRequest {
    /// The head is not complete.
    Head(Vec<u8>),
    /// The head has no length: the body is collected.
    Body { head: Vec<u8>, body: Vec<u8>, end: MessageEnd },
    /// Everything goes on as it comes.
    Passing,
}

impl Default for WholeRequest {
    fn default() -> Self {
        Self::Head(Vec::new())
    }
}

impl WholeRequest {
    /// Whether bytes go through unseen from now on.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, Self::Passing)
    }

    /// Takes the next bytes; `ended` if no more will come. What may go on, if anything.
    pub(super) fn take(&mut self, bytes: &[u8], ended: bool) -> Vec<u8> {
        if let Self::Head(head) = self {
            // A line end may have come in two pieces.
            let seen = head.len().saturating_sub(3);
            head.extend_from_slice(bytes);
            let Some(end) = head_end(head, seen) else {
                if !ended && head.len() <= MAX_HEAD {
                    return Vec::new();
                }
                return self.pass();
            };
            if !is_post_without_length(&head[..end]) {
                return self.pass();
            }
            let body = head.split_off(end);
            let mut end = MessageEnd::default();
            end.look(&body);
            *self = Self::Body { head: std::mem::take(head), body, end };
        } else if let Self::Body { body, end, .. } = self {
            body.extend_from_slice(bytes);
            end.look(bytes);
        } else {
            return bytes.to_vec();
        }
        match self {
            // One byte too many is enough for the HTTP layer to refuse it.
            Self::Body { body, end, .. } if ended || end.is_there() || body.len() > MAX_MESSAGE_BYTES => {
                self.pass()
            }
            _ => Vec::new(),
        }
    }

    /// All that was held back, with a length where it was missing.
    fn pass(&mut self) -> Vec<u8> {
        match std::mem::replace(self, Self::Passing) {
            Self::Head(head) => head,
            Self::Body { head, body, .. } => {
                let line_end = head.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                let (first, rest) = head.split_at(line_end);
                let length = format!("Content-Length: {}\r\n", body.len());
                [first, length.as_bytes(), rest, &body].concat()
            }
            Self::Passing => Vec::new(),
        }
    }
}

/// Behind the blank line that ends the head; `seen` bytes are known to have none.
fn head_end(bytes: &[u8], seen: usize) -> Option<usize> {
    (seen..bytes.len())
        .find(|&at| bytes[at] == b'\n' && matches!(&bytes[..at], [.., b'\n'] | [.., b'\n', b'\r']))
        .map(|at| at + 1)
}

/// Requests that wait for a word before they send their body have a length or come in chunks.
fn is_post_without_length(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let is_post = lines.next().is_some_and(|line| line.starts_with("POST "));
    let says_length = |line: &str| {
        let name = line.split(':').next().unwrap_or("").trim();
        name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
    };
    is_post && !lines.any(says_length)
}

/// Finds the parenthesis that closes a message. Comments count as blanks.
#[derive(Debug, Default)]
pub(super) struct MessageEnd {
    depth: usize,
    in_comment: bool,
    closed: bool,
}

impl MessageEnd {
    fn look(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.in_comment = false,
                _ if self.in_comment => {}
                b';' => self.in_comment = true,
                b'(' => self.depth += 1,
                b')' => {
                    self.closed |= self.depth <= 1;
                    self.depth = self.depth.saturating_sub(1);
                }
                _ => {}
            }
        }
    }

    fn is_there(&self) -> bool {
        self.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(request: &str, ended: bool) -> String {
        // Byte by byte: nothing depends on packets.
        let mut whole = WholeRequest::default();
        let mut out = Vec::new();
        for byte in request.as_bytes() {
            out.extend(whole.take(&[*byte], false));
        }
        if ended {
            out.extend(whole.take(&[], true));
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn requests_with_a_length_stay_as_they_are() {
        for request in [
            "POST / HTTP/1.0\r\ncontent-length: 3\r\n\r\n(a)",
            "POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n3\r\n(a)\r\n0\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
        ] {
            assert_eq!(through(request, false), request);
        }
        assert_eq!(through("POST / HT", true), "POST / HT");
    }

    #[test]
    fn a_length_is_added_where_there_is_none() {
        let body = "(INFO ; :)\n)";
        let head = "POST / HTTP/1.0\r\nAccept: text/delim\r\n\r\n";
        let expected = format!("POST / HTTP/1.0\r\nContent-Length: 12\r\nAccept: text/delim\r\n\r\n{body}");
        assert_eq!(through(&format!("{head}{body}"), false), expected, "by the last parenthesis");
        let expected = "POST / HTTP/1.0\nContent-Length: 4\n\ninfo".replacen("4\n", "4\r\n", 1);
        assert_eq!(through("POST / HTTP/1.0\n\ninfo", false), "");
        assert_eq!(through("POST / HTTP/1.0\n\ninfo", true), expected, "by the end of the stream");
    }

    #[test]
    fn nothing_is_held_back_without_bound() {
        let mut whole = WholeRequest::default();
        let head = [b"POST / HTTP/1.0\r\nA: ".as_slice(), &vec![b'x'; MAX_HEAD]].concat();
        assert_eq!(whole.take(&head, false).len(), head.len());
        let mut whole = WholeRequest::default();
        whole.take(b"POST / HTTP/1.0\r\n\r\n", false);
        assert!(whole.take(&vec![b'('; MAX_MESSAGE_BYTES + 1], false).len() > MAX_MESSAGE_BYTES);
    }
}
