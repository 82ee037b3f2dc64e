//! Questions about any relation of the rules, for people and tools.
//!
//! A game asks for `legal`, `next`, `goal` and `terminal`. The same prover answers questions about
//! all other relations, which is the authority's answer to "does this rule do what I mean?".

use ludex_game::{Failure, MoveId, State};

use super::Reference;
use super::pattern::OPEN;
use super::program::Scope;

impl Reference {
    /// All sentences of a relation that hold in a state: their arguments as text, sorted.
    ///
    /// `joint` has the moves that are made in the state; relations that depend on moves cannot be
    /// asked for without. A relation that the rules do not have, holds for nothing. Limits are those
    /// of the engine.
    pub fn ask(
        &self,
        state: &State,
        joint: Option<&[MoveId]>,
        name: &str,
        arity: usize,
    ) -> Result<Vec<Vec<String>>, Failure> {
        let sheet = &self.program.sheet;
        let relation = sheet.names.find(name).and_then(|symbol| sheet.relation(symbol, arity));
        let Some(relation) = relation.map(ludex_gdl::Relation::index) else { return Ok(Vec::new()) };
        if joint.is_none() && self.program.relations[relation].scope == Scope::Moves {
            return Err(Failure::Misuse(format!("`{name}` depends on the moves that are made")));
        }
        let mut guard = self.mind();
        let mind = &mut *guard;
        mind.enter(&self.role_terms, state, joint)?;
        let key = vec![OPEN; arity];
        let rows = mind.prover.ask(&self.program, &mind.world, &mut mind.store, relation, &key)?;
        let text = |&term: &_| mind.store.terms.text(&sheet.names, term);
        let mut answers: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(text).collect()).collect();
        answers.sort_unstable();
        answers.dedup();
        Ok(answers)
    }
}
