//! A report as one page that needs nothing else: no scripts, no fonts, no network.

use super::page::{Block, Entry, Page, Table};
use super::reading;

const STYLE: &str = "
:root { color-scheme: light dark; --text: #222; --back: #fff; --line: #ddd; --quiet: #666; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --back: #16181c; --line: #3a3d44; --quiet: #999; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
.published { display: block; font-style: italic; color: var(--quiet); }
figure { margin: 2rem 0; } figure svg { max-width: 100%; height: auto; }
";

pub(super) fn render(page: &Page) -> String {
    let title = escape(&page.title);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for block in &page.blocks {
        match block {
            Block::Heading(title) => text.push_str(&format!("<h2>{}</h2>\n", escape(title))),
            Block::Text(line) => text.push_str(&format!("<p>{}</p>\n", escape(line))),
            Block::Reading(markdown) => text.push_str(&reading::render(markdown)),
            Block::Facts(facts) => {
                text.push_str("<dl>\n");
                for (name, value) in facts {
                    text.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
                }
                text.push_str("</dl>\n");
            }
            Block::Table(table) => text.push_str(&table_text(table)),
            // Drawn by us, with everything in it escaped.
            Block::Plot(plot) => text.push_str(&format!("<figure>\n{}</figure>\n", plot.svg)),
        }
    }
    text.push_str("</body>\n</html>\n");
    text
}

fn table_text(table: &Table) -> String {
    let head: String = table.head.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
    let mut text = format!("<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let row: String = row.iter().map(entry_text).collect();
        text.push_str(&format!("<tr>{row}</tr>\n"));
    }
    text.push_str("</tbody>\n</table></div>\n");
    text
}

fn entry_text(entry: &Entry) -> String {
    let beside =
        entry.beside.as_ref().map(|beside| format!("<span class=\"published\">{}</span>", escape(beside)));
    format!("<td>{}{}</td>", escape(&entry.text), beside.unwrap_or_default())
}

pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}
