//! A position to begin with: the sheet of a game whose first state is another one.
//!
//! Facts that are typed replace the `init` clauses of the sheet; everything else stays as it is
//! written. So a position that was set up can be played, analysed and looked into like any game.

use ludex_gdl::{NodeId, NodeKind, Source, Tree, keyword, parse};

use crate::reply::Refusal;

/// Most facts of a position.
const MOST_FACTS: usize = 20_000;
/// Longest text of facts, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The sheet with these facts as its first state. Facts are terms, one after the other, with or without
/// `true` around them.
pub(crate) fn with_position(sheet: &str, facts: &str) -> Result<String, Refusal> {
    if facts.len() > MAX_BYTES {
        return Err(Refusal::bad(format!("the facts are longer than {} KiB", MAX_BYTES >> 10)));
    }
    let source = Source::new("facts", facts);
    let (tree, report) = parse(&source);
    if let Some(found) = report.diagnostics().first() {
        return Err(Refusal::bad(format!("the facts: {}", found.message)));
    }
    let mut inits = String::new();
    for (at, root) in tree.roots().enumerate() {
        if at >= MOST_FACTS {
            return Err(Refusal::bad(format!("a position has at most {MOST_FACTS} facts")));
        }
        let fact = fact(&tree, root);
        if tree.subtree(fact).any(|node| matches!(tree.kind(node), NodeKind::Variable(_))) {
            return Err(Refusal::bad(format!(
                "`{}` has a variable: a fact has none",
                source.text(tree.span(fact))
            )));
        }
        inits.push_str(&format!("(init {})\n", source.text(tree.span(fact))));
    }
    let source = Source::new("sheet", sheet);
    let (tree, _) = parse(&source);
    let mut text = String::with_capacity(sheet.len() + inits.len());
    let mut end = 0;
    for root in tree.roots().filter(|&root| is_init(&tree, root)) {
        let span = tree.span(root);
        text.push_str(sheet.get(end..span.start as usize).unwrap_or(""));
        end = span.end as usize;
    }
    text.push_str(sheet.get(end..).unwrap_or(""));
    text.push('\n');
    text.push_str(&inits);
    Ok(text)
}

/// The term of a fact.
fn fact(tree: &Tree, root: NodeId) -> NodeId {
    let is_wrapped =
        matches!(tree.functor(root), Some(keyword::TRUE | keyword::INIT)) && tree.arity(root) == 1;
    let inner = tree.arguments(root).next();
    inner.filter(|_| is_wrapped).unwrap_or(root)
}

/// Whether a clause says what holds at first.
fn is_init(tree: &Tree, root: NodeId) -> bool {
    let head = match tree.functor(root) {
        Some(keyword::ARROW) => tree.arguments(root).next(),
        _ => Some(root),
    };
    head.is_some_and(|head| tree.functor(head) == Some(keyword::INIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_take_the_place_of_the_first_state() {
        let sheet = "(role x)\n(init (cell 1 b)) ; first\n(<= (init (step ?n)) (first ?n))\n(first 1)\n";
        let found = with_position(sheet, "(true (cell 1 x))\n(step 2) control").unwrap();
        assert_eq!(
            found,
            "(role x)\n ; first\n\n(first 1)\n\n(init (cell 1 x))\n(init (step 2))\n(init control)\n"
        );
    }

    #[test]
    fn what_is_no_fact_is_said() {
        let refused = |facts: &str| with_position("(role x)", facts).unwrap_err().message;
        assert!(refused("(cell 1").contains("the facts"));
        assert!(refused("(cell ?x)").contains("variable"));
        assert!(refused(&"(f) ".repeat(300_000)).contains("longer"));
        assert!(refused(&"a ".repeat(20_001)).contains("at most"));
    }
}
