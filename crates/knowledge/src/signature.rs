//! Signatures of rules: what a game is, whatever its names and the order of its clauses.
//!
//! Symbols get colours by where they occur, refined until no colour splits any more (Weisfeiler and
//! Leman 1968, on the hypergraph of the rules): the colour of a symbol is a hash of its last one and
//! of all clauses that it occurs in, seen from there. Order within a conjunction, of clauses and of
//! the two sides of an inequality does not count; names do not either, but for the keywords and the
//! numbers that are goals. Two sheets with the same signature are copies of each other in all
//! but odd cases (colours of very regular structures may coincide).
//!
//! The *family* of a game leaves out clauses without variables: cells, successor tables, initial
//! facts. A larger board has the same family where its sheet differs in tables alone.

use ludex_game::model::{Atom, Condition, LiftedRules, Pattern, Rule};
use rustc_hash::FxHashMap;

/// Rounds of refinement at most; chains of n values need about n/2.
const MAX_ROUNDS: usize = 128;

/// Rounds of refinement of the variables of a clause.
const VARIABLE_ROUNDS: usize = 2;

/// Words of the language.
const KEYWORDS: [&str; 11] =
    ["role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "random", "distinct"];

/// What a game is, whatever its names.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The same for copies with other names and another order of clauses.
    pub exact: u64,
    /// The same for boards of other sizes as well, where only tables differ.
    pub family: u64,
    exact_colours: FxHashMap<String, u64>,
    family_colours: FxHashMap<String, u64>,
}

/// How much of a game is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// All clauses.
    Exact,
    /// Clauses with variables.
    Family,
}

impl Signature {
    /// The signature of these rules.
    pub fn of(rules: &LiftedRules) -> Self {
        let all: Vec<&Rule> = rules.rules.iter().collect();
        let general: Vec<&Rule> = all.iter().copied().filter(|rule| !rule.variables.is_empty()).collect();
        let (exact, exact_colours) = refine(rules, &all);
        let (family, family_colours) = refine(rules, &general);
        Self { exact, family, exact_colours, family_colours }
    }

    /// The signature of the rules themselves.
    pub fn value(&self, likeness: Likeness) -> u64 {
        match likeness {
            Likeness::Exact => self.exact,
            Likeness::Family => self.family,
        }
    }

    /// The colour of a term: of its symbols, in order. Symbols that do not occur have one colour.
    pub fn colour(&self, likeness: Likeness, term: &str) -> u64 {
        let colours = match likeness {
            Likeness::Exact => &self.exact_colours,
            Likeness::Family => &self.family_colours,
        };
        let words = term.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
        let words = words.filter(|word| !word.is_empty());
        words.fold(0, |hash, word| mix(hash, colours.get(&word.to_lowercase()).copied().unwrap_or(0)))
    }
}

/// Two hashes as one (the finalizer of SplitMix64, Steele et al. 2014).
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut bits = a.rotate_left(23) ^ b.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A text as a hash.
pub(crate) fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| mix(hash, u64::from(byte)))
}

/// Hashes in any order.
pub(crate) fn together(mut hashes: Vec<u64>) -> u64 {
    hashes.sort_unstable();
    hashes.into_iter().fold(17, mix)
}

/// A clause, and the symbols in it.
struct Clause<'a> {
    rule: &'a Rule,
    symbols: Vec<usize>,
}

/// Hashes clauses by the colours of symbols and variables.
struct Hasher<'a> {
    rules: &'a LiftedRules,
    colours: &'a [u64],
    variables: &'a [u64],
    /// The symbol, or the variable, from which the clause is seen.
    symbol: Option<usize>,
    variable: Option<usize>,
}

fn refine(rules: &LiftedRules, list: &[&Rule]) -> (u64, FxHashMap<String, u64>) {
    let goals = goal_numbers(list, rules);
    let count = rules.symbols.len();
    let name = |at: usize| symbol_text(rules, at);
    let is_fixed = |at: usize| KEYWORDS.contains(&name(at).as_str()) || goals.contains(&at);
    let fixed: Vec<bool> = (0..count).map(is_fixed).collect();
    let mut colours: Vec<u64> =
        (0..count).map(|at| if fixed[at] { hash_text(&name(at)) } else { 1 }).collect();
    let clauses: Vec<Clause<'_>> = list
        .iter()
        .map(|&rule| {
            let mut symbols = Vec::new();
            each_symbol(rules, rule, &mut |symbol| symbols.push(symbol));
            symbols.sort_unstable();
            symbols.dedup();
            symbols.retain(|&symbol| !fixed[symbol]);
            Clause { rule, symbols }
        })
        .collect();
    let mut classes = 0;
    for _ in 0..MAX_ROUNDS {
        let mut seen: Vec<Vec<u64>> = vec![Vec::new(); count];
        for clause in &clauses {
            let variables = variable_colours(rules, clause.rule, &colours);
            for &symbol in &clause.symbols {
                let hasher = Hasher {
                    rules,
                    colours: &colours,
                    variables: &variables,
                    symbol: Some(symbol),
                    variable: None,
                };
                seen[symbol].push(hasher.rule(clause.rule));
            }
        }
        for (at, (colour, seen)) in colours.iter_mut().zip(seen).enumerate() {
            if !fixed[at] && !seen.is_empty() {
                *colour = mix(*colour, together(seen));
            }
        }
        let mut different = colours.clone();
        different.sort_unstable();
        different.dedup();
        if different.len() == classes {
            break;
        }
        classes = different.len();
    }
    let hashes = clauses.iter().map(|clause| {
        let variables = variable_colours(rules, clause.rule, &colours);
        let hasher = Hasher { rules, colours: &colours, variables: &variables, symbol: None, variable: None };
        hasher.rule(clause.rule)
    });
    let value = together(hashes.collect());
    let mut used = vec![false; count];
    clauses.iter().flat_map(|clause| &clause.symbols).for_each(|&symbol| used[symbol] = true);
    let texts = (0..count).filter(|&at| used[at] || fixed[at]);
    (value, texts.map(|at| (name(at).to_lowercase(), colours[at])).collect())
}

fn symbol_text(rules: &LiftedRules, at: usize) -> String {
    let id = ludex_game::model::SymbolId(u32::try_from(at).unwrap_or(u32::MAX));
    rules.symbols.text(id).to_owned()
}

/// Symbols that are numbers in the heads of goals.
fn goal_numbers(list: &[&Rule], rules: &LiftedRules) -> Vec<usize> {
    let goal = rules.relation("goal", 2);
    let heads = list.iter().filter(|rule| Some(rule.head.relation) == goal);
    let numbers = heads.filter_map(|rule| match rule.head.arguments.get(1) {
        Some(Pattern::Apply(symbol, inner)) if inner.is_empty() => Some(symbol.0 as usize),
        _ => None,
    });
    numbers.collect()
}

fn each_symbol(rules: &LiftedRules, rule: &Rule, found: &mut dyn FnMut(usize)) {
    fn pattern(term: &Pattern, found: &mut dyn FnMut(usize)) {
        if let Pattern::Apply(symbol, arguments) = term {
            found(symbol.0 as usize);
            arguments.iter().for_each(|argument| pattern(argument, found));
        }
    }
    fn atom(rules: &LiftedRules, of: &Atom, found: &mut dyn FnMut(usize)) {
        if let Some(info) = rules.info(of.relation) {
            found(info.name.0 as usize);
        }
        of.arguments.iter().for_each(|argument| pattern(argument, found));
    }
    fn condition(rules: &LiftedRules, of: &Condition, found: &mut dyn FnMut(usize)) {
        match of {
            Condition::Holds(inner) | Condition::Fails(inner) => atom(rules, inner, found),
            Condition::Differ(a, b) | Condition::Same(a, b) => {
                pattern(a, found);
                pattern(b, found);
            }
            Condition::Any(lists) => {
                lists.iter().flatten().for_each(|inner| condition(rules, inner, found));
            }
        }
    }
    atom(rules, &rule.head, found);
    rule.body.iter().for_each(|inner| condition(rules, inner, found));
}

/// Colours of the variables of a clause, by where they occur in it.
fn variable_colours(rules: &LiftedRules, rule: &Rule, colours: &[u64]) -> Vec<u64> {
    let mut variables = vec![2u64; rule.variables.len()];
    for _ in 0..VARIABLE_ROUNDS {
        let next = (0..variables.len()).map(|variable| {
            let hasher =
                Hasher { rules, colours, variables: &variables, symbol: None, variable: Some(variable) };
            hasher.rule(rule)
        });
        variables = next.collect();
    }
    variables
}

impl Hasher<'_> {
    fn rule(&self, rule: &Rule) -> u64 {
        let body = rule.body.iter().map(|condition| self.condition(condition)).collect();
        mix(self.atom(&rule.head), together(body))
    }

    fn condition(&self, condition: &Condition) -> u64 {
        let pair =
            |tag: u64, a: &Pattern, b: &Pattern| mix(tag, together(vec![self.pattern(a), self.pattern(b)]));
        match condition {
            Condition::Holds(atom) => mix(3, self.atom(atom)),
            Condition::Fails(atom) => mix(5, self.atom(atom)),
            Condition::Differ(a, b) => pair(7, a, b),
            Condition::Same(a, b) => pair(11, a, b),
            Condition::Any(lists) => {
                let of_list = |list: &Vec<Condition>| {
                    together(list.iter().map(|condition| self.condition(condition)).collect())
                };
                mix(13, together(lists.iter().map(of_list).collect()))
            }
        }
    }

    fn atom(&self, atom: &Atom) -> u64 {
        let name = self.rules.info(atom.relation).map_or(0, |info| self.symbol(info.name.0 as usize));
        atom.arguments.iter().fold(mix(19, name), |hash, argument| mix(hash, self.pattern(argument)))
    }

    fn pattern(&self, pattern: &Pattern) -> u64 {
        match pattern {
            Pattern::Variable(at) => {
                let at = *at as usize;
                let colour = self.variables.get(at).copied().unwrap_or(0);
                mix(if self.variable == Some(at) { 23 } else { 29 }, colour)
            }
            Pattern::Apply(symbol, arguments) => {
                let start = mix(31, self.symbol(symbol.0 as usize));
                arguments.iter().fold(start, |hash, argument| mix(hash, self.pattern(argument)))
            }
        }
    }

    fn symbol(&self, at: usize) -> u64 {
        let colour = self.colours.get(at).copied().unwrap_or(0);
        if self.symbol == Some(at) { mix(37, colour) } else { colour }
    }
}
