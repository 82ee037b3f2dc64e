//! From the states of a tree to the leaves behind them, and what holds there.

use ludex_game::{Leaf, Leaves};

use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, and_not, not};
use super::super::machine::Machine;
use super::super::transpose::{lanes_from_rows, rows_from_lanes};
use super::super::vector::Vector;
use super::{Places, set_bits};

/// Goes to the leaves, each lane to its own, and tells what holds there. Their states become those that lanes start from.
#[inline(always)]
pub(super) fn arrive<const W: usize, V: Vector<W>>(
    machine: &Machine,
    lanes: &mut Lanes<W>,
    evaluator: &mut impl Evaluator<W>,
    (leaves, places): (&[Leaf<'_>], Places),
    results: &mut Leaves,
) {
    let program = &machine.program;
    let facts = program.facts;
    let state = lanes.state;
    let leaf = |lane: usize| &leaves[lane % leaves.len().max(1)];
    rows_from_lanes::<W, V>(places.lanes(), |lane| leaf(lane).from, &mut lanes.rows[state..state + facts]);
    let mut moving = [0u64; W];
    for lane in (0..places.lanes()).filter(|&lane| !leaf(lane).joint.is_empty()) {
        moving[lane / 64] |= 1 << (lane % 64);
    }
    if moving != [0; W] {
        // Lanes that do not move start again from where they are.
        lanes.start.copy_from_slice(&lanes.rows[state..state + facts]);
        evaluator.view(lanes);
        for &(first, count) in &program.moves {
            lanes.rows[first as usize..(first + count) as usize].fill([0; W]);
        }
        for lane in 0..places.lanes() {
            machine.add_moves(lanes, lane, leaf(lane).joint);
        }
        lanes.rows[program.reset as usize] = not(moving);
        evaluator.next(lanes);
    }
    let state = lanes.state;
    lanes.start.copy_from_slice(&lanes.rows[state..state + facts]);
    evaluator.view(lanes);
    let terminal = lanes.get(program.terminal);
    let mut states = Vec::new();
    lanes_from_rows::<W, V>(lanes.start.iter().copied(), leaves.len(), &mut states);
    let mut legal: Vec<Vec<u64>> = vec![Vec::new(); machine.roles.len()];
    for (role, words) in legal.iter_mut().enumerate() {
        let rows = machine.legal_in_order(role).map(|output| and_not(lanes.get(output), terminal));
        lanes_from_rows::<W, V>(rows, leaves.len(), words);
    }
    let words = facts.div_ceil(64);
    for lane in 0..leaves.len() {
        let is_terminal = terminal[lane / 64] >> (lane % 64) & 1 == 1;
        results.push(&states[lane * words..(lane + 1) * words], is_terminal);
        for (role, legal) in legal.iter().enumerate() {
            let words = machine.ranks(role).len().div_ceil(64);
            let of_lane = &legal[lane * words..(lane + 1) * words];
            results.push_legal(set_bits(of_lane).map(|rank| machine.move_at(role, rank)));
        }
    }
}
