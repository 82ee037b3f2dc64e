//! Goals in words: the rules for `goal`, as sentences.

use ludex_game::model::{Atom, Condition, LiftedRules, Pattern, Rule};
use serde::Serialize;

/// A rule that gives a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoalRule {
    /// Whose goal: a role, or a variable for several.
    pub role: String,
    /// The value, or a variable.
    pub value: String,
    /// What must hold; empty for a goal that is always given.
    pub when: String,
}

/// All of them, in the order of the sheet.
pub(crate) fn goal_rules(rules: &LiftedRules) -> Vec<GoalRule> {
    let Some(goal) = rules.relation("goal", 2) else { return Vec::new() };
    let of_goal = rules.rules.iter().filter(|rule| rule.head.relation == goal);
    of_goal
        .filter_map(|rule| {
            let words = Words { rules, rule };
            let [role, value] = &rule.head.arguments[..] else { return None };
            Some(GoalRule { role: words.term(role), value: words.term(value), when: words.all(&rule.body) })
        })
        .collect()
}

struct Words<'a> {
    rules: &'a LiftedRules,
    rule: &'a Rule,
}

impl Words<'_> {
    fn all(&self, conditions: &[Condition]) -> String {
        let texts: Vec<String> = conditions.iter().map(|condition| self.condition(condition)).collect();
        texts.join(" and ")
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Holds(atom) => self.atom(atom),
            Condition::Fails(atom) => format!("not {}", self.atom(atom)),
            Condition::Differ(a, b) => format!("{} is not {}", self.term(a), self.term(b)),
            Condition::Same(a, b) => format!("{} is {}", self.term(a), self.term(b)),
            Condition::Any(branches) => {
                let branches: Vec<String> = branches.iter().map(|branch| self.all(branch)).collect();
                format!("({})", branches.join(" or "))
            }
        }
    }

    /// A fact is what `true` says of it.
    fn atom(&self, atom: &Atom) -> String {
        let name = self.rules.info(atom.relation).map_or("", |info| self.rules.symbols.text(info.name));
        match (name, &atom.arguments[..]) {
            ("true", [fact]) => self.term(fact),
            (_, []) => name.to_owned(),
            (_, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.term(argument)).collect();
                format!("({name} {})", arguments.join(" "))
            }
        }
    }

    fn term(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Variable(at) => {
                self.rule.variables.get(*at as usize).cloned().unwrap_or_else(|| format!("?{at}"))
            }
            Pattern::Apply(symbol, arguments) if arguments.is_empty() => {
                self.rules.symbols.text(*symbol).to_owned()
            }
            Pattern::Apply(symbol, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.term(argument)).collect();
                format!("({} {})", self.rules.symbols.text(*symbol), arguments.join(" "))
            }
        }
    }
}
