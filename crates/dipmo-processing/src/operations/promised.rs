//! Adds up how often an instance kept what was promised, for all instances together.
//!
//! The figures are counted anyway, and what was added since the last time goes into a few rows of the database. An
//! instance that ends in a crash takes with it what it had not told.

use std::sync::Arc;

use dipmo_domain::{Destination, StoreError};
use dipmo_store::admin::{Objective, Slo, SloCount};

use crate::metrics::{OutboxFigures, Snapshot};

/// What was promised, and what was told of it.
pub struct Promised {
    store: Arc<dyn Slo>,
    told: Vec<(Objective, Kept)>,
}

/// How often a promise was kept, and of how many, since the instance started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kept {
    good: u64,
    total: u64,
}

impl Promised {
    /// Nothing was told yet.
    #[must_use]
    pub fn new(store: Arc<dyn Slo>, objectives: Vec<Objective>) -> Self {
        let told = objectives.into_iter().map(|objective| (objective, Kept::default())).collect();
        Self { store, told }
    }

    /// Tells what was counted since the last time; what cannot be told now is told the next time.
    pub(super) async fn tell(&mut self, figures: &Snapshot) -> Result<(), StoreError> {
        let now = self.told.iter().map(|(objective, _)| (*objective, kept(*objective, figures)));
        let now: Vec<_> = now.collect();
        let counts = now.iter().zip(&self.told).filter_map(|((objective, now), (_, told))| {
            let (good, total) = (now.good - told.good, now.total - told.total);
            (total > 0).then(|| SloCount { name: objective.name(), good, total })
        });
        let counts: Vec<_> = counts.collect();
        if !counts.is_empty() {
            self.store.add_slo(&counts).await?;
        }
        self.told = now;
        Ok(())
    }
}

fn kept(objective: Objective, figures: &Snapshot) -> Kept {
    let sum = |of: fn(&OutboxFigures) -> u64| outside(figures).map(of).sum::<u64>();
    match objective {
        Objective::Latency { .. } => {
            Kept { good: sum(|it| it.in_time), total: sum(|it| it.dispatched) }
        }
        Objective::Delivered => {
            let good = sum(|it| it.dispatched);
            Kept { good, total: good + sum(|it| it.failed) }
        }
        Objective::Processed => {
            let good = figures.inbox.ended.values().sum();
            Kept { good, total: good + figures.inbox.failed }
        }
    }
}

/// What one process tells another is a step on the way, and no delivery.
fn outside(figures: &Snapshot) -> impl Iterator<Item = &OutboxFigures> {
    let is_internal =
        |name: &str| matches!(name.parse::<Destination>(), Ok(Destination::Internal { .. }));
    figures.outbox.iter().filter(move |(name, _)| !is_internal(name)).map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use async_trait::async_trait;
    use dipmo_domain::{Outcome, Timestamp};
    use dipmo_store::admin::SloHour;

    use super::*;

    /// Keeps what it is told, but for the second time.
    #[derive(Default)]
    struct Book(Mutex<Vec<Vec<SloCount>>>);

    #[async_trait]
    impl Slo for Book {
        async fn add_slo(&self, counts: &[SloCount]) -> Result<(), StoreError> {
            let mut book = self.0.lock().unwrap();
            book.push(counts.to_vec());
            match book.len() {
                2 => Err(StoreError::Busy { statement: "x", problem: "y".to_owned() }),
                _ => Ok(()),
            }
        }

        async fn slo_hours(&self, _: Timestamp) -> Result<Vec<SloHour>, StoreError> {
            Ok(Vec::new())
        }

        async fn forget_slo(&self, _: Timestamp) -> Result<u64, StoreError> {
            Ok(0)
        }
    }

    #[tokio::test]
    async fn what_was_told_is_not_told_again_and_what_was_not_is() {
        let book = Arc::new(Book::default());
        let objectives = vec![Objective::Delivered, Objective::Processed];
        let mut promised = Promised::new(Arc::clone(&book) as _, objectives);
        let mut figures = Snapshot::default();
        promised.tell(&figures).await.unwrap();
        assert!(book.0.lock().unwrap().is_empty(), "there is nothing to tell");
        for _ in 0..4 {
            figures.inbox.failed += 1;
            figures.inbox.ended.entry(Outcome::Done).and_modify(|it| *it += 9).or_insert(9);
            let _ = promised.tell(&figures).await;
        }
        promised.tell(&figures).await.unwrap();
        let told = book.0.lock().unwrap().clone();
        let told: Vec<_> = told.iter().flatten().map(|it| (it.good, it.total)).collect();
        assert_eq!(told, [(9, 10), (9, 10), (18, 20), (9, 10)]);
    }

    #[test]
    fn each_promise_counts_its_own_and_no_step_on_the_way() {
        let mut figures = Snapshot::default();
        let of = |dispatched, failed, in_time| OutboxFigures {
            dispatched,
            failed,
            in_time,
            ..OutboxFigures::default()
        };
        figures.outbox.insert("KAFKA:t".to_owned(), of(10, 1, 8));
        figures.outbox.insert("HTTP:SFDC:Auto:Contact".to_owned(), of(5, 0, 5));
        figures.outbox.insert("INTERNAL".to_owned(), of(100, 100, 100));
        figures.outbox.insert("INTERNAL:HIT".to_owned(), of(100, 100, 100));
        figures.inbox.ended.insert(Outcome::Done, 20);
        figures.inbox.ended.insert(Outcome::Stale, 3);
        figures.inbox.failed = 2;
        let within = Duration::from_secs(60);
        let expected = [
            (Objective::Latency { within }, Kept { good: 13, total: 15 }),
            (Objective::Delivered, Kept { good: 15, total: 16 }),
            (Objective::Processed, Kept { good: 23, total: 25 }),
        ];
        for (objective, expected) in expected {
            assert_eq!(kept(objective, &figures), expected, "{objective:?}");
        }
    }
}
