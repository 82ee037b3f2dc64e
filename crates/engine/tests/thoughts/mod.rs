//! What tests of thinking begin with: a game, a search, and the state behind some moves.

#![allow(unreachable_pub, dead_code, reason = "a module of each test binary, and none needs all of it")]

pub mod exhaustive;

use std::sync::Arc;

use ludex_engine::Player;
use ludex_game::{Game, MoveId, RoleId, State};
use ludex_search::{Search, SearchContext};

#[allow(unused_imports, reason = "as above")]
pub use ludex_testkit::game;

/// Every preset that thinks with a tree and learns, and forms that they have by options.
pub const PRESETS: [&str; 16] = [
    "cadia-uct",
    "ludex",
    "cadia-uct:refill=on",
    "cadia-imp",
    "cadia-mast",
    "cadia-mastg",
    "cadia-mastg:refill=on",
    "cadia-nst",
    "cadia-lgr-mastg",
    "cadia-lgr-nst",
    "cadia-nst:gibbs=on",
    "cadia-past",
    "cadia-past:gibbs=off,threshold=10",
    "cadia-rave",
    "cadia-rave:policy=mast",
    "cadia-rave:policy=past",
];

/// With this exploration every preset gets through tic-tac-toe, whatever its playouts prefer. With
/// the papers' 40 on returns from -100 to 100, a line that playouts misjudge is given up after
/// twenty visits: NST stays with a losing reply to the corner for 60,000 playouts in one search of
/// fifty, with `batch=1` as well as in batches.
pub const BOLD: &str = "c=100";

/// A search for a role.
pub fn search(
    spec: &str,
    game: &Arc<dyn Game>,
    role: usize,
    (seed, threads): (u64, usize),
) -> Box<dyn Search> {
    let context = SearchContext { game: Arc::clone(game), role: RoleId::new(role), seed, threads };
    Player::new(spec).unwrap().search(context)
}

/// The state behind moves, by step those of the roles that have a choice: the others do what can be
/// done.
pub fn after(game: &Arc<dyn Game>, played: &[&[&str]]) -> State {
    let mut state = game.initial();
    for step in played {
        let mut names = step.iter();
        let mut choose = |legal: &Vec<MoveId>| match legal[..] {
            [only] => only,
            _ => {
                let id = game.find_move(names.next().unwrap()).unwrap();
                assert!(legal.contains(&id), "{} is legal", game.move_name(id));
                id
            }
        };
        let joint: Vec<MoveId> = game.view(&state).unwrap().legal.iter().map(&mut choose).collect();
        assert_eq!(names.next(), None, "everyone who chooses has a move in {step:?}");
        state = game.next(&state, &joint).unwrap();
    }
    state
}
