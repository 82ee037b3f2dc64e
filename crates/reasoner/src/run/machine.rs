//! A circuit ready to run: its code, its names, and states of it in lanes.

use std::sync::{Arc, OnceLock};

use ludex_game::model::{GroundModel, LiftedRules, Model, Statics};
use ludex_game::{FactId, Failure, Goal, MoveId, State, View};
use ludex_gdl::Names;
use rustc_hash::FxHashMap;

use super::code::{Output, Program};
use super::goal_support::goal_support;
use super::lanes::Lanes;
use crate::circuit::{Circuit, ExactNext, ForcedMoves};
use crate::model::{Kept, Named, SheetModel};
use crate::term::TermId;

/// Everything about a game that does not change while it runs.
pub(crate) struct Machine {
    /// Moves that are the only legal ones wherever they are legal, by index.
    pub forced_moves: ForcedMoves,
    sheet: SheetModel,
    /// The circuit: its terms, and what a model is made of once somebody asks.
    kept: Kept,
    ground: OnceLock<Option<GroundModel>>,
    pub program: Program,
    pub roles: Vec<String>,
    fact_terms: Vec<TermId>,
    fact_numbers: FxHashMap<TermId, u32>,
    initial: Vec<bool>,
    move_terms: Vec<TermId>,
    move_numbers: FxHashMap<TermId, MoveId>,
    /// By role and index.
    move_ids: Vec<Vec<MoveId>>,
    /// By role and id: index of a move.
    move_indexes: Vec<Indexes>,
    /// By role and index: the place of the move in the order of ids.
    ranks: Vec<Vec<u32>>,
    /// By role and place in the order of ids: index of the move, and the move.
    by_rank: Vec<Vec<u32>>,
    moves_in_order: Vec<Vec<MoveId>>,
    goal_values: Vec<(usize, Option<u8>)>,
    goal_texts: Vec<String>,
    exact_next: ExactNext,
    /// Facts that goals look at, once somebody has asked.
    goal_support: OnceLock<Vec<u32>>,
}

/// The indexes of a role's moves, by id.
struct Indexes(Vec<u32>);

impl Indexes {
    /// What stands for a move that the role does not have.
    const NONE: u32 = u32::MAX;

    /// The ids, by index.
    fn new(ids: &[MoveId]) -> Self {
        let count = ids.iter().map(|id| id.index() + 1).max().unwrap_or(0);
        let mut indexes = vec![Self::NONE; count];
        (0..).zip(ids).for_each(|(index, id)| indexes[id.index()] = index);
        Self(indexes)
    }

    #[inline(always)]
    fn get(&self, id: MoveId) -> Option<u32> {
        self.0.get(id.index()).copied().filter(|&index| index != Self::NONE)
    }
}

impl Machine {
    pub(crate) fn new(circuit: Circuit) -> Self {
        Self::also(circuit, |_, _| ()).0
    }

    /// The same, with something else that is made of the circuit and of the places of moves in the order
    /// of ids.
    pub(crate) fn also<T>(mut circuit: Circuit, make: impl FnOnce(&Circuit, &[Vec<u32>]) -> T) -> (Self, T) {
        let program = Program::new(&circuit);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut move_terms: Vec<TermId> = Vec::new();
        let mut move_numbers: FxHashMap<TermId, MoveId> = FxHashMap::default();
        let mut move_ids = Vec::new();
        for role in &circuit.moves {
            let ids = role.iter().map(|m| {
                *move_numbers.entry(m.term).or_insert_with(|| {
                    move_terms.push(m.term);
                    MoveId::new(move_terms.len() - 1)
                })
            });
            move_ids.push(ids.collect::<Vec<_>>());
        }
        let mut ranks: Vec<Vec<u32>> = Vec::new();
        let mut by_rank: Vec<Vec<u32>> = Vec::new();
        for ids in &move_ids {
            let mut order: Vec<u32> = (0..number(ids.len())).collect();
            order.sort_by_key(|&index| ids[index as usize]);
            let mut of_role = vec![0; ids.len()];
            order.iter().zip(0..).for_each(|(&index, rank)| of_role[index as usize] = rank);
            ranks.push(of_role);
            by_rank.push(order);
        }
        let made = make(&circuit, &ranks);
        let forced_moves = circuit.forced_moves();
        let sheet = Arc::clone(&circuit.sheet);
        let exact_next = std::mem::take(&mut circuit.exact_next);
        let Circuit { terms, role_names, facts, goals, .. } = &circuit;
        let roles = role_names.iter().map(|&role| terms.text(&sheet.names, role)).collect();
        let fact_terms: Vec<TermId> = facts.iter().map(|f| f.term).collect();
        let fact_numbers = fact_terms.iter().enumerate().map(|(at, &term)| (term, number(at))).collect();
        let move_indexes = move_ids.iter().map(|ids| Indexes::new(ids)).collect();
        let in_order = |(ids, by_rank): (&Vec<MoveId>, &Vec<u32>)| {
            by_rank.iter().map(|&index| ids[index as usize]).collect()
        };
        let moves_in_order = move_ids.iter().zip(&by_rank).map(in_order).collect();
        let goal_texts: Vec<String> = goals.iter().map(|g| terms.text(&sheet.names, g.value)).collect();
        let value = |text: &String| text.parse::<u8>().ok().filter(|&v| v <= 100);
        let goal_values = goals.iter().zip(&goal_texts).map(|(g, text)| (g.role, value(text))).collect();
        let machine = Self {
            program,
            roles,
            fact_terms,
            fact_numbers,
            initial: facts.iter().map(|f| f.initial).collect(),
            move_terms,
            move_numbers,
            move_ids,
            move_indexes,
            ranks,
            by_rank,
            moves_in_order,
            goal_values,
            goal_texts,
            exact_next,
            goal_support: OnceLock::new(),
            forced_moves,
            sheet: SheetModel::new(sheet),
            kept: Kept::new(circuit),
            ground: OnceLock::new(),
        };
        (machine, made)
    }

    /// By index of a role's move: its place in the order of ids.
    pub(crate) fn ranks(&self, role: usize) -> &[u32] {
        &self.ranks[role]
    }

    /// The index of the move at a place in the order of ids.
    pub(crate) fn index_at(&self, role: usize, rank: usize) -> u32 {
        self.by_rank[role][rank]
    }

    /// The move at a place in the order of ids.
    pub(crate) fn move_at(&self, role: usize, rank: usize) -> MoveId {
        self.moves_in_order[role][rank]
    }

    /// The moves of a role in the order of ids.
    pub(crate) fn moves_in_order(&self, role: usize) -> &[MoveId] {
        &self.moves_in_order[role]
    }

    /// The outputs that say which moves of a role are legal, in the order of ids.
    pub(crate) fn legal_in_order(&self, role: usize) -> impl ExactSizeIterator<Item = Output> {
        let legal = &self.program.legal[role];
        self.by_rank[role].iter().map(|&index| legal[index as usize])
    }

    /// The move of a role with an index.
    pub(crate) fn id_of(&self, role: usize, index: u32) -> MoveId {
        self.move_ids[role][index as usize]
    }

    /// Facts that goals look at.
    pub(crate) fn goal_support(&self) -> &[u32] {
        self.goal_support.get_or_init(|| goal_support(&self.program))
    }

    /// Whether goals are so simple that to compute them takes less than to put aside what they look at.
    pub(crate) fn has_simple_goals(&self) -> bool {
        let goals = &self.program.goals;
        goals.ops.len() + goals.pool.len() <= 2 * self.goal_support().len()
    }

    /// By goal output: role and value, if the value is a number from 0 to 100.
    pub(crate) fn goal_values(&self) -> &[(usize, Option<u8>)] {
        &self.goal_values
    }

    /// The index of a move among those of a role.
    pub(crate) fn index_of(&self, role: usize, id: MoveId) -> Option<u32> {
        self.move_indexes[role].get(id)
    }

    /// One move for each role?
    pub(crate) fn check_joint(&self, joint: &[MoveId]) -> Result<(), Failure> {
        if joint.len() != self.roles.len() {
            let (roles, moves) = (self.roles.len(), joint.len());
            return Err(Failure::Misuse(format!("{moves} moves for {roles} roles")));
        }
        Ok(())
    }

    /// Whether the code may be asked for what comes after a state: derived next values take for granted what
    /// holds in every state that can be reached.
    pub(crate) fn expects(&self, state: &[u64]) -> bool {
        self.exact_next.expects(|fact| holds_in(state, fact as usize))
    }

    /// Whether playouts may begin there in lanes: the code, and whoever chooses, takes for granted what holds in every state that can be
    /// reached.
    pub(crate) fn expects_playouts(&self, state: &[u64]) -> bool {
        self.expects(state) && self.forced_moves.expects(|fact| holds_in(state, fact as usize))
    }

    /// The state that the rules put in place of what the code says comes after a state that it did not expect.
    pub(crate) fn corrected(&self, state: &State, joint: &[MoveId], next: &State) -> State {
        // Nodes are numbered as slots are, behind that of the constant.
        let made: Vec<u32> = (self.program.moves.iter().zip(&self.move_indexes).zip(joint))
            .filter_map(|((&(first, _), indexes), id)| indexes.get(*id).map(|index| 1 + first + index))
            .collect();
        let facts = self.fact_terms.len();
        let is_true = |node: u32| match node as usize {
            0 => false,
            node if node <= facts => holds(state, node - 1),
            _ => made.contains(&node),
        };
        let mut bits = self.bits(next);
        for (fact, value) in self.exact_next.next(is_true) {
            bits[fact as usize] = value;
        }
        self.state(|fact| bits[fact])
    }

    pub(crate) fn initial(&self) -> State {
        self.state(|fact| self.initial[fact])
    }

    /// The state with the facts for which `holds` says so.
    pub(crate) fn state(&self, holds: impl Fn(usize) -> bool) -> State {
        let mut words = vec![0u64; self.fact_terms.len().div_ceil(64)];
        for fact in (0..self.fact_terms.len()).filter(|&fact| holds(fact)) {
            words[fact / 64] |= 1 << (fact % 64);
        }
        State::from_words(words)
    }

    /// By fact: whether it holds in a state.
    pub(crate) fn bits(&self, state: &State) -> Vec<bool> {
        (0..self.fact_terms.len()).map(|fact| holds(state, fact)).collect()
    }

    pub(crate) fn view<const W: usize>(&self, lanes: &Lanes<W>, lane: usize) -> View {
        if read(lanes, self.program.terminal, lane) {
            return View { terminal: true, legal: vec![Vec::new(); self.roles.len()] };
        }
        let legal = self.program.legal.iter().zip(&self.move_ids).map(|(outputs, ids)| {
            let pairs = outputs.iter().zip(ids);
            let mut legal: Vec<MoveId> =
                pairs.filter(|(o, _)| read(lanes, **o, lane)).map(|(_, &id)| id).collect();
            legal.sort_unstable();
            legal
        });
        View { terminal: false, legal: legal.collect() }
    }

    /// Writes a state into all lanes.
    pub(crate) fn load_all<const W: usize>(&self, lanes: &mut Lanes<W>, state: &State) {
        let facts = lanes.state..lanes.state + self.fact_terms.len();
        for (fact, row) in lanes.rows[facts].iter_mut().enumerate() {
            *row = if holds(state, fact) { [u64::MAX; W] } else { [0; W] };
        }
    }

    /// Writes a joint move into a lane.
    pub(crate) fn make<const W: usize>(&self, lanes: &mut Lanes<W>, lane: usize, joint: &[MoveId]) {
        for (role, &(first, count)) in self.program.moves.iter().enumerate() {
            for slot in first..first + count {
                lanes.set(slot as usize, lane, false);
            }
            let index = joint.get(role).and_then(|&id| self.move_indexes[role].get(id));
            if let Some(index) = index {
                lanes.set((first + index) as usize, lane, true);
            }
        }
    }

    /// Writes a joint move into a lane in which nothing has been moved.
    #[inline(always)]
    pub(crate) fn add_moves<const W: usize>(&self, lanes: &mut Lanes<W>, lane: usize, joint: &[MoveId]) {
        for ((indexes, &(first, _)), &id) in self.move_indexes.iter().zip(&self.program.moves).zip(joint) {
            if let Some(index) = indexes.get(id) {
                lanes.rows[(first + index) as usize][lane / 64] |= 1 << (lane % 64);
            }
        }
    }

    /// The state of a lane.
    pub(crate) fn state_of<const W: usize>(&self, lanes: &Lanes<W>, lane: usize) -> State {
        self.state(|fact| lanes.rows[lanes.state + fact][lane / 64] >> (lane % 64) & 1 == 1)
    }

    /// Goals of a lane, once the goal cone has run.
    pub(crate) fn goals<const W: usize>(&self, lanes: &Lanes<W>, lane: usize) -> Vec<Goal> {
        let mut values: Vec<Vec<usize>> = vec![Vec::new(); self.roles.len()];
        for (at, &(role, _)) in self.goal_values.iter().enumerate() {
            if read(lanes, self.program.goal_outputs[at], lane) {
                values[role].push(at);
            }
        }
        let goal = |found: Vec<usize>| match found.as_slice() {
            [] => Goal::Undefined,
            [one] if self.goal_values[*one].1.is_some() => Goal::Value(self.goal_values[*one].1.unwrap_or(0)),
            several => {
                let mut texts: Vec<String> = several.iter().map(|&at| self.goal_texts[at].clone()).collect();
                texts.sort();
                Goal::Faulty(texts)
            }
        };
        values.into_iter().map(goal).collect()
    }

    fn names(&self) -> &Names {
        &self.sheet.rules.names
    }

    pub(crate) fn move_name(&self, id: MoveId) -> String {
        self.move_terms
            .get(id.index())
            .map_or(String::new(), |&term| self.kept.terms().text(self.names(), term))
    }

    pub(crate) fn find_move(&self, text: &str) -> Option<MoveId> {
        self.move_numbers.get(&self.kept.terms().read(self.names(), text)?).copied()
    }

    pub(crate) fn fact_name(&self, id: FactId) -> String {
        self.fact_terms
            .get(id.index())
            .map_or(String::new(), |&term| self.kept.terms().text(self.names(), term))
    }

    pub(crate) fn find_fact(&self, text: &str) -> Option<FactId> {
        self.fact_numbers.get(&self.kept.terms().read(self.names(), text)?).map(|&n| FactId(n))
    }

    pub(crate) fn fact_count(&self) -> usize {
        self.fact_terms.len()
    }
}

impl Model for Machine {
    fn rules(&self) -> &LiftedRules {
        self.sheet.rules()
    }

    fn statics(&self) -> Option<&Statics> {
        self.sheet.statics()
    }

    fn ground(&self) -> Option<&GroundModel> {
        let named = Named {
            moves: &self.move_terms,
            move_ids: &self.move_ids,
            ranks: &self.ranks,
            exact_next: &self.exact_next,
        };
        self.ground.get_or_init(|| self.sheet.ground(&self.kept, &named)).as_ref()
    }
}

fn holds(state: &State, fact: usize) -> bool {
    holds_in(state.words(), fact)
}

fn holds_in(words: &[u64], fact: usize) -> bool {
    words.get(fact / 64).is_some_and(|word| word >> (fact % 64) & 1 == 1)
}

fn read<const W: usize>(lanes: &Lanes<W>, output: Output, lane: usize) -> bool {
    lanes.get(output)[lane / 64] >> (lane % 64) & 1 == 1
}
