//! Ctrl-C: once to end the sending, twice to end at once.

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
    let mut interrupts = Interrupts::new()?;
    tokio::spawn(async move {
        interrupts.next().await;
        err("\nstopping: what was begun is ended and counted; Ctrl-C again ends at once");
        token.cancel();
        interrupts.next().await;
        abandon().iter().for_each(|left| err(left));
        std::process::exit(INTERRUPTED);
    });
    Ok(stop)
}

/// What asks the program to end; none is missed between two looks.
#[cfg(unix)]
struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
