//! What the reasoner claims of all states of a game that can be reached, held against random play.

use ludex_game::FactId;
use ludex_reasoner::{Limits, Progress, Stats, build};

use crate::games::{each, ensure};
use crate::play::states_at_random;

#[test]
fn claims_about_all_states_hold_in_random_games() {
    each(|built| {
        let stats = Stats::new(&built.rules(), &Limits::default(), &Progress::new());
        let report = stats.map_err(|reason| reason.to_string())?.circuit;
        // This engine takes none of the claims for granted.
        let game = build(built.rules(), "circuit").map_err(|error| error.to_string())?;
        let find = |fact: &String| game.find_fact(fact).ok_or_else(|| format!("there is no {fact}"));
        let ids = |facts: &[String]| facts.iter().map(find).collect::<Result<Vec<FactId>, _>>();
        let groups = report.groups.iter().map(|group| Ok((group.exactly_one, ids(&group.facts)?)));
        let groups = groups.collect::<Result<Vec<_>, String>>()?;
        let (stay_on, stay_off) = (ids(&report.stay_on)?, ids(&report.stay_off)?);
        let first = game.facts(&game.initial());
        let mut before: Vec<FactId> = Vec::new();
        states_at_random(&*game, 400, |state| {
            let facts = game.facts(state);
            let holds = |facts: &[FactId], fact: &FactId| facts.binary_search(fact).is_ok();
            for (exactly_one, group) in &groups {
                let count = group.iter().filter(|fact| holds(&facts, fact)).count();
                ensure(count == 1 || (count == 0 && !exactly_one), || {
                    let names: Vec<String> = group.iter().map(|&fact| game.fact_name(fact)).collect();
                    format!("{count} of {names:?} hold in {:?}", game.describe(state))
                })?;
            }
            // A new game starts with the first state.
            if facts != first {
                let on = stay_on.iter().find(|fact| holds(&before, fact) && !holds(&facts, fact));
                let off = stay_off.iter().find(|fact| !holds(&before, fact) && holds(&facts, fact));
                ensure(on.or(off).is_none(), || format!("{:?} or {:?} did not stay", on, off))?;
            }
            before = facts;
            Ok(())
        })
    });
}
