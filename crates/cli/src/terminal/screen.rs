//! Takes the whole terminal for a while, and gives it back as it was: also after a panic, and when
//! the program is told to end.

use std::io::{self, IsTerminal, Stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;

use anyhow::Result;
use ludex_search::Stop;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal with keys and a screen.
pub(crate) fn is_interactive() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !dumb
}

/// The terminal, while it is ours.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// Somebody wants the program to end.
    pub(super) interrupted: Stop,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn enter() -> Result<Self> {
        static HOOK: Once = Once::new();
        let drawing = std::thread::current().id();
        HOOK.call_once(|| give_back_on_panic(drawing));
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::Release);
        let interrupted = Stop::new();
        stop_on_signals(&interrupted);
        let screen = execute!(io::stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match screen {
            Ok(terminal) => Ok(Self { terminal, interrupted }),
            Err(error) => {
                give_back();
                Err(error.into())
            }
        }
    }

    /// Draws a picture; only what differs from the last one is written.
    pub(super) fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> Result<()> {
        self.terminal.draw(picture)?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, if it is ours.
fn give_back() {
    if TAKEN.swap(false, Ordering::AcqRel) {
        // If the terminal is gone there is nothing to give back.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A panic of the thread that draws gives the terminal back before its message is printed. Panics of
/// players are caught and recorded; their messages would spoil the screen.
fn give_back_on_panic(drawing: ThreadId) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == drawing {
            give_back();
        }
        if !TAKEN.load(Ordering::Acquire) {
            usual(panic);
        }
    }));
}

/// Notes that the program is told to end. Ctrl-C on the keyboard is a key, not a signal.
fn stop_on_signals(stop: &Stop) {
    let stop = stop.clone();
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        if runtime.block_on(signal()).is_ok() {
            stop.set();
        }
    };
    // Without the thread signals end the program as usual.
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

#[cfg(unix)]
async fn signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = hangup.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
