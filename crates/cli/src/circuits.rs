//! Options for running circuits: lanes, instructions, machine code, evaluation.

use anyhow::{Result, bail};
use clap::builder::PossibleValue;
use ludex_reasoner::{BatchOptions, BuildOptions, Evaluation, Instructions, MachineCode, Width};

/// Options for the engines that run circuits.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CircuitArguments {
    /// Lanes of `batch`: states that it runs at once; by default the best for this processor
    #[arg(long, value_name = "N", value_parser = lanes)]
    lanes: Option<Width>,

    /// Largest instruction set that `batch` may use; by default the best that this processor has
    #[arg(long, value_enum, value_name = "SET")]
    instructions: Option<InstructionsName>,

    /// No machine code (JIT): `batch` evaluates gates with the interpreter
    #[arg(long)]
    no_jit: bool,

    /// How `circuit` evaluates gates; by default the faster way for the game
    #[arg(long, value_enum, value_name = "HOW")]
    evaluation: Option<EvaluationName>,
}

impl CircuitArguments {
    /// The build options; an error if this processor lacks the instructions.
    pub(crate) fn options(&self) -> Result<BuildOptions> {
        let instructions = self.instructions.map_or_else(Instructions::best, |name| name.0);
        if !instructions.is_available() {
            bail!("this processor has no {} instructions", instructions.name());
        }
        let suited = BatchOptions::with_instructions(instructions);
        let machine_code = if self.no_jit { MachineCode::Never } else { suited.machine_code };
        let batch = BatchOptions { width: self.lanes.unwrap_or(suited.width), machine_code, ..suited };
        let evaluation = self.evaluation.map(|name| name.0);
        Ok(BuildOptions { batch, evaluation, ..BuildOptions::default() })
    }
}

fn lanes(text: &str) -> Result<Width, String> {
    let width = text.parse().ok().and_then(Width::with_lanes);
    width.ok_or_else(|| {
        let known: Vec<String> = Width::ALL.iter().map(|width| width.lanes().to_string()).collect();
        format!("the number of lanes is one of {}", known.join(", "))
    })
}

/// An instruction set, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InstructionsName(Instructions);

impl clap::ValueEnum for InstructionsName {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(Instructions::Plain), Self(Instructions::Avx2), Self(Instructions::Avx512)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Instructions::Plain => "baseline instructions that every processor has",
            Instructions::Avx2 => "256-bit SIMD, no AVX-512 instructions",
            Instructions::Avx512 => "512-bit SIMD",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// A way to evaluate gates, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EvaluationName(Evaluation);

impl clap::ValueEnum for EvaluationName {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(Evaluation::Full), Self(Evaluation::Incremental)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Evaluation::Full => "all gates, for every state",
            Evaluation::Incremental => "only gates whose inputs change",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}
