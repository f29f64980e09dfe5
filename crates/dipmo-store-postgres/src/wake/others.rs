//! What other instances are to hear and tell, and the task that keeps a line to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dipmo_store::{Arrivals, Side};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_postgres::Config;

use crate::tls::Tls;
use crate::wake::line;

/// How long to wait before a lost line is tried again: twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The least time between two NOTIFY: those who come in between share the next one. Each takes a
/// lock that all NOTIFY of the server share, and wakes every instance.
const BETWEEN: Duration = Duration::from_millis(5);

/// Both sides, and their names in the database.
pub(super) const SIDES: [(Side, &str); 2] = [(Side::Inbox, "inbox"), (Side::Outbox, "outbox")];

/// Shared by the store and its line.
#[derive(Default)]
pub(super) struct Others {
    /// Who waits in this instance.
    pub(super) arrivals: Arrivals,
    /// The sides that others were not told of yet: a second time before that adds nothing.
    untold: [AtomicBool; 2],
    changed: Notify,
}

impl Others {
    /// Others are to hear that something became ready.
    pub(super) fn are_to_hear(&self, side: Side) {
        self.untold[side as usize].store(true, Ordering::Release);
        self.changed.notify_one();
    }

    /// Returns when there is something to tell, and it is not too soon after the last time. Takes
    /// it: the names of the sides.
    pub(super) async fn untold(&self, last: Option<Instant>) -> Vec<&'static str> {
        if let Some(last) = last {
            sleep_until(last + BETWEEN).await;
        }
        loop {
            let told = |side: Side| self.untold[side as usize].swap(false, Ordering::AcqRel);
            let sides: Vec<_> =
                SIDES.iter().filter(|(side, _)| told(*side)).map(|(_, name)| *name).collect();
            if !sides.is_empty() {
                return sides;
            }
            self.changed.notified().await;
        }
    }

    /// Something may have been missed here.
    pub(super) fn wake_all_here(&self) {
        SIDES.iter().for_each(|(side, _)| self.arrivals.tell(*side));
    }
}

/// Keeps a line for ever, whatever happens to it. Nobody depends on it but for speed, so that its
/// errors are nobody's: the calls of the store say what is wrong with the database.
pub(super) async fn keep_a_line(others: Arc<Others>, config: (Config, Tls)) {
    let mut pause = FIRST_PAUSE;
    loop {
        if line::hold(&others, &config).await {
            pause = FIRST_PAUSE;
            // What was on the wire may be lost.
            SIDES.iter().for_each(|(side, _)| others.are_to_hear(*side));
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_comes_close_together_is_told_at_once() {
        let (others, began) = (Others::default(), Instant::now());
        others.are_to_hear(Side::Outbox);
        assert_eq!(others.untold(None).await, ["outbox"]);
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..100 {
            others.are_to_hear(Side::Inbox);
        }
        let late = async { others.are_to_hear(Side::Outbox) };
        let (told, ()) = tokio::join!(others.untold(Some(began)), late);
        assert_eq!(told, ["inbox", "outbox"]);
        assert!(began.elapsed() >= BETWEEN);
        let more = tokio::time::timeout(LONGEST_PAUSE, others.untold(None));
        assert!(more.await.is_err(), "nothing is told twice");
    }
}
