//! Diagnostics as text, the way rustc shows them: the line, a caret, a word of help.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::Source;

/// Whether the text has colours for a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Plain text.
    Plain,
    /// With ANSI colours.
    Coloured,
}

/// Lines between two labels above which each gets a snippet of its own.
const MAX_GAP: usize = 40;
/// Longer lines are cut around the label: some sheets are one line of 30,000 characters.
const MAX_LINE: usize = 400;

/// The text of one diagnostic, without a line end behind it.
pub fn render(source: &Source, diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Hint => Level::NOTE.with_name("hint"),
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.as_str());
    let mut windows = windows(source, diagnostic);
    for window in &mut windows {
        window.cut(source);
    }
    let snippets = windows.iter().map(|window| {
        Snippet::source(window.text.as_str())
            .path(source.name())
            .line_start(window.first_line + 1)
            .annotations(window.annotations())
    });
    let mut group = Group::with_title(title).elements(snippets);
    if windows.is_empty() {
        group = group.element(annotate_snippets::Origin::path(source.name()));
    }
    if !diagnostic.help.is_empty() {
        group = group.element(Level::HELP.message(diagnostic.help.as_str()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    renderer.render(&[group])
}

/// A few neighbouring lines and the labels in them.
struct Window<'a> {
    first_line: usize,
    last_line: usize,
    labels: Vec<(AnnotationKind, &'a Label)>,
    text: String,
    /// Offset in the source of the first byte of the text.
    offset: usize,
}

/// Groups the labels of a diagnostic; the window with the primary label comes first.
fn windows<'a>(source: &Source, diagnostic: &'a Diagnostic) -> Vec<Window<'a>> {
    let primary = diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label));
    let secondary = diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, label));
    let mut windows: Vec<Window<'_>> = Vec::new();
    for (kind, label) in primary.chain(secondary) {
        let first = source.line_index(label.span.start);
        let last = source.line_index(label.span.end.saturating_sub(1).max(label.span.start));
        let near = |w: &&mut Window<'_>| first <= w.last_line + MAX_GAP && w.first_line <= last + MAX_GAP;
        match windows.iter_mut().find(near) {
            Some(window) => {
                window.first_line = window.first_line.min(first);
                window.last_line = window.last_line.max(last);
                window.labels.push((kind, label));
            }
            None => windows.push(Window {
                first_line: first,
                last_line: last,
                labels: vec![(kind, label)],
                text: String::new(),
                offset: 0,
            }),
        }
    }
    windows
}

impl<'a> Window<'a> {
    /// Takes the text of the lines. Bytes that are no characters become `?`, and every line end
    /// becomes `\n`, so that offsets stay what they are.
    fn cut(&mut self, source: &Source) {
        let start = source.line_span(self.first_line).start as usize;
        let end = source.line_span(self.last_line).end as usize;
        let (mut from, mut to) = (start, end);
        if end - start > MAX_LINE && self.first_line == self.last_line {
            let labels = self.labels.iter().map(|(_, label)| label.span);
            let first = labels.clone().map(|s| s.start as usize).min().unwrap_or(start);
            let last = labels.map(|s| s.end as usize).max().unwrap_or(end);
            from = first.saturating_sub(MAX_LINE / 4).max(start);
            to = (last + MAX_LINE / 4).min(end).min(from + 4 * MAX_LINE);
            // Do not cut a character in two.
            let is_inside = |at: usize| source.bytes().get(at).is_some_and(|b| b & 0xC0 == 0x80);
            while from > start && is_inside(from) {
                from -= 1;
            }
            while to < end && is_inside(to) {
                to += 1;
            }
        }
        self.offset = from;
        let bytes = &source.bytes()[from..to];
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
        let text: Vec<u8> = text
            .bytes()
            .enumerate()
            .map(|(i, byte)| match byte {
                b'\r' if bytes.get(i + 1) != Some(&b'\n') => b'\n',
                b'\r' | b'\t' | b'\n' => byte,
                0..=0x1F | 0x7F => b'?',
                byte => byte,
            })
            .collect();
        self.text = String::from_utf8(text).unwrap_or_default();
    }

    fn annotations(&self) -> Vec<Annotation<'a>> {
        let annotation = |&(kind, label): &(AnnotationKind, &'a Label)| {
            let at = |offset: u32| (offset as usize).saturating_sub(self.offset).min(self.text.len());
            // Offsets are at characters of the source; where the text was cut, move to one.
            let (mut start, mut end) = (at(label.span.start), at(label.span.end));
            while !self.text.is_char_boundary(start) {
                start -= 1;
            }
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            let annotation = kind.span(start..end);
            match label.text.is_empty() {
                true => annotation,
                false => annotation.label(label.text.as_str()),
            }
        };
        self.labels.iter().map(annotation).collect()
    }
}
