//! Real signals, sent to this very process: a listener keeps them from ending it.

use std::time::Duration;

use dipmo::service::{Ended, Signals, run_until_stopped};
use rustix::process::{Signal, getpid, kill_process};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn the_first_signal_stops_and_the_second_ends_at_once() {
    let mut signals = Signals::new().unwrap();
    let stop = CancellationToken::new();
    let work = async {
        kill_process(getpid(), Signal::TERM).unwrap();
        stop.cancelled().await;
        // It has much to end; somebody is impatient.
        kill_process(getpid(), Signal::INT).unwrap();
        std::future::pending::<()>().await;
    };
    let grace = Duration::from_secs(3_600);
    let ended = run_until_stopped(work, &stop, async || signals.next().await, grace).await;
    assert_eq!(ended, Ended::Interrupted);
    let stop = CancellationToken::new();
    let work = async {
        kill_process(getpid(), Signal::INT).unwrap();
        stop.cancelled().await;
        "all of it"
    };
    let ended = run_until_stopped(work, &stop, async || signals.next().await, grace).await;
    assert_eq!(ended, Ended::Done("all of it"));
    // The terminal is closed.
    kill_process(getpid(), Signal::HUP).unwrap();
    signals.next().await;
}
