//! What a person types: a move by its number or any unambiguous part, or a command.
//!
//! Moves are compared word by word; letters and digits are words of their own, so that `e2e4` is
//! `e 2 e 4`. The first of these ways that fits any move decides: the whole move, some of its words
//! in a row, beginnings of its words in their order. If it fits several moves, they are listed.

use std::cmp::Ordering;

/// The legal moves of a person, numbered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choices(Vec<Choice>);

/// A legal move and its number on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) number: u64,
    /// As the game spells it.
    pub(crate) name: String,
    words: Vec<String>,
}

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// This move.
    Move(String),
    /// One of several moves.
    Several(Vec<Choice>),
    /// No move and no command.
    Unknown,
    /// Something else.
    Command(Command),
}

/// What can be asked for besides moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// What would the machine do?
    Hint,
    /// Play what the machine would do, move after move.
    ShowMe,
    /// Take the last decision back.
    Undo,
    /// Give the match up.
    Resign,
    /// Write the record, to this file if one is named.
    Save(Option<String>),
    /// List the moves.
    Moves,
    /// What can be typed?
    Help,
    /// Leave.
    Quit,
}

/// What can be typed, for people.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("4", "the move with this number"),
    ("e2 e4", "any part of a move that fits only one"),
    ("hint", "what the machine would do, with expected goals"),
    ("show me", "let the machine play its plan, in games for one"),
    ("undo", "take your last move back"),
    ("moves", "list the legal moves"),
    ("save [FILE]", "write a record that `ludex replay` reads"),
    ("resign", "give the match up"),
    ("quit", "leave without finishing"),
];

/// A move as people say it: without the outer parentheses.
pub(crate) fn spoken(name: &str) -> &str {
    name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(name)
}

/// The words of a text in lower case, letters and digits apart.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        let kind = if c.is_ascii_digit() { Some('1') } else { c.is_alphanumeric().then_some('a') };
        if let Some(kind) = kind {
            match words.last_mut().filter(|_| last == Some(kind)) {
                Some(word) => word.extend(c.to_lowercase()),
                None => words.push(c.to_lowercase().collect()),
            }
        }
        last = kind;
    }
    words
}

/// Numbers by size, words by their letters.
fn in_order(a: &[String], b: &[String]) -> Ordering {
    let compare = |(a, b): (&String, &String)| match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => a.cmp(b),
    };
    let first = a.iter().zip(b).map(compare).find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

impl Choices {
    /// Numbers the moves: by the number in them if that is all they differ in, as with `(drop 4)`,
    /// so that a move keeps its number; or else from 1.
    pub(crate) fn new(legal: &[String]) -> Self {
        let mut moves: Vec<(Vec<String>, &String)> = legal.iter().map(|name| (words(name), name)).collect();
        moves.sort_by(|(a, name), (b, other)| in_order(a, b).then_with(|| name.cmp(other)));
        let own = |words: &[String]| match words {
            [.., number] if words.iter().filter(|word| word.parse::<u64>().is_ok()).count() == 1 => {
                number.parse::<u64>().ok()
            }
            _ => None,
        };
        let heads = |words: &Vec<String>| words.split_last().map(|(_, head)| head.to_vec());
        let alike = moves.windows(2).all(|pair| heads(&pair[0].0) == heads(&pair[1].0));
        let numbers: Option<Vec<u64>> = moves.iter().map(|(words, _)| own(words)).collect();
        let numbers = numbers.filter(|_| alike && moves.len() > 1);
        let mut choices = Vec::new();
        for (at, (words, name)) in moves.into_iter().enumerate() {
            let number = numbers.as_ref().map_or(at as u64 + 1, |numbers| numbers[at]);
            choices.push(Choice { number, name: name.clone(), words });
        }
        Self(choices)
    }

    /// All of them, in order.
    pub(crate) fn all(&self) -> &[Choice] {
        &self.0
    }

    /// What a text means.
    pub(crate) fn read(&self, text: &str) -> Entry {
        let text = text.trim();
        let typed = words(text);
        if !text.starts_with('/')
            && let Some(exact) = self.0.iter().find(|choice| choice.words == typed)
        {
            return Entry::Move(exact.name.clone());
        }
        if let Some(command) = command(text) {
            return Entry::Command(command);
        }
        let plain = text.trim_start_matches('#');
        if let Ok(number) = plain.parse::<u64>()
            && let Some(choice) = self.0.iter().find(|choice| choice.number == number)
        {
            return Entry::Move(choice.name.clone());
        }
        if typed.is_empty() {
            return Entry::Unknown;
        }
        let in_a_row = |choice: &Choice| choice.words.windows(typed.len()).any(|part| part == typed);
        let beginnings = |choice: &Choice| {
            let mut rest = choice.words.iter();
            typed.iter().all(|begin| rest.any(|word| fits(begin, word)))
        };
        let ways: [&dyn Fn(&Choice) -> bool; 2] = [&in_a_row, &beginnings];
        for fits in ways {
            let found: Vec<&Choice> = self.0.iter().filter(|choice| fits(choice)).collect();
            match found[..] {
                [] => {}
                [only] => return Entry::Move(only.name.clone()),
                _ => return Entry::Several(found.into_iter().cloned().collect()),
            }
        }
        Entry::Unknown
    }

    /// The moves with their numbers on one line, or as many of them as there is room for.
    pub(crate) fn listed(choices: &[Choice], most: usize) -> String {
        let listed: Vec<String> = choices.iter().take(most).map(Choice::line).collect();
        let more = choices.len().saturating_sub(most);
        let more = if more == 0 { String::new() } else { format!(", and {more} more (`moves`)") };
        listed.join(", ") + &more
    }

    /// What to say to a text that is no move: which there are.
    pub(crate) fn not_legal(&self, text: &str) -> String {
        const SHOWN: usize = 8;
        format!("`{}` is not a legal move. Legal: {}.", text.trim(), Self::listed(&self.0, SHOWN))
    }

    /// What to say to a text that fits several moves.
    pub(crate) fn which(text: &str, several: &[Choice]) -> String {
        const SHOWN: usize = 8;
        format!("`{}` fits several moves: {}.", text.trim(), Self::listed(several, SHOWN))
    }
}

impl Choice {
    /// With its number, unless that is in the move already.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.number, spoken(&self.name))
    }
}

/// Whether a word begins so; numbers only as a whole.
fn fits(begin: &str, word: &str) -> bool {
    if begin.starts_with(|c: char| c.is_ascii_digit()) { begin == word } else { word.starts_with(begin) }
}

/// A command: `hint`, `/hint`, `h`.
fn command(text: &str) -> Option<Command> {
    let text = text.strip_prefix('/').unwrap_or(text);
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let word = word.to_lowercase();
    if word == "save" || word == "s" && rest.is_empty() {
        return Some(Command::Save((!rest.is_empty()).then(|| rest.to_owned())));
    }
    if word == "show" && (rest.is_empty() || rest.eq_ignore_ascii_case("me")) {
        return Some(Command::ShowMe);
    }
    if !rest.is_empty() {
        return None;
    }
    Some(match word.as_str() {
        "hint" | "h" => Command::Hint,
        "undo" | "u" => Command::Undo,
        "resign" => Command::Resign,
        "moves" | "m" => Command::Moves,
        "help" | "?" => Command::Help,
        "quit" | "q" | "exit" => Command::Quit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(names: &[&str]) -> Choices {
        Choices::new(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    fn read(choices: &Choices, text: &str) -> String {
        match choices.read(text) {
            Entry::Move(name) => name,
            Entry::Several(several) => several.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(" | "),
            Entry::Unknown => "?".to_owned(),
            Entry::Command(command) => format!("{command:?}"),
        }
    }

    #[test]
    fn moves_keep_the_number_that_is_in_them() {
        let drops = choices(&["(drop 10)", "(drop 2)", "(drop 4)"]);
        assert_eq!(Choices::listed(drops.all(), 9), "2 drop 2, 4 drop 4, 10 drop 10");
        assert_eq!(Choices::listed(drops.all(), 1), "2 drop 2, and 2 more (`moves`)");
        for text in ["4", "drop 4", "(DROP 4)", "#4", "dr 4", "drop4"] {
            assert_eq!(read(&drops, text), "(drop 4)", "{text}");
        }
        assert_eq!(read(&drops, "(drop 9)"), "?");
        assert_eq!(read(&drops, "drop"), "(drop 2) | (drop 4) | (drop 10)");
        assert!(drops.not_legal("(drop 9)").contains("Legal: 2 drop 2, 4 drop 4, 10 drop 10."));
        let marks = choices(&["(mark 1 2)", "(mark 1 1)", "pass"]);
        assert_eq!(Choices::listed(marks.all(), 9), "1 mark 1 1, 2 mark 1 2, 3 pass");
        assert_eq!((read(&marks, "2"), read(&marks, "1 1")), ("(mark 1 2)".into(), "(mark 1 1)".into()));
        assert_eq!((read(&marks, "7"), read(&marks, "")), ("?".into(), "?".into()));
    }

    #[test]
    fn parts_of_a_move_are_enough() {
        let chess = choices(&["(move e 2 e 4)", "(move e 2 e 3)", "(move d 2 d 4)", "(castle king)"]);
        for text in ["e2 e4", "e2e4", "E2-E4", "move e2 e4", "e 4"] {
            assert_eq!(read(&chess, text), "(move e 2 e 4)", "{text}");
        }
        assert_eq!(read(&chess, "e2"), "(move e 2 e 3) | (move e 2 e 4)");
        assert_eq!(read(&chess, "d d"), "(move d 2 d 4)");
        assert_eq!(read(&chess, "cas"), "(castle king)");
    }

    #[test]
    fn commands_give_way_to_moves_of_the_same_name() {
        let moves = choices(&["quit", "(hint 3)"]);
        assert_eq!(read(&moves, "quit"), "quit");
        assert_eq!(read(&moves, "/quit"), "Quit");
        assert_eq!(read(&moves, "hint"), "Hint");
        assert_eq!(read(&moves, "hint 3"), "(hint 3)");
        assert_eq!(read(&moves, "save my game.json"), "Save(Some(\"my game.json\"))");
        assert_eq!(read(&moves, "?"), "Help");
    }
}
