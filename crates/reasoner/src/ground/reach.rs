//! Relaxed reachability: every ground atom that could ever hold, and every instance of a rule.
//!
//! Relations that do not change in play are computed first, exactly, component by component of their
//! dependency graph. For the others negation is ignored: a fact is possible if `init` has it or a
//! possible instance of a `next` rule gives it, a move is possible if a possible instance of a
//! `legal` rule gives it. Atoms are handled one at a time: an atom is matched with each condition of
//! each rule that it fits, and the other conditions are joined with the atoms handled before it.
//! So every instance is found exactly once, when the last of its atoms is handled (semi-naive
//! evaluation with single-atom deltas).

use hashbrown::HashTable;
use ludex_gdl::keyword;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

use super::join::{Join, Match, build, unify};
use super::normal::{Literal, Program, Rel, number};
use super::plan::{Context, Plan, plan};
use super::table::Table;
use crate::limits::{StopReason, Watch};
use crate::term::{TermId, Terms};

/// A ground literal of an instance: the number of an atom, times two, plus one if negated.
pub(crate) type GroundLiteral = u32;

/// Instances of rules: each a head atom and literals, packed.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    data: Vec<u32>,
    starts: Vec<u32>,
    lookup: HashTable<u32>,
}

impl Instances {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Head and literals of an instance.
    pub(crate) fn get(&self, at: usize) -> (u32, &[GroundLiteral]) {
        let start = self.starts[at] as usize;
        let end = self.starts.get(at + 1).map_or(self.data.len(), |&s| s as usize);
        (self.data[start], &self.data[start + 1..end])
    }

    fn hash(head: u32, body: &[GroundLiteral]) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u32(head);
        body.iter().for_each(|&literal| hasher.write_u32(literal));
        hasher.finish()
    }

    /// Adds an instance, unless the same one is there. The body must be sorted.
    fn add(&mut self, head: u32, body: &[GroundLiteral]) {
        let hash = Self::hash(head, body);
        if self.lookup.find(hash, |&at| self.get(at as usize) == (head, body)).is_some() {
            return;
        }
        let at = number(self.starts.len());
        self.starts.push(number(self.data.len()));
        self.data.push(head);
        self.data.extend_from_slice(body);
        let (data, starts) = (&self.data, &self.starts);
        self.lookup.insert_unique(hash, at, |&at| {
            let start = starts[at as usize] as usize;
            let end = starts.get(at as usize + 1).map_or(data.len(), |&s| s as usize);
            Self::hash(data[start], &data[start + 1..end])
        });
    }

    pub(crate) fn bytes(&self) -> usize {
        self.data.len() * 4 + self.starts.len() * 12
    }
}

/// Everything that grounding finds.
#[derive(Debug)]
pub(crate) struct Reached {
    pub terms: Terms,
    pub tables: Vec<Table>,
    /// Relation and row of every atom.
    pub atoms: Vec<(Rel, u32)>,
    pub instances: Instances,
}

impl Reached {
    /// Bytes in use, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.tables.iter().map(Table::bytes).sum::<usize>() + self.terms.bytes() + self.instances.bytes()
    }
}

/// Computes what can be reached.
pub(crate) fn reach(
    program: &mut Program,
    is_dynamic: &[bool],
    order: &[Vec<Rel>],
    watch: &mut Watch,
) -> Result<Reached, StopReason> {
    let tables = program.relations.iter().map(|r| Table::new(r.arity)).collect();
    let mut reacher = Reacher {
        is_dynamic,
        tables,
        terms: std::mem::take(&mut program.terms),
        atoms: Vec::new(),
        atom_numbers: vec![Vec::new(); program.relations.len()],
        instances: Instances::default(),
        plans: FxHashMap::default(),
        planned_at: 0,
        queue: Vec::new(),
        program,
        watch,
    };
    for component in order {
        reacher.component(component, false)?;
    }
    let dynamic: Vec<Rel> = (0..is_dynamic.len()).filter(|&r| is_dynamic[r]).map(number).collect();
    reacher.component(&dynamic, true)?;
    let Reacher { terms, tables, atoms, instances, .. } = reacher;
    Ok(Reached { terms, tables, atoms, instances })
}

struct Reacher<'a> {
    program: &'a Program,
    is_dynamic: &'a [bool],
    tables: Vec<Table>,
    terms: Terms,
    atoms: Vec<(Rel, u32)>,
    atom_numbers: Vec<Vec<u32>>,
    instances: Instances,
    plans: FxHashMap<(usize, Option<usize>), Plan>,
    /// Number of atoms when plans were last thrown away.
    planned_at: usize,
    /// Rows that have been derived and are not yet active.
    queue: Vec<(Rel, u32)>,
    watch: &'a mut Watch,
}

impl Reacher<'_> {
    /// Computes the relations of one component, which depend on each other.
    fn component(&mut self, relations: &[Rel], dynamic: bool) -> Result<(), StopReason> {
        let program = self.program;
        let inside: rustc_hash::FxHashSet<Rel> = relations.iter().copied().collect();
        // For each relation of the component, the conditions that wait for its rows.
        let mut waiting: FxHashMap<Rel, Vec<(usize, usize)>> = FxHashMap::default();
        let mut ready = Vec::new();
        for (at, rule) in program.rules.iter().enumerate() {
            if !inside.contains(&rule.head.0) {
                continue;
            }
            let mut waits = false;
            for (position, literal) in rule.body.iter().enumerate() {
                if let Literal::Holds(relation, _) = literal
                    && inside.contains(relation)
                {
                    waiting.entry(*relation).or_default().push((at, position));
                    waits = true;
                }
            }
            if !waits {
                ready.push(at);
            }
        }
        if dynamic {
            self.feed_first_state();
        }
        for rule in ready {
            self.fire(rule, None, dynamic)?;
        }
        let mut handled = 0;
        while let Some(&(relation, row)) = self.queue.get(handled) {
            handled += 1;
            if !self.tables[relation as usize].activate(row, &self.terms) {
                continue;
            }
            if dynamic {
                self.feed(relation, row);
            }
            for &(rule, position) in waiting.get(&relation).map_or(&[][..], Vec::as_slice) {
                self.fire(rule, Some((position, relation, row)), dynamic)?;
            }
            if handled > 1 << 20 {
                self.queue.drain(..handled);
                handled = 0;
            }
        }
        self.queue.clear();
        Ok(())
    }

    /// The facts of `init` are true at first.
    fn feed_first_state(&mut self) {
        let program = self.program;
        let (Some(init), Some(truth)) = (program.find(keyword::INIT, 1), program.find(keyword::TRUE, 1))
        else {
            return;
        };
        for row in 0..self.tables[init as usize].len() {
            let fact = self.tables[init as usize].row(number(row))[0];
            self.derive(truth, &[fact]);
        }
    }

    /// What is next may be true, what is legal may be done.
    fn feed(&mut self, relation: Rel, row: u32) {
        let program = self.program;
        let symbol = program.relations[relation as usize].symbol;
        let target = match symbol {
            Some(keyword::NEXT) => program.find(keyword::TRUE, 1),
            Some(keyword::LEGAL) => program.find(keyword::DOES, 2),
            _ => None,
        };
        let Some(target) = target else { return };
        let values: Vec<TermId> = self.tables[relation as usize].row(row).to_vec();
        if symbol == Some(keyword::LEGAL) {
            let is_role = program
                .find(keyword::ROLE, 1)
                .is_some_and(|role| self.tables[role as usize].find(&values[..1]).is_some());
            if !is_role {
                return;
            }
        }
        self.derive(target, &values);
    }

    fn derive(&mut self, relation: Rel, values: &[TermId]) -> u32 {
        let row = self.tables[relation as usize].intern(values);
        if !self.tables[relation as usize].is_active(row) {
            self.queue.push((relation, row));
        }
        row
    }

    /// Finds the matches of a rule in which a condition is matched with a row (or all matches).
    fn fire(
        &mut self,
        rule_at: usize,
        first: Option<(usize, Rel, u32)>,
        dynamic: bool,
    ) -> Result<(), StopReason> {
        let program = self.program;
        let rule = &program.rules[rule_at];
        let nothing = TermId(u32::MAX);
        let mut state =
            Match { values: vec![nothing; rule.variables as usize], rows: vec![u32::MAX; rule.body.len()] };
        if let Some((position, relation, row)) = first {
            let Literal::Holds(_, arguments) = &rule.body[position] else { return Ok(()) };
            let mut known = vec![false; rule.variables as usize];
            let cells = self.tables[relation as usize].row(row);
            let mut pairs = arguments.iter().zip(cells);
            if !pairs.all(|(p, &t)| unify(p, t, &mut known, &mut state.values, &self.terms)) {
                return Ok(());
            }
            state.rows[position] = row;
        }
        let total: usize = self.atoms.len();
        if total > 8 * self.planned_at.max(64) {
            self.planned_at = total;
            self.plans.clear();
        }
        let key = (rule_at, first.map(|(position, ..)| position));
        let plan = match self.plans.remove(&key) {
            Some(plan) => plan,
            None => {
                let dynamic_relation = |r: Rel| self.is_dynamic[r as usize];
                let context = Context { rule, is_dynamic: &dynamic_relation };
                plan(&context, key.1, &mut self.tables, &self.terms)
            }
        };
        let mut matches: Vec<Match> = Vec::new();
        let join = Join { rule, plan: &plan, first };
        join.run(&mut self.tables, &mut self.terms, &mut state, self.watch, &mut |found| {
            matches.push(Match { values: found.values.clone(), rows: found.rows.clone() });
        })?;
        self.plans.insert(key, plan);
        for found in &matches {
            self.record(rule_at, found, dynamic)?;
        }
        Ok(())
    }

    /// Derives the head of a match; of rules that change in play the instance is kept.
    fn record(&mut self, rule_at: usize, found: &Match, dynamic: bool) -> Result<(), StopReason> {
        let rule = &self.program.rules[rule_at];
        let values: Vec<TermId> =
            rule.head.1.iter().map(|p| build(p, &found.values, &mut self.terms)).collect();
        if values.iter().any(|v| v.0 == u32::MAX) {
            return Err(StopReason::Unsupported("a rule leaves a variable without a value".into()));
        }
        let row = self.derive(rule.head.0, &values);
        if dynamic {
            let head = self.atom(rule.head.0, row);
            let mut body = Vec::with_capacity(rule.body.len());
            for (at, literal) in rule.body.iter().enumerate() {
                match literal {
                    Literal::Holds(r, _) if self.is_dynamic[*r as usize] => {
                        body.push(2 * self.atom(*r, found.rows[at]));
                    }
                    Literal::Fails(r, _) if self.is_dynamic[*r as usize] => {
                        body.push(2 * self.atom(*r, found.rows[at]) + 1);
                    }
                    _ => {}
                }
            }
            body.sort_unstable();
            body.dedup();
            let contradicts = body.windows(2).any(|w| w[0] ^ w[1] == 1);
            if !contradicts && body.binary_search(&(2 * head)).is_err() {
                self.instances.add(head, &body);
            }
        }
        let cells: usize = if self.instances.len().is_multiple_of(1024) {
            self.tables.iter().map(Table::bytes).sum()
        } else {
            0
        };
        self.watch.check(self.atoms.len(), self.instances.len(), cells + self.instances.bytes())
    }

    /// The number of an atom, given out when it is first asked for.
    fn atom(&mut self, relation: Rel, row: u32) -> u32 {
        let numbers = &mut self.atom_numbers[relation as usize];
        if numbers.len() <= row as usize {
            numbers.resize(row as usize + 1, u32::MAX);
        }
        if numbers[row as usize] == u32::MAX {
            numbers[row as usize] = number(self.atoms.len());
            self.atoms.push((relation, row));
        }
        numbers[row as usize]
    }
}
