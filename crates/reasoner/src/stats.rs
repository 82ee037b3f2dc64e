//! Sizes of a game's rules, ground rules and circuit.

use ludex_gdl::Rules;

use crate::circuit::CircuitReport;
use crate::ground::{Ground, GroundSize};
use crate::limits::{Limits, StopReason};
use crate::progress::Progress;

/// Sizes of the forms of a sheet.
#[derive(Debug)]
pub struct Stats {
    /// Facts and rules as written.
    pub rules: usize,
    /// Ground rules.
    pub ground: GroundSize,
    /// Circuit.
    pub circuit: CircuitReport,
}

impl Stats {
    /// Grounds a sheet and builds its circuit to measure both.
    pub fn new(rules: &Rules, limits: &Limits, progress: &Progress) -> Result<Self, StopReason> {
        let ground = Ground::with_progress(rules, limits, progress)?;
        let size = ground.size();
        Ok(Self { rules: rules.rules.len(), ground: size, circuit: CircuitReport::new(ground)? })
    }
}
