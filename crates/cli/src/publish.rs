//! `--publish URL`: what is played is seen on the page (`ludex web`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use ludex_arena::player::{Listener, Notice};
use ludex_arena::{Details, End, MatchRecord, MoveReport, PlayerDetails};
use ludex_lab::{ExperimentFile, FormName, RunOptions, Summary, Watcher};
use ludex_web::publish::{MatchFeed, Publisher};

/// The option.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Publish {
    /// Show it live on the page at this address, as `ludex web` prints it. A page that does not answer
    /// changes nothing
    #[arg(long, value_name = "URL")]
    publish: Option<String>,
}

impl Publish {
    /// The page, if one is given.
    pub(crate) fn page(&self) -> Result<Option<Publisher>> {
        Ok(self.publish.as_deref().map(Publisher::new).transpose()?)
    }

    /// Runs an experiment; its progress, and its matches while they are played, are on the page.
    pub(crate) fn run(
        &self,
        title: &str,
        file: &ExperimentFile,
        form: FormName,
        options: &RunOptions,
        watcher: &mut dyn Watcher,
    ) -> Result<Summary> {
        let Some(page) = self.page()? else { return Ok(ludex_lab::run(file, form, options, watcher)?) };
        let mut watcher = page.watch_run(title, watcher);
        Ok(ludex_lab::run_watched(file, form, options, &mut watcher, Some(&page))?)
    }
}

/// A match of a serving player.
struct Served {
    feed: MatchFeed,
    roles: usize,
    role: usize,
}

/// Publishes the matches of a serving player, and passes its notices on. Nothing here waits: notices
/// come on the thread that answers.
pub(crate) fn listener(page: Publisher, spec: String, then: Option<Listener>) -> Listener {
    let matches: Mutex<BTreeMap<String, Served>> = Mutex::default();
    Arc::new(move |notice: &Notice<'_>| {
        let mut matches = matches.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::Started { id, role, roles, .. } => {
                let known = roles.iter().position(|known| known == role);
                let record = record(notice, &spec);
                if let (Some(role), Some(feed)) = (known, record.and_then(|record| page.match_feed(&record)))
                {
                    matches.insert((*id).to_owned(), Served { feed, roles: roles.len(), role });
                }
            }
            Notice::Position { id, moves } => {
                if let Some(served) = matches.get(*id) {
                    served.feed.history(moves);
                }
            }
            Notice::Moved { id, chosen: Some(chosen), value, playouts, took, .. } => {
                if let Some(Served { feed, roles, role }) = matches.get(*id) {
                    let report = MoveReport {
                        chosen: (*chosen).to_owned(),
                        value: *value,
                        playouts: *playouts,
                        seconds: took.as_secs_f64(),
                        ..MoveReport::default()
                    };
                    feed.thought(*roles, *role, report);
                }
            }
            Notice::Ended { id, goals, aborted, .. } => {
                if let Some(served) = matches.remove(*id) {
                    let goals: Option<Vec<u8>> = goals.iter().map(|(_, goal)| *goal).collect();
                    let end = if *aborted { End::Aborted } else { End::Finished };
                    served.feed.ended(goals.unwrap_or_default(), end);
                }
            }
            Notice::Moved { .. } | Notice::Note { .. } => {}
        }
        drop(matches);
        if let Some(then) = &then {
            then(notice);
        }
    })
}

/// The head of the record of a match that begins: who the others are is not known.
fn record(notice: &Notice<'_>, spec: &str) -> Option<MatchRecord> {
    let Notice::Started { id, role, roles, rules, start_clock, play_clock } = notice else { return None };
    let name = |known: &String| if known == role { spec.to_owned() } else { "unknown".to_owned() };
    let players: Vec<String> = roles.iter().map(name).collect();
    let game: String = id.split(['.', ' ']).next().unwrap_or("game").chars().take(60).collect();
    let details = |spec: &String| PlayerDetails { spec: spec.clone(), settings: BTreeMap::new() };
    Some(MatchRecord {
        match_id: (*id).to_owned(),
        start_time: 0,
        random_token: String::new(),
        game_meta_url: None,
        is_completed: false,
        is_aborted: false,
        states: Vec::new(),
        moves: Vec::new(),
        state_times: Vec::new(),
        errors: Vec::new(),
        goal_values: Vec::new(),
        start_clock: start_clock.as_secs_f64(),
        play_clock: play_clock.as_secs_f64(),
        preview_clock: -1.0,
        is_player_human: vec![false; roles.len()],
        tournament_name_from_host: None,
        scrambled: false,
        ludex: Some(Details {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game,
            rules: (*rules).to_owned(),
            roles: roles.to_vec(),
            players: players.iter().map(details).collect(),
            engine: String::new(),
            seed: 0,
            playouts: None,
            shuffled: false,
            pondering: false,
            threads: 1,
            words: Vec::new(),
            end: End::Aborted,
            goals_from: String::new(),
            finish_time: 0,
            thinking: Vec::new(),
        }),
        player_names_from_host: players,
    })
}
