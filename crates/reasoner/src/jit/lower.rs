//! What a cone keeps in registers: straight-line code over registers and slots.
//!
//! The code is known from start to end, so the best rule applies: when a register is needed, the
//! value whose next use lies farthest ahead goes (Belady, IBM Systems Journal 1966). A gate is stored
//! only if it is needed after the cone, or if it loses its register while it still has readers. A
//! slot that is read from memory gets a register when its next use comes sooner than that of
//! another value.

use crate::run::{Code, Op};

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(u8),
    Slot(u32),
}

/// An input of a gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub source: Source,
    pub inverted: bool,
}

/// An instruction on registers and slots.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Load {
        register: u8,
        slot: u32,
    },
    Store {
        register: u8,
        slot: u32,
    },
    /// The register becomes the AND of the inputs.
    And {
        register: u8,
        inputs: Vec<Input>,
    },
    /// The register becomes the AND of itself and the inputs.
    AndMore {
        register: u8,
        inputs: Vec<Input>,
    },
}

/// Code with registers.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
    /// Slots that are read or written, to check sizes.
    pub slots: usize,
}

const NEVER: u32 = u32::MAX;
/// Inputs that are handled at once: fewer than any processor has registers.
const GROUP: usize = 8;

/// Gives registers to the values of a cone; `None` for code with loops.
pub(super) fn lower(code: &Code, kept: &[u32], registers: u8) -> Option<Plan> {
    let mut gates: Vec<(u32, &[u32], &[u32])> = Vec::new();
    for op in &code.ops {
        let Op::And { out, start, straight, inverted } = *op else { return None };
        let middle = (start + straight) as usize;
        let inputs = &code.pool[start as usize..middle];
        gates.push((out, inputs, &code.pool[middle..middle + inverted as usize]));
    }
    let all = gates.iter().flat_map(|(out, a, b)| a.iter().chain(*b).chain([out]));
    let slots = all.copied().max().map_or(0, |slot| slot as usize + 1);
    let mut allocator = Allocator {
        uses: vec![Vec::new(); slots],
        place: vec![None; slots],
        in_memory: vec![true; slots],
        holds: vec![None; usize::from(registers)],
        plan: Plan { steps: Vec::new(), slots },
    };
    // Uses of every slot, the last first, so that the next one is at the end.
    for (at, (out, straight, inverted)) in gates.iter().enumerate().rev() {
        let at = u32::try_from(at).ok()?;
        for &slot in straight.iter().chain(*inverted) {
            allocator.uses[slot as usize].push(at);
        }
        allocator.in_memory[*out as usize] = false;
    }
    let mut is_kept = vec![false; slots];
    for &slot in kept {
        if let Some(kept) = is_kept.get_mut(slot as usize) {
            *kept = true;
        }
    }
    for (out, straight, inverted) in gates {
        let inputs: Vec<(u32, bool)> =
            straight.iter().map(|&s| (s, false)).chain(inverted.iter().map(|&s| (s, true))).collect();
        allocator.gate(out, &inputs, is_kept[out as usize]);
    }
    Some(allocator.plan)
}

struct Allocator {
    uses: Vec<Vec<u32>>,
    /// By slot: the register that holds it.
    place: Vec<Option<u8>>,
    /// By slot: whether memory has its value.
    in_memory: Vec<bool>,
    /// By register: the slot that it holds.
    holds: Vec<Option<u32>>,
    plan: Plan,
}

impl Allocator {
    fn next_use(&self, slot: u32) -> u32 {
        self.uses[slot as usize].last().copied().unwrap_or(NEVER)
    }

    /// A gate: its inputs in groups that leave room for other registers, joined one after the other.
    fn gate(&mut self, out: u32, inputs: &[(u32, bool)], kept: bool) {
        let mut target: Option<u8> = None;
        for group in inputs.chunks(GROUP) {
            let (sources, pinned) = self.sources(group, target);
            match target {
                None => {
                    // Inputs are read after the target is first written: keep them apart.
                    let register = self.free(&pinned);
                    self.put(register, out);
                    self.plan.steps.push(Step::And { register, inputs: sources });
                    target = Some(register);
                }
                Some(register) => self.plan.steps.push(Step::AndMore { register, inputs: sources }),
            }
        }
        let Some(register) = target else { return };
        if kept {
            self.plan.steps.push(Step::Store { register, slot: out });
            self.in_memory[out as usize] = true;
        }
        if self.next_use(out) == NEVER {
            self.place[out as usize] = None;
            self.holds[usize::from(register)] = None;
        }
    }

    /// Where the inputs of a group come from, and the registers among them (and the target).
    fn sources(&mut self, group: &[(u32, bool)], target: Option<u8>) -> (Vec<Input>, Vec<u8>) {
        // What is in a register now stays there until it is read.
        let mut pinned: Vec<u8> = group.iter().filter_map(|&(slot, _)| self.place[slot as usize]).collect();
        pinned.extend(target);
        // This use is over; what counts from here on is the next.
        for &(slot, _) in group {
            self.uses[slot as usize].pop();
        }
        for &(slot, _) in group {
            if self.place[slot as usize].is_none() && self.worth_a_register(slot, &pinned) {
                let register = self.free(&pinned);
                self.plan.steps.push(Step::Load { register, slot });
                self.put(register, slot);
                pinned.push(register);
            }
        }
        let source = |&(slot, inverted): &(u32, bool)| {
            let place = self.place[slot as usize];
            Input { source: place.map_or(Source::Slot(slot), Source::Register), inverted }
        };
        let sources = group.iter().map(source).collect();
        // Inputs without further use need their registers no longer than this.
        for &(slot, _) in group {
            if self.next_use(slot) == NEVER
                && let Some(register) = self.place[slot as usize].take()
            {
                self.holds[usize::from(register)] = None;
            }
        }
        (sources, pinned)
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

    /// A register that holds nothing (any more): the value that is needed last goes.
    fn free(&mut self, pinned: &[u8]) -> u8 {
        let mut best: Option<(u32, usize)> = None;
        for (register, holds) in self.holds.iter().enumerate() {
            if pinned.iter().any(|&p| usize::from(p) == register) {
                continue;
            }
            let next = holds.map_or(NEVER, |slot| self.next_use(slot));
            if holds.is_none() {
                best = Some((NEVER, register));
                break;
            }
            if best.is_none_or(|(farthest, _)| next > farthest) {
                best = Some((next, register));
            }
        }
        let register = best.map_or(0, |(_, register)| register);
        if let Some(slot) = self.holds[register].take() {
            self.place[slot as usize] = None;
            if !self.in_memory[slot as usize] && self.next_use(slot) != NEVER {
                let register = u8::try_from(register).unwrap_or(0);
                self.plan.steps.push(Step::Store { register, slot });
                self.in_memory[slot as usize] = true;
            }
        }
        u8::try_from(register).unwrap_or(0)
    }
}
