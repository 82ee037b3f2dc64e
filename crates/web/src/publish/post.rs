//! Sends one message to the page and reads the answer, within a time that never grows.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::publisher::PublishError;

/// How long a connection, and each read and write on it, may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most bytes of an answer.
const MAX_ANSWER: u64 = 64 << 10;

/// Where a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) token: Option<String>,
}

/// Why a message did not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Nobody answers: it may be tried again.
    Away(String),
    /// The page knows nothing of what the message is about: it was started again.
    Forgotten,
    /// The page does not want it.
    Refused(String),
}

impl Target {
    /// Reads the address that `ludex web` prints.
    pub(crate) fn parse(text: &str) -> Result<Self, PublishError> {
        let wrong = |reason| PublishError { url: text.to_owned(), reason };
        let (scheme, rest) = text.trim().split_once("://").ok_or(wrong("it has no `http://`"))?;
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(wrong("the page speaks `http`"));
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let authority = rest.split('/').next().unwrap_or("");
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or(wrong("a `]` is missing"))?;
                (host, port.strip_prefix(':').unwrap_or(port))
            }
            None => authority.split_once(':').unwrap_or((authority, "")),
        };
        let good = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
        if host.is_empty() || !host.chars().all(good) {
            return Err(wrong("there is no host"));
        }
        let port = match port {
            "" => 80,
            port => port.parse().map_err(|_| wrong("the port is not a number up to 65535"))?,
        };
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        if token.is_some_and(|token| !token.chars().all(|c| c.is_ascii_alphanumeric())) {
            return Err(wrong("the token has characters that no token has"));
        }
        Ok(Self { host: host.to_owned(), port, token: token.map(str::to_owned) })
    }

    /// `host:port`, as a header has it.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Posts a message; the answer.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        message: &impl Serialize,
    ) -> Result<T, Failed> {
        let body = serde_json::to_vec(message).map_err(|error| Failed::Refused(error.to_string()))?;
        let (status, answer) = self.exchange(path, &body).map_err(|error| Failed::Away(error.to_string()))?;
        match status {
            200 => serde_json::from_slice(&answer).map_err(|error| Failed::Refused(error.to_string())),
            404 => Err(Failed::Forgotten),
            // It is too busy; later perhaps.
            503 => Err(Failed::Away(said(&answer))),
            _ => Err(Failed::Refused(said(&answer))),
        }
    }

    fn exchange(&self, path: &str, body: &[u8]) -> std::io::Result<(u16, Vec<u8>)> {
        let mut last = std::io::Error::new(std::io::ErrorKind::NotFound, "the host has no address");
        for address in (self.host.as_str(), self.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => return self.speak(stream, path, body),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn speak(&self, mut stream: TcpStream, path: &str, body: &[u8]) -> std::io::Result<(u16, Vec<u8>)> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let cookie = self.token.as_ref().map(|token| format!("cookie: ludex_token={token}\r\n"));
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\n{}content-type: application/json\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n",
            self.authority(),
            cookie.unwrap_or_default(),
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.take(MAX_ANSWER).read_to_end(&mut answer)?;
        let garbled = || std::io::Error::new(std::io::ErrorKind::InvalidData, "not an answer of the page");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or_else(garbled)?;
        let status = String::from_utf8_lossy(&answer[..end.min(40)])
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or_else(garbled)?;
        Ok((status, answer.split_off(end + 4)))
    }
}

/// The sentence of a refusal.
fn said(answer: &[u8]) -> String {
    let found: Option<serde_json::Value> = serde_json::from_slice(answer).ok();
    let sentence = found.and_then(|found| Some(found.get("error")?.as_str()?.to_owned()));
    sentence.unwrap_or_else(|| "the page refused it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_pages_are_read() {
        let read = |text: &str| Target::parse(text).map(|target| (target.authority(), target.token));
        assert_eq!(read("http://127.0.0.1:9148/").unwrap(), ("127.0.0.1:9148".to_owned(), None));
        let with = read("http://localhost:9148/?token=abc23").unwrap();
        assert_eq!(with, ("localhost:9148".to_owned(), Some("abc23".to_owned())));
        assert_eq!(read("http://[::1]:9/").unwrap().0, "[::1]:9");
        for (text, reason) in [
            ("localhost:9148", "no `http://`"),
            ("https://a", "speaks `http`"),
            ("http:///x", "no host"),
            ("http://a b/", "no host"),
            ("http://a:x", "not a number"),
            ("http://a/?token=a%0d%0ax", "no token has"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
