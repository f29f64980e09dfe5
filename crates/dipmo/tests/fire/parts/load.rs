//! Messages for many aggregates, with duplicates, for as long as it takes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_inbox::NewMessage;
use dipmo_store::Store;
use tokio_util::sync::CancellationToken;

use super::numbers::{Step, TIMERS, message};

/// What was sent so far.
pub(crate) struct Load {
    /// How many steps each aggregate had.
    pub(crate) steps: BTreeMap<String, i64>,
    random: fastrand::Rng,
}

impl Load {
    pub(crate) fn new(aggregates: usize) -> Self {
        let steps = (0..aggregates).map(|number| (format!("A-{number}"), 0)).collect();
        Self { steps, random: fastrand::Rng::with_seed(7) }
    }

    /// The next steps of some aggregates, and some that were sent before.
    pub(crate) fn next(&mut self, messages: usize) -> Vec<NewMessage> {
        let mut next = Vec::new();
        for _ in 0..messages {
            let place = self.random.usize(..self.steps.len());
            let (aggregate, n) = self.steps.iter_mut().nth(place).unwrap();
            *n += 1;
            next.push(message(aggregate, &step(*n)));
            if self.random.u8(..) < 32 {
                next.push(message(aggregate, &step(self.random.i64(1..=*n))));
            }
        }
        next
    }

    /// Stores until it is told to stop. What fails is stored again: nobody knows whether it was.
    pub(crate) async fn keep_storing(
        mut self,
        store: Arc<dyn Store>,
        stop: CancellationToken,
    ) -> Self {
        while !stop.is_cancelled() {
            let messages = self.next(10);
            while store.store(&messages, &[]).await.is_err() {
                tokio::task::yield_now().await;
            }
            // A source has a pace of its own: the backlog must stay small enough to end in time.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self
    }

    /// The timers that each aggregate has set, by the number that set it.
    pub(crate) fn timers(steps: i64) -> Vec<i64> {
        (1..=steps).filter(|n| step(*n).ring.is_some()).collect()
    }
}

/// A step of the load; the same for the same number, so that a duplicate is one.
fn step(n: i64) -> Step {
    let timer = usize::try_from(n / 20).unwrap();
    Step {
        n,
        fails: u32::from(n % 13 == 4),
        tell: vec!["KAFKA:out".to_owned(), "INTERNAL:echo".to_owned()],
        look: n % 10 == 0,
        ring: (n % 20 == 19 && timer < TIMERS.len()).then_some(timer),
        refuse: n % 11 == 5,
        ..Step::default()
    }
}
