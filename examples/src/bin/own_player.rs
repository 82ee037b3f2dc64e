//! A player of our own: looks one step ahead and makes a winning move if there is one. It plays
//! against `random`.

#![allow(clippy::print_stdout, reason = "a program for people")]

use std::sync::Arc;

use anyhow::Result;
use ludex_arena::{MatchSetup, Participant, Rulebook, run_match};
use ludex_game::{Failure, State, children};
use ludex_search::{Budget, Search, SearchContext, SearchReport, StopReason};

/// Makes a move that ends the game with 100 points, otherwise a random one.
struct OneStep {
    context: SearchContext,
    random: fastrand::Rng,
    report: SearchReport,
}

impl Search for OneStep {
    /// A legal move must be there from now on, so that an answer is never late.
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.context.game.view(state)?;
        let legal = &view.legal[self.context.role.index()];
        let best = self.random.choice(legal).copied();
        self.report = SearchReport { best, ..SearchReport::default() };
        let role = self.context.role.index();
        for child in children(&self.context.game, state)? {
            let goals = self.context.game.goals(&child.state)?;
            if child.view.terminal && goals[role].value() == Some(100) {
                self.report.best = Some(child.joint[role]);
            }
        }
        Ok(())
    }

    /// A search that improves with time does so here, until the budget is used up.
    fn think(&mut self, _: &Budget) -> Result<StopReason, Failure> {
        Ok(StopReason::Finished)
    }

    fn report(&self) -> SearchReport {
        self.report.clone()
    }
}

fn main() -> Result<()> {
    let rulebook = Rulebook::new("tic_tac_toe", ludex_examples::sheet("tic_tac_toe")?)?;
    let own = Participant::Own {
        name: "one-step".to_owned(),
        make: Arc::new(|context: SearchContext| {
            let random = fastrand::Rng::with_seed(context.seed);
            Box::new(OneStep { context, random, report: SearchReport::default() })
        }),
    };
    let mut points = 0u32;
    for seed in 0..20 {
        let players = vec![own.clone(), "random".parse()?];
        let setup = MatchSetup { playouts: Some(1), seed, ..MatchSetup::new(players) };
        let record = run_match(&rulebook, &setup, &mut ())?;
        points += record.goal_values.first().map_or(0, |&goal| u32::from(goal));
    }
    println!("one-step: {} points on average in 20 matches against random", points / 20);
    Ok(())
}
