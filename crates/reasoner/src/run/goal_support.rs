//! The facts that goals depend on: all that has to be kept of a terminal state until it is scored.

use super::code::{Code, Op, Output, Program};

/// Facts that the goal code reads, sorted.
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
