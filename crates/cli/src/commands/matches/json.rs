//! A match as JSON lines: an object for each event, and at the end the record itself.

use anyhow::Result;
use ludex_arena::{Event, MatchRecord, Observer};
use serde_json::{Value, json};

use super::View;
use super::paper::Paper;

/// Writes events.
pub(super) struct Json {
    paper: Paper,
    roles: Vec<String>,
}

impl Json {
    pub(super) fn new(paper: Paper) -> Self {
        Self { paper, roles: Vec::new() }
    }

    fn role(&self, index: usize) -> &str {
        self.roles.get(index).map_or("", String::as_str)
    }

    fn line(&mut self, value: &Value) {
        self.paper.write(&format!("{value}\n"));
    }
}

impl Observer for Json {
    fn event(&mut self, event: &Event<'_>) {
        let value = match event {
            Event::Started { record } => {
                self.roles = record.role_names();
                json!({
                    "event": "started",
                    "match": record.match_id,
                    "game": record.ludex.as_ref().map(|details| &details.game),
                    "seed": record.ludex.as_ref().map(|details| details.seed),
                    "roles": self.roles,
                    "players": record.player_names_from_host,
                    "start_clock": record.start_clock,
                    "play_clock": record.play_clock,
                    "state": record.states.last(),
                })
            }
            Event::Asked { step, thinking, clock } => {
                let asked = thinking.iter().enumerate().filter(|(_, asked)| **asked);
                let asked: Vec<&str> = asked.map(|(role, _)| self.role(role)).collect();
                json!({"event": "asked", "step": step, "roles": asked, "clock": clock.map(|c| c.as_secs_f64())})
            }
            Event::Answered { step, role, chosen, took, report, fault } => json!({
                "event": "answered",
                "step": step,
                "role": self.role(*role),
                "move": chosen,
                "seconds": took.as_secs_f64(),
                "thinking": report,
                "error": fault.map(ToString::to_string),
            }),
            Event::Moved { step, record } => json!({
                "event": "moved",
                "step": step,
                "moves": record.moves.last(),
                "errors": record.errors.last(),
                "state": record.states.last(),
            }),
            Event::TakenBack { step, .. } => json!({"event": "taken back", "step": step}),
            Event::Waiting { .. } | Event::Ended { .. } => return,
        };
        self.line(&value);
    }
}

impl View for Json {
    fn finish(&mut self, record: &MatchRecord) -> Result<()> {
        self.paper.write(&format!("{}\n", record.to_json()));
        self.paper.finish()
    }
}
