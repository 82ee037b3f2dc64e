//! What people wrote, as HTML: of Markdown as much as a few paragraphs need, and nothing that has a
//! meaning next to it.
//!
//! Paragraphs, headings, lists, fenced code; `code` and **strong** words inside. All else is shown
//! as it was written.

use super::html::escape;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Paragraph,
    List,
    Numbers,
}

impl Kind {
    fn tags(self) -> (&'static str, &'static str) {
        match self {
            Kind::Paragraph => ("<p>", "</p>\n"),
            Kind::List => ("<ul>\n<li>", "</li>\n</ul>\n"),
            Kind::Numbers => ("<ol>\n<li>", "</li>\n</ol>\n"),
        }
    }
}

/// What is being written: the items of a list, or one paragraph.
struct Open {
    kind: Kind,
    items: Vec<String>,
}

impl Open {
    fn close(self, html: &mut String) {
        let (begin, end) = self.kind.tags();
        let items: Vec<String> = self.items.iter().map(|item| inline(item)).collect();
        html.push_str(begin);
        html.push_str(&items.join("</li>\n<li>"));
        html.push_str(end);
    }
}

/// Markdown to HTML.
pub(super) fn render(markdown: &str) -> String {
    let mut html = String::new();
    let mut open: Option<Open> = None;
    let close = |open: &mut Option<Open>, html: &mut String| {
        if let Some(block) = open.take() {
            block.close(html);
        }
    };
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let text = line.trim();
        if text.is_empty() {
            close(&mut open, &mut html);
        } else if text.starts_with("```") {
            close(&mut open, &mut html);
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().starts_with("```")).collect();
            html.push_str(&format!("<pre>{}</pre>\n", escape(&code.join("\n"))));
        } else if let Some(title) = heading(text) {
            close(&mut open, &mut html);
            // The page has its own title.
            html.push_str(&format!("<h2>{}</h2>\n", inline(title)));
        } else if let Some((kind, item)) = item(text) {
            match &mut open {
                Some(list) if list.kind == kind => list.items.push(item.to_owned()),
                _ => {
                    close(&mut open, &mut html);
                    open = Some(Open { kind, items: vec![item.to_owned()] });
                }
            }
        } else {
            // A line of its own belongs to what is before it.
            let block =
                open.get_or_insert_with(|| Open { kind: Kind::Paragraph, items: vec![String::new()] });
            if let Some(last) = block.items.last_mut() {
                if !last.is_empty() {
                    last.push('\n');
                }
                last.push_str(text);
            }
        }
    }
    close(&mut open, &mut html);
    html
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len()).then(|| title.strip_prefix(' ')).flatten()
}

/// The kind of list and the text of an item.
fn item(line: &str) -> Option<(Kind, &str)> {
    if let Some(text) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some((Kind::List, text));
    }
    let (number, text) = line.split_once(". ")?;
    let is_number =
        !number.is_empty() && number.len() < 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((Kind::Numbers, text))
}

/// Code and strong words.
fn inline(text: &str) -> String {
    let mut html = String::new();
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // The last backtick of an odd number opens nothing.
        if is_code && parts.peek().is_some() {
            html.push_str(&format!("<code>{}</code>", escape(part)));
        } else if is_code {
            html.push('`');
            html.push_str(&strong(part));
        } else {
            html.push_str(&strong(part));
        }
        is_code = !is_code;
    }
    html
}

fn strong(text: &str) -> String {
    let mut html = String::new();
    let mut parts = text.split("**").peekable();
    let mut is_strong = false;
    while let Some(part) = parts.next() {
        if is_strong && parts.peek().is_some() {
            html.push_str(&format!("<strong>{}</strong>", escape(part)));
        } else if is_strong {
            html.push_str(&format!("**{}", escape(part)));
        } else {
            html.push_str(&escape(part));
        }
        is_strong = !is_strong;
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_and_code() {
        let text =
            "# Title\nOne `a < b`\nline.\n\nTwo **words**:\n- x\n- y\n  and more\n1. z\n\n```\na | b\n```\n";
        assert_eq!(
            render(text),
            "<h2>Title</h2>\n<p>One <code>a &lt; b</code>\nline.</p>\n<p>Two <strong>words</strong>:</p>\n\
             <ul>\n<li>x</li>\n<li>y\nand more</li>\n</ul>\n<ol>\n<li>z</li>\n</ol>\n<pre>a | b</pre>\n"
        );
    }

    #[test]
    fn what_is_not_closed_is_shown_as_written() {
        assert_eq!(render("a ` b"), "<p>a ` b</p>\n");
        assert_eq!(render("2 ** 3"), "<p>2 ** 3</p>\n");
        assert_eq!(render("#no heading"), "<p>#no heading</p>\n");
        assert_eq!(render("5.5 s <b>"), "<p>5.5 s &lt;b&gt;</p>\n");
        assert_eq!(render(""), "");
    }
}
