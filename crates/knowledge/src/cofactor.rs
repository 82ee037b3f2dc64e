//! Gates with some facts replaced by constants (cofactors; C. E. Shannon, 1938), simplified and
//! shared, so that equal functions often become the same literal.

use std::collections::HashMap;

use ludex_game::model::{Gates, GroundModel, Literal, Node};

/// Cofactors of a model's gates. Facts and inputs keep their node numbers.
pub(crate) struct Cofactors<'a> {
    model: &'a GroundModel,
    pub gates: Gates,
    shared: HashMap<Vec<Literal>, Literal>,
}

impl<'a> Cofactors<'a> {
    pub(crate) fn new(model: &'a GroundModel) -> Self {
        let gates = Gates::new(model.facts.len(), model.inputs.len());
        Self { model, gates, shared: HashMap::new() }
    }

    /// The cofactors of some gates, where `fixed` says which facts have which value. None where the
    /// gates are recursive.
    pub(crate) fn of(
        &mut self,
        roots: &[Literal],
        fixed: impl Fn(usize) -> Option<bool>,
    ) -> Option<Vec<Literal>> {
        let model = self.model;
        let mut known: HashMap<u32, Literal> = HashMap::new();
        for root in roots {
            let mut stack = vec![root.node()];
            while let Some(&node) = stack.last() {
                if known.contains_key(&node) {
                    stack.pop();
                    continue;
                }
                let literal = match model.gates.nodes()[node as usize] {
                    Node::False => Literal::FALSE,
                    Node::Does(_) => Literal::new(node, false),
                    Node::Fact(fact) => match fixed(fact.index()) {
                        Some(true) => Literal::TRUE,
                        Some(false) => Literal::FALSE,
                        None => Literal::new(node, false),
                    },
                    Node::Loop(_) => return None,
                    Node::And { .. } => {
                        let inputs = model.gates.inputs(node);
                        let before = stack.len();
                        stack.extend(inputs.iter().map(|i| i.node()).filter(|i| !known.contains_key(i)));
                        if stack.len() > before {
                            continue;
                        }
                        let inputs = inputs.iter().map(|&input| through(&known, input));
                        let inputs = inputs.collect::<Option<Vec<Literal>>>()?;
                        self.and(inputs)
                    }
                };
                known.insert(node, literal);
                stack.pop();
            }
        }
        roots.iter().map(|&root| through(&known, root)).collect()
    }

    fn and(&mut self, mut inputs: Vec<Literal>) -> Literal {
        inputs.sort_unstable();
        inputs.dedup();
        inputs.retain(|&input| input != Literal::TRUE);
        // Sorted by node: a literal and its inverse are neighbours.
        let contradicts = inputs.windows(2).any(|pair| pair[0] == !pair[1]);
        match inputs[..] {
            _ if contradicts || inputs.first() == Some(&Literal::FALSE) => Literal::FALSE,
            [] => Literal::TRUE,
            [only] => only,
            _ => match self.shared.get(&inputs) {
                Some(&known) => known,
                None => {
                    let gate = self.gates.and(inputs.iter().copied());
                    self.shared.insert(inputs, gate);
                    gate
                }
            },
        }
    }
}

/// What a literal of the model became.
fn through(known: &HashMap<u32, Literal>, literal: Literal) -> Option<Literal> {
    known.get(&literal.node()).map(|&found| if literal.is_inverted() { !found } else { found })
}
