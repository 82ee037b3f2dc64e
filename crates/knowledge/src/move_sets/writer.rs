//! Sets of moves as clauses.

use std::collections::HashMap;

use ludex_game::model::{GroundModel, Literal, Node};
use ludex_game::{FactId, RoleId};
use rustsat::types::Lit;

use super::changes::{Counter, Kind};
use crate::clauses::{Clauses, FALSE, TRUE, through};
use crate::effects::{Effect, MoveEffects};

/// Gates of legal moves that are written down, for all moves together.
const MAX_WORK: usize = 5_000_000;

/// Moves times values of a counter.
const MAX_COUNTS: usize = 1_000_000;

/// The last move, and what it leads to.
pub(super) struct End {
    /// By input: that it is the last move.
    pub(super) last: Vec<Lit>,
    /// The goals and that the end is worth them, the highest first.
    pub(super) goals: Vec<(u8, Lit)>,
}

/// Writes the clauses.
pub(super) struct Writer<'a> {
    clauses: Clauses,
    made: Vec<Lit>,
    model: &'a GroundModel,
    start: Vec<bool>,
    effects: Vec<MoveEffects>,
    kinds: Vec<Kind>,
    counters: Vec<Counter>,
    /// By counter and number from 1: that at least so many moves are made that count.
    numbers: Vec<Vec<Lit>>,
    /// By number from 1: that at least so many moves are made.
    total: Vec<Lit>,
    /// By fact: whether it holds before the last move.
    ends: Vec<Lit>,
    /// By fact: by place among the moves that change it, that one before it is made, or one behind it.
    others: HashMap<usize, Vec<Lit>>,
    work: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        model: &'a GroundModel,
        start: Vec<bool>,
        effects: Vec<MoveEffects>,
        kinds: Vec<Kind>,
        counters: Vec<Counter>,
    ) -> Self {
        Self {
            clauses: Clauses::new(),
            made: vec![FALSE; model.inputs.len()],
            model,
            start,
            effects,
            kinds,
            counters,
            numbers: Vec::new(),
            total: Vec::new(),
            ends: Vec::new(),
            others: HashMap::new(),
            work: 0,
        }
    }

    /// The moves of a set, and the state behind them, with a clock of so many times. Gives the move that
    /// does nothing but count, if there is one.
    pub(super) fn moves(&mut self, times: usize) -> Option<Option<usize>> {
        let filler = self.choose_moves();
        self.count(filler, times)?;
        self.ends = (0..self.model.facts.len()).map(|fact| self.before_the_last(fact)).collect();
        Some(filler)
    }

    /// The clauses, and the variables of moves.
    pub(super) fn into_parts(self) -> (Clauses, Vec<Lit>) {
        (self.clauses, self.made)
    }

    /// A variable for each move that can be part of a set. Gives the move that does nothing but count.
    fn choose_moves(&mut self) -> Option<usize> {
        let mut filler = None;
        for (input, effects) in self.effects.iter().enumerate() {
            if self.model.inputs[input].legal == Literal::FALSE {
                continue;
            }
            let counts = |(fact, _): &(FactId, Effect)| matches!(self.kinds[fact.index()], Kind::Counter(..));
            if effects.changes.iter().all(counts) {
                filler = filler.or(Some(input));
            } else {
                self.made[input] = self.clauses.variable();
            }
        }
        filler
    }

    /// The numbers of moves made, and which moves have a turn of their own. The clock has so many times.
    fn count(&mut self, filler: Option<usize>, times: usize) -> Option<()> {
        for number in 0..self.counters.len() {
            let counts = self.counters[number].counts.clone();
            let most = self.counters[number].values.len() + 1;
            let fills = filler.is_some_and(|filler| counts[filler]);
            let numbers = self.numbers_of(&|input| counts[input], most, fills)?;
            self.turns(number, &numbers);
            self.numbers.push(numbers);
        }
        if times > 1 {
            self.total = self.numbers_of(&|_| true, times, filler.is_some())?;
            self.turns_of_the_clock();
        }
        Some(())
    }

    /// By number from 1: that at least so many of these moves are made, where some may be made again.
    fn numbers_of(&mut self, counts: &dyn Fn(usize) -> bool, most: usize, fills: bool) -> Option<Vec<Lit>> {
        let made = (0..self.made.len()).filter(|&at| counts(at)).map(|at| self.made[at]);
        let made: Vec<Lit> = made.filter(|&made| made != FALSE).collect();
        if made.len().saturating_mul(most) > MAX_COUNTS {
            return None;
        }
        let numbers = self.clauses.at_least(&made, most);
        if !fills {
            return Some(numbers);
        }
        let more: Vec<Lit> = numbers.iter().map(|_| self.clauses.variable()).collect();
        for at in 0..most {
            self.clauses.clause(&[!numbers[at], more[at]]);
            if at > 0 {
                self.clauses.clause(&[!more[at], more[at - 1]]);
            }
        }
        Some(more)
    }

    /// Moves that need a fact that the clock shows only once: only one of them has this turn.
    fn turns_of_the_clock(&mut self) {
        let mut turns: Vec<Vec<Lit>> = vec![Vec::new(); self.total.len()];
        for input in (0..self.made.len()).filter(|&input| self.made[input] != FALSE) {
            for &(fact, needed) in &self.effects[input].needs {
                let Kind::Timed(times) = &self.kinds[fact.index()] else { continue };
                // The last time of the clock stays.
                if let [time] = times[..]
                    && needed
                    && time + 1 < self.total.len()
                {
                    self.clauses.clause(&[!self.made[input], self.total[time]]);
                    turns[time].push(self.made[input]);
                }
            }
        }
        for moves in turns {
            self.clauses.at_most_one(&moves, TRUE);
        }
    }

    /// Moves that need a value of a counter and move it on: only one of them has this turn.
    fn turns(&mut self, number: usize, numbers: &[Lit]) {
        let mut turns: HashMap<FactId, Vec<Lit>> = HashMap::new();
        for input in 0..self.made.len() {
            for &(fact, needed) in &self.effects[input].needs {
                if !needed || self.made[input] == FALSE || !self.counters[number].counts[input] {
                    continue;
                }
                match self.kinds[fact.index()] {
                    Kind::Counter(of, Some(step)) if of == number => {
                        self.clauses.clause(&[!self.made[input], numbers[step]]);
                        turns.entry(fact).or_default().push(self.made[input]);
                    }
                    Kind::Counter(_, None) => self.clauses.clause(&[!self.made[input]]),
                    _ => {}
                }
            }
        }
        for fact in self.counters[number].values.clone() {
            if let Some(moves) = turns.get(&fact) {
                self.clauses.at_most_one(moves, TRUE);
            }
        }
    }

    /// A fact before the last move.
    fn before_the_last(&mut self, fact: usize) -> Lit {
        let holds = if self.start[fact] { TRUE } else { FALSE };
        match self.kinds[fact].clone() {
            Kind::Constant | Kind::Counter(_, None) => holds,
            Kind::Counter(number, Some(step)) => {
                let numbers = &self.numbers[number];
                let reached = step.checked_sub(1).map_or(TRUE, |below| numbers[below]);
                let left = numbers[step];
                self.clauses.and(vec![reached, !left])
            }
            Kind::Timed(times) => {
                let at = times.into_iter().map(|time| self.is_time(time));
                let at: Vec<Lit> = at.collect();
                self.clauses.or(&at)
            }
            Kind::Latch { on, .. } if on == self.start[fact] => holds,
            Kind::Latch { on, change } => {
                let by: Vec<Lit> = change.by.iter().map(|&input| self.made[input]).collect();
                let maybe: Vec<Lit> = change.maybe.iter().map(|&input| self.made[input]).collect();
                let changed = self.changed(&by, &maybe);
                if on { changed } else { !changed }
            }
        }
    }

    /// That so many moves are made. The last time of the clock stays.
    fn is_time(&mut self, time: usize) -> Lit {
        let reached =
            time.checked_sub(1).map_or(TRUE, |below| self.total.get(below).copied().unwrap_or(FALSE));
        let passed = if time + 1 < self.total.len() { self.total[time] } else { FALSE };
        self.clauses.and(vec![reached, !passed])
    }

    /// That a fact has changed: some of these moves are made, or perhaps some of those.
    fn changed(&mut self, by: &[Lit], maybe: &[Lit]) -> Lit {
        let certain = self.clauses.or(by);
        if maybe.iter().all(|&made| made == FALSE) {
            return certain;
        }
        let any = self.clauses.or(&[by, maybe].concat());
        let changed = self.clauses.variable();
        self.clauses.clause(&[!certain, changed]);
        self.clauses.clause(&[!changed, any]);
        changed
    }

    /// A fact in the state of all moves but one, which changes it.
    fn without(&mut self, fact: usize, input: usize) -> Lit {
        let Kind::Latch { on, change } = self.kinds[fact].clone() else { return self.clauses.variable() };
        if on == self.start[fact] {
            return if on { TRUE } else { FALSE };
        }
        let all: Vec<usize> = change.by.iter().chain(&change.maybe).copied().collect();
        let Some(place) = all.iter().position(|&other| other == input) else {
            return self.ends[fact];
        };
        if !self.others.contains_key(&fact) {
            let made: Vec<Lit> = all.iter().map(|&input| self.made[input]).collect();
            let others = self.all_but_one(&made);
            self.others.insert(fact, others);
        }
        let changed = self.others[&fact][place];
        if on { changed } else { !changed }
    }

    /// By place: that one of these holds at another place.
    fn all_but_one(&mut self, literals: &[Lit]) -> Vec<Lit> {
        let mut behind = vec![FALSE; literals.len()];
        for at in (1..literals.len()).rev() {
            behind[at - 1] = self.clauses.or(&[behind[at], literals[at]]);
        }
        let mut before = FALSE;
        let mut others = Vec::with_capacity(literals.len());
        for (&literal, behind) in literals.iter().zip(behind) {
            others.push(self.clauses.or(&[before, behind]));
            before = self.clauses.or(&[before, literal]);
        }
        others
    }

    /// The last move and the end.
    pub(super) fn end(&mut self) -> Option<End> {
        let model = self.model;
        let mut nodes = vec![FALSE; model.gates.len()];
        nodes[1..=self.ends.len()].copy_from_slice(&self.ends);
        let possible = |literal: Literal| literal != Literal::FALSE;
        let last: Vec<Lit> = model
            .inputs
            .iter()
            .map(|input| input.legal)
            .map(possible)
            .map(|possible| if possible { self.clauses.variable() } else { FALSE })
            .collect();
        let first = 1 + model.facts.len();
        nodes[first..first + last.len()].copy_from_slice(&last);
        self.clauses.clause(&last);
        self.clauses.at_most_one(&last, TRUE);
        let legal = model.inputs.iter().map(|input| input.legal);
        let next = model.facts.iter().map(|fact| fact.next);
        let roots: Vec<Literal> = legal.chain(next).chain([model.terminal]).collect();
        self.write(&roots, &mut nodes)?;
        self.clauses.clause(&[!through(&nodes, model.terminal)]);
        for (input, &last) in model.inputs.iter().zip(&last) {
            self.clauses.clause(&[!last, through(&nodes, input.legal)]);
        }
        let mut ends = vec![FALSE; model.gates.len()];
        for (fact, place) in model.facts.iter().zip(1..) {
            ends[place] = through(&nodes, fact.next);
        }
        let role = RoleId::new(0);
        let goals = model.goals.iter().filter(|goal| goal.role == role);
        let value = |text: String| text.parse::<u8>().ok().filter(|&value| value <= 100);
        let mut goals: Vec<(u8, Literal)> =
            goals.filter_map(|goal| Some((value(model.terms.text(goal.value))?, goal.holds))).collect();
        goals.sort_unstable_by_key(|&(value, _)| std::cmp::Reverse(value));
        let roots: Vec<Literal> = goals.iter().map(|&(_, holds)| holds).chain([model.terminal]).collect();
        self.write(&roots, &mut ends)?;
        self.clauses.clause(&[through(&ends, model.terminal)]);
        goals.dedup_by_key(|&mut (value, _)| value);
        let goals = goals.into_iter().map(|(value, holds)| (value, through(&ends, holds))).collect();
        Some(End { last, goals })
    }

    /// Writes the gates that these read, in order. Recursive atoms hold if and only if they are supported.
    fn write(&mut self, roots: &[Literal], nodes: &mut [Lit]) -> Option<()> {
        let model = self.model;
        let mut needed = vec![false; nodes.len()];
        let mut stack: Vec<u32> = roots.iter().map(|root| root.node()).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut needed[node as usize], true) {
                continue;
            }
            stack.extend(model.gates.inputs(node).iter().map(|input| input.node()));
            if let Node::Loop(at) = model.gates.nodes()[node as usize] {
                stack.extend(model.gates.loops()[at as usize].becomes.iter().map(|becomes| becomes.node()));
            }
        }
        let loops = model.gates.loops();
        for &node in loops.iter().flat_map(|group| &group.nodes) {
            nodes[node as usize] = self.clauses.variable();
        }
        for (node, kind) in (0u32..).zip(model.gates.nodes()) {
            if let (true, Node::And { .. }) = (needed[node as usize], kind) {
                let inputs = model.gates.inputs(node);
                self.work += inputs.len();
                let inputs = inputs.iter().map(|&input| through(nodes, input)).collect();
                nodes[node as usize] = self.clauses.and(inputs);
            }
        }
        for group in loops {
            for (&node, &becomes) in group.nodes.iter().zip(&group.becomes) {
                if needed[node as usize] {
                    let (atom, support) = (nodes[node as usize], through(nodes, becomes));
                    self.clauses.clause(&[!atom, support]);
                    self.clauses.clause(&[atom, !support]);
                }
            }
        }
        (self.work <= MAX_WORK).then_some(())
    }

    /// Each move is legal in the state of all others.
    pub(super) fn legal(&mut self) -> Option<()> {
        for input in 0..self.made.len() {
            if self.made[input] == FALSE {
                continue;
            }
            let own: Vec<usize> = self.effects[input].changes.iter().map(|&(fact, _)| fact.index()).collect();
            let mut known: HashMap<u32, Lit> = HashMap::new();
            let legal = self.model.inputs[input].legal;
            let holds = self.of_others(legal, input, &own, &mut known)?;
            self.clauses.clause(&[!self.made[input], holds]);
        }
        Some(())
    }

    /// Whether a fact has several values on the way, whatever moves are made.
    fn is_time_bound(&self, fact: FactId) -> bool {
        match &self.kinds[fact.index()] {
            Kind::Counter(_, step) => step.is_some(),
            Kind::Timed(times) => !times.is_empty(),
            Kind::Constant | Kind::Latch { .. } => false,
        }
    }

    /// A gate in the state of all moves but one.
    fn of_others(
        &mut self,
        root: Literal,
        input: usize,
        own: &[usize],
        known: &mut HashMap<u32, Lit>,
    ) -> Option<Lit> {
        let model = self.model;
        let mut stack = vec![root.node()];
        while let Some(&node) = stack.last() {
            if known.contains_key(&node) {
                stack.pop();
                continue;
            }
            let literal = match model.gates.nodes()[node as usize] {
                Node::False | Node::Does(_) => FALSE,
                // Weaker than it is, never stronger.
                Node::Loop(_) => self.clauses.variable(),
                Node::Fact(fact) if self.is_time_bound(fact) => self.clauses.variable(),
                Node::Fact(fact) if own.binary_search(&fact.index()).is_ok() => {
                    self.without(fact.index(), input)
                }
                Node::Fact(fact) => self.ends[fact.index()],
                Node::And { .. } => {
                    let inputs = model.gates.inputs(node);
                    let before = stack.len();
                    let open = inputs.iter().map(|input| input.node());
                    stack.extend(open.filter(|input| !known.contains_key(input)));
                    if stack.len() > before {
                        continue;
                    }
                    self.work += inputs.len();
                    let inputs = inputs.iter().map(|input| {
                        let value = known.get(&input.node()).copied().unwrap_or(FALSE);
                        if input.is_inverted() { !value } else { value }
                    });
                    let inputs = inputs.collect();
                    self.clauses.and(inputs)
                }
            };
            known.insert(node, literal);
            stack.pop();
        }
        let value = known.get(&root.node()).copied()?;
        (self.work <= MAX_WORK).then_some(if root.is_inverted() { !value } else { value })
    }
}
