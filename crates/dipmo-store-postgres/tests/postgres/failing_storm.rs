//! Everybody fails, operates and folds at once: nobody waits in a circle, and the counts are those of all rows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Failure, Lane, OutboxId, StoreError};
use dipmo_inbox::{Body, NewMessage};
use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::admin::Operable;
use dipmo_store::{ClaimLimits, ClaimedMessage, SettlementKind};
use dipmo_store_tests::support::{
    Chance, LONG, Orderly, dispatched, done, event, everything, intent, is_full, kafka, stored,
    take,
};
use dipmo_store_tests::{Fixture as _, OperableFixture as _};
use tokio_postgres::Client;

use crate::support::fixture::Postgres;

/// One of a few failures of a round; the next round has new ones.
fn some(chance: &mut Chance, round: usize) -> Failure {
    let kind = ["a", "b", "c", "d", "e", "f"][chance.below(6)];
    Failure::new(&format!("round-{round}"), &format!("{kind} says {}", chance.below(1_000)))
}

/// Stores messages of which some cannot be decoded, and settles a part of the lanes.
async fn work(store: Arc<dyn Operable>, mut chance: Chance, rounds: usize) {
    for round in 0..rounds {
        for _ in 0..6 {
            let number = i64::try_from(chance.number() >> 2).unwrap();
            let message = event(&format!("A-{}", chance.below(40)), number);
            let poison =
                Body::Undecodable { base64: "/w==".to_owned(), failure: some(&mut chance, round) };
            let is_poison = chance.percent(20);
            let body = if is_poison { poison } else { message.body.clone() };
            stored(&*store, &[NewMessage { body, ..message }]).await;
        }
        let mut verdicts = Chance::new(chance.number());
        let verdict = move |_: &ClaimedMessage| match verdicts.below(10) {
            0..3 => done(),
            3..7 => SettlementKind::Failed { failure: some(&mut verdicts, round), block: false },
            _ => {
                SettlementKind::Retry { after: Duration::ZERO, failure: some(&mut verdicts, round) }
            }
        };
        let logic = Orderly::new(verdict).writing(|claimed| {
            let name = claimed.message.aggregate_id.as_deref().unwrap();
            vec![intent(&kafka("t"), name, claimed.message.offset)]
        });
        let start = Lane::from_index(i64::try_from(chance.below(64)).unwrap()).unwrap();
        let limits = ClaimLimits { lanes: 8, start, ..everything() };
        logic.run(&*store, limits).await.unwrap();
        store.release(20).await.unwrap();
    }
}

async fn dispatch(store: Arc<dyn Operable>, mut chance: Chance, owner: &str, rounds: usize) {
    for round in 0..rounds {
        let hand = take(&*store, &kafka("t"), owner).await;
        let results = hand.in_order(|_: &Delivery| match chance.below(10) {
            0..3 => dispatched(),
            3 => {
                UnitResult::Unanswered { after: Duration::ZERO, failure: some(&mut chance, round) }
            }
            4..7 => UnitResult::Failed { failure: some(&mut chance, round), block: false },
            _ => UnitResult::Retry { after: Duration::ZERO, failure: some(&mut chance, round) },
        });
        let settled = hand.settle(&*store, |unit| results[&unit.unit].clone()).await;
        // An operator may have retried one meanwhile.
        let fine = settled.is_ok() || matches!(settled, Err(StoreError::Fenced { .. }));
        assert!(fine, "{settled:?}");
        hand.give_back(&*store).await;
        store.release_units(20).await.unwrap();
    }
}

async fn operate(store: Arc<dyn Operable>, mut chance: Chance, rounds: usize) {
    for _ in 0..rounds {
        let messages = store.inbox_rows(50).await.unwrap();
        let messages: Vec<_> =
            messages.iter().map(|row| row.message.id).filter(|_| chance.percent(30)).collect();
        let units = store.outbox_rows(50).await.unwrap();
        let units: Vec<OutboxId> =
            units.iter().map(|row| row.id).filter(|_| chance.percent(30)).collect();
        match chance.below(4) {
            0 => drop(store.retry(&messages, true).await.unwrap()),
            1 => drop(store.skip(&messages).await.unwrap()),
            2 => drop(store.retry_units(&units, true).await.unwrap()),
            _ => drop(store.skip_units(&units).await.unwrap()),
        }
    }
}

async fn fold(store: Arc<dyn Operable>, rounds: usize) {
    for _ in 0..rounds {
        store.fold_failures(7).await.unwrap();
        let later = store.now().await.unwrap().after(LONG);
        store.forget_failures(later).await.unwrap();
    }
}

/// By group, how many have failed and how many are retried, counted row by row.
async fn recount(client: &Client) -> BTreeMap<i64, (u64, u64)> {
    let count = "
        select fingerprint, count(*) filter (where status in ('FAILED', 'SERDE_ERROR')),
            count(*) filter (where status not in ('FAILED', 'SERDE_ERROR'))
        from (select fingerprint, status, outcome, error_code from inbox_exception
              union all select fingerprint, status, outcome, error_code from outbox_exception) e
        where error_code is not null and outcome is null and status not in ('PROCESSED', 'DISPATCHED')
        group by fingerprint";
    let number = |number: i64| u64::try_from(number).unwrap();
    let rows = client.query(count, &[]).await.unwrap();
    let count = |row: &tokio_postgres::Row| (row.get(0), (number(row.get(1)), number(row.get(2))));
    rows.iter().map(count).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_storm_the_counts_are_those_of_all_rows() {
    let fixture = Postgres::<15>::fresh().await;
    let rounds = if is_full() { 200 } else { 30 };
    let mut tasks = Vec::new();
    for seed in 0..3 {
        let chance = |part: u64| Chance::new(100 * part + seed);
        let store = fixture.another_operable().await;
        tasks.push(tokio::spawn(work(Arc::clone(&store), chance(1), rounds)));
        let owner = ["one", "two", "three"][usize::try_from(seed).unwrap()];
        tasks.push(tokio::spawn(dispatch(Arc::clone(&store), chance(2), owner, rounds)));
        tasks.push(tokio::spawn(operate(Arc::clone(&store), chance(3), rounds)));
        tasks.push(tokio::spawn(fold(store, rounds)));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let store = fixture.operable();
    let recounted = recount(&fixture.client().await).await;
    assert!(recounted.len() > 20, "there was little to count: {}", recounted.len());
    for fold in [false, true] {
        while fold && store.fold_failures(100).await.unwrap() > 0 {}
        let groups = store.failure_groups(10_000).await.unwrap();
        let told: BTreeMap<_, _> = groups
            .into_iter()
            .map(|group| (group.fingerprint.0, (group.failed, group.retrying)))
            .collect();
        assert_eq!(told, recounted, "folded: {fold}");
    }
}
