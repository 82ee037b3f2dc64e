//! Tournaments that are played here: everybody meets everybody, in matches that can be watched.
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | what a tournament is to be, and its matches |
//! | `play` | plays the matches |
//! | `standings` | points, ratings, who beat whom |

mod plan;
mod play;
mod standings;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

pub(crate) use plan::NewTournament;
pub(crate) use play::Tournament;
pub(crate) use standings::{Played, Standings};

use crate::reply::Refusal;
use crate::routes::Shared;

/// Tournaments that are kept; the oldest that is over goes first.
const MOST: usize = 20;

/// All tournaments.
pub(crate) struct Tournaments {
    all: Mutex<Vec<Arc<Tournament>>>,
    /// One plays at a time: with clocks, cores that are shared would decide matches.
    turn: Arc<Semaphore>,
}

impl Default for Tournaments {
    fn default() -> Self {
        Self { all: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Tournaments {
    /// Begins a tournament; it waits for the one before it.
    pub(crate) async fn begin(
        &self,
        shared: &Arc<Shared>,
        wanted: NewTournament,
    ) -> Result<Arc<Tournament>, Refusal> {
        let tournament = Arc::new(Tournament::new(shared, wanted).await?);
        {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() >= MOST {
                let Some(at) = all.iter().position(|one| one.is_over()) else {
                    return Err(Refusal::busy("too many tournaments are waiting; stop one of them first"));
                };
                all.remove(at);
            }
            all.push(Arc::clone(&tournament));
        }
        tokio::spawn(Arc::clone(&tournament).play(Arc::clone(shared), Arc::clone(&self.turn)));
        Ok(tournament)
    }

    /// The tournament with this id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Tournament>, Refusal> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|one| one.id() == id).map(Arc::clone);
        found.ok_or_else(|| Refusal::missing("this tournament is not here any more"))
    }

    /// All of them, the newest first.
    pub(crate) fn list(&self) -> Vec<Arc<Tournament>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rev().map(Arc::clone).collect()
    }

    /// Ends all of them.
    pub(crate) fn close(&self) {
        for one in self.all.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            one.stop();
        }
    }
}
