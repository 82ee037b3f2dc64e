//! Uniformly random playouts of a game for one, whose moves can be read afterwards.
//!
//! The moves of all lanes are written down step by step. When a playout ends with more than was
//! asked for, its moves are picked out; those of all others are never looked at.

use ludex_game::{Choices, MoveId, StepPolicy};

/// Records playouts.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// By leaf: the goal that must be exceeded, from -1 on.
    thresholds: Vec<i16>,
    /// By leaf: moves of the last playout that exceeded it.
    found: Vec<Option<Vec<MoveId>>>,
    /// The moves of every step: one for each lane.
    log: Vec<MoveId>,
    /// Moves of a step.
    width: usize,
    /// By lane: the leaf of its playout, and where in the log it began.
    running: Vec<(usize, usize)>,
    /// Playouts that have not ended.
    open: usize,
}

impl Recorder {
    /// Forgets everything; the moves of playouts with a goal above these are wanted, by leaf.
    pub(super) fn begin_batch(&mut self, thresholds: impl Iterator<Item = i16>) {
        self.thresholds.clear();
        self.thresholds.extend(thresholds);
        self.found.clear();
        self.found.resize(self.thresholds.len(), None);
        self.log.clear();
        self.open = 0;
    }

    /// The moves of the playout from a leaf to the end of the game, if they were wanted.
    pub(super) fn take(&mut self, leaf: usize) -> Option<Vec<MoveId>> {
        self.found.get_mut(leaf).and_then(Option::take)
    }
}

impl StepPolicy for Recorder {
    fn begin(&mut self, lane: usize, leaf: usize) {
        if self.open == 0 {
            self.log.clear();
        }
        self.open += 1;
        if self.running.len() <= lane {
            self.running.resize(lane + 1, (0, 0));
        }
        self.running[lane] = (leaf, self.log.len());
    }

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        let mut random = fastrand::Rng::with_seed(seed);
        chosen.extend(choices.lanes().iter().map(|&lane| choices.uniform(lane, random.u64(..))));
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.width = joint.len();
        self.log.extend_from_slice(joint);
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.open = self.open.saturating_sub(1);
        let (leaf, start) = self.running[lane];
        let Some(goal) = goals.and_then(|goals| goals.first()) else { return };
        let Some(&threshold) = self.thresholds.get(leaf) else { return };
        if *goal > f64::from(threshold) {
            let rows = self.log[start..].chunks(self.width.max(1)).take(steps);
            self.found[leaf] = Some(rows.map(|row| row[lane]).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ludex_game::{Leaf, LeafResults, PlayoutPolicy, Simulation, SimulatorConfig};

    use super::*;

    /// Recorded moves lead to the goals that were reported, leaf by leaf, on every engine.
    #[test]
    fn what_is_recorded_was_played() {
        for engine in ["reference", "circuit", "batch"] {
            let game = ludex_testkit::game("max_knights", engine);
            let leaves_wanted = if engine == "reference" { 8 } else { 700 };
            let initial = game.initial();
            let moves = game.view(&initial).unwrap().legal[0].clone();
            let leaves: Vec<Leaf<'_>> = (0..leaves_wanted)
                .map(|number| Leaf {
                    number,
                    from: initial.words(),
                    joint: match number % 3 {
                        0 => &[],
                        _ => &moves[number % moves.len()..][..1],
                    },
                })
                .collect();
            let mut recorder = Recorder::default();
            recorder.begin_batch((0..leaves_wanted).map(|leaf| if leaf % 2 == 0 { -1 } else { 100 }));
            let mut results = LeafResults::new();
            let mut simulator = Arc::clone(&game).simulator(SimulatorConfig::default());
            let mut simulation = Simulation {
                leaves: &leaves,
                playouts: 1,
                seed: 7,
                policy: PlayoutPolicy::Step(&mut recorder),
                keep_busy: 0,
            };
            simulator.simulate(&mut simulation, &mut results).unwrap();
            let mut lengths = std::collections::BTreeSet::new();
            for leaf in &leaves {
                let Some(recorded) = recorder.take(leaf.number) else {
                    assert_eq!(leaf.number % 2, 1, "{engine}: leaf {}", leaf.number);
                    continue;
                };
                assert_eq!(leaf.number % 2, 0, "{engine}: leaf {}", leaf.number);
                lengths.insert(recorded.len());
                let mut state = initial.clone();
                for &made in leaf.joint.iter().chain(&recorded) {
                    assert!(game.view(&state).unwrap().legal[0].contains(&made), "{engine}");
                    state = game.next(&state, &[made]).unwrap();
                }
                assert!(game.view(&state).unwrap().terminal, "{engine}");
                let goal = game.goals(&state).unwrap()[0].value().unwrap();
                assert_eq!(results.goals(leaf.number)[0], f64::from(goal), "{engine}");
            }
            assert!(lengths.len() > 1, "{engine}: playouts of several lengths");
        }
    }
}
