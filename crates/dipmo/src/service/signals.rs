//! What asks the process to end: Ctrl-C, and a request to terminate.

use std::io;

/// What asks the process to end; none is missed between two looks.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on: what comes no longer ends the process by itself.
    ///
    /// # Errors
    /// When the system does not let us.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// What asks the process to end.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens for Ctrl-C.
    ///
    /// # Errors
    /// Never.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
