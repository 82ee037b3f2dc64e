//! What a line keeps in registers: straight-line code over registers and rows.
//!
//! The code is known from start to end, so the best rule applies: when a register is needed, the
//! value whose next use lies farthest ahead goes (Belady, IBM Systems Journal 1966). A value is
//! stored only if it is needed after the line, or if it loses its register while it still has
//! readers; then it gets a row that is used again when its last reader has gone, so that the rows
//! stay few enough for the caches. A row that is read from memory gets a register when its next use
//! comes sooner than that of another value.

use crate::run::{Line, LineOp, Mix, Output};

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegisterSource {
    Register(u8),
    Row(u32),
}

/// An input of a gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub source: RegisterSource,
    pub inverted: bool,
}

/// An instruction on registers and rows.
#[derive(Clone, Debug)]
pub(super) enum RegisterStep {
    Load {
        register: u8,
        row: u32,
    },
    Store {
        register: u8,
        row: u32,
    },
    /// The register becomes the AND of the inputs; of none: all ones.
    And {
        register: u8,
        inputs: Vec<Input>,
    },
    /// The register becomes the AND of itself and the inputs.
    AndMore {
        register: u8,
        inputs: Vec<Input>,
    },
    /// The register, which may be one of the inputs if that is allowed, becomes a function of the
    /// inputs, of which at most one is a row.
    Mix {
        register: u8,
        mix: Mix,
        inputs: [RegisterSource; 3],
    },
    /// The next value of a fact; the register may be the one of the value, which is lost then.
    Commit {
        register: u8,
        fact: u32,
        value: Committed,
        reset: u8,
    },
}

/// What a fact becomes where no lane starts again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Committed {
    Constant(bool),
    Value(Input),
}

/// Code after register allocation.
#[derive(Debug, Default)]
pub(super) struct RegisterCode {
    pub steps: Vec<RegisterStep>,
    /// Rows that may be read or written: those below.
    pub rows: u32,
}

/// What the code runs on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub registers: u8,
    /// A mix may be computed in a register of its inputs.
    pub mixes_in_place: bool,
    /// The row of the lanes that start again.
    pub reset: u32,
    /// Rows that are taken; further ones are free.
    pub rows: u32,
}

const NEVER: u32 = u32::MAX;
/// Inputs that are handled at once: fewer than any processor has registers.
const GROUP: usize = 8;

/// Gives registers to the values of a line.
pub(super) fn lower(line: &Line, target: Target) -> RegisterCode {
    let slots = target.rows as usize;
    let mut allocator = Allocator {
        uses: RowUses {
            first: vec![NEVER; slots],
            list: Vec::with_capacity(line.pool.len() + line.ops.len()),
        },
        place: vec![None; slots],
        home: (0..target.rows).map(Some).collect(),
        in_memory: vec![true; slots],
        holds: vec![None; usize::from(target.registers)],
        free_rows: Vec::new(),
        last_read: Vec::new(),
        target,
        plan: RegisterCode { steps: Vec::new(), rows: target.rows },
    };
    // The last uses first, so that the next one comes to lie in front.
    let at = (0..u32::try_from(line.ops.len()).unwrap_or(NEVER)).rev();
    for (at, op) in at.zip(line.ops.iter().rev()) {
        if let LineOp::And { out, .. } | LineOp::Mix { out, .. } = *op {
            allocator.in_memory[out as usize] = false;
            allocator.home[out as usize] = None;
        }
        let reset = matches!(op, LineOp::Commit { .. }).then_some(target.reset);
        for &slot in distinct(line.inputs(op)).iter().chain(&reset) {
            allocator.uses.add(slot, at);
        }
    }
    let mut is_kept = vec![false; slots];
    for &slot in &line.kept {
        is_kept[slot as usize] = true;
        allocator.home[slot as usize] = Some(slot);
    }
    for op in &line.ops {
        match *op {
            LineOp::And { out, start, straight, inverted } => {
                let middle = (start + straight) as usize;
                let straight = line.pool[start as usize..middle].iter().map(|&slot| (slot, false));
                let inverted = line.pool[middle..middle + inverted as usize].iter().map(|&slot| (slot, true));
                let inputs: Vec<(u32, bool)> = straight.chain(inverted).collect();
                allocator.gate(out, &inputs);
                allocator.finish(out, is_kept[out as usize]);
            }
            LineOp::Mix { out, mix, inputs } => {
                allocator.mix(out, mix, inputs);
                allocator.finish(out, is_kept[out as usize]);
            }
            LineOp::Commit { fact, value } => allocator.commit(fact, value),
        }
        allocator.free_rows.append(&mut allocator.last_read);
    }
    allocator.plan
}

fn distinct(slots: &[u32]) -> Vec<u32> {
    let mut distinct = slots.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Where each slot is read, as lists in one vector.
struct RowUses {
    /// By slot: where its list begins.
    first: Vec<u32>,
    /// Instructions, each with where the list goes on.
    list: Vec<(u32, u32)>,
}

impl RowUses {
    /// Adds a use before all others of a slot.
    fn add(&mut self, slot: u32, at: u32) {
        let first = &mut self.first[slot as usize];
        self.list.push((at, *first));
        *first = u32::try_from(self.list.len() - 1).unwrap_or(NEVER);
    }

    /// The next use of a slot.
    fn next(&self, slot: u32) -> u32 {
        self.list.get(self.first[slot as usize] as usize).map_or(NEVER, |&(at, _)| at)
    }

    /// The next use of a slot is over.
    fn pass(&mut self, slot: u32) {
        let first = &mut self.first[slot as usize];
        *first = self.list.get(*first as usize).map_or(NEVER, |&(_, next)| next);
    }
}

struct Allocator {
    uses: RowUses,
    /// By slot: the register that holds it.
    place: Vec<Option<u8>>,
    /// By slot: its row in memory, once it has one.
    home: Vec<Option<u32>>,
    /// By slot: whether its row has its value.
    in_memory: Vec<bool>,
    /// By register: the slot that it holds.
    holds: Vec<Option<u32>>,
    /// Spill rows that are free again.
    free_rows: Vec<u32>,
    /// Rows that will hold nothing any more once the instruction that is being planned has read
    /// them.
    last_read: Vec<u32>,
    target: Target,
    plan: RegisterCode,
}

/// The inputs of an instruction.
struct Operands {
    sources: Vec<RegisterSource>,
    /// Registers among them, which must not be taken for something else.
    pinned: Vec<u8>,
    /// Registers among them whose values are dead afterwards.
    dying: Vec<u8>,
}

impl Allocator {
    fn next_use(&self, slot: u32) -> u32 {
        self.uses.next(slot)
    }

    /// A gate: its inputs in groups that leave room for other registers, joined one after the
    /// other.
    fn gate(&mut self, out: u32, inputs: &[(u32, bool)]) {
        if inputs.is_empty() {
            let register = self.free(&[]);
            self.put(register, out);
            self.plan.steps.push(RegisterStep::And { register, inputs: Vec::new() });
            return;
        }
        let mut target: Option<u8> = None;
        for group in inputs.chunks(GROUP) {
            let slots: Vec<u32> = group.iter().map(|&(slot, _)| slot).collect();
            let operands = self.operands(&slots, usize::MAX, target);
            let sources = operands.sources.iter().zip(group);
            let inputs = sources.map(|(&source, &(_, inverted))| Input { source, inverted }).collect();
            match target {
                None => {
                    // Inputs are read after the target is first written: keep them apart.
                    let register = self.free(&operands.pinned);
                    self.put(register, out);
                    self.plan.steps.push(RegisterStep::And { register, inputs });
                    target = Some(register);
                }
                Some(register) => self.plan.steps.push(RegisterStep::AndMore { register, inputs }),
            }
        }
    }

    fn mix(&mut self, out: u32, mix: Mix, inputs: [u32; 3]) {
        let distinct = distinct(&inputs);
        let operands = self.operands(&distinct, 1, None);
        let source = |slot: u32| {
            let at = distinct.iter().position(|&s| s == slot).unwrap_or(0);
            operands.sources[at]
        };
        let inputs = inputs.map(source);
        let register = match operands.dying.first() {
            Some(&register) if self.target.mixes_in_place => register,
            _ => self.free(&operands.pinned),
        };
        self.put(register, out);
        self.plan.steps.push(RegisterStep::Mix { register, mix, inputs });
    }

    fn commit(&mut self, fact: u32, value: Output) {
        let reset = self.target.reset;
        match value {
            Output::Constant(constant) => {
                let operands = self.operands(&[reset], 0, None);
                let register = self.free(&operands.pinned);
                let Some(&RegisterSource::Register(reset)) = operands.sources.first() else { return };
                let value = Committed::Constant(constant);
                self.plan.steps.push(RegisterStep::Commit { register, fact, value, reset });
            }
            Output::Slot { slot, inverted } => {
                let reset_at = self.operands(&[reset], 0, None);
                let Some(&RegisterSource::Register(reset)) = reset_at.sources.first() else { return };
                let operands = self.operands(&[slot], 1, Some(reset));
                let Some(&source) = operands.sources.first() else { return };
                let register = match operands.dying.first() {
                    Some(&register) if self.target.mixes_in_place => register,
                    _ => self.free(&operands.pinned),
                };
                let value = Committed::Value(Input { source, inverted });
                self.plan.steps.push(RegisterStep::Commit { register, fact, value, reset });
            }
        }
    }

    /// After computing a value: stores it if it is kept, and frees its register if it is dead.
    fn finish(&mut self, out: u32, kept: bool) {
        let Some(register) = self.place[out as usize] else { return };
        if kept {
            self.plan.steps.push(RegisterStep::Store { register, row: out });
            self.in_memory[out as usize] = true;
        }
        if self.next_use(out) == NEVER {
            self.place[out as usize] = None;
            self.holds[usize::from(register)] = None;
        }
    }

    /// Where different slots come from, at most `in_memory` of them from rows. `taken` is a
    /// register that must stay what it is.
    fn operands(&mut self, slots: &[u32], in_memory: usize, taken: Option<u8>) -> Operands {
        // What is in a register now stays there until it is read.
        let mut pinned: Vec<u8> = slots.iter().filter_map(|&slot| self.place[slot as usize]).collect();
        pinned.extend(taken);
        // This use is over; what counts from here on is the next.
        for &slot in slots {
            self.uses.pass(slot);
        }
        let mut rows = slots.iter().filter(|&&slot| self.place[slot as usize].is_none()).count();
        for &slot in slots {
            let is_row = self.place[slot as usize].is_none();
            if is_row && (rows > in_memory || self.worth_a_register(slot, &pinned)) {
                let register = self.free(&pinned);
                let row = self.row(slot);
                self.plan.steps.push(RegisterStep::Load { register, row });
                self.put(register, slot);
                pinned.push(register);
                rows -= 1;
            }
        }
        let mut sources = Vec::with_capacity(slots.len());
        for &slot in slots {
            let place = self.place[slot as usize];
            sources.push(place.map_or_else(|| RegisterSource::Row(self.row(slot)), RegisterSource::Register));
        }
        // Inputs without further use need their registers and rows no longer than this.
        let mut dying = Vec::new();
        for &slot in slots {
            if self.next_use(slot) != NEVER {
                continue;
            }
            if let Some(register) = self.place[slot as usize].take() {
                self.holds[usize::from(register)] = None;
                dying.push(register);
            }
            if let Some(row) = self.home[slot as usize].filter(|&row| row >= self.target.rows) {
                self.last_read.push(row);
                self.home[slot as usize] = None;
            }
        }
        Operands { sources, pinned, dying }
    }

    /// The row of a slot; a new one if it has none.
    fn row(&mut self, slot: u32) -> u32 {
        if let Some(row) = self.home[slot as usize] {
            return row;
        }
        let row = self.free_rows.pop().unwrap_or_else(|| {
            self.plan.rows += 1;
            self.plan.rows - 1
        });
        self.home[slot as usize] = Some(row);
        row
    }

    fn put(&mut self, register: u8, slot: u32) {
        self.holds[usize::from(register)] = Some(slot);
        self.place[slot as usize] = Some(register);
    }

    /// Whether a slot in memory will be read again sooner than some value in a register.
    fn worth_a_register(&self, slot: u32, pinned: &[u8]) -> bool {
        let next = self.next_use(slot);
        if next == NEVER || pinned.len() + 4 > self.holds.len() {
            return false;
        }
        self.holds.iter().enumerate().any(|(register, holds)| {
            let is_pinned = pinned.iter().any(|&p| usize::from(p) == register);
            !is_pinned && holds.is_none_or(|other| self.next_use(other) > next)
        })
    }

    /// A free register; if there is none, evicts the value with the farthest next use.
    fn free(&mut self, pinned: &[u8]) -> u8 {
        let mut best: Option<(u32, u8)> = None;
        for (register, holds) in (0..).zip(&self.holds) {
            if pinned.contains(&register) {
                continue;
            }
            let Some(slot) = *holds else {
                best = Some((NEVER, register));
                break;
            };
            let next = self.next_use(slot);
            if best.is_none_or(|(farthest, _)| next > farthest) {
                best = Some((next, register));
            }
        }
        let register = best.map_or(0, |(_, register)| register);
        if let Some(slot) = self.holds[usize::from(register)].take() {
            self.place[slot as usize] = None;
            if !self.in_memory[slot as usize] && self.next_use(slot) != NEVER {
                let row = self.row(slot);
                self.plan.steps.push(RegisterStep::Store { register, row });
                self.in_memory[slot as usize] = true;
            }
        }
        register
    }
}
