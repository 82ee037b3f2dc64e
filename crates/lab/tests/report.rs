//! Reports of made-up outcomes, in every layout: snapshots of the Markdown, laws of the rest.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

use ludex_lab::{
    Cell, Experiment, FormName, MatchOutcome, Measured, Provenance, Published, ReasonerOutcome, Report,
    ReportError, ScoreOutcome, Visited, write_report,
};

fn experiment(text: &str) -> Experiment {
    toml::from_str(text).unwrap()
}

fn published(lines: &str) -> Published {
    Published::parse(&format!("setting,game,player,opponent,value,margin\n{lines}")).unwrap()
}

fn provenance() -> Provenance {
    Provenance {
        date: "2026-01-02".into(),
        commit: "abc1234".into(),
        command: "ludex lab run NAME".into(),
        machine: "one core".into(),
        signature: "00c0ffee00c0ffee".into(),
    }
}

/// So many matches, the first `wins` of them won by the player; seats change from match to match.
fn matches(
    setting: &str,
    game: &str,
    player: &str,
    opponent: &str,
    count: u64,
    wins: u64,
) -> Vec<MatchOutcome> {
    let cell =
        Cell { setting: setting.into(), game: game.into(), player: player.into(), opponent: opponent.into() };
    let one = |number: u64| {
        let first = number.is_multiple_of(2);
        let own = if number < wins { 100 } else { 0 };
        MatchOutcome {
            cell: cell.clone(),
            number,
            seats: vec![first, !first],
            goals: if first { vec![own, 100 - own] } else { vec![100 - own, own] },
            faults: 0,
            steps: 40,
            visited: 1_000_000,
            seconds: 0.5,
        }
    };
    (0..count).map(one).collect()
}

fn report<'a>(
    experiment: &'a Experiment,
    measured: Measured<'a>,
    published: &'a Published,
    provenance: &'a Provenance,
) -> Report<'a> {
    Report { experiment, form: FormName::Quick, measured, missing: 0, published, reading: None, provenance }
}

const CROSS: &str = r#"
title = "Three players"
source = "Somebody 2007, table 1"
games = ["checkers"]
layout = "cross"
players = [
    { name = "MC_org", spec = "mc" },
    { name = "MC_mem", spec = "mc-mem" },
    { name = "CP_uct", spec = "cadia-uct" },
]
[quick]
matches = 20
[[quick.settings]]
name = "equal time"
play = 0.01
published = "10 s"
"#;

const GRID: &str = r#"
title = "Against one"
games = ["checkers", "othello"]
players = [
    { name = "A", spec = "cadia-nst" },
    { name = "B", spec = "cadia-lgr-nst" },
    { name = "C", spec = "cadia-uct" },
]
pairing = { against = "C" }
[quick]
matches = 20
[[quick.settings]]
name = "10/10 s"
play = 10.0
"#;

const TIMES: &str = r#"
title = "Twice the time"
games = ["checkers", "othello"]
columns = "settings"
players = [
    { name = "double", spec = "cadia-uct" },
    { name = "single", spec = "cadia-uct", share = 0.5 },
]
[quick]
matches = 20
[[quick.settings]]
name = "10 s"
play = 10.0
[[quick.settings]]
name = "20 s"
play = 20.0
"#;

fn cross_outcomes() -> Vec<MatchOutcome> {
    [
        matches("equal time", "checkers", "MC_org", "MC_mem", 20, 6),
        matches("equal time", "checkers", "MC_org", "CP_uct", 20, 2),
        matches("equal time", "checkers", "MC_mem", "CP_uct", 20, 5),
    ]
    .concat()
}

fn times_outcomes() -> Vec<MatchOutcome> {
    [
        matches("20 s", "checkers", "double", "single", 20, 15),
        matches("10 s", "othello", "double", "single", 20, 11),
        matches("10 s", "checkers", "double", "single", 20, 14),
        matches("20 s", "othello", "double", "single", 18, 10),
    ]
    .concat()
}

#[test]
fn a_cross_has_the_average_of_each_row() {
    let (experiment, provenance) = (experiment(CROSS), provenance());
    let figures = published("10 s,checkers,MC_org,MC_mem,14.6,\n10 s,checkers,MC_org,,10.7,2.51\n");
    let outcomes = cross_outcomes();
    let mut report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    report.reading = Some("**Memory** helps.");
    insta::assert_snapshot!(report.markdown().unwrap());
}

#[test]
fn a_grid_of_players_has_a_column_for_each() {
    let (experiment, provenance) = (experiment(GRID), provenance());
    let figures = published(
        "10/10 s,checkers,A,C,71.0,5.11\n10/10 s,othello,A,C,82.8,4.27\n10/10 s,checkers,B,C,69.6,5.18\n",
    );
    let mut outcomes = matches("10/10 s", "othello", "A", "C", 20, 17);
    outcomes.extend(matches("10/10 s", "checkers", "A", "C", 20, 14));
    outcomes.extend(matches("10/10 s", "checkers", "B", "C", 10, 10));
    outcomes[3].faults = 2;
    let report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    insta::assert_snapshot!(report.markdown().unwrap());
}

#[test]
fn a_grid_of_settings_has_seats_and_confidence() {
    let (experiment, provenance) = (experiment(TIMES), provenance());
    let figures = published("10 s,checkers,double,single,76.2,4.85\n");
    let outcomes = times_outcomes();
    let report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    insta::assert_snapshot!(report.markdown().unwrap());
}

#[test]
fn rates_are_states_a_second() {
    let text = GRID.replace("games = ", "measure = \"rates\"\ngames = ");
    let (experiment, provenance) = (experiment(&text), provenance());
    let figures = published("10/10 s,checkers,A,C,484.58,\n");
    let outcomes =
        [matches("10/10 s", "checkers", "A", "C", 2, 1), matches("10/10 s", "checkers", "C", "C", 2, 1)]
            .concat();
    let report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    insta::assert_snapshot!(report.markdown().unwrap());
}

fn rate(engine: &str, game: &str, states: Option<u64>, problem: Option<&str>) -> ReasonerOutcome {
    let visited = |states: u64, depth| Visited { states, seconds: 1.0, depth };
    ReasonerOutcome {
        setting: "1 s".into(),
        engine: engine.into(),
        game: game.into(),
        number: 0,
        setup_seconds: states.map(|_| 0.0125),
        monte_carlo: states.map(|states| visited(states, 0)),
        minimax: states.map(|states| visited(states / 100, 5)),
        error: problem.map(str::to_owned),
    }
}

const ENGINES: &str = r#"
title = "Engines"
measure = "reasoners"
games = ["tic_tac_toe", "chess"]
engines = ["batch", "rules"]
[quick]
matches = 1
[[quick.settings]]
name = "1 s"
play = 1.0
"#;

#[test]
fn engines_are_columns() {
    let (experiment, provenance, figures) = (experiment(ENGINES), provenance(), Published::default());
    let rates = [
        rate("rules", "tic_tac_toe", Some(2_000_000), None),
        rate("batch", "tic_tac_toe", Some(400_000_000), None),
        rate("batch", "tic_tac_toe", Some(500_000_000), None),
        rate("batch", "chess", None, Some("does not ground | too large")),
        rate("rules", "chess", Some(15_000), None),
    ];
    let report = report(&experiment, Measured::Reasoners(&rates), &figures, &provenance);
    insta::assert_snapshot!(report.markdown().unwrap());
}

const SCORES: &str = r#"
title = "Scores"
measure = "scores"
games = ["hanoi"]
players = [{ name = "uct", spec = "cadia-uct" }, { name = "mc", spec = "mc" }]
[quick]
matches = 2
[[quick.settings]]
name = "all"
play = 0.2
"#;

fn run(setting: &str, player: &str, number: u64, scores: &[(f64, u8)]) -> ScoreOutcome {
    ScoreOutcome {
        setting: setting.into(),
        game: "hanoi".into(),
        player: player.into(),
        number,
        scores: scores.to_vec(),
    }
}

fn runs() -> Vec<ScoreOutcome> {
    vec![
        run("all", "mc", 0, &[(0.1, 20), (0.2, 40)]),
        run("all", "uct", 0, &[(0.1, 60), (0.2, 100)]),
        run("all", "uct", 1, &[(0.1, 80)]),
    ]
}

#[test]
fn scores_are_means_over_runs() {
    let (experiment, provenance, figures) = (experiment(SCORES), provenance(), Published::default());
    let runs = runs();
    let report = report(&experiment, Measured::Scores(&runs), &figures, &provenance);
    insta::assert_snapshot!(report.markdown().unwrap());
}

#[test]
fn settings_have_tables_of_their_own_and_playouts_are_no_seconds() {
    let text = format!("{SCORES}[[quick.settings]]\nname = \"few\"\nplayouts = 128\nthreads = 2\n");
    let (scores, provenance, figures) = (experiment(&text), provenance(), Published::default());
    let mut both = runs();
    both.push(run("few", "mc", 0, &[(64.0, 10), (128.0, 30)]));
    let mut shown = report(&scores, Measured::Scores(&both), &figures, &provenance);
    shown.missing = 7;
    insta::assert_snapshot!(shown.markdown().unwrap());
    let text = format!("{ENGINES}[[quick.settings]]\nname = \"2 s\"\nplay = 2.0\n");
    let engines = experiment(&text);
    let mut later = rate("rules", "chess", Some(3000), None);
    later.setting = "2 s".into();
    let rates = [rate("rules", "chess", Some(1000), None), later];
    let markdown = report(&engines, Measured::Reasoners(&rates), &figures, &provenance).markdown().unwrap();
    assert!(markdown.contains(
        "## Random playouts: states a second, 1 s\n\n| game | rules |\n|---|---|\n| chess | 1 k |"
    ));
    assert!(markdown.contains(
        "## Random playouts: states a second, 2 s\n\n| game | rules |\n|---|---|\n| chess | 3 k |"
    ));
    assert!(markdown.contains("(minimax-2-s.svg)"), "{markdown}");
}

/// Matches have the layout of table 2 of Ary's paper, with a histogram; best scores seen have curves.
#[test]
fn matches_of_games_for_one_have_a_row_for_each_game() {
    let text = SCORES.replace("games = [\"hanoi\"]", "games = [\"hanoi\"]\nhistograms = [\"hanoi\"]").replace(
        "play = 0.2\n",
        "play = 0.2\n[[quick.settings]]\nname = \"whole\"\nplay = 1.0\nscores = \"every-move\"\npublished = \"10 s\"\n\
         [[quick.settings]]\nname = \"seen\"\nplayouts = 128\nscores = \"seen\"\n",
    );
    let figures = Published::parse(
        "setting,game,player,opponent,value,margin\n10 s,hanoi,uct,,80,2\n10 s,hanoi,mc,,70,\n",
    )
    .unwrap();
    let (experiment, provenance) = (experiment(&text), provenance());
    let runs = [
        run("whole", "uct", 0, &[(1.0, 60)]),
        run("whole", "uct", 1, &[(1.0, 64)]),
        run("whole", "uct", 2, &[(1.0, 100)]),
        run("whole", "mc", 0, &[(1.0, 40)]),
        run("seen", "mc", 0, &[(64.0, 20), (128.0, 40)]),
    ];
    let markdown = report(&experiment, Measured::Scores(&runs), &figures, &provenance).markdown().unwrap();
    for line in [
        "| hanoi | 75 ± 22 *80 ± 2* | 40 *70* | 1–3 |",
        "| total | 75 *80* | 40 *70* |  |",
        "| 60–64 | 67 % |  |",
        "| 100 | 33 % |  |",
        "| 40–44 |  | 100 % |",
        "| mc | 20.0 | 40.0 | 1 |",
    ] {
        assert!(markdown.contains(line), "{line}: {markdown}");
    }
    assert!(markdown.contains("The best score seen") && !markdown.contains("first move"), "{markdown}");
}

#[test]
fn tables_alone_and_cells_for_programs() {
    let (experiment, provenance, figures) = (experiment(TIMES), provenance(), Published::default());
    let outcomes = times_outcomes();
    let report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    let tables = report.tables().unwrap();
    assert!(tables.contains("| checkers | 70.0 (48–85) |"), "{tables}");
    assert!(!tables.contains(".svg") && !tables.contains("abc1234"), "{tables}");
    let cells = report.cells().unwrap();
    assert_eq!(cells.len(), 4);
    assert_eq!((cells[0].game.as_str(), cells[0].matches, cells[0].score), ("checkers", 20, 0.7));
}

/// Tags are closed in order, values are in quotes, and every `&` begins an entity.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!text.contains('>') || open.last() == Some(&"style"), "{text}");
        for (place, _) in text.match_indices('&') {
            let entity = text[place..].split_once(';').unwrap().0;
            assert!(["&lt", "&gt", "&amp", "&quot", "&apos", "&#39"].contains(&entity), "{entity}");
        }
        let end = rest.find('>').unwrap();
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn everything_is_written_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/folder");
    let (experiment, provenance) = (experiment(TIMES), provenance());
    let outcomes = times_outcomes();
    let figures = published("10 s,checkers,double,single,76.2,4.85\n");
    let report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    let written = write_report(&out, &report).unwrap();
    assert_eq!(write_report(&out, &report).unwrap(), written);
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "cells.csv",
        "matches.csv",
        "points-10-s.svg",
        "points-20-s.svg",
        "report.html",
        "report.md",
        "time.svg",
    ];
    assert_eq!(names, expected);
    for path in written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "svg")) {
        assert_well_formed(&std::fs::read_to_string(path).unwrap());
    }
    let cells = std::fs::read_to_string(out.join("cells.csv")).unwrap();
    assert_eq!(cells.lines().count(), 5);
    assert!(
        cells.contains("\n10 s,checkers,double,single,20,0.700000,0.481027,0.854523,76.2,4.85,0,2000000\n"),
        "{cells}"
    );
    let matches = std::fs::read_to_string(out.join("matches.csv")).unwrap();
    assert_eq!(matches.lines().count(), outcomes.len() + 1);
    assert!(
        matches.contains("\n20 s,checkers,double,single,0,1 0,100 0,1.000000,0,40,1000000,0.5\n"),
        "{matches}"
    );
}

#[test]
fn other_measurements_have_plots_too() {
    let folder = tempfile::tempdir().unwrap();
    let (provenance, figures) = (provenance(), Published::default());
    let rates = [rate("batch", "chess", Some(1_000_000), None), rate("rules", "chess", Some(1000), None)];
    let runs = runs();
    let cases = [
        (
            experiment(ENGINES),
            Measured::Reasoners(&rates),
            vec!["playouts.svg", "minimax.svg", "reasoners.csv"],
        ),
        (experiment(SCORES), Measured::Scores(&runs), vec!["scores-hanoi.svg", "scores.csv"]),
        (experiment(ENGINES), Measured::Reasoners(&[]), vec![]),
        (experiment(SCORES), Measured::Scores(&[]), vec![]),
        (experiment(GRID), Measured::Matches(&[]), vec![]),
    ];
    for (experiment, measured, names) in cases {
        write_report(folder.path(), &report(&experiment, measured, &figures, &provenance)).unwrap();
        for name in names {
            let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
            if name.ends_with("svg") {
                assert_well_formed(&text);
            }
        }
    }
}

#[test]
fn nothing_from_outside_has_a_meaning_in_pages() {
    let evil = r#"<script>alert("1")</script>&'"#;
    let mut experiment = experiment(CROSS);
    experiment.title = evil.into();
    experiment.games = vec![evil.into()];
    experiment.players[0].name = evil.into();
    experiment.quick.settings[0].name = evil.into();
    let outcomes = matches(evil, evil, evil, "CP_uct", 4, 1);
    let provenance = Provenance {
        date: evil.into(),
        commit: evil.into(),
        command: evil.into(),
        machine: evil.into(),
        signature: evil.into(),
    };
    let figures = Published::default();
    let mut report = report(&experiment, Measured::Matches(&outcomes), &figures, &provenance);
    report.reading = Some(evil);
    let html = report.html().unwrap();
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;"));
    for word in ["http://", "https://", " src=", "@import", "url("] {
        let found = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(word), "{word}");
    }
    report.reading = None;
    let markdown = report.markdown().unwrap();
    let outside_code: String = markdown.lines().filter(|line| !line.starts_with("- command: `")).collect();
    assert!(!outside_code.contains("<script"), "{markdown}");
    let folder = tempfile::tempdir().unwrap();
    for path in write_report(folder.path(), &report).unwrap() {
        if path.extension().is_some_and(|ending| ending == "svg") {
            assert_well_formed(&std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn a_form_that_is_not_there_is_an_error() {
    let (experiment, provenance, figures) = (experiment(CROSS), provenance(), Published::default());
    let mut report = report(&experiment, Measured::Matches(&[]), &figures, &provenance);
    report.form = FormName::Full;
    assert!(matches!(report.markdown(), Err(ReportError::Form(FormName::Full))));
}
