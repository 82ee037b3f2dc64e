//! Builds gates from ground rules.

use ludex_gdl::graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};

use super::exact_next::ExactNext;
use super::gate::{Gates, Signal};
use super::invariants::Invariants;
use super::{Circuit, Fact, GoalSignal, Loop, RoleMove};
use crate::ground::{AtomKind, Ground};
use crate::limits::{StopReason, Watch};
use crate::term::TermId;

/// Builds the circuit of a grounded sheet, gate by gate from its instances.
pub(super) fn build(ground: Ground, watch: &mut Watch) -> Result<Circuit, StopReason> {
    watch.keep(ground.bytes());
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    // Facts that can be true, and moves that can be legal.
    let init: FxHashSet<TermId> = ground.init.iter().copied().collect();
    let mut fact_terms: Vec<TermId> = Vec::new();
    let mut fact_numbers: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut add_fact = |term: TermId| {
        let next = number(fact_terms.len());
        *fact_numbers.entry(term).or_insert_with(|| {
            fact_terms.push(term);
            next
        })
    };
    for &term in &ground.init {
        add_fact(term);
    }
    let mut move_terms: Vec<Vec<TermId>> = vec![Vec::new(); ground.roles.len()];
    let mut move_numbers: FxHashMap<(u32, TermId), u32> = FxHashMap::default();
    for (at, atom) in ground.atoms.iter().enumerate() {
        match *atom {
            AtomKind::True(term) | AtomKind::Next(term) if ground.possible[at] => {
                add_fact(term);
            }
            AtomKind::Legal(role, term) if ground.possible[at] => {
                let moves = &mut move_terms[role as usize];
                let next = number(moves.len());
                move_numbers.entry((role, term)).or_insert_with(|| {
                    moves.push(term);
                    next
                });
            }
            _ => {}
        }
    }
    let counts = move_terms.iter().map(|m| number(m.len())).collect();
    let gates = Gates::new(fact_terms.len(), counts);
    let signals = vec![None; ground.atoms.len()];
    let mut builder = CircuitBuilder { ground: &ground, gates, signals, loops: Vec::new(), watch };
    for (at, atom) in ground.atoms.iter().enumerate() {
        builder.signals[at] = match atom {
            AtomKind::True(term) => {
                Some(fact_numbers.get(term).map_or(Signal::FALSE, |&f| builder.gates.fact(f)))
            }
            AtomKind::Does(role, term) => Some(
                move_numbers
                    .get(&(*role, *term))
                    .map_or(Signal::FALSE, |&m| builder.gates.does(*role as usize, m)),
            ),
            _ if !ground.possible[at] => Some(Signal::FALSE),
            _ => None,
        };
    }
    builder.define_all()?;
    let CircuitBuilder { gates, signals, loops, .. } = builder;

    let mut next: FxHashMap<TermId, Signal> = FxHashMap::default();
    let mut legal: FxHashMap<(u32, TermId), Signal> = FxHashMap::default();
    let mut goals = Vec::new();
    let mut terminal = Signal::FALSE;
    for (at, atom) in ground.atoms.iter().enumerate() {
        let signal = signals[at].unwrap_or(Signal::FALSE);
        match *atom {
            AtomKind::Next(term) => {
                next.insert(term, signal);
            }
            AtomKind::Legal(role, term) => {
                legal.insert((role, term), signal);
            }
            AtomKind::Goal(role, value) if ground.possible[at] => {
                goals.push(GoalSignal { role: role as usize, value, holds: signal });
            }
            AtomKind::Terminal => terminal = signal,
            _ => {}
        }
    }
    let facts = fact_terms
        .iter()
        .map(|&term| Fact {
            term,
            initial: init.contains(&term),
            next: next.get(&term).copied().unwrap_or(Signal::FALSE),
        })
        .collect();
    let moves = move_terms
        .iter()
        .enumerate()
        .map(|(role, terms)| {
            let moves = terms.iter().enumerate().map(|(at, &term)| RoleMove {
                term,
                does: gates.does(role, number(at)),
                legal: legal.get(&(number(role), term)).copied().unwrap_or(Signal::FALSE),
            });
            moves.collect()
        })
        .collect();
    watch.keep(ground.terms.bytes());
    Ok(Circuit {
        sheet: ground.sheet,
        terms: ground.terms,
        role_names: ground.roles,
        gates,
        facts,
        moves,
        terminal,
        goals,
        loops,
        invariants: Invariants::default(),
        exact_next: ExactNext::default(),
    })
}

struct CircuitBuilder<'a> {
    ground: &'a Ground,
    gates: Gates,
    /// By atom: its signal, once defined.
    signals: Vec<Option<Signal>>,
    loops: Vec<Loop>,
    watch: &'a mut Watch,
}

impl CircuitBuilder<'_> {
    /// Defines all atoms in the order of their strongly connected components (SCCs), inputs first.
    fn define_all(&mut self) -> Result<(), StopReason> {
        let ground = self.ground;
        let count = ground.atoms.len();
        let instances_of = InstancesOf::new(ground);
        // Atoms already defined (facts, moves, impossible atoms) have no dependencies.
        let mut edges = Vec::new();
        for at in 0..ground.instances.len() {
            let (head, body) = ground.instances.get(at);
            if self.signals[head as usize].is_none() {
                let open = body.iter().filter(|&&literal| self.signals[(literal >> 1) as usize].is_none());
                edges.extend(open.map(|&literal| (head, literal >> 1)));
            }
        }
        let component = Graph::new(count, &edges).components();
        let depends_on_itself: FxHashSet<u32> =
            edges.iter().filter(|(head, literal)| head == literal).map(|&(head, _)| head).collect();
        drop(edges);
        self.watch.look()?;
        let mut members: Vec<Vec<u32>> =
            vec![Vec::new(); component.iter().max().map_or(0, |&c| c as usize + 1)];
        for (atom, &c) in component.iter().enumerate() {
            members[c as usize].push(u32::try_from(atom).unwrap_or(u32::MAX));
        }
        for atoms in &members {
            match atoms.as_slice() {
                [atom] if !depends_on_itself.contains(atom) => {
                    if self.signals[*atom as usize].is_none() {
                        let signal = self.definition(instances_of.of(*atom))?;
                        self.signals[*atom as usize] = Some(signal);
                    }
                }
                atoms => self.recursive(atoms, &component, &instances_of)?,
            }
        }
        Ok(())
    }

    /// The OR of the instances of an atom.
    fn definition(&mut self, instances: &[u32]) -> Result<Signal, StopReason> {
        let ground = self.ground;
        let mut alternatives = Vec::with_capacity(instances.len());
        for &at in instances {
            let (_, body) = ground.instances.get(at as usize);
            let value = |literal: u32| {
                let signal = self.signals[(literal >> 1) as usize].unwrap_or(Signal::FALSE);
                signal.inverted_if(literal & 1 == 1)
            };
            let alternative = match body {
                [one] => value(*one),
                _ => {
                    let literals: Vec<Signal> = body.iter().map(|&literal| value(literal)).collect();
                    self.gates.and(literals)
                }
            };
            alternatives.push(alternative);
            self.watch.check_gates(self.gates.len(), self.gates.bytes())?;
        }
        Ok(self.gates.or(alternatives))
    }

    /// Defines an SCC of mutually recursive atoms as a loop.
    fn recursive(
        &mut self,
        atoms: &[u32],
        component: &[u32],
        instances_of: &InstancesOf,
    ) -> Result<(), StopReason> {
        let own = component[atoms[0] as usize];
        let negated = atoms.iter().flat_map(|&a| instances_of.of(a)).any(|&at| {
            let (_, body) = self.ground.instances.get(at as usize);
            body.iter().any(|&literal| literal & 1 == 1 && component[(literal >> 1) as usize] == own)
        });
        if negated {
            return Err(StopReason::Unsupported("an atom depends on its own negation".into()));
        }
        let nodes: Vec<Signal> = atoms
            .iter()
            .map(|&atom| {
                let signal = self.gates.add_loop(u32::try_from(self.loops.len()).unwrap_or(u32::MAX));
                self.signals[atom as usize] = Some(signal);
                signal
            })
            .collect();
        let mut becomes = Vec::with_capacity(atoms.len());
        for &atom in atoms {
            becomes.push(self.definition(instances_of.of(atom))?);
        }
        let end = u32::try_from(self.gates.len()).unwrap_or(u32::MAX);
        self.loops.push(Loop { nodes, becomes, end });
        Ok(())
    }
}

/// The instances of each atom, in one list.
struct InstancesOf {
    instances: Vec<u32>,
    /// By atom: the start of its instances.
    starts: Vec<u32>,
}

impl InstancesOf {
    fn new(ground: &Ground) -> Self {
        let mut starts = vec![0u32; ground.atoms.len() + 1];
        for at in 0..ground.instances.len() {
            starts[ground.instances.get(at).0 as usize + 1] += 1;
        }
        for atom in 1..starts.len() {
            starts[atom] += starts[atom - 1];
        }
        let mut free = starts.clone();
        let mut instances = vec![0; ground.instances.len()];
        for at in 0..ground.instances.len() {
            let place = &mut free[ground.instances.get(at).0 as usize];
            instances[*place as usize] = u32::try_from(at).unwrap_or(u32::MAX);
            *place += 1;
        }
        Self { instances, starts }
    }

    fn of(&self, atom: u32) -> &[u32] {
        &self.instances[self.starts[atom as usize] as usize..self.starts[atom as usize + 1] as usize]
    }
}
