//! How large a sheet becomes on its way to a circuit.

use ludex_gdl::Rules;

use crate::circuit::{Circuit, CircuitSize};
use crate::ground::{Ground, GroundSize};
use crate::limits::{Limits, StopReason};

/// Sizes of the forms of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Facts and rules as written.
    pub rules: usize,
    /// Without variables.
    pub ground: GroundSize,
    /// As gates.
    pub circuit: CircuitSize,
}

impl Stats {
    /// Grounds a sheet and builds its circuit, to see how large they are.
    pub fn new(rules: &Rules, limits: &Limits) -> Result<Self, StopReason> {
        let ground = Ground::new(rules, limits)?;
        let size = ground.size();
        Ok(Self { rules: rules.rules.len(), ground: size, circuit: Circuit::new(ground)?.size() })
    }
}
