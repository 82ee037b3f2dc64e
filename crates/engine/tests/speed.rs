//! Positions per second of the minimax family, beside a search written by hand for one game: an
//! experiment for the command line, no test of the gate but for the agreement of both.
//!
//! `cargo test --release -p ludex-engine --test speed -- --ignored --nocapture` prints positions per
//! second of CPU time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

use ludex_game::RoleId;
use ludex_search::{Budget, Search, SearchContext};
use ludex_testkit::game;

/// Connect four by hand: bits of a column of seven, the sixth row on top of five others and one bit
/// that is always clear, so that shifted boards do not run into each other.
#[derive(Clone, Copy, Default)]
struct Board {
    /// Discs of the player to move, and of the other one.
    own: u64,
    other: u64,
}

const COLUMNS: u32 = 7;
const HEIGHT: u32 = 6;

impl Board {
    fn has_line(discs: u64) -> bool {
        [1, HEIGHT, HEIGHT + 1, HEIGHT + 2].into_iter().any(|shift| {
            let pairs = discs & (discs >> shift);
            pairs & (pairs >> (2 * shift)) != 0
        })
    }

    /// The disc that falls into a column, if there is room.
    fn disc(self, column: u32) -> Option<u64> {
        let all = self.own | self.other;
        let bottom = 1 << (column * (HEIGHT + 1));
        let disc = (all + bottom) & (((1 << HEIGHT) - 1) << (column * (HEIGHT + 1)));
        (disc & !all != 0).then_some(disc & !all)
    }

    /// Looks at all positions to a depth: the value for the player to move, and how many there are.
    fn minimax(self, depth: u32, positions: &mut u64) -> i32 {
        if depth == 0 {
            return 0;
        }
        let mut best = i32::MIN;
        for disc in (0..COLUMNS).filter_map(|column| self.disc(column)) {
            *positions += 1;
            let own = self.own | disc;
            let value = match Self::has_line(own) {
                true => 1,
                false => -Self { own: self.other, other: own }.minimax(depth - 1, positions),
            };
            best = best.max(value);
        }
        if best == i32::MIN { 0 } else { best }
    }
}

/// CPU time of this thread.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// A search of the initial position; gives its search, for the report.
fn searched(spec: &str, engine: &str, positions: u64) -> Box<dyn Search> {
    let game = game("connect_four", engine);
    let context = SearchContext { game: game.clone(), role: RoleId::new(0), seed: 1, threads: 1 };
    let mut search = ludex_engine::Player::new(spec).unwrap().search(context);
    search.set_root(&game.initial()).unwrap();
    search.think(&Budget::playouts(positions)).unwrap();
    search
}

/// Both look at the same tree: 7 + 49 + … positions, as nobody wins and no column is full so early.
#[test]
fn a_search_by_hand_looks_at_the_same_positions() {
    let mut positions = 0;
    assert_eq!(Board::default().minimax(6, &mut positions), 0);
    let expected: u64 = (1..=6).map(|depth| 7u64.pow(depth)).sum();
    assert_eq!(positions, expected);
    // Deepening: the positions of all depths so far.
    let mut all = 0;
    for depth in 1..=6 {
        Board::default().minimax(depth, &mut all);
    }
    assert_eq!(searched("minimax", "batch", all).report().nodes, all);
    assert_eq!(searched("minimax", "batch", all + 1).report().depth, 6);
}

#[test]
#[ignore = "an experiment"]
fn speed() {
    let (mut positions, begun) = (0, cpu_seconds());
    let value = Board::default().minimax(9, &mut positions);
    let took = cpu_seconds() - begun;
    println!("by hand, minimax: {positions} positions, value {value}, {:.2e} /s", positions as f64 / took);
    for (spec, engine, limit) in [
        ("minimax", "batch", 20_000_000),
        ("alphabeta", "batch", 5_000_000),
        ("alphabeta:full-width=2", "batch", 20_000_000),
        ("alphabeta:full-width=0", "batch", 2_000_000),
        ("alphabeta", "circuit", 1_000_000),
        ("minimax", "circuit", 1_000_000),
    ] {
        let begun = cpu_seconds();
        let report = searched(spec, engine, limit).report();
        let took = cpu_seconds() - begun;
        let rate = report.nodes as f64 / took;
        println!("{spec} on {engine}: {} positions, depth {}, {rate:.2e} /s", report.nodes, report.depth);
    }
}
