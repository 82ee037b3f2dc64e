//! What holds in every state that can be reached: groups of facts of which one holds, and facts that stay.
//!
//! By induction: it holds at first, and if it holds in a state, then also after every step, whatever legal moves are
//! made. Candidates come from the shape of terms, random play drops most of the wrong ones, the rest is assumed all
//! together and proved one by one. What cannot be proved is dropped, and with it every proof that has used it, until
//! all proofs use only what is proved (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", 2001).
//!
//! All work is counted: when it is too much, what has not been proved is not claimed.

mod candidates;
mod known;
mod prove;
mod simulate;

use candidates::{Candidate, is_constant};
use known::Known;
use prove::{Outcome, Prover, Question};

use super::Circuit;
use super::gate::Signal;
use crate::limits::{StopReason, Watch};

/// How many facts of a group hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Exactly one: each is a function of the others.
    OneOf,
    /// At most one.
    Exclusive,
}

impl Kind {
    /// Whether this many facts of a group may hold.
    pub(crate) fn allows(self, count: usize) -> bool {
        match self {
            Kind::OneOf => count == 1,
            Kind::Exclusive => count <= 1,
        }
    }
}

/// Facts that exclude each other in every state that can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub facts: Vec<u32>,
    pub kind: Kind,
}

impl Group {
    /// Whether a state is as those are that can be reached, as far as these facts say.
    pub(crate) fn allows(&self, holds: impl Fn(u32) -> bool) -> bool {
        self.kind.allows(self.facts.iter().filter(|&&fact| holds(fact)).take(2).count())
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Groups, which make circuits smaller.
    Groups,
    /// Also facts that stay: good to know for people and for search. What makes circuits smaller by them needs no proof
    /// (`passes::latched`).
    All,
}

/// What holds in every state that can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invariants {
    pub groups: Vec<Group>,
    /// Facts that stay once they hold.
    pub stay_on: Vec<u32>,
    /// Facts that never come back once they do not hold.
    pub stay_off: Vec<u32>,
    /// Candidates that were given up because they were too much work.
    pub given_up: usize,
}

/// Steps of work: some for each input of a gate as it was built, which is in proportion to the time of set-up.
const WORK_PER_INPUT: u64 = 10;
const MIN_WORK: u64 = 100_000;
const MAX_WORK: u64 = 8_000_000;
/// A single question gets this part of all work, or at least so much.
const PART: u64 = 32;
const MIN_PART: u64 = 50_000;
/// After so many questions in a row that took too much work, no more are asked: the others are most likely as hard.
/// Fewer where few have been answered before.
const IN_VAIN: usize = 8;
const IN_VAIN_AT_FIRST: usize = 3;
/// Candidates that are looked at; a relation with many arguments has very many.
const MAX_CANDIDATES: usize = 4000;
/// Candidates come up in stages: groups of likely shape of which one holds, then what was likely but failed or of which
/// none may hold, then the rest.
const STAGES: u8 = 4;

/// Finds what can be proved of a circuit; `built` says how many inputs its gates had when it was built.
pub(crate) fn invariants(
    circuit: &Circuit,
    built: usize,
    wanted: Wanted,
    watch: &Watch,
) -> Result<Invariants, StopReason> {
    watch.look()?;
    let mut candidates = candidates::candidates(circuit);
    let seen = simulate::filter(circuit, &mut candidates);
    watch.look()?;
    for candidate in &mut candidates {
        candidate.stage += u8::from(candidate.kind == Kind::Exclusive);
    }
    // Small groups are often those that others need.
    candidates.sort_by_key(|candidate| (candidate.stage, candidate.facts.len(), candidate.facts[0]));
    let mut found =
        Invariants { given_up: candidates.len().saturating_sub(MAX_CANDIDATES), ..Invariants::default() };
    candidates.truncate(MAX_CANDIDATES);
    let budget = budget(built);
    let mut prover = Prover::new(circuit, Known::new(circuit, candidates));
    groups(circuit, &mut prover, budget, watch, &mut found)?;
    if wanted == Wanted::All {
        latches(circuit, &mut prover, &seen, budget / 4, watch, &mut found)?;
    }
    Ok(found)
}

/// What a finished circuit has found by then, completed: groups if there are none yet, and facts that stay.
pub(crate) fn completed(circuit: &Circuit, watch: &Watch) -> Result<Invariants, StopReason> {
    let built = circuit.gates.inputs_count();
    let mut found = circuit.invariants.clone();
    if found.groups.is_empty() {
        return invariants(circuit, built, Wanted::All, watch);
    }
    let proved = |group: &Group| Candidate { facts: group.facts.clone(), kind: group.kind, stage: 0 };
    let mut candidates: Vec<Candidate> = found.groups.iter().map(proved).collect();
    let seen = simulate::filter(circuit, &mut candidates);
    let mut prover = Prover::new(circuit, Known::new(circuit, candidates));
    prover.known.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.alive = true);
    latches(circuit, &mut prover, &seen, budget(built) / 4, watch, &mut found)?;
    Ok(found)
}

fn budget(built: usize) -> u64 {
    (MIN_WORK + built as u64 * WORK_PER_INPUT).min(MAX_WORK)
}

/// The groups that can be proved; the others are no longer hypotheses of the prover.
fn groups(
    circuit: &Circuit,
    prover: &mut Prover<'_>,
    budget: u64,
    watch: &Watch,
    found: &mut Invariants,
) -> Result<(), StopReason> {
    let count = prover.known.hypotheses.len();
    let users = vec![Vec::new(); count];
    let mut search = Search { circuit, budget, given_up: 0, in_vain: 0, proved: vec![false; count], users };
    let shadows = shadows(prover);
    for stage in 0..STAGES {
        // What was proved before stays: those proofs have used nothing that comes up only now.
        for hypothesis in &mut prover.known.hypotheses {
            hypothesis.alive |= hypothesis.group.stage == stage;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..shadows.len() {
                let hypotheses = &prover.known.hypotheses;
                let shadowed = shadows[at].iter().any(|&larger| hypotheses[larger].alive);
                if hypotheses[at].alive && !search.proved[at] && !shadowed {
                    watch.look()?;
                    search.attempt(prover, at);
                    changed = true;
                }
            }
        }
    }
    found.given_up += search.given_up;
    for (hypothesis, &proved) in prover.known.hypotheses.iter_mut().zip(&search.proved) {
        hypothesis.alive &= proved;
        if hypothesis.alive {
            let Candidate { facts, kind, .. } = hypothesis.group.clone();
            found.groups.push(Group { facts, kind });
        }
    }
    Ok(())
}

/// What has been proved so far.
struct Search<'a> {
    circuit: &'a Circuit,
    budget: u64,
    given_up: usize,
    /// Questions in a row that took too much work.
    in_vain: usize,
    /// By hypothesis: whether there is a proof.
    proved: Vec<bool>,
    /// By hypothesis: whose proofs have used it.
    users: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Tries to prove a hypothesis. One that fails is weakened, tried later or dropped.
    fn attempt(&mut self, prover: &mut Prover<'_>, at: usize) {
        let Candidate { facts, kind, stage } = &prover.known.hypotheses[at].group;
        let (kind, stage) = (*kind, *stage);
        let signals: Vec<Signal> = facts.iter().map(|&fact| self.circuit.facts[fact as usize].next).collect();
        let question = Question {
            given: &[],
            signals: &signals,
            exactly: kind == Kind::OneOf,
            group: Some(at),
            budget: self.budget.saturating_sub(prover.known.work).min(MIN_PART.max(self.budget / PART)),
        };
        let outcome = prover.prove(&question);
        let used = prover.known.take_used();
        self.in_vain = if outcome == Outcome::GivenUp { self.in_vain + 1 } else { 0 };
        let answered = self.proved.iter().filter(|&&proved| proved).count();
        if self.in_vain >= IN_VAIN.min(IN_VAIN_AT_FIRST + answered) {
            self.budget = self.budget.min(prover.known.work);
        }
        if outcome == Outcome::Proved {
            self.proved[at] = true;
            used.iter().for_each(|&used| self.users[used as usize].push(at));
            return;
        }
        let hypothesis = &mut prover.known.hypotheses[at];
        match outcome {
            Outcome::PerhapsNone | Outcome::PerhapsTwo if stage == 0 => {
                // It may need what comes up only then.
                hypothesis.group.stage = 1;
                hypothesis.alive = false;
            }
            Outcome::PerhapsNone => hypothesis.group.kind = Kind::Exclusive,
            _ => hypothesis.alive = false,
        }
        self.given_up += usize::from(outcome == Outcome::GivenUp);
        // Proofs that have used it are worth nothing.
        for user in std::mem::take(&mut self.users[at]) {
            self.proved[user] = false;
        }
    }
}

/// By hypothesis: larger ones that say the same of more facts. As long as one of them stands, there is nothing
/// to prove.
fn shadows(prover: &Prover<'_>) -> Vec<Vec<usize>> {
    let known = &prover.known;
    let contains = |larger: usize, group: &Candidate| {
        let other = &known.hypotheses[larger].group;
        other.facts.len() > group.facts.len()
            && group.facts.iter().all(|f| other.facts.binary_search(f).is_ok())
    };
    let larger = |group: &Candidate| match group.kind {
        Kind::OneOf => Vec::new(),
        Kind::Exclusive => {
            let groups = known.groups_of[group.facts[0] as usize].iter().map(|&at| at as usize);
            groups.filter(|&at| contains(at, group)).collect()
        }
    };
    known.hypotheses.iter().map(|hypothesis| larger(&hypothesis.group)).collect()
}

/// Facts that stay once they hold, or once they do not.
fn latches(
    circuit: &Circuit,
    prover: &mut Prover<'_>,
    seen: &simulate::Seen,
    budget: u64,
    watch: &Watch,
    found: &mut Invariants,
) -> Result<(), StopReason> {
    let end = prover.known.work.saturating_add(budget);
    let mut in_vain = 0;
    for (number, fact) in (0..).zip(&circuit.facts) {
        if is_constant(fact.initial, fact.next) {
            continue;
        }
        watch.look()?;
        let signal = circuit.gates.fact(number);
        for (stays, was_seen) in [(true, &seen.went), (false, &seen.came)] {
            if was_seen[number as usize] {
                continue;
            }
            if in_vain == IN_VAIN {
                found.given_up += 1;
                continue;
            }
            let left = end.saturating_sub(prover.known.work).min(budget / PART);
            let question = Question {
                given: &[signal.inverted_if(!stays)],
                signals: &[fact.next.inverted_if(!stays)],
                exactly: true,
                group: None,
                budget: left,
            };
            let outcome = prover.prove(&question);
            in_vain = if outcome == Outcome::GivenUp { in_vain + 1 } else { 0 };
            match outcome {
                Outcome::Proved if stays => found.stay_on.push(number),
                Outcome::Proved => found.stay_off.push(number),
                Outcome::GivenUp => found.given_up += 1,
                _ => {}
            }
        }
    }
    Ok(())
}
