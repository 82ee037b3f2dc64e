//! Every width of lanes, every set of instructions, machine code and interpreter: the same answers,
//! and for the same width the same playouts.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::{Effort, Game, Playouts, agree, conforms};
use ludex_gdl::Rules;
use ludex_reasoner::{
    BatchGame, BatchOptions, BuildOptions, Ground, Instructions, Limits, MachineCode, Progress, Reference,
    Width,
};
use ludex_testkit::playouts;
use ludex_testkit::sheets::LOOP;
use ludex_testkit::{library_rules, rules};

/// The sheet `LOOP` has no machine code for the cone with the loop.
fn sheets() -> Vec<(String, Rules)> {
    let library = ["tic_tac_toe", "connect_four"].map(|name| (name.to_owned(), library_rules(name)));
    library.into_iter().chain([("loop".to_owned(), rules(LOOP))]).collect()
}

fn game(rules: &Rules, options: BatchOptions) -> BatchGame {
    let ground = Ground::new(rules, &Limits::default()).expect("small");
    BatchGame::with_options(ground, options).expect("a circuit")
}

fn play(game: BatchGame) -> Playouts {
    playouts(&Arc::new(game), 1500, 60, 3)
}

fn every_option() -> Vec<BatchOptions> {
    let mut all = Vec::new();
    for width in Width::ALL {
        for instructions in Instructions::ALL {
            for machine_code in [MachineCode::Never, MachineCode::WhenItPays, MachineCode::AtOnce] {
                all.push(BatchOptions { width, instructions, machine_code });
            }
        }
    }
    all
}

#[test]
fn every_way_to_run_lanes_gives_the_answers_of_the_reference() {
    for (name, rules) in sheets() {
        let reference = Reference::new(rules.clone()).expect("a game");
        let effort = Effort { games: 3, ..Effort::default() };
        for options in every_option() {
            let game: Arc<dyn Game> = Arc::new(game(&rules, options));
            let kept = conforms(&game, &effort);
            assert!(kept.is_ok(), "{name}, {options:?}: {:?}", kept.err());
            let agreed = agree(&reference, &*game, &effort);
            assert!(agreed.is_ok(), "{name}, {options:?}: {:?}", agreed.err());
        }
    }
}

#[test]
fn playouts_depend_on_the_width_and_the_seed_alone() {
    for (name, rules) in sheets() {
        for width in Width::ALL {
            let same: Vec<BatchOptions> = every_option().into_iter().filter(|o| o.width == width).collect();
            let expected = play(game(&rules, same[0]));
            for &options in &same[1..] {
                assert_eq!(play(game(&rules, options)), expected, "{name}, {options:?}");
            }
        }
    }
}

#[test]
fn options_are_kept() {
    let (_, rules) = sheets().remove(0);
    for options in every_option() {
        let game = game(&rules, options);
        assert_eq!(game.engine().lanes, options.width.lanes());
        // No more than what is allowed, what there is, and what the width needs.
        let used = options.instructions.min(Instructions::best());
        let needed = Instructions::ALL.into_iter().find(|i| i.width() == options.width);
        assert_eq!(game.engine().instructions, used.min(needed.expect("one for each width")).name());
        let fits = options.width <= used.width();
        let is_wanted = options.machine_code != MachineCode::Never;
        assert!(!game.engine().compiled || (is_wanted && fits), "{options:?}");
        if options.width != Width::Lanes64 {
            assert_eq!(game.engine().compiled, is_wanted && fits, "{options:?}");
        }
        assert_eq!(game.code_bytes() > 0, game.engine().compiled);
    }
    let options = BuildOptions {
        batch: BatchOptions {
            width: Width::Lanes256,
            machine_code: MachineCode::Never,
            ..BatchOptions::default()
        },
        ..BuildOptions::default()
    };
    let built = ludex_reasoner::build_with(rules, "batch", &options, &Progress::new()).expect("a game");
    assert_eq!((built.game.engine().lanes, built.game.engine().compiled), (256, false));
    assert_eq!((built.choice.engine, built.choice.reason.as_str()), ("batch", "asked for"));
}
