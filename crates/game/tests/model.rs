//! Models and portable forms on a game of our own, whose model can be made to lie.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::model::{
    Fact, Gates, GoalSignal, GroundModel, GroundParts, Input, LiftedRules, Literal, MutexGroup, Pattern,
    Statics, Symbols, Terms,
};
use ludex_game::{
    BitState, Effort, EngineInfo, FactId, Failure, Game, Goal, Law, Model, MoveId, NamedMoves, NamedState,
    NumberedMoves, PortableError, PortableState, RoleId, State, View, Violation, conforms,
};

/// A lamp and a clock that runs to 3. The player presses the button or waits; a lamp that was
/// pressed on at least once is marked.
struct Lamp {
    roles: Vec<String>,
    rules: LiftedRules,
    ground: GroundModel,
}

const FACTS: [&str; 6] = ["on", "marked", "t0", "t1", "t2", "t3"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    Names,
    FirstState,
    View,
    Next,
    Goals,
    Mutex,
    Latch,
}

impl Lamp {
    fn new(lie: Lie) -> Self {
        let mut names: Vec<String> = ["player", "press", "wait", "0", "100"].map(str::to_owned).to_vec();
        names.extend(FACTS.map(str::to_owned));
        if lie == Lie::Names {
            names[5] = "off".to_owned();
        }
        let symbols = Arc::new(Symbols::new(names));
        let mut terms = Terms::new(Arc::clone(&symbols));
        let all: Vec<_> = (0..11).map(|n| terms.add(ludex_game::model::SymbolId(n), &[])).collect();
        let mut gates = Gates::new(FACTS.len(), 2);
        let node = |n: u32| Literal::new(n, false);
        let (on, marked, press) = (node(1), node(2), node(7));
        let unchanged = gates.and([on, !press]);
        let pressed = gates.and([!on, press]);
        let off = gates.and([!unchanged, !pressed]);
        let never = gates.and([!marked, !press]);
        let next = [!off, !never, Literal::FALSE, node(3), node(4), node(5)];
        let mut facts: Vec<Fact> =
            (0..6).map(|at| Fact { term: all[5 + at], initial: at == 2, next: next[at] }).collect();
        match lie {
            Lie::FirstState => facts[1].initial = true,
            Lie::Next => facts[0].next = pressed,
            _ => {}
        }
        let input = |choice: u32, legal| Input { role: RoleId(0), choice: MoveId(choice), legal };
        let goal = |value: usize, holds| GoalSignal { role: RoleId(0), value: all[value], holds };
        let mutex = |from: u32, to: u32| MutexGroup {
            facts: (from..to).map(FactId).collect(),
            exactly_one: lie != Lie::Mutex,
        };
        let mut parts = GroundParts {
            roles: vec![all[0]],
            moves: vec![all[1], all[2]],
            inputs: vec![
                input(0, if lie == Lie::View { on } else { Literal::TRUE }),
                input(1, Literal::TRUE),
            ],
            terminal: node(6),
            goals: vec![goal(3, !on), goal(4, if lie == Lie::Goals { !on } else { on })],
            mutexes: vec![mutex(2, 6)],
            stays_on: vec![FactId(if lie == Lie::Latch { 0 } else { 1 })],
            stays_off: vec![FactId(2)],
            terms,
            facts,
            gates,
        };
        if lie == Lie::Mutex {
            parts.mutexes[0].facts.push(FactId(1));
        }
        let player = Pattern::Apply(ludex_game::model::SymbolId(0), Vec::new());
        let rules = LiftedRules::new(symbols, Vec::new(), Vec::new(), vec![player]);
        let ground = GroundModel::new(parts, &rules).expect("a model");
        Self { roles: vec!["player".to_owned()], rules, ground }
    }

    fn holds(state: &State, fact: usize) -> bool {
        state.words()[0] >> fact & 1 == 1
    }
}

impl Model for Lamp {
    fn rules(&self) -> &LiftedRules {
        &self.rules
    }

    fn statics(&self) -> Option<&Statics> {
        None
    }

    fn ground(&self) -> Option<&GroundModel> {
        Some(&self.ground)
    }
}

impl Game for Lamp {
    fn engine(&self) -> EngineInfo {
        EngineInfo::scalar("lamp")
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> State {
        self.state_with(&[FactId(2)])
    }

    fn view(&self, state: &State) -> Result<View, Failure> {
        let terminal = Self::holds(state, 5);
        let moves = if terminal { vec![] } else { vec![MoveId(0), MoveId(1)] };
        Ok(View { terminal, legal: vec![moves] })
    }

    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
        let (word, pressed) = (state.words()[0], u64::from(joint == [MoveId(0)]));
        let clock = (word & 0b01_1100) << 1;
        Ok(State::from_words([(word & 1 ^ pressed) | (word & 2 | pressed << 1) | clock]))
    }

    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
        Ok(vec![Goal::Value(if Self::holds(state, 0) { 100 } else { 0 })])
    }

    fn move_name(&self, id: MoveId) -> String {
        ["press", "wait"].get(id.index()).map_or(String::new(), |name| (*name).to_owned())
    }

    fn find_move(&self, text: &str) -> Option<MoveId> {
        let text = text.trim().to_lowercase();
        ["press", "wait"].iter().position(|name| *name == text).map(MoveId::new)
    }

    fn fact_name(&self, id: FactId) -> String {
        FACTS.get(id.index()).map_or(String::new(), |name| (*name).to_owned())
    }

    fn find_fact(&self, text: &str) -> Option<FactId> {
        let text = text.trim().to_lowercase();
        FACTS.iter().position(|name| *name == text).map(FactId::new)
    }

    fn facts(&self, state: &State) -> Vec<FactId> {
        (0..6).filter(|&fact| Self::holds(state, fact)).map(FactId::new).collect()
    }

    fn state_with(&self, facts: &[FactId]) -> State {
        State::from_words([facts.iter().filter(|f| f.0 < 6).fold(0u64, |word, f| word | 1 << f.0)])
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self)
    }
}

#[test]
fn a_true_model_conforms_and_each_lie_is_found_and_named() {
    let effort = Effort { games: 20, ..Effort::default() };
    conforms(&(Arc::new(Lamp::new(Lie::None)) as Arc<dyn Game>), &effort).expect("no violation");
    let cases = [
        (Lie::Names, Law::ModelNamesAgree),
        (Lie::FirstState, Law::ModelFirstStateAgrees),
        (Lie::View, Law::ModelViewAgrees),
        (Lie::Next, Law::ModelNextAgrees),
        (Lie::Goals, Law::ModelGoalsAgree),
        (Lie::Mutex, Law::MutexesHold),
        (Lie::Latch, Law::LatchedFactsStay),
    ];
    for (lie, expected) in cases {
        match conforms(&(Arc::new(Lamp::new(lie)) as Arc<dyn Game>), &effort).map_err(|violation| *violation)
        {
            Err(Violation::Law { law, .. }) => assert_eq!(law, expected),
            other => panic!("{lie:?}: {other:?}"),
        }
    }
}

#[test]
fn parts_that_do_not_fit_together_are_no_model() {
    let good = Lamp::new(Lie::None);
    let parts = || GroundParts::clone(&good.ground);
    let refused = |parts: GroundParts| GroundModel::new(parts, &good.rules).is_err();
    assert!(!refused(parts()));
    let mut wrong = parts();
    wrong.inputs.reverse();
    assert!(refused(wrong), "inputs are not sorted");
    let mut wrong = parts();
    wrong.terminal = Literal::new(99, false);
    assert!(refused(wrong), "there is no such node");
    let mut wrong = parts();
    wrong.gates.and([Literal::new(99, true)]);
    assert!(refused(wrong), "a gate reads what comes later");
    let mut wrong = parts();
    wrong.gates.open_loop(2);
    assert!(refused(wrong), "a loop was not closed");
    let mut wrong = parts();
    wrong.facts[1].term = wrong.facts[0].term;
    assert!(refused(wrong), "two facts with one name");
}

/// Two atoms that need each other stay false; a third that needs a fact and one of them follows.
#[test]
fn loops_are_least_fixpoints() {
    let lamp = Lamp::new(Lie::None);
    let mut parts = GroundParts::clone(&lamp.ground);
    let on = Literal::new(1, false);
    let first = parts.gates.open_loop(3);
    let [a, b, c] = [0, 1, 2].map(|at| Literal::new(first + at, false));
    let either = parts.gates.and([!on, !c]);
    parts.gates.close_loop(vec![b, a, !either]);
    let d = parts.gates.and([c]);
    let model = GroundModel::new(parts, &lamp.rules).expect("a model");
    for (facts, expected) in [(vec![], false), (vec![FactId(0)], true)] {
        let values = model.evaluate(&facts, &[]);
        assert_eq!([a, b, c, d].map(|literal| values.of(literal)), [false, false, expected, expected]);
    }
}

#[test]
fn portable_forms_have_a_stable_spelling() {
    let lamp = Lamp::new(Lie::None);
    let state = lamp.state_with(&[FactId(0), FactId(3)]);
    let json = |value: &PortableState| serde_json::to_string(value).expect("JSON");
    let bits = BitState::of(&lamp, &state).expect("bits");
    // In the order of names: marked, on, t0, t1, t2, t3.
    assert_eq!(bits.bits.0, [0b00_1010]);
    let hash = format!("{:016x}", lamp.ground.hash());
    assert_eq!(json(&PortableState::Bits(bits)), format!("{{\"model\":\"{hash}\",\"bits\":\"0a\"}}"));
    let rules = format!("{:016x}", lamp.rules.hash());
    let named = NamedState::of(&lamp, &state);
    let expected = format!("{{\"rules\":\"{rules}\",\"facts\":[\"on\",\"t1\"]}}");
    assert_eq!(json(&PortableState::Names(named)), expected);
    // It was computed once and must not change: stores are full of it.
    assert_eq!((lamp.rules.hash(), lamp.ground.hash()), PINNED);
}

const PINNED: (u64, u64) = (4_616_226_672_258_660_725, 16_850_135_615_695_216_283);

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let (lamp, other) = (Lamp::new(Lie::None), Lamp::new(Lie::Names));
    let state = lamp.initial();
    let bits = BitState::of(&lamp, &state).expect("bits");
    assert!(matches!(bits.read(&other), Err(PortableError::OtherModel { .. })));
    let mut longer = bits.clone();
    longer.bits.0.push(0);
    assert_eq!(longer.read(&lamp), Err(PortableError::Length { facts: 6, found: 2 }));
    let mut unknown = bits;
    unknown.bits.0[0] |= 0x80;
    assert_eq!(unknown.read(&lamp), Err(PortableError::UnknownFact("number 7".to_owned())));
    let named = NamedState { rules: None, facts: vec!["t9".to_owned()] };
    assert_eq!(named.read(&lamp), Err(PortableError::UnknownFact("t9".to_owned())));
    let mut named = NamedState::of(&lamp, &state);
    named.rules = named.rules.map(|hash| ludex_game::portable::Fingerprint(hash.0 ^ 1));
    assert!(matches!(named.read(&lamp), Err(PortableError::OtherRules { .. })));
    let moves = NamedMoves { moves: vec!["jump".to_owned()] };
    assert_eq!(moves.read(&lamp), Err(PortableError::UnknownMove("jump".to_owned())));
    let mut moves = NumberedMoves::of(&lamp, &[MoveId(1)]).expect("numbers");
    assert_eq!(moves.read(&lamp), Ok(vec![MoveId(1)]));
    moves.numbers = vec![2];
    assert_eq!(moves.read(&lamp), Err(PortableError::UnknownMove("number 2".to_owned())));
}

/// Text that was cut, flipped or made up is read or refused; it never panics.
#[test]
fn arbitrary_input_is_read_or_refused() {
    let lamp = Lamp::new(Lie::None);
    let mut random = fastrand::Rng::with_seed(7);
    let state = lamp.initial();
    let (bits, names) = (BitState::of(&lamp, &state).expect("bits"), NamedState::of(&lamp, &state));
    let texts = [
        serde_json::to_string(&bits).expect("JSON"),
        serde_json::to_string(&names).expect("JSON"),
        serde_json::to_string(&NumberedMoves::of(&lamp, &[MoveId(0)]).expect("numbers")).expect("JSON"),
    ];
    let mut read = 0;
    for round in 0..20_000 {
        let mut bytes = texts[round % texts.len()].clone().into_bytes();
        for _ in 0..random.usize(..4) {
            let at = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[at] = random.u8(..),
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, *random.choice(b"0af\"{}[],:\\ x").expect("a byte")),
            }
        }
        if let Ok(portable) = serde_json::from_slice::<PortableState>(&bytes) {
            read += usize::from(portable.read(&lamp).is_ok());
        }
        if let Ok(moves) = serde_json::from_slice::<NumberedMoves>(&bytes) {
            let _ = moves.read(&lamp);
        }
        let count = random.usize(..4);
        let any = std::iter::repeat_with(|| random.u8(..)).take(count).collect();
        let made_up = BitState { bits: ludex_game::portable::Bits(any), ..bits.clone() };
        let _ = made_up.read(&lamp);
    }
    assert!(read > 1000, "{read}");
}
