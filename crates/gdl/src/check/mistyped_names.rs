//! Names in terms that are one swap of neighbouring letters away from another: `rihgt`.
//!
//! Only a word that stands in one or two places of the whole sheet is suspected, and only when the
//! other stands in more or is a role; of two words in one place each the later one. Constants are
//! compared with constants, names of relations and functions with each other: `east` is no slip for
//! a relation `eats`. Words that other findings point to are left alone.

use rustc_hash::{FxHashMap, FxHashSet};

use super::similar::swapped;
use crate::clause::Sheet;
use crate::diagnostic::{Code, Diagnostic};
use crate::name::{Symbol, relation_keyword_arity};
use crate::report::Report;
use crate::tree::NodeId;

/// Shorter words are too near to others (`new` and `nwe` are directions on some boards).
const MIN_LENGTH: usize = 4;
/// Shorter names of roles are too near to others.
const MIN_ROLE_LENGTH: usize = 3;
/// A word that stands in more places is meant.
const MAX_COUNT: u32 = 2;
/// Words with the same letters that are compared with each other.
const MAX_GROUP: usize = 64;

/// A word, and whether it stands in front of arguments.
type Key = (Symbol, bool);

/// A word of the sheet.
struct Word {
    count: u32,
    first: NodeId,
    is_role: bool,
}

pub(super) fn check(sheet: &Sheet<'_>, report: &mut Report) {
    let words = words(sheet);
    // Words that are a swap apart have the same letters.
    let mut groups: FxHashMap<(Vec<char>, bool), Vec<Key>> = FxHashMap::default();
    let mut keys: Vec<Key> = words.keys().copied().collect();
    keys.sort_unstable();
    for key in keys {
        let mut letters: Vec<char> = sheet.tree.names.text(key.0).to_lowercase().chars().take(64).collect();
        letters.sort_unstable();
        groups.entry((letters, key.1)).or_default().push(key);
    }
    let mut found: Vec<(NodeId, Key, Key)> = Vec::new();
    for group in groups.values().filter(|group| (2..=MAX_GROUP).contains(&group.len())) {
        for &key in group {
            let meant = group.iter().find(|&&other| is_slip(sheet, &words, key, other));
            if let Some(&meant) = meant {
                found.push((words[&key].first, key, meant));
            }
        }
    }
    found.sort_unstable_by_key(|&(node, ..)| node.index());
    let known: FxHashSet<_> =
        report.diagnostics().iter().filter_map(|d| Some(d.primary.as_ref()?.span)).collect();
    for (node, key, meant) in found {
        let span = sheet.tree.span(node);
        // Of a term, others point to the whole list or to its first word.
        if known.contains(&span) || known.iter().any(|k| is_head_of(sheet, node, k.start, k.end)) {
            continue;
        }
        report.add(Code::MistypedName, || {
            let (name, meant_name) = (sheet.tree.names.text(key.0), sheet.tree.names.text(meant.0));
            let message = match words[&key].count {
                1 => format!("`{name}` occurs only here"),
                n => format!("`{name}` occurs only in {n} places"),
            };
            let what = if words[&meant].is_role { "the role " } else { "" };
            Diagnostic::at(Code::MistypedName, span, message)
                .label(format!("two letters are swapped in {what}`{meant_name}`"))
                .also(sheet.tree.span(words[&meant].first), format!("`{meant_name}`"))
                .help(format!("did you mean `{meant_name}`?"))
        });
    }
}

fn is_slip(sheet: &Sheet<'_>, words: &FxHashMap<Key, Word>, key: Key, meant: Key) -> bool {
    let (word, other) = (&words[&key], &words[&meant]);
    let rarer = word.count < other.count || (word.count == 1 && other.first.index() < word.first.index());
    if word.is_role || word.count > MAX_COUNT || !(rarer || other.is_role) {
        return false;
    }
    let (name, meant) = (sheet.tree.names.text(key.0), sheet.tree.names.text(meant.0));
    let least = if other.is_role { MIN_ROLE_LENGTH } else { MIN_LENGTH };
    name.len() >= least && swapped(name, meant)
}

/// Whether the span is that of the list which this word is in front of.
fn is_head_of(sheet: &Sheet<'_>, node: NodeId, start: u32, end: u32) -> bool {
    let span = sheet.tree.span(node);
    let bytes = sheet.source.bytes();
    start < span.start
        && span.end < end
        && bytes.get(start as usize) == Some(&b'(')
        && bytes[start as usize + 1..span.start as usize].iter().all(u8::is_ascii_whitespace)
}

/// Every word of a clause that is no keyword, with the number of places where it stands.
fn words(sheet: &Sheet<'_>) -> FxHashMap<Key, Word> {
    let mut words: FxHashMap<Key, Word> = FxHashMap::default();
    // Relations without arguments are sentences, not constants.
    let atoms = sheet.literals.iter().map(|l| l.atom).chain(sheet.clauses.iter().map(|c| c.head));
    let sentences: FxHashSet<NodeId> = atoms.filter(|&n| sheet.tree.word(n).is_some()).collect();
    for clause in &sheet.clauses {
        let mut after_list = false;
        for node in sheet.tree.subtree(clause.node) {
            let in_front =
                std::mem::replace(&mut after_list, sheet.tree.is_list(node)) || sentences.contains(&node);
            let Some(symbol) = sheet.tree.word(node) else { continue };
            if relation_keyword_arity(symbol).is_none() {
                words
                    .entry((symbol, in_front))
                    .or_insert(Word { count: 0, first: node, is_role: false })
                    .count += 1;
            }
        }
    }
    for (_, role) in sheet.roles() {
        if let Some(word) = sheet.tree.word(role).and_then(|symbol| words.get_mut(&(symbol, false))) {
            word.is_role = true;
        }
    }
    words
}
