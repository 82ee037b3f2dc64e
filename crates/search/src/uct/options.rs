//! What can be set in a tree search; the presets of the papers are values of this.

use crate::parallel::Parallel;
use crate::playout::{
    MastRanked, Past, Sampling, Strategy, Uniform, WithChance, lgr_mast, lgr_nst, mast, nst,
};
use crate::selection::Selection;
use crate::utility::Utility;

/// How playouts choose moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// Uniformly.
    Uniform,
    /// Averages of moves decide among untried moves of the tree, by Gibbs measure; playouts are uniform: CP_imp.
    Untried,
    /// Averages of moves.
    Mast,
    /// Averages of sequences of moves.
    Nst,
    /// Last good replies, or averages of moves.
    LgrMast,
    /// Last good replies, or averages of sequences.
    LgrNst,
    /// Averages of moves where facts hold.
    Past,
}

/// Which move is made in the end (G. Chaslot, M. Winands, H. J. van den Herik, J. Uiterwijk, B. Bouzy, Progressive strategies
/// for Monte-Carlo tree search, 2008: max child, robust child, secure child).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The best mean return, as the papers have it, if simulations go one by one; otherwise the best lower bound: of what
    /// comes back together at the end, a move with few visits may look best by luck, and nobody goes there again to see.
    Auto,
    /// The best mean return.
    MaxChild,
    /// The most visits.
    RobustChild,
    /// The best lower bound of the mean return, `Q(a) - σ / √N(a)`, where σ is half of the range of returns.
    SecureChild,
}

/// Whether lanes whose playouts are over take up new leaves while others go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refill {
    /// Where time decides: it makes more of it. With a given number of playouts there is nothing to gain, and what comes back together is easier
    /// to compare.
    Auto,
    /// Always; where choices are not made lane by lane.
    Always,
    /// All playouts of a batch come to their end before the next begins.
    Never,
}

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UctOptions {
    /// Whether moves of the tree are chosen by upper confidence bounds; by chance if not.
    pub ucb: bool,
    /// Exploration constant C_p, on the scale of goals.
    pub exploration: f64,
    /// Visits until what moves gave when they were made later counts half; 0: it does not count.
    pub rave: f64,
    /// Discount γ a step.
    pub discount: f64,
    /// How playouts choose.
    pub policy: Policy,
    /// Choose by Gibbs measure instead of ε-greedily.
    pub gibbs: bool,
    /// Temperature τ of the Gibbs measure.
    pub temperature: f64,
    /// ε of the ε-greedy choice.
    pub epsilon: f64,
    /// How often longer sequences must have been seen to count.
    pub k: u64,
    /// How often a fact and a move must have been seen together to count.
    pub threshold: u64,
    /// Leaves of the tree that are simulated at once; 0: as suits the game and the time.
    pub batch: usize,
    /// Playouts behind each; 0: as suits the game and the time.
    pub playouts: u32,
    /// Whether lanes are refilled.
    pub refill: Refill,
    /// One node for a state that is reached in several ways.
    pub transpositions: bool,
    /// Which move is made in the end.
    pub decision: Decision,
    /// How several threads search together.
    pub parallel: Parallel,
}

impl Default for UctOptions {
    /// CP_uct.
    fn default() -> Self {
        Self {
            ucb: true,
            exploration: 40.0,
            rave: 0.0,
            discount: 0.99,
            policy: Policy::Uniform,
            gibbs: false,
            temperature: 10.0,
            epsilon: 0.2,
            k: 7,
            threshold: 3,
            batch: 0,
            playouts: 0,
            refill: Refill::Auto,
            transpositions: true,
            decision: Decision::Auto,
            parallel: Parallel::Tree,
        }
    }
}

impl UctOptions {
    /// Which move so many threads make in the end.
    pub(super) fn decision(&self, threads: usize) -> Decision {
        match self.decision {
            Decision::Auto if threads == 1 && self.batch == 1 => Decision::MaxChild,
            Decision::Auto => Decision::SecureChild,
            decided => decided,
        }
    }

    pub(super) fn selection(&self) -> Selection {
        match self.ucb {
            true if self.uses_rave() => Selection::Rave(self.exploration, self.rave),
            true => Selection::Ucb1(self.exploration),
            false => Selection::Uniform,
        }
    }

    /// Whether what moves gave later is asked for.
    pub(super) fn uses_rave(&self) -> bool {
        self.ucb && self.rave > 0.0
    }

    /// Whether choices or what is learned from them are made lane by lane, and not for all lanes at once.
    pub(super) fn is_lane_by_lane(&self) -> bool {
        match self.policy {
            Policy::Uniform | Policy::Untried => self.uses_rave(),
            Policy::Mast => self.gibbs || self.uses_rave(),
            _ => true,
        }
    }

    pub(super) fn strategy(&self, utility: &Utility) -> Box<dyn Strategy> {
        let strategy = self.strategy_of_players(utility);
        match utility.has_chance() {
            true => Box::new(WithChance::new(strategy, utility.clone())),
            false => strategy,
        }
    }

    /// The options as the pace sees them: with chance, MAST sees every choice, as with Gibbs measure.
    pub(super) fn for_batch_sizer(&self, utility: &Utility) -> Self {
        Self { gibbs: self.gibbs || utility.has_chance(), ..*self }
    }

    fn strategy_of_players(&self, utility: &Utility) -> Box<dyn Strategy> {
        let roles = utility.roles();
        // A ranking cannot leave one role to chance.
        let sees_choices = self.gibbs || self.uses_rave() || utility.has_chance();
        let gibbs = Sampling::Gibbs(self.temperature);
        let choice = if self.gibbs { gibbs } else { Sampling::EpsilonGreedy(self.epsilon) };
        // What was made in which playout is recorded lane by lane; a ranking does not tell that at all.
        let by_lane = self.uses_rave();
        match self.policy {
            Policy::Uniform => Box::new(Uniform),
            Policy::Untried if by_lane => {
                Box::new(mast(roles, gibbs, true).in_playouts(Sampling::EpsilonGreedy(1.0)))
            }
            Policy::Untried => Box::new(MastRanked::new(roles, 1.0, gibbs)),
            Policy::Mast if sees_choices => Box::new(mast(roles, choice, by_lane)),
            Policy::Mast => Box::new(MastRanked::new(roles, self.epsilon, choice)),
            Policy::Nst => Box::new(nst(roles, self.k, choice, by_lane)),
            Policy::LgrMast => Box::new(lgr_mast(roles, choice, by_lane)),
            Policy::Past => Box::new(Past::new(roles, self.threshold, choice)),
            Policy::LgrNst => Box::new(lgr_nst(roles, self.k, choice, by_lane)),
        }
    }
}
