//! Runs join plans: finds every way to match the conditions of a rule.

use super::normal::{Literal, NormalRule, Pattern};
use super::plan::{Place, Plan, Step};
use super::table::{Table, at, hash_terms};
use crate::limits::{StopReason, Watch};
use crate::term::{TermId, Terms};

/// A match in the making.
#[derive(Debug, Default)]
pub(crate) struct Match {
    /// By variable: its value, where it has one.
    pub values: Vec<TermId>,
    /// By condition: the row that it is matched with, where it is one of a table.
    pub rows: Vec<u32>,
}

/// What a join reads and what it may not exceed.
pub(crate) struct Join<'a> {
    pub rule: &'a NormalRule,
    pub plan: &'a Plan,
    /// The condition that was matched beforehand, with its relation and row: conditions before it
    /// must not be matched with the same row again, or the match would be found twice.
    pub first: Option<(usize, u32, u32)>,
}

/// Value of a pattern whose variables all have one, if the term exists.
pub(crate) fn value(pattern: &Pattern, values: &[TermId], terms: &Terms) -> Option<TermId> {
    match pattern {
        Pattern::Ground(term) => Some(*term),
        Pattern::Variable(v) => Some(values[*v as usize]),
        Pattern::Apply(symbol, arguments) => {
            let arguments: Option<Vec<TermId>> = arguments.iter().map(|a| value(a, values, terms)).collect();
            terms.find(*symbol, &arguments?)
        }
    }
}

/// Value of a pattern whose variables all have one; the term is made if it does not exist.
pub(crate) fn build(pattern: &Pattern, values: &[TermId], terms: &mut Terms) -> TermId {
    match pattern {
        Pattern::Ground(term) => *term,
        Pattern::Variable(v) => values[*v as usize],
        Pattern::Apply(symbol, arguments) => {
            let arguments: Vec<TermId> = arguments.iter().map(|a| build(a, values, terms)).collect();
            terms.intern(*symbol, &arguments)
        }
    }
}

/// Matches a pattern with a term, giving values to variables; `known` says which have one.
pub(crate) fn unify(
    pattern: &Pattern,
    term: TermId,
    known: &mut [bool],
    values: &mut [TermId],
    terms: &Terms,
) -> bool {
    match pattern {
        Pattern::Ground(own) => *own == term,
        Pattern::Variable(v) => {
            let v = *v as usize;
            if std::mem::replace(&mut known[v], true) {
                return values[v] == term;
            }
            values[v] = term;
            true
        }
        Pattern::Apply(symbol, arguments) => {
            terms.symbol(term) == *symbol
                && terms.arguments(term).len() == arguments.len()
                && arguments
                    .iter()
                    .zip(terms.arguments(term))
                    .all(|(pattern, &term)| unify(pattern, term, known, values, terms))
        }
    }
}

impl Join<'_> {
    /// Calls `found` for every match. `found` gets what it needs to record it.
    pub(crate) fn run(
        &self,
        tables: &mut [Table],
        terms: &mut Terms,
        state: &mut Match,
        watch: &mut Watch,
        found: &mut dyn FnMut(&Match),
    ) -> Result<(), StopReason> {
        self.step(0, tables, terms, state, watch, found)
    }

    fn step(
        &self,
        depth: usize,
        tables: &mut [Table],
        terms: &mut Terms,
        state: &mut Match,
        watch: &mut Watch,
        found: &mut dyn FnMut(&Match),
    ) -> Result<(), StopReason> {
        let Some(step) = self.plan.steps.get(depth) else {
            found(state);
            return Ok(());
        };
        match step {
            Step::Differ(a, b) => {
                // Made if need be: two terms that nobody has met yet may still be the same.
                if build(a, &state.values, terms) == build(b, &state.values, terms) {
                    return Ok(());
                }
                self.step(depth + 1, tables, terms, state, watch, found)
            }
            Step::Look { literal, relation, holds } => {
                let row = self.look(*literal, &state.values, &tables[*relation as usize], terms);
                let row = row.filter(|&row| tables[*relation as usize].is_active(row));
                if row.is_some() != *holds {
                    return Ok(());
                }
                if let Some(row) = row {
                    if self.is_repeated(*literal, *relation, row) {
                        return Ok(());
                    }
                    state.rows[*literal] = row;
                }
                self.step(depth + 1, tables, terms, state, watch, found)
            }
            Step::Mention { literal, relation } => {
                let Literal::Fails(_, arguments) = &self.rule.body[*literal] else { return Ok(()) };
                let values: Vec<TermId> = arguments.iter().map(|a| build(a, &state.values, terms)).collect();
                state.rows[*literal] = tables[*relation as usize].intern(&values);
                self.step(depth + 1, tables, terms, state, watch, found)
            }
            Step::Match { literal, relation, index, places } => {
                let table = &tables[*relation as usize];
                let mut keys = Vec::new();
                for place in places {
                    if let Place::Key(path, pattern) = place {
                        let Some(value) = value(pattern, &state.values, terms) else { return Ok(()) };
                        keys.push((&**path, value));
                    }
                }
                let hash = hash_terms(keys.iter().map(|&(_, value)| value));
                // Rows may be added while the join goes on (by `Mention`, which touches no index).
                let count = table.candidates(*index, hash).len();
                for candidate in 0..count {
                    watch.tick()?;
                    let table = &tables[*relation as usize];
                    let row = table.candidates(*index, hash)[candidate];
                    if self.is_repeated(*literal, *relation, row)
                        || !fits(table, row, &keys, places, state, terms)
                    {
                        continue;
                    }
                    state.rows[*literal] = row;
                    self.step(depth + 1, tables, terms, state, watch, found)?;
                }
                Ok(())
            }
        }
    }

    fn look(&self, literal: usize, values: &[TermId], table: &Table, terms: &Terms) -> Option<u32> {
        let (Literal::Holds(_, arguments) | Literal::Fails(_, arguments)) = &self.rule.body[literal] else {
            return None;
        };
        let row: Option<Vec<TermId>> = arguments.iter().map(|a| value(a, values, terms)).collect();
        table.find(&row?)
    }

    /// Whether this match has been, or will be, found with the conditions the other way round.
    fn is_repeated(&self, literal: usize, relation: u32, row: u32) -> bool {
        self.first.is_some_and(|(first, of, with)| literal < first && relation == of && row == with)
    }
}

/// Checks a row against the key (hashes may collide) and takes the values of new variables from it.
fn fits(
    table: &Table,
    row: u32,
    keys: &[(&[u16], TermId)],
    places: &[Place],
    state: &mut Match,
    terms: &Terms,
) -> bool {
    let cells = table.row(row);
    if !keys.iter().all(|(path, value)| at(cells, path, terms) == Some(*value)) {
        return false;
    }
    places.iter().all(|place| match place {
        Place::Key(..) => true,
        Place::Bind(path, v) => at(cells, path, terms).is_some_and(|term| {
            state.values[*v as usize] = term;
            true
        }),
        Place::Check(path, v) => at(cells, path, terms) == Some(state.values[*v as usize]),
    })
}
