//! Relations of a sheet: which depend on the state, and which are recursive.

use ludex_gdl::graph::Graph;
use ludex_gdl::{Condition, Relation, Rule, Rules, keyword};

/// What a translation needs to know of the relations.
#[derive(Debug)]
pub(crate) struct Groups {
    /// By relation: whether its sentences can change in play.
    changing: Vec<bool>,
    /// By relation: whether it depends on itself.
    recursive: Vec<bool>,
    /// Places of the rules of each relation in the sheet.
    rules: Vec<Vec<usize>>,
}

impl Groups {
    pub(crate) fn new(rules: &Rules) -> Self {
        let count = rules.relations.len();
        let (mut edges, mut back) = (Vec::new(), Vec::new());
        let mut of_relation = vec![Vec::new(); count];
        for (place, rule) in rules.rules.iter().enumerate() {
            let head = number(rule.head.relation);
            of_relation[head as usize].push(place);
            conditions(&rule.body, &mut |used| {
                edges.push((head, number(used)));
                back.push((number(used), head));
            });
        }
        let sources: Vec<u32> = (0..count)
            .filter(|&at| {
                matches!(
                    rules.relations[at].symbol,
                    keyword::TRUE
                        | keyword::DOES
                        | keyword::NEXT
                        | keyword::LEGAL
                        | keyword::GOAL
                        | keyword::TERMINAL
                        | keyword::SEES
                )
            })
            .filter_map(|at| u32::try_from(at).ok())
            .collect();
        let changing = Graph::new(count, &back).reach(&sources).iter().map(Option::is_some).collect();
        let graph = Graph::new(count, &edges);
        let components = graph.components();
        let mut sizes = vec![0u32; count];
        components.iter().for_each(|&component| sizes[component as usize] += 1);
        let recursive = (0..count)
            .map(|at| {
                let node = u32::try_from(at).unwrap_or(u32::MAX);
                sizes[components[at] as usize] > 1 || graph.successors(node).contains(&node)
            })
            .collect();
        Self { changing, recursive, rules: of_relation }
    }

    /// Whether sentences of the relation can change in play.
    pub(crate) fn is_changing(&self, relation: Relation) -> bool {
        self.changing[relation.index()]
    }

    /// Whether the relation depends on itself.
    pub(crate) fn is_recursive(&self, index: usize) -> bool {
        self.recursive[index]
    }

    /// The rules of a relation, in the order of the sheet.
    pub(crate) fn rules_of<'a>(&self, rules: &'a Rules, index: usize) -> impl Iterator<Item = &'a Rule> {
        self.rules[index].iter().map(|&place| &rules.rules[place])
    }
}

fn number(relation: Relation) -> u32 {
    u32::try_from(relation.index()).unwrap_or(u32::MAX)
}

fn conditions(body: &[Condition], each: &mut impl FnMut(Relation)) {
    for condition in body {
        match condition {
            Condition::Holds(atom) | Condition::Fails(atom) => each(atom.relation),
            Condition::Differ(..) | Condition::Same(..) => {}
            Condition::Any(branches) => branches.iter().for_each(|branch| conditions(branch, each)),
        }
    }
}
