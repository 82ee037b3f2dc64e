//! Laws of the protocol that hold for all bytes; tests and the fuzz target share them.

use super::protocol::{Kind, Message, Reply, normal_term};

/// Panics if a law does not hold for these bytes.
pub(crate) fn hold(bytes: &[u8]) {
    if let Ok(message) = Message::parse(bytes) {
        let written = message.to_string();
        assert_eq!(Message::parse(written.as_bytes()), Ok(message), "read back from {written:?}");
    }
    for kind in Kind::ALL {
        if let Ok(reply) = Reply::parse(bytes, kind) {
            let written = reply.to_string();
            assert_eq!(Reply::parse(written.as_bytes(), kind), Ok(reply), "read back from {written:?}");
        }
    }
    if let Ok(term) = normal_term(&String::from_utf8_lossy(bytes)) {
        assert_eq!(normal_term(&term), Ok(term.clone()));
    }
}
