//! Options about lanes: how many, with which instructions, as machine code or not.

use anyhow::{Result, bail};
use clap::builder::PossibleValue;
use ludex_reasoner::{BatchOptions, Instructions, Width};

/// Options for the engines that run in lanes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LaneArguments {
    /// How many states `batch` handles at once; if not given, what suits the processor
    #[arg(long, value_name = "N", value_parser = lanes)]
    lanes: Option<Width>,

    /// The most that `batch` may use of the processor; if not given, all it has
    #[arg(long, value_enum, value_name = "SET")]
    instructions: Option<InstructionsName>,

    /// No machine code: `batch` computes gates with the interpreter
    #[arg(long)]
    no_jit: bool,
}

impl LaneArguments {
    /// What they ask for; an error if this processor does not have it.
    pub(crate) fn options(&self) -> Result<BatchOptions> {
        let instructions = self.instructions.map_or_else(Instructions::best, |name| name.0);
        if !instructions.is_available() {
            bail!("this processor has no {} instructions", instructions.name());
        }
        let suited = BatchOptions::with_instructions(instructions);
        Ok(BatchOptions { width: self.lanes.unwrap_or(suited.width), compile: !self.no_jit, ..suited })
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
