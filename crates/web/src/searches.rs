//! Trees of searches that think for people who look inside, to be unfolded node by node.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludex_search::{Look, LookError, LookMove, Question, Watch};
use serde::{Deserialize, Serialize};

use crate::reply::Refusal;
use crate::secret;

/// How long a search may take to answer: it does between two batches.
const PATIENCE: Duration = Duration::from_secs(2);
/// Continuations of a node that are shown.
const SHOWN: usize = 16;
/// Longest path, in joint moves.
const LONGEST: usize = 200;

type Known = Arc<Mutex<BTreeMap<String, Watch>>>;

/// The searches that can be asked.
#[derive(Default)]
pub(crate) struct Searches {
    known: Known,
}

/// A search that can be asked as long as this lives.
pub(crate) struct Open {
    id: String,
    watch: Watch,
    known: Known,
}

fn lock(known: &Known) -> MutexGuard<'_, BTreeMap<String, Watch>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Open {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Where the search finds the questions.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        lock(&self.known).remove(&self.id);
    }
}

/// A node that is asked for: the joint moves that lead to it.
#[derive(Debug, Deserialize)]
pub(crate) struct Unfold {
    path: Vec<Vec<String>>,
}

/// A node as the page gets it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ShownNode {
    visits: u64,
    lines: Vec<ShownLine>,
}

/// A continuation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ShownLine {
    /// As joint moves.
    moves: Vec<Vec<String>>,
    visits: u64,
    /// What the role that chooses expects of its first move, 0 to 100.
    value: Option<f64>,
    /// What is proved about it: at least and at most.
    proof: Option<(u8, u8)>,
    /// The role that chooses.
    role: Option<usize>,
}

impl Searches {
    /// A search that begins.
    pub(crate) fn open(&self) -> Result<Open, Refusal> {
        let id = secret::word(12).map_err(|error| Refusal::broken(error.to_string()))?;
        let watch = Watch::new();
        lock(&self.known).insert(id.clone(), watch.clone());
        Ok(Open { id, watch, known: Arc::clone(&self.known) })
    }

    /// What a search knows about a node.
    pub(crate) fn look(&self, id: &str, asked: Unfold) -> Result<ShownNode, Refusal> {
        let watch = lock(&self.known).get(id).cloned();
        let watch = watch.ok_or_else(|| Refusal::missing("this search is over"))?;
        if asked.path.len() > LONGEST {
            return Err(Refusal::bad("the path is too long"));
        }
        let question = Question { path: asked.path, lines: SHOWN, steps: 1 };
        match watch.ask(question, PATIENCE, || {}) {
            Ok(look) => Ok(ShownNode { visits: look.visits, lines: lines(&look) }),
            Err(error @ (LookError::NotInTree(_) | LookError::NoMove(_))) => {
                Err(Refusal::missing(error.to_string()))
            }
            Err(error) => Err(Refusal::conflict(error.to_string())),
        }
    }
}

/// The continuations of a node. A line belongs to the role whose move it is about: the one whose
/// statistics it has.
pub(crate) fn lines(look: &Look<String>) -> Vec<ShownLine> {
    let line = |line: &ludex_search::Line<String>| {
        let first = line.moves.first();
        let own = |choice: &ludex_search::Choice<String>| -> Option<(usize, LookMove<String>)> {
            let name = first?.get(choice.role)?;
            let known = choice.moves.iter().find(|known| known.id == *name)?;
            Some((choice.role, known.clone()))
        };
        let mut found = look.choices.iter().filter_map(own);
        let known = found.clone().find(|(_, known)| known.visits == line.visits).or_else(|| found.next());
        ShownLine {
            moves: line.moves.clone(),
            visits: line.visits,
            value: line.value.filter(|value| value.is_finite()),
            proof: known.as_ref().and_then(|(_, known)| known.proof).map(|proof| (proof.low, proof.high)),
            role: known.map(|(role, _)| role),
        }
    };
    look.lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_known_as_long_as_they_think() {
        let searches = Searches::default();
        let open = searches.open().unwrap();
        let id = open.id().to_owned();
        assert!(searches.look("none", Unfold { path: Vec::new() }).is_err());
        assert!(searches.look(&id, Unfold { path: vec![Vec::new(); LONGEST + 1] }).is_err());
        drop(open);
        let gone = searches.look(&id, Unfold { path: Vec::new() }).unwrap_err();
        assert!(gone.message.contains("over"));
    }
}
