//! One name spelled with different letter case: the same to GDL, but not to every program.

use rustc_hash::FxHashMap;

use crate::clause::Sheet;
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Name, keyword};
use crate::report::Report;
use crate::tree::{NodeId, NodeKind};

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    let names = &sheet.tree.names;
    let is_suspect = |name: Name| {
        let symbol = names.symbol(name);
        symbol.0 != name.0 && symbol.index() >= keyword::TEXTS.len()
    };
    if !names.iter().any(is_suspect) {
        return;
    }
    // Occurrences and first place of every spelling; of variables only within one clause.
    let mut spellings: FxHashMap<Name, (usize, NodeId)> = FxHashMap::default();
    let mut variables: FxHashMap<u32, (Name, NodeId)> = FxHashMap::default();
    for clause in &sheet.clauses {
        variables.clear();
        for node in sheet.tree.subtree(clause.node) {
            match sheet.tree.kind(node) {
                NodeKind::Word(name) => spellings.entry(name).or_insert((0, node)).0 += 1,
                NodeKind::Variable(name) => {
                    let (first, place) = *variables.entry(names.symbol(name).0).or_insert((name, node));
                    if first != name {
                        variables.insert(names.symbol(name).0, (name, node));
                        report.add(Code::LetterCase, || describe(sheet, name, node, first, place));
                    }
                }
                NodeKind::List => {}
            }
        }
    }
    // The rarer spelling is the suspect; of two equally common ones the later.
    let mut by_symbol: FxHashMap<u32, Vec<(Name, usize, NodeId)>> = FxHashMap::default();
    for name in names.iter().filter(|&n| names.symbol(n).index() >= keyword::TEXTS.len()) {
        if let Some(&(count, node)) = spellings.get(&name) {
            by_symbol.entry(names.symbol(name).0).or_default().push((name, count, node));
        }
    }
    let mut groups: Vec<_> = by_symbol.into_iter().filter(|(_, group)| group.len() > 1).collect();
    groups.sort_by_key(|&(symbol, _)| symbol);
    for (_, mut group) in groups {
        group.sort_by_key(|&(name, count, _)| (std::cmp::Reverse(count), name));
        let (usual, _, usual_place) = group[0];
        for &(name, _, place) in &group[1..] {
            report.add(Code::LetterCase, || describe(sheet, name, place, usual, usual_place));
        }
    }
}

fn describe(sheet: &Sheet<'_>, name: Name, node: NodeId, usual: Name, usual_node: NodeId) -> Diagnostic {
    let (one, other) = (sheet.tree.names.spelling(name), sheet.tree.names.spelling(usual));
    Diagnostic::at(
        Code::LetterCase,
        sheet.tree.span(node),
        format!("`{one}` and `{other}` differ only by letter case"),
    )
    .label("the same name to GDL")
    .also(sheet.tree.span(usual_node), "spelled this way here")
    .help(format!("write `{other}` everywhere, or choose another name if two things are meant"))
}
