//! Forced moves: moves that are a role's only legal move in every state where they are legal.
//! Usually they are the no-op of a role that waits for its turn.
//!
//! A move is forced if its legality implies something that every other move of the role rules out:
//! a signal whose inverse they imply, or a fact that is mutually exclusive (a mutex) with a fact
//! they imply ([`super::invariants`]). The analysis is sound but incomplete.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Circuit;
use super::gate::{Node, Signal};
use super::invariants::Group;

/// Maximum number of signals collected as implied by a move; bounds the work per move.
const MAX_IMPLIED: usize = 32;

/// The forced moves of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForcedMoves {
    /// By role: the number of its forced move, if one was found.
    pub moves: Vec<Option<u32>>,
    /// The mutex groups that this relies on. They hold in all reachable states.
    claims: Vec<Group>,
}

impl ForcedMoves {
    /// Whether a state satisfies the groups relied on, so that its successors do too.
    pub(crate) fn expects(&self, holds: impl Fn(u32) -> bool) -> bool {
        self.claims.iter().all(|group| group.allows(&holds))
    }
}

impl Circuit {
    /// Finds the forced moves.
    pub(crate) fn forced_moves(&self) -> ForcedMoves {
        let mut claims: Vec<Group> = Vec::new();
        let mut find = |role: usize| {
            let (number, claim) = self.forced_move(role)?;
            claims.extend(claim.filter(|claim| !claims.contains(claim)).cloned());
            Some(number)
        };
        ForcedMoves { moves: (0..self.moves.len()).map(&mut find).collect(), claims }
    }

    /// The forced move of a role, and the mutex group that this relies on.
    fn forced_move(&self, role: usize) -> Option<(u32, Option<&Group>)> {
        let legal = (0..).zip(&self.moves[role]).filter(|(_, known)| known.legal != Signal::FALSE);
        let implied: Vec<(u32, FxHashSet<Signal>)> =
            legal.map(|(number, known)| (number, self.implied(known.legal))).collect();
        let others = implied.len().checked_sub(1)?;
        if others == 0 {
            return implied.first().map(|&(number, _)| (number, None));
        }
        // Counts the moves that imply each signal. A signal implied by all but one may exclude that
        // one.
        let mut counts: FxHashMap<Signal, usize> = FxHashMap::default();
        for &signal in implied.iter().flat_map(|(_, signals)| signals) {
            *counts.entry(signal).or_default() += 1;
        }
        let by_others = counts.iter().filter(|&(_, &count)| count == others).map(|(&signal, _)| signal);
        let found = by_others.filter_map(|signal| {
            let (number, signals) = implied.iter().find(|(_, signals)| !signals.contains(&signal))?;
            match signals.contains(&!signal) {
                true => Some((*number, None)),
                false => self.group_of(signal, signals).map(|group| (*number, Some(group))),
            }
        });
        // Prefer a move that relies on no group.
        found.min_by_key(|&(number, claim)| (claim.is_some(), number))
    }

    /// A signal and the signals it implies.
    fn implied(&self, signal: Signal) -> FxHashSet<Signal> {
        let mut implied = FxHashSet::default();
        let mut pending = vec![signal];
        while let Some(signal) = pending.pop() {
            if implied.len() < MAX_IMPLIED && implied.insert(signal) && !signal.is_inverted() {
                pending.extend(self.gates.inputs(signal.node()));
            }
        }
        implied
    }

    /// A group that contains the fact of `signal` and, as another member, a fact among `others`.
    fn group_of(&self, signal: Signal, others: &FxHashSet<Signal>) -> Option<&Group> {
        let fact = match self.gates.node(signal.node()) {
            Node::Fact(fact) if !signal.is_inverted() => fact,
            _ => return None,
        };
        let is_other = |&other: &u32| other != fact && others.contains(&self.gates.fact(other));
        let excludes = |group: &&Group| group.facts.contains(&fact) && group.facts.iter().any(is_other);
        self.invariants.groups.iter().find(excludes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ground, Limits};

    fn circuit(rules: &str) -> Circuit {
        let rules = ludex_testkit::rules(rules);
        Circuit::for_play(Ground::new(&rules, &Limits::default()).expect("small")).expect("small")
    }

    /// By role: the name of its forced move.
    fn forced(rules: &str) -> Vec<Option<String>> {
        let circuit = circuit(rules);
        let name = |(role, number): (usize, Option<u32>)| {
            let term = circuit.moves[role][number? as usize].term;
            Some(circuit.terms.text(&circuit.sheet.names, term))
        };
        circuit.forced_moves().moves.into_iter().enumerate().map(name).collect()
    }

    /// Two roles that take turns to occupy three places; `waiting` are the rules for the no-op of
    /// `b`.
    fn turns(waiting: &str) -> String {
        format!(
            "(role a) (role b) (init (turn a)) (place 1) (place 2) (place 3)
            (<= (legal ?r (take ?p)) (true (turn ?r)) (place ?p) (not (true (taken ?p))))
            (<= (legal a wait) (true (turn b))) {waiting}
            (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
            (<= (next (taken ?p)) (true (taken ?p))) (<= (next (taken ?p)) (does ?r (take ?p)))
            (<= terminal (true (taken 1)) (true (taken 2)) (true (taken 3)))
            (goal a 50) (goal b 50)"
        )
    }

    #[test]
    fn the_no_op_of_a_waiting_role_is_forced() {
        let wait = || Some("wait".to_owned());
        let rules = turns("(<= (legal b wait) (true (turn a)))");
        assert_eq!(forced(&rules), [wait(), wait()]);
        // This relies on the turns being mutually exclusive.
        let circuit = circuit(&rules);
        let name = |fact: u32| circuit.terms.text(&circuit.sheet.names, circuit.facts[fact as usize].term);
        let forced = circuit.forced_moves();
        assert!(forced.expects(|fact| name(fact) == "(turn a)"));
        assert!(!forced.expects(|fact| name(fact).starts_with("(turn")));
    }

    #[test]
    fn a_move_legal_beside_others_is_not_forced() {
        let wait = || Some("wait".to_owned());
        assert_eq!(forced(&turns("(legal b wait)")), [wait(), None]);
        assert_eq!(forced(&turns("(<= (legal b wait) (not (true (taken 1))))")), [wait(), None]);
    }
}
