//! Rule sheets for boards of any size, to measure how cost grows with size.
//!
//! Both games are written as people write them, with adjacency relations; only the numbers of
//! columns and rows differ.

use std::fmt::Write;

/// A game with a sheet for every board size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Board {
    /// Drop discs, four in a line win
    ConnectFour,
    /// Pawns race to the other side
    Breakthrough,
}

impl Board {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Board::ConnectFour => "connect_four",
            Board::Breakthrough => "breakthrough",
        }
    }

    /// The rules for a board of this size.
    pub(crate) fn sheet(self, columns: usize, rows: usize) -> String {
        let mut text = match self {
            Board::ConnectFour => CONNECT_FOUR.replace("TOP", &rows.to_string()),
            Board::Breakthrough => breakthrough(columns, rows),
        };
        text.push_str(TURNS);
        numbers(&mut text, "column", "beside", columns);
        numbers(&mut text, "row", "above", rows);
        text
    }
}

/// Facts for the numbers up to `last`, and their successor relation.
fn numbers(text: &mut String, each: &str, follows: &str, last: usize) {
    for number in 1..=last {
        // Writing to a string does not fail.
        let _ = writeln!(text, "({each} {number})");
        if number > 1 {
            let _ = writeln!(text, "({follows} {} {number})", number - 1);
        }
    }
}

/// The player not to move has only a no-op (`wait`).
const TURNS: &str = "
(<= (legal ?player wait) (role ?player) (not (true (turn ?player))))
(<= (next (turn ?other)) (true (turn ?player)) (role ?other) (distinct ?player ?other))
";

const CONNECT_FOUR: &str = "
(role first) (role second)
(init (turn first))
(<= (legal ?player (drop ?c)) (true (turn ?player)) (column ?c) (not (full ?c TOP)))
(<= (full ?c ?r) (true (disc ?c ?r ?player)))
(<= (next (disc ?c ?r ?player)) (true (disc ?c ?r ?player)))
(<= (next (disc ?c 1 ?player)) (does ?player (drop ?c)) (not (full ?c 1)))
(<= (next (disc ?c ?r ?player)) (does ?player (drop ?c)) (above ?under ?r) (full ?c ?under) (not (full ?c ?r)))
(<= room (column ?c) (not (full ?c TOP)))
(<= (won ?p) (true (disc ?a ?r ?p)) (beside ?a ?b) (true (disc ?b ?r ?p)) (beside ?b ?c) (true (disc ?c ?r ?p)) (beside ?c ?d) (true (disc ?d ?r ?p)))
(<= (won ?p) (true (disc ?c ?k ?p)) (above ?k ?l) (true (disc ?c ?l ?p)) (above ?l ?m) (true (disc ?c ?m ?p)) (above ?m ?n) (true (disc ?c ?n ?p)))
(<= (won ?p) (true (disc ?a ?k ?p)) (beside ?a ?b) (above ?k ?l) (true (disc ?b ?l ?p)) (beside ?b ?c) (above ?l ?m) (true (disc ?c ?m ?p)) (beside ?c ?d) (above ?m ?n) (true (disc ?d ?n ?p)))
(<= (won ?p) (true (disc ?a ?n ?p)) (beside ?a ?b) (above ?m ?n) (true (disc ?b ?m ?p)) (beside ?b ?c) (above ?l ?m) (true (disc ?c ?l ?p)) (beside ?c ?d) (above ?k ?l) (true (disc ?d ?k ?p)))
(<= terminal (won ?p))
(<= terminal (not room))
(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0) (won ?q) (role ?p) (distinct ?p ?q))
(<= (goal ?p 50) (role ?p) (not (won first)) (not (won second)))
";

/// Two rows of pawns each. A pawn moves one row ahead, straight or diagonally, onto a free cell,
/// and captures diagonally.
fn breakthrough(columns: usize, rows: usize) -> String {
    let mut text = "
(role white) (role black)
(init (turn white))
(<= (ahead white ?a ?b) (above ?a ?b))
(<= (ahead black ?b ?a) (above ?a ?b))
(<= (aside ?a ?b) (beside ?a ?b))
(<= (aside ?b ?a) (beside ?a ?b))
(<= (used ?c ?r) (true (pawn ?c ?r ?p)))
(<= (legal ?p (go ?c ?r ?c ?s)) (true (turn ?p)) (true (pawn ?c ?r ?p)) (ahead ?p ?r ?s) (not (used ?c ?s)))
(<= (legal ?p (go ?c ?r ?d ?s)) (true (turn ?p)) (true (pawn ?c ?r ?p)) (ahead ?p ?r ?s) (aside ?c ?d) (not (true (pawn ?d ?s ?p))))
(<= (left ?c ?r) (does ?p (go ?c ?r ?d ?s)))
(<= (entered ?d ?s) (does ?p (go ?c ?r ?d ?s)))
(<= (next (pawn ?d ?s ?p)) (does ?p (go ?c ?r ?d ?s)))
(<= (next (pawn ?c ?r ?p)) (true (pawn ?c ?r ?p)) (not (left ?c ?r)) (not (entered ?c ?r)))
(<= (any ?p) (true (pawn ?c ?r ?p)))
"
    .to_owned();
    for column in 1..=columns {
        for (player, row) in [("white", 1), ("white", 2), ("black", rows - 1), ("black", rows)] {
            let _ = writeln!(text, "(init (pawn {column} {row} {player}))");
        }
    }
    let _ = writeln!(
        text,
        "(<= (won white) (true (pawn ?c {rows} white)))
(<= (won black) (true (pawn ?c 1 black)))
(<= (won white) (not (any black)))
(<= (won black) (not (any white)))
(<= terminal (won ?p))
(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0) (role ?p) (not (won ?p)))"
    );
    text
}
