//! The conformance kit, perft and traces on a game of our own that can be made to misbehave.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ludex_game::{
    Capabilities, Effort, End, EngineInfo, ExpandOptions, Expansion, FactId, Failure, Game, Goal, Law,
    LeafResults, MoveId, OneByOne, Recording, Simulation, Simulator, SimulatorConfig, State, Trace, View,
    Violation, What, agree, conforms, perft, record, verify,
};

/// Two players take one or two from a pile in turn; who takes the last one wins. Facts are the
/// number that is left and whose turn it is.
struct Pile {
    roles: Vec<String>,
    size: u32,
    fault: Fault,
    calls: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Unsorted,
    MovesAtTheEnd,
    ForgetsFacts,
    CaseMatters,
    WrongMoveName,
    WrongFactName,
    OneGoal,
    Expansion,
    LostPlayouts,
    PlayoutsDiffer,
    GoalsOfPlayouts,
    GoalsAtTheEnd,
    OtherRules,
    Fails,
    NextToLast,
    Stuck,
}

/// A simulator with the faults of its game.
struct FaultySimulator {
    game: Arc<Pile>,
    inner: OneByOne<Pile>,
}

impl Simulator for FaultySimulator {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn simulate(
        &mut self,
        simulation: &mut Simulation<'_, '_>,
        results: &mut LeafResults,
    ) -> Result<(), Failure> {
        self.inner.simulate(simulation, results)?;
        let goals = results.goals(0).to_vec();
        match self.game.fault {
            Fault::LostPlayouts => results.endings.finished -= 1,
            Fault::PlayoutsDiffer => results.steps += self.game.calls.fetch_add(1, Ordering::Relaxed) % 2,
            Fault::GoalsOfPlayouts => {
                let most = results.endings.finished as f64 * 100.0;
                (0..2).for_each(|role| results.add(0, role, most - goals[role], 1.0));
            }
            Fault::GoalsAtTheEnd if results.steps == 0 => {
                (0..2).for_each(|role| results.add(0, role, goals[1 - role] - goals[role], 1.0));
            }
            _ => {}
        }
        Ok(())
    }

    fn expand(
        &mut self,
        states: &[&[u64]],
        options: ExpandOptions,
        into: &mut Expansion,
    ) -> Result<(), Failure> {
        let skipped = usize::from(self.game.fault == Fault::Expansion && !states.is_empty());
        self.inner.expand(&states[skipped..], options, into)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }
}

const NOOP: MoveId = MoveId(0);

impl Pile {
    fn new(fault: Fault) -> Self {
        Self { roles: vec!["first".into(), "second".into()], size: 5, fault, calls: AtomicU64::new(0) }
    }

    /// What is left and whose turn it is.
    fn read(state: &State) -> (u32, usize) {
        let word = |at: usize| state.words().get(at).copied().unwrap_or(0);
        (u32::try_from(word(0)).unwrap_or(0), usize::from(word(1) == 1))
    }

    fn state(left: u32, turn: usize) -> State {
        State::from_words(vec![u64::from(left), turn as u64])
    }
}

impl Game for Pile {
    fn engine(&self) -> EngineInfo {
        EngineInfo::scalar(if self.fault == Fault::None { "pile" } else { "faulty" })
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> State {
        Self::state(self.size, 0)
    }

    fn view(&self, state: &State) -> Result<View, Failure> {
        let (left, turn) = Self::read(state);
        if self.fault == Fault::Fails && left < 3 {
            return Err(Failure::Limit("too tired".into()));
        }
        let terminal = left == 0;
        let mut legal = vec![vec![NOOP]; 2];
        legal[turn] = (1..=left.min(2)).map(MoveId).collect();
        match self.fault {
            Fault::Unsorted => legal[turn].reverse(),
            Fault::OtherRules if left == 2 => {
                legal[turn].pop();
            }
            Fault::Stuck if left == 1 => legal[turn].clear(),
            _ => {}
        }
        if terminal && self.fault != Fault::MovesAtTheEnd {
            legal = vec![vec![], vec![]];
        }
        Ok(View { terminal, legal })
    }

    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
        let (left, turn) = Self::read(state);
        let taken = joint.get(turn).map_or(0, |choice| choice.0);
        let taken = if self.fault == Fault::NextToLast && left == 2 { 1 } else { taken };
        Ok(Self::state(left.saturating_sub(taken), 1 - turn))
    }

    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
        let (left, turn) = Self::read(state);
        let goal = |role: usize| match left {
            0 => Goal::Value(if role == turn { 0 } else { 100 }),
            1 => Goal::Faulty(vec!["0".into(), "100".into()]),
            _ => Goal::Undefined,
        };
        Ok((0..if self.fault == Fault::OneGoal { 1 } else { 2 }).map(goal).collect())
    }

    fn move_name(&self, id: MoveId) -> String {
        match id.0 {
            0 => "noop".into(),
            2 if self.fault == Fault::WrongMoveName => "(take 1)".into(),
            n => format!("(take {n})"),
        }
    }

    fn find_move(&self, text: &str) -> Option<MoveId> {
        let plain = text.to_lowercase().replace(['(', ')'], " ");
        let words: Vec<&str> = plain.split_whitespace().collect();
        match words.as_slice() {
            _ if self.fault == Fault::CaseMatters && text.contains("TAKE") => None,
            ["noop"] => Some(NOOP),
            ["take", count] => count.parse().ok().filter(|n| [1, 2].contains(n)).map(MoveId),
            _ => None,
        }
    }

    fn fact_name(&self, id: FactId) -> String {
        match id.0 {
            1000 => "(turn first)".into(),
            1001 => "(turn second)".into(),
            3 if self.fault == Fault::WrongFactName => "(left 4)".into(),
            n => format!("(left {n})"),
        }
    }

    fn find_fact(&self, text: &str) -> Option<FactId> {
        let plain = text.to_lowercase().replace(['(', ')'], " ");
        match plain.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["turn", "first"] => Some(FactId(1000)),
            ["turn", "second"] => Some(FactId(1001)),
            ["left", count] => count.parse().ok().filter(|&n| n <= self.size).map(FactId),
            _ => None,
        }
    }

    fn facts(&self, state: &State) -> Vec<FactId> {
        let (left, turn) = Self::read(state);
        vec![FactId(left), FactId(1000 + u32::from(turn == 1))]
    }

    fn state_with(&self, facts: &[FactId]) -> State {
        let left = facts.iter().find(|fact| fact.0 < 1000).map_or(0, |fact| fact.0);
        let turn = usize::from(facts.contains(&FactId(1001)) && self.fault != Fault::ForgetsFacts);
        Self::state(left, turn)
    }

    fn simulator(self: Arc<Self>, config: SimulatorConfig) -> Box<dyn Simulator> {
        Box::new(FaultySimulator { game: Arc::clone(&self), inner: OneByOne::new(self, config) })
    }
}

fn pile(fault: Fault) -> Arc<dyn Game> {
    Arc::new(Pile::new(fault))
}

fn effort() -> Effort {
    Effort { playouts: 100, ..Effort::default() }
}

#[test]
fn a_game_that_keeps_the_laws_conforms() {
    let seen = conforms(&pile(Fault::None), &effort()).expect("no violation");
    assert!(seen > 10);
    assert!(
        conforms(&pile(Fault::Stuck), &effort()).is_ok(),
        "being stuck is a fault of rules, not of engines"
    );
}

#[test]
fn each_fault_is_found_and_named() {
    let cases = [
        (Fault::Unsorted, Law::LegalIsSorted),
        (Fault::MovesAtTheEnd, Law::TerminalHasNoMoves),
        (Fault::ForgetsFacts, Law::StatesRoundTrip),
        (Fault::CaseMatters, Law::NamesIgnoreCase),
        (Fault::WrongMoveName, Law::MoveNamesRoundTrip),
        (Fault::WrongFactName, Law::FactNamesRoundTrip),
        (Fault::OneGoal, Law::GoalsForAllRoles),
        (Fault::Expansion, Law::ExpansionAgrees),
        (Fault::LostPlayouts, Law::PlayoutsAddUp),
        (Fault::PlayoutsDiffer, Law::PlayoutsRepeat),
        (Fault::GoalsOfPlayouts, Law::PlayoutsAgree),
        (Fault::GoalsAtTheEnd, Law::PlayoutsFromTheEnd),
    ];
    for (fault, expected) in cases {
        // Without playouts where another law is to be seen to fail first.
        let playouts = if expected == Law::GoalsForAllRoles { 0 } else { 100 };
        let found = conforms(&pile(fault), &Effort { playouts, ..effort() });
        match found.map_err(|violation| *violation) {
            Err(Violation::Law { law, engine: "faulty", .. }) => assert_eq!(law, expected),
            other => panic!("{expected:?}: {other:?}"),
        }
    }
    let failed = conforms(&pile(Fault::Fails), &Effort { playouts: 0, ..effort() });
    assert_eq!(failed.expect_err("a failure").to_string(), "faulty: too tired");
}

#[test]
fn two_engines_are_compared_by_name() {
    let good = Pile::new(Fault::None);
    assert!(agree(&good, &Pile::new(Fault::None), &effort()).is_ok());
    // Another order of ids is no difference.
    assert!(agree(&good, &Pile::new(Fault::Unsorted), &effort()).is_ok());
    let differs = |fault| agree(&good, &Pile::new(fault), &effort()).expect_err("a difference").to_string();
    let text = differs(Fault::OtherRules);
    assert!(
        text.starts_with("the moves of ") && text.contains("pile has (take 2), faulty has nothing more"),
        "{text}"
    );
    let text = differs(Fault::NextToLast);
    assert!(text.contains("the facts of the state differ: pile has (left 0), faulty has (left 1)"), "{text}");
    let text = differs(Fault::OneGoal);
    assert!(text.contains("the goals differ"), "{text}");
}

#[test]
fn perft_counts_paths_and_states() {
    let layers = perft(&pile(Fault::None), 6).expect("counted");
    let paths: Vec<_> = layers.iter().map(|l| (l.paths, l.states, l.terminal)).collect();
    assert_eq!(paths, [(1, 1, 0), (2, 2, 0), (4, 3, 0), (7, 3, 3), (5, 2, 4), (1, 1, 1), (0, 0, 0)]);
    let layers = perft(&pile(Fault::Stuck), 4).expect("counted");
    assert_eq!(layers.iter().map(|l| l.stuck).sum::<u64>(), 5);
    assert!(perft(&pile(Fault::Fails), 9).is_err());
}

#[test]
fn a_trace_is_written_read_and_verified() {
    let game = Pile::new(Fault::None);
    let recording = Recording { seed: 3, playouts: 5, max_steps: 10 };
    let trace = record(&game, recording).expect("recorded");
    assert_eq!(trace, record(&Pile::new(Fault::Unsorted), recording).expect("recorded"), "ids do not matter");
    let mut bytes = Vec::new();
    trace.write(&mut bytes).expect("written");
    let text = String::from_utf8(bytes.clone()).expect("text");
    let first = r#"{"playout":0,"step":0,"state":["(left 5)","(turn first)"],"terminal":false,"goals":{"first":null,"second":null},"legal":{"first":["(take 1)","(take 2)"],"second":["noop"]},"#;
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains(r#""goal_values":{"first":["0","100"],"second":["0","100"]}"#), "{text}");
    assert!(text.contains(r#""terminal":true"#) && text.contains(r#""legal":null,"moves":null}"#), "{text}");
    assert_eq!(Trace::read(&bytes[..]).expect("read"), trace);
    let mut packed = Vec::new();
    trace.write_compressed(&mut packed).expect("written");
    assert!(packed.len() < bytes.len());
    assert_eq!(Trace::read(&packed[..]).expect("read"), trace);
    let verified = verify(&game, &trace);
    assert_eq!((verified.end, verified.states), (End::Agreed, trace.lines.len()));

    let capped = record(&game, Recording { max_steps: 1, ..recording }).expect("recorded");
    assert_eq!(capped.lines[1].stop.as_deref(), Some("step cap"));
    let stuck = record(&Pile::new(Fault::Stuck), Recording { playouts: 20, ..recording }).expect("recorded");
    assert!(stuck.lines.iter().any(|line| line.stop.as_deref() == Some("no legal move for first")));
    assert_eq!(verify(&Pile::new(Fault::Stuck), &stuck).end, End::Agreed);
}

#[test]
fn the_first_difference_is_told() {
    let recording = Recording { seed: 1, playouts: 20, max_steps: 10 };
    let trace = record(&Pile::new(Fault::None), recording).expect("recorded");
    let what = |fault| match verify(&Pile::new(fault), &trace).end {
        End::Differs(difference) => difference.what,
        other => panic!("{other:?}"),
    };
    assert!(matches!(what(Fault::OtherRules), What::Legal(_)));
    assert_eq!(what(Fault::NextToLast), What::Next);
    assert!(matches!(verify(&Pile::new(Fault::Fails), &trace).end, End::Failed(Failure::Limit(_))));
    let small = Pile { size: 4, ..Pile::new(Fault::None) };
    let End::Differs(difference) = verify(&small, &trace).end else { panic!("the first state differs") };
    let text = "playout 0, step 0: the first state: recorded (left 5), found (left 4)";
    assert_eq!(difference.to_string(), text);
    let mut later = trace.clone();
    later.lines.iter_mut().for_each(|line| line.step += 1);
    let End::Differs(difference) = verify(&small, &later).end else { panic!("a fact is unknown") };
    assert_eq!((&difference.what, difference.recorded.as_str()), (&What::Fact, "(left 5)"));
    let mut other = trace.clone();
    other.lines[0].goals.insert("third".into(), None);
    let End::Differs(difference) = verify(&Pile::new(Fault::None), &other).end else { panic!("roles") };
    assert_eq!(difference.what, What::Roles);
}

#[test]
fn a_broken_trace_is_refused_with_its_line() {
    let error = Trace::read(&b"\n{\"playout\":0}\n"[..]).expect_err("an error").to_string();
    assert!(error.starts_with("line 2: missing field"), "{error}");
    assert!(Trace::read(&[0x1f, 0x8b, 1, 2, 3][..]).is_err());
    assert_eq!(Trace::read(&b""[..]).expect("empty"), Trace::default());
}
