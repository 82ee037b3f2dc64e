//! Histories on the command line: the moves played so far.
//!
//! A history is a sequence of steps. A step is the list of all roles' moves, `((mark 1 1) noop)`,
//! or a single move if the moves of all other roles are forced: `(mark 1 1)`.

use anyhow::{Context, Result, bail};
use ludex_game::{Game, MoveId, State, View};

/// The state after these steps, and the number of steps.
pub(crate) fn play(game: &dyn Game, history: &str) -> Result<(State, usize)> {
    let (state, joints) = follow(game, game.initial(), history)?;
    Ok((state, joints.len()))
}

/// The state after these steps from another state, and the joint moves.
pub(crate) fn follow(game: &dyn Game, mut state: State, history: &str) -> Result<(State, Vec<Vec<MoveId>>)> {
    let steps = terms(history).context("cannot read the history")?;
    let mut joints = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let view = game.view(&state)?;
        if view.terminal {
            bail!("the game is over before step {}, `{step}`", at + 1);
        }
        let joint = joint(game, &view, step).with_context(|| format!("step {}, `{step}`", at + 1))?;
        state = game.next(&state, &joint)?;
        joints.push(joint);
    }
    Ok((state, joints))
}

/// One move for each role.
pub(crate) fn joint(game: &dyn Game, view: &View, step: &str) -> Result<Vec<MoveId>> {
    if let Some(moves) = all_roles(game, view, step) {
        return Ok(moves);
    }
    let Some(alone) = game.find_move(step) else { bail!("there is no such move{}", legal(game, view)) };
    let choosing: Vec<usize> =
        (0..view.legal.len()).filter(|&role| view.legal[role].contains(&alone)).collect();
    let forced = |role: usize| match view.legal[role][..] {
        [only] => Some(only),
        _ => None,
    };
    // If several roles can make the move, the one with a choice is meant.
    let mover = match choosing[..] {
        [] => bail!("the move is not legal{}", legal(game, view)),
        [role] => role,
        _ => match choosing.iter().filter(|&&role| forced(role).is_none()).collect::<Vec<_>>()[..] {
            [] => choosing[0],
            [role] => *role,
            _ => bail!("several roles can make this move: give the moves of all roles, in parentheses"),
        },
    };
    let others = (0..view.legal.len()).map(|role| if role == mover { Some(alone) } else { forced(role) });
    others
        .collect::<Option<_>>()
        .context("others have a choice too: give the moves of all roles, in parentheses")
}

fn all_roles(game: &dyn Game, view: &View, step: &str) -> Option<Vec<MoveId>> {
    let inside = step.strip_prefix('(')?.strip_suffix(')')?;
    let moves = terms(inside).ok()?;
    if moves.len() != view.legal.len() {
        return None;
    }
    let legal = moves.iter().zip(&view.legal);
    legal.map(|(text, legal)| game.find_move(text).filter(|id| legal.contains(id))).collect()
}

/// The legal moves of the role that has most of them, for error messages.
fn legal(game: &dyn Game, view: &View) -> String {
    const SHOWN: usize = 12;
    let Some((role, moves)) = view.legal.iter().enumerate().max_by_key(|(_, moves)| moves.len()) else {
        return String::new();
    };
    let mut names: Vec<String> = moves.iter().map(|&id| game.move_name(id)).collect();
    names.sort();
    let more = names.len().saturating_sub(SHOWN);
    let end = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.truncate(SHOWN);
    format!("; legal moves of {} are {}{end}", game.roles()[role], names.join(", "))
}

/// The terms of a text, one after the other.
pub(crate) fn terms(text: &str) -> Result<Vec<&str>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0usize, None);
    for (at, c) in text.char_indices() {
        let blank = c.is_whitespace() || c == ',';
        if depth == 0 && (blank || c == '(') {
            found.extend(start.take().map(|start: usize| text[start..at].trim()));
        }
        if !blank && start.is_none() {
            start = Some(at);
        }
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1).context("one `)` too many")?;
                if depth == 0 {
                    found.extend(start.take().map(|start| &text[start..=at]));
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        bail!("a `)` is missing");
    }
    found.extend(start.map(|start| &text[start..]));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn terms_are_words_and_lists() {
        let read = |text| terms(text).unwrap();
        assert_eq!(read(" a (b c)(d (e)) f"), ["a", "(b c)", "(d (e))", "f"]);
        assert_eq!(read("(mark 1 1), noop"), ["(mark 1 1)", "noop"]);
        assert!(read("").is_empty());
        assert!(terms("(a").is_err() && terms("a)").is_err());
    }
}
