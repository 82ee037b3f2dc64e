//! Sizes of circuits, for people and for programs.

use std::io::Write;

use anyhow::Result;
use ludex_reasoner::{CircuitReport, Stats};
use serde_json::{Value, json};

use crate::output::count;

/// All sizes as one object.
pub(super) fn json(game: &str, stats: &Stats) -> Value {
    let circuit = &stats.circuit;
    let cones = circuit.cones.iter().map(|cone| {
        json!({
            "name": cone.name, "gates": cone.gates, "inputs": cone.inputs,
            "widest": cone.widest, "depth": cone.depth,
        })
    });
    let pass =
        |p: &ludex_reasoner::PassReport| json!({ "name": p.name, "gates": p.gates, "inputs": p.inputs });
    json!({
        "game": game,
        "rules": stats.rules,
        "atoms": stats.ground.atoms,
        "instances": stats.ground.instances,
        "facts": circuit.size.facts,
        "moves": circuit.size.moves,
        "gates": circuit.size.gates.iter().sum::<usize>(),
        "inputs": circuit.size.inputs,
        "loops": circuit.loops,
        "cones": cones.collect::<Vec<_>>(),
        "passes": circuit.passes.iter().map(pass).collect::<Vec<_>>(),
        "one_of": circuit.groups.iter().filter(|g| g.exactly_one).map(|g| &g.facts).collect::<Vec<_>>(),
        "exclusive": circuit.groups.iter().filter(|g| !g.exactly_one).map(|g| &g.facts).collect::<Vec<_>>(),
        "stay_on": circuit.stay_on,
        "stay_off": circuit.stay_off,
        "derived": circuit.derived,
        "not_proved": circuit.given_up,
    })
}

/// Sizes on the way from rules to gates.
pub(super) fn stats(stats: &Stats, out: &mut impl Write) -> Result<()> {
    let size = &stats.circuit.size;
    let [view, next, goals] = size.gates;
    let depth = stats.circuit.cones.iter().map(|cone| cone.depth).max().unwrap_or(0);
    let built = stats.circuit.passes.first().map_or(0, |pass| pass.inputs);
    writeln!(out, "facts and rules as written   {:>9}", stats.rules)?;
    writeln!(out, "ground atoms                 {:>9}", stats.ground.atoms)?;
    writeln!(out, "instances of rules           {:>9}", stats.ground.instances)?;
    writeln!(out, "facts of the state           {:>9}", size.facts)?;
    writeln!(out, "moves of all roles           {:>9}", size.moves)?;
    writeln!(out, "gates for legal and terminal {view:>9}")?;
    writeln!(out, "  further ones for next      {next:>9}")?;
    writeln!(out, "  further ones for goals     {goals:>9}")?;
    writeln!(out, "inputs of all gates          {:>9}", size.inputs)?;
    writeln!(out, "  before the passes          {built:>9}")?;
    writeln!(out, "gates on the longest way     {depth:>9}")?;
    writeln!(out, "loops                        {:>9}", size.loops)?;
    let circuit = &stats.circuit;
    let one_of = circuit.groups.iter().filter(|group| group.exactly_one).count();
    writeln!(out, "groups with exactly one fact {one_of:>9}")?;
    writeln!(out, "  next values saved by them  {:>9}", circuit.derived.len())?;
    writeln!(out, "groups with at most one fact {:>9}", circuit.groups.len() - one_of)?;
    writeln!(out, "facts that stay for good     {:>9}", circuit.stay_on.len())?;
    writeln!(out, "facts that go for good       {:>9}", circuit.stay_off.len())?;
    Ok(())
}

/// The circuit by question, and what the passes made of it.
pub(super) fn circuit(circuit: &CircuitReport, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{} facts, {} moves\n", circuit.size.facts, circuit.size.moves)?;
    writeln!(out, "cone               gates     inputs  widest   depth")?;
    for cone in &circuit.cones {
        let (gates, inputs) = (cone.gates, cone.inputs);
        writeln!(out, "{:<14} {gates:>9}  {inputs:>9}  {:>6}  {:>6}", cone.name, cone.widest, cone.depth)?;
    }
    let (gates, inputs) = (circuit.size.gates.iter().sum::<usize>(), circuit.size.inputs);
    writeln!(out, "{:<14} {gates:>9}  {inputs:>9}\n", "together")?;
    writeln!(out, "pass               gates     inputs")?;
    for pass in &circuit.passes {
        writeln!(out, "{:<14} {:>9}  {:>9}", pass.name, pass.gates, pass.inputs)?;
    }
    if !circuit.loops.is_empty() {
        let sizes: Vec<String> = circuit.loops.iter().map(usize::to_string).collect();
        writeln!(out, "\nloops, by number of atoms: {}", sizes.join(" "))?;
    }
    invariants(circuit, out)
}

/// Groups, and facts of a list, that are written down; the others are counted.
const SHOWN: usize = 4;

/// What holds in every state that can be reached.
fn invariants(circuit: &CircuitReport, out: &mut impl Write) -> Result<()> {
    for (exactly_one, title) in [(true, "exactly one holds"), (false, "at most one holds")] {
        let groups: Vec<_> = circuit.groups.iter().filter(|g| g.exactly_one == exactly_one).collect();
        if !groups.is_empty() {
            writeln!(out, "\n{title}: {}", count(groups.len(), "group"))?;
            for group in groups.iter().take(SHOWN) {
                writeln!(out, "  {}", some(&group.facts))?;
            }
        }
    }
    let lists = [
        ("next value derived from others of its group", &circuit.derived),
        ("stays once it holds", &circuit.stay_on),
        ("never comes back", &circuit.stay_off),
    ];
    for (title, facts) in lists {
        if !facts.is_empty() {
            writeln!(out, "\n{title}: {}\n  {}", count(facts.len(), "fact"), some(facts))?;
        }
    }
    if circuit.given_up > 0 {
        writeln!(out, "\nnot proved, for the work it would be: {}", circuit.given_up)?;
    }
    Ok(())
}

/// The first of some facts.
fn some(facts: &[String]) -> String {
    let shown = facts.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(" ");
    let left = facts.len().saturating_sub(SHOWN);
    if left == 0 { shown } else { format!("{shown} and {left} more") }
}
