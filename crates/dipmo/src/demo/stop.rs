//! Ctrl-C: once to end the sending, twice to end at once.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::place::Leftovers;
use crate::console::err;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// A token that is cancelled by the first Ctrl-C, or by a request to terminate.
pub(crate) fn on_interrupt(leftovers: Arc<Leftovers>) -> CancellationToken {
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        interrupted().await;
        err("\nstopping: what was begun is ended and counted; Ctrl-C again ends at once");
        token.cancel();
        interrupted().await;
        if let Some(left) = leftovers.abandon() {
            err(&left);
        }
        std::process::exit(INTERRUPTED);
    });
    stop
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
