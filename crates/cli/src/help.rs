//! Help texts fit any terminal: paragraphs below the options are written with line ends in the
//! source, which go away here, so that clap alone wraps them.

use clap::Command;

/// The command with the paragraphs of its help, and of all its subcommands', on one line each.
pub(crate) fn reflowed(command: Command) -> Command {
    let text = command.get_after_help().map(ToString::to_string);
    let command = match text {
        Some(text) => command.after_help(paragraphs(&text)),
        None => command,
    };
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, reflowed))
}

/// Joins lines of prose. Headings (`Examples:`), indented lines and `Exit codes:` begin anew.
fn paragraphs(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut in_prose = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        match lines.last_mut() {
            Some(last) if is_prose && in_prose && !line.starts_with("Exit codes:") => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
        in_prose = is_prose && !line.ends_with(':');
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    #[test]
    fn prose_is_joined_and_nothing_else() {
        let text =
            "Examples:\n  ludex a\n  ludex b\n\nA sentence that\ngoes on.\nExit codes: 0 good,\n1 bad.";
        let joined =
            "Examples:\n  ludex a\n  ludex b\n\nA sentence that goes on.\nExit codes: 0 good, 1 bad.";
        assert_eq!(paragraphs(text), joined);
        assert_eq!(
            paragraphs("Columns:\n  a  one\n     more\nEnd\nof it"),
            "Columns:\n  a  one\n     more\nEnd of it"
        );
    }
}
