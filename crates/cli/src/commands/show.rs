//! `ludex show`: the forms a rule sheet goes through, one line a rule, and states of its game.

pub(crate) mod state;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use ludex_gdl::{Severity, Style, load, parse, render};
use ludex_reasoner::{Limits, Stats};

use crate::output::stdout;
use crate::{Outcome, input};

/// Show a form that a rule sheet goes through, one line for each clause or rule
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Which form
    #[arg(value_enum)]
    form: Form,

    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    #[command(flatten)]
    state: state::Options,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    /// The clauses as read: line number, then the clause on one line
    Ast,
    /// The rules as meant: keywords resolved, `or` as alternatives, in words
    Rules,
    /// How large the sheet becomes without variables, and as a circuit
    Stats,
    /// A state, drawn as a board
    State,
}

const EXAMPLES: &str = "Examples:
  ludex show rules tic_tac_toe
  ludex show ast - < my_game.kif
  ludex show stats connect_four
  ludex show state connect_four --random 12 --seed 3
  ludex show state tic_tac_toe --history \"(mark 2 2) (mark 1 1)\"

Exit codes: 0 good, 1 the sheet has errors (what could be read is shown), 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if !matches!(arguments.form, Form::State) {
        arguments.state.refuse()?;
    }
    let source = input::read(&arguments.game)?;
    let mut out = stdout();
    let report = match arguments.form {
        Form::Ast => {
            let (tree, report) = parse(&source);
            let lines: Vec<_> = tree.roots().map(|n| source.position(tree.span(n).start).line).collect();
            let width = lines.iter().max().map_or(1, |n| n.to_string().len());
            for (root, line) in tree.roots().zip(lines) {
                writeln!(out, "{line:>width$}  {}", tree.text(root))?;
            }
            report
        }
        Form::Rules => {
            let loaded = load(&source);
            for rule in &loaded.rules.rules {
                writeln!(out, "{}", loaded.rules.display(rule))?;
            }
            loaded.report
        }
        Form::Stats => {
            let loaded = load(&source);
            match Stats::new(&loaded.rules, &Limits::default()) {
                Ok(stats) => write_stats(&stats, &mut out)?,
                Err(reason) => writeln!(out, "not grounded: {reason}")?,
            }
            loaded.report
        }
        Form::State => return state::run(&arguments.game, &arguments.state),
    };
    let errors = report.diagnostics().iter().filter(|d| d.severity() == Severity::Error);
    for diagnostic in errors {
        writeln!(out, "\n{}", render(&source, diagnostic, Style::Coloured))?;
    }
    out.flush()?;
    Ok(if report.has_errors() { Outcome::Bad } else { Outcome::Good })
}

fn write_stats(stats: &Stats, out: &mut impl Write) -> Result<()> {
    let circuit = &stats.circuit;
    let [view, next, goals] = circuit.gates;
    writeln!(out, "facts and rules as written   {:>9}", stats.rules)?;
    writeln!(out, "ground atoms                 {:>9}", stats.ground.atoms)?;
    writeln!(out, "instances of rules           {:>9}", stats.ground.instances)?;
    writeln!(out, "facts of the state           {:>9}", circuit.facts)?;
    writeln!(out, "moves of all roles           {:>9}", circuit.moves)?;
    writeln!(out, "gates for legal and terminal {view:>9}")?;
    writeln!(out, "  further ones for next      {next:>9}")?;
    writeln!(out, "  further ones for goals     {goals:>9}")?;
    writeln!(out, "inputs of all gates          {:>9}", circuit.inputs)?;
    writeln!(out, "loops                        {:>9}", circuit.loops)?;
    Ok(())
}
