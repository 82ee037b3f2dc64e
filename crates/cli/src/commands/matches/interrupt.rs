//! Ctrl-C stops matches properly: players are notified, results are kept. A second Ctrl-C quits.

use ludex_search::Stop;

use crate::output::remark;

/// Exit code of a program stopped by Ctrl-C (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// Requests a stop at Ctrl-C and prints its effect. Without signal handling Ctrl-C quits as usual.
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
            remark(format_args!("Stopping: {meaning}. Press Ctrl-C again to quit now."));
            if tokio::signal::ctrl_c().await.is_ok() {
                #[allow(clippy::exit, reason = "the user asked a second time")]
                std::process::exit(INTERRUPTED);
            }
        });
    };
    // Without the thread Ctrl-C quits as usual.
    let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(wait);
}
