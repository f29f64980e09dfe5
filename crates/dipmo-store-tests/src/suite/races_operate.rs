//! Races of operators: with a worker that has the lane, with dispatchers, and with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_domain::{InboxId, OutboxId, OutboxStatus, Outcome};
use dipmo_outbox::UnitResult;
use dipmo_store::{Acted, ClaimedMessage, Store};

use super::operate::behind_a_head;
use crate::Fixture;
use crate::support::{
    Chance, Orderly, Script, aggregates, batch, dispatch_all, done, event, everything, failed,
    failure, inside, intent, kafka, retry, row_of, rows, stored, take, work_off, write_intents,
};

/// Trap 17: an operator who wants a message that a batch has claimed waits for the batch, and then
/// sees what it committed.
pub async fn trap_17_an_operator_waits_for_a_batch<F: Fixture>() {
    for skips in [true, false] {
        let fixture = F::fresh().await;
        let (store, another) = (fixture.store(), fixture.another().await);
        let ids = behind_a_head(&*store, retry(Duration::ZERO), 1).await;
        let (gate, task) = inside(&store, everything(), Script::process_all()).await;
        let head = [ids[0]];
        let mut acting = tokio::spawn(async move {
            if skips { another.skip(&head).await } else { another.retry(&head, false).await }
        });
        let early = tokio::time::timeout(Duration::from_millis(300), &mut acting).await;
        assert!(early.is_err(), "the batch has the lane: {early:?}");
        gate.open();
        assert_eq!(task.await.unwrap().unwrap().ids(), head);
        assert_eq!(acting.await.unwrap().unwrap().acts, [Acted::AlreadyEnded]);
        assert_eq!(row_of(&*store, ids[0]).await.outcome, Some(Outcome::Done));
    }
}

/// Two operators with the same messages, in opposite orders, over many lanes: neither waits for
/// ever, and each message is skipped once.
pub async fn two_operators_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    for round in 0..10 {
        let messages: Vec<_> = aggregates(40).iter().map(|name| event(name, round)).collect();
        let ids = stored(&*stores[0], &messages).await;
        batch(&*stores[0], Script::settling(|_| failed(true))).await.unwrap();
        let backwards: Vec<InboxId> = ids.iter().rev().copied().collect();
        let (here, there) = tokio::join!(stores[0].skip(&ids), stores[1].skip(&backwards));
        let there = there.unwrap().acts.into_iter().rev();
        for pair in here.unwrap().acts.into_iter().zip(there) {
            let once = matches!(
                pair,
                (Acted::Done, Acted::AlreadyDone) | (Acted::AlreadyDone, Acted::Done)
            );
            assert!(once, "{pair:?}");
        }
    }
}

/// One retries and one skips what dispatchers deliver meanwhile: nothing is sent out of order, and
/// nothing that was given up is sent.
pub async fn operators_and_a_dispatcher<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let mut chance = Chance::new(17);
    let (mut sent, mut skipped) = (Vec::new(), BTreeSet::new());
    let mut written = Vec::new();
    for round in 0..30 {
        let intents = (0..3).map(|n| intent(&kafka("t"), "F-1", round * 3 + n)).collect();
        written.extend(write_intents(&*store, intents).await);
        let mut hand = take(&*store, &kafka("t"), "o").await;
        for _ in 0..2 {
            let refuses = chance.percent(50);
            let results = hand.in_order(|_| match refuses {
                true => UnitResult::Failed { failure: failure("refused"), block: true },
                false => UnitResult::Dispatched { external_ref: None },
            });
            let failed = failed_units(&*store).await;
            let acting = async {
                if chance.percent(50) {
                    (another.skip_units(&failed).await.unwrap(), true)
                } else {
                    (another.retry_units(&failed, false).await.unwrap(), false)
                }
            };
            let settling = hand.settle(&*store, |unit| results[&unit.unit].clone());
            let ((operated, skips), settled) = tokio::join!(acting, settling);
            let done = failed.iter().zip(operated.acts).filter(|(_, act)| *act == Acted::Done);
            if skips {
                skipped.extend(done.map(|(id, _)| *id));
            }
            settled.unwrap();
            let arrived = hand.units.iter().map(|unit| unit.unit);
            sent.extend(
                arrived
                    .filter(|unit| results[unit] == UnitResult::Dispatched { external_ref: None }),
            );
            hand.reads_again(&*store).await;
        }
        hand.give_back(&*store).await;
    }
    store.retry_units(&failed_units(&*store).await, false).await.unwrap();
    sent.extend(dispatch_all(&*store, &kafka("t")).await.iter().map(|unit| unit.unit));
    let expected: Vec<_> = written.into_iter().filter(|id| !skipped.contains(id)).collect();
    assert_eq!(sent, expected, "all but what was given up, once, in order");
}

async fn failed_units(store: &dyn Store) -> Vec<OutboxId> {
    let rows = store.outbox_rows(200).await.unwrap();
    let failed = rows.iter().filter(|row| row.status == OutboxStatus::Failed && !row.skipped);
    failed.map(|row| row.id).collect()
}

/// Which messages were tried and ended well, in the order of their keys.
type Log = Arc<Mutex<BTreeMap<String, Vec<InboxId>>>>;

/// Workers that fail now and then, and operators who retry and skip: what was skipped was never
/// processed, everything else was, once, and in order.
pub async fn operators_and_workers<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    let names = aggregates(6);
    let messages: Vec<_> =
        (0..30).flat_map(|n| names.iter().map(move |name| event(name, n))).collect();
    let ids = stored(&*stores[0], &messages).await;
    let log: Log = Arc::default();
    let workers = (0..2).map(|place| {
        let (store, log) = (Arc::clone(&stores[place]), Arc::clone(&log));
        tokio::spawn(async move { work(&*store, &log, place).await })
    });
    let workers: Vec<_> = workers.collect();
    let operators = (0..2).map(|place| {
        let (store, ids) = (Arc::clone(&stores[place]), ids.clone());
        tokio::spawn(async move { operate(&*store, &ids, place).await })
    });
    let operators: Vec<_> = operators.collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let mut skipped = BTreeSet::new();
    for operator in operators {
        skipped.extend(operator.await.unwrap());
    }
    stores[0].retry(&ids, false).await.unwrap();
    let rest = work_off(&*stores[0], |_| done()).await;
    for claimed in &rest {
        note(&log, claimed);
    }
    for row in rows(&*stores[0]).await {
        let was_skipped = skipped.contains(&row.message.id);
        let outcome = if was_skipped { Outcome::Skipped } else { Outcome::Done };
        assert_eq!(row.outcome, Some(outcome), "{}", row.message.id);
    }
    let log = log.lock().unwrap();
    for (place, name) in names.iter().enumerate() {
        let of_name = ids.iter().skip(place).step_by(names.len());
        let expected: Vec<_> = of_name.filter(|id| !skipped.contains(id)).copied().collect();
        assert_eq!(log[name], expected, "{name}: once, and in order");
    }
}

fn note(log: &Log, claimed: &ClaimedMessage) {
    let name = claimed.message.aggregate_id.clone().unwrap();
    log.lock().unwrap().entry(name).or_default().push(claimed.message.id);
}

async fn work(store: &dyn Store, log: &Log, place: usize) {
    let chance = Arc::new(Mutex::new(Chance::new(u64::try_from(place).unwrap())));
    for _ in 0..60 {
        let (chance, log) = (Arc::clone(&chance), Arc::clone(log));
        let verdict = move |claimed: &ClaimedMessage| {
            let mut chance = chance.lock().unwrap();
            if chance.percent(10) {
                return failed(true);
            }
            if chance.percent(10) {
                return retry(Duration::ZERO);
            }
            // Its lane is ours until the commit: nobody notes a later one before that.
            note(&log, claimed);
            done()
        };
        Orderly::new(verdict).run(store, everything()).await.unwrap();
        store.release(100).await.unwrap();
    }
}

async fn operate(store: &dyn Store, ids: &[InboxId], place: usize) -> BTreeSet<InboxId> {
    let mut chance = Chance::new(100 + u64::try_from(place).unwrap());
    let mut skipped = BTreeSet::new();
    for _ in 0..60 {
        let some: Vec<_> = ids.iter().filter(|_| chance.percent(30)).copied().collect();
        if chance.percent(30) {
            let acts = store.skip(&some).await.unwrap().acts;
            let done = some.iter().zip(acts).filter(|(_, act)| *act == Acted::Done);
            skipped.extend(done.map(|(id, _)| *id));
        } else {
            store.retry(&some, false).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
    skipped
}
