//! The order of a ranking, as slots of lanes.

use ludex_game::Ranking;

use super::super::machine::Machine;

/// What stands for a move that can never be legal, or that has its place already.
const NONE: u32 = u32::MAX;

/// In which order moves are tried.
pub(super) struct Order {
    /// Of the ranking; none if it is not known any more.
    version: Option<u64>,
    /// By role: slots of legal moves and of moves made, the best first; only moves that can be legal.
    pub(super) slots: Vec<Vec<(u32, u32)>>,
    /// By role: the slots of a move that is the only legal one wherever it is legal; it is tried before those in order.
    pub(super) alone: Vec<Option<(u32, u32)>>,
    /// Facts that are the slot of a legal move themselves.
    pub(super) legal_facts: Vec<u32>,
    /// By role and index of a move: its legal slot.
    legal: Vec<Vec<u32>>,
    /// The same of one role, without those that have their place.
    left: Vec<u32>,
}

impl Order {
    /// Any order.
    pub(super) fn new(machine: &Machine) -> Self {
        let program = &machine.program;
        let (mut all, mut alone) = (Vec::new(), Vec::new());
        let choices = program.choice.iter().flat_map(|choice| &choice.roles);
        for ((choice, &(first, count)), index) in choices.zip(&program.moves).zip(&machine.forced_moves.moves)
        {
            let mut legal = vec![NONE; count as usize];
            for (&slot, &does) in choice.legal.iter().zip(&choice.does) {
                legal[(does - first) as usize] = slot;
            }
            alone.push(index.map(|index| (legal[index as usize], first + index)));
            all.push(legal);
        }
        let is_fact = |&slot: &u32| (slot as usize) < program.facts;
        let legal_facts = all.iter().flatten().copied().filter(is_fact).collect();
        for (legal, index) in all.iter_mut().zip(&machine.forced_moves.moves) {
            index.iter().for_each(|&index| legal[index as usize] = NONE);
        }
        let slots = vec![Vec::new(); all.len()];
        Self { version: None, slots, alone, legal_facts, legal: all, left: Vec::new() }
    }

    /// Takes over the order of a ranking, if it has changed. Moves that the ranking does not know come last.
    pub(super) fn follow(&mut self, machine: &Machine, ranking: &Ranking) {
        if self.version == Some(ranking.version) {
            return;
        }
        self.version = Some(ranking.version);
        for (role, (slots, legal)) in self.slots.iter_mut().zip(&self.legal).enumerate() {
            let (first, count) = machine.program.moves[role];
            self.left.clone_from(legal);
            slots.clear();
            let ranked = ranking.order.get(role).map_or(&[][..], Vec::as_slice).iter();
            let ranked = ranked.filter_map(|&id| machine.index_of(role, id));
            for index in ranked.chain(0..count) {
                let slot = std::mem::replace(&mut self.left[index as usize], NONE);
                if slot != NONE {
                    slots.push((slot, first + index));
                }
            }
        }
    }

    /// What comes next may be another ranking.
    pub(super) fn forget(&mut self) {
        self.version = None;
    }
}
