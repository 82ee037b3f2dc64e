//! Options of a tree search; the presets of the papers are values of [`UctOptions`].

use ludex_game::Game;

use crate::parallel::Parallel;
use crate::playout::{
    MastRanked, NoopContexts, Noops, Past, Sampling, ScorePolicy, Strategy, Uniform, Unseen, WithChance,
    lgr_mast, lgr_nst, mast, nst,
};
use crate::selection::{Selection, UrgentUcb};
use crate::utility::Utility;

/// The playout policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// Uniformly random moves.
    Uniform,
    /// Uniform playouts; MAST values decide among untried moves of the tree, by Gibbs measure:
    /// CP_imp.
    Untried,
    /// MAST: mean rewards of moves.
    Mast,
    /// NST: mean rewards of N-grams.
    Nst,
    /// LGRF-2, with MAST where there is no reply.
    LgrMast,
    /// LGRF-2, with NST where there is no reply.
    LgrNst,
    /// PAST: mean rewards of moves where a fact holds.
    Past,
}

/// The final move selection (G. Chaslot, M. Winands, H. J. van den Herik, J. Uiterwijk, B. Bouzy,
/// Progressive strategies for Monte-Carlo tree search, 2008: max child, robust child, secure
/// child).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Max child, as in the papers, if simulations run one by one; otherwise secure child. Among
    /// the results of the last batch a move with few visits may look best by luck, and it is never
    /// sampled again.
    Auto,
    /// Max child: the highest mean return.
    MaxChild,
    /// Robust child: the most visits.
    RobustChild,
    /// Secure child: the highest lower bound of the mean return, `Q(a) - σ / √N(a)`, where σ is
    /// half of the range of returns.
    SecureChild,
}

/// Lane refilling: whether idle lanes start new leaves while other playouts go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refill {
    /// If it is faster, in searches with a deadline. With a playout limit there is nothing to gain,
    /// and whole batches are easier to compare.
    Auto,
    /// Always, except for lane-by-lane policies.
    Always,
    /// Never: all playouts of a batch end before the next batch begins.
    Never,
}

/// Options of a tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UctOptions {
    /// Whether selection uses UCB1; otherwise it is uniform.
    pub ucb: bool,
    /// Exploration constant C_p, on the scale of goals.
    pub exploration: f64,
    /// First-play urgency: bonus of untried moves over the mean return of the node; none: they come
    /// first.
    pub urgency: Option<f64>,
    /// Whether selection uses the variance bound of UCB1-tuned.
    pub tuned: bool,
    /// Whether the exploration constant is scaled by the range of returns seen.
    pub normalize: bool,
    /// RAVE equivalence parameter k, in visits; 0: no RAVE.
    pub rave: f64,
    /// Discount factor γ per step.
    pub discount: f64,
    /// The playout policy.
    pub policy: Policy,
    /// Sample moves by Gibbs measure instead of ε-greedily.
    pub gibbs: bool,
    /// Temperature τ of the Gibbs measure.
    pub temperature: f64,
    /// ε of the ε-greedy policy.
    pub epsilon: f64,
    /// How often a bigram or trigram must have occurred to count.
    pub k: u64,
    /// How often a fact and a move must have occurred together to count.
    pub threshold: u64,
    /// The score of moves that were never made.
    pub unseen: Unseen,
    /// Whether the contexts of N-grams and replies count no-ops.
    pub noops: NoopContexts,
    /// Leaves per batch; 0: chosen by game and time.
    pub batch: usize,
    /// Playouts per leaf; 0: chosen by game and time.
    pub playouts: u32,
    /// Lane refilling.
    pub refill: Refill,
    /// Whether a state that is reached by several paths is one node.
    pub transpositions: bool,
    /// Whether proved bounds on goals are carried up the tree (`uct/solver.rs`).
    pub solver: bool,
    /// How often a move must have been made before, in leaves, for a node behind it. 0: the first
    /// visit adds a node.
    pub expand: u32,
    /// Whether the least visited subtrees are freed when memory is full (`uct/recycling.rs`).
    pub recycle: bool,
    /// The final move selection.
    pub decision: Decision,
    /// How threads share the work.
    pub parallel: Parallel,
}

impl Default for UctOptions {
    /// CP_uct.
    fn default() -> Self {
        Self {
            ucb: true,
            exploration: 40.0,
            urgency: None,
            tuned: false,
            normalize: false,
            rave: 0.0,
            discount: 0.99,
            policy: Policy::Uniform,
            gibbs: false,
            temperature: 10.0,
            epsilon: 0.2,
            k: 7,
            threshold: 3,
            unseen: Unseen::Highest,
            noops: NoopContexts::Count,
            batch: 0,
            playouts: 0,
            refill: Refill::Auto,
            transpositions: true,
            solver: false,
            expand: 0,
            recycle: false,
            decision: Decision::Auto,
            parallel: Parallel::Tree,
        }
    }
}

impl UctOptions {
    /// The final move selection for a number of threads.
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
            true if self.urgency.is_some() || self.tuned => Selection::Urgent(UrgentUcb {
                exploration: self.exploration,
                urgency: self.urgency.unwrap_or(f64::INFINITY),
                is_tuned: self.tuned,
                range: (-100.0, 100.0),
            }),
            true => Selection::Ucb1(self.exploration),
            false => Selection::Uniform,
        }
    }

    /// Whether selection uses RAVE.
    pub(super) fn uses_rave(&self) -> bool {
        self.ucb && self.rave > 0.0
    }

    /// Whether the policy or its learning runs lane by lane, not for all lanes at once.
    pub(super) fn is_lane_by_lane(&self) -> bool {
        match self.policy {
            Policy::Uniform | Policy::Untried => self.uses_rave(),
            Policy::Mast => self.gibbs || self.uses_rave() || self.unseen == Unseen::Average,
            _ => true,
        }
    }

    pub(super) fn strategy(&self, utility: &Utility, game: &dyn Game) -> Box<dyn Strategy> {
        let strategy = self.strategy_of_players(utility, game);
        match utility.has_chance() {
            true => Box::new(WithChance::new(strategy, utility.clone())),
            false => strategy,
        }
    }

    /// The options for the batch sizer: in games with chance, MAST sees every choice, as with Gibbs
    /// measure.
    pub(super) fn for_batch_sizer(&self, utility: &Utility) -> Self {
        Self { gibbs: self.gibbs || utility.has_chance(), ..*self }
    }

    fn strategy_of_players(&self, utility: &Utility, game: &dyn Game) -> Box<dyn Strategy> {
        let (roles, unseen) = (utility.roles(), self.unseen);
        // A ranking cannot make one role uniform, nor score a move by the others of its state.
        let sees_choices =
            self.gibbs || self.uses_rave() || utility.has_chance() || unseen == Unseen::Average;
        let gibbs = Sampling::Gibbs(self.temperature);
        let choice = if self.gibbs { gibbs } else { Sampling::EpsilonGreedy(self.epsilon) };
        let by_score = |policy: ScorePolicy| Box::new(policy.with_unseen(unseen));
        let in_context = |policy: ScorePolicy| {
            by_score(policy.with_noops((self.noops == NoopContexts::Skip).then(|| Noops::of(game))))
        };
        match self.policy {
            Policy::Uniform => Box::new(Uniform),
            // RAVE records the moves of playouts, which a ranking does not show.
            Policy::Untried if self.uses_rave() => {
                by_score(mast(roles, gibbs).in_playouts(Sampling::EpsilonGreedy(1.0)))
            }
            Policy::Untried => Box::new(MastRanked::new(roles, 1.0, gibbs, unseen)),
            Policy::Mast if sees_choices => by_score(mast(roles, choice)),
            Policy::Mast => Box::new(MastRanked::new(roles, self.epsilon, choice, unseen)),
            Policy::Past => Box::new(Past::new(roles, self.threshold, choice, unseen)),
            Policy::Nst => in_context(nst(roles, self.k, choice)),
            Policy::LgrMast => in_context(lgr_mast(roles, choice)),
            Policy::LgrNst => in_context(lgr_nst(roles, self.k, choice)),
        }
    }
}
