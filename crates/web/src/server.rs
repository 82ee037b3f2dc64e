//! Listens, and ends everything with the server.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use ludex_arena::StoreError;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::contestants::Contestants;
use crate::door::Door;
use crate::gallery::Previews;
use crate::guard::Guard;
use crate::keeper::Keeper;
use crate::lab::Lab;
use crate::matches::{Hall, Matches};
use crate::publish::Runs;
use crate::routes::{HINTS, Shared, routes};
use crate::searches::Searches;
use crate::secret;
use crate::shelf::Shelf;
use crate::tournaments::Tournaments;

/// How the page is served.
#[derive(Clone, Debug)]
pub struct WebOptions {
    /// Where to listen; port 0 is any that is free.
    pub address: SocketAddr,
    /// Memory of each search, in bytes.
    pub memory: usize,
    /// A file to keep matches in; without it they are gone with the server.
    pub store: Option<PathBuf>,
    /// The folder with results of experiments; `lab` in the working directory if there is none.
    pub lab: Option<PathBuf>,
}

impl WebOptions {
    /// A page at this address with everything else as usual.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, memory: 256 << 20, store: None, lab: None }
    }
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
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
    /// The store cannot be used.
    #[error("cannot keep matches in {}: {error}", .file.display())]
    Store {
        /// Which.
        file: PathBuf,
        /// Why not.
        error: StoreError,
    },
    /// The system gives no random numbers.
    #[error("no token can be made: {0}")]
    Token(#[from] getrandom::Error),
}

/// A server of the page. Dropping it ends all its matches.
pub struct WebServer {
    runtime: Option<Runtime>,
    shared: Arc<Shared>,
    address: SocketAddr,
    token: Option<String>,
}

impl WebServer {
    /// Starts to listen. Beyond loopback it needs a token, which [`url`](Self::url) has.
    pub fn start(options: WebOptions) -> Result<Self, WebError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("web")
            .enable_all()
            .build()
            .map_err(WebError::Start)?;
        let address = options.address;
        let listen = |error| WebError::Listen { address, error };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let token = if address.ip().is_loopback() { None } else { Some(secret::word(24)?) };
        let open = |file: PathBuf| match Keeper::open(&file) {
            Ok(keeper) => Ok(Arc::new(keeper)),
            Err(error) => Err(WebError::Store { file, error }),
        };
        let keeper = options.store.map(open).transpose()?;
        let shared = Arc::new(Shared {
            shelf: Shelf::new(),
            previews: Previews::default(),
            matches: Matches::default(),
            hints: Arc::new(Semaphore::new(HINTS)),
            hall: Hall { memory: options.memory, keeper },
            is_local: token.is_none(),
            contestants: Contestants::default(),
            tournaments: Tournaments::default(),
            runs: Runs::default(),
            searches: Searches::default(),
            lab: Lab::new(options.lab),
        });
        let door = Door::new(listener);
        let router = routes(Arc::clone(&shared), Guard { token: token.clone() });
        runtime.spawn(async move { axum::serve(door, router).await });
        Ok(Self { runtime: Some(runtime), shared, address, token })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "localhost".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let token = self.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
        format!("http://{host}:{}/{token}", self.address.port())
    }

    /// Serves until somebody presses Ctrl-C, or asks the process to end.
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

impl Drop for WebServer {
    fn drop(&mut self) {
        self.shared.lab.close();
        self.shared.tournaments.close();
        self.shared.matches.close();
        if let Some(runtime) = self.runtime.take() {
            // Nobody is waited for: pages keep a connection open.
            runtime.shutdown_background();
        }
    }
}
