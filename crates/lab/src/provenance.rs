//! Where figures come from: when, with which version, by which command, on which kind of machine.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Where figures come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// When they were measured: the day, in UTC.
    pub date: String,
    /// With which version.
    pub commit: String,
    /// How to measure them again.
    pub command: String,
    /// On which machine.
    pub machine: String,
    /// The search signature of the players; empty in results without players and in old ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

impl Provenance {
    /// Of what is measured now, by this program on this machine.
    pub fn now(command: impl Into<String>) -> Self {
        Self {
            date: today(),
            commit: version(),
            command: command.into(),
            machine: machine(),
            signature: String::new(),
        }
    }

    /// The same, with the search signature of the players.
    #[must_use]
    pub fn with_signature(self, signature: Option<String>) -> Self {
        Self { signature: signature.unwrap_or_default(), ..self }
    }

    /// What to warn of if the players of this program, with this signature, choose differently now
    /// than those that were measured.
    pub fn warning(&self, now: Option<&str>) -> Option<String> {
        let now = now?;
        if self.signature == now {
            return None;
        }
        Some(if self.signature.is_empty() {
            format!(
                "these results name no search signature, so their players may have chosen differently; \
                 the program's is {now}"
            )
        } else {
            format!(
                "the players choose differently now: these results have the search signature {}, the program \
                 {now}; `ludex lab run` with --fresh makes new ones",
                self.signature
            )
        })
    }

    /// Of results that come from several runs: all that is different is named.
    pub fn joined(runs: &[Self]) -> Self {
        let all = |part: fn(&Self) -> &String| {
            let mut texts: Vec<&str> = Vec::new();
            for text in runs.iter().map(|run| part(run).as_str()) {
                if !text.is_empty() && !texts.contains(&text) {
                    texts.push(text);
                }
            }
            texts.join("; ")
        };
        let dates = || runs.iter().map(|run| run.date.as_str()).filter(|date| !date.is_empty());
        let date = match (dates().min(), dates().max()) {
            (Some(first), Some(last)) if first < last => format!("{first} to {last}"),
            (_, last) => last.unwrap_or_default().to_owned(),
        };
        let (commit, machine) = (all(|run| &run.commit), all(|run| &run.machine));
        let signature = all(|run| &run.signature);
        // One command is enough to measure all again: the last has the most.
        let command = runs.last().map(|run| run.command.clone()).unwrap_or_default();
        Self { date, commit, command, machine, signature }
    }
}

/// The day in UTC, `2026-01-31`.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    day(since.as_secs() / 86_400)
}

/// The day so many days after the first of January 1970, by the Gregorian calendar. Years are
/// counted from March, so that the day that is not always there is the last of its year.
fn day(since_1970: u64) -> String {
    let days = since_1970 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The version of this program, with the commit if it is run where its source is.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    // Any other repository says nothing about this program.
    let is_ours = git(&["rev-parse", "--show-toplevel"])
        .is_some_and(|root| Path::new(&root).join("crates/lab/src/provenance.rs").is_file());
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]).filter(|_| is_ours) else {
        return version.to_owned();
    };
    let is_changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|text| !text.is_empty());
    let changed = if is_changed { " with changes" } else { "" };
    format!("{version}, {commit}{changed}")
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The kind of machine: nothing that says which one it is.
fn machine() -> String {
    let cores = match std::thread::available_parallelism().map_or(1, usize::from) {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model(&text));
    let extension = vector_extension().map(str::to_owned);
    let parts: Vec<String> = std::iter::once(cores).chain(model).chain(extension).collect();
    parts.join(", ")
}

/// The name of the processor.
fn model(cpu_info: &str) -> Option<String> {
    let line = cpu_info.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The widest vectors that the processor has.
fn vector_extension() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            Some("AVX-512")
        } else if is_x86_feature_detected!("avx2") {
            Some("AVX2")
        } else {
            Some("SSE2")
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        Some("NEON")
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
        ] {
            assert_eq!(day(days), text);
        }
    }

    #[test]
    fn the_processor_has_a_name() {
        assert_eq!(
            model("processor : 0\nmodel name\t: Some CPU @ 2 GHz\n"),
            Some("Some CPU @ 2 GHz".to_owned())
        );
        assert_eq!(model("model name :\n"), None);
        assert_eq!(model(""), None);
    }

    #[test]
    fn several_runs_are_named_where_they_differ() {
        let run = |date: &str, commit: &str, command: &str| Provenance {
            date: date.to_owned(),
            commit: commit.to_owned(),
            command: command.to_owned(),
            machine: "2 cores".to_owned(),
            signature: commit.repeat(2),
        };
        let runs = [run("2026-01-02", "a", "ludex x"), run("2026-01-01", "b", "ludex x --matches 9")];
        let found = Provenance::joined(&runs);
        assert_eq!(found.date, "2026-01-01 to 2026-01-02");
        assert_eq!((found.commit.as_str(), found.machine.as_str()), ("a; b", "2 cores"));
        assert_eq!(found.command, "ludex x --matches 9");
        assert_eq!(Provenance::joined(&runs[..1]), runs[0]);
        assert_eq!(Provenance::joined(&[]), Provenance::default());
    }

    #[test]
    fn results_of_other_players_are_recognised() {
        let found = |signature: &str| Provenance::default().with_signature(Some(signature.to_owned()));
        assert_eq!(found("ab").warning(Some("ab")), None);
        assert_eq!(found("ab").warning(None), None, "no players");
        assert!(found("ab").warning(Some("cd")).is_some_and(|text| text.contains("--fresh")));
        assert!(found("ab; cd").warning(Some("cd")).is_some(), "a part of them is old");
        assert!(found("").warning(Some("cd")).is_some_and(|text| text.contains("no search signature")));
    }

    #[test]
    fn what_is_measured_now_says_nothing_private() {
        let now = Provenance::now("ludex lab run x");
        assert!(now.date.len() == 10 && now.commit.starts_with(env!("CARGO_PKG_VERSION")), "{now:?}");
        assert!(now.machine.contains("core") && !now.machine.contains('/'), "{now:?}");
    }
}
