//! Any bytes as a rule sheet: no panic, and the laws of the language crate hold.
#![no_main]

#[path = "../../crates/gdl/tests/laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::hold(bytes));
