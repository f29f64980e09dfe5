//! Messages for many aggregates, with duplicates, for as long as it takes.

use std::time::Duration;

use dipmo_inbox::NewMessage;
use dipmo_store::Store;
use tokio_util::sync::CancellationToken;

use super::engine::{ECHO, LOOSE, STRICT};
use super::look::Look;
use super::numbers::TIMERS;
use super::sent::Sent;
use super::step::Step;

pub(crate) struct Load {
    pub(crate) sent: Sent,
    aggregates: usize,
    tell: Vec<String>,
    random: fastrand::Rng,
}

impl Load {
    /// Every step tells all destinations.
    pub(crate) fn new(aggregates: usize) -> Self {
        Self::telling(aggregates, &[STRICT, LOOSE, ECHO])
    }

    /// Every step tells some destinations.
    pub(crate) fn telling(aggregates: usize, tell: &[&str]) -> Self {
        let tell = tell.iter().map(|to| (*to).to_owned()).collect();
        Self { sent: Sent::default(), aggregates, tell, random: fastrand::Rng::with_seed(7) }
    }

    /// The next steps of some aggregates, and some that were sent before.
    pub(crate) fn next(&mut self, messages: usize) -> Vec<NewMessage> {
        let mut next = Vec::new();
        for _ in 0..messages {
            let aggregate = format!("A-{}", self.random.usize(..self.aggregates));
            let before = self.sent.len(&aggregate);
            next.push(self.sent.next(&aggregate, self.step(before + 1)));
            if before > 0 && self.random.u8(..) < 32 {
                next.push(self.sent.again(&aggregate, self.random.usize(..before)));
            }
        }
        next
    }

    /// Stores until it is told to stop. What fails is stored again: nobody knows whether it was.
    pub(crate) async fn keep_storing(
        mut self,
        store: &dyn Store,
        look: &Look,
        stop: &CancellationToken,
    ) -> Sent {
        while !stop.is_cancelled() {
            let messages = self.next(20);
            while store.store(&messages, &[]).await.is_err() {
                tokio::task::yield_now().await;
            }
            // What waits must end in time after the last message, however slow the machine is.
            while !stop.is_cancelled() && look.number(WAITING).await > 200 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.sent
    }

    /// A bit of everything that a step can want.
    fn step(&self, n: usize) -> Step {
        Step {
            fails: u32::from(n % 17 == 4),
            tell: self.tell.clone(),
            look: n.is_multiple_of(10),
            ring: (n % 20 == 19 && n / 20 < TIMERS.len()).then_some(n / 20),
            refuse: n % 11 == 5,
            ..Step::default()
        }
    }
}

/// A row is a few messages of one lane.
const WAITING: &str = "select count(*) from inbox_ready";
