//! The path of an alpha-beta search: the nodes on it, and for each level of a node a frame.

use ludex_game::Expansion;

use super::super::levels::Levels;
use super::super::table::{Entry, Key};
use super::super::value::{Chooser, Tally};

/// A state on the path that is searched, with its children.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) children: Expansion,
    pub(super) levels: Levels,
    pub(super) key: Option<Key>,
    /// What the table knew about it.
    pub(super) known: Option<Entry>,
    pub(super) bytes: usize,
}

/// How the next option of a frame is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// It was not begun.
    New,
    /// With a null window.
    Null,
    /// With the whole window, because it is better than the null window allows, or from the start.
    Whole,
}

/// A choice on the path: one level of a node.
#[derive(Debug)]
pub(super) struct Frame {
    /// Index of its node.
    pub(super) node: usize,
    pub(super) level: usize,
    /// Sum of the offsets chosen on earlier levels.
    pub(super) base: u32,
    /// Steps to the horizon, from the node.
    pub(super) depth: u16,
    /// The window when the frame began, and what is left of it.
    pub(super) window: (f32, f32),
    pub(super) alpha: f32,
    pub(super) beta: f32,
    pub(super) chooser: Chooser,
    /// Options as offsets, the best first, and the next one.
    pub(super) order: Vec<u32>,
    pub(super) at: usize,
    pub(super) pass: Pass,
    pub(super) tally: Tally,
    /// The child that the best option leads to.
    pub(super) best: u32,
    /// Leaves of the next batch.
    pub(super) leaves: usize,
}

/// The whole range of values.
pub(super) const OPEN: (f32, f32) = (f32::NEG_INFINITY, f32::INFINITY);

impl Frame {
    /// The child of the next option, as far as it is decided.
    pub(super) fn next_child(&self) -> u32 {
        self.base + self.order.get(self.at).copied().unwrap_or(0)
    }

    /// Whether the other options cannot matter.
    pub(super) fn is_cut(&self) -> bool {
        self.at > 0 && (self.alpha >= self.beta || self.tally.is_settled())
    }

    /// The window of the next option: after the first a null window, if that is enough.
    pub(super) fn window_of_option(&mut self, pvs: bool) -> (f32, f32) {
        let null = match self.chooser {
            Chooser::Own => (self.alpha, self.alpha.next_up()),
            Chooser::Others => (self.beta.next_down(), self.beta),
            Chooser::Chance | Chooser::Both(_) => return OPEN,
        };
        if pvs && self.at > 0 && self.pass == Pass::New {
            self.pass = Pass::Null;
            return null;
        }
        self.pass = Pass::Whole;
        (self.alpha, self.beta)
    }
}
