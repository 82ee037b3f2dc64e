//! Plays a random game: rules from a text, a state, its legal moves, the next state, the goals.

#![allow(clippy::print_stdout, reason = "a program for people")]

use anyhow::{Result, bail};
use ludex_game::MoveId;

fn main() -> Result<()> {
    let game = ludex_examples::game("tic_tac_toe")?;
    let mut random = fastrand::Rng::with_seed(1);
    let mut state = game.initial();
    loop {
        let view = game.view(&state)?;
        if view.terminal {
            break;
        }
        // All roles move at every step; whoever is not to move has a no-op.
        let mut joint: Vec<MoveId> = Vec::new();
        for (role, legal) in view.legal.iter().enumerate() {
            let Some(chosen) = random.choice(legal) else {
                bail!("{} has no legal move", game.roles()[role]);
            };
            joint.push(*chosen);
        }
        let names: Vec<String> = joint.iter().map(|&id| game.move_name(id)).collect();
        println!("{}", names.join("  "));
        state = game.next(&state, &joint)?;
    }
    for (role, goal) in game.roles().iter().zip(game.goals(&state)?) {
        println!("{role}: {}", goal.value().unwrap_or(0));
    }
    Ok(())
}
