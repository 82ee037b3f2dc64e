//! The laws about models and portable forms: where there is one, it must say what the game says.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::conformance::{Kit, Law, Violation};
use crate::game::View;
use crate::ids::{FactId, MoveId};
use crate::model::{GroundModel, Values};
use crate::portable::{BitState, NamedMoves, NamedState, NumberedMoves, PortableState};
use crate::state::State;

type Checked = Result<(), Box<Violation>>;

/// The ground model of a game, if it has one.
pub(crate) struct Structure<'a> {
    kit: &'a Kit<'a>,
    model: Option<&'a GroundModel>,
}

impl<'a> Structure<'a> {
    /// Checks names and the first state.
    pub(crate) fn of(kit: &'a Kit<'a>) -> Result<Self, Box<Violation>> {
        let game = kit.game;
        let found = Self { kit, model: game.model().and_then(|model| model.ground()) };
        let Some(model) = found.model else { return Ok(found) };
        let first = game.initial();
        let same = |own: String, found: String| {
            kit.law(&first, Law::ModelNamesAgree, own == found, || format!("{own} and {found}"))
        };
        let roles: Vec<String> = model.roles.iter().map(|&role| model.terms.text(role)).collect();
        same(game.roles().join(" "), roles.join(" "))?;
        for fact in (0..model.facts.len()).map(FactId::new) {
            same(game.fact_name(fact), model.fact_name(fact).unwrap_or_default())?;
        }
        for choice in (0..model.moves.len()).map(MoveId::new) {
            same(game.move_name(choice), model.move_name(choice).unwrap_or_default())?;
        }
        let built = game.state_with(&model.initial());
        kit.law(&first, Law::ModelFirstStateAgrees, built == first, || game.describe(&built).join(" "))?;
        Ok(found)
    }

    /// What the gates say of a state, and what is known of all states.
    pub(crate) fn state(&self, state: &State, view: &View) -> Checked {
        let (Some(model), kit) = (self.model, self.kit) else { return Ok(()) };
        let facts = kit.game.facts(state);
        let values = model.evaluate(&facts, &[]);
        let found = model.view(&values);
        kit.law(state, Law::ModelViewAgrees, found == *view, || format!("{found:?} and {view:?}"))?;
        let (goals, found) = (kit.try_it(kit.game.goals(state))?, model.goals_of(&values));
        kit.law(state, Law::ModelGoalsAgree, found == goals, || format!("{found:?} and {goals:?}"))?;
        for group in &model.mutexes {
            let count = group.facts.iter().filter(|fact| facts.binary_search(fact).is_ok()).count();
            let kept = if group.exactly_one { count == 1 } else { count <= 1 };
            kit.law(state, Law::MutexesHold, kept, || format!("{count} of {:?}", group.facts))?;
        }
        Ok(())
    }

    /// What the gates say of a step.
    pub(crate) fn step(&self, state: &State, joint: &[MoveId], next: &State) -> Checked {
        let (Some(model), kit) = (self.model, self.kit) else { return Ok(()) };
        let facts = kit.game.facts(state);
        let values: Values = model.evaluate(&facts, joint);
        let found = kit.game.state_with(&model.next_facts(&values));
        kit.law(state, Law::ModelNextAgrees, found == *next, || kit.game.describe(&found).join(" "))?;
        let after = kit.game.facts(next);
        let holds = |facts: &[FactId], fact: &FactId| facts.binary_search(fact).is_ok();
        let went = model.stays_on.iter().find(|fact| holds(&facts, fact) && !holds(&after, fact));
        let came = model.stays_off.iter().find(|fact| !holds(&facts, fact) && holds(&after, fact));
        let changed = went.or(came);
        kit.law(state, Law::LatchedFactsStay, changed.is_none(), || format!("{changed:?}"))
    }
}

impl Kit<'_> {
    /// A state in all portable forms, through JSON, and back.
    pub(crate) fn portable(&self, state: &State) -> Checked {
        let game = self.game;
        let law = Law::PortableStatesRoundTrip;
        let named = NamedState::of(game, state);
        let read = through_json(&named).map(|named| named.read(game));
        self.law(state, law, read == Some(Ok(state.clone())), || format!("by name: {read:?}"))?;
        let either = PortableState::of(game, state);
        let read = through_json(&either).map(|either| either.read(game));
        self.law(state, law, read == Some(Ok(state.clone())), || format!("{either:?}: {read:?}"))?;
        if game.model().is_some_and(|model| model.ground().is_some()) {
            let read = BitState::of(game, state).map(|bits| through_json(&bits).map(|bits| bits.read(game)));
            let kept = read == Ok(Some(Ok(state.clone())));
            self.law(state, law, kept, || format!("as bits: {read:?}"))?;
        }
        Ok(())
    }

    /// Moves in all portable forms, through JSON, and back.
    pub(crate) fn portable_moves(&self, state: &State, joint: &[MoveId]) -> Checked {
        let game = self.game;
        let law = Law::PortableMovesRoundTrip;
        let read = through_json(&NamedMoves::of(game, joint)).map(|named| named.read(game));
        self.law(state, law, read == Some(Ok(joint.to_vec())), || format!("by name: {read:?}"))?;
        if game.model().is_some_and(|model| model.ground().is_some()) {
            let numbers = NumberedMoves::of(game, joint);
            let read = numbers.map(|numbers| through_json(&numbers).map(|numbers| numbers.read(game)));
            let kept = read == Ok(Some(Ok(joint.to_vec())));
            self.law(state, law, kept, || format!("as numbers: {read:?}"))?;
        }
        Ok(())
    }
}

fn through_json<T: Serialize + DeserializeOwned>(value: &T) -> Option<T> {
    serde_json::from_str(&serde_json::to_string(value).ok()?).ok()
}
