//! The order in which the options of a frame are searched.

use ludex_game::MoveId;

use super::super::levels::move_of_level;
use super::super::table::Key;
use super::super::value::{Chooser, Value};
use super::AlphaBeta;
use super::frame::Node;

impl AlphaBeta {
    /// The options of a level, the most promising first.
    pub(super) fn order(&self, node: usize, level: usize, base: u32) -> Vec<u32> {
        let Node { children, levels, known, .. } = &self.nodes[node];
        let (chooser, options) = (levels.chooser(level), levels.options(level));
        let sign = match chooser {
            _ if children.is_empty() => return Vec::new(),
            Chooser::Own => 1.0,
            Chooser::Others => -1.0,
            Chooser::Chance | Chooser::Both(_) => return options.to_vec(),
        };
        let seats = &self.batches.backup.seats;
        let is_last = level + 1 >= levels.len();
        let best = known.and_then(|known| known.best).filter(|&best| (best as usize) < children.len());
        let best = best.map(|best| children.joint(best as usize));
        let usual =
            known.map_or_else(|| self.batches.backup.range.guess(f32::NAN), |known| known.value).guess;
        let mut ranked = Vec::with_capacity(options.len());
        for &option in options {
            let child = (base + option) as usize;
            let guess = if !is_last {
                usual
            } else if children.is_terminal(child) {
                Value::of_end(children.goal(child, seats.own)).guess
            } else {
                self.look_up(Key::new(children.words(child))).map_or(usual, |known| known.value.guess)
            };
            let joint = children.joint(child);
            let has_moves_of = |best: &[MoveId]| {
                (0..joint.len()).all(|role| seats.choosers[role] != chooser || joint[role] == best[role])
            };
            let made = move_of_level(seats, children, (chooser, options), child);
            let made = made.filter(|_| self.options.history);
            let rank = made.map_or((false, 0), |made| self.ordering.rank(node, made));
            ranked.push((best.is_some_and(has_moves_of), sign * guess, rank, option));
        }
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| b.2.cmp(&a.2)));
        ranked.into_iter().map(|(.., option)| option).collect()
    }
}
