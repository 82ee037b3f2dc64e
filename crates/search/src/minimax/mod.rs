//! The minimax family: look ahead, and judge by an evaluation what is too far away.
//!
//! | module | what it is |
//! |---|---|
//! | `evaluation` | the value of positions at the horizon: the interface, and the one that knows nothing |
//! | `current_goals` | the goals that hold already, as an evaluation |
//! | `value` | guesses with proved bounds, and how choices combine them |
//! | `levels` | who chooses in a state, in which order |
//! | `matrix_game` | simultaneous moves of two players, solved exactly |
//! | `guarantee` | one role against all others: the values of all searches but `maxn` |
//! | `batches` | the last steps before the horizon, in lanes |
//! | `table` | the transposition table |
//! | `ordering` | history and killer moves |
//! | `root` | the moves at the root, windows, the report |
//! | `alpha_beta` | `alphabeta` |
//! | `paranoid` | `paranoid`: what alpha-beta does with more players |
//! | `full_width` | iterative deepening without cutoffs |
//! | `plain`, `maxn` | `minimax`, `maxn` |
//! | `clune` | alpha-beta with features that random games have measured |
//! | `weighted` | features with weights, as an evaluation |
//! | `flux` | goals by fuzzy logic, as an evaluation |

mod alpha_beta;
mod batches;
mod clune;
mod current_goals;
mod evaluation;
mod flux;
mod full_width;
mod guarantee;
mod levels;
mod matrix_game;
mod maxn;
mod options;
mod ordering;
mod paranoid;
mod plain;
mod root;
mod table;
mod value;
mod weighted;

pub use alpha_beta::AlphaBeta;
pub use clune::{Clune, CluneOptions};
pub use current_goals::CurrentGoals;
pub use evaluation::{Evaluation, Neutral, Positions};
pub use flux::fuzzy_goals;
pub use maxn::MaxN;
pub use options::{AlphaBetaOptions, Simultaneous};
pub use plain::Minimax;
pub use weighted::FeatureWeights;
