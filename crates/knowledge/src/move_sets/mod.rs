//! Games whose moves can be made in any order, as a question to a SAT solver: which set of moves?
//!
//! # Which games
//! Those where every fact that matters only ever turns on, or only ever turns off, or counts moves:
//! cells are filled, pieces are put, variables are chosen. Then a state follows from the set of moves that
//! were made, and a game of any length is one step (∀-step plans of a single step; J. Rintanen,
//! K. Heljanko, I. Niemelä, Planning as satisfiability, 2006, section 3.2). This is read off the effects of
//! moves ([`crate::move_effects`]).
//!
//! | variable | meaning |
//! |---|---|
//! | madeₘ | move m is made before the last one |
//! | F(f) | fact f holds before the last move: one of the moves that turn it on is made, or none that turn it off |
//! | nⱼ | at least j moves are made, or j that a counter counts |
//! | lastₘ | the last move is m: a step of the whole circuit from F |
//!
//! F is not terminal, the state behind the last move is, with the goal that is asked for. A move must be
//! legal in the state of all others: madeₘ → legalₘ(F without m), where what counters and clocks show is
//! free. So each order is legal where others can only forbid a move.
//!
//! # What an answer is worth
//! A set is a proposal: an order must be found, and the rules must confirm it. That there is no set proves
//! nothing, since a game can need an order.

mod changes;
mod clock;
mod writer;

use ludex_game::model::GroundModel;
use ludex_game::{MoveId, RoleId};
use rustsat::types::Lit;

use crate::clauses::{Clauses, FALSE, MustStop};
use crate::effects::move_effects;
use crate::relevance::relevant_facts;
use changes::{counters, kinds};
use clock::Clock;
use writer::{End, Writer};

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetAnswer {
    /// Moves that may make a plan in some order; the last one comes last.
    Moves(Vec<MoveId>),
    /// There is no such set.
    None,
    /// Not decided within the effort.
    Open,
}

/// The sets of moves of a game.
pub struct MoveSets {
    clauses: Clauses,
    /// By input: made before the last move, and as the last one.
    made: Vec<Lit>,
    last: Vec<Lit>,
    /// By goal value, the highest first: that the end is worth as much.
    goals: Vec<(u8, Lit)>,
    /// A move that does nothing but count.
    filler: Option<MoveId>,
}

impl MoveSets {
    /// For plans from the state in which these facts hold. None if order matters, or it is too much work.
    pub fn new(model: &GroundModel, holds: impl Fn(usize) -> bool) -> Option<Self> {
        let start: Vec<bool> = (0..model.facts.len()).map(holds).collect();
        let mut relevant = relevant_facts(model);
        let clock = Clock::new(model, &relevant, &start);
        relevant.iter_mut().zip(&clock.inside).for_each(|(relevant, &inside)| *relevant &= !inside);
        let effects = move_effects(model, &relevant)?;
        let counters = counters(model, &effects, &start)?;
        let mut kinds = kinds(model, &effects, &counters)?;
        clock.times(&mut kinds);
        let mut writer = Writer::new(model, start, effects, kinds, counters);
        let filler = writer.moves(clock.states.len())?;
        let End { last, goals } = writer.end()?;
        writer.legal()?;
        let filler = filler.map(|input| model.inputs[input].choice);
        let (clauses, made) = writer.into_parts();
        Some(Self { clauses, made, last, goals, filler })
    }

    /// The goals that a set can be asked for, the highest first.
    pub fn goals(&self) -> Vec<u8> {
        self.goals.iter().map(|&(value, _)| value).collect()
    }

    /// A move that does nothing but count, if there is one: it may be made any number of times.
    pub fn filler(&self) -> Option<MoveId> {
        self.filler
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        self.clauses.bytes()
    }

    /// Decisions of the solver so far.
    pub fn decisions(&self) -> u64 {
        self.clauses.decisions()
    }

    /// Asks for a set that is worth a goal. Uses at most so many decisions.
    pub fn ask(
        &mut self,
        model: &GroundModel,
        goal: u8,
        decisions: u64,
        must_stop: Option<MustStop>,
    ) -> SetAnswer {
        let Some(&(_, wanted)) = self.goals.iter().find(|&&(value, _)| value == goal) else {
            return SetAnswer::None;
        };
        match self.clauses.solve(&[wanted], decisions, must_stop) {
            Some(true) => {
                let all = self.made.iter().chain(&self.last).zip(model.inputs.iter().cycle());
                let made = all.filter(|&(&made, _)| made != FALSE && self.clauses.holds(made));
                SetAnswer::Moves(made.map(|(_, input)| input.choice).collect())
            }
            Some(false) => SetAnswer::None,
            None => SetAnswer::Open,
        }
    }

    /// Excludes a set for which no order was found, and all that include it.
    pub fn exclude(&mut self, model: &GroundModel, moves: &[MoveId]) {
        let role = RoleId::new(0);
        let Some((last, others)) = moves.split_last() else { return };
        let number = |id: &MoveId| model.input(role, *id);
        let others = others.iter().filter_map(|id| Some(!self.made[number(id)?]));
        let literals: Vec<Lit> = others.chain(number(last).map(|at| !self.last[at])).collect();
        self.clauses.clause(&literals);
    }
}
