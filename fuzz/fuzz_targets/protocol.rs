//! Any bytes as a message or a reply: no panic, and the laws of the protocol hold.
//!
//! The module is compiled into the target: the crate around it brings a server and a database along.
#![no_main]
#![allow(dead_code, reason = "not all of the module is called here")]

#[path = "../../crates/arena/src/protocol/mod.rs"]
mod protocol;
#[path = "../../crates/arena/tests/protocol_laws/mod.rs"]
mod protocol_laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| protocol_laws::hold(bytes));
