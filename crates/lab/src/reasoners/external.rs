//! Engines of others, by the contract of the gdl-perf framework: a program that gets the file of
//! the rules, a file for the result and a number of seconds, and writes lines `name = value`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use ludex_search::Stop;

use crate::experiment::ExternalEngine;
use crate::games::GameSheet;
use crate::outcome::Visited;

/// How much longer than asked for a program may take: some need a while to set a game up.
const SETUP: Duration = Duration::from_secs(120);
/// How often to look whether it is done.
const LOOK: Duration = Duration::from_millis(20);
/// No result is longer.
const MAX_BYTES: u64 = 1 << 16;

/// Why there is no rate.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExternalError {
    #[error("`{program}` cannot be run: {problem}")]
    Start { program: String, problem: std::io::Error },
    #[error("it was not done after {} s", .0.as_secs())]
    Late(Duration),
    #[error("the run was ended")]
    Ended,
    #[error("it ended with {status} and {what}")]
    Result { status: ExitStatus, what: String },
    #[error("it says: {0}")]
    Told(String),
    #[error("the system says: {0}")]
    System(#[from] std::io::Error),
}

/// Runs a program for a game and reads its result.
pub(super) fn run(
    engine: &ExternalEngine,
    sheet: &GameSheet,
    seconds: Duration,
    stop: &Stop,
) -> Result<Visited, ExternalError> {
    let folder = tempfile::tempdir()?;
    let (rules, result) = (folder.path().join("game.kif"), folder.path().join("result.txt"));
    std::fs::write(&rules, &sheet.text)?;
    let (program, first) = engine.command.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
    // What it prints is not for us, and nobody reads it: it cannot fill anything.
    let mut child = Command::new(program)
        .args(first)
        .arg(&rules)
        .arg(&result)
        .arg(seconds.as_secs_f64().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|problem| ExternalError::Start { program: program.to_owned(), problem })?;
    let deadline = Instant::now() + 2 * seconds + SETUP;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let late = Instant::now() >= deadline;
        if late || stop.is_set() {
            child.kill()?;
            child.wait()?;
            return Err(if late { ExternalError::Late(2 * seconds + SETUP) } else { ExternalError::Ended });
        }
        std::thread::sleep(LOOK);
    };
    read(&result, status)
}

fn read(path: &Path, status: ExitStatus) -> Result<Visited, ExternalError> {
    let missing = |what: &str| ExternalError::Result { status, what: what.to_owned() };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    read.map_err(|_| missing("wrote no result"))?;
    let text = String::from_utf8_lossy(&bytes);
    let value = |key: &str| {
        let lines = text.lines().filter_map(|line| line.split_once('='));
        lines.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).next()
    };
    if let Some(message) = value("errorMessage") {
        return Err(ExternalError::Told(message.chars().take(500).collect()));
    }
    let number = |key: &str| value(key).and_then(|value| value.parse::<u64>().ok());
    match (number("numStateChanges"), number("millisecondsTaken")) {
        (Some(states), Some(milliseconds)) if milliseconds > 0 => {
            Ok(Visited { states, seconds: milliseconds as f64 / 1000.0, depth: 0 })
        }
        _ => Err(missing("no `numStateChanges` and `millisecondsTaken` in its result")),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn engine(script: &str) -> ExternalEngine {
        let command = ["sh", "-c", script, "engine"].map(str::to_owned).to_vec();
        ExternalEngine { name: "e".to_owned(), command }
    }

    fn outcome(script: &str, stop: &Stop) -> Result<Visited, String> {
        let sheet = GameSheet::find("tic_tac_toe", Path::new("")).unwrap();
        run(&engine(script), &sheet, Duration::from_millis(10), stop).map_err(|error| error.to_string())
    }

    #[test]
    fn results_are_read_and_mistakes_told() {
        let stop = Stop::new();
        let good = r#"test -s "$1" && printf 'version = x\nmillisecondsTaken = 500\nnumStateChanges = 100\nnumRollouts = 3\n' > "$2""#;
        let visited = outcome(good, &stop).unwrap();
        assert_eq!((visited.states, visited.seconds, visited.rate()), (100, 0.5, 200.0));
        let told = outcome(r#"printf 'errorMessage = too large\n' > "$2"; exit 1"#, &stop);
        assert_eq!(told.unwrap_err(), "it says: too large");
        assert!(outcome("exit 3", &stop).unwrap_err().contains("wrote no result"));
        assert!(outcome(r#"echo hello > "$2""#, &stop).unwrap_err().contains("numStateChanges"));
        let nobody = ExternalEngine { name: "n".to_owned(), command: vec!["/no/such/program".to_owned()] };
        let sheet = GameSheet::find("tic_tac_toe", Path::new("")).unwrap();
        let error = run(&nobody, &sheet, Duration::from_millis(10), &stop).unwrap_err().to_string();
        assert!(error.contains("cannot be run"), "{error}");
    }

    #[test]
    fn a_program_that_never_ends_is_ended() {
        let stop = Stop::new();
        stop.set();
        assert_eq!(outcome("sleep 1000", &stop).unwrap_err(), "the run was ended");
    }
}
