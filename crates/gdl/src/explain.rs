//! What a diagnostic means, with an example: `ludex check --explain`.
//!
//! The texts are in `explanations.txt`. Each example changes a few lines of one small game
//! ([`EXAMPLE_GAME`]); a test checks that the wrong sheet really gets the diagnostic and the
//! corrected one does not.

use crate::diagnostic::Code;

const TEXTS: &str = include_str!("explanations.txt");

/// The game that the examples change: it has no findings.
pub const EXAMPLE_GAME: &str = "\
(role you)
(init (lamp off))
(legal you press)
(<= (next (lamp on)) (does you press))
(<= terminal (true (lamp on)))
(<= (goal you 100) (true (lamp on)))
(<= (goal you 0) (true (lamp off)))
";

/// What a code means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Paragraphs, each on one line.
    pub text: Vec<String>,
    /// The section of the reference (`docs/guide/3-reference.md`) that has the rule behind it.
    pub section: &'static str,
    /// Lines of the example game that the example replaces.
    replaced: Vec<&'static str>,
    wrong: Vec<&'static str>,
    right: Vec<&'static str>,
}

/// A line of an example, and whether it is one of those that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleLine {
    /// As it is shown: bytes as `\x00`, long texts as `\repeat{N}{text}`.
    pub text: &'static str,
    /// Not part of the unchanged game.
    pub changed: bool,
}

impl Code {
    /// The code with this name, in any letter case.
    pub fn find(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(name))
    }

    /// What the code means, with an example.
    pub fn explain(self) -> Explanation {
        let mut found = Explanation::default();
        let mut inside = false;
        let mut paragraph = String::new();
        for line in TEXTS.lines() {
            if let Some(header) = line.strip_prefix("= ") {
                let (code, section) = header.split_once(' ').unwrap_or((header, ""));
                if inside {
                    break;
                }
                inside = code == self.as_str();
                if inside {
                    found.section = section;
                }
            } else if inside {
                let example = line.split_at_checked(2).and_then(|(mark, line)| match mark {
                    "< " => Some((&mut found.replaced, line)),
                    "- " => Some((&mut found.wrong, line)),
                    "+ " => Some((&mut found.right, line)),
                    _ => None,
                });
                match example {
                    Some((lines, line)) => lines.push(line),
                    None if line.is_empty() => found.text.push(std::mem::take(&mut paragraph)),
                    None => {
                        paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                        paragraph.push_str(line);
                    }
                }
            }
        }
        found.text.push(paragraph);
        found.text.retain(|paragraph| !paragraph.is_empty());
        found
    }
}

impl Explanation {
    /// The wrong sheet, line by line.
    pub fn wrong(&self) -> Vec<ExampleLine> {
        self.sheet(&self.wrong)
    }

    /// The corrected sheet, line by line.
    pub fn right(&self) -> Vec<ExampleLine> {
        self.sheet(&self.right)
    }

    /// The example game with lines replaced; new lines stand where the first replaced one was.
    fn sheet(&self, lines: &[&'static str]) -> Vec<ExampleLine> {
        let new = lines.iter().map(|&text| ExampleLine { text, changed: true });
        let mut sheet = Vec::new();
        let mut added = false;
        for text in EXAMPLE_GAME.lines() {
            if !self.replaced.contains(&text) {
                sheet.push(ExampleLine { text, changed: false });
            } else if !std::mem::replace(&mut added, true) {
                sheet.extend(new.clone());
            }
        }
        if !added {
            sheet.extend(new);
        }
        sheet
    }
}

/// The bytes that the lines of an example stand for.
pub fn example_bytes(lines: &[ExampleLine]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        let mut rest = line.text;
        while let Some((plain, escape)) = rest.split_once('\\') {
            bytes.extend_from_slice(plain.as_bytes());
            rest = unescape(escape, &mut bytes).unwrap_or(escape);
        }
        bytes.extend_from_slice(rest.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Writes what an escape stands for; gives what follows it.
fn unescape<'a>(escape: &'a str, bytes: &mut Vec<u8>) -> Option<&'a str> {
    if let Some(hex) = escape.strip_prefix('x') {
        let (digits, rest) = hex.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        return Some(rest);
    }
    let (times, rest) = escape.strip_prefix("repeat{")?.split_once("}{")?;
    let (text, rest) = rest.split_once('}')?;
    bytes.extend_from_slice(text.repeat(times.parse().ok()?).as_bytes());
    Some(rest)
}
