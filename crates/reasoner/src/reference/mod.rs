//! The reference engine: interprets the rules as written; the authority for the other engines.
//!
//! Every other engine is compared with this one. It keeps nothing but the rules, asks for what it
//! needs to know (`prove`), and numbers facts and moves as it meets them.
//!
//! | file | what it does |
//! |---|---|
//! | `program` | rules without alternatives, ground facts apart |
//! | `condition_order` | the order of the conditions of a rule |
//! | `pattern` | terms with variables, matched against ground ones |
//! | `rows` | lists of ground sentences and the facts of a state |
//! | `table` | queries, their answers, and the frames that wait for them |
//! | `prove` | which sentences follow |
//! | `negation` | when it is certain that none does |
//! | `question` | questions about any relation |

mod condition_order;
mod negation;
mod pattern;
mod program;
mod prove;
mod question;
mod rows;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludex_game::{EngineInfo, FactId, Failure, Game, Goal, Model, MoveId, State, View};
use ludex_gdl::{Rules, Symbol, keyword};

use crate::model::SheetModel;
use crate::term::TermId;
use pattern::{OPEN, TermStore};
use program::{ReferenceProgram, Scope};
use prove::TablingProver;
use rows::World;

/// What one question to the reference may cost. Rules can describe what never ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceLimits {
    /// Sentences, questions and half-done rules that are kept at a time.
    pub atoms: usize,
    /// Steps of proof for one question.
    pub steps: u64,
    /// Different ground terms in the life of a game.
    pub terms: usize,
}

impl Default for ReferenceLimits {
    /// Some hundreds of megabytes and some ten seconds: far more than any published sheet needs.
    fn default() -> Self {
        Self { atoms: 4_000_000, steps: 300_000_000, terms: 4_000_000 }
    }
}

/// The plain interpreter.
#[derive(Debug)]
pub struct Reference {
    program: ReferenceProgram,
    model: SheetModel,
    roles: Vec<String>,
    role_terms: Vec<TermId>,
    initial: State,
    asked: QueriedRelations,
    mind: Mutex<ProofState>,
}

/// The relations that a game queries; a sheet need not have them all.
#[derive(Debug)]
struct QueriedRelations {
    next: Option<usize>,
    legal: Option<usize>,
    goal: Option<usize>,
    terminal: Option<usize>,
}

/// The mutable part of the engine.
#[derive(Debug)]
struct ProofState {
    store: TermStore,
    prover: TablingProver,
    /// The state and the moves that `world` was made of.
    state: Option<State>,
    joint: Option<Vec<MoveId>>,
    world: World,
    limits: ReferenceLimits,
}

impl Reference {
    /// The game of these rules, with the usual limits.
    pub fn new(rules: Rules) -> Result<Self, Failure> {
        Self::with_limits(rules, ReferenceLimits::default())
    }

    /// The game of these rules. Fails if the first state alone is more than the limits allow.
    pub fn with_limits(rules: Rules, limits: ReferenceLimits) -> Result<Self, Failure> {
        let rules = Arc::new(rules);
        let mut store = TermStore::new(limits.terms);
        let program = ReferenceProgram::new(rules.clone(), &mut store)?;
        let mut role_terms = Vec::new();
        for role in &rules.roles {
            if let pattern::ReferencePattern::Ground(term) = store.pattern(role)? {
                role_terms.push(term);
            }
        }
        let roles = role_terms.iter().map(|&role| store.terms.text(&rules.names, role)).collect();
        let prover = TablingProver::new(limits, &program);
        let relation = |symbol: Symbol, arity| rules.relation(symbol, arity).map(ludex_gdl::Relation::index);
        let asked = QueriedRelations {
            next: relation(keyword::NEXT, 1),
            legal: relation(keyword::LEGAL, 2),
            goal: relation(keyword::GOAL, 2),
            terminal: relation(keyword::TERMINAL, 0),
        };
        let mut mind =
            ProofState { store, prover, state: None, joint: None, world: World::default(), limits };
        let first = mind.column(&program, relation(keyword::INIT, 1), &[OPEN])?;
        let initial = words(first.into_iter().map(|term| term.0));
        let model = SheetModel::new(rules);
        Ok(Self { program, model, roles, role_terms, initial, asked, mind: Mutex::new(mind) })
    }

    /// A thread that panicked while it held the lock leaves at worst answers that are forgotten.
    fn mind(&self) -> MutexGuard<'_, ProofState> {
        self.mind.lock().unwrap_or_else(|poisoned| {
            let mut mind = PoisonError::into_inner(poisoned);
            mind.forget();
            mind
        })
    }

    fn name(&self, id: u32) -> String {
        let mind = self.mind();
        match (id as usize) < mind.store.terms.len() {
            true => mind.store.terms.text(&self.program.sheet.names, TermId(id)),
            false => format!("?{id}"), // not one of ours
        }
    }
}

impl ProofState {
    fn forget(&mut self) {
        self.state = None;
        self.prover.forget(Scope::Always);
    }

    /// Puts itself into a state, in which these moves are made.
    fn enter(&mut self, roles: &[TermId], state: &State, joint: Option<&[MoveId]>) -> Result<(), Failure> {
        let terms = self.store.terms.len();
        if let Some(foreign) = state.words().iter().find(|&&word| word >= terms as u64) {
            return Err(Failure::Misuse(format!(
                "the state has the fact {foreign}, which this game does not know"
            )));
        }
        if let Some(foreign) = joint.unwrap_or_default().iter().find(|id| id.index() >= terms) {
            return Err(Failure::Misuse(format!("this game does not know the move {foreign}")));
        }
        if joint.is_some_and(|joint| joint.len() != roles.len()) {
            let count = joint.map_or(0, <[MoveId]>::len);
            return Err(Failure::Misuse(format!("{count} moves for {} roles", roles.len())));
        }
        if self.prover.remembered() > self.limits.atoms / 2 {
            self.forget();
        }
        if self.state.as_ref() != Some(state) {
            self.prover.forget(Scope::State);
            self.world = World::new(state.words().iter().filter_map(term), &self.store.terms);
            self.state = Some(state.clone());
            self.joint = None;
        }
        if self.joint.as_deref() != joint {
            self.prover.forget(Scope::Moves);
            self.world.moves = rows::RelationRows::default();
            for (&role, choice) in roles.iter().zip(joint.unwrap_or_default()) {
                self.world.moves.insert(&[role, TermId(choice.0)]);
            }
            self.world.moves.finish();
            self.joint = joint.map(<[MoveId]>::to_vec);
        }
        Ok(())
    }

    /// The last arguments of all sentences that fit, sorted.
    fn column(
        &mut self,
        program: &ReferenceProgram,
        relation: Option<usize>,
        key: &[TermId],
    ) -> Result<Vec<TermId>, Failure> {
        let Some(relation) = relation else { return Ok(Vec::new()) };
        let rows = self.prover.ask(program, &self.world, &mut self.store, relation, key)?;
        let mut column: Vec<TermId> = rows.iter().filter_map(|row| row.last().copied()).collect();
        column.sort_unstable();
        Ok(column)
    }

    fn holds(&mut self, program: &ReferenceProgram, relation: Option<usize>) -> Result<bool, Failure> {
        let Some(relation) = relation else { return Ok(false) };
        Ok(!self.prover.ask(program, &self.world, &mut self.store, relation, &[])?.is_empty())
    }
}

fn term(word: &u64) -> Option<TermId> {
    u32::try_from(*word).ok().map(TermId)
}

/// A state is the sorted numbers of its facts, a word each.
fn words(facts: impl Iterator<Item = u32>) -> State {
    let mut words: Vec<u64> = facts.map(u64::from).collect();
    words.sort_unstable();
    words.dedup();
    State::from_words(words)
}

impl Game for Reference {
    fn engine(&self) -> EngineInfo {
        EngineInfo::scalar("reference")
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn view(&self, state: &State) -> Result<View, Failure> {
        let mut mind = self.mind();
        mind.enter(&self.role_terms, state, None)?;
        let mut view = View { terminal: false, legal: vec![Vec::new(); self.roles.len()] };
        view.terminal = mind.holds(&self.program, self.asked.terminal)?;
        if !view.terminal {
            for (&role, legal) in self.role_terms.iter().zip(&mut view.legal) {
                let moves = mind.column(&self.program, self.asked.legal, &[role, OPEN])?;
                *legal = moves.into_iter().map(|term| MoveId(term.0)).collect();
            }
        }
        Ok(view)
    }

    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
        let mut mind = self.mind();
        mind.enter(&self.role_terms, state, Some(joint))?;
        let facts = mind.column(&self.program, self.asked.next, &[OPEN])?;
        Ok(words(facts.into_iter().map(|term| term.0)))
    }

    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
        let mut mind = self.mind();
        mind.enter(&self.role_terms, state, None)?;
        let mut goals = Vec::new();
        for &role in &self.role_terms {
            let values = mind.column(&self.program, self.asked.goal, &[role, OPEN])?;
            let names = &self.program.sheet.names;
            let mut texts: Vec<_> = values.iter().map(|&v| mind.store.terms.text(names, v)).collect();
            texts.sort();
            let value = |text: &String| text.parse::<u8>().ok().filter(|&value| value <= 100);
            goals.push(match texts.as_slice() {
                [] => Goal::Undefined,
                [only] => value(only).map_or(Goal::Faulty(texts), Goal::Value),
                _ => Goal::Faulty(texts),
            });
        }
        Ok(goals)
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(&self.model)
    }

    fn move_name(&self, id: MoveId) -> String {
        self.name(id.0)
    }

    /// Any term made of words of the sheet may be a move: what the rules say about it is seen when
    /// it is made.
    fn find_move(&self, text: &str) -> Option<MoveId> {
        self.mind().store.read(&self.program.sheet.names, text).map(|term| MoveId(term.0))
    }

    fn fact_name(&self, id: FactId) -> String {
        self.name(id.0)
    }

    /// Any term made of words of the sheet may be a fact: this engine does not know beforehand.
    fn find_fact(&self, text: &str) -> Option<FactId> {
        self.mind().store.read(&self.program.sheet.names, text).map(|term| FactId(term.0))
    }

    fn facts(&self, state: &State) -> Vec<FactId> {
        state.words().iter().filter_map(term).map(|term| FactId(term.0)).collect()
    }

    fn state_with(&self, facts: &[FactId]) -> State {
        words(facts.iter().map(|fact| fact.0))
    }
}
