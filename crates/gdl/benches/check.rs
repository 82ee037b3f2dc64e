//! How fast sheets are read and checked: `cargo bench -p ludex-gdl`.
//!
//! With `LUDEX_CORPUS` set, over all published sheets of the corpus, otherwise over `games/`. Rates
//! are bytes of rule sheets per second on one core. Every run must find the same as the first.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::path::{Path, PathBuf};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use ludex_gdl::{Severity, Source, check, format, load, parse};
use ludex_testkit::kif_files;

fn main() {
    divan::main();
}

fn sheets() -> Vec<Source> {
    let corpus = std::env::var_os("LUDEX_CORPUS").map(|path| PathBuf::from(path).join("games"));
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let folder = corpus.unwrap_or(own);
    let paths = kif_files(&folder);
    paths.iter().map(|p| Source::new(p.display().to_string(), std::fs::read(p).expect("readable"))).collect()
}

/// Runs `work` on all sheets; the sum of what it gives must stay the same.
fn over_sheets(bencher: Bencher<'_, '_>, work: impl Fn(&Source) -> usize + Sync) {
    let sheets = sheets();
    let bytes: usize = sheets.iter().map(|s| s.bytes().len()).sum();
    let run = || sheets.iter().map(|s| work(black_box(s))).sum::<usize>();
    let expected = run();
    bencher.counter(BytesCount::new(bytes)).bench(|| assert_eq!(run(), expected));
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    over_sheets(bencher, |source| parse(source).0.node_count());
}

#[divan::bench]
fn read_and_check(bencher: Bencher<'_, '_>) {
    over_sheets(bencher, |source| {
        let report = check(source);
        report.count(Severity::Error) * 1000 + report.count(Severity::Warning)
    });
}

#[divan::bench]
fn read_check_and_lower(bencher: Bencher<'_, '_>) {
    over_sheets(bencher, |source| load(source).rules.rules.len());
}

#[divan::bench]
fn layout(bencher: Bencher<'_, '_>) {
    over_sheets(bencher, |source| format(source).map_or(0, |text| text.len()));
}
