//! What the machine would do: a search on a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use ludex_arena::MatchSetup;
use ludex_engine::{Player, PlayerError, SearchRunner, default_player};
use ludex_game::{FactId, Game, MoveId, RoleId};
use ludex_search::{Budget, SearchContext, Stop, Watch};

use super::entry::spoken;
use super::messages::Message;

/// How hints are searched for.
#[derive(Clone)]
pub(crate) struct Adviser {
    pub(crate) player: Player,
    pub(crate) time: Duration,
    /// Instead of the time.
    pub(crate) playouts: Option<u64>,
    pub(crate) seed: u64,
    pub(crate) memory: usize,
}

/// The result of a search, in words.
pub(crate) struct Hint {
    /// Number of joint moves in the position that was searched.
    pub(crate) step: usize,
    pub(crate) text: String,
    /// The own moves of the expected continuation, as rules spell them: with one role, the plan.
    pub(crate) plan: Vec<String>,
}

impl Adviser {
    /// The strongest player, with as much time as the players of the match.
    pub(crate) fn new(setup: &MatchSetup, roles: usize) -> Result<Self, PlayerError> {
        let player = Player::new(default_player(roles))?;
        let (time, playouts, seed, memory) = (setup.play_clock, setup.playouts, setup.seed, setup.memory);
        Ok(Self { player, time, playouts, seed, memory })
    }

    /// Searches a position, given by its facts, for a role; the hint comes as a message.
    pub(crate) fn ask(
        &self,
        game: &Arc<dyn Game>,
        facts: Vec<String>,
        step: usize,
        role: usize,
        stop: &Stop,
        sender: &Sender<Message>,
    ) {
        let (adviser, game) = (self.clone(), Arc::clone(game));
        let (stop, sender) = (stop.clone(), sender.clone());
        let to = sender.clone();
        let work = move || {
            let found = adviser.search(&game, &facts, role, stop);
            let (text, plan) = found.unwrap_or_else(|why| (why, Vec::new()));
            // If the screen is gone, nobody waits.
            let _ = sender.send(Message::Hint(Hint { step, text, plan }));
        };
        if let Err(error) = std::thread::Builder::new().name("hint".to_owned()).spawn(work) {
            let text = format!("No hint: {error}");
            let _ = to.send(Message::Hint(Hint { step, text, plan: Vec::new() }));
        }
    }

    /// The hint and the plan, or why there is none.
    fn search(
        &self,
        game: &Arc<dyn Game>,
        facts: &[String],
        role: usize,
        stop: Stop,
    ) -> Result<(String, Vec<String>), String> {
        const SHOWN: usize = 4;
        let ids: Option<Vec<FactId>> = facts.iter().map(|fact| game.find_fact(fact)).collect();
        let mut ids = ids.ok_or("No hint: the engine does not know the position.")?;
        ids.sort_unstable();
        let state = game.state_with(&ids);
        let player = self.player.clone();
        let context =
            SearchContext { game: Arc::clone(game), role: RoleId::new(role), seed: self.seed, threads: 1 };
        let mut runner = SearchRunner::new(Arc::new(move |context| player.search(context)), context);
        let deadline = self.playouts.is_none().then(|| Instant::now() + self.time);
        let budget =
            Budget { deadline, playouts: self.playouts, memory: self.memory, stop, watch: Watch::new() };
        let found = runner.set_root(&state).and_then(|()| runner.think(&budget));
        let found = found.and_then(|_| runner.report()).map_err(|fault| format!("No hint: {fault}"))?;
        let own_move = |joint: &Vec<MoveId>| joint.get(role).map(|&id| game.move_name(id));
        let plan = found.principal_variation.iter().filter_map(own_move).collect();
        let report = found.named(SHOWN, |id| spoken(&game.move_name(id)).to_owned());
        let best = report.best.as_ref().ok_or("No hint: there is no move.")?;
        let value =
            |values: &[f64]| values.get(role).map_or_else(String::new, |value| format!(" {value:.0}"));
        let own = report.chosen().map_or_else(String::new, |chosen| value(&chosen.values));
        let others: Vec<String> = report
            .candidates
            .iter()
            .filter(|candidate| candidate.id != *best)
            .map(|candidate| format!("{}{}", candidate.id, value(&candidate.values)))
            .collect();
        let others = if others.is_empty() { String::new() } else { format!("; then {}", others.join(", ")) };
        Ok((format!("Hint: {best}{own}{others} (expected goals, {} playouts)", report.playouts), plan))
    }
}
