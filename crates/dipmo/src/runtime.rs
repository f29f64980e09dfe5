//! The runtime that a command runs on, and how it is left.

use std::io;
use std::time::Duration;

use tokio::runtime::Builder;

/// How long what a command has left behind may take to end. With the time that a stop may take it is
/// less than ten seconds.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// Runs a command to its end. Nobody waits for a thread that is blocked: the lookup of a name takes as
/// long as the system likes, and ends with the process.
pub(crate) fn run<T>(command: impl Future<Output = T>) -> io::Result<T> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(command);
    runtime.shutdown_timeout(LAST_MOMENT);
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use dipmo::service::GRACE;

    use super::*;

    #[test]
    fn a_thread_that_is_blocked_holds_up_nobody() {
        let (goes_on, waits) = mpsc::channel::<()>();
        let (ended, has_ended) = mpsc::channel();
        thread::spawn(move || {
            let command = async {
                tokio::task::spawn_blocking(move || waits.recv());
                7
            };
            ended.send(run(command).unwrap()).unwrap();
        });
        assert_eq!(has_ended.recv_timeout(Duration::from_secs(60)), Ok(7));
        drop(goes_on);
    }

    #[test]
    fn a_stop_and_what_follows_take_less_than_ten_seconds() {
        assert!(GRACE + LAST_MOMENT < Duration::from_secs(10));
    }
}
