//! Circuits as Graphviz pictures.
//!
//! Facts are boxes, moves rounded boxes, gates circles labelled "and". A small circle at an arrow
//! head marks an inverted input. Results are at the end, with a double frame.

use std::io::{self, Write};

use super::gate::{Node, Signal};
use super::report::CircuitReport;
use super::{Circuit, Cone, Schedule};

impl CircuitReport {
    /// Writes the circuit for Graphviz. Check the size first: pictures of more than some hundred
    /// gates are unreadable.
    pub fn write_dot(&self, out: &mut impl Write) -> io::Result<()> {
        let circuit = &self.circuit;
        writeln!(out, "digraph circuit {{")?;
        writeln!(out, "  rankdir=LR; node [fontsize=10]; edge [arrowsize=0.6];")?;
        let mut drawn = vec![false; circuit.gates.len()];
        for cone in [Cone::View, Cone::Next, Cone::Goals] {
            for &node in Schedule::new(circuit).nodes(cone) {
                let inputs = circuit.gates.inputs(node);
                let shape =
                    if inputs.is_empty() { "diamond, label=\"loop\"" } else { "circle, label=\"and\"" };
                writeln!(out, "  n{node} [shape={shape}];")?;
                for &input in inputs {
                    source(circuit, input, &mut drawn, out)?;
                    edge(input, &format!("n{node}"), out)?;
                }
            }
        }
        for group in &circuit.loops {
            for (node, &becomes) in group.nodes.iter().zip(&group.becomes) {
                source(circuit, becomes, &mut drawn, out)?;
                edge(becomes, &format!("n{} [style=dashed]", node.node()), out)?;
            }
        }
        for (at, (signal, label)) in results(circuit).into_iter().enumerate() {
            writeln!(out, "  o{at} [shape=box, peripheries=2, label={}];", quoted(&label))?;
            source(circuit, signal, &mut drawn, out)?;
            edge(signal, &format!("o{at}"), out)?;
        }
        writeln!(out, "}}")
    }
}

/// The outputs of the circuit, with names.
fn results(circuit: &Circuit) -> Vec<(Signal, String)> {
    let text = |term| circuit.terms.text(&circuit.sheet.names, term);
    let role = |role: usize| circuit.role_names.get(role).map_or_else(String::new, |&name| text(name));
    let mut results = vec![(circuit.terminal, "terminal".to_owned())];
    for (at, moves) in circuit.moves.iter().enumerate() {
        results.extend(moves.iter().map(|m| (m.legal, format!("legal {} {}", role(at), text(m.term)))));
    }
    results.extend(circuit.facts.iter().map(|fact| (fact.next, format!("next {}", text(fact.term)))));
    let goals = circuit.goals.iter();
    results.extend(goals.map(|goal| (goal.holds, format!("goal {} {}", role(goal.role), text(goal.value)))));
    results
}

/// Draws the facts, moves and constants that are used, each once.
fn source(circuit: &Circuit, signal: Signal, drawn: &mut [bool], out: &mut impl Write) -> io::Result<()> {
    let node = signal.node();
    if std::mem::replace(&mut drawn[node as usize], true) {
        return Ok(());
    }
    let text = |term| circuit.terms.text(&circuit.sheet.names, term);
    match circuit.gates.node(node) {
        Node::False => writeln!(out, "  n{node} [shape=box, label=\"false\"];"),
        Node::Fact(fact) => {
            let label = format!("true {}", text(circuit.facts[fact as usize].term));
            writeln!(out, "  n{node} [shape=box, label={}];", quoted(&label))
        }
        Node::Does(role, index) => {
            let name = circuit.role_names.get(role as usize).map_or_else(String::new, |&name| text(name));
            let label = format!("does {name} {}", text(circuit.moves[role as usize][index as usize].term));
            writeln!(out, "  n{node} [shape=box, style=rounded, label={}];", quoted(&label))
        }
        Node::And(..) | Node::Loop(_) => Ok(()),
    }
}

fn edge(from: Signal, to: &str, out: &mut impl Write) -> io::Result<()> {
    let head = if from.is_inverted() { " [arrowhead=odot]" } else { "" };
    writeln!(out, "  n{} -> {to}{head};", from.node())
}

fn quoted(label: &str) -> String {
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
}
