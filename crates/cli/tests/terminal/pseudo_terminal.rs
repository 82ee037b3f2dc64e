//! A program on a pseudo-terminal, and what a person sees there.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::Parser;

/// A slow machine that runs other tests needs long.
const PATIENCE: Duration = Duration::from_secs(120);
/// Columns of the screen that is looked at: whatever is written beyond the terminal shows.
const SCREEN: u16 = 200;

/// `ludex` on a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    parser: Arc<Mutex<Parser>>,
    reader: Option<std::thread::JoinHandle<()>>,
    width: u16,
    _pty: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts `ludex` on a terminal of a size.
    pub(crate) fn start(arguments: &[&str], width: u16, height: u16) -> Self {
        let size = PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_ludex"));
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        let child = pair.slave.spawn_command(command).expect("ludex runs");
        drop(pair.slave);
        let keys = pair.master.take_writer().expect("a keyboard");
        let mut output = pair.master.try_clone_reader().expect("a screen");
        let (rows, columns) = (NonZero::new(height).expect("rows"), NonZero::new(SCREEN).expect("columns"));
        let parser = Arc::new(Mutex::new(Parser::new(rows, columns, 0)));
        let screen = Arc::clone(&parser);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                screen.lock().expect("no panic").process(&bytes[..count]);
            }
        });
        Self { child, keys, parser, reader: Some(reader), width, _pty: pair.master }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("keys arrive");
    }

    /// What the screen shows.
    pub(crate) fn screen(&self) -> String {
        let contents = self.parser.lock().expect("no panic").screen().contents();
        contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// The screen as text with escape sequences for its styles.
    pub(crate) fn styled(&self) -> String {
        let parser = self.parser.lock().expect("no panic");
        let screen = parser.screen();
        let mut text = String::new();
        for row in 0..screen.size().0.get() {
            let (mut line, mut run, mut of) = (String::new(), String::new(), anstyle::Style::new());
            for column in 0..self.width {
                let Some(cell) = screen.cell(row, column) else { continue };
                let sign = if cell.has_contents() { cell.contents() } else { " " };
                let style = style(cell);
                if style != of {
                    line += &format!("{of}{run}{of:#}");
                    run.clear();
                    of = style;
                }
                run += sign;
            }
            line += &format!("{of}{run}{of:#}");
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// Waits until the screen shows something; what it shows then.
    pub(crate) fn wait(&self, what: &str, seen: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if seen(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}; the screen shows:\n{screen}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the screen shows all these texts; a text may go on in the next line.
    pub(crate) fn wait_for(&self, texts: &[&str]) -> String {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.wait(&format!("{texts:?}"), |screen| {
            let screen = words(screen);
            texts.iter().all(|text| screen.contains(&words(text)))
        })
    }

    /// Asserts that nothing is written beyond the width, and that a text is there once.
    pub(crate) fn assert_fits(&self, once: &str) {
        let screen = self.screen();
        let longest = screen.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0);
        assert!(longest <= usize::from(self.width), "{longest} columns of {}:\n{screen}", self.width);
        assert_eq!(screen.matches(once).count(), 1, "`{once}` is not there once:\n{screen}");
    }

    /// Waits for the end; the exit code and the last screen, which must be a clean one.
    pub(crate) fn end(mut self) -> (u32, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a process") {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("ludex does not end; the screen shows:\n{}", self.screen());
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        // All that was written has been read when the other end is closed.
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no panic");
        }
        let parser = self.parser.lock().expect("no panic");
        assert!(!parser.screen().alternate_screen(), "the full screen is left");
        assert!(!parser.screen().hide_cursor(), "the cursor is visible again");
        let screen = parser.screen().contents();
        let longest = screen.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0);
        assert!(longest <= usize::from(self.width), "{longest} columns of {}:\n{screen}", self.width);
        (status.exit_code(), screen)
    }

    /// The process, for signals.
    pub(crate) fn process(&self) -> u32 {
        self.child.process_id().expect("a process")
    }
}

/// How a cell looks.
fn style(cell: &vt100::Cell) -> anstyle::Style {
    let mut style = anstyle::Style::new();
    if let vt100::Color::Idx(index) = cell.fgcolor() {
        style = style.fg_color(Some(anstyle::Ansi256Color(index).into()));
    }
    if let vt100::Color::Idx(index) = cell.bgcolor() {
        style = style.bg_color(Some(anstyle::Ansi256Color(index).into()));
    }
    let effects = [
        (cell.bold(), anstyle::Effects::BOLD),
        (cell.dim(), anstyle::Effects::DIMMED),
        (cell.underline(), anstyle::Effects::UNDERLINE),
        (cell.inverse(), anstyle::Effects::INVERT),
    ];
    effects.into_iter().filter(|(on, _)| *on).fold(style, |style, (_, effect)| style | effect)
}

/// Keys.
pub(crate) const LEFT: &str = "\x1b[D";
pub(crate) const RIGHT: &str = "\x1b[C";
pub(crate) const UP: &str = "\x1b[A";
pub(crate) const HOME: &str = "\x1b[H";
pub(crate) const END: &str = "\x1b[F";
pub(crate) const CTRL_C: &str = "\x03";
