//! Attempts: chooses the form of the rules in which a sheet is grounded.
//!
//! Most sheets are small and grounded as they are. Rules of others are split, first by the number
//! of their variables, to learn how large tables become, then by these sizes. Where that takes too
//! long, relations are computed on demand; that is not done at once because demands cost something,
//! too, and most rules ask for nearly all there is. What is too long is a matter of counted work,
//! not of time: the same sheet becomes the same circuit everywhere.

use ludex_gdl::{Rules, keyword};

use super::change::classify;
use super::demand::demand_driven;
use super::demand_choice::DemandChoice;
use super::normal::{Callers, normal_form};
use super::program::NormalProgram;
use super::reach::{GivenUp, Reached, reach};
use super::sizes::Sizes;
use super::split::split;
use super::unfold::unfold_comparisons;
use crate::limits::{StopReason, Watch};

/// Maximum instances of a sheet that is grounded as written.
const SMALL_INSTANCES: usize = 2_000;
/// Maximum work for that, in matched conditions and instances.
const SMALL_WORK: u64 = 200_000;
/// Work after which full grounding gives way to grounding on demand.
const PATIENCE_WORK: u64 = 25_000_000;
/// Full grounding first gets one in this many of the allowed instances.
const PATIENCE_INSTANCES: usize = 16;
/// Work after which grounding on demand gives way to full grounding without a work limit.
const DEMAND_WORK: u64 = 150_000_000;

/// Matches of a rule that make a sample of it, to estimate table sizes.
const SAMPLE: usize = 20_000;

/// Grounds a sheet in the form that suits it.
pub(super) fn ground(rules: &Rules, watch: &mut Watch) -> Result<(NormalProgram, Reached), StopReason> {
    let normal = match normal_form(rules, Callers::Copied) {
        Ok(program) => program,
        Err(reason) => {
            let before = *GivenUp::with_nothing(reason);
            return on_demand(rules, Callers::Demand, before, usize::MAX, watch)
                .map_err(|given_up| given_up.reason);
        }
    };
    if let Ok(done) = once(normal, &mut watch.attempt(SMALL_INSTANCES, SMALL_WORK)) {
        return Ok(done);
    }
    watch.look()?;
    let patience = &mut watch.attempt(watch.instances() / PATIENCE_INSTANCES, PATIENCE_WORK);
    let mut before = match split_twice(rules, patience, watch) {
        Ok(done) => return Ok(done),
        Err(given_up) => given_up,
    };
    // Samples first, to learn the sizes of tables; then all of it.
    for most in [SAMPLE, 8 * SAMPLE, usize::MAX] {
        watch.look()?;
        let attempt = &mut watch.attempt(usize::MAX, DEMAND_WORK);
        before = match on_demand(rules, Callers::Copied, *before, most, attempt) {
            Ok(done) => return Ok(done),
            Err(given_up) => given_up,
        };
    }
    watch.look()?;
    let rest = &mut watch.clone();
    split_twice(rules, rest, watch).map_err(|given_up| given_up.reason)
}

/// Grounds a program.
pub(super) fn once(
    mut program: NormalProgram,
    watch: &mut Watch,
) -> Result<(NormalProgram, Reached), Box<GivenUp>> {
    let (is_dynamic, order) = classify(&program);
    let reached = reach(&mut program, &is_dynamic, &order, usize::MAX, watch)?;
    Ok((program, reached))
}

/// Grounds with rules split by the number of variables, then with rules split by the sizes of
/// tables; gives what is smaller.
fn split_twice(
    rules: &Rules,
    patience: &mut Watch,
    watch: &mut Watch,
) -> Result<(NormalProgram, Reached), Box<GivenUp>> {
    let normal = || normal_form(rules, Callers::Copied).map_err(GivenUp::with_nothing);
    let mut program = normal()?;
    split(&mut program, None);
    let first = once(program, patience)?;
    let mut program = normal()?;
    let sizes = Sizes::measure(&program, &first.1.tables, &first.1.terms);
    split(&mut program, Some(&sizes));
    watch.keep(first.1.bytes());
    let second = once(program, &mut watch.attempt(first.1.instances.len(), u64::MAX));
    watch.keep(0);
    Ok(second.unwrap_or(first))
}

/// Grounds with relations computed on demand.
fn on_demand(
    rules: &Rules,
    callers: Callers,
    mut before: GivenUp,
    most: usize,
    watch: &mut Watch,
) -> Result<(NormalProgram, Reached), Box<GivenUp>> {
    let mut program = normal_form(rules, callers).map_err(GivenUp::with_nothing)?;
    // Later tables belong to helpers and demands of the previous attempt.
    before.tables.truncate(program.relations.len());
    before.is_complete.truncate(program.relations.len());
    if !before.tables.is_empty() {
        unfold_comparisons(&mut program);
        let sizes = Sizes::measure(&program, &before.tables, &before.terms);
        split(&mut program, Some(&sizes));
    }
    let mut choice = DemandChoice::new(&program, before);
    let mut program = demand_driven(program, &mut choice).map_err(GivenUp::with_nothing)?;
    drop(choice);
    let (is_dynamic, order) = classify(&program);
    let init = program.find(keyword::INIT, 1);
    if init.is_some_and(|init| is_dynamic[init as usize]) {
        let reason = "the first state depends on what changes in play";
        return Err(GivenUp::with_nothing(StopReason::Unsupported(reason.into())));
    }
    let reached = reach(&mut program, &is_dynamic, &order, most, watch)?;
    Ok((program, reached))
}
