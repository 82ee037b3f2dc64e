//! Code for the interpreter: gates of equal shape side by side.
//!
//! A processor guesses what comes next; gates with now two, now seven inputs make it guess wrong, which
//! costs more than the gates. So gates of a stretch of code are sorted by depth and shape (how many straight
//! and inverted inputs): each run of equal gates is one loop without surprises. Stretches are short enough for
//! what they compute to stay in the cache.

use super::code::{Code, Op, Output};
use super::lanes::{Lanes, Row, and, and_not};

/// Gates that are sorted together.
const STRETCH: usize = 2048;

/// What the interpreter does next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Gates with equally many inputs, each with its slot and those of its inputs, straight ones first.
    Gates {
        straight: u32,
        inverted: u32,
        gates: Vec<u32>,
    },
    LoopStart {
        group: u32,
    },
    LoopEnd {
        group: u32,
        start: u32,
    },
}

/// Code in the order of the interpreter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shaped {
    steps: Vec<Step>,
    /// By group of loops: pairs of the slot of a loop node and what it becomes.
    loops: Vec<Vec<(u32, Output)>>,
}

impl Shaped {
    pub(super) fn new(code: &Code) -> Self {
        let mut shaped = Self { steps: Vec::new(), loops: code.loops.clone() };
        let mut stretch: Vec<Op> = Vec::new();
        // Where loops started, in steps.
        let mut starts: Vec<u32> = Vec::new();
        for &op in &code.ops {
            match op {
                Op::And { .. } => {
                    stretch.push(op);
                    if stretch.len() == STRETCH {
                        shaped.sort(code, &mut stretch);
                    }
                }
                Op::LoopStart { group } => {
                    shaped.sort(code, &mut stretch);
                    shaped.steps.push(Step::LoopStart { group });
                    starts.push(u32::try_from(shaped.steps.len()).unwrap_or(u32::MAX));
                }
                Op::LoopEnd { group, .. } => {
                    shaped.sort(code, &mut stretch);
                    let start = starts.pop().unwrap_or(0);
                    shaped.steps.push(Step::LoopEnd { group, start });
                }
            }
        }
        shaped.sort(code, &mut stretch);
        shaped
    }

    /// Adds the gates of a stretch by depth and shape.
    fn sort(&mut self, code: &Code, stretch: &mut Vec<Op>) {
        let mut depth_of: rustc_hash::FxHashMap<u32, u32> = rustc_hash::FxHashMap::default();
        let mut keyed = Vec::with_capacity(stretch.len());
        for op in stretch.drain(..) {
            let Op::And { out, start, straight, inverted } = op else { continue };
            let inputs = &code.pool[start as usize..(start + straight + inverted) as usize];
            let depth =
                inputs.iter().filter_map(|slot| depth_of.get(slot)).max().map_or(0, |depth| depth + 1);
            depth_of.insert(out, depth);
            keyed.push(((depth, straight, inverted), out, inputs));
        }
        keyed.sort_by_key(|&(key, ..)| key);
        for run in keyed.chunk_by(|a, b| a.0 == b.0) {
            let (_, straight, inverted) = run[0].0;
            let gates = run.iter().flat_map(|(_, out, inputs)| std::iter::once(out).chain(*inputs)).copied();
            self.steps.push(Step::Gates { straight, inverted, gates: gates.collect() });
        }
    }

    /// Computes everything.
    #[inline(always)]
    pub(super) fn run<const W: usize>(&self, lanes: &mut Lanes<W>) {
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            at += 1;
            match step {
                Step::Gates { straight, inverted, gates } => {
                    let rows = &mut lanes.rows[..];
                    match (straight, inverted) {
                        (2, 0) => equal::<W, 2, 0, 3>(rows, gates),
                        (1, 1) => equal::<W, 1, 1, 3>(rows, gates),
                        (0, 2) => equal::<W, 0, 2, 3>(rows, gates),
                        (3, 0) => equal::<W, 3, 0, 4>(rows, gates),
                        (2, 1) => equal::<W, 2, 1, 4>(rows, gates),
                        (1, 2) => equal::<W, 1, 2, 4>(rows, gates),
                        (0, 3) => equal::<W, 0, 3, 4>(rows, gates),
                        (0, 4) => equal::<W, 0, 4, 5>(rows, gates),
                        _ => any(rows, *straight as usize, *inverted as usize, gates),
                    }
                }
                Step::LoopStart { group } => {
                    for &(slot, _) in &self.loops[*group as usize] {
                        lanes.rows[slot as usize] = [0; W];
                    }
                }
                Step::LoopEnd { group, start } => {
                    let mut changed = false;
                    for &(slot, becomes) in &self.loops[*group as usize] {
                        let value = lanes.get(becomes);
                        changed |= lanes.rows[slot as usize] != value;
                        lanes.rows[slot as usize] = value;
                    }
                    if changed {
                        at = *start as usize;
                    }
                }
            }
        }
    }
}

/// Gates with `S` straight and `I` inverted inputs, `N` = 1 + S + I numbers each.
#[inline(always)]
fn equal<const W: usize, const S: usize, const I: usize, const N: usize>(rows: &mut [Row<W>], gates: &[u32]) {
    for gate in gates.chunks_exact(N) {
        let mut value = [u64::MAX; W];
        for &slot in &gate[1..=S] {
            value = and(value, rows[slot as usize]);
        }
        for &slot in &gate[1 + S..N] {
            value = and_not(value, rows[slot as usize]);
        }
        rows[gate[0] as usize] = value;
    }
}

/// Gates with any number of inputs.
#[inline(always)]
fn any<const W: usize>(rows: &mut [Row<W>], straight: usize, inverted: usize, gates: &[u32]) {
    for gate in gates.chunks_exact(1 + straight + inverted) {
        let mut value = [u64::MAX; W];
        for &slot in &gate[1..=straight] {
            value = and(value, rows[slot as usize]);
        }
        for &slot in &gate[1 + straight..] {
            value = and_not(value, rows[slot as usize]);
        }
        rows[gate[0] as usize] = value;
    }
}
