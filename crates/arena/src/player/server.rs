//! The player behind HTTP: what game managers connect to.
//!
//! One request a connection: answers say how long they are *and* close the connection, because some
//! managers read to the end of the stream and others to the given length. Bodies, headers,
//! connections and the time of a request are bounded; every request that arrives whole is answered.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::connection::{Connection, Door, MOST_CONNECTIONS};
use super::host::{Host, HostOptions};
use crate::protocol::{MAX_MESSAGE_BYTES, Message};

/// Bytes that are read and thrown away behind a body that is too long, so that its sender gets to
/// read why.
const THROWN_AWAY: usize = 64 << 20;

/// Why a player does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// The system gives no threads.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
    /// The folder for records cannot be made.
    #[error("cannot keep records in {}: {error}", .folder.display())]
    Records {
        /// Where.
        folder: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
}

/// A player that listens. Dropping it ends all its matches.
pub struct Server {
    runtime: Option<Runtime>,
    host: Arc<Host>,
    address: SocketAddr,
}

impl Server {
    /// Starts to listen; port 0 is any that is free.
    pub fn start(address: SocketAddr, options: HostOptions) -> Result<Self, ServeError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            // Each request that waits for a search has one.
            .max_blocking_threads(MOST_CONNECTIONS + 8)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let listen = |error| ServeError::Listen { address, error };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        if let Some(folder) = &options.records {
            std::fs::create_dir_all(folder)
                .map_err(|error| ServeError::Records { folder: folder.clone(), error })?;
        }
        let time = options.request_time;
        let host = Arc::new(Host::new(options));
        let watched = Arc::downgrade(&host);
        std::thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || Host::heartbeat(watched))
            .map_err(ServeError::Start)?;
        let learner = Arc::clone(&host);
        let door = Door::new(listener, time, move |late| learner.margin.observe(late));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&host));
        let service = router.into_make_service_with_connect_info::<Connection>();
        runtime.spawn(async move { axum::serve(door, service).await });
        Ok(Self { runtime: Some(runtime), host, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Plays until somebody presses Ctrl-C, or asks the process to end.
    pub fn until_interrupted(self) {
        let Some(runtime) = &self.runtime else { return };
        runtime.block_on(async {
            let interrupt = tokio::signal::ctrl_c();
            #[cfg(unix)]
            {
                use tokio::signal::unix::{SignalKind, signal};
                if let Ok(mut terminate) = signal(SignalKind::terminate()) {
                    tokio::select! { _ = interrupt => {}, _ = terminate.recv() => {} }
                    return;
                }
            }
            let _ = interrupt.await;
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.host.close();
        if let Some(runtime) = self.runtime.take() {
            // Nobody is waited for: a request may be in the middle of a long clock.
            runtime.shutdown_background();
        }
    }
}

/// Every request comes here, whatever its path.
async fn answer(
    State(host): State<Arc<Host>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    request: Request,
) -> Response {
    match *request.method() {
        Method::POST => {}
        // Browsers ask before they send; people look whether somebody is there.
        Method::OPTIONS => return respond(StatusCode::OK, String::new()),
        Method::GET | Method::HEAD => return respond(StatusCode::OK, host.info().to_string()),
        _ => return respond(StatusCode::METHOD_NOT_ALLOWED, "send messages by POST\n".to_owned()),
    }
    let deadline = tokio::time::Instant::from_std(connection.limit());
    let body = match tokio::time::timeout_at(deadline, read(request.into_body())).await {
        Ok(Ok(body)) => body,
        Ok(Err(reason)) => {
            connection.complete();
            return respond(reason, format!("{reason}\n"));
        }
        Err(_) => {
            connection.complete();
            return respond(StatusCode::REQUEST_TIMEOUT, "the message did not arrive in time\n".to_owned());
        }
    };
    connection.complete();
    let message = match Message::parse(&body) {
        Ok(message) => message,
        Err(error) => return respond(StatusCode::BAD_REQUEST, format!("{error}\n")),
    };
    drop(body);
    if message == Message::Info {
        return respond(StatusCode::OK, host.info().to_string());
    }
    let arrived: Instant = connection.accepted();
    match tokio::task::spawn_blocking(move || host.answer(message, arrived)).await {
        Ok(answered) => {
            connection.due(answered.deadline);
            respond(StatusCode::OK, answered.reply.to_string())
        }
        Err(error) => respond(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

/// The whole body, if it is not too long.
async fn read(mut body: Body) -> Result<Vec<u8>, StatusCode> {
    let mut bytes = Vec::new();
    let mut length = 0;
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        match frame {
            None if length > MAX_MESSAGE_BYTES => return Err(StatusCode::PAYLOAD_TOO_LARGE),
            None => return Ok(bytes),
            Some(Err(_)) => return Err(StatusCode::BAD_REQUEST),
            Some(Ok(frame)) => {
                let Some(data) = frame.data_ref() else { continue };
                length += data.len();
                if length > MAX_MESSAGE_BYTES + THROWN_AWAY {
                    return Err(StatusCode::PAYLOAD_TOO_LARGE);
                }
                if length <= MAX_MESSAGE_BYTES {
                    bytes.extend_from_slice(data);
                } else {
                    bytes = Vec::new();
                }
            }
        }
    }
}

/// As all managers accept it.
fn respond(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/acl"),
        (header::CONNECTION, "close"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST, GET, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "*"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A referee reads from it that clocks may have fractions.
    if let Ok(software) = HeaderValue::from_str(&crate::client::software()) {
        headers.insert(header::SERVER, software);
    }
    response
}
