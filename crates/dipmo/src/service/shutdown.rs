//! Ending in order: once asked, what was begun is ended; asked again, or out of time, it is left.
//!
//! What is left is not lost: a transaction that did not commit never was, records without a commit
//! are read again, and leases run out.

use std::process::ExitCode;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long everything may take to end. The process is gone within ten seconds, also when it could not
/// end all of it.
pub const GRACE: Duration = Duration::from_secs(9);

/// The exit code of a process that was interrupted again while it ended.
const INTERRUPTED: u8 = 130;
/// The exit code of a process that could not end all that it had begun in time.
const OUT_OF_TIME: u8 = 3;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<T> {
    /// All of it ended, by itself or because it was asked.
    Done(T),
    /// It was asked a second time, and what had not ended was left.
    Interrupted,
    /// The time was up, and what had not ended was left.
    OutOfTime,
}

/// Runs something until it ends. The first time that `next` returns, `stop` is cancelled: whoever
/// reads stops reading, stores what it has and leaves its group; whoever works settles what it has
/// begun and gives its leases back. The second time, or after `grace`, what is left is dropped.
///
/// `next` waits for a signal: [`Signals::next`](super::Signals::next).
pub async fn run_until_stopped<T>(
    work: impl Future<Output = T>,
    stop: &CancellationToken,
    mut next: impl AsyncFnMut(),
    grace: Duration,
) -> Ended<T> {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return Ended::Done(done),
        // Somebody else may have decided that it ends: the time runs from then on.
        () = stop.cancelled() => {}
        () = next() => {
            tracing::info!(?grace, "stopping: what was begun is ended; again ends at once");
            stop.cancel();
        }
    }
    tokio::select! {
        biased;
        done = &mut work => Ended::Done(done),
        () = next() => {
            tracing::warn!("asked again: what has not ended is left");
            Ended::Interrupted
        }
        () = sleep(grace) => {
            tracing::error!(?grace, "out of time: what has not ended is left");
            Ended::OutOfTime
        }
    }
}

impl<T> Ended<T> {
    /// The exit code: that of the work, or one that tells that something was left.
    pub fn exit_code(self, of: impl FnOnce(T) -> ExitCode) -> ExitCode {
        match self {
            Self::Done(done) => of(done),
            Self::Interrupted => ExitCode::from(INTERRUPTED),
            Self::OutOfTime => ExitCode::from(OUT_OF_TIME),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    /// Work that takes so long to end once it is stopped.
    async fn ends_after(stop: CancellationToken, seconds: u64) -> &'static str {
        stop.cancelled().await;
        sleep(Duration::from_secs(seconds)).await;
        "all"
    }

    /// Asked at these seconds, and never again. What is not heard in one call is in the next.
    fn asked(at: &'static [u64]) -> impl AsyncFnMut() {
        let (began, mut times) = (Instant::now(), at.iter());
        async move || match times.as_slice().first() {
            Some(second) => {
                tokio::time::sleep_until(began + Duration::from_secs(*second)).await;
                times.next();
            }
            None => std::future::pending().await,
        }
    }

    async fn run(takes: u64, at: &'static [u64]) -> (Ended<&'static str>, u64) {
        let (began, stop) = (Instant::now(), CancellationToken::new());
        let work = ends_after(stop.clone(), takes);
        let ended = run_until_stopped(work, &stop, asked(at), GRACE).await;
        (ended, began.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn asked_once_it_ends_what_it_has_begun() {
        assert_eq!(run(8, &[100]).await, (Ended::Done("all"), 108));
    }

    #[tokio::test(start_paused = true)]
    async fn it_never_takes_longer_than_its_time() {
        assert_eq!(run(10, &[100]).await, (Ended::OutOfTime, 109));
    }

    #[tokio::test(start_paused = true)]
    async fn asked_twice_it_ends_at_once() {
        assert_eq!(run(8, &[100, 103]).await, (Ended::Interrupted, 103));
    }

    #[tokio::test(start_paused = true)]
    async fn what_ends_by_itself_needs_no_signal() {
        let stop = CancellationToken::new();
        let ended = run_until_stopped(async { 7 }, &stop, asked(&[]), GRACE).await;
        assert_eq!(ended, Ended::Done(7));
        assert!(!stop.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_that_stops_the_others_starts_the_time() {
        let stop = CancellationToken::new();
        stop.cancel();
        let work = std::future::pending::<()>();
        let began = Instant::now();
        let ended = run_until_stopped(work, &stop, asked(&[]), GRACE).await;
        assert_eq!((ended, began.elapsed()), (Ended::OutOfTime, GRACE));
    }
}
