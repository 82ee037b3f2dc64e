//! One message and its answer.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::address::Address;
use super::answer::{MAX_ANSWER_BYTES, Progress, Response, judge};
use crate::record::PlayerFault;

/// No connection takes longer, however much time there is.
const CONNECT: Duration = Duration::from_secs(5);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The deadline passed.
    #[error("no answer in time")]
    TimeOut,
    /// No connection, or one that ended too soon.
    #[error("{0}")]
    Connection(String),
    /// Something came, but not an answer.
    #[error("not an answer: {0}")]
    Garbled(String),
}

impl From<ClientError> for PlayerFault {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::TimeOut => PlayerFault::TimeOut,
            ClientError::Connection(reason) => PlayerFault::connection(&reason),
            ClientError::Garbled(text) => PlayerFault::illegal(&text),
        }
    }
}

/// Sends a message and waits for the answer until the deadline; `name` is who the message is for.
pub fn post(address: &Address, name: &str, message: &str, deadline: Instant) -> Result<String, ClientError> {
    exchange(address, name, message, deadline).map(|response| response.body)
}

/// The same with the headers that mean something.
pub(super) fn exchange(
    address: &Address,
    name: &str,
    message: &str,
    deadline: Instant,
) -> Result<Response, ClientError> {
    let mut stream = connect(address, deadline)?;
    let clean: String = name.chars().filter(|c| c.is_ascii_graphic()).take(100).collect();
    // One write: some players read the head and the body in one go.
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {clean}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        address.authority(),
        message.len(),
    );
    write_all(&mut stream, request.as_bytes(), deadline)?;
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let ended = match read(&mut stream, &mut piece, deadline)? {
            0 => true,
            count => {
                bytes.extend_from_slice(&piece[..count]);
                false
            }
        };
        match judge(&bytes, ended) {
            Progress::Done(answer) => return Ok(answer),
            Progress::Garbled(text) => return Err(ClientError::Garbled(text)),
            Progress::Status(code) => return Err(ClientError::Connection(format!("HTTP status {code}"))),
            Progress::More if ended && bytes.is_empty() => {
                return Err(ClientError::Connection("closed without an answer".to_owned()));
            }
            Progress::More if ended => {
                return Err(ClientError::Connection("closed in the middle of the answer".to_owned()));
            }
            // A head and a body of the longest kind; `judge` stops long before.
            Progress::More if bytes.len() > 4 * MAX_ANSWER_BYTES => {
                return Err(ClientError::Garbled(format!("more than {} bytes", 4 * MAX_ANSWER_BYTES)));
            }
            Progress::More => {}
        }
    }
}

/// What is left; an error if that is nothing.
fn left(deadline: Instant) -> Result<Duration, ClientError> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ClientError::TimeOut) } else { Ok(left) }
}

fn connect(address: &Address, deadline: Instant) -> Result<TcpStream, ClientError> {
    let failed = |error: io::Error| ClientError::Connection(format!("no connection to {address}: {error}"));
    let sockets: Vec<SocketAddr> =
        (address.host(), address.port()).to_socket_addrs().map_err(failed)?.collect();
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for socket in sockets {
        match TcpStream::connect_timeout(&socket, left(deadline)?.min(CONNECT)) {
            Ok(stream) => {
                // Without it the last piece of a message may wait; if it cannot be had, so be it.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

fn write_all(stream: &mut TcpStream, mut bytes: &[u8], deadline: Instant) -> Result<(), ClientError> {
    while !bytes.is_empty() {
        let set = stream.set_write_timeout(Some(left(deadline)?));
        match set.and_then(|()| stream.write(bytes)) {
            Ok(0) => return Err(ClientError::Connection("closed while it was written to".to_owned())),
            Ok(count) => bytes = &bytes[count..],
            Err(error) => broken(&error)?,
        }
    }
    Ok(())
}

fn read(stream: &mut TcpStream, piece: &mut [u8], deadline: Instant) -> Result<usize, ClientError> {
    loop {
        let set = stream.set_read_timeout(Some(left(deadline)?));
        match set.and_then(|()| stream.read(piece)) {
            Ok(count) => return Ok(count),
            Err(error) => broken(&error)?,
        }
    }
}

/// An error unless it is worth another try before the deadline.
fn broken(error: &io::Error) -> Result<(), ClientError> {
    match error.kind() {
        ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => Ok(()),
        _ => Err(ClientError::Connection(error.to_string())),
    }
}
