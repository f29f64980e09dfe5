//! Groups of failures after a long series of chance: their counts are those of all rows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Failure, Fingerprint, InboxId, InboxStatus, Month, OutboxId, OutboxStatus};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::admin::Operable;
use dipmo_store::{ClaimedMessage, SettlementKind};

use crate::OperableFixture;
use crate::suite::poison::poison;
use crate::support::{
    Chance, LONG, Orderly, dispatched, done, event, everything, intent, is_full, kafka,
    record_keys, seeds, stored, take,
};

/// By group: how many have failed, and how many are retried.
type Counts = BTreeMap<Fingerprint, (u64, u64)>;

/// After batches, settlements, acts of operators, decoding again, folding and dropping of history in any order,
/// the counts are those of a recount over all rows.
pub async fn the_counts_are_those_of_all_rows<F: OperableFixture>() {
    for seed in seeds() {
        let fixture = F::fresh().await;
        let mut world = World::new(fixture.operable(), Chance::new(seed));
        let mut most = 0;
        for round in 0..if is_full() { 60 } else { 12 } {
            for _ in 0..15 {
                world.step().await;
            }
            let recounted = world.recount().await;
            assert_eq!(world.told().await, recounted, "seed {seed}, round {round}");
            most = most.max(recounted.len());
        }
        assert!(most > 3, "seed {seed}: the series had little to count: {most}");
    }
}

struct World {
    store: Arc<dyn Operable>,
    chance: Chance,
    number: i64,
    messages: Vec<InboxId>,
    poison: Vec<(InboxId, NewMessage)>,
}

impl World {
    const fn new(store: Arc<dyn Operable>, chance: Chance) -> Self {
        Self { store, chance, number: 0, messages: Vec::new(), poison: Vec::new() }
    }

    async fn step(&mut self) {
        match self.chance.below(100) {
            0..25 => self.arrive().await,
            25..50 => self.work().await,
            50..68 => self.dispatch().await,
            68..80 => self.operate().await,
            80..90 => self.operate_units().await,
            90..95 => self.decode_again().await,
            95..98 => self.fold().await,
            _ => self.drop_history().await,
        }
    }

    async fn arrive(&mut self) {
        for _ in 0..=self.chance.below(5) {
            self.number += 1;
            let aggregate = format!("A-{}", self.chance.below(8));
            let real = event(&aggregate, self.number);
            let arrives = match self.chance.below(10) {
                0 => poison(&aggregate, self.number),
                1 => NewMessage { blocks_key: false, ..poison(&aggregate, self.number) },
                _ => real.clone(),
            };
            let is_poison = arrives != real;
            let id = stored(&*self.store, &[arrives]).await[0];
            self.messages.push(id);
            if is_poison {
                self.poison.push((id, real));
            }
        }
    }

    async fn work(&mut self) {
        let mut chance = Chance::new(self.chance.number());
        let verdict = move |_: &ClaimedMessage| match chance.below(10) {
            0..4 => done(),
            4..6 => SettlementKind::Failed { failure: some(&mut chance), block: true },
            6 => SettlementKind::Failed { failure: some(&mut chance), block: false },
            7 => SettlementKind::Parked { at_most: LONG },
            _ => SettlementKind::Retry { after: Duration::ZERO, failure: some(&mut chance) },
        };
        let logic = Orderly::new(verdict).writing(|claimed| {
            let number = claimed.message.offset;
            let aggregate = claimed.message.aggregate_id.as_deref().unwrap();
            let records = record_keys(usize::try_from(number % 3).unwrap());
            vec![NewIntent { records, ..intent(&kafka("t"), aggregate, number) }]
        });
        logic.run(&*self.store, everything()).await.unwrap();
        self.store.release(20).await.unwrap();
    }

    async fn dispatch(&mut self) {
        let hand = take(&*self.store, &kafka("t"), "o").await;
        let chance = &mut self.chance;
        let results = hand.in_order(|_: &Delivery| match chance.below(10) {
            0..4 => dispatched(),
            4 => UnitResult::Later,
            5 => UnitResult::Unanswered { after: Duration::ZERO, failure: some(chance) },
            6 => UnitResult::Failed { failure: some(chance), block: false },
            7 => UnitResult::Failed { failure: some(chance), block: true },
            _ => UnitResult::Retry { after: Duration::ZERO, failure: some(chance) },
        });
        hand.settle(&*self.store, |unit| results[&unit.unit].clone()).await.unwrap();
        hand.give_back(&*self.store).await;
        self.store.release_units(20).await.unwrap();
    }

    async fn operate(&mut self) {
        let some = pick(&self.messages, &mut self.chance);
        match self.chance.below(3) {
            0 => self.store.retry(&some, self.chance.percent(50)).await.map(drop),
            1 => self.store.skip(&some).await.map(drop),
            _ => self.store.release_behind(&some).await.map(drop),
        }
        .unwrap();
    }

    async fn operate_units(&mut self) {
        let some = pick(&self.units().await, &mut self.chance);
        match self.chance.below(3) {
            0 => self.store.retry_units(&some, self.chance.percent(50)).await.map(drop),
            1 => self.store.skip_units(&some).await.map(drop),
            _ => self.store.release_behind_units(&some).await.map(drop),
        }
        .unwrap();
    }

    async fn decode_again(&mut self) {
        let some = pick(&self.poison, &mut self.chance);
        self.store.reparse(&some, self.chance.percent(50)).await.unwrap();
    }

    async fn fold(&mut self) {
        let limit = u32::try_from(1 + self.chance.below(20)).unwrap();
        self.store.fold_failures(limit).await.unwrap();
    }

    async fn drop_history(&self) {
        let month = Month::of(self.store.now().await.unwrap()).next();
        self.store.drop_before(month, 1_000).await.unwrap();
        self.store.prepare_months(1).await.unwrap();
    }

    /// Intents, and records of those that have any.
    async fn units(&self) -> Vec<OutboxId> {
        let mut units = Vec::new();
        for row in self.store.outbox_rows(100_000).await.unwrap() {
            units.push(row.id);
            units.extend(self.store.records(row.id).await.unwrap().iter().map(|row| row.id));
        }
        units
    }

    async fn told(&self) -> Counts {
        let groups = self.store.failure_groups(100_000).await.unwrap();
        let count = |group: dipmo_store::admin::FailureGroup| {
            (group.fingerprint, (group.failed, group.retrying))
        };
        groups.into_iter().map(count).collect()
    }

    async fn recount(&self) -> Counts {
        let mut counts = Counts::new();
        for row in self.store.inbox_rows(100_000).await.unwrap() {
            let Some(failure) = row.failure.filter(|_| row.outcome.is_none()) else { continue };
            let has_failed = match row.status {
                InboxStatus::Processed => continue,
                InboxStatus::Failed | InboxStatus::SerdeError => true,
                InboxStatus::Received | InboxStatus::Retry => false,
            };
            add(&mut counts, Fingerprint::of("inbox", row.error_stage, &failure), has_failed);
        }
        for row in self.store.outbox_rows(100_000).await.unwrap() {
            let records = self.store.records(row.id).await.unwrap();
            let records = records.into_iter().map(|row| (row.failure, row.skipped, row.status));
            let own = (row.failure, row.skipped, row.status);
            for (failure, skipped, status) in records.chain([own]) {
                let Some(failure) = failure.filter(|_| !skipped) else { continue };
                let has_failed = match status {
                    OutboxStatus::Dispatched => continue,
                    OutboxStatus::Failed => true,
                    OutboxStatus::Pending => false,
                };
                add(&mut counts, Fingerprint::of("outbox", None, &failure), has_failed);
            }
        }
        counts
    }
}

fn add(counts: &mut Counts, group: Fingerprint, has_failed: bool) {
    let (failed, retrying) = counts.entry(group).or_default();
    *(if has_failed { failed } else { retrying }) += 1;
}

/// One of a few kinds of failures, in words that differ.
fn some(chance: &mut Chance) -> Failure {
    let code = format!("code-{}", ["a", "b"][chance.below(2)]);
    let words = ["is unknown", "is late"][chance.below(2)];
    Failure::new(&code, &format!("order {} {words}", chance.below(1_000)))
}

/// A few of them.
fn pick<T: Clone>(all: &[T], chance: &mut Chance) -> Vec<T> {
    let count = if all.is_empty() { 0 } else { 1 + chance.below(6) };
    (0..count).map(|_| all[chance.below(all.len())].clone()).collect()
}
