//! What the HTTP player keeps of a match (`player/log.rs`), as a record.
//!
//! A player knows the rules, the joint moves and its own thoughts; the states follow from the
//! rules. Moves that it only guessed (percepts instead of moves) are not taken over: the record
//! ends there.

use std::collections::BTreeMap;

use ludex_game::{Game, MoveId};
use ludex_gdl::{Source, load};
use ludex_reasoner::Reference;
use serde_json::Value;

use super::{Details, End, MatchRecord, MoveReport, PlayerDetails, RecordError, terms};

/// Who plays the other roles: the player is not told.
const UNKNOWN: &str = "unknown";

/// What stands in a log.
#[derive(Default)]
struct Log {
    start: Value,
    /// Joint moves that the player was told.
    moves: Vec<Vec<String>>,
    /// By step: when it was reached.
    times: Vec<u64>,
    /// By step: what the player thought there.
    thinking: BTreeMap<usize, MoveReport>,
    goals: Option<Vec<Option<u8>>>,
    /// When the last message came, and when anything happened last.
    asked: u64,
    last: u64,
}

impl MatchRecord {
    /// Whether bytes begin like a log of the HTTP player.
    pub fn is_log(bytes: &[u8]) -> bool {
        let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        serde_json::from_slice::<Value>(first).is_ok_and(|line| line["event"] == "start")
    }

    /// Reads a log of the HTTP player. A last line that is cut short is left out.
    pub fn from_log(bytes: &[u8]) -> Result<Self, RecordError> {
        let log = Log::read(bytes)?;
        let wrong = |what: String| RecordError::Inconsistent(what);
        let text = |key: &str| log.start[key].as_str().unwrap_or_default().to_owned();
        let (id, rules) = (text("id"), text("rules"));
        let loaded = load(&Source::new(&*id, rules.as_bytes())).playable();
        let loaded = loaded.map_err(|_| wrong("the rules in it have errors".to_owned()))?;
        let game = Reference::new(loaded).map_err(|failure| wrong(failure.to_string()))?;
        let role = game.find_role(&text("role").to_lowercase());
        let role = role.ok_or_else(|| wrong(format!("the rules have no role `{}`", text("role"))))?.index();
        let mut state = game.initial();
        let mut states = vec![terms::state(&game.describe(&state))];
        for (at, joint) in log.moves.iter().enumerate() {
            let ids: Option<Vec<MoveId>> = joint.iter().map(|name| game.find_move(name)).collect();
            let ids = ids.filter(|ids| ids.len() == game.roles().len());
            let ids = ids.ok_or_else(|| wrong(format!("step {} has unknown moves", at + 1)))?;
            state = game.next(&state, &ids).map_err(|failure| wrong(failure.to_string()))?;
            states.push(terms::state(&game.describe(&state)));
        }
        let goals: Option<Vec<u8>> = log.goals.iter().flatten().copied().collect();
        let goals = goals.filter(|goals| goals.len() == game.roles().len());
        let roles = game.roles().len();
        let player = |at: usize| if at == role { text("player") } else { UNKNOWN.to_owned() };
        let players: Vec<String> = (0..roles).map(player).collect();
        let settings = BTreeMap::new;
        let reports = |step: usize| {
            let mut row: Vec<Option<MoveReport>> = vec![None; roles];
            row[role] = log.thinking.get(&step).cloned();
            row
        };
        let start = log.start["time"].as_u64().unwrap_or_default();
        Ok(MatchRecord {
            match_id: id.clone(),
            start_time: start,
            random_token: String::new(),
            game_meta_url: None,
            is_completed: goals.is_some(),
            is_aborted: goals.is_none(),
            state_times: (0..states.len()).map(|at| log.times.get(at).copied().unwrap_or(start)).collect(),
            errors: vec![vec![String::new(); roles]; states.len()],
            states,
            moves: log
                .moves
                .iter()
                .map(|joint| joint.iter().map(|name| name.to_lowercase()).collect())
                .collect(),
            start_clock: log.start["start_clock"].as_f64().unwrap_or_default(),
            play_clock: log.start["play_clock"].as_f64().unwrap_or_default(),
            preview_clock: -1.0,
            player_names_from_host: players.clone(),
            is_player_human: vec![false; roles],
            tournament_name_from_host: None,
            scrambled: false,
            ludex: Some(Details {
                version: text("version"),
                game: id,
                rules,
                roles: game.roles().to_vec(),
                players: players
                    .into_iter()
                    .map(|spec| PlayerDetails { spec, settings: settings() })
                    .collect(),
                engine: "reference".to_owned(),
                seed: 0,
                playouts: None,
                shuffled: false,
                pondering: false,
                threads: 1,
                words: Vec::new(),
                end: if goals.is_some() { End::Finished } else { End::Aborted },
                goals_from: String::new(),
                finish_time: log.last,
                thinking: (0..log.moves.len()).map(reports).collect(),
            }),
            goal_values: goals.unwrap_or_default(),
        })
    }
}

impl Log {
    fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        let mut log = Self::default();
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let Ok(entry) = serde_json::from_slice::<Value>(line) else { break };
            log.add(entry);
        }
        if log.start.is_null() {
            return Err(RecordError::Inconsistent("it does not begin with the start of a match".to_owned()));
        }
        Ok(log)
    }

    fn add(&mut self, entry: Value) {
        self.last = entry["time"].as_u64().unwrap_or(self.last);
        match entry["event"].as_str() {
            Some("start") if self.start.is_null() => {
                self.times.push(self.last);
                self.start = entry;
            }
            Some("message") => self.asked = self.last,
            Some("thinking") => {
                if let Some(step) = self.position(&entry)
                    && let Some(report) = self.report(&entry)
                {
                    self.thinking.insert(step, report);
                }
            }
            Some("result") if self.position(&entry).is_some() => {
                self.goals = serde_json::from_value(entry["goals"].clone()).ok().flatten();
            }
            _ => {}
        }
    }

    /// The number of joint moves before, if they are known. A player may have been told that an
    /// earlier step was another one.
    fn position(&mut self, entry: &Value) -> Option<usize> {
        let step = usize::try_from(entry["step"].as_u64()?).ok()?;
        if entry["guessed"] == true || step > self.moves.len() + 1 {
            return None;
        }
        self.moves.truncate(step.saturating_sub(1));
        self.times.truncate(step.max(1));
        if step > 0 {
            self.moves.push(serde_json::from_value(entry["moves"].clone()).ok()?);
            self.times.push(self.asked);
        }
        Some(step)
    }

    fn report(&self, entry: &Value) -> Option<MoveReport> {
        let number = |key: &str| entry[key].as_u64().unwrap_or_default();
        Some(MoveReport {
            chosen: entry["move"].as_str()?.to_owned(),
            value: entry["value"].as_f64(),
            visits: number("visits"),
            playouts: number("playouts"),
            nodes: number("nodes"),
            principal_variation: serde_json::from_value(entry["line"].clone()).unwrap_or_default(),
            seconds: self.last.saturating_sub(self.asked) as f64 / 1000.0,
            ..MoveReport::default()
        })
    }
}
