//! Machine code for random lines against what their instructions mean, one by one.

use super::{AtomicU32, CompiledCircuit, OnceLock};
use crate::jit::isa::Isa;
use crate::run::{Lanes, Line, LineOp, Mix, Output, Program};

/// What an instruction means, on one word of lanes.
fn mean(line: &Line, slots: &mut [u64], next: &mut [u64], start: &[u64], reset: u64) {
    for op in &line.ops {
        match *op {
            LineOp::And { out, straight, .. } => {
                let inputs = line.inputs(op);
                let (straight, inverted) = inputs.split_at(straight as usize);
                let all = straight.iter().fold(u64::MAX, |all, &slot| all & slots[slot as usize]);
                slots[out as usize] = inverted.iter().fold(all, |all, &slot| all & !slots[slot as usize]);
            }
            LineOp::Mix { out, mix, inputs } => {
                let [a, b, c] = inputs.map(|slot| slots[slot as usize]);
                slots[out as usize] = match mix {
                    Mix::Xor => a ^ b,
                    Mix::Xor3 => a ^ b ^ c,
                    Mix::Carry => (a & b) | (a & c) | (b & c),
                    Mix::Borrow => (!a & b) | (!a & c) | (b & c),
                    Mix::XorAndNot => a ^ (b & !c),
                };
            }
            LineOp::Commit { fact, value } => {
                let value = match value {
                    Output::Constant(true) => u64::MAX,
                    Output::Constant(false) => 0,
                    Output::Slot { slot, inverted } => {
                        slots[slot as usize] ^ if inverted { u64::MAX } else { 0 }
                    }
                };
                next[fact as usize] = (value & !reset) | (start[fact as usize] & reset);
            }
        }
    }
}

/// A line of many instructions over few slots, so that registers run short and rows are used again.
fn random_line(random: &mut fastrand::Rng, facts: u32, first: u32, slots: u32) -> Line {
    let mut line = Line::default();
    // Slots that have a value: facts, then what has been computed.
    let mut ready: Vec<u32> = (0..facts).collect();
    for out in first..slots {
        // Near and far values both matter.
        let pick = |random: &mut fastrand::Rng| {
            let recent = random.bool();
            let from = if recent { ready.len().saturating_sub(20) } else { 0 };
            ready[random.usize(from..ready.len())]
        };
        if random.u8(..3) == 0 {
            let mixes = [Mix::Xor, Mix::Xor3, Mix::Carry, Mix::Borrow, Mix::XorAndNot];
            let mut inputs = [pick(random), pick(random), pick(random)];
            // The inputs of a sum are different rows.
            while inputs[0] == inputs[1] || inputs[1] == inputs[2] || inputs[0] == inputs[2] {
                inputs = [pick(random), pick(random), pick(random)];
            }
            line.ops.push(LineOp::Mix { out, mix: mixes[random.usize(..mixes.len())], inputs });
        } else {
            let mut inputs: Vec<u32> = (0..random.usize(1..12)).map(|_| pick(random)).collect();
            inputs.sort_unstable();
            inputs.dedup();
            let straight = random.usize(..=inputs.len());
            let (straight, inverted) = inputs.split_at(straight);
            line.and(out, straight, inverted);
        }
        ready.push(out);
        if random.u8(..8) == 0 {
            line.kept.push(out);
        }
    }
    for fact in 0..facts {
        let slot = ready[random.usize(..ready.len())];
        let value = match random.u8(..6) {
            0 => Output::Constant(random.bool()),
            n => Output::Slot { slot, inverted: n % 2 == 0 },
        };
        line.ops.push(LineOp::Commit { fact, value });
    }
    line
}

fn compare<const W: usize>(isa: Isa) {
    let machine = CompiledCircuit {
        isa,
        words: W,
        drawn: OnceLock::new(),
        given: OnceLock::new(),
        goals: OnceLock::new(),
        goals_to_interpret: AtomicU32::new(0),
    };
    let mut random = fastrand::Rng::with_seed(9);
    for round in 0..60 {
        let facts = random.u32(4..60);
        let reset = facts;
        let other = facts + 1;
        let first = other + facts;
        let slots = first + random.u32(5..400);
        let line = random_line(&mut random, facts, first, slots);
        let program =
            Program { reset, other, facts: facts as usize, slots: slots as usize, ..Program::default() };
        let code = machine.translate(&program, &line, slots).expect("code");
        let mut lanes = Lanes::<W>::new(&program);
        for row in lanes.rows.iter_mut() {
            *row = std::array::from_fn(|_| random.u64(..));
        }
        for start in lanes.start.iter_mut() {
            *start = std::array::from_fn(|_| random.u64(..));
        }
        let before = lanes.clone();
        code.run(&mut lanes);
        for word in 0..W {
            let mut values: Vec<u64> = before.rows.iter().map(|row| row[word]).collect();
            let mut next = vec![0; facts as usize];
            let reset = values[reset as usize];
            let start: Vec<u64> = before.start.iter().map(|row| row[word]).collect();
            mean(&line, &mut values, &mut next, &start, reset);
            for &slot in &line.kept {
                assert_eq!(
                    lanes.rows[slot as usize][word], values[slot as usize],
                    "slot {slot}, {round}, {isa:?}"
                );
            }
            for (fact, &next) in next.iter().enumerate() {
                assert_eq!(lanes.rows[other as usize + fact][word], next, "fact {fact}, {round}, {isa:?}");
            }
        }
    }
}

#[test]
fn machine_code_computes_what_its_line_says() {
    if Isa::for_words(8).is_some() {
        compare::<8>(Isa::Avx512);
    }
    if Isa::for_words(4).is_some() {
        compare::<4>(Isa::Avx2);
    }
}
