//! Invariants: mutex groups of facts, and latches, that hold in every reachable state.
//!
//! Proved by induction: they hold in the initial state, and if they hold in a state, they hold
//! after every step with legal moves. Candidates come from the shape of terms. Random play refutes
//! most of the wrong ones. The rest are assumed together and proved one by one. What cannot be
//! proved is dropped, and with it every proof that used it, until all proofs use only what is
//! proved (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", 2001).
//!
//! Work is counted. When the budget is spent, nothing further is claimed: sound but incomplete.

mod candidates;
mod known;
mod prove;
mod simulate;

use candidates::{GroupCandidate, is_constant};
use known::Assumptions;
use prove::{InvariantProver, ProofGoal, ProofOutcome};

use super::Circuit;
use super::gate::Signal;
use crate::limits::{StopReason, Watch};

/// How many facts of a group hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GroupKind {
    /// Exactly one: each is a function of the others.
    OneOf,
    /// At most one.
    Exclusive,
}

impl GroupKind {
    /// Whether this many facts of a group may hold.
    pub(crate) fn allows(self, count: usize) -> bool {
        match self {
            GroupKind::OneOf => count == 1,
            GroupKind::Exclusive => count <= 1,
        }
    }
}

/// A mutex group: facts that exclude each other in every reachable state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub facts: Vec<u32>,
    pub kind: GroupKind,
}

impl Group {
    /// Whether a state satisfies the group.
    pub(crate) fn allows(&self, holds: impl Fn(u32) -> bool) -> bool {
        self.kind.allows(self.facts.iter().filter(|&&fact| holds(fact)).take(2).count())
    }
}

/// Which invariants to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Groups, which make circuits smaller.
    Groups,
    /// Also latches, for reports and for search. The pass that simplifies by them
    /// (`passes::latched`) needs no proof.
    All,
}

/// What holds in every reachable state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invariants {
    pub groups: Vec<Group>,
    /// Latches: facts that stay true once true.
    pub stay_on: Vec<u32>,
    /// Facts that stay false once false.
    pub stay_off: Vec<u32>,
    /// Number of candidates given up because their proof exceeded the work budget.
    pub given_up: usize,
}

/// Work budget in steps per gate input of the circuit as built, so that it is in proportion to the
/// time of set-up; with lower and upper bounds.
const WORK_PER_INPUT: u64 = 10;
const MIN_WORK: u64 = 100_000;
const MAX_WORK: u64 = 8_000_000;
/// A single proof gets this fraction of the budget, but at least `MIN_SHARE` steps.
const BUDGET_SHARES: u64 = 32;
const MIN_SHARE: u64 = 50_000;
/// After this many failures in a row for lack of budget, no more proofs are tried: the rest are
/// most likely as hard. The limit is lower while few proofs have succeeded.
const MAX_FAILURES: usize = 8;
const MAX_FAILURES_AT_FIRST: usize = 3;
/// Maximum number of candidates: relations with many arguments have very many.
const MAX_CANDIDATES: usize = 4000;
/// Candidates come up in stages: one-of groups of likely shape first; then likely ones that failed
/// or that may be empty; then the rest.
const STAGES: u8 = 4;

/// Finds invariants that can be proved; `built` is the number of gate inputs of the circuit as
/// built.
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
        candidate.stage += u8::from(candidate.kind == GroupKind::Exclusive);
    }
    // Small groups first: proofs of others often need them.
    candidates.sort_by_key(|candidate| (candidate.stage, candidate.facts.len(), candidate.facts[0]));
    let mut found =
        Invariants { given_up: candidates.len().saturating_sub(MAX_CANDIDATES), ..Invariants::default() };
    candidates.truncate(MAX_CANDIDATES);
    let budget = budget(built);
    let mut prover = InvariantProver::new(circuit, Assumptions::new(circuit, candidates));
    groups(circuit, &mut prover, budget, watch, &mut found)?;
    if wanted == Wanted::All {
        latches(circuit, &mut prover, &seen, budget / 4, watch, &mut found)?;
    }
    Ok(found)
}

/// Completes the invariants of a finished circuit: adds latched facts, and groups if it has none.
pub(crate) fn completed(circuit: &Circuit, watch: &Watch) -> Result<Invariants, StopReason> {
    let built = circuit.gates.inputs_count();
    let mut found = circuit.invariants.clone();
    if found.groups.is_empty() {
        return invariants(circuit, built, Wanted::All, watch);
    }
    let proved = |group: &Group| GroupCandidate { facts: group.facts.clone(), kind: group.kind, stage: 0 };
    let mut candidates: Vec<GroupCandidate> = found.groups.iter().map(proved).collect();
    let seen = simulate::filter(circuit, &mut candidates);
    let mut prover = InvariantProver::new(circuit, Assumptions::new(circuit, candidates));
    prover.known.hypotheses.iter_mut().for_each(|hypothesis| hypothesis.alive = true);
    latches(circuit, &mut prover, &seen, budget(built) / 4, watch, &mut found)?;
    Ok(found)
}

/// The work that proofs may take for a circuit with this many gate inputs.
fn budget(built: usize) -> u64 {
    (MIN_WORK + built as u64 * WORK_PER_INPUT).min(MAX_WORK)
}

/// Proves groups. Those that fail are no longer hypotheses of the prover.
fn groups(
    circuit: &Circuit,
    prover: &mut InvariantProver<'_>,
    budget: u64,
    watch: &Watch,
    found: &mut Invariants,
) -> Result<(), StopReason> {
    let count = prover.known.hypotheses.len();
    let users = vec![Vec::new(); count];
    let mut search =
        GroupSearch { circuit, budget, given_up: 0, failures: 0, proved: vec![false; count], users };
    let shadows = shadows(prover);
    for stage in 0..STAGES {
        // Earlier proofs stay valid: they used nothing that comes up only now.
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
            let GroupCandidate { facts, kind, .. } = hypothesis.group.clone();
            found.groups.push(Group { facts, kind });
        }
    }
    Ok(())
}

/// State of the proof search.
struct GroupSearch<'a> {
    circuit: &'a Circuit,
    budget: u64,
    given_up: usize,
    /// Failures in a row for lack of budget.
    failures: usize,
    /// By hypothesis: whether there is a proof.
    proved: Vec<bool>,
    /// By hypothesis: the hypotheses whose proofs used it.
    users: Vec<Vec<usize>>,
}

impl GroupSearch<'_> {
    /// Tries to prove a hypothesis. One that fails is weakened, tried later or dropped.
    fn attempt(&mut self, prover: &mut InvariantProver<'_>, at: usize) {
        let GroupCandidate { facts, kind, stage } = &prover.known.hypotheses[at].group;
        let (kind, stage) = (*kind, *stage);
        let signals: Vec<Signal> = facts.iter().map(|&fact| self.circuit.facts[fact as usize].next).collect();
        let question = ProofGoal {
            given: &[],
            signals: &signals,
            exactly: kind == GroupKind::OneOf,
            group: Some(at),
            budget: self
                .budget
                .saturating_sub(prover.known.work)
                .min(MIN_SHARE.max(self.budget / BUDGET_SHARES)),
        };
        let outcome = prover.prove(&question);
        let used = prover.known.take_used();
        self.failures = if outcome == ProofOutcome::GivenUp { self.failures + 1 } else { 0 };
        let answered = self.proved.iter().filter(|&&proved| proved).count();
        if self.failures >= MAX_FAILURES.min(MAX_FAILURES_AT_FIRST + answered) {
            self.budget = self.budget.min(prover.known.work);
        }
        if outcome == ProofOutcome::Proved {
            self.proved[at] = true;
            used.iter().for_each(|&used| self.users[used as usize].push(at));
            return;
        }
        let hypothesis = &mut prover.known.hypotheses[at];
        match outcome {
            ProofOutcome::PerhapsNone | ProofOutcome::PerhapsTwo if stage == 0 => {
                // Its proof may need groups of the next stage.
                hypothesis.group.stage = 1;
                hypothesis.alive = false;
            }
            ProofOutcome::PerhapsNone => hypothesis.group.kind = GroupKind::Exclusive,
            _ => hypothesis.alive = false,
        }
        self.given_up += usize::from(outcome == ProofOutcome::GivenUp);
        // Proofs that used it are void.
        for user in std::mem::take(&mut self.users[at]) {
            self.proved[user] = false;
        }
    }
}

/// By hypothesis: larger ones that contain all its facts. While one of them stands, there is
/// nothing to prove.
fn shadows(prover: &InvariantProver<'_>) -> Vec<Vec<usize>> {
    let known = &prover.known;
    let contains = |larger: usize, group: &GroupCandidate| {
        let other = &known.hypotheses[larger].group;
        other.facts.len() > group.facts.len()
            && group.facts.iter().all(|f| other.facts.binary_search(f).is_ok())
    };
    let larger = |group: &GroupCandidate| match group.kind {
        GroupKind::OneOf => Vec::new(),
        GroupKind::Exclusive => {
            let groups = known.groups_of[group.facts[0] as usize].iter().map(|&at| at as usize);
            groups.filter(|&at| contains(at, group)).collect()
        }
    };
    known.hypotheses.iter().map(|hypothesis| larger(&hypothesis.group)).collect()
}

/// Proves latches: facts that stay true once true, or false once false.
fn latches(
    circuit: &Circuit,
    prover: &mut InvariantProver<'_>,
    seen: &simulate::Seen,
    budget: u64,
    watch: &Watch,
    found: &mut Invariants,
) -> Result<(), StopReason> {
    let end = prover.known.work.saturating_add(budget);
    let mut failures = 0;
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
            if failures == MAX_FAILURES {
                found.given_up += 1;
                continue;
            }
            let left = end.saturating_sub(prover.known.work).min(budget / BUDGET_SHARES);
            let question = ProofGoal {
                given: &[signal.inverted_if(!stays)],
                signals: &[fact.next.inverted_if(!stays)],
                exactly: true,
                group: None,
                budget: left,
            };
            let outcome = prover.prove(&question);
            failures = if outcome == ProofOutcome::GivenUp { failures + 1 } else { 0 };
            match outcome {
                ProofOutcome::Proved if stays => found.stay_on.push(number),
                ProofOutcome::Proved => found.stay_off.push(number),
                ProofOutcome::GivenUp => found.given_up += 1,
                _ => {}
            }
        }
    }
    Ok(())
}
