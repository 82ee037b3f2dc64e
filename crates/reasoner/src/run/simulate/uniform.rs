//! Moves by chance, without looking at single lanes: as in [`super::super::playout`].

use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;
use super::{Chooser, Ended, Play};

/// Chance; for games whose moves can be counted in lanes.
pub(super) struct Uniform<'a> {
    pub machine: &'a Machine,
}

impl<const W: usize> Chooser<W> for Uniform<'_> {
    const WAITS: bool = false;

    #[inline(always)]
    fn begin(&mut self, _: Row<W>, _: &[Play]) {}

    #[inline(always)]
    fn view<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        running: Row<W>,
        random: &mut Random<W>,
    ) -> Ended<W> {
        evaluator.view_and_count(lanes);
        let none = match &self.machine.program.choice {
            Some(choice) => V::draw(&mut lanes.rows, choice, random),
            None => running,
        };
        let terminal = and(lanes.get(self.machine.program.terminal), running);
        Ended { terminal, stuck: and_not(and(none, running), terminal) }
    }

    #[inline(always)]
    fn advance<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        lanes: &mut Lanes<W>,
        _: Row<W>,
        _: &mut Random<W>,
    ) {
        evaluator.find_and_next(lanes);
    }

    #[inline(always)]
    fn scored<V: Vector<W>>(&mut self, _: Row<W>, _: &[Row<W>]) {}

    #[inline(always)]
    fn lost(&mut self, _: Row<W>) {}
}
