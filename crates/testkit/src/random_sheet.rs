//! Random small games as sheets: what exhaustive search can still do, in every shape that GDL allows.
//!
//! Positions are numbered and lie in layers, so every game ends; several ways lead to a position, and
//! some positions end the game early. In a position one role has a choice, or nobody, or several at
//! once; a role named `random` rolls.

use std::fmt::Write;

/// The shape of a random game.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Roles, apart from chance.
    pub players: usize,
    /// Whether there is a role `random`.
    pub chance: bool,
    /// Whether several roles may have a choice in a position.
    pub simultaneous: bool,
    /// Layers of positions: steps of the longest game.
    pub layers: usize,
    /// Positions in a layer.
    pub width: usize,
    /// Moves of a role that has a choice, at most.
    pub moves: usize,
    /// Whether the goals of two players add up to 100.
    pub constant_sum: bool,
    /// Whether goals are 0 or 100 only, instead of multiples of 10.
    pub wins_only: bool,
}

/// A game of a shape. The same seed gives the same game.
pub fn random_sheet(shape: Shape, seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut roles: Vec<String> = (1..=shape.players).map(|at| format!("p{at}")).collect();
    if shape.chance {
        roles.push("random".to_owned());
    }
    let mut sheet = String::from("(init (at n0_0))\n");
    for role in &roles {
        let _ = writeln!(sheet, "(role {role})");
    }
    sheet.push_str(
        "(<= (legal ?r ?m) (true (at ?x)) (can ?r ?x ?m))
         (<= terminal (true (at ?x)) (end ?x))
         (<= (goal ?r ?v) (true (at ?x)) (worth ?r ?x ?v))\n",
    );
    let all: Vec<String> = (0..roles.len()).map(|at| format!("?m{at}")).collect();
    let does: Vec<String> = (0..roles.len()).map(|at| format!("(does {} ?m{at})", roles[at])).collect();
    let _ = writeln!(
        sheet,
        "(<= (next (at ?y)) (true (at ?x)) {} (edge ?x {} ?y))",
        does.join(" "),
        all.join(" ")
    );
    for layer in 0..=shape.layers {
        let width = if layer == 0 { 1 } else { shape.width };
        for place in 0..width {
            let node = format!("n{layer}_{place}");
            let is_end = layer == shape.layers || (layer > 1 && random.u8(..8) == 0);
            if is_end {
                write_end(&mut sheet, &node, &roles, shape, &mut random);
            } else {
                write_position(&mut sheet, (&node, layer), &roles, shape, &mut random);
            }
        }
    }
    sheet
}

fn write_end(sheet: &mut String, node: &str, roles: &[String], shape: Shape, random: &mut fastrand::Rng) {
    let _ = writeln!(sheet, "(end {node})");
    let mut goal = || match shape.wins_only {
        true => 100 * u32::from(random.bool()),
        false => 10 * u32::from(random.u8(..=10)),
    };
    let first = goal();
    for (at, role) in roles.iter().enumerate() {
        let value = match at {
            0 => first,
            1 if shape.constant_sum => 100 - first,
            _ => goal(),
        };
        let _ = writeln!(sheet, "(worth {role} {node} {value})");
    }
}

fn write_position(
    sheet: &mut String,
    (node, layer): (&str, usize),
    roles: &[String],
    shape: Shape,
    random: &mut fastrand::Rng,
) {
    let mut counts = vec![1; roles.len()];
    let chooser = random.usize(..roles.len());
    for (role, count) in counts.iter_mut().enumerate() {
        if role == chooser || shape.simultaneous && random.u8(..3) == 0 {
            *count = random.usize(1..=shape.moves);
        }
    }
    for (role, &count) in roles.iter().zip(&counts) {
        for made in 0..count {
            let _ = writeln!(sheet, "(can {role} {node} m{made})");
        }
    }
    let total: usize = counts.iter().product();
    for number in 0..total {
        let mut rest = number;
        let mut joint = Vec::new();
        for &count in &counts {
            joint.push(format!("m{}", rest % count));
            rest /= count;
        }
        let next = format!("n{}_{}", layer + 1, random.usize(..shape.width));
        let _ = writeln!(sheet, "(edge {node} {} {next})", joint.join(" "));
    }
}
