//! Relations that do not change in play, by themselves: for models, when someone asks.

use ludex_gdl::{Rules, Symbol, keyword};

use super::attempts::once;
use super::change::classify;
use super::normal::{Callers, normal_form};
use super::program::{NormalProgram, is_keyword, number};
use super::reach::Reached;
use super::split::split;
use crate::limits::{Limits, Watch};
use crate::progress::Progress;
use crate::term::{TermId, Terms};

/// Work that computing them may take; counted, so that every machine finds the same.
const WORK: u64 = 5_000_000;
/// Tuples of all of them: more than any board needs.
const MAX_ATOMS: usize = 2_000_000;

/// The tuples of one relation.
pub(crate) struct StaticTable {
    pub symbol: Symbol,
    pub arity: usize,
    pub count: usize,
    /// Row after row.
    pub cells: Vec<TermId>,
}

/// Relations that do not change in play.
pub(crate) struct StaticTables {
    pub terms: Terms,
    pub tables: Vec<StaticTable>,
}

/// All relations of a sheet that do not change in play, complete; none if they take too much work.
pub(crate) fn static_tables(rules: &Rules) -> Option<StaticTables> {
    let (is_static, reached) = computed(rules, false).or_else(|| computed(rules, true))?;
    let mut tables = Vec::new();
    for (at, info) in rules.relations.iter().enumerate() {
        let own_meaning = is_keyword(info.symbol) && info.symbol != keyword::ROLE;
        if !is_static[at] || own_meaning || !info.given_by_caller.is_empty() {
            continue;
        }
        let table = &reached.tables[at];
        let active: Vec<u32> = (0..number(table.len())).filter(|&row| table.is_active(row)).collect();
        let cells = active.iter().flat_map(|&row| table.row(row)).copied().collect();
        tables.push(StaticTable { symbol: info.symbol, arity: info.arity, count: active.len(), cells });
    }
    Some(StaticTables { terms: reached.terms, tables })
}

/// By relation whether its table is complete, and the tables.
fn computed(rules: &Rules, in_parts: bool) -> Option<(Vec<bool>, Reached)> {
    let mut program: NormalProgram = normal_form(rules, Callers::Copied).ok()?;
    let (is_dynamic, _) = classify(&program);
    program.rules.retain(|rule| !is_dynamic[rule.head.0 as usize]);
    // Rules that no question about the game needs are gone: their relations look empty.
    let mut is_left_out = vec![false; is_dynamic.len()];
    for rule in &rules.rules {
        is_left_out[rule.head.relation.index()] = true;
    }
    for rule in &program.rules {
        is_left_out[rule.head.0 as usize] = false;
    }
    let is_static = is_dynamic.iter().zip(is_left_out).map(|(&dynamic, out)| !dynamic && !out).collect();
    if in_parts {
        split(&mut program, None);
    }
    let limits = Limits { atoms: MAX_ATOMS, ..Limits::default() };
    let watch = Watch::new(&limits, &Progress::new());
    let (_, reached) = once(program, &mut watch.attempt(usize::MAX, WORK)).ok()?;
    Some((is_static, reached))
}
