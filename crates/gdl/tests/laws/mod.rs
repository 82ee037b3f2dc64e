//! What must hold for any bytes. Shared by the property tests and the fuzz target.

use ludex_gdl::{NodeKind, Report, Source, Span, Style, Tree, format, load, parse, rename, render, scramble};

/// Checks every law on one input; panics with the law that is broken.
pub(crate) fn hold(bytes: &[u8]) {
    let source = Source::new("input", bytes);
    let (tree, parse_report) = parse(&source);
    spans_are_in_order(&source, &tree);
    let printed = tree.to_string();
    printing_reads_back(&tree, &printed);
    let loaded = load(&source);
    diagnostics_can_be_shown(&source, &loaded.report);
    match format(&source) {
        Err(_) => assert!(parse_report.has_errors(), "formatting refuses what can be read"),
        Ok(formatted) => formatting_keeps_everything(&source, &tree, &formatted),
    }
    scrambling_can_be_undone(&tree);
    for rule in &loaded.rules.rules {
        assert!(!loaded.rules.display(rule).to_string().is_empty());
    }
}

fn spans_are_in_order(source: &Source, tree: &Tree) {
    let mut end = 0;
    for root in tree.roots() {
        let span = tree.span(root);
        assert!(span.start >= end && span.end > span.start, "clauses overlap");
        end = span.end;
        for node in tree.subtree(root) {
            let inner = tree.span(node);
            assert!(span.start <= inner.start && inner.end <= span.end, "a node lies outside its clause");
            if let NodeKind::Word(name) | NodeKind::Variable(name) = tree.kind(node) {
                assert_eq!(source.text(inner), tree.names.spelling(name), "a span is not its word");
            }
        }
    }
    assert!(end as usize <= source.bytes().len());
}

fn printing_reads_back(tree: &Tree, printed: &str) {
    let (again, report) = parse(&Source::new("printed", printed));
    assert!(!report.has_errors(), "what was printed cannot be read: {printed}");
    assert!(same_words(tree, &again), "printing changed the tree: {printed}");
    assert_eq!(again.to_string(), printed, "printing twice differs");
}

fn diagnostics_can_be_shown(source: &Source, report: &Report) {
    for (at, diagnostic) in report.diagnostics().iter().enumerate() {
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let Span { start, end } = label.span;
            assert!(start <= end && end as usize <= source.bytes().len(), "a label lies outside the sheet");
        }
        assert!(!diagnostic.message.is_empty() && !diagnostic.help.is_empty());
        // Rendering takes longer than all the rest: the first and the last will do.
        if at > 0 && at + 1 < report.diagnostics().len() {
            continue;
        }
        let text = render(source, diagnostic, Style::Plain);
        assert!(text.contains(diagnostic.code.as_str()));
    }
}

fn formatting_keeps_everything(source: &Source, tree: &Tree, formatted: &[u8]) {
    let again = Source::new("formatted", formatted);
    let (formatted_tree, report) = parse(&again);
    assert!(!report.has_errors(), "the formatted sheet cannot be read");
    assert!(same_words(tree, &formatted_tree), "formatting changed the rules");
    let comments = |source: &Source, tree: &Tree| -> Vec<Vec<u8>> {
        let texts = tree.comments.iter().map(|c| source.bytes()[c.span.range()].trim_ascii_end().to_vec());
        texts.collect()
    };
    assert_eq!(comments(source, tree), comments(&again, &formatted_tree), "formatting changed the comments");
    assert_eq!(format(&again).expect("readable"), formatted, "formatting twice is not formatting once");
}

fn scrambling_can_be_undone(tree: &Tree) {
    let scrambled = scramble(tree, 1);
    let (hidden, report) = parse(&Source::new("scrambled", scrambled.text));
    assert!(!report.has_errors(), "a scrambled sheet cannot be read");
    let (back, _) = parse(&Source::new("back", rename(&hidden, &scrambled.map)));
    // Letter case is lost: all spellings of a word become one.
    assert_eq!(
        back.to_string().to_lowercase(),
        tree.to_string().to_lowercase(),
        "scrambling cannot be undone"
    );
}

/// Whether two trees have the same words in the same lists.
fn same_words(a: &Tree, b: &Tree) -> bool {
    let words = |tree: &Tree| -> Vec<(Option<String>, usize)> {
        let nodes = tree.roots().flat_map(|root| tree.subtree(root));
        nodes
            .map(|node| match tree.kind(node) {
                NodeKind::List => (None, tree.size(node)),
                NodeKind::Word(name) | NodeKind::Variable(name) => {
                    (Some(tree.names.spelling(name).to_owned()), 1)
                }
            })
            .collect()
    };
    words(a) == words(b)
}
