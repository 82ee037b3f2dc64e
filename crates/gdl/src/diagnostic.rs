//! Diagnostics: what is wrong with a sheet, where, and what to do about it.
//!
//! A diagnostic is data; [`crate::render`] turns it into text. Every code is stable: it keeps its
//! number and its meaning, and a code that is no longer used is not given away again.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The sheet cannot be used as it is.
    Error,
    /// The sheet can be played, but something is probably not as meant.
    Warning,
    /// A matter of style; shown only when asked for.
    Hint,
}

impl Severity {
    /// Lower-case word: `error`, `warning`, `hint`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        }
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $code:ident = $text:literal $severity:ident),* $(,)?) => {
        /// Stable identity of a kind of diagnostic.
        ///
        /// Hundreds: 1 reading, 2 shape of a clause, 3 keywords, 4 meaning, 5 the game as a whole,
        /// 6 likely slips.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])+ $code),* }

        impl Code {
            /// Every code, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The code as printed, such as `E101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$code => $text),* }
            }

            /// How bad a diagnostic with this code is.
            pub fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity),* }
            }

            /// One line on what the code stands for.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$code => [$($doc),+][0].trim_ascii()),* }
            }
        }
    };
}

codes! {
    /// an opening parenthesis is never closed
    Unclosed = "E101" Error,
    /// a closing parenthesis has no opening one
    StrayClose = "E102" Error,
    /// `()` stands for nothing
    EmptyList = "E103" Error,
    /// a list starts with a list instead of a name
    ListInFront = "E104" Error,
    /// a word is not UTF-8 text
    NotUtf8 = "E105" Error,
    /// a control character stands between the words
    ControlCharacter = "E106" Error,
    /// parentheses are nested too deeply
    TooDeep = "E107" Error,
    /// the file is larger than any rule sheet
    TooLarge = "E108" Error,
    /// GDL has no quoted strings
    QuotedString = "E109" Error,
    /// a word stands alone between the clauses
    StrayWord = "E110" Error,
    /// the file starts with a byte-order mark
    ByteOrderMark = "W111" Warning,
    /// a comment is not UTF-8 text
    CommentNotUtf8 = "W112" Warning,
    /// a character that other GDL programs may not read
    UnusualCharacter = "W113" Warning,
    /// more was found than is shown
    TooMany = "W199" Warning,

    /// a rule has no head
    NoHead = "E201" Error,
    /// the head of a rule or a fact is not a plain sentence
    BadHead = "E202" Error,
    /// a variable stands where a relation or function name must stand
    VariableInFront = "E203" Error,
    /// a condition is not a sentence
    BadCondition = "E204" Error,
    /// a connective has the wrong number of arguments
    ConnectiveArity = "E205" Error,
    /// only a sentence can be negated
    BadNegation = "E206" Error,
    /// the rule arrow is `<=`, with the head first
    BadArrow = "E207" Error,
    /// a rule stands inside another clause
    NestedRule = "E208" Error,
    /// a rule without conditions is a fact
    EmptyBody = "W211" Warning,
    /// parentheses around a name without arguments
    NeedlessParentheses = "W212" Warning,
    /// `or` of nothing is never true
    EmptyOr = "W213" Warning,
    /// `and` is not part of GDL
    AndUsed = "W214" Warning,
    /// a negated `distinct` means that two terms are the same
    NotDistinct = "W215" Warning,

    /// a keyword has the wrong number of arguments
    KeywordArity = "E301" Error,
    /// a keyword that belongs into heads stands in a condition
    HeadKeywordInBody = "E302" Error,
    /// a keyword that belongs into conditions stands in a head
    BodyKeywordInHead = "E303" Error,
    /// what the players do now must not decide this
    DependsOnDoes = "E304" Error,
    /// the first state must not depend on play
    InitDepends = "E305" Error,
    /// roles are given by ground facts
    BadRole = "E306" Error,
    /// a keyword or connective is used as an ordinary name
    KeywordAsName = "W311" Warning,

    /// a variable of the head has no value
    UnsafeHead = "E401" Error,
    /// a variable of a negated condition has no value
    UnsafeNegation = "E402" Error,
    /// a variable of `distinct` has no value
    UnsafeDistinct = "E403" Error,
    /// a fact has a variable
    VariableInFact = "E404" Error,
    /// a relation depends on its own negation
    Unstratified = "E405" Error,
    /// recursion that may never come to an end
    Recursion = "E406" Error,
    /// a variable gets its value only from where the relation is used
    BoundByCaller = "W411" Warning,
    /// a variable of a negated condition is read as "for no value"
    NegationForNoValue = "W412" Warning,
    /// stratified for each value, though not by relation
    StratifiedByValue = "W413" Warning,

    /// the game has no role
    NoRole = "E501" Error,
    /// the game has no rule for `terminal`
    NoTerminal = "E502" Error,
    /// the game has no rule for `legal`
    NoLegal = "E503" Error,
    /// the game has no rule for `goal`
    NoGoal = "E504" Error,
    /// a goal value is not a whole number from 0 to 100
    GoalValue = "E505" Error,
    /// the game has no rule for `next`
    NoNext = "W511" Warning,
    /// the game has no `init`
    NoInit = "W512" Warning,
    /// a role has no `goal` rule
    RoleWithoutGoal = "W513" Warning,
    /// a role has no `legal` rule
    RoleWithoutLegal = "W514" Warning,
    /// a role has no move in the first state
    NoFirstMove = "W515" Warning,
    /// something is said of a role that does not exist
    NotARole = "W516" Warning,
    /// two goal values hold at once
    TwoGoals = "W517" Warning,
    /// a role is declared twice
    DuplicateRole = "W518" Warning,
    /// the game is over before it starts
    AlwaysTerminal = "W519" Warning,
    /// no rule for `terminal` can ever fire
    NeverEnds = "W520" Warning,

    /// a name is used with two numbers of arguments
    TwoArities = "W601" Warning,
    /// a name is used as a constant and as a function
    ConstantAndFunction = "W602" Warning,
    /// a name is used as a relation and inside terms
    RelationAndFunction = "W603" Warning,
    /// two spellings differ only by letter case
    LetterCase = "W604" Warning,
    /// a relation is used but never defined
    Undefined = "W605" Warning,
    /// a relation is defined but never used
    Unused = "W606" Warning,
    /// the same clause stands twice
    DuplicateClause = "W607" Warning,
    /// a rule can never fire
    NeverFires = "W608" Warning,
    /// a variable is used once and resembles another
    MistypedVariable = "W609" Warning,
    /// a word is one swap of letters away from another
    MistypedName = "W610" Warning,
    /// a variable is used only once
    SingletonVariable = "H611" Hint,
    /// a fact of the first state is never read
    UnreadFact = "W612" Warning,
    /// a negated condition always holds
    AlwaysHolds = "W613" Warning,
}

/// A place that a diagnostic points to, with a few words on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What about it; may be empty.
    pub text: String,
}

/// One finding about a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding.
    pub code: Code,
    /// What is wrong, in plain words.
    pub message: String,
    /// Where it is, unless the sheet as a whole is at fault.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// What to do.
    pub help: String,
}

impl Diagnostic {
    /// A finding about a place.
    pub(crate) fn at(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { primary: Some(Label { span, text: String::new() }), ..Self::whole(code, message) }
    }

    /// A finding about the sheet as a whole.
    pub(crate) fn whole(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), primary: None, secondary: Vec::new(), help: String::new() }
    }

    /// Words at the primary place.
    pub(crate) fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(label) = &mut self.primary {
            label.text = text.into();
        }
        self
    }

    /// One more place.
    pub(crate) fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        self.secondary.push(Label { span, text });
        self
    }

    /// What to do.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = text.into();
        self
    }

    /// How bad it is; follows from the code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_ordered_and_say_their_severity() {
        for code in Code::ALL {
            let letter = match code.severity() {
                Severity::Error => 'E',
                Severity::Warning => 'W',
                Severity::Hint => 'H',
            };
            assert!(code.as_str().starts_with(letter), "{}", code.as_str());
            assert!(!code.summary().is_empty());
        }
        let numbers: Vec<_> = Code::ALL.iter().map(|c| &c.as_str()[1..]).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b));
    }
}
