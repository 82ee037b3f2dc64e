//! What can be said of players after some matches, and how surely.

mod interval;
mod ratings;
mod sequential;
mod significance;

pub use interval::{Estimate, Interval, mean_with_interval};
pub use ratings::{Rating, Ratings, ratings};
pub use sequential::{bounds, decided, log_likelihood_ratio};
pub use significance::improvement_confidence;
