//! From the states of a tree to the leaves behind them, and what holds there.

use ludex_game::{Leaf, LeafResults};

use super::super::evaluate::Evaluator;
use super::super::lanes::{and_not, is_zero, not};
use super::super::machine::Machine;
use super::super::transpose::{lanes_from_rows, rows_from_lanes};
use super::super::vector::Vector;
use super::in_flight::InFlight;
use super::places::Places;

/// Takes lanes that are free to the leaves, and tells what holds there. Their states become those that the lanes start from. There are not more
/// leaves than free lanes, and nothing is to be scored.
#[inline(always)]
pub(super) fn arrive<const W: usize, V: Vector<W>>(
    machine: &Machine,
    way: &mut InFlight<W>,
    evaluator: &mut impl Evaluator<W>,
    (leaves, playouts): (&[Leaf<'_>], u32),
    results: &mut LeafResults,
) {
    let places = Places::new(leaves.len(), way.room(), playouts);
    let taken = &way.free(places.lanes())[..];
    // Lanes go from leaf to leaf, and again.
    let lanes = taken.iter().copied().zip(leaves.iter().cycle());
    let (mut new, mut moving) = ([0u64; W], [0u64; W]);
    for (lane, leaf) in lanes.clone() {
        new[lane / 64] |= 1 << (lane % 64);
        moving[lane / 64] |= u64::from(!leaf.joint.is_empty()) << (lane % 64);
    }
    let program = &machine.program;
    let facts = program.facts;
    let there = &mut way.side;
    there.rewind(program);
    rows_from_lanes::<W, V>(lanes.clone().map(|(lane, leaf)| (lane, leaf.from)), &mut there.rows[..facts]);
    if !is_zero(moving) {
        // Lanes that do not move start again from where they are.
        there.start.copy_from_slice(&there.rows[..facts]);
        evaluator.view(there);
        for &(first, count) in &program.moves {
            there.rows[first as usize..(first + count) as usize].fill([0; W]);
        }
        for (lane, leaf) in lanes.clone() {
            machine.add_moves(there, lane, leaf.joint);
        }
        there.rows[program.reset as usize] = not(moving);
        evaluator.next(there);
    }
    evaluator.view(there);
    let here = &mut way.lanes;
    let state = here.state;
    let mask = V::load(&new);
    for fact in 0..facts {
        let value = V::load(&there.rows[there.state + fact]).and(mask);
        here.start[fact] = V::load(&here.start[fact]).and_not(mask).or(value).store();
        here.rows[state + fact] = V::load(&here.rows[state + fact]).and_not(mask).or(value).store();
    }
    // One lane of each leaf tells what holds there.
    let first = taken[..leaves.len()].iter().copied();
    let terminal = there.get(program.terminal);
    let mut states = Vec::new();
    let state = there.rows[there.state..there.state + facts].iter().copied();
    lanes_from_rows::<W, V>(state, first.clone(), &mut states);
    let mut legal: Vec<Vec<u64>> = vec![Vec::new(); machine.roles.len()];
    for (role, words) in legal.iter_mut().enumerate() {
        let rows = machine.legal_in_order(role).map(|output| and_not(there.get(output), terminal));
        lanes_from_rows::<W, V>(rows, first.clone(), words);
    }
    there.rewind(program);
    let words = facts.div_ceil(64);
    let mut movers = Vec::with_capacity(leaves.len());
    for (at, (leaf, lane)) in leaves.iter().zip(first).enumerate() {
        let is_terminal = terminal[lane / 64] >> (lane % 64) & 1 == 1;
        results.arrive(leaf.number, &states[at * words..(at + 1) * words], is_terminal);
        let mut mover = None;
        for (role, legal) in legal.iter().enumerate() {
            let moves = machine.moves_in_order(role);
            let words = moves.len().div_ceil(64);
            let count = results.push_legal_bits(leaf.number, moves, &legal[at * words..(at + 1) * words]);
            mover = mover.or((count > 1).then_some(role));
        }
        movers.push(mover);
        // Where the game is over there is nothing to repeat.
        let playouts = if is_terminal { 1 } else { playouts };
        results.count_playouts(leaf.number, playouts);
        if way.open.len() <= leaf.number {
            way.open.resize(leaf.number + 1, 0);
        }
        way.open[leaf.number] = playouts;
    }
    for (at, &lane) in taken.iter().enumerate() {
        let leaf = places.leaf(at);
        let number = leaves[leaf].number;
        way.assign(lane, number, places.share(at, way.open[number]), movers[leaf]);
    }
    way.share = places.share(0, playouts);
}
