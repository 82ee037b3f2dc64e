//! Looks into a search tree, also while the search runs.
//!
//! A [`Question`] names a node by the joint moves that lead to it from the root; a [`Look`] says what
//! the tree knows there: the moves of every role that chooses, with visits, values and proved bounds,
//! and the most expected continuations. [`Search::look`](crate::Search::look) answers when the search
//! rests. While it runs, another thread asks through the [`Watch`] of its
//! [`Budget`](crate::Budget): the search answers between two batches, after some milliseconds, and
//! goes on as if nothing had happened. It is not stopped, no lock is held while it works, and its
//! result does not change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex_game::{Game, MoveId};

use crate::report::Proof;

/// What is asked about a node. Moves are ids of the game (`M = MoveId`) or names (`M = String`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question<M = MoveId> {
    /// The joint moves from the root to the node, by role; none for the root.
    pub path: Vec<Vec<M>>,
    /// How many continuations are wanted.
    pub lines: usize,
    /// How many steps of each, at most.
    pub steps: usize,
}

/// What a tree knows about a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Look<M = MoveId> {
    /// Playouts through the node.
    pub visits: u64,
    /// By role: what is proved about the goal it gets; none if nothing is.
    pub proofs: Vec<Option<Proof>>,
    /// The roles that choose. Empty if the node has no edges yet, or the game is over.
    pub choices: Vec<Choice<M>>,
    /// The continuations that are expected most, the best first; each begins with another move.
    pub lines: Vec<Line<M>>,
    /// Nodes of the whole tree.
    pub nodes: u64,
}

/// The moves of a role that chooses in a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M = MoveId> {
    /// The role.
    pub role: usize,
    /// All its moves, the most visited first.
    pub moves: Vec<LookMove<M>>,
}

/// A move of a role in a node.
#[derive(Clone, Debug, PartialEq)]
pub struct LookMove<M = MoveId> {
    /// The move.
    pub id: M,
    /// Playouts through it.
    pub visits: u64,
    /// What the role expects of it, from 0 to 100: its mean goal, or, of two players, 50 and half of
    /// what it has more than the other. None without visits.
    pub value: Option<f64>,
    /// What is proved about the goal that the role gets; none if nothing is.
    pub proof: Option<Proof>,
}

/// An expected continuation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<M = MoveId> {
    /// The joint moves.
    pub moves: Vec<Vec<M>>,
    /// Playouts through its first move, by the role that it differs for.
    pub visits: u64,
    /// The value of that move, as in [`LookMove`].
    pub value: Option<f64>,
}

/// Why there is no [`Look`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// The search has no tree, or no root yet.
    #[error("this search has no tree to look into")]
    NoTree,
    /// The path leads out of the tree.
    #[error("after {0} steps the path leaves the tree")]
    NotInTree(usize),
    /// A name of the path is no move of the game.
    #[error("there is no move `{0}`")]
    NoMove(String),
    /// The search is about another position by now.
    #[error("the search has gone on to another position")]
    OldPosition,
    /// Nobody answered in time: the search has not begun, or a step of it takes long.
    #[error("the search did not answer in time")]
    NoAnswer,
}

impl Look {
    /// The same with names instead of ids.
    pub fn named(&self, name: impl Fn(MoveId) -> String) -> Look<String> {
        let joint = |joint: &Vec<MoveId>| joint.iter().map(|&id| name(id)).collect();
        let one = |known: &LookMove| LookMove {
            id: name(known.id),
            visits: known.visits,
            value: known.value,
            proof: known.proof,
        };
        let choice =
            |choice: &Choice| Choice { role: choice.role, moves: choice.moves.iter().map(one).collect() };
        let line = |line: &Line| Line {
            moves: line.moves.iter().map(joint).collect(),
            visits: line.visits,
            value: line.value,
        };
        Look {
            visits: self.visits,
            proofs: self.proofs.clone(),
            choices: self.choices.iter().map(choice).collect(),
            lines: self.lines.iter().map(line).collect(),
            nodes: self.nodes,
        }
    }
}

impl<M> Look<M> {
    /// The same with every move replaced.
    pub fn map<N>(self, mut replace: impl FnMut(M) -> N) -> Look<N> {
        let mut choices = Vec::new();
        for choice in self.choices {
            let one = |known: LookMove<M>| LookMove {
                id: replace(known.id),
                visits: known.visits,
                value: known.value,
                proof: known.proof,
            };
            choices.push(Choice { role: choice.role, moves: choice.moves.into_iter().map(one).collect() });
        }
        let mut lines = Vec::new();
        for line in self.lines {
            let mut moves = Vec::new();
            for joint in line.moves {
                moves.push(joint.into_iter().map(&mut replace).collect());
            }
            lines.push(Line { moves, visits: line.visits, value: line.value });
        }
        Look { visits: self.visits, proofs: self.proofs, choices, lines, nodes: self.nodes }
    }
}

type Answer = Result<Look<String>, LookError>;

/// A question that waits for the search.
#[derive(Debug)]
struct Asked {
    position: u64,
    question: Question<String>,
    sender: Sender<Answer>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Whether anything waits: all that a search looks at when nobody asks.
    some: AtomicBool,
    asked: Mutex<Vec<Asked>>,
}

/// Where other threads ask and a running search answers. Clones are the same place.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    waiting: Arc<Waiting>,
    /// Number of the position that is searched.
    position: u64,
}

impl Watch {
    /// A place where nobody asks yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same place, for the position with this number: questions about others are not answered.
    /// Numbers grow from position to position.
    #[must_use]
    pub fn at(&self, position: u64) -> Self {
        Self { waiting: Arc::clone(&self.waiting), position }
    }

    /// Puts a question about this position, tells `wake` that it is there, and waits so long for the
    /// answer.
    pub fn ask(&self, question: Question<String>, patience: Duration, wake: impl FnOnce()) -> Answer {
        let (sender, answer) = channel();
        {
            let mut asked = self.waiting.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push(Asked { position: self.position, question, sender });
            self.waiting.some.store(true, Ordering::Release);
        }
        wake();
        answer.recv_timeout(patience).unwrap_or(Err(LookError::NoAnswer))
    }

    /// Whether a question waits.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.waiting.some.load(Ordering::Acquire)
    }

    /// Answers all questions about this position, and refuses those about earlier ones.
    pub fn answer(&self, game: &dyn Game, look: impl Fn(&Question) -> Result<Look, LookError>) {
        if !self.is_asked() {
            return;
        }
        for Asked { position, question, sender } in self.take(|position| position <= self.position) {
            if position < self.position {
                let _ = sender.send(Err(LookError::OldPosition));
                continue;
            }
            let found = in_ids(game, &question).and_then(|question| look(&question));
            let named = found.map(|look| look.named(|id| game.move_name(id)));
            // Who asked may have lost patience.
            let _ = sender.send(named);
        }
    }

    /// Refuses the questions about later positions: the search will not come to them.
    pub fn refuse_later(&self) {
        for Asked { sender, .. } in self.take(|position| position > self.position) {
            let _ = sender.send(Err(LookError::NoAnswer));
        }
    }

    /// Takes the questions about some positions.
    fn take(&self, which: impl Fn(u64) -> bool) -> Vec<Asked> {
        let mut waiting = self.waiting.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let (taken, left): (Vec<Asked>, Vec<Asked>) =
            waiting.drain(..).partition(|asked| which(asked.position));
        self.waiting.some.store(!left.is_empty(), Ordering::Release);
        *waiting = left;
        taken
    }
}

/// A question with the ids of a game.
fn in_ids(game: &dyn Game, question: &Question<String>) -> Result<Question, LookError> {
    let id = |text: &String| game.find_move(text).ok_or_else(|| LookError::NoMove(text.clone()));
    let joint = |joint: &Vec<String>| joint.iter().map(id).collect::<Result<Vec<_>, _>>();
    let path = question.path.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
    Ok(Question { path, lines: question.lines, steps: question.steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Look {
        Look { visits: 7, proofs: Vec::new(), choices: Vec::new(), lines: Vec::new(), nodes: 1 }
    }

    #[test]
    fn questions_are_answered_for_their_position_only() {
        let game = ludex_testkit::game("tic_tac_toe", "batch");
        let watch = Watch::new();
        let ask = |position: u64, move_name: &str| {
            let question = Question { path: vec![vec![move_name.to_owned()]], ..Question::default() };
            let place = watch.at(position);
            std::thread::spawn(move || place.ask(question, Duration::from_secs(20), || ()))
        };
        let asked = |count: usize| {
            while watch.waiting.asked.lock().unwrap_or_else(PoisonError::into_inner).len() < count {
                std::thread::yield_now();
            }
        };
        let old = ask(3, "noop");
        let now = ask(4, "(mark 1 1)");
        let wrong = ask(4, "(jump 1)");
        let later = ask(5, "noop");
        asked(4);
        watch.at(4).answer(&*game, |question| {
            assert_eq!(question.path, [[game.find_move("(mark 1 1)").unwrap()]]);
            Ok(nothing())
        });
        assert_eq!(old.join().unwrap(), Err(LookError::OldPosition));
        assert_eq!(now.join().unwrap().map(|look| look.visits), Ok(7));
        assert_eq!(wrong.join().unwrap(), Err(LookError::NoMove("(jump 1)".to_owned())));
        assert!(watch.is_asked(), "one is early");
        watch.at(4).refuse_later();
        assert_eq!(later.join().unwrap(), Err(LookError::NoAnswer));
        assert!(!watch.is_asked());
        let impatient = watch.ask(Question::default(), Duration::ZERO, || ());
        assert_eq!(impatient, Err(LookError::NoAnswer));
    }
}
