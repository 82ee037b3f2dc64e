//! The program as a user meets it: output, exit codes, files.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "(role you)\n(init (left 1))\n(legal you take)\n(<= (next (left 0)) (true (left 1)))\n(<= terminal (true (left 0)))\n(goal you 100)\n";
const BAD: &str = "(role you)\n(init (left 1))\n(legal you take)\n(<= (next (left ?n)) (true (left 1)))\n(<= terminal (true (left 1)))\n(goal you 100)\n";

fn ludex(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().expect("ludex runs")
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ludex runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("the input is taken");
    child.wait_with_output().expect("ludex ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("not killed")
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

#[test]
fn check_says_what_is_wrong_and_ends_with_the_code_of_the_contract() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good.kif", GOOD), folder.file("bad.kif", BAD));
    let output = ludex(&["check", &good]);
    assert_eq!((code(&output), out(&output).as_str()), (0, "1 sheet checked: no errors, no warnings\n"));
    let output = ludex(&["check", &bad]);
    assert_eq!(code(&output), 1);
    let text = out(&output);
    assert!(
        text.contains("error[E401]") && text.contains("bad.kif:4:17") && text.contains("help:"),
        "{text}"
    );
    assert!(text.ends_with("1 sheet checked: 1 error, no warnings\n"), "{text}");
    let output = ludex(&["check", &bad, &folder.path("absent.kif").display().to_string()]);
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("absent.kif"));
    assert!(out(&output).contains("E401"), "the other file is still checked");
}

#[test]
fn check_takes_folders_and_standard_input() {
    let folder = Folder::new();
    folder.file("a/good.kif", GOOD);
    folder.file("b/bad.GDL", BAD);
    folder.file("b/notes.txt", "not a rule sheet");
    let path = folder.0.path().display().to_string();
    let output = ludex(&["check", &path]);
    assert_eq!(code(&output), 1);
    assert!(
        out(&output).ends_with("2 sheets checked: 1 error in 1 sheet, no warnings\n"),
        "{}",
        out(&output)
    );
    let output = with_input(&["check", "-"], BAD.as_bytes());
    assert!(out(&output).contains("<stdin>:4:17"));
    let empty = Folder::new();
    assert_eq!(code(&ludex(&["check", &empty.0.path().display().to_string()])), 2);
}

#[test]
fn check_prints_json_lines() {
    let output = with_input(&["check", "--format", "json", "-"], BAD.as_bytes());
    let text = out(&output);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["type"], "diagnostic");
    assert_eq!(lines[0]["code"], "E401");
    assert_eq!((&lines[0]["line"], &lines[0]["column"]), (&4.into(), &17.into()));
    assert_eq!((&lines[1]["type"], &lines[1]["errors"]), (&"summary".into(), &1.into()));
    // A fault of the whole sheet has no place.
    let output = with_input(&["check", "--format", "json", "-"], b"");
    let line: serde_json::Value =
        serde_json::from_str(out(&output).lines().next().expect("a line")).expect("JSON");
    assert_eq!((&line["code"], &line["line"]), (&"E501".into(), &serde_json::Value::Null));
}

#[test]
fn hints_are_shown_when_asked_for() {
    let text = GOOD.replace("(legal you take)", "(<= (legal you take) (true (left ?n)))");
    assert!(!out(&with_input(&["check", "-"], text.as_bytes())).contains("H611"));
    assert!(out(&with_input(&["check", "--pedantic", "-"], text.as_bytes())).contains("hint[H611]"));
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let escape = '\x1b';
    let check = |arguments: &[&str]| out(&with_input(arguments, BAD.as_bytes()));
    assert!(!check(&["check", "-"]).contains(escape));
    assert!(check(&["check", "--color", "always", "-"]).contains(escape));
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let folder = Folder::new();
    let output =
        command.args(["check", &folder.file("bad.kif", BAD)]).env("NO_COLOR", "1").output().expect("runs");
    assert!(!out(&output).contains(escape));
}

#[test]
fn fmt_changes_files_in_place_once() {
    let folder = Folder::new();
    let messy = "(role   you) ; me\n(<= terminal\n (true (left 0))(true\n(left 1)))";
    let path = folder.file("game.kif", messy);
    let output = ludex(&["fmt", "--check", &path]);
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("+(role you) ; me"), "{}", out(&output));
    assert_eq!(std::fs::read_to_string(&path).expect("there"), messy, "--check changes nothing");
    assert_eq!(out(&ludex(&["fmt", "--stdout", &path])).lines().next(), Some("(role you) ; me"));
    assert_eq!(code(&ludex(&["fmt", &path])), 0);
    let formatted = "(role you) ; me\n(<= terminal\n    (true (left 0))\n    (true (left 1)))\n";
    assert_eq!(std::fs::read_to_string(&path).expect("there"), formatted);
    assert_eq!(code(&ludex(&["fmt", "--check", &path])), 0);
    assert_eq!(out(&with_input(&["fmt", "-"], messy.as_bytes())), formatted);
}

#[test]
fn fmt_leaves_a_broken_sheet_alone() {
    let folder = Folder::new();
    let path = folder.file("game.kif", "(role   you");
    let output = ludex(&["fmt", &path]);
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("E101"));
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "(role   you");
}

#[test]
fn scramble_is_seeded_and_can_be_undone() {
    let folder = Folder::new();
    let path = folder.file("game.kif", GOOD);
    let map = folder.path("map.json").display().to_string();
    let one = out(&ludex(&["scramble", &path, "--seed", "5", "--map", &map]));
    assert_eq!(one, out(&ludex(&["scramble", &path, "--seed", "5"])));
    assert_ne!(one, out(&ludex(&["scramble", &path, "--seed", "6"])));
    assert!(!one.contains("you") && one.contains("(<= terminal (true ("));
    assert_eq!(out(&with_input(&["scramble", "-", "--undo", &map], one.as_bytes())), GOOD);
    assert_eq!(code(&with_input(&["check", "-"], one.as_bytes())), 0);
}

#[test]
fn show_prints_a_line_for_each_rule() {
    let text = out(&with_input(&["show", "rules", "-"], GOOD.as_bytes()));
    assert!(text.contains("\nterminal if true(left(0))\n"), "{text}");
    assert_eq!(text.lines().count(), 6);
    let text = out(&with_input(&["show", "ast", "-"], GOOD.as_bytes()));
    assert!(text.contains("5  (<= terminal (true (left 0)))\n"), "{text}");
    let output = with_input(&["show", "rules", "-"], BAD.as_bytes());
    assert_eq!(code(&output), 1);
}

#[test]
fn sheets_are_shown_as_programs() {
    let text = out(&with_input(&["show", "prolog", "-"], GOOD.as_bytes()));
    assert!(text.contains("\nterminal :- true(left(0)).\n"), "{text}");
    let text = out(&with_input(&["show", "asp", "-", "--horizon", "3"], GOOD.as_bytes()));
    assert!(text.contains("#const horizon = 3.\n"), "{text}");
    for form in ["prolog", "asp"] {
        let output = with_input(&["show", form, "-"], BAD.as_bytes());
        assert_eq!(code(&output), 1);
        assert!(!out(&output).contains(":-"), "no program of a broken sheet");
    }
    let output = ludex(&["show", "asp", "tic_tac_toe"]);
    assert_eq!(code(&output), 1);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("for games with one role, this one has 2"), "{message}");
}

#[test]
fn perft_counts_paths() {
    let output = with_input(&["perft", "-", "2"], GOOD.as_bytes());
    assert_eq!(code(&output), 0);
    let text = out(&output);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["depth", "paths", "states", "terminal", "stuck"]);
    assert_eq!(rows[1..4], [["0", "1", "1", "0", "0"], ["1", "1", "1", "1", "0"], ["2", "0", "0", "0", "0"]]);
    assert!(text.contains("batch in "), "the fastest engine, by name: {text}");
    let output = with_input(&["perft", "-", "2", "--engine", "reference"], GOOD.as_bytes());
    assert_eq!(out(&output).lines().take(4).collect::<Vec<_>>(), text.lines().take(4).collect::<Vec<_>>());
    assert!(out(&output).contains("reference in "));
    let output = with_input(&["perft", "-", "2"], BAD.as_bytes());
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("E401"));
    let output = ludex(&["perft", "game.kif", "2", "--engine", "magic"]);
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("reference"), "the engines are named");
    assert_eq!(code(&ludex(&["perft", "absent.kif", "2"])), 2);
}

#[test]
fn perft_prints_each_depth_when_it_is_counted() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["perft", "chess", "40", "--engine", "rules"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("ludex runs");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let shown: Vec<String> = lines.map_while(Result::ok).take(4).collect();
    // Depth 40 would take longer than anybody can wait.
    child.kill().expect("killed");
    child.wait().expect("gone");
    let paths: Vec<&str> = shown.iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(paths, ["paths", "1", "20", "400"]);
}

#[test]
fn traces_are_recorded_and_verified() {
    let folder = Folder::new();
    let game = folder.file("game.kif", GOOD);
    let output = ludex(&["trace", "record", &game, "--playouts", "1"]);
    assert_eq!(code(&output), 0);
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["state"][0], &lines[0]["moves"][0]), (&"(left 1)".into(), &"take".into()));
    assert_eq!((&lines[1]["terminal"], &lines[1]["goals"]["you"]), (&true.into(), &100.into()));

    let trace = folder.path("game.jsonl.gz").display().to_string();
    assert_eq!(code(&ludex(&["trace", "record", &game, "--seed", "7", "--output", &trace])), 0);
    let output = ludex(&["trace", "verify", &game, &trace, "--engine", "all"]);
    assert_eq!(code(&output), 0, "{}", out(&output));
    assert!(out(&output).contains("reference         1        0         0        8"), "{}", out(&output));
    let other = folder.file("other.kif", &GOOD.replace("100", "50"));
    let output = ludex(&["trace", "verify", &other, &trace]);
    assert_eq!(code(&output), 1);
    let difference = "playout 0, step 0: the goal of you: recorded 100, found 50";
    assert!(out(&output).contains(difference), "{}", out(&output));
    assert_eq!(code(&ludex(&["trace", "verify", &game, "absent.jsonl"])), 2);
    let broken = folder.file("broken.jsonl", "{");
    assert_eq!(code(&ludex(&["trace", "verify", &game, &broken])), 2);
    assert_eq!(code(&ludex(&["trace", "verify", &game])), 2);
}

#[test]
fn ground_rules_and_gates_are_shown() {
    let folder = Folder::new();
    let game = folder.file("game.kif", GOOD);
    let output = ludex(&["show", "ground", &game]);
    assert_eq!(code(&output), 0);
    let text = out(&output);
    assert!(text.contains("(init (left 1))") && text.contains("(<= terminal (true (left 0)))"), "{text}");
    let shown = folder.file("shown.kif", &text);
    assert_eq!(code(&ludex(&["check", &shown])), 0, "what is shown can be read back");
    let output = ludex(&["show", "ground", &game, "--limit", "2", "--json"]);
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), &lines[0]["head"]), (2, &"(role you)".into()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("more"));

    let text = out(&ludex(&["show", "circuit", &game]));
    assert!(text.contains("cone") && text.contains("built") && text.contains("flatten"), "{text}");
    for form in ["circuit", "stats"] {
        let output = ludex(&["show", form, &game, "--json"]);
        let line: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
        assert_eq!((&line["game"], &line["facts"], &line["moves"]), (&"game".into(), &2.into(), &1.into()));
        let sum: u64 =
            line["cones"].as_array().expect("cones").iter().filter_map(|c| c["gates"].as_u64()).sum();
        assert_eq!(line["gates"].as_u64(), Some(sum));
    }
    let three = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tic_tac_toe.kif");
    let text = out(&ludex(&["show", "circuit", three]));
    assert!(text.contains("exactly one holds: 10 groups\n  (cell "), "{text}");
    assert!(text.contains("never comes back: 9 facts\n") && text.contains(" and 5 more\n"), "{text}");
    let text = out(&ludex(&["show", "stats", three]));
    assert!(text.contains("groups with exactly one fact        10\n"), "{text}");
    let line: serde_json::Value =
        serde_json::from_str(&out(&ludex(&["show", "stats", three, "--json"]))).expect("JSON");
    let lengths = ["one_of", "exclusive", "stay_on", "stay_off", "derived"]
        .map(|list| line[list].as_array().expect("a list").len());
    assert_eq!(lengths, [10, 0, 18, 9, 9]);
    let output = ludex(&["show", "circuit", &game, "--dot"]);
    let text = out(&output);
    assert!(text.starts_with("digraph") && text.contains("legal you take"), "{text}");
    let four = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/connect_four.kif");
    let output = ludex(&["show", "circuit", four, "--dot", "--limit", "3"]);
    assert_eq!((code(&output), out(&output).as_str()), (2, ""), "too large for a picture");
    assert_eq!(code(&ludex(&["show", "rules", &game, "--json"])), 2);
}

#[test]
fn a_signature_changes_with_behaviour_and_with_nothing_else() {
    let folder = Folder::new();
    let signature = |name: &str, text: &str| {
        let output = ludex(&["bench", "signature", &folder.file(name, text)]);
        assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
        out(&output).trim().parse::<u64>().expect("a number")
    };
    let number = signature("game.kif", GOOD);
    assert_eq!(signature("again.kif", GOOD), number);
    let other_order: Vec<&str> = GOOD.lines().rev().collect();
    let same = format!("; said in another order\n{}", other_order.join("\n\n"));
    assert_eq!(signature("same.kif", &same), number);
    for (old, new) in
        [("100", "50"), ("take", "grab"), ("terminal (true (left 0))", "terminal (true (left 1))")]
    {
        assert_ne!(signature("changed.kif", &GOOD.replace(old, new)), number, "{old} became {new}");
    }
    let output = ludex(&["bench", "signature", "--json"]);
    let line: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    let built_in = line["signature"].as_str().expect("a number").to_owned();
    assert_eq!(out(&ludex(&["bench", "signature"])).trim(), built_in);
    assert_eq!(line["games"].as_array().map(Vec::len), Some(3));
    assert_eq!(code(&ludex(&["bench", "signature", "absent.kif"])), 2);
}

#[test]
fn growth_is_measured_and_its_results_are_right() {
    let output =
        ludex(&["bench", "growth", "--from", "4", "--to", "5", "--by", "1", "--seconds", "0.01", "--json"]);
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 4);
    for pair in lines.chunks(2) {
        assert_eq!(pair[0]["game"], pair[1]["game"]);
        for field in ["facts", "moves", "gates", "inputs"] {
            assert!(pair[0][field].as_u64() < pair[1][field].as_u64(), "{field} grows: {pair:?}");
        }
        assert!(pair.iter().all(|line| line["compared"].as_u64() > Some(5)), "{pair:?}");
        assert!(pair.iter().all(|line| line["ns_per_input"].as_f64() > Some(0.0)), "{pair:?}");
    }
    assert_eq!(code(&ludex(&["bench", "growth", "--from", "3"])), 2);
}

#[test]
fn lanes_and_machine_code_are_chosen_and_told() {
    let folder = Folder::new();
    let game = folder.file("game.kif", GOOD);
    let bench = |more: &[&str]| {
        let mut arguments = vec!["bench", "reasoner", &game, "--seconds", "0.01", "--json"];
        arguments.extend(more);
        let output = ludex(&arguments);
        assert_eq!(code(&output), 0, "{more:?}");
        serde_json::from_str::<serde_json::Value>(&out(&output)).expect("one object")
    };
    for lanes in [64, 256, 512] {
        let line = bench(&["--lanes", &lanes.to_string(), "--no-jit"]);
        assert_eq!((&line["lanes"], &line["jit"]), (&lanes.into(), &false.into()));
        assert!(line["nodes"].as_u64() > Some(0));
    }
    for evaluation in ["full", "incremental"] {
        let line = bench(&["--engine", "circuit", "--evaluation", evaluation]);
        assert_eq!((&line["engine"], &line["lanes"]), (&"circuit".into(), &1.into()));
        assert_eq!(line["reason"], format!("asked for; {evaluation} evaluation"));
    }
    let line = bench(&["--engine", "auto"]);
    assert_eq!((&line["engine"], &line["reason"]), (&"batch".into(), &"its circuit is ready".into()));
    let line = bench(&["--instructions", "plain"]);
    assert_eq!((&line["lanes"], &line["instructions"]), (&64.into(), &"plain".into()));
    assert_eq!(code(&ludex(&["bench", "reasoner", &game, "--lanes", "65"])), 2);

    let trace = folder.path("game.jsonl").display().to_string();
    assert_eq!(code(&ludex(&["trace", "record", &game, "--output", &trace])), 0);
    let verify =
        ["trace", "verify", &game, &trace, "--engine", "batch", "--lanes", "256", "--no-jit", "--json"];
    let output = ludex(&verify);
    assert_eq!(code(&output), 0);
    let line = out(&output).lines().next().map(serde_json::from_str::<serde_json::Value>);
    let line = line.expect("a line").expect("JSON");
    assert_eq!((&line["lanes"], &line["jit"]), (&256.into(), &false.into()));
}

/// `move` shows several continuations, and the replies behind moves.
#[test]
fn a_tree_is_shown_behind_its_root() {
    let base =
        ["move", "tic_tac_toe", "--player", "ludex", "--playouts", "20000", "--lines", "3", "--behind"];
    let with = |more: &[&str]| ludex(&[&base[..], more].concat());
    let output = with(&["(mark 2 2) (mark 1 1)", "--json"]);
    assert_eq!(code(&output), 0);
    let all: serde_json::Value = serde_json::from_str(out(&output).trim()).unwrap();
    let lines = all["lines"].as_array().unwrap();
    assert!(lines.len() == 3 && lines[0]["moves"][0] != lines[1]["moves"][0], "{all}");
    let choice = &all["behind"]["choices"][0];
    assert_eq!((choice["role"].as_str(), choice["moves"].as_array().map(Vec::len)), (Some("x"), Some(7)));
    let text = out(&with(&["(mark 2 2)"]));
    assert!(text.contains("behind these moves: ") && text.contains("  o\n"), "{text}");
    assert_eq!(code(&with(&["(mark 9 9)"])), 2);
}

/// Every thought is legal; how long they take is the machine's affair.
#[test]
fn thoughts_on_a_clock_are_measured() {
    let output = ludex(&[
        "bench",
        "thoughts",
        "tic_tac_toe",
        "connect_four",
        "--play-clock",
        "0.02",
        "--thoughts",
        "6",
        "--grace",
        "60",
        "--memory",
        "1MB",
        "--json",
    ]);
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<serde_json::Value> =
        out(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((row["thoughts"].as_u64(), row["late"].as_u64()), (Some(6), Some(0)), "{row}");
        assert_eq!(row["illegal"].as_u64(), Some(0), "{row}");
        assert!(row["nodes"].as_u64() > Some(10) && row["root_ms"].as_f64() >= Some(0.0), "{row}");
    }
    assert_eq!(code(&ludex(&["bench", "thoughts", "absent.kif"])), 2);
}

#[test]
fn a_folder_of_sheets_is_verified() {
    let folder = Folder::new();
    let game = folder.file("games/game.kif", GOOD);
    folder.file("games/other.kif", &GOOD.replace("100", "50"));
    folder.file("games/silent.kif", GOOD);
    std::fs::create_dir(folder.path("traces")).expect("a folder");
    for name in ["game", "other"] {
        let trace = folder.path(&format!("traces/{name}.jsonl.gz")).display().to_string();
        assert_eq!(code(&ludex(&["trace", "record", &game, "--output", &trace])), 0);
    }
    let path = folder.0.path().display().to_string();
    let output = ludex(&["trace", "verify", "--corpus", &path]);
    assert_eq!(code(&output), 1);
    let text = out(&output);
    assert!(
        text.contains("other   differs") && text.contains("silent  not done  there is no trace"),
        "{text}"
    );
    assert!(text.contains("reference         1        1         1        8"), "{text}");
    let output = ludex(&["trace", "verify", "--corpus", &path, "--only", "game", "--json"]);
    assert_eq!(code(&output), 0);
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&lines[0]["sheet"], &lines[0]["result"]), (&"game".into(), &"verified".into()));
    assert_eq!((&lines[1]["type"], &lines[1]["verified"]), (&"summary".into(), &1.into()));
    let output = ludex(&["trace", "verify", "--corpus", &path, "--only", "game", "--seconds", "0"]);
    assert!(out(&output).contains("game  not done  0 of 8 states in time"), "{}", out(&output));
    assert_eq!(code(&ludex(&["trace", "verify", "--corpus", "absent"])), 2);
}

#[test]
fn every_command_has_help_with_examples() {
    let help = out(&ludex(&["--help"]));
    assert!(help.contains("Examples:"));
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 5, "{help}");
    for command in commands {
        let help = out(&ludex(&[command, "--help"]));
        assert!(help.contains("Examples:") && help.contains("  ludex "), "{command}: {help}");
    }
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = ludex(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(out(&output).contains("scramble"), "{shell}");
    }
}

#[test]
fn wrong_usage_is_explained() {
    let output = ludex(&["chekc"]);
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("check"), "a similar command is named");
    assert_eq!(code(&ludex(&["check"])), 2);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let path = folder.file("bad.kif", &"(role ?x)\n".repeat(3000));
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["check", "--max", "3000", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn a_built_in_game_goes_by_its_name() {
    let output = ludex(&["perft", "connect_four", "2"]);
    assert_eq!(code(&output), 0);
    assert!(out(&output).contains("49"), "{}", out(&output));
    assert_eq!(
        out(&ludex(&["show", "rules", "Tic-Tac-Toe"])),
        out(&ludex(&["show", "rules", "tic_tac_toe"]))
    );
    let output = ludex(&["check", "chess", "othello"]);
    assert_eq!(out(&output), "2 sheets checked: no errors, no warnings\n");
    let output = ludex(&["perft", "conect_four", "2"]);
    assert_eq!(code(&output), 2);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("did you mean connect_four") && error.contains("path"), "{error}");
    // Files are changed only where they are named as files.
    assert_eq!(code(&ludex(&["fmt", "tic_tac_toe"])), 2);
}

#[test]
fn games_are_listed_and_shown() {
    let output = ludex(&["games", "--json", "--players", "3"]);
    assert_eq!(code(&output), 0);
    let rows: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(rows.len() >= 3 && rows.iter().all(|row| row["players"] == 3), "{rows:?}");
    let row = rows.iter().find(|row| row["game"] == "ttcc4").expect("ttcc4");
    assert_eq!((&row["kind"], &row["roles"][0]), (&"turn-taking".into(), &"red".into()));
    assert!(row["gates"].as_u64() > Some(100) && row["moves"].as_f64() > Some(2.0), "{row}");

    let text = out(&ludex(&["games", "--kind", "simultaneous", "--players", "3"]));
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].starts_with("name") && rows[1].starts_with("pacman"), "{text}");
    assert!(text.ends_with("\n1 game; `ludex games NAME` shows one\n"), "{text}");
    assert!(out(&ludex(&["games", "--players", "17"])).contains("no games"));
    assert_eq!(code(&ludex(&["games", "--kind", "silly"])), 2);

    let text = out(&ludex(&["games", "tic_tac_toe"]));
    assert!(text.starts_with("Tic-tac-toe\n\nPlayers: x and o"), "{text}");
    assert!(text.ends_with("1  · · ·\n   1 2 3\n"), "{text}");
    assert!(out(&ludex(&["games", "tic_tac_toe", "--ascii"])).contains("1  . . .\n"));
    let sheet = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tic_tac_toe.kif"));
    assert_eq!(out(&ludex(&["games", "tic_tac_toe", "--sheet"])), sheet.expect("there"));
    assert_eq!(code(&ludex(&["games", "no_such_game"])), 2);
}

#[test]
fn any_state_can_be_shown() {
    let show = |arguments: &[&str]| ludex(&[&["show", "state"], arguments].concat());
    let text = out(&show(&["tic_tac_toe", "--history", "(mark 2 2) (noop (mark 1 1))"]));
    assert!(
        text.starts_with("Tic-tac-toe, after 2 steps\n\n3  · · ·     to move  x\n2  · x ·\n1  o · ·\n"),
        "{text}"
    );
    assert!(text.contains("\nx  (mark 1 2), (mark 1 3)") && text.ends_with("\no  noop\n"), "{text}");
    let text = out(&show(&["tic_tac_toe", "--json", "--history", "(mark 2 2)"]));
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&json["legal"]["x"][0], &json["terminal"]), (&"noop".into(), &false.into()));
    assert!(json["state"].as_array().is_some_and(|facts| facts.contains(&"(cell 2 2 x)".into())), "{text}");
    let random = |seed: &str| out(&show(&["connect_four", "--random", "9", "--seed", seed]));
    assert_eq!(random("5"), random("5"));
    assert_ne!(random("5"), random("6"));
    assert!(out(&show(&["tic_tac_toe", "--random", "99"])).contains("The game is over.\nx  "));
    for history in ["(mark 9 9)", "noop", "((mark 1 1) (mark 1 1))", "(mark 1 1", "(jump)"] {
        assert_eq!(code(&show(&["tic_tac_toe", "--history", history])), 2, "{history}");
    }
    let output = show(&["rock_paper_scissors", "--history", "rock"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("all roles"), "others have a choice too");
    assert_eq!(code(&ludex(&["show", "rules", "tic_tac_toe", "--random", "3"])), 2);
    // A sheet without a description is drawn as its facts look; one beside it is used.
    let folder = Folder::new();
    let game = folder.file("game.kif", GOOD);
    assert!(out(&show(&[&game])).contains("left  1\n"));
    folder.file("game.toml", "title = \"Take one\"\nkind = \"single-player\"\nroles = [\"you\"]\n[[beside]]\nlabel = \"stones\"\nfact = \"(left ?n)\"\n");
    assert!(out(&show(&[&game])).starts_with("Take one, the initial state\n\nstones  1\n"));
    folder.file("game.toml", "other = 1\n");
    let output = show(&[&game]);
    assert!(code(&output) == 0 && String::from_utf8_lossy(&output.stderr).contains("is not used"));
}

#[test]
fn the_board_in_the_documents_is_what_is_drawn() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md"))
        .expect("there");
    let (_, block) = readme.split_once("```\n$ ludex show state ").expect("an example");
    let (command, drawn) = block.split_once('\n').expect("a command");
    let (drawn, _) = drawn.split_once("```").expect("the end");
    let arguments: Vec<&str> = ["show", "state"].into_iter().chain(command.split(' ')).collect();
    let output = out(&ludex(&arguments));
    assert!(output == drawn, "docs/commands.md should show\n{output}");
}

/// Every command has a row in docs/commands.md.
#[test]
fn all_commands_are_in_the_list() {
    let list = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md"))
        .expect("there");
    let help = out(&ludex(&["--help"]));
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let names: Vec<&str> = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names.into_iter().filter(|&name| name != "help") {
        assert!(list.contains(&format!("| `ludex {name}")), "docs/commands.md has no row for `ludex {name}`");
    }
}

/// The pinned signatures: rules and players behave as before. `.ci/run` checks the same file.
#[test]
fn signatures_are_as_pinned() {
    let pins = concat!(env!("CARGO_MANIFEST_DIR"), "/signatures.txt");
    let output = ludex(&["bench", "signature", "--check", pins]);
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    let folder = Folder::new();
    let text = std::fs::read_to_string(pins).expect("the pins");
    let changed = text.replacen("\nrules ", "\nrules 1", 1).replace("cadia-uct ", "cadia-uct 1");
    let output = ludex(&["bench", "signature", "--check", &folder.file("pins.txt", &changed)]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(code(&output), 1, "{message}");
    assert!(message.contains("rules 1") && message.contains("cadia-uct") && !message.contains("cadia-rave"));
}

#[test]
fn solve_prints_a_plan_that_check_confirms() {
    let folder = Folder::new();
    let output = ludex(&["solve", "blocks_world", "--nodes", "1000", "--threads", "1", "--json"]);
    assert_eq!(code(&output), 0);
    let solved: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(
        (&solved["score"], &solved["optimal"], &solved["bound"]),
        (&100.into(), &true.into(), &100.into())
    );
    assert_eq!(solved["plan"].as_array().expect("a plan").len(), 3);
    assert!(solved["method"].is_string() && solved["seconds"].is_number());
    let file = folder.file("plan.json", &out(&output));
    let output = ludex(&["solve", "blocks_world", "--check", &file]);
    assert_eq!((code(&output), out(&output).as_str()), (0, "100 in 3 moves: all moves are legal.\n"));
    // A plan that stops too early, one with a move that is not legal, and one that goes on too long.
    let moves: Vec<&str> =
        solved["plan"].as_array().expect("a plan").iter().filter_map(|m| m.as_str()).collect();
    for (plan, fault) in [
        (moves[..2].join(" "), "the game is not over after 2 moves"),
        (format!("{0} {0} {0}", moves[0]), "move 2"),
        (format!("{0} {1}", moves.join(" "), moves[0]), "over before move 4"),
        (String::new(), "no moves"),
    ] {
        let output = ludex(&["solve", "blocks_world", "--check", &plan]);
        assert_eq!(code(&output), 1, "{plan}");
        assert!(out(&output).contains(fault), "{plan}: {}", out(&output));
    }
    let text = out(&ludex(&["solve", "blocks_world", "--boards"]));
    assert!(text.contains("The beginning") && text.contains("\n3. "), "{text}");
    assert!(text.contains("100 in 3 moves") && text.contains("optimal"), "{text}");
}

#[test]
fn solve_says_what_it_cannot_do() {
    let output = ludex(&["solve", "tic_tac_toe"]);
    assert_eq!(code(&output), 2);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("2 roles (x, o)") && error.contains("games with one role"), "{error}");
    let endless = "(role you) (init (at 0)) (legal you go) (<= (next (at 1)) (true (at 0)))
        (<= (next (at 0)) (true (at 1))) (<= terminal (true (at 2))) (<= (next (at 2)) (true (at 3))) (goal you 100)";
    let output = with_input(&["solve", "-"], endless.as_bytes());
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("there is no plan"), "{}", out(&output));
}

#[test]
fn puzzles_are_for_the_planner_if_nobody_is_named() {
    let output = ludex(&["move", "hanoi", "--playouts", "5000", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!((&report["player"], &report["value"]), (&"planner".into(), &100.0.into()));
    assert_eq!((&report["proven"], &report["distance"]), (&true.into(), &31.into()));
    let output = ludex(&["move", "tic_tac_toe", "--playouts", "100", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(report["player"], "ludex");
}
