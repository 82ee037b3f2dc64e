//! Every diagnostic, as a person sees it: the wording is reviewed in the snapshots.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use ludex_gdl::{
    Code, MAX_DEPTH, MAX_SOURCE_BYTES, Report, Severity, Source, Style, check, check_with, render,
};

/// A small game without faults; samples add one.
const GAME: &str = "\
(role red)
(role blue)
(init (pile 3))
(init (control red))
(less 3 2)
(less 2 1)
(less 1 0)
(<= (legal ?p take) (true (control ?p)))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (pile ?m)) (true (pile ?n)) (less ?n ?m))
(<= (next (control ?q)) (true (control ?p)) (role ?q) (distinct ?p ?q))
(<= terminal (true (pile 0)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
(<= (goal ?p 0) (true (control ?p)))
";

/// The game with a clause added at its end.
fn with(clause: &str) -> Vec<u8> {
    format!("{GAME}{clause}\n").into_bytes()
}

/// The game without the lines that start so.
fn without(starts: &[&str]) -> Vec<u8> {
    let lines = GAME.lines().filter(|line| !starts.iter().any(|s| line.starts_with(s)));
    lines.flat_map(|line| [line, "\n"]).collect::<String>().into_bytes()
}

/// The game with one piece of text replaced by another.
fn replaced(old: &str, new: &str) -> Vec<u8> {
    assert!(GAME.contains(old), "{old} is not in the game");
    GAME.replace(old, new).into_bytes()
}

fn sample(code: Code) -> Vec<u8> {
    match code {
        Code::Unclosed => replaced(
            "(role ?p) (not (true (control ?p))))\n(<= (next (pile",
            "(role ?p) (not (true (control ?p)))\n(<= (next (pile",
        ),
        Code::StrayClose => with(")"),
        Code::EmptyList => with("(<= (idle ?p) (role ?p) ())"),
        Code::ListInFront => with("((role green))"),
        Code::NotUtf8 => [GAME.as_bytes(), b"(role gr\xFCn)\n"].concat(),
        Code::ControlCharacter => [GAME.as_bytes(), b"\x00(less 0 9)\n"].concat(),
        Code::TooDeep => with(&format!("(init {}x{})", "(f ".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH))),
        Code::TooLarge => vec![b' '; MAX_SOURCE_BYTES + 1],
        Code::QuotedString => with("(init (title \"pile\"))"),
        Code::StrayWord => with("role(green)."),
        Code::ByteOrderMark => [b"\xEF\xBB\xBF", GAME.as_bytes()].concat(),
        Code::CommentNotUtf8 => [GAME.as_bytes(), b"; f\xFCr zwei\n"].concat(),
        Code::UnusualCharacter => with("(less 0 no!)"),
        Code::TooMany => with("(nine)(ten)(eleven)(twelve)"),
        Code::NoHead => with("(<=)"),
        Code::BadHead => with("(<= (or (idle ?p) (busy ?p)) (role ?p))"),
        Code::VariableInFront => with("(<= (idle ?p) (role ?p) (?relation ?p))"),
        Code::BadCondition => with("(<= (idle ?p) (role ?p) ?fact)"),
        Code::ConnectiveArity => with("(<= (idle ?p) (role ?p) (distinct ?p red blue))"),
        Code::BadNegation => with("(<= (idle ?p) (role ?p) (not (or (true (pile 1)) (true (pile 2)))))"),
        Code::BadArrow => with("(=> (true (pile 0)) terminal)"),
        Code::NestedRule => with("(<= (idle ?p) (role ?p) (<= (busy ?p) (role ?p)))"),
        Code::EmptyBody => with("(<= (less 0 nothing))"),
        Code::NeedlessParentheses => replaced("<= terminal ", "<= (terminal) "),
        Code::EmptyOr => with("(<= terminal (or))"),
        Code::AndUsed => with("(<= terminal (and (true (pile 1)) (true (control red))))"),
        Code::NotDistinct => with("(<= terminal (true (pile ?n)) (not (distinct ?n 1)))"),
        Code::KeywordArity => with("(terminal (true (pile 1)))"),
        Code::HeadKeywordInBody => with("(<= terminal (next (pile 0)))"),
        Code::BodyKeywordInHead => with("(<= (true (pile 9)) (role red))"),
        Code::DependsOnDoes => with("(<= (busy ?p) (does ?p take))\n(<= terminal (busy red))"),
        Code::InitDepends => with("(<= (init (ready ?p)) (legal ?p take))"),
        Code::BadRole => with("(<= (role ?p) (less ?p 0))"),
        Code::KeywordAsName => with("(init (pile terminal))"),
        Code::UnsafeHead => with("(<= (legal ?p (take ?n)) (true (control ?p)))"),
        Code::UnsafeNegation => with("(<= terminal (role red) (not (true (pile ?n))))"),
        Code::UnsafeDistinct => with("(<= terminal (true (pile ?n)) (distinct ?n ?m))"),
        Code::VariableInFact => with("(less ?anything 9)"),
        Code::Unstratified => with(
            "(<= (odd ?n) (less ?m ?n) (not (even ?n)))\n(<= (even ?n) (less ?m ?n) (not (odd ?n)))\n(<= terminal (odd 0))",
        ),
        Code::Recursion => with("(number 0)\n(<= (number (after ?n)) (number ?n))\n(<= terminal (number 7))"),
        Code::BoundByCaller => with(
            "(<= (other ?a ?b) (distinct ?a ?b))\n(<= terminal (true (pile ?n)) (true (control ?p)) (other ?n ?p))",
        ),
        Code::NegationForNoValue => with("(<= terminal (true (pile ?n)) (not (less ?n ?m)))"),
        Code::StratifiedByValue => with("(<= (goal ?p 50) (role ?p) (not (goal ?p 100)))"),
        Code::NoRole => without(&["(role"]),
        Code::NoTerminal => without(&["(<= terminal"]),
        Code::NoLegal => without(&["(<= (legal"]),
        Code::NoGoal => without(&["(<= (goal"]),
        Code::GoalValue => replaced("(goal ?p 100)", "(goal ?p 1000)"),
        Code::NoNext => without(&["(<= (next"]),
        Code::NoInit => without(&["(init"]),
        Code::RoleWithoutGoal => replaced(
            "(<= (goal ?p 100) (role ?p) (not (true (control ?p))))\n(<= (goal ?p 0) (true (control ?p)))",
            "(<= (goal red 100) (true (control blue)))",
        ),
        Code::RoleWithoutLegal => replaced(
            "(<= (legal ?p take) (true (control ?p)))\n(<= (legal ?p wait) (role ?p) (not (true (control ?p))))",
            "(<= (legal red take) (true (control red)))",
        ),
        Code::NoFirstMove => without(&["(<= (legal ?p wait"]),
        Code::NotARole => with("(<= (goal bleu 50) (true (pile 1)))"),
        Code::TwoGoals => with("(<= (goal ?p 10) (true (control ?p)))"),
        Code::DuplicateRole => with("(role red)"),
        Code::AlwaysTerminal => with("terminal"),
        Code::NeverEnds => replaced("(true (pile 0))", "(true (pile none))"),
        Code::TwoArities => with("(less 4 3 2)"),
        Code::ConstantAndFunction => with("(init (pile control))"),
        Code::RelationAndFunction => with("(init (less 4 3))"),
        Code::LetterCase => with("(init (Pile 4))"),
        Code::Undefined => with("(<= terminal (lses 1 0))"),
        Code::Unused => with("(<= (idle ?p) (role ?p) (not (true (control ?p))))"),
        Code::DuplicateClause => with("(<= (goal ?x 0) (true (control ?x)))"),
        Code::NeverFires => with("(<= terminal (true (piel 0)))"),
        Code::MistypedVariable => with(
            "(<= (next (last ?player)) (true (control ?player)) (does ?plaeyr take))\n(<= terminal (true (last red)))",
        ),
        Code::MistypedName => replaced(
            "(<= (legal ?p wait) (role ?p) (not (true (control ?p))))",
            "(<= (legal ?p wait) (role ?p) (not (true (control ?p))) (distinct ?p bleu))",
        ),
        Code::UnreadFact => with("(init (round 1))\n(<= (next (round ?n)) (true (round ?n)))"),
        Code::AlwaysHolds => with("(<= (goal blue 50) (true (pile 1)) (not (true (controll red))))"),
        Code::SingletonVariable => {
            with("(<= (next (moved ?p)) (does ?p ?move))\n(<= terminal (true (moved red)))")
        }
    }
}

#[test]
fn every_code_has_a_sample_and_its_wording_is_reviewed() {
    for &code in Code::ALL {
        let source = Source::new("game.kif", sample(code));
        let report = match code {
            Code::TooMany => check_with(&source, Report::with_cap(3)),
            _ => check(&source),
        };
        let found: Vec<_> = report.diagnostics().iter().filter(|d| d.code == code).collect();
        assert!(!found.is_empty(), "the sample of {} gives {:?}", code.as_str(), report.diagnostics());
        let text: Vec<_> = found.iter().map(|d| render(&source, d, Style::Plain)).collect();
        insta::assert_snapshot!(code.as_str(), text.join("\n\n"));
    }
}

#[test]
fn samples_of_warnings_and_hints_have_no_errors() {
    for code in Code::ALL.iter().filter(|c| c.severity() != Severity::Error) {
        let report = check(&Source::new("game.kif", sample(*code)));
        let errors: Vec<_> =
            report.diagnostics().iter().filter(|d| d.severity() == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", code.as_str());
    }
}

#[test]
fn the_game_itself_has_no_faults() {
    let report = check(&Source::new("game.kif", GAME));
    let found: Vec<_> = report.diagnostics().iter().filter(|d| d.severity() != Severity::Hint).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn one_broken_clause_does_not_hide_the_next() {
    let text = format!("(role red\n{GAME}(<= (idle ?p) ())\n(init\n(less 9 8))\n)(<= (x ?y) (role red))");
    let report = check(&Source::new("game.kif", text));
    let codes: Vec<_> = report.diagnostics().iter().map(|d| d.code).collect();
    for code in [Code::Unclosed, Code::EmptyList, Code::UnsafeHead] {
        assert!(codes.contains(&code), "{code:?} missing in {codes:?}");
    }
}

/// What `check` says of the lines that start so, as codes.
fn codes_at(text: &str, start: &str) -> Vec<&'static str> {
    let source = Source::new("game.kif", text.as_bytes().to_vec());
    let line = text.lines().position(|l| l.starts_with(start)).expect("the line is in the sheet") + 1;
    let report = check(&source);
    let here = |l: &ludex_gdl::Label| source.position(l.span.start).line == line;
    report
        .diagnostics()
        .iter()
        .filter(|d| d.primary.as_ref().is_some_and(here))
        .map(|d| d.code.as_str())
        .collect()
}

#[test]
fn a_finding_does_not_hide_what_another_clause_does_wrong() {
    // Each of these has a finding of its own.
    let slips = [
        "(<= (goal ?p 100) (role ?p) (distinct ?p nobody))",
        "(<= (goal ?p 100) (distinct ?p nobody))",
        "(<= (other ?a ?b) (distinct ?a ?b))\n(<= terminal (true (pile ?n)) (true (control ?p)) (other ?n ?p))",
        "(less ?anything 9)",
        "(<= (idle ?x) (busy ?x) ())",
        "(<= (legal ?p (take ?n)) (true (control ?p)))",
        "stray",
        "(<= (less ?a ?b) (lses ?b ?a))",
        "(<= (next (stone ?n)) (true (stone ?n)) (next ?n))",
    ];
    // And these are about something else.
    let others = [
        ("(<= terminal (true (controll red)))", "W608"),
        ("(<= terminal (true (control rde)))", "W608"),
        ("(<= terminal (true (pile ?n)) (distinct ?n ?n))", "W608"),
        ("(<= terminal (true (pile 1)) (not (true (pile 1))))", "W608"),
        ("(<= terminal (undefined here))", "W605"),
        ("(init (round 1))", "W612"),
        ("(<= terminal (true (pile ?n)) (distinct ?n bleu))", "W610"),
        ("(<= (goal rde 50) (true (pile 1)))", "W516"),
        ("(<= terminal (true (pile 1)) (not (true (controll red))))", "W613"),
        ("(<= terminal (or (true (pile 1)) (true (controll red))))", "W608"),
    ];
    for (other, code) in others {
        assert!(codes_at(&format!("{GAME}{other}\n"), other).contains(&code), "{other} alone");
        for slip in slips {
            let text = format!("{GAME}{slip}\n{other}\n");
            assert!(codes_at(&text, other).contains(&code), "{slip} hides {code} of {other}");
        }
    }
}

#[test]
fn values_that_come_from_callers_are_not_denied() {
    // `near` gets its second value only where it is used, `any` passes it on.
    let clauses = "\
(<= (near ?a ?b) (less ?a ?c) (distinct ?b ?c))
(<= (any ?a ?b) (near ?a ?b))
(<= terminal (any 3 elsewhere) (near 2 (far 7)))
(<= terminal (true (pile ?n)) (any ?n elsewhere))
";
    let report = check(&Source::new("game.kif", with(clauses)));
    assert!(report.diagnostics().iter().all(|d| d.code != Code::NeverFires), "{:?}", report.diagnostics());
}

#[test]
fn swapped_letters_are_found_where_they_stand() {
    let found = |clauses: &str| -> Vec<(String, String)> {
        let source = Source::new("game.kif", with(clauses));
        let of = |d: &ludex_gdl::Diagnostic| {
            let span = d.primary.as_ref().expect("a place").span;
            (source.text(span), d.help.clone())
        };
        let report = check(&source);
        report.diagnostics().iter().filter(|d| d.code == Code::MistypedName).map(of).collect()
    };
    let slip = |word: &str, meant: &str| vec![(word.to_owned(), format!("did you mean `{meant}`?"))];
    assert_eq!(found("(less right left) (less rihgt left)"), slip("rihgt", "right"));
    assert_eq!(
        found("(less right left) (less right 1) (less right 2) (less rihgt 3) (less rihgt 4)"),
        slip("rihgt", "right")
    );
    assert_eq!(found("(less rde left)"), slip("rde", "red"), "a role");
    assert_eq!(found("(less rde left) (less rde right)"), slip("rde", "red"), "a role");
    // Deliberate names: as frequent as each other, digits, no neighbours, short, a relation.
    for clauses in [
        "(less adab 1) (less adab 2) (less adba 1) (less adba 2)",
        "(less a12 1) (less a12 2) (less a21 1)",
        "(less star 1) (less rats 2)",
        "(less new 1) (less new 2) (less nwe 1)",
        "(<= eats (true (pile 3))) (<= terminal eats) (less east 1)",
    ] {
        assert_eq!(found(clauses), [], "{clauses}");
    }
}
