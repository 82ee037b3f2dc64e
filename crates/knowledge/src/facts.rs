//! Facts as names with values at places: `(cell 1 2 x)` is the fluent `cell` with three places.

use ludex_game::{FactId, Game};
use rustc_hash::FxHashMap;

use crate::random_play::PlayedGame;

/// A term in a place of a fact; a number in a [`Facts`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// Facts of one name and number of places.
#[derive(Clone, Debug)]
pub struct Fluent {
    /// The name.
    pub name: String,
    /// Number of places.
    pub arity: usize,
    /// All facts that can hold, as far as known.
    pub facts: Vec<FactId>,
    /// By place: its values in the order in which they were met.
    pub values: Vec<Vec<Value>>,
}

/// A fact, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFact {
    /// Number of its fluent.
    pub fluent: usize,
    /// A value for each place.
    pub arguments: Vec<Value>,
}

/// All facts that are known: those of the ground model, or else those met in play.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// In the order in which they were met.
    pub fluents: Vec<Fluent>,
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
    known: FxHashMap<FactId, KnownFact>,
}

impl Facts {
    /// The facts of a game, of its model and of some games.
    pub fn new(game: &dyn Game, games: &[PlayedGame]) -> Self {
        let mut facts = Self::default();
        let ground = game.model().and_then(|model| model.ground()).map_or(0, |ground| ground.facts.len());
        for id in (0..ground).map(FactId::new) {
            facts.add(id, &game.fact_name(id));
        }
        for position in games.iter().flat_map(|game| &game.positions) {
            for &id in &position.facts {
                if !facts.known.contains_key(&id) {
                    facts.add(id, &game.fact_name(id));
                }
            }
        }
        facts
    }

    fn add(&mut self, id: FactId, text: &str) {
        let mut parts = parts(text);
        let name = if parts.is_empty() { String::new() } else { parts.remove(0).to_owned() };
        let arguments: Vec<Value> = parts.iter().map(|part| self.value(part)).collect();
        let arity = arguments.len();
        let found = self.fluents.iter().position(|fluent| fluent.name == name && fluent.arity == arity);
        let fluent = found.unwrap_or_else(|| {
            let values = vec![Vec::new(); arity];
            self.fluents.push(Fluent { name, arity, facts: Vec::new(), values });
            self.fluents.len() - 1
        });
        let of = &mut self.fluents[fluent];
        of.facts.push(id);
        for (values, &value) in of.values.iter_mut().zip(&arguments) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        self.known.insert(id, KnownFact { fluent, arguments });
    }

    /// The number of a term, new or known.
    pub(crate) fn value(&mut self, text: &str) -> Value {
        if let Some(&number) = self.numbers.get(text) {
            return Value(number);
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        Value(number)
    }

    /// The number of a term that some fact has.
    pub fn find(&self, text: &str) -> Option<Value> {
        self.numbers.get(text).map(|&number| Value(number))
    }

    /// The term.
    pub fn text(&self, value: Value) -> &str {
        self.texts.get(value.0 as usize).map_or("", |text| text)
    }

    /// Terms with blanks between them.
    pub fn words(&self, values: &[Value]) -> String {
        values.iter().map(|&value| self.text(value)).collect::<Vec<_>>().join(" ")
    }

    /// A fact taken apart.
    pub fn get(&self, id: FactId) -> Option<&KnownFact> {
        self.known.get(&id)
    }

    /// The facts of one fluent among these.
    pub(crate) fn of_fluent<'a>(
        &'a self,
        fluent: usize,
        facts: &'a [FactId],
    ) -> impl Iterator<Item = (FactId, &'a [Value])> + 'a {
        facts.iter().filter_map(move |&id| {
            let known = self.get(id)?;
            (known.fluent == fluent).then_some((id, known.arguments.as_slice()))
        })
    }
}

/// The name and the arguments of a term in prefix form.
fn parts(text: &str) -> Vec<&str> {
    let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return vec![text];
    };
    let (mut found, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                found.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&inside[start..]);
    found.retain(|part| !part.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_taken_apart_at_the_top() {
        assert_eq!(parts("(cell 1 (f a b) x)"), ["cell", "1", "(f a b)", "x"]);
        assert_eq!(parts("over"), ["over"]);
    }

    #[test]
    fn fluents_have_the_values_of_their_places() {
        let game = ludex_testkit::game("tic_tac_toe", "batch");
        let facts = Facts::new(&*game, &[]);
        let cell = facts.fluents.iter().find(|fluent| fluent.name == "cell").unwrap();
        assert_eq!((cell.arity, cell.values[0].len(), cell.values[2].len()), (3, 3, 3));
        assert_eq!(cell.facts.len(), 27);
    }
}
