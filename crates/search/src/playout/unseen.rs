//! The score of moves that were never made (`unseen=`).
//!
//! # What it does
//! As published an unseen move counts 100, the highest goal, so that it is tried (Finnsson 2007,
//! section 4.5; Tak, Winands, Björnsson 2012, IV-A and IV-B). The thesis calls this value an open
//! question (chapter 6). With `unseen=average` it is the mean of the scores of the other moves that
//! are chosen among, so that an unseen move is neither preferred nor avoided; where all of them are
//! unseen, they are equal.
//!
//! Scores are listed first, with a mark for each unseen move; marks are replaced when the list is
//! complete.

/// The score of a move that was never made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unseen {
    /// 100, as published.
    #[default]
    Highest,
    /// The mean of the scores of the state's other moves.
    Average,
}

/// The highest goal.
pub(crate) const HIGHEST_SCORE: f32 = 100.0;

impl Unseen {
    /// What an unseen move gets in a list of scores before [`complete`](Self::complete).
    #[inline(always)]
    pub(crate) fn mark(self) -> f32 {
        match self {
            Unseen::Highest => HIGHEST_SCORE,
            Unseen::Average => f32::NAN,
        }
    }

    /// Replaces the marks in a list of scores.
    #[inline(always)]
    pub(crate) fn complete(self, scores: &mut [f32]) {
        if self == Unseen::Highest {
            return;
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for score in scores.iter().filter(|score| !score.is_nan()) {
            sum += score;
            count += 1.0;
        }
        let mean = if count > 0.0 { sum / count } else { HIGHEST_SCORE };
        scores.iter_mut().filter(|score| score.is_nan()).for_each(|score| *score = mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(unseen: Unseen, scores: &[Option<f32>]) -> Vec<f32> {
        let mut list: Vec<f32> = scores.iter().map(|score| score.unwrap_or(unseen.mark())).collect();
        unseen.complete(&mut list);
        list
    }

    #[test]
    fn unseen_moves_count_the_highest_goal_or_the_mean_of_the_others() {
        let scores = [Some(20.0), None, Some(60.0), None];
        assert_eq!(completed(Unseen::Highest, &scores), [20.0, 100.0, 60.0, 100.0]);
        assert_eq!(completed(Unseen::Average, &scores), [20.0, 40.0, 60.0, 40.0]);
        assert_eq!(completed(Unseen::Average, &[None, None]), [100.0, 100.0], "nothing is known");
        assert_eq!(completed(Unseen::Average, &[]), [0.0; 0]);
    }
}
