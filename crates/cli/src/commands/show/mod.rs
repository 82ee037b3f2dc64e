//! `ludex show`: the forms a rule sheet goes through, from clauses to gates, and states of its
//! game.

mod sizes;
pub(crate) mod state;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use ludex_gdl::{Loaded, Severity, Source, Style, load, parse, render};
use ludex_reasoner::{Ground, Limits, Stats};
use ludex_translate::{asp, prolog};
use serde_json::json;

use crate::output::{count, remark, report_error, stdout};
use crate::{Outcome, input, waiting};

/// Show a form of a rule sheet, from clauses to gates, or a state as a board
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Which form
    #[arg(value_enum)]
    form: Form,

    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// With `ground`: stop after this many rules. With `--dot`: draw up to this many gates
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// With `circuit`: the gates themselves, for Graphviz
    #[arg(long, conflicts_with = "json")]
    dot: bool,

    /// With `asp`: the longest play, in moves
    #[arg(long, value_name = "MOVES", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    horizon: u32,

    /// JSON, for `ground` (one rule per line), `circuit`, `stats` and `state`
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    state: state::Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// The clauses as read: line number, then the clause on one line
    Ast,
    /// The rules in words: keywords resolved, `or` as alternatives
    Rules,
    /// The ground rules, without variables, one per line; an equivalent sheet
    Ground,
    /// The circuit (propnet): gates and depth per query, savings of each optimization pass
    Circuit,
    /// Sizes at each stage, from rules to gates
    Stats,
    /// A state, drawn as a board
    State,
    /// The rules as a program for SWI-Prolog, with the functions that a player needs
    Prolog,
    /// The rules of a puzzle as an answer-set program for clingo: its best answer is the best plan
    Asp,
}

const EXAMPLES: &str = "Examples:
  ludex show rules tic_tac_toe
  ludex show ast - < my_game.kif
  ludex show ground tic_tac_toe --limit 20
  ludex show circuit connect_four
  ludex show circuit my_game.kif --dot | dot -Tsvg > my_game.svg
  ludex show stats connect_four --json
  ludex show prolog breakthrough > breakthrough.pl && swipl breakthrough.pl
  ludex show asp hanoi --horizon 31 | clingo
  ludex show state connect_four --random 12 --seed 3
  ludex show state tic_tac_toe --history \"(mark 2 2) (mark 1 1)\"

Exit codes: 0 success, 1 the sheet has errors (what could be read is shown) or is too large,
2 cannot read.";

/// Default limit of gates in a picture: larger ones are unreadable.
const DRAWN: usize = 600;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.json && matches!(arguments.form, Form::Ast | Form::Rules | Form::Prolog | Form::Asp) {
        bail!("--json is for ground, circuit, stats and state");
    }
    if arguments.dot && arguments.form != Form::Circuit {
        bail!("--dot is for circuit");
    }
    if arguments.form == Form::State {
        return state::run(&arguments.game, &arguments.state, arguments.json);
    }
    arguments.state.refuse()?;
    let source = input::read(&arguments.game)?;
    let mut out = stdout();
    let (report, outcome) = match arguments.form {
        Form::Ast => {
            let (tree, report) = parse(&source);
            let lines: Vec<_> = tree.roots().map(|n| source.position(tree.span(n).start).line).collect();
            let width = lines.iter().max().map_or(1, |n| n.to_string().len());
            for (root, line) in tree.roots().zip(lines) {
                writeln!(out, "{line:>width$}  {}", tree.text(root))?;
            }
            (report, Outcome::Success)
        }
        Form::Rules => {
            let loaded = load(&source);
            for rule in &loaded.rules.rules {
                writeln!(out, "{}", loaded.rules.display(rule))?;
            }
            (loaded.report, Outcome::Success)
        }
        Form::Prolog | Form::Asp => {
            let loaded = load(&source);
            if loaded.report.has_errors() {
                (loaded.report, Outcome::Failure)
            } else {
                let program = match arguments.form {
                    Form::Prolog => Ok(prolog(&loaded.rules)),
                    _ => asp(&loaded.rules, arguments.horizon as usize),
                };
                let outcome = match program {
                    Ok(program) => {
                        write!(out, "{program}")?;
                        Outcome::Success
                    }
                    Err(reason) => {
                        report_error(&anyhow::anyhow!("no program: {reason}"));
                        Outcome::Failure
                    }
                };
                (loaded.report, outcome)
            }
        }
        Form::Ground | Form::Circuit | Form::Stats | Form::State => {
            let loaded = load(&source);
            let outcome = reasoned(arguments, &source, &loaded, &mut out)?;
            (loaded.report, outcome)
        }
    };
    // Programs get nothing but JSON or a picture.
    if !arguments.json && !arguments.dot {
        let errors = report.diagnostics().iter().filter(|d| d.severity() == Severity::Error);
        for diagnostic in errors {
            writeln!(out, "\n{}", render(&source, diagnostic, Style::Coloured))?;
        }
    }
    out.flush()?;
    Ok(if report.has_errors() { Outcome::Failure } else { outcome })
}

/// The forms that need grounding.
fn reasoned(
    arguments: &Arguments,
    source: &Source,
    loaded: &Loaded,
    out: &mut impl Write,
) -> Result<Outcome> {
    let rules = &loaded.rules;
    let limits = Limits::default();
    let name = arguments.game.file_stem().map_or_else(|| source.name().into(), |s| s.to_string_lossy());
    if arguments.form == Form::Ground {
        let ground = match waiting::show(|progress| Ground::readable(rules, &limits, progress)) {
            Ok(ground) => ground,
            Err(reason) => return not_grounded(&reason),
        };
        return write_ground(arguments, &ground, out);
    }
    let stats = match waiting::show(|progress| Stats::new(rules, &limits, progress)) {
        Ok(stats) => stats,
        Err(reason) => return not_grounded(&reason),
    };
    match arguments.form {
        _ if arguments.json => writeln!(out, "{}", sizes::json(&name, &stats))?,
        Form::Circuit if arguments.dot => {
            let gates: usize = stats.circuit.size.gates.iter().sum();
            let limit = arguments.limit.unwrap_or(DRAWN);
            if gates > limit {
                bail!("{}: too many to draw (use --limit {gates} to draw them all)", count(gates, "gate"));
            }
            stats.circuit.write_dot(out)?;
        }
        Form::Circuit => sizes::circuit(&stats.circuit, out)?,
        _ => sizes::stats(&stats, out)?,
    }
    Ok(Outcome::Success)
}

fn not_grounded(reason: &ludex_reasoner::StopReason) -> Result<Outcome> {
    report_error(&anyhow::anyhow!("grounding gave up: {reason}"));
    Ok(Outcome::Failure)
}

/// Writes rules as they are found, so that millions of them need little memory.
fn write_ground(arguments: &Arguments, ground: &Ground, out: &mut impl Write) -> Result<Outcome> {
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let mut rules = ground.rules();
    for rule in rules.by_ref().take(limit) {
        match arguments.json {
            true => writeln!(out, "{}", json!({ "head": rule.head, "body": rule.body }))?,
            false => writeln!(out, "{rule}")?,
        }
    }
    let left = rules.count();
    if left > 0 {
        out.flush()?;
        remark(format_args!("{} more", count(left, "rule")));
    }
    Ok(Outcome::Success)
}
