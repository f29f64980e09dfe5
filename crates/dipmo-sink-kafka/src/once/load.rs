//! What goes into a transaction: the units of a job, in pages as they are read and answered for.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Delivery, JobPage, JobWork, Published};

/// So many units are read and settled at once, unless they are large.
const PAGE: u64 = 1_000;

/// So many are read first of a topic: nobody knows how large they are.
const FIRST_PAGE: u64 = 100;

/// With every page one part in so many of the largest size is forgotten.
const FORGETS: u64 = 8;

/// About so many bytes are read at once.
const PAGE_BYTES: u64 = 4 << 20;

/// With so many bytes a transaction is full; what is left is in the next. All of it is in memory.
const MOST_BYTES: u64 = 16 << 20;

/// The units of a transaction.
pub(super) struct Load {
    pages: Vec<Vec<Delivery>>,
}

/// How large the largest units of each destination have been lately, in bytes.
#[derive(Debug, Default)]
pub(super) struct Sizes(Mutex<HashMap<Destination, u64>>);

impl Load {
    /// Reads what is left in a job. What is too much for one transaction leaves it.
    pub(super) async fn read(work: &dyn JobWork, sizes: &Sizes) -> Result<Self, StoreError> {
        let (mut pages, mut bytes, mut behind) = (Vec::new(), 0, None);
        let of = work.job().destination;
        loop {
            let JobPage { units, next } = work.units(behind, sizes.page(&of)).await?;
            bytes += sizes.seen(&of, &units);
            pages.push(units);
            let Some(mark) = next else { break };
            if bytes >= MOST_BYTES {
                work.release(Some(mark)).await?;
                break;
            }
            behind = Some(mark);
        }
        pages.retain(|page: &Vec<Delivery>| !page.is_empty());
        Ok(Self { pages })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// All units, in the order in which they are sent.
    pub(super) fn units(&self) -> impl Iterator<Item = &Delivery> {
        self.pages.iter().flatten()
    }

    /// Puts back what waits for an earlier unit of its key; true when there was any. The pages are
    /// to be read anew then.
    pub(super) async fn put_blocked_back(&self, work: &dyn JobWork) -> Result<bool, StoreError> {
        let is_blocked = |unit: &Delivery| unit.blocked_by.is_some();
        if !self.units().any(is_blocked) {
            return Ok(false);
        }
        let answer = |unit: &Delivery| is_blocked(unit).then_some(Published::NotTried);
        self.answer(work, self.units().map(answer).collect()).await?;
        Ok(true)
    }

    /// Answers for units by their places; those without an answer stay in the job.
    pub(super) async fn answer(
        &self,
        work: &dyn JobWork,
        answers: Vec<Option<Published>>,
    ) -> Result<(), StoreError> {
        let mut answers = answers.into_iter();
        for page in &self.pages {
            let of_page: Vec<_> = answers.by_ref().take(page.len()).collect();
            if of_page.iter().any(Option::is_some) {
                work.answer(page.clone(), of_page).await?;
            }
        }
        Ok(())
    }

    /// Answers for all of them: they are committed.
    pub(super) async fn delivered(self, work: &dyn JobWork) -> Result<(), StoreError> {
        for page in self.pages {
            let answers = vec![Some(Published::delivered()); page.len()];
            work.answer(page, answers).await?;
        }
        Ok(())
    }
}

impl Sizes {
    /// How many units of a destination to read at once: few while nothing is known of it.
    pub(super) fn page(&self, of: &Destination) -> u32 {
        let largest = self.lock().get(of).copied();
        let page = largest.map_or(FIRST_PAGE, |largest| PAGE_BYTES / largest.max(1));
        u32::try_from(page.clamp(1, PAGE)).unwrap_or(1)
    }

    /// Takes note of units that were read; answers their size. A large one is remembered for a while:
    /// the next may be as large.
    fn seen(&self, of: &Destination, units: &[Delivery]) -> u64 {
        let sizes = || units.iter().map(|unit| unit.payload.as_str().len() as u64);
        if let Some(largest) = sizes().max() {
            let mut all = self.lock();
            let before = all.get(of).copied().unwrap_or_default();
            all.insert(of.clone(), largest.max(before - before / FORGETS));
        }
        sizes().sum()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Destination, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{Json, OrderKey, OutboxId, Timestamp};
    use dipmo_outbox::Attempt;

    use super::*;

    fn topic(name: &str) -> Destination {
        Destination::Kafka { topic: name.to_owned() }
    }

    fn unit(bytes: usize) -> Delivery {
        let order_key = OrderKey::new("A");
        Delivery {
            unit: OutboxId(1),
            intent: OutboxId(1),
            record: None,
            lane: order_key.lane(),
            order_key,
            destination: topic("a"),
            aggregate_type: "A".to_owned(),
            aggregate_id: "A".to_owned(),
            event_type: "E".to_owned(),
            event_version: 1,
            payload: Json::of(&"x".repeat(bytes)).unwrap(),
            headers_json: None,
            created_at: Timestamp::EPOCH,
            cause: None,
            caused_at: None,
            reply_to: None,
            attempt: Attempt::Again { attempts: 0, retried: 0 },
            blocked_by: None,
        }
    }

    #[test]
    fn pages_are_as_long_as_the_largest_unit_of_a_topic_lets_them_be() {
        let (sizes, topic, other) = (Sizes::default(), topic("a"), topic("b"));
        assert_eq!(u64::from(sizes.page(&topic)), FIRST_PAGE);
        sizes.seen(&topic, &[unit(10), unit(10)]);
        assert_eq!(u64::from(sizes.page(&topic)), PAGE);
        sizes.seen(&topic, &[unit(10), unit(1 << 20)]);
        assert!(sizes.page(&topic) <= 4, "one is large");
        sizes.seen(&topic, &[unit(10)]);
        assert!(sizes.page(&topic) <= 8, "a small one is not the end of large ones");
        assert_eq!(u64::from(sizes.page(&other)), FIRST_PAGE, "another topic");
        for _ in 0..200 {
            sizes.seen(&topic, &[unit(10)]);
        }
        assert_eq!(u64::from(sizes.page(&topic)), PAGE, "it was long ago");
    }
}
