//! Random play: who moves when, how long games are, whether they end and with which goals.

use ludex_game::{Game, State};
use ludex_library::Kind;

use crate::games::{each, ensure};

/// Longest game that is followed to its end.
const LONGEST: u32 = 2000;

/// Calls `visit` with states of random games, at least this many.
pub(crate) fn states_at_random(
    game: &dyn Game,
    least: usize,
    mut visit: impl FnMut(&State) -> Result<(), String>,
) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut seen = 0;
    while seen < least {
        let mut state = game.initial();
        for _ in 0..LONGEST {
            visit(&state)?;
            seen += 1;
            let view = game.view(&state).map_err(|failure| failure.to_string())?;
            if view.terminal {
                break;
            }
            ensure(!view.legal.iter().any(Vec::is_empty), || "a role has no legal move".into())?;
            let joint: Vec<_> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            state = game.next(&state, &joint).map_err(|failure| failure.to_string())?;
        }
    }
    Ok(())
}

#[test]
fn roles_take_turns_as_the_kind_says() {
    each(|built| {
        let (game, about) = (built.game(), &built.about);
        ensure(game.roles() == about.roles, || format!("the roles are {:?}", game.roles()))?;
        let (mut together, mut sums) = (0, Vec::new());
        states_at_random(game, 300, |state| {
            let view = game.view(state).map_err(|failure| failure.to_string())?;
            let choosing = view.legal.iter().filter(|legal| legal.len() > 1).count();
            together += usize::from(choosing > 1);
            if view.terminal {
                let goals = game.goals(state).map_err(|failure| failure.to_string())?;
                let values: Option<Vec<u32>> = goals.iter().map(|g| g.value().map(u32::from)).collect();
                let values = values.ok_or_else(|| format!("at the end the goals are {goals:?}"))?;
                sums.push(values.iter().sum::<u32>());
            }
            Ok(())
        })?;
        match about.kind {
            None => ensure(false, || "no kind".into()),
            Some(Kind::SinglePlayer) => ensure(game.role_count() == 1, || "several roles".into()),
            Some(Kind::TurnTaking) => ensure(together == 0, || "several roles choose at once".into()),
            Some(Kind::Simultaneous) => ensure(together > 0, || "roles never choose at once".into()),
        }?;
        sums.sort_unstable();
        sums.dedup();
        ensure(!sums.is_empty(), || "no game came to its end".into())?;
        ensure(!about.constant_sum || sums.len() == 1, || format!("not constant-sum: {sums:?}"))
    });
}

#[test]
fn random_games_end_with_goals_and_are_as_long_as_written() {
    each(|built| {
        let (game, about) = (built.game(), &built.about);
        let written = about.average_length.unwrap_or(0.0);
        // Short games vary more: with these numbers three percent is more than four standard errors.
        let count = if written < 50.0 { 20_000 } else { 6_000 };
        let from = game.initial();
        let result = ludex_testkit::simulator(built.shared(), LONGEST)
            .playouts(&from, count, 11)
            .map_err(|failure| failure.to_string())?;
        ensure(result.finished == count, || {
            format!("{} of {count} games ended; {} got stuck", result.finished, result.stuck)
        })?;
        ensure(result.faulty_goals.iter().all(|&n| n == 0), || "ends without exactly one goal each".into())?;
        if about.constant_sum {
            let sum: u64 = result.goal_sums.iter().sum();
            ensure(sum.is_multiple_of(count), || format!("the goals of {count} games have the sum {sum}"))?;
        }
        let found = result.steps as f64 / count as f64;
        println!("{}: {found:.2} steps, written {written}", built.sheet.name);
        ensure((found - written).abs() <= 0.03 * written, || {
            format!("{found:.2} steps on average, written {written}")
        })
    });
}
