//! Moves that are the only ones of their role wherever they are legal: as a rule, waiting for the others.
//!
//! A move is, if being legal it implies something that every other move of the role rules out: a signal whose inverse they imply, or
//! a fact beside which theirs cannot hold ([`super::invariants`]). What is not found is merely not known.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Circuit;
use super::gate::{Node, Signal};

/// What follows from a move is cut off behind this many signals.
const MAX_IMPLIED: usize = 100;

impl Circuit {
    /// By role: the number of such a move, if there is one.
    pub(crate) fn moves_alone(&self) -> Vec<Option<u32>> {
        (0..self.moves.len()).map(|role| self.move_alone(role)).collect()
    }

    fn move_alone(&self, role: usize) -> Option<u32> {
        let legal = (0..).zip(&self.moves[role]).filter(|(_, known)| known.legal != Signal::FALSE);
        let implied: Vec<(u32, FxHashSet<Signal>)> =
            legal.map(|(number, known)| (number, self.implied(known.legal))).collect();
        // How many moves imply it.
        let mut counts: FxHashMap<Signal, usize> = FxHashMap::default();
        implied
            .iter()
            .flat_map(|(_, signals)| signals)
            .for_each(|&signal| *counts.entry(signal).or_default() += 1);
        let others = implied.len().saturating_sub(1);
        let all_others_imply = |signal: Signal| counts.get(&signal) == Some(&others);
        let is_alone = |signals: &FxHashSet<Signal>| {
            others == 0
                || signals
                    .iter()
                    .any(|&signal| all_others_imply(!signal) || self.excluded(signal).any(all_others_imply))
        };
        implied.iter().find(|(_, signals)| is_alone(signals)).map(|&(number, _)| number)
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

    /// Facts that do not hold where the signal is a fact that holds.
    fn excluded(&self, signal: Signal) -> impl Iterator<Item = Signal> {
        let fact = match self.gates.node(signal.node()) {
            Node::Fact(fact) if !signal.is_inverted() => Some(fact),
            _ => None,
        };
        let groups = self.invariants.groups.iter().map(|group| &group.facts);
        let groups = groups.filter(move |facts| fact.is_some_and(|fact| facts.contains(&fact)));
        groups
            .flatten()
            .copied()
            .filter(move |&other| Some(other) != fact)
            .map(|other| self.gates.fact(other))
    }
}

#[cfg(test)]
mod tests {
    use ludex_gdl::{Source, load};

    use super::*;
    use crate::{Ground, Limits};

    /// By role: the move that is alone.
    fn alone(rules: &str) -> Vec<Option<String>> {
        let rules = load(&Source::new("test.kif", rules)).playable().expect("no errors");
        let circuit =
            Circuit::for_play(Ground::new(&rules, &Limits::default()).expect("small")).expect("small");
        let name = |(role, number): (usize, Option<u32>)| {
            let term = circuit.moves[role][number? as usize].term;
            Some(circuit.terms.text(&circuit.names, term))
        };
        circuit.moves_alone().into_iter().enumerate().map(name).collect()
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
        assert_eq!(alone(&turns("(<= (legal b wait) (true (turn a)))")), [wait(), wait()]);
    }

    #[test]
    fn a_move_beside_others_is_not_alone() {
        let wait = || Some("wait".to_owned());
        assert_eq!(alone(&turns("(legal b wait)")), [wait(), None]);
        assert_eq!(alone(&turns("(<= (legal b wait) (not (true (taken 1))))")), [wait(), None]);
    }
}
