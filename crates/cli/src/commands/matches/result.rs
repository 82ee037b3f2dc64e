//! How a match ended, in a sentence or two.

use ludex_arena::{End, MatchRecord, PlayerFault};

use crate::output::count;

/// Who won, how long it took, what went wrong.
pub(crate) fn result(record: &MatchRecord) -> String {
    let roles = record.role_names();
    let players = &record.player_names_from_host;
    let moves = count(record.steps(), "move");
    let took = format!("{moves} in {:.1} s", record.seconds());
    let mut text = match record.ludex.as_ref().map(|details| &details.end) {
        Some(End::Fault(reason)) => format!("The match could not continue: {reason}. {took}\n"),
        Some(End::Resigned(role)) => format!("{role} resigns. {took}\n"),
        Some(End::StepLimit) => format!("Stopped at the step limit. {took}\n"),
        _ if !record.is_completed => format!("Aborted. {took}\n"),
        _ => format!("{} {took}\n", winner(&roles, players, &record.goal_values)),
    };
    for (role, name) in roles.iter().enumerate() {
        let of_role: Vec<(usize, PlayerFault)> = record
            .faults()
            .filter(|&(_, whose, _)| whose == role)
            .map(|(state, _, fault)| (state, fault))
            .collect();
        if !of_role.is_empty() {
            text += &format!("{name}: {}\n", faults(&of_role));
        }
    }
    text
}

/// Who got the most.
fn winner(roles: &[String], players: &[String], goals: &[u8]) -> String {
    let who = |at: usize| match players.get(at) {
        Some(player) => format!("{} ({player})", roles[at]),
        None => roles[at].clone(),
    };
    let all: Vec<String> = roles.iter().zip(goals).map(|(role, goal)| format!("{role} {goal}")).collect();
    let most = goals.iter().max().copied().unwrap_or_default();
    let best: Vec<usize> = (0..goals.len().min(roles.len())).filter(|&at| goals[at] == most).collect();
    match best[..] {
        _ if roles.len() == 1 => format!("{} gets {most}.", who(0)),
        [only] => format!("{} wins: {}.", who(only), all.join(", ")),
        _ if best.len() == roles.len() => format!("A draw: {}.", all.join(", ")),
        _ => {
            let names: Vec<String> = best.iter().map(|&at| who(at)).collect();
            format!("{} win: {}.", names.join(" and "), all.join(", "))
        }
    }
}

/// What went wrong with a player, by kind.
fn faults(faults: &[(usize, PlayerFault)]) -> String {
    let number = |kind: fn(&PlayerFault) -> bool| faults.iter().filter(|(_, fault)| kind(fault)).count();
    let late = number(|fault| matches!(fault, PlayerFault::TimeOut));
    let illegal = number(|fault| matches!(fault, PlayerFault::Illegal(_)));
    let broken = number(|fault| matches!(fault, PlayerFault::Connection(_)));
    let mut parts = Vec::new();
    for (number, noun) in [(late, "late answer"), (illegal, "illegal answer"), (broken, "connection error")] {
        if number > 0 {
            parts.push(count(number, noun));
        }
    }
    let first = faults.first().map_or_else(String::new, |(step, fault)| {
        let what = match fault {
            PlayerFault::TimeOut => "no answer in time".to_owned(),
            PlayerFault::Illegal(answer) => format!("answered {answer}"),
            PlayerFault::Connection(reason) => reason.clone(),
        };
        let place = if *step == 0 { "at the start".to_owned() } else { format!("in step {step}") };
        format!("; the first, {place}: {what}")
    });
    parts.join(", ") + &first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_the_first() {
        let all = [(2, PlayerFault::TimeOut), (3, PlayerFault::Illegal("(drop 9)".to_owned()))];
        assert_eq!(faults(&all), "1 late answer, 1 illegal answer; the first, in step 2: no answer in time");
        assert_eq!(faults(&all[1..]), "1 illegal answer; the first, in step 3: answered (drop 9)");
    }
}
