//! What asks the process to end: Ctrl-C, a request to terminate, and a terminal that is closed.

use std::io;

/// What asks the process to end; none is missed between two looks.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None where whoever started us wants it to go on without its terminal.
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on: what comes no longer ends the process by itself.
    ///
    /// # Errors
    /// When the system does not let us.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hang_up = SignalKind::hangup();
        // Asked before anybody listens: that makes it be heard.
        let hang_up =
            if is_ignored(hang_up.as_raw_value()) { None } else { Some(signal(hang_up)?) };
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)?, hang_up })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        let hang_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hang_up => {}
        }
    }
}

/// Whether whoever started this process has it ignore a signal, as `nohup` does. Only Linux tells it
/// without being asked in C; elsewhere nothing counts as ignored.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignores(&status, signal)
}

/// The same, by the words of the system.
#[cfg(unix)]
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let bit = u32::try_from(signal - 1).ok().and_then(|place| 1_u64.checked_shl(place));
    bit.is_some_and(|bit| mask & bit != 0)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_ignored_when_its_bit_is_set() {
        let status = "Name:\tdipmo\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        assert!(ignores(status, 1) && ignores(status, 13));
        assert!(!ignores(status, 2) && !ignores(status, 15) && !ignores(status, 0));
        assert!(!ignores("", 1) && !ignores("SigIgn:\tnonsense", 1));
    }
}
