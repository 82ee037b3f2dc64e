//! Selection: which edge a role follows in the tree.

mod argmax;
mod rave;
mod ucb1;
mod uniform;
mod urgency;

pub(crate) use rave::rave;
pub(crate) use ucb1::ucb1;
pub(crate) use uniform::uniform;
pub(crate) use urgency::{UrgentUcb, urgent_ucb};

/// The selection rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Selection {
    /// UCB1 with this exploration constant C_p.
    Ucb1(f64),
    /// UCB1 with first-play urgency or in the tuned form.
    Urgent(UrgentUcb),
    /// UCB1 with RAVE: exploration constant C_p, equivalence parameter `k`.
    Rave(f64, f64),
    /// Uniformly random.
    Uniform,
}
