//! Before a match begins: is it possible, who sits where, the first page of the record.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::rulebook::Rulebook;
use super::setup::{MatchSetup, Participant, SetupError};
use super::words::Words;
use crate::record::{Details, End, MatchRecord, PlayerDetails, terms};
use ludex_search::is_chance;

/// Longest clock: clocks are added to points in time, which end somewhere.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Who plays which role; none for chance.
pub(super) fn seated(
    rulebook: &Rulebook,
    setup: &MatchSetup,
    random: &mut fastrand::Rng,
) -> Result<Vec<Option<Participant>>, SetupError> {
    if setup.ponder && setup.playouts.is_some() {
        return Err(SetupError::PonderWithPlayouts);
    }
    let http = |player: &Participant| matches!(player, Participant::Http(_));
    if !setup.opening.is_empty() && setup.players.iter().any(http) {
        return Err(SetupError::OpeningWithHttp);
    }
    let clocks = [setup.start_clock, setup.play_clock, setup.grace];
    if let Some(clock) = clocks.into_iter().find(|&clock| clock > LONGEST) {
        return Err(SetupError::Clock(clock));
    }
    let word = |id: &String| {
        !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
    };
    if let Some(id) = setup.id.as_ref().filter(|id| !word(id)) {
        return Err(SetupError::Id(id.clone()));
    }
    let roles = rulebook.game().roles();
    if setup.players.len() != rulebook.seats() {
        let roles = roles.iter().filter(|role| !is_chance(role)).cloned().collect();
        return Err(SetupError::Players { roles, given: setup.players.len() });
    }
    let mut players = setup.players.clone();
    if setup.shuffle {
        random.shuffle(&mut players);
    }
    let mut players = players.into_iter();
    Ok(roles.iter().map(|role| if is_chance(role) { None } else { players.next() }).collect())
}

/// The record before the first state.
pub(super) fn first_record(
    rulebook: &Rulebook,
    setup: &MatchSetup,
    players: &[Option<Participant>],
    words: Option<&Words>,
) -> MatchRecord {
    // Not by the seed: it tells matches with the same seed apart.
    let mut random = fastrand::Rng::new();
    let random_token: String = std::iter::repeat_with(|| random.alphanumeric()).take(32).collect();
    let made_up = || {
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = rulebook.name().chars().map(word).collect();
        format!("{name}.{}.{}", setup.seed, &random_token[..8])
    };
    let chance = || PlayerDetails { spec: "chance".to_owned(), settings: Default::default() };
    let details: Vec<PlayerDetails> =
        players.iter().map(|player| player.as_ref().map_or_else(chance, Participant::details)).collect();
    let state = rulebook.game().initial();
    MatchRecord {
        match_id: setup.id.clone().unwrap_or_else(made_up),
        start_time: now(),
        random_token: random_token.clone(),
        game_meta_url: None,
        is_completed: false,
        is_aborted: false,
        states: vec![terms::state(&rulebook.game().describe(&state))],
        moves: Vec::new(),
        state_times: vec![now()],
        errors: Vec::new(),
        goal_values: Vec::new(),
        start_clock: setup.start_clock.as_secs_f64(),
        play_clock: setup.play_clock.as_secs_f64(),
        preview_clock: -1.0,
        player_names_from_host: details.iter().map(|player| player.spec.clone()).collect(),
        is_player_human: players
            .iter()
            .map(|player| matches!(player, Some(Participant::Person(_))))
            .collect(),
        tournament_name_from_host: setup.tournament.clone(),
        scrambled: setup.scramble,
        ludex: Some(Details {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: rulebook.name().to_owned(),
            rules: rulebook.text().to_owned(),
            roles: rulebook.game().roles().to_vec(),
            players: details,
            engine: rulebook.game().engine().name.to_owned(),
            seed: setup.seed,
            playouts: setup.playouts,
            shuffled: setup.shuffle,
            pondering: setup.ponder,
            threads: setup.threads,
            words: words.map(|words| words.map.clone()).unwrap_or_default(),
            end: End::Aborted,
            goals_from: String::new(),
            finish_time: now(),
            thinking: Vec::new(),
        }),
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
