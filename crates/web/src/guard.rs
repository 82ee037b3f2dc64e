//! Who may ask: requests of other pages, under other names, or without the token are refused.
//!
//! A page elsewhere can make a browser send requests to this machine. They carry an `Origin` or
//! `Sec-Fetch-Site` of their own, and those that change something must be JSON, which other pages
//! cannot send without asking first. A name that is made to point here (DNS rebinding) shows in
//! `Host`. Beyond loopback everybody needs the token, once in the address and from then on as a
//! cookie.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::reply::Refusal;
use crate::secret;

const COOKIE: &str = "ludex_token";

/// What the guard knows.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Needed by everybody, if there is one.
    pub(crate) token: Option<String>,
}

/// Scripts, styles and connections of this server only, nothing inline, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Lets through what is in order, and adds the headers.
pub(crate) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(Stopped::Refused(refusal)) => refusal.into_response(),
        Err(Stopped::Welcome { cookie, to }) => welcome(&cookie, &to),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Why a request goes no further.
enum Stopped {
    Refused(Refusal),
    /// It brought the token: from now on it is in a cookie, and not in the address.
    Welcome {
        cookie: String,
        to: String,
    },
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Stopped::Refused(refusal)
    }
}

impl Guard {
    fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Stopped> {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(header::HOST) else {
            return Err(Refusal::bad("a request needs a host").into());
        };
        if self.token.is_none() && !is_loopback(host) {
            return Err(Refusal::forbidden("this server answers on localhost only").into());
        }
        let reads = matches!(*method, Method::GET | Method::HEAD);
        if !reads && *method != Method::POST {
            return Err(Refusal::bad("only GET and POST are answered").into());
        }
        let own_origin = |origin: &str| {
            origin.split_once("://").is_some_and(|(scheme, rest)| {
                matches!(scheme, "http" | "https") && rest.eq_ignore_ascii_case(host)
            })
        };
        if text(header::ORIGIN).is_some_and(|origin| !own_origin(origin)) {
            return Err(Refusal::forbidden("requests of other pages are refused").into());
        }
        let site = text(HeaderName::from_static("sec-fetch-site")).unwrap_or("none");
        // Links to pages may come from anywhere; everything else is for this page alone.
        let is_page = reads && !uri.path().starts_with("/api/");
        if !is_page && !matches!(site, "same-origin" | "none") {
            return Err(Refusal::forbidden("requests of other pages are refused").into());
        }
        let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"));
        if !reads && !is_json {
            return Err(Refusal::bad("requests are JSON (content-type: application/json)").into());
        }
        match &self.token {
            Some(token) => known(token, uri, headers),
            None => Ok(()),
        }
    }
}

/// Whether a request has the token.
fn known(token: &str, uri: &Uri, headers: &HeaderMap) -> Result<(), Stopped> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    if pairs.any(|(name, value)| name == COOKIE && secret::same(value, token)) {
        return Ok(());
    }
    let query = uri.query().unwrap_or("");
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    if parts.any(|(name, value)| name == "token" && secret::same(value, token)) {
        // Only the path: a doubled slash at its beginning would lead to another server.
        let to = format!("/{}", uri.path().trim_start_matches('/'));
        return Err(Stopped::Welcome { cookie: token.to_owned(), to });
    }
    let message = "this server needs a token: open the address that `ludex web` printed";
    Err(Refusal { status: StatusCode::UNAUTHORIZED, message: message.to_owned() }.into())
}

fn welcome(cookie: &str, to: &str) -> Response {
    let cookie = format!("{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000");
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, to.to_owned())];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// Whether a host is this machine, under a name that cannot be made to point elsewhere.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_few_names() {
        for host in ["localhost", "LOCALHOST:9148", "127.0.0.1:1", "[::1]:9148", "127.1.2.3"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "example.org:9148", "localhost.example.org", "10.0.0.1:9148", "[::2]:1", "127.0.0.1.x"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
