//! Moves that are the only ones of their role wherever they are legal: as a rule, waiting for the others.
//!
//! A move is, if being legal it implies something that every other move of the role rules out: a signal whose inverse they imply, or
//! a fact beside which theirs cannot hold ([`super::invariants`]). What is not found is merely not known.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Circuit;
use super::gate::{Node, Signal};
use super::invariants::Group;

/// What follows from a move is cut off behind this many signals.
const MAX_IMPLIED: usize = 32;

/// Moves that are alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alone {
    /// By role: the number of its move, if there is one.
    pub moves: Vec<Option<u32>>,
    /// What that takes for granted. It holds in all states that can be reached.
    claims: Vec<Group>,
}

impl Alone {
    /// Whether it is so in a state, and behind it.
    pub(crate) fn expects(&self, holds: impl Fn(u32) -> bool) -> bool {
        self.claims.iter().all(|group| group.allows(&holds))
    }
}

impl Circuit {
    /// Finds moves that are alone.
    pub(crate) fn moves_alone(&self) -> Alone {
        let mut claims: Vec<Group> = Vec::new();
        let mut find = |role: usize| {
            let (number, claim) = self.move_alone(role)?;
            claims.extend(claim.filter(|claim| !claims.contains(claim)).cloned());
            Some(number)
        };
        Alone { moves: (0..self.moves.len()).map(&mut find).collect(), claims }
    }

    /// The move of a role, and what that takes for granted.
    fn move_alone(&self, role: usize) -> Option<(u32, Option<&Group>)> {
        let legal = (0..).zip(&self.moves[role]).filter(|(_, known)| known.legal != Signal::FALSE);
        let implied: Vec<(u32, FxHashSet<Signal>)> =
            legal.map(|(number, known)| (number, self.implied(known.legal))).collect();
        let others = implied.len().checked_sub(1)?;
        if others == 0 {
            return implied.first().map(|&(number, _)| (number, None));
        }
        // How many moves imply it. What all imply but one, that one may rule out.
        let mut counts: FxHashMap<Signal, usize> = FxHashMap::default();
        for &signal in implied.iter().flat_map(|(_, signals)| signals) {
            *counts.entry(signal).or_default() += 1;
        }
        let by_others = counts.iter().filter(|&(_, &count)| count == others).map(|(&signal, _)| signal);
        let alone = by_others.filter_map(|signal| {
            let (number, signals) = implied.iter().find(|(_, signals)| !signals.contains(&signal))?;
            match signals.contains(&!signal) {
                true => Some((*number, None)),
                false => self.group_of(signal, signals).map(|group| (*number, Some(group))),
            }
        });
        // Without a claim, if possible.
        alone.min_by_key(|&(number, claim)| (claim.is_some(), number))
    }

    /// A signal and what is true with it.
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

    /// A group of which the signal is a fact, and one of the others another.
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

    /// By role: the move that is alone.
    fn alone(rules: &str) -> Vec<Option<String>> {
        let circuit = circuit(rules);
        let name = |(role, number): (usize, Option<u32>)| {
            let term = circuit.moves[role][number? as usize].term;
            Some(circuit.terms.text(&circuit.sheet.names, term))
        };
        circuit.moves_alone().moves.into_iter().enumerate().map(name).collect()
    }

    /// Two who take turns on three places; how the second may wait is left open.
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
    fn who_waits_for_the_others_can_do_nothing_else() {
        let wait = || Some("wait".to_owned());
        let rules = turns("(<= (legal b wait) (true (turn a)))");
        assert_eq!(alone(&rules), [wait(), wait()]);
        // Unless it is the turn of both, which never happens.
        let circuit = circuit(&rules);
        let name = |fact: u32| circuit.terms.text(&circuit.sheet.names, circuit.facts[fact as usize].term);
        let alone = circuit.moves_alone();
        assert!(alone.expects(|fact| name(fact) == "(turn a)"));
        assert!(!alone.expects(|fact| name(fact).starts_with("(turn")));
    }

    #[test]
    fn a_move_beside_others_is_not_alone() {
        let wait = || Some("wait".to_owned());
        assert_eq!(alone(&turns("(legal b wait)")), [wait(), None]);
        assert_eq!(alone(&turns("(<= (legal b wait) (not (true (taken 1))))")), [wait(), None]);
    }
}
