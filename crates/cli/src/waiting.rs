//! A progress line on the terminal while a game is set up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use ludex_reasoner::{Counts, Progress};

/// The progress line appears after this time, so short set-ups do not flicker.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is updated.
const EVERY: Duration = Duration::from_millis(100);

/// Does some work; shows its progress on standard error if that is a terminal and the work is long.
pub(crate) fn show<T>(work: impl FnOnce(&Progress) -> T) -> T {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    let result = show_on(&bar, "", work);
    bar.finish_and_clear();
    result
}

/// The same on an existing line; `what` is its prefix.
pub(crate) fn show_on<T>(bar: &ProgressBar, what: &str, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::new();
    if bar.is_hidden() {
        return work(&progress);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            std::thread::park_timeout(PATIENCE);
            while !done.load(Ordering::Acquire) {
                bar.set_message(line(what, &progress.counts()));
                bar.tick();
                std::thread::park_timeout(EVERY);
            }
        });
        // Dropped even if the work panics: otherwise the scope would wait for the watcher for ever.
        let _end = End { done: &done, watcher: watcher.thread().clone() };
        work(&progress)
    })
}

/// Ends the watcher when it is dropped.
struct End<'a> {
    done: &'a AtomicBool,
    watcher: Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.watcher.unpark();
    }
}

fn line(what: &str, counts: &Counts) -> String {
    let Counts { phase, atoms, instances, gates, bytes } = *counts;
    let mut text = format!("{what} {}", phase.name());
    for (number, noun) in [(atoms, "atoms"), (instances, "instances"), (gates, "gates"), (bytes >> 20, "MiB")]
    {
        if number > 0 {
            text += &format!(", {number} {noun}");
        }
    }
    text.trim_start().to_owned()
}
