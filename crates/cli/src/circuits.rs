//! Options about how circuits are run: lanes, instructions, machine code, evaluation.

use anyhow::{Result, bail};
use clap::builder::PossibleValue;
use ludex_reasoner::{BatchOptions, BuildOptions, Evaluation, Instructions, MachineCode, Width};

/// Options for the engines that run circuits.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CircuitArguments {
    /// How many states `batch` handles at once; if not given, what suits the processor
    #[arg(long, value_name = "N", value_parser = lanes)]
    lanes: Option<Width>,

    /// The most that `batch` may use of the processor; if not given, all it has
    #[arg(long, value_enum, value_name = "SET")]
    instructions: Option<InstructionsName>,

    /// No machine code: `batch` computes gates with the interpreter
    #[arg(long)]
    no_jit: bool,

    /// How `circuit` computes gates; if not given, what suits the game
    #[arg(long, value_enum, value_name = "HOW")]
    evaluation: Option<EvaluationName>,
}

impl CircuitArguments {
    /// What they ask for; an error if this processor does not have it.
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
        format!("there are {} lanes", known.join(", "))
    })
}

/// A set of instructions, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InstructionsName(Instructions);

impl clap::ValueEnum for InstructionsName {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(Instructions::Plain), Self(Instructions::Avx2), Self(Instructions::Avx512)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Instructions::Plain => "what every processor has",
            Instructions::Avx2 => "vectors of 256 bits, no AVX-512 instruction anywhere",
            Instructions::Avx512 => "vectors of 512 bits",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// A way to compute gates, by name.
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
