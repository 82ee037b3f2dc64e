//! What every engine must keep to: its answers must be consistent with each other, in random games.
//!
//! Whether they are right is for [`crate::agree`] and [`crate::verify`] to say.

use std::sync::Arc;

use crate::conformance_model::Structure;
use crate::expansion::{ExpandOptions, Expansion, expand_one_by_one};
use crate::game::{Failure, Game, View};
use crate::ids::MoveId;
use crate::simulator::{OneByOne, Simulator, SimulatorConfig};
use crate::state::State;

/// How many random games to look at, and how closely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The same seed gives the same games.
    pub seed: u64,
    /// How many games.
    pub games: u64,
    /// Games are left after this many steps.
    pub max_steps: u32,
    /// States with more joint moves are not expanded.
    pub max_joint_moves: usize,
    /// Playouts from the first state and from one more state of each game.
    pub playouts: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { seed: 1, games: 4, max_steps: 100, max_joint_moves: 64, playouts: 4 }
    }
}

/// A rule of the contract that an engine broke, or a failure on the way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The engine contradicts itself.
    #[error("{engine}: {law}: {details}; in the state ({state})")]
    Law {
        /// Name of the engine.
        engine: &'static str,
        /// Which law.
        law: Law,
        /// What was seen.
        details: String,
        /// The facts of the state.
        state: String,
    },
    /// Two engines contradict each other.
    #[error("{what} differ: {left} has {left_only}, {right} has {right_only}; in the state ({state})")]
    Disagreement {
        /// About what.
        what: String,
        /// Name of the first engine.
        left: &'static str,
        /// What only the first says.
        left_only: String,
        /// Name of the second engine.
        right: &'static str,
        /// What only the second says.
        right_only: String,
        /// The facts of the state.
        state: String,
    },
    /// An engine could not answer.
    #[error("{engine}: {failure}")]
    Failed {
        /// Name of the engine.
        engine: &'static str,
        /// Why.
        failure: Failure,
    },
}

macro_rules! laws {
    ($($law:ident = $text:literal),* $(,)?) => {
        /// What the contract asks of an engine alone.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum Law {
            $(#[doc = $text] #[error($text)] $law,)*
        }
    };
}

laws! {
    ViewHasAllRoles = "a view has a list of moves for each role",
    LegalIsSorted = "legal moves are sorted by id and listed once",
    TerminalHasNoMoves = "a terminal state has no legal moves",
    AnswersAreStable = "the same question has the same answer",
    StatesRoundTrip = "the facts of a state make the same state",
    EqualStatesHashEqually = "equal states have equal hashes",
    FactNamesRoundTrip = "the name of a fact leads back to it",
    MoveNamesRoundTrip = "the name of a move leads back to it",
    NamesIgnoreCase = "letter case and blanks do not matter in names",
    GoalsForAllRoles = "there is a goal for each role",
    ExpansionAgrees = "expansion of many states is what one move after the other gives",
    PlayoutsAddUp = "every playout is finished, cut off or stuck",
    PlayoutsRepeat = "the same request gives the same playouts",
    PlayoutsFromTheEnd = "playouts from a terminal state end there, with its goals",
    PlayoutsAgree = "playouts give about the goals that one game after the other gives",
    RolesRoundTrip = "the name of a role leads back to it",
    ModelNamesAgree = "a model names roles, facts and moves as the game does",
    ModelFirstStateAgrees = "a model has the first state of the game",
    ModelViewAgrees = "the gates of a model give the view of a state",
    ModelNextAgrees = "the gates of a model give the next state",
    ModelGoalsAgree = "the gates of a model give the goals",
    MutexesHold = "facts of a mutex group exclude each other",
    LatchedFactsStay = "facts that a model calls latched stay",
    PortableStatesRoundTrip = "a state that is written in a portable form reads back the same",
    PortableMovesRoundTrip = "moves that are written in a portable form read back the same",
}

/// Plays random games and checks the laws in each state. Gives the number of states looked at.
pub fn conforms(game: &Arc<dyn Game>, effort: &Effort) -> Result<u64, Box<Violation>> {
    let kit = Kit { shared: game, game: &**game, effort };
    for (at, name) in game.roles().iter().enumerate() {
        let found = game.find_role(&name.to_uppercase()).map(|role| role.index());
        kit.law(&game.initial(), Law::RolesRoundTrip, found == Some(at), || format!("{name}: {found:?}"))?;
    }
    let model = Structure::of(&kit)?;
    kit.playouts(&game.initial())?;
    let mut random = fastrand::Rng::with_seed(effort.seed);
    let mut seen = 0;
    for _ in 0..effort.games {
        let mut state = game.initial();
        let mut path = Vec::new();
        for _ in 0..=effort.max_steps {
            seen += 1;
            let view = kit.state(&state)?;
            kit.portable(&state)?;
            model.state(&state, &view)?;
            path.push((state.clone(), view.clone()));
            let Some(joint) = draw(&view, &mut random) else { break };
            let next = kit.try_it(game.next(&state, &joint))?;
            let again = kit.try_it(game.next(&state, &joint))?;
            kit.law(&state, Law::AnswersAreStable, next == again, || "the next state".to_owned())?;
            kit.portable_moves(&state, &joint)?;
            model.step(&state, &joint, &next)?;
            state = next;
        }
        kit.many(&path)?;
        if let Some((state, _)) = path.get(random.usize(..path.len().max(1))) {
            kit.playouts(state)?;
        }
        kit.playouts(&state)?;
    }
    Ok(seen)
}

/// A random joint move, if the game goes on and everyone can move.
fn draw(view: &View, random: &mut fastrand::Rng) -> Option<Vec<MoveId>> {
    if view.terminal {
        return None;
    }
    let one = |moves: &Vec<MoveId>| match moves.len() {
        0 => None,
        count => Some(moves[random.usize(..count)]),
    };
    view.legal.iter().map(one).collect()
}

pub(crate) struct Kit<'a> {
    shared: &'a Arc<dyn Game>,
    pub game: &'a dyn Game,
    effort: &'a Effort,
}

impl Kit<'_> {
    pub(crate) fn law(
        &self,
        state: &State,
        law: Law,
        kept: bool,
        details: impl FnOnce() -> String,
    ) -> Result<(), Box<Violation>> {
        if kept {
            return Ok(());
        }
        let state = self.game.describe(state).join(" ");
        Err(Box::new(Violation::Law { engine: self.game.engine().name, law, details: details(), state }))
    }

    pub(crate) fn try_it<T>(&self, result: Result<T, Failure>) -> Result<T, Box<Violation>> {
        result.map_err(|failure| Box::new(Violation::Failed { engine: self.game.engine().name, failure }))
    }

    /// What holds for every state by itself.
    fn state(&self, state: &State) -> Result<View, Box<Violation>> {
        let game = self.game;
        let view = self.try_it(game.view(state))?;
        let roles = game.role_count();
        self.law(state, Law::ViewHasAllRoles, view.legal.len() == roles, || {
            format!("{} of {roles}", view.legal.len())
        })?;
        for moves in &view.legal {
            let sorted = moves.windows(2).all(|pair| pair[0] < pair[1]);
            self.law(state, Law::LegalIsSorted, sorted, || format!("{moves:?}"))?;
            self.law(state, Law::TerminalHasNoMoves, !view.terminal || moves.is_empty(), || {
                format!("{moves:?}")
            })?;
            for &id in moves {
                let name = game.move_name(id);
                let found = game.find_move(&name);
                self.law(state, Law::MoveNamesRoundTrip, found == Some(id), || {
                    format!("{name}: {id} and {found:?}")
                })?;
                let loud = game.find_move(&shout(&name));
                self.law(state, Law::NamesIgnoreCase, loud == found, || shout(&name))?;
            }
        }
        let again = self.try_it(game.view(state))?;
        self.law(state, Law::AnswersAreStable, again == view, || "the view".to_owned())?;

        let facts = game.facts(state);
        let sorted = facts.windows(2).all(|pair| pair[0] < pair[1]);
        self.law(state, Law::StatesRoundTrip, sorted, || "the facts are not sorted by id".to_owned())?;
        let built = game.state_with(&facts);
        self.law(state, Law::StatesRoundTrip, built == *state, || format!("{built:?} from {state:?}"))?;
        let hashes = (built.hash_value(), state.hash_value());
        self.law(state, Law::EqualStatesHashEqually, hashes.0 == hashes.1, || format!("{hashes:?}"))?;
        let mut backwards = facts.clone();
        backwards.reverse();
        let built = game.state_with(&backwards);
        self.law(state, Law::StatesRoundTrip, built == *state, || "in another order".to_owned())?;
        for fact in facts {
            let name = game.fact_name(fact);
            let found = game.find_fact(&name);
            self.law(state, Law::FactNamesRoundTrip, found == Some(fact), || {
                format!("{name}: {fact} and {found:?}")
            })?;
            let loud = game.find_fact(&shout(&name));
            self.law(state, Law::NamesIgnoreCase, loud == found, || shout(&name))?;
        }
        let goals = self.try_it(game.goals(state))?;
        self.law(state, Law::GoalsForAllRoles, goals.len() == roles, || {
            format!("{} of {roles}", goals.len())
        })?;
        let again = self.try_it(game.goals(state))?;
        self.law(state, Law::AnswersAreStable, goals == again, || "the goals".to_owned())?;
        Ok(view)
    }

    /// What holds for the states of a game together: they are expanded at once, twice.
    fn many(&self, path: &[(State, View)]) -> Result<(), Box<Violation>> {
        let Some((first, _)) = path.first() else { return Ok(()) };
        let is_small = |view: &View| {
            let joint_moves = view.legal.iter().map(Vec::len).fold(1, usize::saturating_mul);
            joint_moves <= self.effort.max_joint_moves
        };
        // Far from each other, so that it does not take long.
        let some = path.iter().step_by(7).filter(|(_, view)| is_small(view));
        let states: Vec<&[u64]> = some.map(|(state, _)| state.words()).collect();
        let mut simulator = Arc::clone(self.shared).simulator(SimulatorConfig::default());
        let (mut all, mut one) = (Expansion::new(), Expansion::new());
        for legal in [true, false] {
            let options = ExpandOptions { legal, goals: true };
            self.try_it(simulator.expand(&states, options, &mut all))?;
            one.begin(self.game.role_count());
            self.try_it(expand_one_by_one(self.game, &states, options, &mut one))?;
            let counts = || format!("{} and {} children", all.len(), one.len());
            self.law(first, Law::ExpansionAgrees, all.len() == one.len(), counts)?;
            for child in 0..all.len() {
                let differs = || format!("child {child}, of state {}", one.parent(child));
                let same = (all.parent(child), all.joint(child), all.words(child))
                    == (one.parent(child), one.joint(child), one.words(child))
                    && all.view(child) == one.view(child)
                    && (0..self.game.role_count()).all(|role| {
                        (all.goal(child, role), all.legal_count(child, role))
                            == (one.goal(child, role), one.legal_count(child, role))
                    });
                self.law(first, Law::ExpansionAgrees, same, differs)?;
            }
        }
        Ok(())
    }

    fn playouts(&self, state: &State) -> Result<(), Box<Violation>> {
        let Effort { playouts: count, max_steps, seed, .. } = *self.effort;
        if count == 0 {
            return Ok(());
        }
        let config = SimulatorConfig { max_steps, ..SimulatorConfig::default() };
        let mut simulator = Arc::clone(self.shared).simulator(config);
        let all = self.try_it(simulator.playouts(state, count, seed))?;
        let ended = all.ended();
        let steps = ended.saturating_mul(u64::from(max_steps));
        self.law(state, Law::PlayoutsAddUp, ended >= count && all.steps <= steps, || format!("{all:?}"))?;
        let roles = self.game.role_count();
        let lengths = (all.goal_sums.len(), all.faulty_goals.len());
        self.law(state, Law::PlayoutsAddUp, lengths == (roles, roles), || format!("{all:?}"))?;
        let again = self.try_it(simulator.playouts(state, count, seed))?;
        self.law(state, Law::PlayoutsRepeat, all == again, || format!("{all:?} and {again:?}"))?;

        if self.try_it(self.game.view(state))?.terminal {
            let goals = self.try_it(self.game.goals(state))?;
            let worth = goals.iter().map(|g| u64::from(g.value().unwrap_or(0)) * ended);
            let kept = all.finished == ended && all.steps == 0 && all.goal_sums.iter().copied().eq(worth);
            return self.law(state, Law::PlayoutsFromTheEnd, kept, || format!("{all:?}"));
        }
        let mut one_by_one = OneByOne::new(Arc::clone(self.shared), config);
        let one = self.try_it(one_by_one.playouts(state, count, seed))?;
        if one == all || one.finished == 0 || all.finished == 0 {
            return Ok(());
        }
        // A goal is between 0 and 100, so its deviation is at most 50; five times that of the
        // difference of two means is far more than chance gives.
        let smaller = one.finished.min(all.finished);
        for (a, b) in all.goal_sums.iter().zip(&one.goal_sums) {
            let (a, b) = (mean(*a, all.finished), mean(*b, one.finished));
            let bound = 5.0 * 50.0 * (2.0 / mean(smaller, 1)).sqrt();
            self.law(state, Law::PlayoutsAgree, (a - b).abs() <= bound, || format!("{a} and {b}"))?;
        }
        Ok(())
    }
}

#[allow(clippy::cast_precision_loss, reason = "compared with a wide margin")]
fn mean(sum: u64, count: u64) -> f64 {
    sum as f64 / count as f64
}

/// The name in capitals and with more blanks.
fn shout(name: &str) -> String {
    name.to_uppercase().replace('(', " ( ").replace(' ', "  ")
}
