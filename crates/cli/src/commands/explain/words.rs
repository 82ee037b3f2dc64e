//! What is understood of a game, in words and tables.

use ludex_game::RoleKind;
use ludex_knowledge::{FeatureReport, Kind, Role, Shape, Symmetry, Turns, Understanding};

use crate::output::count;

/// Rules for goals that are shown; sheets can have hundreds.
const GOALS: usize = 12;

/// Kinds of one board that are shown.
const KINDS: usize = 20;

/// Features that are shown.
const FEATURES: usize = 12;

/// Values of a chain that are shown.
const CHAIN: usize = 12;

/// The whole text.
pub(super) fn explain(
    title: &str,
    understood: &Understanding,
    features: &[FeatureReport],
    width: usize,
) -> String {
    let mut page = Page { text: String::new(), width };
    page.line(0, title);
    page.line(0, "");
    players(understood, &mut page);
    structures(understood, &mut page);
    orders(understood, &mut page);
    goals(understood, &mut page);
    sizes(understood, &mut page);
    feature_table(understood, features, &mut page);
    page.line(0, "");
    let (player, why) = advice(understood);
    page.line(0, &format!("Player: `{player}`, {why}"));
    page.text
}

struct Page {
    text: String,
    width: usize,
}

impl Page {
    /// A line, wrapped between words; what is wrapped is indented a little more.
    fn line(&mut self, indent: usize, text: &str) {
        let mut line = " ".repeat(indent);
        let mut empty = true;
        for word in text.split(' ') {
            if !empty && line.chars().count() + 1 + word.chars().count() > self.width {
                self.text.push_str(line.trim_end());
                self.text.push('\n');
                line = " ".repeat(indent + 4);
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, text: &str) {
        self.text.push('\n');
        self.line(0, text);
    }
}

fn players(understood: &Understanding, page: &mut Page) {
    let players: Vec<&str> =
        understood.roles.iter().filter(|r| RoleKind::of(r) == RoleKind::Player).map(String::as_str).collect();
    let chance = if players.len() < understood.roles.len() { ", and chance" } else { "" };
    page.line(0, &format!("{}: {}{chance}.", count(players.len(), "player"), players.join(", ")));
    let turns = match &understood.turns {
        Turns::Alone => String::new(),
        Turns::InTurn(order) => format!("They move in turn: {}.", order.join(", ")),
        Turns::OneAtATime => "One player moves at a time, not always in the same order.".to_owned(),
        Turns::AtOnce => "Several players choose at once.".to_owned(),
        Turns::NoChoice => "Nobody had a choice in random play.".to_owned(),
    };
    let control =
        understood.control.as_ref().map(|name| format!(" The fact `{name}` says whose turn it is."));
    let turns = turns + &control.unwrap_or_default();
    if !turns.is_empty() {
        page.line(0, &turns);
    }
    if let Some(sum) = understood.constant_sum {
        page.line(0, &format!("Goals add up to {sum}: what one wins, the other loses (proved)."));
    }
}

fn structures(understood: &Understanding, page: &mut Page) {
    page.heading("Structures");
    if !understood.has_structure() {
        page.line(2, "No boards, counters, quantities or orders were found.");
    }
    let width = understood.shapes.iter().map(|shape| shape.name.chars().count()).max().unwrap_or(0);
    for shape in &understood.shapes {
        let (what, says) = shape_words(shape);
        page.line(2, &format!("{:<width$}  {what:<12}  {says}", shape.name).replace("  ", "\u{a0}\u{a0}"));
        let kinds: Vec<&Kind> =
            understood.kinds.iter().filter(|kind| is_of(kind, shape, understood)).collect();
        for kind in kinds.iter().take(KINDS) {
            page.line(4, &format!("- {}", kind_words(kind)));
        }
        if kinds.len() > KINDS {
            page.line(4, &format!("- {} more", kinds.len() - KINDS));
        }
    }
    for symmetry in &understood.symmetries {
        let text = match symmetry {
            Symmetry::Reflected(axis) => {
                format!("Turning coordinate {} of the board round changes nothing (seen in play).", axis + 1)
            }
            Symmetry::Turned => "Turning the board by half changes nothing (seen in play).".to_owned(),
            Symmetry::Exchanged => {
                "Exchanging the coordinates of the board changes nothing (seen in play).".to_owned()
            }
        };
        page.line(2, &text);
    }
    page.text = page.text.replace('\u{a0}', " ");
}

fn is_of(kind: &Kind, shape: &Shape, understood: &Understanding) -> bool {
    understood.shapes.get(kind.shape).is_some_and(|found| std::ptr::eq(found, shape))
}

fn shape_words(shape: &Shape) -> (&'static str, String) {
    let places = |places: &[usize]| -> String {
        let texts: Vec<String> = places.iter().map(|place| (place + 1).to_string()).collect();
        format!("{} {}", if places.len() == 1 { "place" } else { "places" }, texts.join(", "))
    };
    let by = |place: usize| shape.order(place).map(|order| format!("`{}`", order.by));
    match shape.role {
        Role::Board => {
            let size: Vec<String> = shape.size.iter().map(ToString::to_string).collect();
            let orders: Vec<String> = shape.key.iter().filter_map(|&place| by(place)).collect();
            let mut says = match shape.key.len() {
                1 => format!("{} cells", size.join("")),
                _ => size.join("x"),
            };
            if !orders.is_empty() {
                says += &format!(", coordinates in the order of {}", orders.join(" and "));
            }
            if let Some(adjacency) = &shape.adjacency {
                says += &format!(", cells linked by `{adjacency}`");
            }
            ("board", says)
        }
        Role::StepCounter => {
            let order = shape.ordered.first();
            let (by, values) = order.map_or(("", 0), |order| (order.by.as_str(), order.count));
            let down = shape.changes.is_some_and(|changes| changes.falls);
            let way = if down { "down" } else { "up" };
            ("step counter", format!("counts {way} by one in every step, {values} values, by `{by}`"))
        }
        Role::Quantity => {
            let by = shape.content.first().and_then(|&place| by(place)).unwrap_or_default();
            let per = if shape.key.is_empty() {
                String::new()
            } else {
                format!(", one for each {}", places(&shape.key))
            };
            let way = match shape.changes {
                Some(changes) => match (changes.grows, changes.falls) {
                    (true, true) => "grows and falls",
                    (true, false) => "only grows",
                    (false, true) => "only falls",
                    (false, false) => "did not change in play",
                },
                None => "",
            };
            ("quantity", format!("{way}, by {by}{per}"))
        }
        Role::Variable => ("variable", format!("one at a time of {}", count(shape.facts, "fact"))),
        Role::Mapping => ("mapping", format!("{} gives {}", places(&shape.key), places(&shape.content))),
        Role::Flag => ("flag", "holds or not".to_owned()),
        Role::Set => ("set", format!("any of {}", count(shape.facts, "fact"))),
        Role::Constant => ("constant", "the same in all of random play".to_owned()),
    }
}

fn kind_words(kind: &Kind) -> String {
    let mut text = kind.content.clone();
    if kind.blank {
        text += ": empty cells";
    } else {
        let owner = kind.owner.as_ref().map(|owner| format!("{owner}'s ")).unwrap_or_default();
        let what = if kind.is_unique() { "piece" } else { "marker" };
        text += &format!(": {owner}{what}{}", if kind.moves { ", moves" } else { "" });
    }
    let range = if kind.least == kind.most {
        format!("{}", kind.most)
    } else {
        format!("{} to {}", kind.least, kind.most)
    };
    text + &format!(", {range} in play, {} at first", kind.initial)
}

fn orders(understood: &Understanding, page: &mut Page) {
    if understood.successions.is_empty() {
        return;
    }
    page.heading("Orders");
    for succession in &understood.successions {
        let what = if succession.is_order { "order" } else { "successor relation" };
        for chain in succession.chains.iter().take(4) {
            let shown = match chain.len() > CHAIN {
                true => format!("{} ... {}", chain[..CHAIN - 1].join(" "), chain[chain.len() - 1]),
                false => chain.join(" "),
            };
            page.line(2, &format!("`{}`, {what}: {shown}", succession.relation));
        }
        if succession.chains.len() > 4 {
            page.line(4, &format!("{} more", count(succession.chains.len() - 4, "chain")));
        }
    }
}

fn goals(understood: &Understanding, page: &mut Page) {
    page.heading("Goals");
    for goal in understood.goals.iter().take(GOALS) {
        let role = match goal.role.strip_prefix('?') {
            Some(_) => format!("each {}", goal.role),
            None => goal.role.clone(),
        };
        let when = if goal.when.is_empty() { "always".to_owned() } else { format!("if {}", goal.when) };
        page.line(2, &format!("{role} gets {} {when}", goal.value));
    }
    if understood.goals.len() > GOALS {
        page.line(2, &format!("{} more", count(understood.goals.len() - GOALS, "rule")));
    }
}

fn sizes(understood: &Understanding, page: &mut Page) {
    let sizes = &understood.estimates;
    page.heading(&format!("Sizes, from {}", count(sizes.games, "random game")));
    page.line(
        2,
        &format!("length      {:.1} steps, {} to {}", sizes.mean_length, sizes.shortest, sizes.longest)
            .replace("      ", "\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}"),
    );
    let rows = [
        ("choices", format!("{:.1} joint moves in a state with a choice", sizes.branching)),
        ("tree", format!("about 10^{:.0} ways to play", sizes.log10_tree)),
        (
            "states",
            match sizes.log10_states {
                Some(log) => format!("at most 10^{log:.1} ({} seen)", sizes.states_seen),
                None => format!("no bound: the rules were not grounded ({} seen)", sizes.states_seen),
            },
        ),
    ];
    for (label, text) in rows {
        page.line(2, &format!("{label:<10}  {text}").replace("  ", "\u{a0}\u{a0}"));
    }
    let goals = sizes.mean_goals.iter().zip(&understood.roles);
    let goals: Vec<String> = goals.map(|(goal, role)| format!("{role} {goal:.1}")).collect();
    page.line(2, &format!("goals       {}", goals.join(", ")).replace("       ", &"\u{a0}".repeat(7)));
    if sizes.cut_off > 0 {
        page.line(2, &format!("{} did not end", count(sizes.cut_off, "game")));
    }
    page.text = page.text.replace('\u{a0}', " ");
}

/// The stable features, the most stable first.
fn feature_table(understood: &Understanding, features: &[FeatureReport], page: &mut Page) {
    let kept: Vec<&FeatureReport> = features.iter().filter(|feature| feature.kept).collect();
    page.heading(&format!("Features: {} stable of {}", kept.len(), features.len()));
    for feature in kept.iter().take(FEATURES) {
        let roles = feature.correlation.iter().zip(&understood.roles);
        let roles: Vec<String> = roles.map(|(r, role)| format!("{role} {r:+.2}")).collect();
        let stability = if feature.stability > 9_999.0 {
            "constant".to_owned()
        } else {
            format!("{:.1}", feature.stability)
        };
        page.line(2, &format!("{}: stability {stability}, correlation {}", feature.name, roles.join(", ")));
    }
    if kept.len() > FEATURES {
        page.line(2, &format!("{} more", kept.len() - FEATURES));
    }
}

/// Which player suits the game, and why.
fn advice(understood: &Understanding) -> (&'static str, String) {
    let players = understood.roles.iter().filter(|role| RoleKind::of(role) == RoleKind::Player).count();
    let sizes = &understood.estimates;
    if sizes.solvable && (1..=2).contains(&players) && understood.turns != Turns::AtOnce {
        return ("alphabeta", "the game is small enough to be solved.".to_owned());
    }
    if players == 1 {
        return ("ludex", "a tree search that proves what it can.".to_owned());
    }
    match understood.constant_sum {
        Some(_) => ("ludex", "playouts with a solver: the game is too large to be solved.".to_owned()),
        None => {
            ("cadia-uct", "playouts: goals do not add up, so every player has a value of its own.".to_owned())
        }
    }
}
