//! Where a player is: `http://host:port`.

use std::fmt;
use std::str::FromStr;

/// Where players listen if nobody says otherwise: the first port that ggp-base takes.
pub const DEFAULT_PORT: u16 = 9147;

/// Where a player is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
}

/// Why a text is not the address of a player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the address of a player: {reason}; write `http://host:port`")]
pub struct AddressError {
    text: String,
    reason: &'static str,
}

impl Address {
    /// A player on a port of a host.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// Name or number of the host, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `host:port`, as a header has it.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority())
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let error = |reason| AddressError { text: text.to_owned(), reason };
        let (scheme, rest) = text.trim().split_once("://").ok_or_else(|| error("it has no `http://`"))?;
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(error("only `http` is spoken by players"));
        }
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:[]%".contains(c);
        if !authority.chars().all(allowed) {
            return Err(error("the host has characters that no host has"));
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or_else(|| error("a `]` is missing"))?;
                (host, port.strip_prefix(':').unwrap_or(port))
            }
            None => authority.split_once(':').unwrap_or((authority, "")),
        };
        if host.is_empty() {
            return Err(error("there is no host"));
        }
        let port = match port {
            "" => DEFAULT_PORT,
            port => port.parse().map_err(|_| error("the port is not a number up to 65535"))?,
        };
        Ok(Self::new(host, port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, written) in [
            ("http://localhost:9148", "http://localhost:9148"),
            ("HTTP://127.0.0.1/", "http://127.0.0.1:9147"),
            ("http://[::1]:80", "http://[::1]:80"),
            ("http://[::1]", "http://[::1]:9147"),
        ] {
            assert_eq!(text.parse::<Address>().map(|a| a.to_string()).as_deref(), Ok(written));
        }
    }

    #[test]
    fn what_is_not_an_address_is_said() {
        for (text, reason) in [
            ("localhost:9147", "no `http://`"),
            ("https://a:1", "only `http`"),
            ("http://:1", "no host"),
            ("http://a:x", "not a number"),
            ("http://a:70000", "not a number"),
            ("http://a b:1", "no host has"),
            ("http://a:1/\r\nX: y", "no host has"),
            ("http://[::1:80", "`]` is missing"),
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
