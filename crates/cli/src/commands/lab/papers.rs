//! `ludex lab run papers`: the quick forms of all tables of the papers, one after the other.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ludex_lab::FormName;
use ludex_search::Stop;

use super::find::{self, Found};
use super::run::{Arguments, run_one};
use crate::Outcome;
use crate::output::{count, remark};

/// The word for all of them.
const WORD: &str = "papers";

/// The experiments that repeat a published table: `docs/results/papers.md` has a line for each of
/// their findings.
const PAPERS: [&str; 17] = [
    "thesis-5.1",
    "thesis-5.2",
    "thesis-5.3",
    "thesis-5.4",
    "thesis-5.5",
    "thesis-5.6",
    "ngram-01",
    "ngram-02",
    "ngram-03",
    "ngram-04",
    "ngram-05",
    "ngram-06",
    "ngram-07",
    "ngram-08",
    "ngram-09",
    "ngram-10",
    "ngram-11",
];

/// Whether a word means all of them: no file and no experiment has this name.
pub(super) fn is_meant(word: &Path) -> bool {
    word == Path::new(WORD) && !word.is_file() && find::named(WORD).is_none()
}

/// Runs or resumes them all. What fails is named at the end; the others are run all the same.
pub(super) fn run(arguments: &Arguments, stop: &Stop) -> Result<Outcome> {
    if arguments.full {
        bail!("`papers` are the quick forms; run a full form by name: `ludex lab run ngram-10 --full`");
    }
    if !arguments.games.is_empty() {
        bail!("`papers` have different games; run one by name: `ludex lab run ngram-10 --games othello`");
    }
    let mut all: Vec<(Found, f64)> = Vec::new();
    for name in PAPERS {
        let found = find::find(Path::new(name))?;
        let minutes = found.read()?.experiment.quick.minutes.unwrap_or(1.0);
        all.push((found, minutes));
    }
    let mut failed: Vec<String> = Vec::new();
    let mut clock = Estimate::new(all.iter().map(|(_, minutes)| minutes).sum());
    for (at, (found, minutes)) in all.iter().enumerate() {
        if stop.is_set() {
            break;
        }
        let name = found.name();
        remark(format_args!("{} of {}: {name}; {}", at + 1, all.len(), clock.left()));
        let results = found.results(FormName::Quick);
        let folder = match (&arguments.out, results.file_name()) {
            (Some(out), Some(last)) => out.join(last),
            _ => results,
        };
        match run_one(arguments, found, &folder, stop) {
            Ok(Outcome::Success) => {}
            Ok(_) => failed.push(name),
            Err(error) => {
                crate::output::report_error(&error);
                failed.push(name);
            }
        }
        clock.add(*minutes);
    }
    if stop.is_set() {
        remark(format_args!("stopped before the end; run the same command to resume"));
        return Ok(Outcome::Failure);
    }
    if failed.is_empty() {
        remark(format_args!("{} are complete", count(all.len(), "table")));
        return Ok(Outcome::Success);
    }
    remark(format_args!("not complete: {}; run the same command to retry", failed.join(", ")));
    Ok(Outcome::Failure)
}

/// How long the rest takes: the recorded minutes of the experiments, and how much faster or slower
/// than these this machine was so far.
struct Estimate {
    begun: Instant,
    /// Recorded minutes of all experiments, and of those that are done.
    all: f64,
    done: f64,
}

impl Estimate {
    fn new(all: f64) -> Self {
        Self { begun: Instant::now(), all, done: 0.0 }
    }

    fn add(&mut self, minutes: f64) {
        self.done += minutes;
    }

    fn left(&self) -> String {
        format!("about {} left", in_words(left(self.all, self.done, self.begun.elapsed())))
    }
}

/// The minutes that are left, of so many recorded ones.
fn left(all: f64, done: f64, elapsed: Duration) -> f64 {
    let rate = if done > 0.0 { elapsed.as_secs_f64() / 60.0 / done } else { 1.0 };
    (all - done) * rate
}

fn in_words(minutes: f64) -> String {
    if minutes >= 90.0 {
        format!("{:.1} hours", minutes / 60.0)
    } else if minutes >= 1.5 {
        format!("{minutes:.0} minutes")
    } else {
        "a minute".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_an_experiment_with_recorded_minutes() {
        let known: Vec<&str> = ludex_lab::BUILT_IN.iter().map(|experiment| experiment.name).collect();
        for name in PAPERS {
            let experiment = ludex_lab::BuiltIn::find(name).unwrap_or_else(|| panic!("{name}"));
            let file = experiment.file().expect("an experiment");
            assert!(file.experiment.quick.minutes.is_some(), "{name}");
            assert!(experiment.published.is_some(), "{name}");
        }
        let of_papers = known.iter().filter(|name| name.starts_with("thesis-") || name.starts_with("ngram-"));
        assert_eq!(of_papers.count(), PAPERS.len());
        assert!(!known.contains(&WORD));
    }

    #[test]
    fn the_estimate_follows_the_speed_of_the_machine() {
        assert_eq!(left(100.0, 0.0, Duration::ZERO), 100.0);
        assert_eq!(left(100.0, 20.0, Duration::from_secs(600)), 40.0, "twice as fast as recorded");
        assert_eq!([in_words(0.2), in_words(12.3), in_words(120.0)], ["a minute", "12 minutes", "2.0 hours"]);
    }
}
