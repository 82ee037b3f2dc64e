//! All numbers as comma-separated values (RFC 4180), for spreadsheets and scripts.

use super::figures::CellFigures;
use super::measurements::Unit;
use super::{Measured, Report, ReportError};
use crate::experiment::Form;
use crate::outcome::{MatchOutcome, ReasonerOutcome, ScoreOutcome, Visited};

/// Names and contents of the files.
pub(super) fn files(report: &Report<'_>) -> Result<Vec<(String, String)>, ReportError> {
    Ok(match report.measured {
        Measured::Matches(outcomes) => vec![
            ("cells.csv".to_owned(), cells(&report.cells()?)),
            ("matches.csv".to_owned(), matches(outcomes)),
        ],
        Measured::Reasoners(measured) => vec![("reasoners.csv".to_owned(), reasoners(measured))],
        Measured::Scores(runs) => vec![("scores.csv".to_owned(), scores(report.form()?, runs))],
    })
}

/// Scores and their interval are parts of one; published figures are as published, in percent or
/// nodes per second.
fn cells(cells: &[CellFigures]) -> String {
    let mut text = String::from(
        "setting,game,player,opponent,matches,score,low,high,published,published_margin,faults,states_per_second\n",
    );
    for cell in cells {
        line(
            &mut text,
            &[
                cell.setting.clone(),
                cell.game.clone(),
                cell.player.clone(),
                cell.opponent.clone(),
                cell.matches.to_string(),
                format!("{:.6}", cell.score),
                format!("{:.6}", cell.low),
                format!("{:.6}", cell.high),
                optional(cell.published),
                optional(cell.published_margin),
                cell.faults.to_string(),
                optional(cell.states_per_second),
            ],
        );
    }
    text
}

/// Seats: 1 where the player sat, 0 where the opponent did. Several values in a field have spaces
/// between them.
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

fn reasoners(measured: &[ReasonerOutcome]) -> String {
    let mut text = String::from(
        "setting,game,engine,number,setup_seconds,monte_carlo_states_per_second,minimax_states_per_second,\
         minimax_depth,problem\n",
    );
    for one in measured {
        line(
            &mut text,
            &[
                one.setting.clone(),
                one.game.clone(),
                one.engine.clone(),
                one.number.to_string(),
                optional(one.setup_seconds),
                optional(one.monte_carlo.as_ref().map(Visited::rate)),
                optional(one.minimax.as_ref().map(Visited::rate)),
                one.minimax.map_or_else(String::new, |visited| visited.depth.to_string()),
                one.error.clone().unwrap_or_default(),
            ],
        );
    }
    text
}

/// The amount is in seconds or playouts, as the unit says.
fn scores(form: &Form, runs: &[ScoreOutcome]) -> String {
    let mut text = String::from("setting,game,player,run,amount,unit,score\n");
    for run in runs {
        for (amount, score) in &run.scores {
            line(
                &mut text,
                &[
                    run.setting.clone(),
                    run.game.clone(),
                    run.player.clone(),
                    run.number.to_string(),
                    amount.to_string(),
                    Unit::of(form, &run.setting).name().to_owned(),
                    score.to_string(),
                ],
            );
        }
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
            let form: Form = toml::from_str("matches = 1\nsettings = []").unwrap();
            let run = ScoreOutcome {
                setting: "s".to_owned(), player, game, number: 3, scores: vec![(seconds, 50)],
            };
            let records = read(&scores(&form, std::slice::from_ref(&run)));
            prop_assert_eq!(records.len(), 2);
            prop_assert_eq!(&records[1][1], &run.game);
            prop_assert_eq!(&records[1][2], &run.player);
            prop_assert_eq!(records[1][4].parse::<f64>().unwrap(), seconds);
        }
    }
}
