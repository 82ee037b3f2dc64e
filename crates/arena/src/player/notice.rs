//! What happens in the matches of a player, for those who watch it at work.

use std::sync::Arc;
use std::time::Duration;

/// Takes notices, on the thread that answers a message: whoever takes long costs time on the clock.
pub type Listener = Arc<dyn Fn(&Notice<'_>) + Send + Sync>;

/// Something that happened. `id` is the name of the match.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice<'a> {
    /// A match begins.
    Started {
        /// Name of the match.
        id: &'a str,
        /// Which role is ours.
        role: &'a str,
        /// All roles.
        roles: &'a [String],
        /// The rules, as the manager sent them.
        rules: &'a str,
        /// Time to get ready.
        start_clock: Duration,
        /// Time for each move.
        play_clock: Duration,
    },
    /// Joint moves became known, or others than were known before.
    Position {
        /// Name of the match.
        id: &'a str,
        /// All of them so far.
        moves: &'a [Vec<String>],
    },
    /// A move is answered.
    Moved {
        /// Name of the match.
        id: &'a str,
        /// For which step, from 1.
        step: usize,
        /// The move; none if there is none.
        chosen: Option<&'a str>,
        /// Expected goal, 0 to 100, if the search says so.
        value: Option<f64>,
        /// Playouts of the search.
        playouts: u64,
        /// How long it took.
        took: Duration,
    },
    /// A match is over.
    Ended {
        /// Name of the match.
        id: &'a str,
        /// Number of steps, as far as they are known.
        steps: usize,
        /// By role: the goal, none where unknown.
        goals: Vec<(&'a str, Option<u8>)>,
        /// Whether the manager broke it off.
        aborted: bool,
    },
    /// Anything else that people may want to know.
    Note {
        /// Name of the match.
        id: &'a str,
        /// In words.
        text: &'a str,
    },
}
