//! Runs join plans: finds every way to match the conditions of a rule.

use super::plan::{JoinPlace, JoinPlan, JoinStep};
use super::program::{NormalLiteral, NormalPattern, NormalRule};
use super::table::{GroundTable, at, hash_terms};
use crate::limits::{StopReason, Watch};
use crate::term::{TermId, Terms};

/// A variable without a value.
pub(crate) const NO_VALUE: TermId = TermId(u32::MAX);

/// A partial match. Reused from join to join, so that joins do not allocate.
#[derive(Debug, Default)]
pub(crate) struct Match {
    /// By variable: its value, where it has one.
    pub values: Vec<TermId>,
    /// By condition: the row that it is matched with, where it is one of a table.
    pub rows: Vec<u32>,
    /// Arguments of terms and rows that are being put together, one on top of the other.
    stack: Vec<TermId>,
}

impl Match {
    /// Starts a match of a rule anew.
    pub(crate) fn start(&mut self, rule: &NormalRule) {
        self.values.clear();
        self.values.resize(rule.variables as usize, NO_VALUE);
        self.rows.clear();
        self.rows.resize(rule.body.len(), u32::MAX);
    }
}

/// Matches that have been found, packed: for each the values of the variables, then the rows.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    values: Vec<TermId>,
    rows: Vec<u32>,
    count: usize,
}

impl Matches {
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.rows.clear();
        self.count = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Values and rows of a match of a rule.
    pub(crate) fn get(&self, at: usize, rule: &NormalRule) -> (&[TermId], &[u32]) {
        let (v, r) = (rule.variables as usize, rule.body.len());
        (&self.values[at * v..(at + 1) * v], &self.rows[at * r..(at + 1) * r])
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.values.len() + self.rows.len()) * 4
    }
}

/// What a join reads, what it makes, and what it may not exceed.
pub(crate) struct Join<'a> {
    pub rule: &'a NormalRule,
    pub plan: &'a JoinPlan,
    /// The condition that was matched beforehand, with its relation and row: conditions before it
    /// must not be matched with the same row again, or the match would be found twice.
    pub first: Option<(usize, u32, u32)>,
    pub tables: &'a mut [GroundTable],
    pub terms: &'a mut Terms,
    pub state: &'a mut Match,
    pub found: &'a mut Matches,
    /// How many matches to find at most.
    pub most: usize,
    pub watch: &'a mut Watch,
}

/// Value of a pattern whose variables all have one, if the term exists.
fn value(
    pattern: &NormalPattern,
    values: &[TermId],
    stack: &mut Vec<TermId>,
    terms: &Terms,
) -> Option<TermId> {
    match pattern {
        NormalPattern::Ground(term) => Some(*term),
        NormalPattern::Variable(v) => Some(values[*v as usize]),
        NormalPattern::Apply(symbol, arguments) => {
            let base = stack.len();
            for argument in arguments {
                let Some(term) = value(argument, values, stack, terms) else {
                    stack.truncate(base);
                    return None;
                };
                stack.push(term);
            }
            let found = terms.find(*symbol, &stack[base..]);
            stack.truncate(base);
            found
        }
    }
}

/// Value of a pattern; the term is made if it does not exist. A variable without a value gives
/// [`NO_VALUE`].
pub(crate) fn build(
    pattern: &NormalPattern,
    values: &[TermId],
    stack: &mut Vec<TermId>,
    terms: &mut Terms,
) -> TermId {
    match pattern {
        NormalPattern::Ground(term) => *term,
        NormalPattern::Variable(v) => values[*v as usize],
        NormalPattern::Apply(symbol, arguments) => {
            let base = stack.len();
            for argument in arguments {
                let term = build(argument, values, stack, terms);
                stack.push(term);
            }
            let is_whole = !stack[base..].contains(&NO_VALUE);
            let term = if is_whole { terms.intern(*symbol, &stack[base..]) } else { NO_VALUE };
            stack.truncate(base);
            term
        }
    }
}

/// Matches a pattern with a term, giving values to variables that have none.
pub(crate) fn unify(pattern: &NormalPattern, term: TermId, values: &mut [TermId], terms: &Terms) -> bool {
    match pattern {
        NormalPattern::Ground(own) => *own == term,
        NormalPattern::Variable(v) => {
            let value = &mut values[*v as usize];
            if *value != NO_VALUE {
                return *value == term;
            }
            *value = term;
            true
        }
        NormalPattern::Apply(symbol, arguments) => {
            terms.symbol(term) == *symbol
                && terms.arguments(term).len() == arguments.len()
                && arguments
                    .iter()
                    .zip(terms.arguments(term))
                    .all(|(pattern, &term)| unify(pattern, term, values, terms))
        }
    }
}

impl Join<'_> {
    /// Finds every match.
    pub(crate) fn run(&mut self) -> Result<(), StopReason> {
        self.state.stack.clear();
        self.step(0)
    }

    fn step(&mut self, depth: usize) -> Result<(), StopReason> {
        let plan = self.plan;
        let Some(step) = plan.steps.get(depth) else {
            self.found.values.extend_from_slice(&self.state.values);
            self.found.rows.extend_from_slice(&self.state.rows);
            self.found.count += 1;
            return Ok(());
        };
        match step {
            JoinStep::Differ(a, b) => {
                // Interned if new: two terms that do not exist yet may still be equal.
                let Match { values, stack, .. } = &mut *self.state;
                let a = build(a, values, stack, self.terms);
                if a == build(b, values, stack, self.terms) {
                    return Ok(());
                }
                self.step(depth + 1)
            }
            JoinStep::Look { literal, relation, holds } => {
                let row = self.look(*literal, *relation as usize);
                let row = row.filter(|&row| self.tables[*relation as usize].is_active(row));
                if row.is_some() != *holds {
                    return Ok(());
                }
                if let Some(row) = row {
                    if self.is_repeated(*literal, *relation, row) {
                        return Ok(());
                    }
                    self.state.rows[*literal] = row;
                }
                self.step(depth + 1)
            }
            JoinStep::Mention { literal, relation } => {
                let rule = self.rule;
                let NormalLiteral::Fails(_, arguments) = &rule.body[*literal] else { return Ok(()) };
                let Match { values, rows, stack } = &mut *self.state;
                let base = stack.len();
                for argument in arguments {
                    let term = build(argument, values, stack, self.terms);
                    stack.push(term);
                }
                rows[*literal] = self.tables[*relation as usize].intern(&stack[base..]);
                stack.truncate(base);
                self.step(depth + 1)
            }
            JoinStep::Match { literal, relation, index, places } => {
                let base = self.state.stack.len();
                for place in places {
                    if let JoinPlace::Key(_, pattern) = place {
                        let Match { values, stack, .. } = &mut *self.state;
                        let Some(value) = value(pattern, values, stack, self.terms) else {
                            stack.truncate(base);
                            return Ok(());
                        };
                        stack.push(value);
                    }
                }
                let hash = hash_terms(self.state.stack[base..].iter().copied());
                // Rows may be added while the join goes on (by `Mention`, which touches no index).
                let mut row = self.tables[*relation as usize].first_candidate(*index, hash);
                while let Some(candidate) = row.filter(|_| self.found.count < self.most) {
                    self.watch.tick()?;
                    let table = &self.tables[*relation as usize];
                    row = table.next_candidate(*index, candidate);
                    if self.is_repeated(*literal, *relation, candidate)
                        || !fits(table, candidate, base, places, self.state, self.terms)
                    {
                        continue;
                    }
                    self.state.rows[*literal] = candidate;
                    self.step(depth + 1)?;
                }
                self.state.stack.truncate(base);
                Ok(())
            }
        }
    }

    fn look(&mut self, literal: usize, relation: usize) -> Option<u32> {
        let rule = self.rule;
        let (NormalLiteral::Holds(_, arguments) | NormalLiteral::Fails(_, arguments)) = &rule.body[literal]
        else {
            return None;
        };
        let Match { values, stack, .. } = &mut *self.state;
        let base = stack.len();
        for argument in arguments {
            match value(argument, values, stack, self.terms) {
                Some(term) => stack.push(term),
                None => {
                    stack.truncate(base);
                    return None;
                }
            }
        }
        let found = self.tables[relation].find(&stack[base..]);
        stack.truncate(base);
        found
    }

    /// Whether this match has been, or will be, found with the conditions the other way round.
    fn is_repeated(&self, literal: usize, relation: u32, row: u32) -> bool {
        self.first.is_some_and(|(first, of, with)| literal < first && relation == of && row == with)
    }
}

/// Checks a row against the key on the stack (hashes may collide) and takes the values of new
/// variables from it.
fn fits(
    table: &GroundTable,
    row: u32,
    base: usize,
    places: &[JoinPlace],
    state: &mut Match,
    terms: &Terms,
) -> bool {
    let cells = table.row(row);
    let mut key = base;
    places.iter().all(|place| match place {
        JoinPlace::Key(path, _) => {
            key += 1;
            at(cells, path, terms) == Some(state.stack[key - 1])
        }
        JoinPlace::Bind(path, v) => at(cells, path, terms).is_some_and(|term| {
            state.values[*v as usize] = term;
            true
        }),
        JoinPlace::Check(path, v) => at(cells, path, terms) == Some(state.values[*v as usize]),
    })
}
