//! The interpreter and the choice of moves, compiled once for each kind of vectors.
//!
//! Counting, drawing and finding are long straight code with a version for every size of numbers, and the
//! interpreter has a loop for every shape of gates. Inlined
//! wherever moves are chosen, for every width and every evaluator, they took minutes to compile; a call a step costs
//! nothing that can be measured. Code for vector instructions must say so, and only functions without type
//! parameters can: hence one set a kind.

macro_rules! target_kernels {
    ($(#[$attribute:meta])* $name:ident, $vector:ty, $words:literal) => {
        /// The same with one kind of vectors.
        pub(in crate::run) mod $name {
            use crate::run::choice::MoveRows;
            use crate::run::choose::{Scratch, count_all, find_all, find_and_note_all};
            use crate::run::draw::draw_all;
            use crate::run::code::{Code, Program};
            use crate::run::evaluate::commit;
            use crate::run::lanes::{Lanes, Row};
            use crate::run::random::Random;
            use crate::run::tally::{Goals, Tallies};
            #[allow(unused_imports, reason = "each kind uses one of them")]
            use crate::run::vector::*;

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn draw(
                rows: &mut [Row<$words>],
                choice: &MoveRows,
                random: &mut Random<$words>,
            ) -> Row<$words> {
                draw_all::<$words, $vector>(rows, choice, random)
            }

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn interpret(code: &Code, lanes: &mut Lanes<$words>) {
                code.shaped().run(lanes);
            }

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn take_over(program: &Program, lanes: &mut Lanes<$words>) {
                commit::<$words, $vector>(program, lanes);
            }

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn count(
                rows: &mut [Row<$words>],
                choice: &MoveRows,
                scratch: &mut Scratch<$words>,
            ) {
                count_all::<$words, $vector>(rows, choice, scratch);
            }

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn find(
                rows: &mut [Row<$words>],
                choice: &MoveRows,
                scratch: &Scratch<$words>,
            ) {
                find_all::<$words, $vector>(rows, choice, scratch);
            }

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn find_and_note(
                rows: &mut [Row<$words>],
                found: (&MoveRows, &Scratch<$words>),
                active: Row<$words>,
                noted: (&mut [Row<$words>], u32),
            ) {
                find_and_note_all::<$words, $vector>(rows, found, active, noted);
            }

            $(#[$attribute])*
            #[inline(never)]
            pub(in crate::run) fn tally(
                tallies: Tallies<'_, $words>,
                over: Row<$words>,
                goals: &Goals<$words>,
            ) {
                tallies.count_by_word(over, goals);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
target_kernels!(
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    avx512,
    Avx512,
    8
);
#[cfg(target_arch = "x86_64")]
target_kernels!(
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    avx2,
    Avx2,
    4
);
