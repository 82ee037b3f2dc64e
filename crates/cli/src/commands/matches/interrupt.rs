//! Ctrl-C ends a match properly: players are told, the record is kept. A second time ends the program.

use ludex_search::Stop;

use crate::output::remark;

/// What a program reports that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Aborts the match at Ctrl-C. If signals cannot be had, Ctrl-C ends the program as usual.
pub(super) fn abort_on_interrupt(abort: &Stop) {
    let abort = abort.clone();
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            abort.set();
            remark(format_args!("the match is aborted; Ctrl-C again ends at once"));
            if tokio::signal::ctrl_c().await.is_ok() {
                #[allow(clippy::exit, reason = "somebody asks for it a second time")]
                std::process::exit(INTERRUPTED);
            }
        });
    };
    // Without the thread Ctrl-C does what it always does.
    let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(wait);
}
