//! Leaving what is watched: Ctrl-C, and what else asks a process to end.

use dipmo::service::Signals;
use tokio_util::sync::CancellationToken;

/// As a shell has it of who was interrupted.
const ASKED_TWICE: i32 = 130;

/// Cancelled once somebody asks this process to end. Whoever asks a second time does not want to wait.
pub(crate) fn leaving() -> CancellationToken {
    let leaving = CancellationToken::new();
    // Where nobody may listen, a signal goes on ending the process.
    if let Ok(mut signals) = Signals::new() {
        let told = leaving.clone();
        tokio::spawn(async move {
            signals.next().await;
            told.cancel();
            signals.next().await;
            std::process::exit(ASKED_TWICE);
        });
    }
    leaving
}
