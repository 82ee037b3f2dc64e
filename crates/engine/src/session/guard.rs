//! The guard: the thread that follows the match and has a legal move ready, whatever the search
//! does.

use std::sync::Arc;

use ludex_game::{Failure, Game, RoleId};

use super::follower::{Follower, History};
use super::state::{SharedState, Standing};
use crate::runner::catch_panic;
use crate::spelling::Spelling;

/// The guard of one engine.
#[derive(Clone)]
pub(super) struct Guard {
    pub shared: Arc<SharedState>,
    pub role: RoleId,
    pub spelling: Arc<Spelling>,
    /// Decides which legal move is picked.
    pub seed: u64,
    pub generation: u32,
}

impl Guard {
    /// Follows until the session is over or a better engine is there.
    pub(super) fn run(self, game: Arc<dyn Game>) {
        let (mut last, mut known) = (0, 0);
        let mut follower = None;
        while let Some(order) = self.shared.next_order(self.generation, last) {
            last = order.request;
            if order.serial == known {
                continue; // asked again about what was answered
            }
            known = order.serial;
            // After a panic nothing of the follower is used again.
            let mut mine = follower.take().unwrap_or_else(|| Follower::new(Arc::clone(&game)));
            let looked = catch_panic(|| {
                let looked = self.look(&mut mine, &order.histories, order.serial);
                (looked, mine)
            });
            let (at, standing) = match looked {
                Ok((Ok(found), mine)) => {
                    follower = Some(mine);
                    found
                }
                Ok((Err(failure), _)) => (0, Standing::Failed(failure.to_string())),
                Err(_) => (0, Standing::Failed("the engine panicked".to_owned())),
            };
            self.shared.standing(order.serial, at, standing);
        }
    }

    fn look(
        &self,
        follower: &mut Follower,
        histories: &[History],
        serial: u64,
    ) -> Result<(usize, Standing), Failure> {
        let Some((at, state)) = follower.follow(histories)? else { return Ok((0, Standing::Impossible)) };
        let game = follower.game();
        let view = game.view(&state)?;
        if view.terminal {
            let goals = game.goals(&state)?.iter().map(ludex_game::Goal::value).collect();
            return Ok((at, Standing::Over { goals }));
        }
        let legal = view.legal.get(self.role.index()).map_or(&[][..], Vec::as_slice);
        let mut legal: Vec<String> =
            legal.iter().map(|&id| self.spelling.apply(&game.move_name(id))).collect();
        // Ids differ between engines: sorted by name, every engine picks the same move.
        legal.sort_unstable();
        let mut random = fastrand::Rng::with_seed(self.seed.wrapping_add(serial));
        let Some(pick) = random.choice(&legal).cloned() else { return Ok((at, Standing::Stuck)) };
        Ok((at, Standing::Open { legal: Arc::new(legal), pick }))
    }
}
