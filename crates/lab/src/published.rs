//! Figures that others have published, in a file next to an experiment:
//! `setting,game,player,opponent,value,margin`.
//!
//! Values are percents of the points of `player`, or nodes per second; the margin, if there is one,
//! is what the paper writes after ±. A line without an opponent is the average of the player over
//! all its opponents. Read by hand: names have no commas or quotes in these files, and whoever
//! writes one by mistake hears of the line.

use std::path::Path;

const COLUMNS: [&str; 6] = ["setting", "game", "player", "opponent", "value", "margin"];

/// A figure that was published.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedFigure {
    /// As the paper names it.
    pub setting: String,
    /// As the experiment names it.
    pub game: String,
    /// Whose result it is.
    pub player: String,
    /// Whom it met; none for the average over all.
    pub opponent: Option<String>,
    /// Percent of the points, or nodes per second.
    pub value: f64,
    /// What is written after ±, in the same unit.
    pub margin: Option<f64>,
}

/// Why figures cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// There is a file, but it does not open.
    #[error("{path}: {error}")]
    File {
        /// Which file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The first line does not name the columns.
    #[error("line 1: the columns must be `setting,game,player,opponent,value,margin`, not `{found}`")]
    Columns {
        /// What stands there.
        found: String,
    },
    /// A line has too few or too many fields.
    #[error("line {line}: {found} fields instead of 6")]
    Fields {
        /// Counted from 1.
        line: usize,
        /// How many.
        found: usize,
    },
    /// A field must not be empty.
    #[error("line {line}: there is no {column}")]
    Missing {
        /// Counted from 1.
        line: usize,
        /// Which one.
        column: &'static str,
    },
    /// A number is not one.
    #[error("line {line}: `{found}` is not a number for {column}")]
    Number {
        /// Counted from 1.
        line: usize,
        /// Which one.
        column: &'static str,
        /// What stands there.
        found: String,
    },
    /// The same place has a figure already.
    #[error("line {line}: a second figure for the same setting, game, player and opponent")]
    Twice {
        /// Counted from 1.
        line: usize,
    },
}

/// All the figures of an experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    figures: Vec<PublishedFigure>,
}

impl Published {
    /// From a file; nothing if there is no such file.
    pub fn read(path: &Path) -> Result<Self, PublishedError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(PublishedError::File { path: path.display().to_string(), error }),
        }
    }

    /// From the text of a file.
    pub fn parse(text: &str) -> Result<Self, PublishedError> {
        let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let head = lines.next().map_or("", |(_, line)| line);
        if !head.split(',').map(str::trim).eq(COLUMNS) {
            return Err(PublishedError::Columns { found: head.to_owned() });
        }
        let mut figures: Vec<PublishedFigure> = Vec::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
            let figure = figure(line, text)?;
            let same = |known: &PublishedFigure| {
                (&known.setting, &known.game, &known.player, &known.opponent)
                    == (&figure.setting, &figure.game, &figure.player, &figure.opponent)
            };
            if figures.iter().any(same) {
                return Err(PublishedError::Twice { line });
            }
            figures.push(figure);
        }
        Ok(Self { figures })
    }

    /// All of them, as they stand in the file.
    pub fn figures(&self) -> &[PublishedFigure] {
        &self.figures
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    /// The figure of a place; `opponent` is none for the average over all opponents.
    pub fn find(
        &self,
        setting: &str,
        game: &str,
        player: &str,
        opponent: Option<&str>,
    ) -> Option<&PublishedFigure> {
        self.figures.iter().find(|figure| {
            figure.setting == setting
                && figure.game == game
                && figure.player == player
                && figure.opponent.as_deref() == opponent
        })
    }
}

fn figure(line: usize, text: &str) -> Result<PublishedFigure, PublishedError> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [setting, game, player, opponent, value, margin] = fields.as_slice() else {
        return Err(PublishedError::Fields { line, found: fields.len() });
    };
    for (field, column) in [(setting, "setting"), (game, "game"), (player, "player"), (value, "value")] {
        if field.is_empty() {
            return Err(PublishedError::Missing { line, column });
        }
    }
    Ok(PublishedFigure {
        setting: (*setting).to_owned(),
        game: (*game).to_owned(),
        player: (*player).to_owned(),
        opponent: (!opponent.is_empty()).then(|| (*opponent).to_owned()),
        value: number(line, "value", value)?,
        margin: if margin.is_empty() { None } else { Some(number(line, "margin", margin)?) },
    })
}

fn number(line: usize, column: &'static str, text: &str) -> Result<f64, PublishedError> {
    let wrong = || PublishedError::Number { line, column, found: text.to_owned() };
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "setting,game,player,opponent,value,margin\n";

    #[test]
    fn figures_are_found_by_their_place() {
        let text = format!("{HEAD}10 s,checkers,A,B,93.2,\n10 s,checkers,A,,88.7,2.73\n\n");
        let found = Published::parse(&text).unwrap();
        assert_eq!(found.figures().len(), 2);
        assert_eq!(found.find("10 s", "checkers", "A", Some("B")).unwrap().value, 93.2);
        assert_eq!(found.find("10 s", "checkers", "A", None).unwrap().margin, Some(2.73));
        assert!(found.find("20 s", "checkers", "A", None).is_none());
    }

    #[test]
    fn mistakes_have_their_line() {
        let message = |text: &str| Published::parse(&format!("{HEAD}{text}")).unwrap_err().to_string();
        assert_eq!(message("10 s,checkers,A,B,1,2\n10 s,checkers"), "line 3: 2 fields instead of 6");
        assert_eq!(message("10 s,checkers,A,B,x,"), "line 2: `x` is not a number for value");
        assert_eq!(message("10 s,checkers,A,B,NaN,"), "line 2: `NaN` is not a number for value");
        assert_eq!(message("10 s,checkers,,B,1,"), "line 2: there is no player");
        assert_eq!(
            message("1,g,A,B,1,\n1,g,A,B,1,"),
            "line 3: a second figure for the same setting, game, player and opponent"
        );
        assert!(matches!(Published::parse("a,b"), Err(PublishedError::Columns { .. })));
        assert!(matches!(Published::parse(""), Err(PublishedError::Columns { .. })));
    }

    #[test]
    fn without_a_file_nothing_is_published() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Published::read(&folder.path().join("none.csv")).unwrap().is_empty());
    }
}
