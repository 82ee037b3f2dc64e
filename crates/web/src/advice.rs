//! What the machine would do in a position, and what it expects: once for a hint, or again and again
//! while it thinks, for those who want to look inside.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use ludex_engine::{Player, SearchRunner};
use ludex_game::{FactId, Game, RoleId, State};
use ludex_search::{Budget, Question as Look, SearchContext, SearchReport, StopReason, Watch};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, channel};

use crate::reply::Refusal;
use crate::searches::{Open, ShownLine, lines};

/// Who gives advice: the default player without its prover. Where that knows the best move at once, the
/// others would have no visits and no values to be shown.
const ADVISER: &str = "ludex:prover=0";

/// How long a hint is searched for.
const TIME: Duration = Duration::from_secs(1);
/// How long those who look inside can do so before they have to ask again.
const LONGEST: Duration = Duration::from_secs(120);
/// How often they get news.
const SLICE: Duration = Duration::from_millis(200);
/// How often a search that is finished looks for questions.
const PAUSE: Duration = Duration::from_millis(30);
/// Continuations in an advice.
const LINES: usize = 4;
/// Moves in an advice.
const SHOWN: usize = 12;
/// Steps of the expected continuation.
const LINE: usize = 10;
/// Memory of the search.
const MEMORY: usize = 256 << 20;

/// A move with what it is worth.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Advised {
    #[serde(rename = "move")]
    name: String,
    /// Expected goal of the role, 0 to 100.
    value: Option<f64>,
    visits: u64,
    /// Whether the value is proved.
    proved: bool,
}

/// An advice: the best moves first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Advice {
    role: usize,
    moves: Vec<Advised>,
    /// How many moves there are in all.
    all: usize,
    /// By role: the expected goal of the position.
    values: Vec<f64>,
    /// The expected continuation, as joint moves.
    line: Vec<Vec<String>>,
    /// The best continuations, each with another first move; none if the search has no tree.
    lines: Vec<ShownLine>,
    /// Where its tree can be asked, while it thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    playouts: u64,
    nodes: u64,
    depth: u32,
    memory: usize,
    seconds: f64,
    /// Nothing is left to search.
    finished: bool,
}

impl Advice {
    fn of(report: &SearchReport, game: &dyn Game, role: usize, finished: bool) -> Self {
        let all = report.candidates.len();
        let report = report.named(SHOWN, |id| game.move_name(id));
        let best = report.best.clone();
        let mut moves: Vec<Advised> = report
            .candidates
            .iter()
            .map(|candidate| Advised {
                name: candidate.id.clone(),
                value: candidate.values.get(role).copied().filter(|value| value.is_finite()),
                visits: candidate.visits,
                proved: candidate.proof.is_some_and(|proof| proof.is_exact()),
            })
            .collect();
        moves.sort_by_key(|advised| Some(&advised.name) != best.as_ref());
        Self {
            role,
            moves,
            all,
            values: report.values.iter().copied().filter(|value| value.is_finite()).collect(),
            line: report.principal_variation.into_iter().take(LINE).collect(),
            lines: Vec::new(),
            search: None,
            playouts: report.playouts,
            nodes: report.nodes,
            depth: report.depth,
            memory: report.memory,
            seconds: report.elapsed.as_secs_f64(),
            finished,
        }
    }
}

/// A position to think about.
pub(crate) struct Question {
    game: Arc<dyn Game>,
    state: State,
    role: usize,
}

impl Question {
    /// The position with these facts, for a role; if that has no choice, for the first that has.
    pub(crate) fn new(game: &Arc<dyn Game>, facts: &[String], role: Option<usize>) -> Result<Self, Refusal> {
        let ids: Option<Vec<FactId>> = facts.iter().map(|fact| game.find_fact(fact)).collect();
        let Some(mut ids) = ids else {
            return Err(Refusal::conflict("the position is not known to the engine"));
        };
        ids.sort_unstable();
        let state = game.state_with(&ids);
        let view = game.view(&state).map_err(|failure| Refusal::conflict(failure.to_string()))?;
        let chooses = |role: &usize| view.legal.get(*role).is_some_and(|legal| legal.len() > 1);
        let chance = |role: &usize| game.roles().get(*role).is_some_and(|role| ludex_search::is_chance(role));
        let found = role.filter(chooses).or_else(|| (0..view.legal.len()).find(|r| chooses(r) && !chance(r)));
        match found {
            Some(role) => Ok(Self { game: Arc::clone(game), state, role }),
            None => Err(Refusal::conflict("nobody has a choice here")),
        }
    }

    fn runner(&self) -> Result<SearchRunner, Refusal> {
        let player = Player::new(ADVISER).map_err(|error| Refusal::broken(error.to_string()))?;
        let context =
            SearchContext { game: Arc::clone(&self.game), role: RoleId::new(self.role), seed: 1, threads: 1 };
        let mut runner = SearchRunner::new(Arc::new(move |context| player.search(context)), context);
        runner.set_root(&self.state).map_err(|fault| Refusal::conflict(fault.to_string()))?;
        Ok(runner)
    }

    /// Thinks for a while.
    fn think(&self, runner: &mut SearchRunner, time: Duration, watch: &Watch) -> Result<Advice, Refusal> {
        let deadline = Some(Instant::now() + time);
        let watch = watch.clone();
        let budget = Budget { deadline, playouts: None, memory: MEMORY, watch, ..Budget::playouts(0) };
        let root = Look { path: Vec::new(), lines: LINES, steps: LINE };
        let found =
            runner.think(&budget).and_then(|reason| Ok((reason, runner.report()?, runner.look(&root)?)));
        let (reason, report, look) = found.map_err(|fault| Refusal::conflict(fault.to_string()))?;
        let mut advice = Advice::of(&report, &*self.game, self.role, reason == StopReason::Finished);
        if let Ok(look) = look {
            advice.lines = lines(&look.named(|id| self.game.move_name(id)));
        }
        Ok(advice)
    }

    /// A hint.
    pub(crate) fn hint(&self) -> Result<Advice, Refusal> {
        self.think(&mut self.runner()?, TIME, &Watch::new())
    }

    /// News of a search on a thread of its own, as JSON, until nobody listens any more. The permit is
    /// held as long.
    pub(crate) fn look_inside(
        self,
        permit: OwnedSemaphorePermit,
        open: Open,
    ) -> Result<Receiver<Bytes>, Refusal> {
        let (sender, receiver) = channel(2);
        let work = move || {
            let _permit = permit;
            let begun = Instant::now();
            let Ok(mut runner) = self.runner() else { return };
            let mut finished = false;
            while begun.elapsed() < LONGEST && !sender.is_closed() {
                if finished {
                    // The tree can still be unfolded.
                    std::thread::sleep(PAUSE);
                } else {
                    let Ok(mut advice) = self.think(&mut runner, SLICE, open.watch()) else { return };
                    advice.search = Some(open.id().to_owned());
                    finished = advice.finished;
                    let text = serde_json::to_string(&advice).unwrap_or_default();
                    // Whoever left closed the channel.
                    if sender.blocking_send(Bytes::from(text)).is_err() {
                        return;
                    }
                }
                if runner.answer(open.watch()).is_err() {
                    return;
                }
            }
        };
        let spawned = std::thread::Builder::new().name("inside".to_owned()).spawn(work);
        spawned.map_err(|error| Refusal::busy(format!("no thread to think: {error}")))?;
        Ok(receiver)
    }
}
