//! Ctrl-C: once to end the sending, twice to end at once.

use dipmo::service::Signals;
use tokio_util::sync::CancellationToken;

use crate::console::err;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// A token that is cancelled by the first Ctrl-C, or by a request to terminate. At the second,
/// `abandon` removes what it can and says what is left.
pub(crate) fn on_interrupt(
    abandon: impl FnOnce() -> Vec<String> + Send + 'static,
) -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let token = stop.clone();
    let mut signals = Signals::new()?;
    tokio::spawn(async move {
        signals.next().await;
        err("\nstopping: what was begun is ended and counted; Ctrl-C again ends at once");
        token.cancel();
        signals.next().await;
        abandon().iter().for_each(|left| err(left));
        std::process::exit(INTERRUPTED);
    });
    Ok(stop)
}
