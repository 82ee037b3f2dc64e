//! All numbers as comma-separated values (RFC 4180), for spreadsheets and scripts.

use super::summary::Summary;
use super::{Measured, Report, ReportError};
use crate::outcome::{MatchOutcome, ReasonerRate, ScorePoint};

/// Names and contents of the files.
pub(super) fn files(report: &Report<'_>) -> Result<Vec<(String, String)>, ReportError> {
    Ok(match report.measured {
        Measured::Matches(outcomes) => vec![
            ("cells.csv".to_owned(), cells(&Summary::new(report, outcomes)?)),
            ("matches.csv".to_owned(), matches(outcomes)),
        ],
        Measured::Reasoners(rates) => vec![("reasoners.csv".to_owned(), reasoners(rates))],
        Measured::Scores(points) => vec![("scores.csv".to_owned(), scores(points))],
    })
}

/// Scores and their interval are parts of one; published figures are as published, in percent or nodes a second.
fn cells(summary: &Summary<'_>) -> String {
    let mut text = String::from(
        "setting,game,player,opponent,matches,score,low,high,published,published_margin,faults,states_per_second\n",
    );
    for cell in &summary.cells {
        let interval = cell.estimate.interval();
        line(
            &mut text,
            &[
                cell.cell.setting.clone(),
                cell.cell.game.clone(),
                cell.cell.player.clone(),
                cell.cell.opponent.clone(),
                cell.scores.len().to_string(),
                format!("{:.6}", cell.estimate.mean),
                format!("{:.6}", interval.low),
                format!("{:.6}", interval.high),
                optional(cell.published.map(|figure| figure.value)),
                optional(cell.published.and_then(|figure| figure.margin)),
                cell.faults.to_string(),
                optional(cell.rate.map(f64::round)),
            ],
        );
    }
    text
}

/// Seats: 1 where the player sat, 0 where the opponent did. Several values in a field have spaces between them.
fn matches(outcomes: &[MatchOutcome]) -> String {
    let mut text =
        String::from("setting,game,player,opponent,number,seats,goals,score,faults,steps,visited,seconds\n");
    for outcome in outcomes {
        let seats: Vec<&str> = outcome.seats.iter().map(|&own| if own { "1" } else { "0" }).collect();
        let goals: Vec<String> = outcome.goals.iter().map(u8::to_string).collect();
        line(
            &mut text,
            &[
                outcome.cell.setting.clone(),
                outcome.cell.game.clone(),
                outcome.cell.player.clone(),
                outcome.cell.opponent.clone(),
                outcome.number.to_string(),
                seats.join(" "),
                goals.join(" "),
                format!("{:.6}", outcome.score()),
                outcome.faults.to_string(),
                outcome.steps.to_string(),
                outcome.visited.to_string(),
                outcome.seconds.to_string(),
            ],
        );
    }
    text
}

fn reasoners(rates: &[ReasonerRate]) -> String {
    let mut text =
        String::from("engine,game,setup_ms,monte_carlo_nodes_per_second,minimax_nodes_per_second,problem\n");
    for rate in rates {
        line(
            &mut text,
            &[
                rate.engine.clone(),
                rate.game.clone(),
                rate.setup_ms.to_string(),
                optional(rate.monte_carlo_nodes_per_second),
                optional(rate.minimax_nodes_per_second),
                rate.problem.clone().unwrap_or_default(),
            ],
        );
    }
    text
}

fn scores(points: &[ScorePoint]) -> String {
    let mut text = String::from("player,game,run,seconds,score\n");
    for point in points {
        let (run, seconds, score) =
            (point.run.to_string(), point.seconds.to_string(), point.score.to_string());
        line(&mut text, &[point.player.clone(), point.game.clone(), run, seconds, score]);
    }
    text
}

fn optional(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn line(text: &mut String, fields: &[String]) {
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    text.push_str(&fields.join(","));
    text.push('\n');
}

/// In quotes where it needs them; quotes inside are doubled.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::ScorePoint;

    /// The records of a text, by RFC 4180.
    fn read(text: &str) -> Vec<Vec<String>> {
        let (mut records, mut record, mut field, mut inside) = (Vec::new(), Vec::new(), String::new(), false);
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '"' if inside && characters.peek() == Some(&'"') => {
                    characters.next();
                    field.push('"');
                }
                '"' => inside = !inside,
                ',' if !inside => record.push(std::mem::take(&mut field)),
                '\n' if !inside => {
                    record.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut record));
                }
                other => field.push(other),
            }
        }
        records
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(player in ".{0,12}", game in "[a,\"\n]{0,6}", seconds in 0.0..9.0_f64) {
            let point = ScorePoint { player, game, run: 3, seconds, score: 50.0 };
            let records = read(&scores(std::slice::from_ref(&point)));
            prop_assert_eq!(records.len(), 2);
            prop_assert_eq!(&records[1][0], &point.player);
            prop_assert_eq!(&records[1][1], &point.game);
            prop_assert_eq!(records[1][3].parse::<f64>().unwrap(), seconds);
        }
    }
}
