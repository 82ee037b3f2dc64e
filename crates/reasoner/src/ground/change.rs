//! Splits relations into dynamic ones and static ones, with the order (SCCs) to compute the latter.

use ludex_gdl::graph::Graph;
use ludex_gdl::keyword;

use super::program::{NormalLiteral, NormalProgram, Rel, number};

/// Which relations change in play, and the order in which to compute the others.
pub(crate) fn classify(program: &NormalProgram) -> (Vec<bool>, Vec<Vec<Rel>>) {
    use keyword as k;
    let count = program.relations.len();
    let mut edges = Vec::new();
    let mut negative = Vec::new();
    for rule in &program.rules {
        for literal in &rule.body {
            match literal {
                NormalLiteral::Holds(relation, _) => edges.push((rule.head.0, *relation)),
                NormalLiteral::Fails(relation, _) => {
                    edges.push((rule.head.0, *relation));
                    negative.push((rule.head.0, *relation));
                }
                NormalLiteral::Differ(..) => {}
            }
        }
    }
    let component = Graph::new(count, &edges).components();
    // What is decided in play: by keyword, or stratified only by values (decided in the circuit).
    let by_keyword = |r: &usize| {
        let symbol = program.relations[*r].symbol;
        let words = [k::TRUE, k::DOES, k::NEXT, k::LEGAL, k::GOAL, k::TERMINAL, k::SEES];
        symbol.is_some_and(|s| words.contains(&s))
    };
    let mut starts: Vec<u32> = (0..count).filter(by_keyword).map(number).collect();
    starts.extend(
        negative.iter().filter(|(a, b)| component[*a as usize] == component[*b as usize]).map(|&(a, _)| a),
    );
    let backward: Vec<_> = edges.iter().map(|&(a, b)| (b, a)).collect();
    let reached = Graph::new(count, &backward).reach(&starts);
    let is_dynamic: Vec<bool> = reached.iter().map(Option::is_some).collect();
    // Components are numbered against the edges: what a relation depends on comes first.
    let components = component.iter().max().map_or(0, |&c| c as usize + 1);
    let mut order: Vec<Vec<Rel>> = vec![Vec::new(); components];
    for relation in 0..count {
        if !is_dynamic[relation] {
            order[component[relation] as usize].push(number(relation));
        }
    }
    order.retain(|relations| !relations.is_empty());
    (is_dynamic, order)
}
