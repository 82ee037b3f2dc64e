//! The reference against the definition: random rules, carried out by trying all values of all
//! variables again and again, stratum by stratum.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::collections::BTreeSet;
use std::fmt::Write;

use ludex_game::Game;
use ludex_gdl::{Atom, Condition, Rules, Term};
use ludex_reasoner::{CircuitGame, Evaluation, Ground, Limits, Reference};
use ludex_testkit::rules_despite_errors;

const VALUES: [&str; 3] = ["a", "b", "c"];
const STRATA: usize = 3;
/// Relations in each stratum; they may depend on each other.
const WIDTH: usize = 2;

/// A sheet with relations `p0`, `p1`, ... of two arguments over the facts `(s x y)`, safe and
/// stratified; the next state shows what they hold of.
fn sheet(random: &mut fastrand::Rng) -> String {
    let mut text = "(role you) (legal you go) (<= terminal (true over)) (goal you 0)\n".to_owned();
    let value = |random: &mut fastrand::Rng| VALUES[random.usize(..VALUES.len())];
    for _ in 0..random.usize(2..8) {
        let _ = writeln!(text, "(init (s {} {}))", value(random), value(random));
    }
    for relation in 0..STRATA * WIDTH {
        let stratum = relation / WIDTH;
        let _ = writeln!(text, "(<= (next (h{relation} ?x ?y)) (p{relation} ?x ?y))");
        if random.u8(..4) == 0 {
            let _ = writeln!(text, "(p{relation} {} {})", value(random), value(random));
        }
        for _ in 0..random.usize(1..4) {
            // Positive conditions first; what they have may be compared and negated.
            let mut known: Vec<String> = Vec::new();
            let mut body: Vec<String> = Vec::new();
            for _ in 0..random.usize(1..3) {
                let mut arguments = [String::new(), String::new()];
                for argument in &mut arguments {
                    *argument = match random.u8(..12) {
                        0 => value(random).to_owned(),
                        _ => format!("?v{}", random.u8(..3)),
                    };
                }
                known.extend(arguments.iter().filter(|a| a.starts_with('?')).cloned());
                let [x, y] = &arguments;
                let below = random.usize(..(stratum + 1) * WIDTH);
                body.push(match random.u8(..4) {
                    0 => format!("(true (s {x} {y}))"),
                    1 => format!("(or (p{below} {x} {y}) (and (true (s {x} {y})) (true (s {y} {x}))))"),
                    _ => format!("(p{below} {x} {y})"),
                });
            }
            let any = |random: &mut fastrand::Rng| match known.len() {
                0 => value(random).to_owned(),
                count => known[random.usize(..count)].clone(),
            };
            for at in 0..random.usize(..2) {
                let (x, y) = (any(random), any(random));
                let lower = random.usize(..stratum.max(1) * WIDTH);
                let negated = |x: &str, y: &str| match stratum {
                    0 => format!("(not (true (s {x} {y})))"),
                    _ => format!("(not (p{lower} {x} {y}))"),
                };
                body.push(match random.u8(..8) {
                    0 => format!("(distinct {x} {y})"),
                    1 => format!("(or (distinct {x} {y}) {})", negated(&x, &y)),
                    // A variable of its own: for no value. Twice the same, or beside another.
                    2 => negated(&format!("?own{at}"), &x),
                    3 => negated(&format!("?own{at}"), &format!("?own{at}")),
                    _ => negated(&x, &y),
                });
            }
            random.shuffle(&mut body);
            let _ = writeln!(text, "(<= (p{relation} {} {}) {})", any(random), any(random), body.join(" "));
        }
    }
    text
}

/// All that follows, by definition. Atoms are text: `p0 a b`.
struct Naive<'a> {
    rules: &'a Rules,
    facts: BTreeSet<String>,
}

impl Naive<'_> {
    fn term(&self, term: &Term, values: &[usize]) -> String {
        match term {
            Term::Constant(symbol) => self.rules.names.text(*symbol).to_owned(),
            Term::Variable(variable) => VALUES[values[*variable as usize]].to_owned(),
            Term::Compound(symbol, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|a| self.term(a, values)).collect();
                format!("({} {})", self.rules.names.text(*symbol), arguments.join(" "))
            }
        }
    }

    fn atom(&self, atom: &Atom, values: &[usize]) -> String {
        let mut text = self.rules.names.text(self.rules.info(atom.relation).symbol).to_owned();
        for argument in &atom.arguments {
            text += " ";
            text += &self.term(argument, values);
        }
        text
    }

    /// `own` are variables that occur in a negated condition only.
    fn holds(&self, condition: &Condition, values: &[usize], own: &[usize]) -> bool {
        match condition {
            Condition::Holds(atom) => self.facts.contains(&self.atom(atom, values)),
            Condition::Fails(atom) => {
                let mut values = values.to_vec();
                let mut none = true;
                each(own.len(), &mut |choice| {
                    own.iter().zip(choice).for_each(|(&variable, &value)| values[variable] = value);
                    none &= !self.facts.contains(&self.atom(atom, &values));
                });
                none
            }
            Condition::Differ(a, b) => self.term(a, values) != self.term(b, values),
            Condition::Same(a, b) => self.term(a, values) == self.term(b, values),
            Condition::Any(branches) => {
                branches.iter().any(|branch| branch.iter().all(|c| self.holds(c, values, own)))
            }
        }
    }

    /// Adds what the rules for these relations derive, until nothing is new.
    fn close(&mut self, heads: impl Fn(&str) -> bool) {
        loop {
            let before = self.facts.len();
            for rule in &self.rules.rules {
                let name = self.rules.names.text(self.rules.info(rule.head.relation).symbol);
                if !heads(name) {
                    continue;
                }
                let own: Vec<usize> = (0..rule.variables.len())
                    .filter(|&v| self.rules.names.text(rule.variables[v]).starts_with("?own"))
                    .collect();
                let mut derived = Vec::new();
                each(rule.variables.len(), &mut |values| {
                    if rule.body.iter().all(|condition| self.holds(condition, values, &own)) {
                        derived.push(self.atom(&rule.head, values));
                    }
                });
                self.facts.extend(derived);
            }
            if self.facts.len() == before {
                return;
            }
        }
    }
}

/// Calls `visit` with every choice of values.
fn each(count: usize, visit: &mut dyn FnMut(&[usize])) {
    for mut number in 0..VALUES.len().pow(u32::try_from(count).expect("few variables")) {
        let mut choice = vec![0; count];
        for value in &mut choice {
            *value = number % VALUES.len();
            number /= VALUES.len();
        }
        visit(&choice);
    }
}

#[test]
fn the_reference_derives_exactly_what_follows() {
    let mut sizes = BTreeSet::new();
    for seed in 0..500 {
        let text = sheet(&mut fastrand::Rng::with_seed(seed));
        let rules = rules_despite_errors(text.as_str());
        let mut naive = Naive { rules: &rules, facts: BTreeSet::new() };
        naive.close(|name| name == "init");
        naive.facts = naive.facts.iter().map(|fact| fact.replacen("init", "true", 1)).collect();
        for stratum in 0..STRATA {
            naive.close(|name| {
                let number = name.strip_prefix('p').and_then(|n| n.parse::<usize>().ok());
                number.is_some_and(|n| n / WIDTH == stratum)
            });
        }
        naive.close(|name| name == "next");
        let expected: Vec<String> =
            naive.facts.iter().filter_map(|fact| fact.strip_prefix("next ")).map(str::to_owned).collect();
        let game = Reference::new(rules.clone()).expect("a game");
        let go = game.find_move("go").expect("a move");
        let next = game.next(&game.initial(), &[go]).expect("a state");
        assert_eq!(game.describe(&next), expected, "seed {seed}:\n{text}");
        sizes.insert(expected.len());
    }
    assert!(sizes.len() > 20, "the sheets are too much alike: {sizes:?}");
}

#[test]
fn all_engines_agree_on_random_rules() {
    for seed in 0..150 {
        let text = sheet(&mut fastrand::Rng::with_seed(seed));
        let rules = rules_despite_errors(text.as_str());
        let reference = Reference::new(rules.clone()).expect("a game");
        // The circuit in both ways, whichever would be chosen.
        for evaluation in [Evaluation::Full, Evaluation::Incremental] {
            let ground = Ground::new(&rules, &Limits::default()).expect("small");
            let game = CircuitGame::with_evaluation(ground, Some(evaluation)).expect("a circuit");
            let effort =
                ludex_game::Effort { games: 2, max_steps: 4, playouts: 1, ..ludex_game::Effort::default() };
            let agreed = ludex_game::agree(&reference, &game, &effort);
            assert!(agreed.is_ok(), "seed {seed}, {evaluation:?}: {:?}\n{text}", agreed.err());
        }
        for engine in ["rules", "circuit", "batch"] {
            let game = ludex_reasoner::build(rules.clone(), engine).expect("a game");
            let effort =
                ludex_game::Effort { games: 1, max_steps: 4, playouts: 1, ..ludex_game::Effort::default() };
            let agreed = ludex_game::agree(&reference, &*game, &effort);
            assert!(agreed.is_ok(), "seed {seed}, {engine}: {:?}\n{text}", agreed.err());
        }
    }
}
