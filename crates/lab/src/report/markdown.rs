//! A report as Markdown, as code forges show it.

use super::page::{Block, Entry, Page, Table};

pub(super) fn render(page: &Page) -> String {
    let mut text = format!("# {}\n", escape(&page.title));
    for block in &page.blocks {
        text.push('\n');
        match block {
            Block::Heading(title) => text.push_str(&format!("## {}\n", escape(title))),
            Block::Text(line) => text.push_str(&format!("{}\n", escape(line))),
            Block::Reading(reading) => text.push_str(&format!("{}\n", reading.trim_end())),
            Block::Facts(facts) => {
                for (name, value) in facts {
                    let value = if *name == "command" { code(value) } else { escape(value) };
                    text.push_str(&format!("- {name}: {value}\n"));
                }
            }
            Block::Table(table) => text.push_str(&table_text(table)),
            Block::Plot(plot) => text.push_str(&format!("![{}]({}.svg)\n", escape(&plot.title), plot.name)),
        }
    }
    text
}

fn table_text(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.head.iter().map(|name| escape(name)).collect());
    text.push_str(&format!("|{}\n", "---|".repeat(table.head.len())));
    for row in &table.rows {
        text.push_str(&line(row.iter().map(entry_text).collect()));
    }
    text
}

fn entry_text(entry: &Entry) -> String {
    let text = escape(&entry.text);
    match &entry.beside {
        Some(beside) => format!("{text} *{}*", escape(beside)),
        None => text,
    }
}

/// Takes the meaning from everything that has one. An underscore inside a word has none.
fn escape(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let is_word = |place: Option<usize>| {
        place.and_then(|place| characters.get(place)).is_some_and(|character| character.is_alphanumeric())
    };
    let mut escaped = String::with_capacity(text.len());
    for (place, &character) in characters.iter().enumerate() {
        match character {
            '\n' | '\r' => escaped.push(' '),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '_' if is_word(place.checked_sub(1)) && is_word(Some(place + 1)) => escaped.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Between as many backticks as are needed.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_keeps_a_meaning() {
        assert_eq!(escape("CP_NST ε=0.1"), "CP_NST ε=0.1");
        assert_eq!(escape("_a_ |b| <i>"), "\\_a\\_ \\|b\\| &lt;i&gt;");
        assert_eq!(escape("two\nlines"), "two lines");
        assert_eq!(code("a `b`"), "`` a `b` ``");
        assert_eq!(code("ludex lab"), "`ludex lab`");
    }
}
