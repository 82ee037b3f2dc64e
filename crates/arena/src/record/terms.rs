//! Terms in records: `( fact fact … )` is a state. Programs write blanks and letter case as they
//! like, so everything is compared in one form: lower-case, single blanks, none inside of
//! parentheses.

/// The terms of a text one after the other, in the one form; none if parentheses do not match.
pub(crate) fn terms(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut depth = 0usize;
    for token in tokens(text) {
        match token {
            "(" => {
                blank(&mut current);
                current.push('(');
                depth += 1;
            }
            ")" => {
                depth = depth.checked_sub(1)?;
                current.push(')');
            }
            word => {
                blank(&mut current);
                current.push_str(&word.to_lowercase());
            }
        }
        if depth == 0 {
            found.push(std::mem::take(&mut current));
        }
    }
    (depth == 0).then_some(found)
}

/// One term in the one form; none if the text is not exactly one.
pub(crate) fn term(text: &str) -> Option<String> {
    let mut found = terms(text)?;
    let term = found.pop()?;
    (found.is_empty() && term != "()").then_some(term)
}

/// The facts of a state; none if the text is not a list of terms.
pub(crate) fn facts(state: &str) -> Option<Vec<String>> {
    let inside = state.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut facts = terms(inside)?;
    facts.sort();
    Some(facts)
}

/// A state as records have it.
pub(crate) fn state(facts: &[String]) -> String {
    let length = facts.iter().map(|fact| fact.len() + 1).sum::<usize>() + 3;
    let mut text = String::with_capacity(length);
    text.push_str("( ");
    for fact in facts {
        text.push_str(fact);
        text.push(' ');
    }
    text.push(')');
    text
}

/// Puts other words into a term; parentheses stay.
pub(crate) fn replaced<'a>(term: &'a str, word: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut text = String::with_capacity(term.len());
    for token in tokens(term) {
        if token == ")" {
            text.push(')');
            continue;
        }
        blank(&mut text);
        text.push_str(word(token).unwrap_or(token));
    }
    text
}

/// A blank between two terms, but not behind an opening parenthesis.
fn blank(text: &mut String) {
    if !text.is_empty() && !text.ends_with('(') {
        text.push(' ');
    }
}

/// Parentheses and words.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '(' | ')' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_write_a_state_are_one() {
        let ours = state(&["(cell 1 1 b)".into(), "(control white)".into()]);
        assert_eq!(ours, "( (cell 1 1 b) (control white) )");
        let theirs = "( ( control White ) (cell 1\n1 B) )";
        assert_eq!(facts(&ours), facts(theirs));
        assert_eq!(facts("( )"), Some(vec![]));
        for broken in ["", "(", "( (a )", "( a ) )", "a b"] {
            assert_eq!(facts(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_term_is_one_term() {
        assert_eq!(term(" ( MARK 1  2 )\r\n").as_deref(), Some("(mark 1 2)"));
        assert_eq!(term("Noop").as_deref(), Some("noop"));
        for other in ["", "a b", "(a", "a)", "()", "(a) b"] {
            assert_eq!(term(other), None, "{other}");
        }
    }

    #[test]
    fn words_are_replaced_and_nothing_else() {
        let word = |word: &str| (word == "mark").then_some("zuko");
        assert_eq!(replaced("(mark (mark 1) 2)", word), "(zuko (zuko 1) 2)");
    }
}
