//! `ludex ask`: any question to the rules in a position, answered by the reference.

mod question;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use ludex_game::{Game, MoveId, State};
use ludex_reasoner::Reference;
use serde_json::json;

use crate::output::{count, remark, report_error, stdout};
use crate::{Outcome, game, history, input};
use question::{Asked, Question};

/// Ask the rules any question in a position
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// One condition or several, as in the body of a rule: `(line ?x)`, `(and (p ?x) (not (q ?x)))`
    #[arg(value_name = "QUESTION")]
    question: String,

    /// The moves made so far. Each is a move, `(mark 1 1)`, or the moves of all roles in parentheses,
    /// `((mark 1 1) noop)`
    #[arg(long, value_name = "MOVES", conflicts_with = "state")]
    history: Option<String>,

    /// Ask in the state with exactly these facts, instead of the initial one
    #[arg(long, value_name = "FACTS")]
    state: Option<String>,

    /// The joint move that is made in the position, for `does` and `next`: as a step of a history
    #[arg(long, value_name = "MOVE")]
    moves: Option<String>,

    /// Print at most this many answers; all are counted
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// One JSON object, for programs
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex ask tic_tac_toe '(line ?who)' --history '(mark 1 1) (mark 2 1) (mark 1 2)'
  ludex ask tic_tac_toe '(true (cell ?x ?y blank)) (distinct ?x ?y)'
  ludex ask tic_tac_toe 'not open'
  ludex ask tic_tac_toe '(line x)' --state '(cell 1 1 x) (cell 1 2 x) (cell 1 3 x)'
  ludex ask tic_tac_toe '(next (cell ?x ?y x))' --moves '(mark 2 2)'
  ludex ask chess '(legal white ?move)' --json

A question may use every relation of the sheet and `true`, `does`, `next`, `init`, `legal`, `goal`,
`distinct`, `not`, `or`, `and`. Every variable needs a condition that is not negated. Answers are
those of the reference, the engine that interprets the rules as they are written.
Exit codes: 0 success, also without an answer; 1 the sheet has errors or the reference gave up,
2 the question is wrong, or something cannot be read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = input::read(&arguments.game)?;
    let mut out = stdout();
    if game::playable(&source, &mut out)?.is_none() {
        return Ok(Outcome::Failure);
    }
    let question = match Question::read(&source, &arguments.question)? {
        Asked::Fine(question) => question,
        Asked::Wrong(reasons) => {
            for reason in reasons {
                remark(format_args!("{reason}"));
            }
            bail!("the question cannot be answered");
        }
    };
    for doubt in &question.doubts {
        remark(format_args!("{doubt}"));
    }
    let reference = Reference::new(question.rules.clone())?;
    let state = position(&reference, arguments)?;
    let joint = match &arguments.moves {
        Some(step) => Some(joint(&reference, &state, step)?),
        None => None,
    };
    let answered = reference.ask(&state, joint.as_deref(), &question.head, question.variables.len());
    let answers = match answered {
        Ok(answers) => answers,
        Err(ludex_game::Failure::Misuse(_)) if joint.is_none() => {
            bail!("the question depends on the moves that are made: give them with --moves")
        }
        Err(failure) => {
            report_error(&failure.into());
            return Ok(Outcome::Failure);
        }
    };
    let shown = &answers[..answers.len().min(arguments.limit.unwrap_or(usize::MAX))];
    if arguments.json {
        let row = |row: &Vec<String>| -> serde_json::Map<String, serde_json::Value> {
            question.variables.iter().cloned().zip(row.iter().map(|text| json!(text))).collect()
        };
        let object = json!({
            "question": arguments.question,
            "holds": !answers.is_empty(),
            "count": answers.len(),
            "variables": question.variables,
            "answers": shown.iter().map(row).collect::<Vec<_>>(),
        });
        writeln!(out, "{object}")?;
    } else {
        write_answers(&question.variables, shown, answers.len(), &mut out)?;
    }
    out.flush()?;
    Ok(Outcome::Success)
}

/// The position in which is asked.
fn position(game: &Reference, arguments: &Arguments) -> Result<State> {
    if let Some(moves) = &arguments.history {
        return Ok(history::play(game, moves)?.0);
    }
    let Some(facts) = &arguments.state else { return Ok(game.initial()) };
    let mut found = Vec::new();
    for text in history::terms(facts).context("cannot read the facts")? {
        if text.split(['(', ')', ' ']).any(|word| word.starts_with('?')) {
            bail!("the fact `{text}` has a variable");
        }
        let fact = game.find_fact(text);
        found.push(fact.with_context(|| format!("the fact `{text}` has words that the rules do not have"))?);
    }
    Ok(game.state_with(&found))
}

fn joint(game: &Reference, state: &State, step: &str) -> Result<Vec<MoveId>> {
    let steps = history::terms(step).context("cannot read the moves")?;
    let [step] = steps[..] else { bail!("--moves takes one step, and has {}", steps.len()) };
    let view = game.view(state)?;
    if view.terminal {
        bail!("the game is over in this position: no moves can be made");
    }
    history::joint(game, &view, step).with_context(|| format!("the moves `{step}`"))
}

/// `yes` or `no` without variables; otherwise a column for each.
fn write_answers(
    variables: &[String],
    shown: &[Vec<String>],
    all: usize,
    out: &mut impl Write,
) -> Result<()> {
    if variables.is_empty() {
        writeln!(out, "{}", if all > 0 { "yes" } else { "no" })?;
        return Ok(());
    }
    let widths: Vec<usize> = (0..variables.len())
        .map(|at| {
            let cells = shown.iter().map(|row| &row[at]).chain([&variables[at]]);
            cells.map(|text| text.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &[String]| -> String {
        let cells = row.iter().zip(&widths).map(|(text, &width)| format!("{text:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    if !shown.is_empty() {
        writeln!(out, "{}", line(variables))?;
    }
    for row in shown {
        writeln!(out, "{}", line(row))?;
    }
    let left = all - shown.len();
    let more = if left > 0 { format!(", {left} not shown") } else { String::new() };
    writeln!(out, "{}{more}", count(all, "answer"))?;
    Ok(())
}
