//! Playouts in all lanes at once: a finished lane starts again at once, goals are scored together.
//!
//! # One step
//! 1. View all lanes: legal moves, terminal.
//! 2. Choose a move for each role.
//! 3. Compute the next state.
//! 4. Lanes that were terminal hand the facts that goals look at to a side buffer (at the same lane,
//!    so that a mask is enough) and start again; the buffer is scored when a lane is needed twice.
//! 5. The others take over the next state.

use ludex_game::{MoveId, Playouts, Policy, Request, RoleId};

use super::choose::{Scratch, can_choose, choose};
use super::code::{Code, Op, Output, Program};
use super::lanes::{Lanes, Row, and, and_not, count_ones, is_zero, or, select};
use super::random::Random;
use super::transpose::Transpose;

/// Whatever computes cones: the interpreter, or machine code.
pub(crate) trait Evaluator<const W: usize> {
    fn view(&self, lanes: &mut Lanes<W>);
    fn next(&self, lanes: &mut Lanes<W>);
    fn goals(&self, lanes: &mut Lanes<W>);
}

/// The interpreter.
pub(crate) struct Interpreter<'a>(pub &'a Program);

impl<const W: usize> Evaluator<W> for Interpreter<'_> {
    #[inline(always)]
    fn view(&self, lanes: &mut Lanes<W>) {
        lanes.run(&self.0.view);
    }

    #[inline(always)]
    fn next(&self, lanes: &mut Lanes<W>) {
        lanes.run(&self.0.next);
    }

    #[inline(always)]
    fn goals(&self, lanes: &mut Lanes<W>) {
        lanes.run(&self.0.goals);
    }
}

/// What playouts need to know about the game beside its code.
pub(crate) struct Setting<'a> {
    pub program: &'a Program,
    /// By goal output: role and value, if the value is a number from 0 to 100.
    pub goal_values: &'a [(usize, Option<u8>)],
    /// By role and index: the move.
    pub move_ids: &'a [Vec<MoveId>],
    pub roles: usize,
}

/// Facts that goals look at.
pub(crate) fn goal_support(program: &Program) -> Vec<u32> {
    let facts = u32::try_from(program.facts).unwrap_or(u32::MAX);
    let Code { ops, pool, .. } = &program.goals;
    let mut support: Vec<u32> = Vec::new();
    for op in ops {
        if let Op::And { start, straight, inverted, .. } = *op {
            support.extend(&pool[start as usize..(start + straight + inverted) as usize]);
        }
    }
    let outputs = program.goal_outputs.iter().chain(program.goals.loops.iter().flatten().map(|(_, o)| o));
    support.extend(outputs.filter_map(|o| match o {
        Output::Slot { slot, .. } => Some(*slot),
        Output::Constant(_) => None,
    }));
    support.retain(|&slot| slot < facts);
    support.sort_unstable();
    support.dedup();
    support
}

/// How many playouts, how long, from where.
pub(crate) struct Job<'a, 'p> {
    /// By fact: whether it holds at the start.
    pub from: &'a [bool],
    pub count: u64,
    pub max_steps: u32,
    pub seed: u64,
    pub policy: Option<&'p mut dyn Policy>,
}

impl<'a, 'p> Job<'a, 'p> {
    /// The job that a request asks for; the facts of its state are given beside it.
    pub(crate) fn new(from: &'a [bool], request: &'p mut Request<'_>) -> Self {
        let policy = request.policy.as_mut().map(|policy| &mut **policy as &mut dyn Policy);
        Self { from, count: request.count, max_steps: request.max_steps, seed: request.seed, policy }
    }
}

/// Runs exactly as many playouts as asked for, each to its end.
#[inline(always)]
pub(crate) fn play<const W: usize, T: Transpose<W>>(
    setting: &Setting<'_>,
    evaluator: &impl Evaluator<W>,
    job: &mut Job<'_, '_>,
) -> Playouts {
    let program = setting.program;
    let mut run = Run::<W>::new(setting, job);
    while !is_zero(run.active) {
        evaluator.view(&mut run.lanes);
        let terminal = and(run.lanes.get(program.terminal), run.active);
        let none = run.make_moves::<T>(setting, job);
        let stuck = and_not(and(none, run.active), terminal);
        evaluator.next(&mut run.lanes);
        let over = or(terminal, stuck);
        let cut = run.too_long(over, job.max_steps);
        let reset = or(over, cut);
        run.result.steps += u64::from(count_ones(and_not(run.active, reset)));
        if !is_zero(terminal) {
            if !is_zero(and(run.filled, terminal)) {
                run.score(setting, evaluator);
            }
            for &fact in &run.support {
                let fact = fact as usize;
                run.side.rows[fact] = select(terminal, run.lanes.rows[fact], run.side.rows[fact]);
            }
            run.filled = or(run.filled, terminal);
            run.result.finished += u64::from(count_ones(terminal));
        }
        run.commit(program, reset, job.from);
        run.step += 1;
        if !is_zero(reset) {
            run.result.stuck += u64::from(count_ones(stuck));
            run.result.cut_off += u64::from(count_ones(cut));
            run.restart(reset, job.count);
        }
    }
    run.score(setting, evaluator);
    run.result
}

struct Run<const W: usize> {
    lanes: Lanes<W>,
    /// Terminal states whose goals have not been scored.
    side: Lanes<W>,
    filled: Row<W>,
    support: Vec<u32>,
    /// Outputs that are facts themselves, and so must be read before facts are written.
    hazards: Vec<(usize, Output)>,
    saved: Vec<Row<W>>,
    scratch: Scratch<W>,
    /// Roles have few enough moves for numbers of sixteen bits.
    bit_sliced: bool,
    random: Random,
    step: u64,
    /// Lanes with a playout that counts. When all have been started, lanes that end stay idle: taking
    /// the first to end instead would favour short games.
    active: Row<W>,
    /// Playouts that have been started.
    launched: u64,
    /// By lane: the step in which its playout started.
    started: Vec<u64>,
    next_check: u64,
    result: Playouts,
}

impl<const W: usize> Run<W> {
    fn new(setting: &Setting<'_>, job: &Job<'_, '_>) -> Self {
        let program = setting.program;
        let mut lanes = Lanes::new(program.slots);
        for (fact, &holds) in job.from.iter().enumerate() {
            lanes.rows[fact] = if holds { [u64::MAX; W] } else { [0; W] };
        }
        let is_fact = |o: &Output| matches!(o, Output::Slot { slot, .. } if (*slot as usize) < program.facts);
        let hazards = program.next_facts.iter().copied().enumerate().filter(|(_, o)| is_fact(o)).collect();
        Self {
            lanes,
            side: Lanes::new(program.slots),
            filled: [0; W],
            support: goal_support(program),
            hazards,
            saved: Vec::new(),
            scratch: Scratch::new(setting.roles),
            bit_sliced: can_choose(program),
            random: Random::new(job.seed),
            step: 0,
            active: first_lanes(job.count),
            launched: job.count.min(Lanes::<W>::COUNT as u64),
            started: vec![0; Lanes::<W>::COUNT],
            next_check: u64::from(job.max_steps),
            result: Playouts::empty(setting.roles),
        }
    }

    /// Chooses the moves of all roles in every lane; gives the lanes where some role has none.
    #[inline(always)]
    fn make_moves<T: Transpose<W>>(&mut self, setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Row<W> {
        if job.policy.is_none() && self.bit_sliced {
            return choose::<W, T>(&mut self.lanes, setting.program, &mut self.scratch, &mut self.random);
        }
        let by_role = (0..setting.roles).map(|role| self.move_by_lane(setting, role, &mut job.policy));
        by_role.fold([0; W], or)
    }

    /// The same, lane by lane: for policies, and for roles with very many moves.
    fn move_by_lane(
        &mut self,
        setting: &Setting<'_>,
        role: usize,
        policy: &mut Option<&mut dyn Policy>,
    ) -> Row<W> {
        let legal = &setting.program.legal[role];
        let first = setting.program.moves[role].0 as usize;
        let ids = &setting.move_ids[role];
        let mut none = [0; W];
        let rows: Vec<Row<W>> = legal.iter().map(|&output| self.lanes.get(output)).collect();
        for row in &mut self.lanes.rows[first..first + legal.len()] {
            *row = [0; W];
        }
        let mut random = fastrand::Rng::with_seed(self.random.next()[0]);
        let mut indexes: Vec<usize> = Vec::new();
        let mut moves: Vec<MoveId> = Vec::new();
        for lane in 0..Lanes::<W>::COUNT {
            let (word, bit) = (lane / 64, 1u64 << (lane % 64));
            indexes.clear();
            indexes.extend((0..rows.len()).filter(|&at| rows[at][word] & bit != 0));
            if indexes.is_empty() {
                none[word] |= bit;
                continue;
            }
            let chosen = match policy {
                None => random.usize(..indexes.len()),
                Some(policy) => {
                    indexes.sort_by_key(|&at| ids[at]);
                    moves.clear();
                    moves.extend(indexes.iter().map(|&at| ids[at]));
                    policy.choose(RoleId::new(role), &moves, &mut random).min(indexes.len() - 1)
                }
            };
            self.lanes.rows[first + indexes[chosen]][word] |= bit;
        }
        none
    }

    /// Lanes whose playouts have taken all the steps they may.
    fn too_long(&mut self, over: Row<W>, max_steps: u32) -> Row<W> {
        let mut cut = [0; W];
        if self.step < self.next_check {
            return cut;
        }
        let mut oldest = u64::MAX;
        for lane in 0..Lanes::<W>::COUNT {
            let (word, bit) = (lane / 64, 1u64 << (lane % 64));
            if over[word] & bit != 0 || self.active[word] & bit == 0 {
                continue;
            }
            if self.step - self.started[lane] >= u64::from(max_steps) {
                cut[word] |= bit;
            } else {
                oldest = oldest.min(self.started[lane]);
            }
        }
        self.next_check = oldest.min(self.step + 1).saturating_add(u64::from(max_steps));
        cut
    }

    /// Lanes that ended start again in the step that comes, as long as there are playouts to start.
    fn restart(&mut self, reset: Row<W>, count: u64) {
        for (word, &bits) in reset.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.launched < count {
                    self.launched += 1;
                    self.started[64 * word + lane] = self.step;
                } else {
                    self.active[word] &= !(1 << lane);
                }
            }
        }
    }

    /// Takes over the next state; lanes to be reset get the first one.
    #[inline(always)]
    fn commit(&mut self, program: &Program, reset: Row<W>, from: &[bool]) {
        self.saved.clear();
        for &(_, output) in &self.hazards {
            let value = self.lanes.get(output);
            self.saved.push(value);
        }
        let write = |rows: &mut Vec<Row<W>>, fact: usize, value: Row<W>| {
            rows[fact] = if from[fact] { or(value, reset) } else { and_not(value, reset) };
        };
        let mut hazard = self.hazards.iter().map(|&(fact, _)| fact).peekable();
        for (fact, &output) in program.next_facts.iter().enumerate() {
            if hazard.next_if_eq(&fact).is_some() {
                continue;
            }
            let value = self.lanes.get(output);
            write(&mut self.lanes.rows, fact, value);
        }
        for (&(fact, _), &value) in self.hazards.iter().zip(&self.saved) {
            write(&mut self.lanes.rows, fact, value);
        }
    }

    /// Scores the terminal states of the side buffer.
    #[inline(always)]
    fn score(&mut self, setting: &Setting<'_>, evaluator: &impl Evaluator<W>) {
        if is_zero(self.filled) {
            return;
        }
        evaluator.goals(&mut self.side);
        for role in 0..setting.roles {
            // Lanes with one value, and with more.
            let (mut once, mut more) = ([0; W], [0; W]);
            for (&(of, value), &output) in setting.goal_values.iter().zip(&setting.program.goal_outputs) {
                if of == role {
                    let row = self.side.get(output);
                    more = or(more, select(once, row, [0; W]));
                    once = or(once, row);
                    if value.is_none() {
                        more = or(more, row); // not a number: as bad as two
                    }
                }
            }
            let good = select(self.filled, and_not(once, more), [0; W]);
            let faulty = count_ones(and_not(self.filled, good));
            self.result.faulty_goals[role] += u64::from(faulty);
            for (&(of, value), &output) in setting.goal_values.iter().zip(&setting.program.goal_outputs) {
                if let (true, Some(value)) = (of == role, value) {
                    let lanes = count_ones(select(good, self.side.get(output), [0; W]));
                    self.result.goal_sums[role] += u64::from(value) * u64::from(lanes);
                }
            }
        }
        self.filled = [0; W];
    }
}

/// As many lanes as there are playouts, if there are so few.
fn first_lanes<const W: usize>(count: u64) -> Row<W> {
    std::array::from_fn(|word| match count.saturating_sub(64 * word as u64) {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    })
}
