//! The facts that held before each step of a simulation, for PAST.

use ludex_game::FactId;

/// A list of facts per step, in one array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepFacts {
    ids: Vec<FactId>,
    ends: Vec<usize>,
}

impl StepFacts {
    /// Removes all steps.
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.ends.clear();
    }

    /// Adds the facts, sorted by id, before the next step.
    pub(crate) fn push(&mut self, facts: &[FactId]) {
        self.ids.extend_from_slice(facts);
        self.ends.push(self.ids.len());
    }

    /// The facts before the last step; none if there is no step.
    #[inline(always)]
    pub(crate) fn last(&self) -> &[FactId] {
        match self.ends.len() {
            0 => &[],
            count => self.step(count - 1),
        }
    }

    /// The facts before each step.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &[FactId]> {
        (0..self.ends.len()).map(|step| self.step(step))
    }

    #[inline(always)]
    fn step(&self, step: usize) -> &[FactId] {
        let start = if step == 0 { 0 } else { self.ends[step - 1] };
        &self.ids[start..self.ends[step]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_kept_apart() {
        let [a, b, c] = [1, 2, 3].map(FactId);
        let mut facts = StepFacts::default();
        assert_eq!(facts.last(), []);
        facts.push(&[a, c]);
        facts.push(&[]);
        facts.push(&[b]);
        assert_eq!(facts.steps().collect::<Vec<_>>(), [&[a, c][..], &[], &[b]]);
        assert_eq!(facts.last(), [b]);
        facts.clear();
        assert_eq!(facts.steps().count(), 0);
    }
}
