//! Ctrl-C ends matches properly: players are told, what is there is kept. A second time ends the program.

use ludex_search::Stop;

use crate::output::remark;

/// What a program reports that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Asks for an end at Ctrl-C and says what that means. If signals cannot be had, Ctrl-C ends the program as
/// usual.
pub(crate) fn stop_on_interrupt(stop: &Stop, meaning: &'static str) {
    let stop = stop.clone();
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            stop.set();
            remark(format_args!("{meaning}; Ctrl-C again ends at once"));
            if tokio::signal::ctrl_c().await.is_ok() {
                #[allow(clippy::exit, reason = "somebody asks for it a second time")]
                std::process::exit(INTERRUPTED);
            }
        });
    };
    // Without the thread Ctrl-C does what it always does.
    let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(wait);
}
