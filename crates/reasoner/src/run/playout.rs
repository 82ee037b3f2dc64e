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

use super::ages::Ages;
use super::code::{Code, Op, Output, Program};
use super::dispatch::Task;
use super::evaluate::Evaluator;
use super::lanes::{Lanes, Row, and, and_not, count_ones, is_zero, not, or, select};
use super::random::Random;
use super::vector::Vector;

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

/// Exactly as many playouts as asked for, each to its end.
pub(crate) struct PlayoutTask<'a, 'b, 'j, 'p> {
    pub setting: &'a Setting<'b>,
    pub job: &'a mut Job<'j, 'p>,
}

impl Task for PlayoutTask<'_, '_, '_, '_> {
    type Output = Playouts;

    #[inline(always)]
    fn run<const W: usize, V: Vector<W>>(self, evaluator: &mut impl Evaluator<W>) -> Playouts {
        play::<W, V>(self.setting, evaluator, self.job)
    }
}

#[inline(always)]
fn play<const W: usize, V: Vector<W>>(
    setting: &Setting<'_>,
    evaluator: &mut impl Evaluator<W>,
    job: &mut Job<'_, '_>,
) -> Playouts {
    let program = setting.program;
    let mut run = Run::<W>::new(setting, job);
    let choice = if job.policy.is_none() { program.choice.as_ref() } else { None };
    while !is_zero(run.active) {
        let none = match choice {
            Some(choice) => {
                evaluator.view_and_count(&mut run.lanes);
                V::draw(&mut run.lanes.rows, choice, &mut run.random)
            }
            None => {
                evaluator.view(&mut run.lanes);
                run.move_all_by_lane(setting, job)
            }
        };
        let terminal = and(run.lanes.get(program.terminal), run.active);
        let stuck = and_not(and(none, run.active), terminal);
        let over = or(terminal, stuck);
        let cut = run.ages.too_old(run.step, and_not(run.active, over));
        let reset = or(over, cut);
        if !is_zero(terminal) {
            if !is_zero(and(run.filled, terminal)) {
                run.score(setting, evaluator);
            }
            run.put_aside::<V>(terminal);
        }
        run.lanes.rows[program.reset as usize] = or(reset, not(run.active));
        match choice {
            Some(_) => evaluator.find_and_next(&mut run.lanes),
            None => evaluator.next(&mut run.lanes),
        }
        run.step += 1;
        run.result.steps += u64::from(count_ones(and_not(run.active, reset)));
        if !is_zero(reset) {
            run.result.finished += u64::from(count_ones(terminal));
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
    random: Random<W>,
    step: u64,
    /// Lanes with a playout that counts. When all have been started, lanes that end stay idle: taking
    /// the first to end instead would favour short games.
    active: Row<W>,
    /// Playouts that have been started.
    launched: u64,
    ages: Ages<W>,
    result: Playouts,
}

impl<const W: usize> Run<W> {
    fn new(setting: &Setting<'_>, job: &Job<'_, '_>) -> Self {
        let program = setting.program;
        let mut lanes = Lanes::new(program);
        for (fact, &holds) in job.from.iter().enumerate() {
            lanes.start[fact] = if holds { [u64::MAX; W] } else { [0; W] };
            lanes.rows[fact] = lanes.start[fact];
        }
        Self {
            lanes,
            side: Lanes::new(program),
            filled: [0; W],
            support: goal_support(program),
            random: Random::new(job.seed),
            step: 0,
            active: first_lanes(job.count),
            launched: job.count.min(Lanes::<W>::COUNT as u64),
            ages: Ages::new(job.max_steps),
            result: Playouts::empty(setting.roles),
        }
    }

    /// Lets a policy (or chance, for roles with very many moves) choose, lane by lane.
    fn move_all_by_lane(&mut self, setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Row<W> {
        let by_role = (0..setting.roles).map(|role| self.move_by_lane(setting, role, &mut job.policy));
        by_role.fold([0; W], or)
    }

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
        let mut random = fastrand::Rng::with_seed(self.random.word());
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

    /// Takes what goals look at in terminal lanes to the side.
    #[inline(always)]
    fn put_aside<V: Vector<W>>(&mut self, terminal: Row<W>) {
        let ended = V::load(&terminal);
        let first = self.lanes.state;
        let (from, to) = (&self.lanes.rows[first..], &mut self.side.rows[..]);
        for &fact in &self.support {
            let (new, old) = (V::load(&from[fact as usize]), V::load(&to[fact as usize]));
            to[fact as usize] = new.and(ended).or(old.and_not(ended)).store();
        }
        self.filled = or(self.filled, terminal);
    }

    /// Lanes that ended start again in the step that comes, as long as there are playouts to start.
    #[inline(always)]
    fn restart(&mut self, reset: Row<W>, count: u64) {
        self.ages.restart(self.step, reset);
        let ended = u64::from(count_ones(reset));
        match self.launched + ended <= count {
            true => self.launched += ended,
            false => self.restart_some(reset, count),
        }
    }

    #[cold]
    fn restart_some(&mut self, reset: Row<W>, count: u64) {
        for (word, &bits) in reset.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let lane = bits.trailing_zeros();
                bits &= bits - 1;
                if self.launched < count {
                    self.launched += 1;
                } else {
                    self.active[word] &= !(1 << lane);
                }
            }
        }
    }

    /// Scores the terminal states of the side buffer.
    #[inline(always)]
    fn score(&mut self, setting: &Setting<'_>, evaluator: &mut impl Evaluator<W>) {
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
