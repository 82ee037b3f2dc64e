//! The tuples of relations that never change, for the model.

use ludex_game::model::{StaticRelation, Statics};
use ludex_gdl::Rules;

use super::lifted::Lifted;
use crate::ground::static_tables;

/// All of them; none if they take too much work.
pub(super) fn statics(rules: &Rules, lifted: &Lifted) -> Option<Statics> {
    let tables = static_tables(rules)?;
    let mut copies = lifted.copies(&tables.terms);
    let mut relations = Vec::new();
    for table in &tables.tables {
        let tuples: Option<Vec<_>> = table.cells.iter().map(|&term| copies.copy(term)).collect();
        relations.push(StaticRelation {
            name: lifted.symbol(table.symbol)?,
            arity: table.arity,
            count: table.count,
            tuples: tuples?,
        });
    }
    Some(Statics { terms: copies.terms, relations })
}
