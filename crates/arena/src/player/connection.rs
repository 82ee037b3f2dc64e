//! Connections: bounded in number and time, and what is to be known about each.
//!
//! A connection carries one request. Its clock begins when it is accepted: managers count from
//! there or later. Whoever sends too slowly is cut off. Some senders close their half when they
//! have sent; that is the end of the request and not of the connection, so such an end is kept from
//! the HTTP layer, which would take it for a hang-up.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

use super::whole_request::WholeRequest;

/// Connections at a time: two for each match. More wait in the system's queue. Each may bring the
/// largest message, so this also bounds memory.
pub(super) const MOST_CONNECTIONS: usize = 128;
/// How long after the end of a stream it is clear whether the request was complete.
const AFTER_END: Duration = Duration::from_millis(100);
/// Bytes that are read at once while the length of a request is not known.
const PIECE: usize = 4096;

/// What is known about a connection.
#[derive(Clone, Debug)]
pub(super) struct Connection(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    accepted: Instant,
    /// When it must be here.
    limit: Instant,
    /// The request is here.
    complete: AtomicBool,
    /// When the answer should have left.
    deadline: Mutex<Option<Instant>>,
}

impl Connection {
    fn new(time: Duration) -> Self {
        let accepted = Instant::now();
        Self(Arc::new(Inner {
            accepted,
            limit: accepted + time,
            complete: AtomicBool::new(false),
            deadline: Mutex::default(),
        }))
    }

    /// When it was accepted.
    pub(super) fn accepted(&self) -> Instant {
        self.0.accepted
    }

    /// When the request must be here.
    pub(super) fn limit(&self) -> Instant {
        self.0.limit
    }

    /// The whole request is here: no more reading.
    pub(super) fn complete(&self) {
        self.0.complete.store(true, Ordering::Release);
    }

    fn is_complete(&self) -> bool {
        self.0.complete.load(Ordering::Acquire)
    }

    /// When the answer should leave.
    pub(super) fn due(&self, deadline: Option<Instant>) {
        *self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }
}

/// Accepts connections, but not too many.
pub(super) struct Door {
    listener: TcpListener,
    places: Arc<Semaphore>,
    /// Time for a request to arrive.
    time: Duration,
    /// Is told how late answers leave.
    learn: Arc<dyn Fn(Duration) + Send + Sync>,
}

impl Door {
    pub(super) fn new(
        listener: TcpListener,
        time: Duration,
        learn: impl Fn(Duration) + Send + Sync + 'static,
    ) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(MOST_CONNECTIONS)), time, learn: Arc::new(learn) }
    }
}

impl Listener for Door {
    type Io = Stream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Stream, SocketAddr) {
        loop {
            // The semaphore is never closed.
            let place = Arc::clone(&self.places).acquire_owned().await.ok();
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Replies are small: they leave at once.
                    let _ = stream.set_nodelay(true);
                    let stream = Stream {
                        stream,
                        connection: Connection::new(self.time),
                        // A moment more than the handler gives itself: it would like to say why.
                        limit: Box::pin(tokio::time::sleep(self.time + AFTER_END)),
                        ended: None,
                        request: WholeRequest::default(),
                        ready: Vec::new(),
                        learn: Arc::clone(&self.learn),
                        _place: place,
                    };
                    return (stream, address);
                }
                Err(error) => {
                    // Out of files, or the other side is gone already: others may come.
                    tracing::warn!("a connection could not be accepted: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, Door>> for Connection {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().connection.clone()
    }
}

/// A connection as a stream of bytes.
pub(super) struct Stream {
    stream: TcpStream,
    connection: Connection,
    limit: Pin<Box<Sleep>>,
    /// The other side has sent all; when that will be believed.
    ended: Option<Pin<Box<Sleep>>>,
    request: WholeRequest,
    /// Bytes of it that the HTTP layer has not taken yet, the next one last.
    ready: Vec<u8>,
    learn: Arc<dyn Fn(Duration) + Send + Sync>,
    _place: Option<OwnedSemaphorePermit>,
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.connection.is_complete() && this.limit.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        while this.ended.is_none() && this.ready.is_empty() {
            if this.request.is_passing() {
                let before = buffer.filled().len();
                ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
                if buffer.filled().len() > before {
                    return Poll::Ready(Ok(()));
                }
                this.ended = Some(Box::pin(tokio::time::sleep(AFTER_END)));
            } else {
                let mut space = [0; PIECE];
                let mut piece = ReadBuf::new(&mut space);
                ready!(Pin::new(&mut this.stream).poll_read(context, &mut piece))?;
                let ended = piece.filled().is_empty();
                this.ready = this.request.take(piece.filled(), ended);
                this.ready.reverse();
                if ended {
                    this.ended = Some(Box::pin(tokio::time::sleep(AFTER_END)));
                }
            }
        }
        if !this.ready.is_empty() && buffer.remaining() > 0 {
            let rest = this.ready.len().saturating_sub(buffer.remaining());
            let mut next = this.ready.split_off(rest);
            next.reverse();
            buffer.put_slice(&next);
            return Poll::Ready(Ok(()));
        }
        if let Some(ended) = &mut this.ended
            && !this.connection.is_complete()
        {
            ready!(ended.as_mut().poll(context));
        }
        if this.connection.is_complete() { Poll::Pending } else { Poll::Ready(Ok(())) }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The answer has left, if there was one: how late was it?
impl Drop for Stream {
    fn drop(&mut self) {
        let deadline = *self.connection.0.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(deadline) = deadline {
            (self.learn)(deadline.elapsed());
        }
    }
}
