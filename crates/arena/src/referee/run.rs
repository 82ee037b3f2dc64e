//! A match from START to STOP.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Failure, Game, MoveId, State, View};

use super::choice::{Draws, PlayedMove, judged};
use super::event::{Event, Observer};
use super::judge::Judge;
use super::opening::{first_record, now, seated};
use super::person::PersonAnswer;
use super::rulebook::Rulebook;
use super::setup::{MatchSetup, Participant, SetupError};
use super::table::{Outcome, Question, Round, Table};
use super::words::Words;
use crate::protocol::Message;
use crate::record::{Details, End, MatchRecord, PlayerFault, terms};
use ludex_search::is_chance;

/// How long players may take to answer ABORT.
const ABORT: Duration = Duration::from_secs(1);

/// Plays a match. There is always a record, however it ends; an error means that it never began.
pub fn run_match(
    rulebook: &Rulebook,
    setup: &MatchSetup,
    observer: &mut dyn Observer,
) -> Result<MatchRecord, SetupError> {
    let mut random = fastrand::Rng::with_seed(setup.seed);
    let players = seated(rulebook, setup, &mut random)?;
    let seeds: Vec<u64> = players.iter().map(|_| random.u64(..)).collect();
    let scramble_seed = random.u64(..);
    let draws = Draws(random.u64(..));
    let table = Table::new(rulebook, setup, &players, &seeds);
    let remote = players.iter().flatten().any(|player| matches!(player, Participant::Http(_)));
    let words = (remote || setup.scramble)
        .then(|| Words::new(rulebook.name(), rulebook.text(), setup.scramble.then_some(scramble_seed)));
    let record = first_record(rulebook, setup, &players, words.as_ref());
    let game = Arc::clone(rulebook.game());
    let judge = Judge::new(&game, rulebook.reference(), setup.check);
    let mut run = Run { setup, game, table, judge, draws, words, record };
    observer.event(&Event::Started { record: &run.record });
    let end = match run.play(observer) {
        Ok(end) => end,
        Err(failure) => End::Fault(failure.to_string()),
    };
    run.finish(end);
    observer.event(&Event::Ended { record: &run.record });
    Ok(run.record)
}

/// What came of a round of questions.
enum Asked {
    /// A move for each role.
    Moves(Vec<PlayedMove>),
    /// A person wants to go back until so many joint moves are left.
    TakeBack(usize),
    /// This role gives the match up.
    Resigned(usize),
    /// Somebody wants an end.
    Aborted,
}

/// A match that is being played.
struct Run<'a> {
    setup: &'a MatchSetup,
    game: Arc<dyn Game>,
    table: Table,
    judge: Judge,
    draws: Draws,
    words: Option<Words>,
    record: MatchRecord,
}

impl Run<'_> {
    /// From START to the end.
    fn play(&mut self, observer: &mut dyn Observer) -> Result<End, Failure> {
        // All states so far, to go back to; a state is a few hundred bytes.
        let mut states = vec![self.game.initial()];
        if !self.start(observer) {
            return Ok(End::Aborted);
        }
        for (at, names) in self.setup.opening.iter().enumerate() {
            let Some(state) = states.last().cloned() else { return Ok(End::Aborted) };
            match self.made_before(&state, names)? {
                Some(next) => states.push(next),
                None => return Ok(End::Fault(format!("step {} of the opening is not legal", at + 1))),
            }
            observer.event(&Event::Moved { step: self.record.steps(), record: &self.record });
        }
        loop {
            let Some(state) = states.last().cloned() else { return Ok(End::Aborted) };
            // 1. What the rules say about the state.
            let view = self.game.view(&state)?;
            let facts = self.game.describe(&state);
            if let Err(difference) = self.judge.state(&facts, &view) {
                return Ok(End::Fault(difference));
            }
            if view.terminal {
                return Ok(match self.judge.goals(&state) {
                    Ok(ruling) => {
                        self.record.goal_values = ruling.goals;
                        self.details(|details| details.goals_from = ruling.from.to_owned());
                        End::Finished
                    }
                    Err(fault) => End::Fault(fault),
                });
            }
            if let Some(role) = view.legal.iter().position(Vec::is_empty) {
                let role = self.game.roles()[role].clone();
                return Err(Failure::NoLegalMove { role, state: facts.join(" ") });
            }
            if self.record.steps() >= self.setup.max_steps {
                return Ok(End::StepLimit);
            }
            // 2. Ask for moves, unless the match is aborted: the question could arrive
            // after the ABORT.
            if self.setup.abort.is_set() {
                return Ok(End::Aborted);
            }
            let choices = match self.ask(&state, &view, observer) {
                Asked::Moves(choices) => choices,
                Asked::TakeBack(step) => {
                    self.take_back(step);
                    states.truncate(self.record.steps() + 1);
                    let step = self.record.steps();
                    observer.event(&Event::TakenBack { step, record: &self.record });
                    continue;
                }
                Asked::Resigned(role) => return Ok(End::Resigned(self.game.roles()[role].clone())),
                Asked::Aborted => return Ok(End::Aborted),
            };
            let joint: Vec<MoveId> = choices.iter().map(|choice| choice.id).collect();
            // 3. What comes of it.
            let next = self.game.next(&state, &joint)?;
            let names: Vec<String> = choices.iter().map(|choice| choice.name.clone()).collect();
            self.judge.moved(&names);
            self.enter(names, &self.game.describe(&next), choices);
            states.push(next);
            observer.event(&Event::Moved { step: self.record.steps(), record: &self.record });
        }
    }

    /// Writes a step down.
    fn enter(&mut self, moves: Vec<String>, facts: &[String], choices: Vec<PlayedMove>) {
        self.record.moves.push(moves);
        self.record.states.push(terms::state(facts));
        self.record.state_times.push(now());
        let errors = choices.iter().map(|choice| fault_text(choice.fault.as_ref())).collect();
        self.record.errors.push(errors);
        let reports = choices.into_iter().map(|choice| choice.report).collect();
        self.details(|details| details.thinking.push(reports));
    }

    /// Makes a joint move of the opening; none if it is not legal.
    fn made_before(&mut self, state: &State, names: &[String]) -> Result<Option<State>, Failure> {
        let view = self.game.view(state)?;
        let legal = |(name, legal): (&String, &Vec<MoveId>)| {
            self.game.find_move(name).filter(|id| legal.contains(id))
        };
        let joint: Option<Vec<MoveId>> = names.iter().zip(&view.legal).map(legal).collect();
        let Some(joint) = joint.filter(|joint| !view.terminal && joint.len() == view.legal.len()) else {
            return Ok(None);
        };
        let next = self.game.next(state, &joint)?;
        let choices: Vec<PlayedMove> = joint.iter().map(|&id| PlayedMove::plain(&*self.game, id)).collect();
        let names: Vec<String> = choices.iter().map(|choice| choice.name.clone()).collect();
        self.judge.moved(&names);
        self.enter(names, &self.game.describe(&next), choices);
        Ok(Some(next))
    }

    /// Goes back until at most so many joint moves are left.
    fn take_back(&mut self, step: usize) {
        let record = &mut self.record;
        record.moves.truncate(step);
        record.states.truncate(step + 1);
        record.state_times.truncate(step + 1);
        record.errors.truncate(step + 1);
        self.details(|details| details.thinking.truncate(step));
        self.judge.taken_back(step);
    }

    fn details(&mut self, change: impl FnOnce(&mut Details)) {
        if let Some(details) = &mut self.record.ludex {
            change(details);
        }
    }

    /// Everyone gets ready; false if somebody wants an end.
    fn start(&mut self, observer: &mut dyn Observer) -> bool {
        let roles = self.game.roles().len();
        let rounds: Vec<Vec<usize>> = match self.setup.start_in_turn {
            true => (0..roles).map(|role| vec![role]).collect(),
            false => vec![(0..roles).collect()],
        };
        let mut errors = vec![String::new(); roles];
        let mut goes_on = true;
        for asked in rounds {
            let Some(outcomes) = self.start_round(&asked, observer) else {
                goes_on = false;
                break;
            };
            for role in asked {
                let fault = outcomes[role].as_ref().and_then(|outcome| outcome.said.as_ref().err());
                errors[role] = fault_text(fault);
            }
        }
        if !goes_on {
            errors.fill(String::new());
        }
        self.record.errors.push(errors);
        goes_on
    }

    /// Some get ready; none if somebody wants an end.
    fn start_round(&mut self, asked: &[usize], observer: &mut dyn Observer) -> Option<Vec<Option<Outcome>>> {
        let roles = self.game.roles().len();
        let state = self.game.initial();
        let questions: Vec<Question> = (0..roles)
            .map(|role| match &self.words {
                _ if !asked.contains(&role) => Question::Nothing,
                Some(words) if self.table.is_remote(role) => {
                    let start_clock = self.table.clock_of(role, self.setup.start_clock);
                    let message = Message::Start {
                        id: self.record.match_id.clone(),
                        role: words.told(&self.game.roles()[role]),
                        rules: words.rules.clone(),
                        start_clock,
                        play_clock: self.table.clock_of(role, self.setup.play_clock),
                    };
                    Question::Message(message, start_clock)
                }
                // A search that counts playouts has nothing to do before its first move.
                _ if self.setup.playouts.is_some()
                    || self.table.is_person(role)
                    || is_chance(&self.game.roles()[role]) =>
                {
                    Question::Nothing
                }
                _ => Question::Think,
            })
            .collect();
        let (clock, grace) = (self.setup.start_clock, self.setup.grace);
        let thinking: Vec<bool> =
            questions.iter().map(|question| !matches!(question, Question::Nothing)).collect();
        observer.event(&Event::Asked { step: 0, thinking: &thinking, clock: self.clock(clock) });
        let remote_grace = Duration::ZERO; // as with ggp-base
        let round = Round { step: 0, state: &state, clock, grace, remote_grace, questions };
        let told = |observer: &mut dyn Observer, role: usize, outcome: &Outcome| {
            let fault = outcome.said.as_ref().err();
            let took = outcome.took;
            observer.event(&Event::Answered { step: 0, role, chosen: None, took, report: None, fault });
        };
        self.table.ask(round, observer, told)
    }

    /// The clock, if it counts for anyone but players behind HTTP.
    fn clock(&self, clock: Duration) -> Option<Duration> {
        self.setup.playouts.is_none().then_some(clock)
    }

    /// What everyone does in a state.
    fn ask(&mut self, state: &State, view: &View, observer: &mut dyn Observer) -> Asked {
        let step = self.record.steps() + 1;
        let forced = |role: usize| view.legal[role].len() == 1;
        let questions: Vec<Question> = (0..view.legal.len())
            .map(|role| match &self.words {
                Some(words) if self.table.is_remote(role) => {
                    let message = Message::Play { id: self.record.match_id.clone(), moves: self.told(words) };
                    Question::Message(message, self.table.clock_of(role, self.setup.play_clock))
                }
                _ if forced(role) && self.setup.ponder => Question::Ponder,
                _ if forced(role) => Question::Nothing,
                _ if self.table.is_person(role) => Question::Which(self.names(&view.legal[role])),
                _ => Question::Think,
            })
            .collect();
        let roles = self.game.roles();
        let thinking: Vec<bool> =
            (0..roles.len()).map(|role| !forced(role) && !is_chance(&roles[role])).collect();
        let clock = self.setup.play_clock;
        observer.event(&Event::Asked { step, thinking: &thinking, clock: self.clock(clock) });
        let grace = self.setup.grace;
        let round = Round { step, state, clock, grace, remote_grace: grace, questions };
        let (game, words, draws) = (Arc::clone(&self.game), &self.words, self.draws);
        let drawn = |role: usize| draws.draw(&*game, &view.legal[role], step, role);
        let mut choices: Vec<Option<PlayedMove>> = view.legal.iter().map(|_| None).collect();
        let told = |observer: &mut dyn Observer, role: usize, outcome: &Outcome| {
            let choice = match judged(&*game, words.as_ref(), role, &view.legal[role], outcome) {
                Ok(choice) => choice,
                Err(fault) => PlayedMove { fault: Some(fault), ..PlayedMove::plain(&*game, drawn(role)) },
            };
            observer.event(&Event::Answered {
                step,
                role,
                chosen: Some(&choice.name),
                took: outcome.took,
                report: choice.report.as_ref(),
                fault: choice.fault.as_ref(),
            });
            choices[role] = Some(choice);
        };
        let Some(outcomes) = self.table.ask(round, observer, told) else { return Asked::Aborted };
        for (role, outcome) in outcomes.iter().enumerate() {
            match outcome.as_ref().and_then(Outcome::wish) {
                Some(PersonAnswer::TakeBack(step)) if !self.table.has_remote() => {
                    return Asked::TakeBack(*step);
                }
                Some(PersonAnswer::Resign) => return Asked::Resigned(role),
                _ => {}
            }
        }
        // Whoever was not asked has one move only, or is chance.
        let unasked = |role: usize| PlayedMove::plain(&*game, drawn(role));
        let choices = choices.into_iter().enumerate();
        Asked::Moves(choices.map(|(role, choice)| choice.unwrap_or_else(|| unasked(role))).collect())
    }

    /// Moves as the game spells them, sorted.
    fn names(&self, moves: &[MoveId]) -> Vec<String> {
        let mut names: Vec<String> = moves.iter().map(|&id| self.game.move_name(id)).collect();
        names.sort();
        names
    }

    /// The last moves, for players behind HTTP.
    fn told(&self, words: &Words) -> Option<Vec<String>> {
        self.record.moves.last().map(|moves| moves.iter().map(|name| words.told(name)).collect())
    }

    /// Tells everyone, and closes the record.
    fn finish(&mut self, end: End) {
        let id = self.record.match_id.clone();
        let step = self.record.steps() + 1;
        self.record.is_completed = end == End::Finished;
        self.record.is_aborted = !self.record.is_completed;
        if let Some(words) = &self.words {
            let (message, clock) = match end {
                End::Finished => (Message::Stop { id, moves: self.told(words) }, self.setup.play_clock),
                _ => (Message::Abort { id }, ABORT),
            };
            // An id of its own: late answers to the last question are not answers to this.
            self.table.tell(step + 1, &message, clock.max(Duration::from_millis(100)));
        }
        self.details(|details| {
            details.end = end;
            details.finish_time = now();
        });
    }
}

fn fault_text(fault: Option<&PlayerFault>) -> String {
    fault.map(PlayerFault::to_string).unwrap_or_default()
}
