//! What is kept of each match: one JSON object a line, written as it happens.
//!
//! Lines are only ever added, each by one write, so a kill at any moment leaves at worst a line
//! that is cut short. A thread of its own writes them: a disk that is busy for a second must not
//! cost a deadline.
//!
//! Every line has `time` (milliseconds since 1970) and `event`:
//!
//! | event | fields |
//! |---|---|
//! | `start` | `id`, `role`, `player`, `version`, `start_clock`, `play_clock`, `rules` |
//! | `message` | `text`: what the manager sent (START without its rules) |
//! | `thinking` | `step`: number of joint moves before, `moves`: the last of them, `guessed`: whether it is a guess, `move`, `by`, `value`, `visits`, `line`, `playouts`, `playouts_per_second`, `nodes`, `depth`, `engine`, `candidates`, `failure` |
//! | `reply` | `text`, `left`: milliseconds that were left on the clock |
//! | `result` | `step`, `moves`, `guessed`, `goals` by role, null where unknown |
//! | `note` | `text` |

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use ludex_engine::{Answer, By, History};
use ludex_search::Candidate;
use serde_json::{Value, json};

use super::notice::{Listener, Notice};

/// Characters of a match's name that go into the name of its file.
const LONGEST_NAME: usize = 80;

/// The record of one match. Dropping it waits until everything is written. Notes also go to a
/// listener.
pub(super) struct MatchLog {
    id: String,
    listener: Option<Listener>,
    lines: Option<Sender<String>>,
    writer: Option<JoinHandle<()>>,
}

impl MatchLog {
    /// Keeps nothing.
    pub(super) fn none(id: &str) -> Self {
        Self { id: id.to_owned(), listener: None, lines: None, writer: None }
    }

    /// The same, with somebody who hears of everything that is notable.
    pub(super) fn heard_by(mut self, listener: Option<Listener>) -> Self {
        self.listener = listener;
        self
    }

    /// The name of the match.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Tells the listener.
    pub(super) fn tell(&self, notice: &Notice<'_>) {
        if let Some(listener) = &self.listener {
            listener(notice);
        }
    }

    /// A new file in the folder. Without a folder, nothing is kept. If a line cannot be written,
    /// nothing more is kept of the match: playing counts more.
    pub(super) fn create(folder: Option<&Path>, id: &str) -> io::Result<Self> {
        let Some(folder) = folder else { return Ok(Self::none(id)) };
        let (name, folder, id) = (id.to_owned(), folder.to_owned(), id.to_owned());
        let (sender, lines) = channel::<String>();
        let write = move || {
            let written = open(&folder, &id).and_then(|mut file| {
                lines.iter().try_for_each(|line| file.write_all(line.as_bytes()).and_then(|()| file.flush()))
            });
            if let Err(error) = written {
                tracing::warn!("the record of the match {id} ends early: {error}");
            }
        };
        let writer = std::thread::Builder::new().name("match record".to_owned()).spawn(write)?;
        Ok(Self { id: name, listener: None, lines: Some(sender), writer: Some(writer) })
    }

    /// Adds a line.
    pub(super) fn add(&mut self, event: &str, mut fields: Value) {
        let Some(lines) = &self.lines else { return };
        fields["time"] = now().into();
        fields["event"] = event.into();
        if lines.send(format!("{fields}\n")).is_err() {
            self.lines = None;
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.tell(&Notice::Note { id: &self.id, text });
        self.add("note", json!({ "text": text }));
    }

    /// What was thought before an answer, and in which position.
    pub(super) fn thinking(&mut self, answer: &Answer, role: usize, history: &History, guessed: bool) {
        let by = answer.choice.as_ref().map(|(_, by)| match by {
            By::Search => "search",
            By::Guard => "guard",
        });
        let mut fields = json!({
            "step": history.len(),
            "moves": history.last(),
            "guessed": guessed,
            "move": answer.choice.as_ref().map(|(name, _)| name),
            "by": by,
            "engine": answer.engine.as_ref().map(|choice| choice.engine),
            "failure": answer.failure,
        });
        if let Some(report) = &answer.report {
            fields["value"] = json!(report.value(role));
            fields["visits"] = report.visits().into();
            fields["line"] = json!(report.principal_variation);
            fields["playouts"] = report.playouts.into();
            fields["playouts_per_second"] = json!(report.playouts_per_second().round());
            fields["nodes"] = report.nodes.into();
            fields["depth"] = report.depth.into();
            let candidate = |c: &Candidate<String>| json!({ "move": c.id, "visits": c.visits, "value": c.values.get(role) });
            fields["candidates"] = report.candidates.iter().map(candidate).collect();
        }
        self.add("thinking", fields);
    }
}

impl Drop for MatchLog {
    fn drop(&mut self) {
        self.lines = None;
        if let Some(writer) = self.writer.take() {
            // Its fault has been told.
            let _ = writer.join();
        }
    }
}

/// A new file for a match.
fn open(folder: &Path, id: &str) -> io::Result<File> {
    std::fs::create_dir_all(folder)?;
    let seconds = now() / 1000;
    for number in 1..1000 {
        let path = folder.join(file_name(seconds, id, number));
        match OpenOptions::new().append(true).create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened,
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A name that is safe in any folder, whatever the network says the match is called: only letters,
/// digits, `-` and `_` of it are kept, and not too many; dots not at all.
fn file_name(seconds: u64, id: &str, number: u32) -> PathBuf {
    let safe: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' })
        .take(LONGEST_NAME)
        .collect();
    let more = if number > 1 { format!("-{number}") } else { String::new() };
    PathBuf::from(format!("{seconds}-{safe}{more}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_the_network_stay_in_the_folder() {
        for id in ["../x", "/etc/passwd", "..", ".", "a/b\\c", "a\0b", "CON:", "é", ""] {
            let name = file_name(7, id, 1);
            assert_eq!(name.components().count(), 1, "{id}");
            let text = name.to_str().unwrap();
            assert!(text.starts_with("7-") && text.ends_with(".jsonl") && !text.contains(".."), "{text}");
            assert!(text.is_ascii() && text.len() < 100, "{text}");
        }
        assert_eq!(file_name(7, "Match.1-a", 2), PathBuf::from("7-Match_1-a-2.jsonl"));
        assert!(file_name(7, &"x".repeat(5000), 1).to_str().unwrap().len() < 120);
    }

    #[test]
    fn every_match_has_a_file_with_all_its_lines() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = MatchLog::create(Some(folder.path()), "../m").unwrap();
        let mut second = MatchLog::create(Some(folder.path()), "../m").unwrap();
        first.note("one");
        second.note("two");
        drop((first, second));
        let mut texts: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        texts.sort();
        let lines: Vec<Value> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!((&lines[0]["event"], &lines[0]["text"]), (&json!("note"), &json!("one")));
        assert!(lines[1]["time"].as_u64().unwrap() > 1_600_000_000_000);
    }
}
