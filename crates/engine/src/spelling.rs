//! Words as a rule sheet spells them.
//!
//! Engines name moves in lower case, since letter case has no meaning; but some game managers
//! compare what a player answers byte by byte. So what leaves the house is spelled as the sheet
//! spells it.

use ludex_gdl::{Names, Rules, Symbol, Term};

/// The spellings of one sheet.
#[derive(Clone, Debug)]
pub struct Spelling {
    names: Names,
    /// Symbols below this number are words of the language.
    keywords: usize,
}

impl Spelling {
    /// The spellings of these rules.
    pub fn new(rules: &Rules) -> Self {
        Self { names: rules.names.clone(), keywords: Names::default().len() }
    }

    /// A term with each of its words spelled as it is first spelled in the sheet. Words that the
    /// sheet does not have stay as they are.
    pub fn apply(&self, term: &str) -> String {
        let mut out = String::with_capacity(term.len());
        let mut rest = term;
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            match self.names.find(word) {
                Some(symbol) if !word.is_empty() => out.push_str(self.text(symbol)),
                _ => out.push_str(word),
            }
            let mark = behind.chars().next().map_or(0, char::len_utf8);
            out.push_str(&behind[..mark]);
            rest = &behind[mark..];
        }
        out
    }

    /// The first spelling in the sheet. Words of the language are in the table before any sheet is
    /// read, in lower case; if there is another spelling of them, it is the sheet's.
    fn text(&self, symbol: Symbol) -> &str {
        let first = self.names.text(symbol);
        if symbol.index() < self.keywords {
            let other = self.names.iter().filter(|&name| self.names.symbol(name) == symbol).nth(1);
            return other.map_or(first, |name| self.names.spelling(name));
        }
        first
    }
}

/// The names of the roles, in lower case.
pub fn role_names(rules: &Rules) -> Vec<String> {
    let name = |role: &Term| {
        let mut words = Vec::new();
        write(&rules.names, role, &mut words);
        words.join(" ").replace("( ", "(").replace(" )", ")")
    };
    rules.roles.iter().map(name).collect()
}

/// The number of a role of the rules by its name, whatever its letter case and blanks.
pub fn find_role(rules: &Rules, name: &str) -> Option<usize> {
    let wanted: Vec<String> = words(name);
    rules.roles.iter().position(|role| {
        let mut found = Vec::new();
        write(&rules.names, role, &mut found);
        found == wanted
    })
}

/// Words and parentheses, in lower case.
fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").to_lowercase();
    spaced.split_whitespace().map(str::to_owned).collect()
}

fn write(names: &Names, term: &Term, out: &mut Vec<String>) {
    match term {
        Term::Constant(symbol) => out.push(names.text(*symbol).to_lowercase()),
        Term::Variable(_) => out.push("?".to_owned()), // roles are ground
        Term::Compound(symbol, arguments) => {
            out.extend(["(".to_owned(), names.text(*symbol).to_lowercase()]);
            for argument in arguments {
                write(names, argument, out);
            }
            out.push(")".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use ludex_testkit::rules_despite_errors as rules;

    use super::*;

    #[test]
    fn moves_are_spelled_as_in_the_sheet() {
        let upper = rules("(ROLE (PLAYER 1)) (LEGAL (PLAYER 1) (NEXT A)) (LEGAL (PLAYER 1) Noop)");
        let spelling = Spelling::new(&upper);
        assert_eq!(spelling.apply("(next a)"), "(NEXT A)");
        assert_eq!(spelling.apply("noop"), "Noop");
        assert_eq!(spelling.apply("(player (unknown 1))"), "(PLAYER (unknown 1))");
        let lower = rules("(role x) (legal x (input 1))");
        assert_eq!(Spelling::new(&lower).apply("(input 1)"), "(input 1)");
    }

    #[test]
    fn roles_are_found_in_any_letter_case() {
        let rules = rules("(role White) (role (player 2))");
        assert_eq!(role_names(&rules), ["white", "(player 2)"]);
        assert_eq!(find_role(&rules, "WHITE"), Some(0));
        assert_eq!(find_role(&rules, "( Player  2 )"), Some(1));
        assert_eq!(find_role(&rules, "black"), None);
    }
}
