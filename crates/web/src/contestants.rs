//! Players behind HTTP that were registered: where they are, and what they said when they were last
//! asked with INFO.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ludex_arena::protocol::Status;
use ludex_arena::{Address, AddressError, probe};
use serde::Serialize;

use crate::reply::Refusal;

/// Players that are kept.
const MOST: usize = 50;
/// How long a player may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longest name of a player, in letters.
const MAX_NAME: usize = 60;

/// A registered player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Contestant {
    pub(crate) address: String,
    /// As it calls itself.
    pub(crate) name: Option<String>,
    /// `available`, `busy`, or `away` if nobody answered.
    pub(crate) status: &'static str,
    /// Whether it is Ludex, which reads clocks with fractions of a second.
    pub(crate) is_ludex: bool,
    /// When it was asked, in milliseconds since 1970.
    pub(crate) asked: u64,
}

/// The registered players, in the order of registration.
#[derive(Default)]
pub(crate) struct Contestants {
    known: Mutex<Vec<Contestant>>,
}

/// Asks a player whether it is there.
pub(crate) fn ask(address: &str) -> Result<Contestant, Refusal> {
    let address: Address =
        address.trim().parse().map_err(|error: AddressError| Refusal::bad(error.to_string()))?;
    let found = probe(&address, PATIENCE)
        .map_err(|error| Refusal::conflict(format!("nobody answers at {address}: {error}")))?;
    let is_busy = found.status.is_some_and(|status| status != Status::Available);
    let clean = |name: String| name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Contestant {
        address: address.to_string(),
        name: found.name.map(clean),
        status: if is_busy { "busy" } else { "available" },
        is_ludex: found.is_ludex,
        asked: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
    })
}

impl Contestants {
    fn known(&self) -> MutexGuard<'_, Vec<Contestant>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them.
    pub(crate) fn list(&self) -> Vec<Contestant> {
        self.known().clone()
    }

    /// Registers a player that answers, or asks a registered one again. A registered player that does
    /// not answer stays, as `away`.
    pub(crate) fn register(&self, address: &str) -> Result<Contestant, Refusal> {
        let asked = ask(address);
        let mut known = self.known();
        match asked {
            Ok(found) => {
                let at = known.iter().position(|one| one.address == found.address);
                match at {
                    Some(at) => known[at] = found.clone(),
                    None if known.len() >= MOST => {
                        return Err(Refusal::busy(format!("there are {MOST} players already; remove one")));
                    }
                    None => known.push(found.clone()),
                }
                Ok(found)
            }
            Err(refusal) => {
                let place = known.iter_mut().find(|one| one.address == address.trim());
                let Some(place) = place else { return Err(refusal) };
                place.status = "away";
                Ok(place.clone())
            }
        }
    }

    /// Removes a player from the list.
    pub(crate) fn forget(&self, address: &str) {
        self.known().retain(|one| one.address != address.trim());
    }
}
