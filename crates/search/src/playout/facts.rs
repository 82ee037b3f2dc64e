//! What held before each step of a simulation: for strategies that look at facts.

use ludex_game::FactId;

/// A list of facts for each step, in one long array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepFacts {
    ids: Vec<FactId>,
    ends: Vec<usize>,
}

impl StepFacts {
    /// Forgets all steps.
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.ends.clear();
    }

    /// What held before the next step, sorted by id.
    pub(crate) fn push(&mut self, facts: &[FactId]) {
        self.ids.extend_from_slice(facts);
        self.ends.push(self.ids.len());
    }

    /// What held before the last step; nothing if there is none.
    #[inline(always)]
    pub(crate) fn last(&self) -> &[FactId] {
        match self.ends.len() {
            0 => &[],
            count => self.step(count - 1),
        }
    }

    /// What held before each step.
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
    fn steps_are_told_apart() {
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
