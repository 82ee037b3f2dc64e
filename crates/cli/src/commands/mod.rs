//! One file per command: its arguments, its help, and what it does.

pub(crate) mod ask;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod choose;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod games;
pub(crate) mod lab;
pub(crate) mod matches;
pub(crate) mod new;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod players;
pub(crate) mod replay;
pub(crate) mod scramble;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod tournament;
pub(crate) mod trace;
pub(crate) mod web;
