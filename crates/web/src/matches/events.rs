//! What happens in a match, as server-sent events: the whole view, with only the new moves. A page
//! that was away gets everything with the first event.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::mpsc::Receiver;

use super::live::Live;
use super::view::{Seen, View};

/// Events closer to each other than this become one: pages need no more than they can draw.
const APART: Duration = Duration::from_millis(40);
/// A sign of life, so that nobody takes the connection for dead.
const ALIVE: Duration = Duration::from_secs(15);

/// Everything that happens from now on, beginning with how things are.
pub(crate) fn events(live: &Arc<Live>, keys: Vec<String>) -> Response {
    let mut changes = live.watch();
    changes.mark_changed();
    let live = Arc::clone(live);
    let events = stream::unfold((live, changes, keys, Seen::default(), true), |state| async move {
        let (live, mut changes, keys, mut seen, first) = state;
        if !first {
            tokio::time::sleep(APART).await;
        }
        // The sender lives as long as the match, which this stream holds.
        changes.changed().await.ok()?;
        changes.mark_unchanged();
        let view = {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            View::of(&live, &keys, &mut seen)
        };
        let text = serde_json::to_string(&view).unwrap_or_default();
        let event: Result<Event, Infallible> = Ok(Event::default().data(text));
        Some((event, (live, changes, keys, seen, false)))
    });
    let alive = KeepAlive::new().interval(ALIVE).text("alive");
    Sse::new(events).keep_alive(alive).into_response()
}

/// News from a channel, each a text of one line, until it is closed. The last event is `end`, so that
/// the page does not ask again.
pub(crate) fn news(news: Receiver<Bytes>) -> Response {
    let events = stream::unfold(Some(news), |news| async move {
        let mut news = news?;
        let event: Result<Event, Infallible> = Ok(match news.recv().await {
            Some(text) => Event::default().data(String::from_utf8_lossy(&text)),
            None => return Some((Ok(Event::default().event("end").data("")), None)),
        });
        Some((event, Some(news)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE).text("alive")).into_response()
}
