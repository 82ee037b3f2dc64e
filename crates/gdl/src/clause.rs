//! Clauses: facts and rules with typed conditions, over the nodes of the syntax tree.
//!
//! Like the tree, the conditions of all clauses lie in one array in the order of the text, and each
//! knows where it ends. The shape of clauses is checked while they are built (see [`crate::shape`]);
//! a clause that has no usable shape is reported and left out.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::{Symbol, keyword};
use crate::source::Source;
use crate::tree::{NodeId, Tree};

/// A relation: a name with a number of arguments. Two arities of one name are two relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RelationId(pub u32);

impl RelationId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a clause.
pub(crate) type ClauseId = usize;
/// Index of a condition among those of all clauses.
pub(crate) type LiteralId = usize;

/// What kind of condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralKind {
    /// A sentence that must hold.
    Positive,
    /// A sentence that must not hold.
    Negative,
    /// `(distinct a b)`.
    Distinct,
    /// `(not (distinct a b))`.
    Same,
    /// At least one of the conditions inside.
    Or,
    /// All of the conditions inside; only below `Or`, elsewhere `and` is flattened.
    And,
}

/// A condition of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal {
    pub kind: LiteralKind,
    /// The whole condition.
    pub node: NodeId,
    /// The sentence inside; of `distinct` the list with its two arguments.
    pub atom: NodeId,
    /// Of sentences.
    pub relation: Option<RelationId>,
    /// Index behind the last condition inside this one.
    pub end: LiteralId,
}

/// A fact or a rule.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub node: NodeId,
    pub head: NodeId,
    pub relation: RelationId,
    /// Conditions, nested ones included.
    pub body: Range<LiteralId>,
    /// Written with the arrow.
    pub is_rule: bool,
}

/// A relation, where it is defined and where it is used.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub symbol: Symbol,
    pub arity: usize,
    pub definitions: Vec<ClauseId>,
    pub uses: Vec<(ClauseId, LiteralId)>,
}

/// The clauses of a sheet, ready to be checked.
#[derive(Debug)]
pub(crate) struct Sheet<'a> {
    pub source: &'a Source,
    pub tree: &'a Tree,
    pub clauses: Vec<Clause>,
    pub literals: Vec<Literal>,
    pub relations: Vec<Relation>,
    by_key: FxHashMap<(Symbol, usize), RelationId>,
    /// Words of clauses that were left out.
    pub lost_words: FxHashSet<Symbol>,
    /// Words that stand between the clauses: if there are many, this is not GDL at all.
    pub stray_words: usize,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(source: &'a Source, tree: &'a Tree, lost_words: &[Symbol]) -> Self {
        Self {
            source,
            tree,
            clauses: Vec::new(),
            literals: Vec::new(),
            relations: Vec::new(),
            by_key: FxHashMap::default(),
            lost_words: lost_words.iter().copied().collect(),
            stray_words: 0,
        }
    }

    /// The relation with this name and arity, entered if new.
    pub(crate) fn enter_relation(&mut self, symbol: Symbol, arity: usize) -> RelationId {
        let relations = &mut self.relations;
        *self.by_key.entry((symbol, arity)).or_insert_with(|| {
            relations.push(Relation { symbol, arity, definitions: Vec::new(), uses: Vec::new() });
            RelationId(u32::try_from(relations.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// The relation with this name and arity, if the sheet has it.
    pub(crate) fn find_relation(&self, symbol: Symbol, arity: usize) -> Option<RelationId> {
        self.by_key.get(&(symbol, arity)).copied()
    }

    pub(crate) fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.index()]
    }

    /// First spelling of the name of a relation.
    pub(crate) fn relation_name(&self, id: RelationId) -> &'a str {
        self.tree.names.text(self.relation(id).symbol)
    }

    /// The clauses that define a relation of the language.
    pub(crate) fn definitions(&self, symbol: Symbol, arity: usize) -> &[ClauseId] {
        self.find_relation(symbol, arity).map_or(&[], |id| &self.relation(id).definitions)
    }

    /// The conditions directly inside a range, without those nested in them.
    pub(crate) fn conditions(&self, range: Range<LiteralId>) -> Conditions<'_> {
        Conditions { literals: &self.literals, range }
    }

    /// The range of the conditions inside an `or` or `and`.
    pub(crate) fn inside(&self, id: LiteralId) -> Range<LiteralId> {
        id + 1..self.literals[id].end
    }

    /// The range of a condition itself with all inside.
    pub(crate) fn whole(&self, id: LiteralId) -> Range<LiteralId> {
        id..self.literals[id].end
    }

    /// What one branch of an `or` demands: the parts of an `and`, or the one condition.
    pub(crate) fn branch(&self, id: LiteralId) -> Range<LiteralId> {
        match self.literals[id].kind {
            LiteralKind::And => self.inside(id),
            _ => self.whole(id),
        }
    }

    /// The terms that `role` facts name, with the clause of each.
    pub(crate) fn roles(&self) -> impl Iterator<Item = (ClauseId, NodeId)> + '_ {
        self.definitions(keyword::ROLE, 1)
            .iter()
            .filter_map(|&c| Some((c, self.tree.arguments(self.clauses[c].head).next()?)))
    }

    /// The argument of a sentence at a position.
    pub(crate) fn argument(&self, atom: NodeId, position: usize) -> Option<NodeId> {
        self.tree.arguments(atom).nth(position)
    }

    /// Whether a subtree has no variable.
    pub(crate) fn is_ground(&self, node: NodeId) -> bool {
        self.tree.subtree(node).all(|n| self.tree.variable(n).is_none())
    }
}

/// Iterator over neighbouring conditions.
pub(crate) struct Conditions<'a> {
    literals: &'a [Literal],
    range: Range<LiteralId>,
}

impl<'a> Iterator for Conditions<'a> {
    type Item = (LiteralId, &'a Literal);

    fn next(&mut self) -> Option<Self::Item> {
        if self.range.is_empty() {
            return None;
        }
        let id = self.range.start;
        let literal = &self.literals[id];
        self.range.start = literal.end;
        Some((id, literal))
    }
}
