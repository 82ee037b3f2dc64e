//! Running games from rule sheets, with an engine of the user's choice.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use clap::builder::PossibleValue;
use ludex_game::Game;
use ludex_gdl::{Rules, Severity, Source, Style, load, render};
use ludex_reasoner::{BuildOptions, Built, ENGINES, EngineChoice, Progress};

use crate::output::remark;
use crate::waiting;

/// The name of a known engine; the first of the table by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EngineName(pub(crate) &'static str);

impl Default for EngineName {
    fn default() -> Self {
        Self(ENGINES.first().map_or("", |engine| engine.name))
    }
}

impl std::fmt::Display for EngineName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// The names of all engines, for clap: help, completion, suggestions.
impl clap::ValueEnum for EngineName {
    fn value_variants<'a>() -> &'a [Self] {
        static NAMES: std::sync::LazyLock<Vec<EngineName>> =
            std::sync::LazyLock::new(|| ENGINES.iter().map(|engine| EngineName(engine.name)).collect());
        &NAMES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let engine = ENGINES.iter().find(|engine| engine.name == self.0)?;
        Some(PossibleValue::new(engine.name).help(engine.summary))
    }
}

/// One engine, or each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engines {
    One(EngineName),
    All,
}

impl Engines {
    pub(crate) fn names(self) -> Vec<EngineName> {
        match self {
            Engines::One(name) => vec![name],
            Engines::All => ENGINES.iter().map(|engine| EngineName(engine.name)).collect(),
        }
    }
}

impl Default for Engines {
    fn default() -> Self {
        Engines::One(EngineName::default())
    }
}

impl std::fmt::Display for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Engines::One(name) => name.fmt(f),
            Engines::All => f.write_str("all"),
        }
    }
}

impl clap::ValueEnum for Engines {
    fn value_variants<'a>() -> &'a [Self] {
        static NAMES: std::sync::LazyLock<Vec<Engines>> = std::sync::LazyLock::new(|| {
            let each = EngineName::value_variants().iter().copied().map(Engines::One);
            each.chain([Engines::All]).collect()
        });
        &NAMES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Engines::One(name) => name.to_possible_value(),
            Engines::All => Some(PossibleValue::new("all").help("each engine")),
        }
    }
}

/// The rules of a sheet; `None` if it has errors, which are printed.
pub(crate) fn playable(source: &Source, out: &mut impl Write) -> Result<Option<Rules>> {
    match load(source).playable() {
        Ok(rules) => Ok(Some(rules)),
        Err(report) => {
            for found in report.diagnostics().iter().filter(|d| d.severity() == Severity::Error) {
                writeln!(out, "{}\n", render(source, found, Style::Coloured))?;
            }
            out.flush()?;
            Ok(None)
        }
    }
}

/// Builds the game of these rules. Shows progress during set-up and prints the choice of `auto`.
pub(crate) fn build(rules: Rules, engine: &EngineName) -> Result<Arc<dyn Game>> {
    let options = BuildOptions::default();
    let built = waiting::show(|progress| build_with(rules, engine, &options, progress))?;
    tell(engine, &built.choice);
    Ok(built.game)
}

/// The same with options, without printing anything.
pub(crate) fn build_with(
    rules: Rules,
    engine: &EngineName,
    options: &BuildOptions,
    progress: &Progress,
) -> Result<Built> {
    Ok(ludex_reasoner::build_with(rules, engine.0, options, progress)?)
}

/// Prints the chosen engine on standard error if it differs from the one asked for.
pub(crate) fn tell(asked: &EngineName, choice: &EngineChoice) {
    if asked.0 != choice.engine {
        remark(format_args!("{asked}: {choice}"));
    }
}
