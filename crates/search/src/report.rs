//! What a search reports about its root: the move, the other candidates, and the work done.
//!
//! This is the only report type. A search reports move ids of its game; [`SearchReport::named`]
//! turns them into names for people, logs and match records.

use std::time::Duration;

use ludex_game::MoveId;

/// What is proved about a position or a move, for the searching role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// It gets at least this goal in best play.
    pub low: u8,
    /// It gets at most this goal: whatever it does if the goals of two players have a constant sum,
    /// otherwise even if all others help.
    pub high: u8,
    /// Steps to the end in best play as far as it was searched, if the goals of all are known.
    pub steps: Option<u16>,
}

impl Proof {
    /// Whether the goal is known.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }
}

/// A move of the searching role and its statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<M = MoveId> {
    /// The move: an id of the game, or its name in a named report.
    pub id: M,
    /// Playouts through the move.
    pub visits: u64,
    /// By role: the expected goal, 0 to 100. Empty if nothing is known.
    pub values: Vec<f64>,
    /// What is proved; none if nothing is.
    pub proof: Option<Proof>,
}

/// A report about the root of a search. Moves are ids of its game (`M = MoveId`) or names
/// (`M = String`).
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport<M = MoveId> {
    /// The move to make; none before the first root, and in terminal states.
    pub best: Option<M>,
    /// By role: the expected goal of the root, 0 to 100. Empty if nothing is known.
    pub values: Vec<f64>,
    /// All moves of the role, the best first.
    pub candidates: Vec<Candidate<M>>,
    /// The expected continuation, as joint moves.
    pub principal_variation: Vec<Vec<M>>,
    /// Playouts since the root was set.
    pub playouts: u64,
    /// State transitions since the root was set.
    pub steps: u64,
    /// Nodes in memory; where leaves become nodes at a later visit, positions with statistics.
    pub nodes: u64,
    /// Depth of the deepest node below the root.
    pub depth: u32,
    /// Bytes that the nodes use.
    pub memory: usize,
    /// Whether the value of the root is exact.
    pub proven: bool,
    /// What is proved about the root; none if nothing is.
    pub proof: Option<Proof>,
    /// Search time since the root was set. Searches leave it zero, so that equal searches have
    /// equal reports; whoever runs the search fills it in.
    pub elapsed: Duration,
}

impl<M> Default for SearchReport<M> {
    fn default() -> Self {
        Self {
            best: None,
            values: Vec::new(),
            candidates: Vec::new(),
            principal_variation: Vec::new(),
            playouts: 0,
            steps: 0,
            nodes: 0,
            depth: 0,
            memory: 0,
            proven: false,
            proof: None,
            elapsed: Duration::ZERO,
        }
    }
}

impl<M: PartialEq> SearchReport<M> {
    /// The candidate of the best move.
    pub fn chosen(&self) -> Option<&Candidate<M>> {
        self.candidates.iter().find(|candidate| Some(&candidate.id) == self.best.as_ref())
    }

    /// Playouts through the best move.
    pub fn visits(&self) -> u64 {
        self.chosen().map_or(0, |chosen| chosen.visits)
    }

    /// The expected goal of a role, 0 to 100; none if nothing is known.
    pub fn value(&self, role: usize) -> Option<f64> {
        self.values.get(role).copied()
    }

    /// Playouts per second of search time; 0 if no time was measured.
    pub fn playouts_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.playouts as f64 / seconds } else { 0.0 }
    }
}

impl SearchReport {
    /// The same report with names instead of ids, and with at most so many candidates.
    pub fn named(&self, candidates: usize, name: impl Fn(MoveId) -> String) -> SearchReport<String> {
        let named = |candidate: &Candidate| Candidate {
            id: name(candidate.id),
            visits: candidate.visits,
            values: candidate.values.clone(),
            proof: candidate.proof,
        };
        let joint = |joint: &Vec<MoveId>| joint.iter().map(|&id| name(id)).collect();
        SearchReport {
            best: self.best.map(&name),
            values: self.values.clone(),
            candidates: self.candidates.iter().take(candidates).map(named).collect(),
            principal_variation: self.principal_variation.iter().map(joint).collect(),
            playouts: self.playouts,
            steps: self.steps,
            nodes: self.nodes,
            depth: self.depth,
            memory: self.memory,
            proven: self.proven,
            proof: self.proof,
            elapsed: self.elapsed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_report_keeps_the_figures() {
        let candidate =
            |id, visits| Candidate { id: MoveId(id), visits, values: vec![60.0, 40.0], proof: None };
        let report = SearchReport {
            best: Some(MoveId(7)),
            values: vec![60.0, 40.0],
            candidates: vec![candidate(7, 5), candidate(3, 2)],
            principal_variation: vec![vec![MoveId(7), MoveId(0)]],
            playouts: 7,
            elapsed: Duration::from_millis(500),
            ..SearchReport::default()
        };
        let named = report.named(1, |id| format!("m{id}"));
        assert_eq!((named.best.as_deref(), named.visits(), named.value(1)), (Some("m7"), 5, Some(40.0)));
        assert_eq!(named.candidates.len(), 1);
        assert_eq!(named.principal_variation, [["m7", "m0"]]);
        assert_eq!((named.playouts, named.playouts_per_second()), (7, 14.0));
    }
}
