//! Races of workers: whoever comes, each message is decided once and in order.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_domain::{InboxId, Lane, OrderKey};
use dipmo_store::{Changes, ClaimLimits, ClaimedMessage, SettlementKind, Store};
use tokio::task::JoinHandle;

use crate::Fixture;
use crate::support::{
    Orderly, Script, aggregate_in, aggregates, batch, batch_of, block_of, done, event, everything,
    inbox_id, intent, kafka, retry, rows, stored, take, work_off,
};

/// Works in a task of its own until nothing was found several times; answers what it processed.
fn working(store: &Arc<dyn Store>, limits: ClaimLimits) -> JoinHandle<Vec<InboxId>> {
    let store = Arc::clone(store);
    tokio::spawn(async move {
        let (mut processed, mut idle) = (Vec::new(), 0);
        while idle < 20 {
            let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
            idle = if ran.messages.is_empty() { idle + 1 } else { 0 };
            processed.extend(ran.ids());
            tokio::task::yield_now().await;
        }
        processed
    })
}

/// Many claimers on one lane: whoever locks it just after another committed sees what it did.
pub async fn claimers_hammer_one_lane<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    let lane = Lane::from_index(5).unwrap();
    let mut ids = Vec::new();
    for number in 0..300 {
        let name = aggregate_in(lane, usize::try_from(number % 3).unwrap());
        ids.extend(stored(&*stores[0], &[event(&name, number)]).await);
    }
    let limits = ClaimLimits { messages: 1, lanes: 1, start: lane };
    let workers: Vec<_> = (0..6).map(|place| working(&stores[place % 2], limits)).collect();
    let mut processed = Vec::new();
    for worker in workers {
        processed.extend(worker.await.unwrap());
    }
    processed.extend(working(&stores[0], limits).await.unwrap());
    processed.sort();
    assert_eq!(processed, ids, "each message was decided exactly once");
}

/// Many claimers over many lanes: no message twice, none left.
pub async fn claimers_share_the_lanes<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    let mut messages = Vec::new();
    for number in 0..20 {
        messages.extend(aggregates(64).iter().map(|name| event(name, number)));
    }
    let ids = stored(&*stores[0], &messages).await;
    let workers: Vec<_> = (0..4)
        .map(|place| {
            let start = Lane::from_index(i64::try_from(place * 16).unwrap()).unwrap();
            working(&stores[place % 2], ClaimLimits { messages: 50, lanes: 4, start })
        })
        .collect();
    let mut processed = Vec::new();
    for worker in workers {
        processed.extend(worker.await.unwrap());
    }
    processed.extend(working(&stores[0], everything()).await.unwrap());
    processed.sort();
    assert_eq!(processed, ids);
    assert!(rows(&*stores[0]).await.iter().all(|row| row.attempts == 1));
}

/// Messages commit in another order than that of their ids while workers run: none is passed over.
pub async fn trap_16_commits_out_of_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    // All in one lane, from many calls of different sizes at once.
    let name = aggregate_in(Lane::from_index(9).unwrap(), 0);
    let calls: Vec<_> = (0..40)
        .map(|call: i64| {
            let size = 1 + (call * 7) % 13;
            let messages = (0..size).map(|number| event(&name, call * 100 + number));
            let messages: Vec<_> = messages.collect();
            let store = Arc::clone(&stores[usize::try_from(call % 2).unwrap()]);
            tokio::spawn(async move { store.store(&messages, &[]).await })
        })
        .collect();
    let limits = ClaimLimits { messages: 3, ..everything() };
    let workers = [working(&stores[0], limits), working(&stores[1], limits)];
    let mut ids = Vec::new();
    for call in calls {
        ids.extend(call.await.unwrap().unwrap().iter().map(inbox_id));
    }
    let mut processed = Vec::new();
    for worker in workers {
        processed.extend(worker.await.unwrap());
    }
    processed.extend(working(&stores[0], limits).await.unwrap());
    ids.sort();
    processed.sort();
    assert_eq!(processed, ids, "each once, whatever its id");
}

/// Held messages are let go while new ones of the key come: order holds, and the block goes.
pub async fn release_races_with_arrivals<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    let store = &stores[0];
    let mut messages: Vec<_> = (0..800).map(|number| event("F-1", number)).collect();
    stored(&**store, &messages.drain(..700).collect::<Vec<_>>()).await;
    let first = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    batch(&**store, Script::settling(first)).await.unwrap();

    let arrivals = {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            for message in messages {
                stored(&*store, &[message]).await;
            }
        })
    };
    let releases = stores.clone().map(|store| {
        tokio::spawn(async move {
            for _ in 0..30 {
                store.release(13).await.unwrap();
            }
        })
    });
    let order = Arc::new(Mutex::new(Vec::new()));
    let workers = stores.clone().map(|store| {
        let order = Arc::clone(&order);
        tokio::spawn(async move {
            for _ in 0..30 {
                let order = Arc::clone(&order);
                let verdict = move |claimed: &ClaimedMessage| {
                    order.lock().unwrap().push(claimed.message.offset);
                    done()
                };
                Orderly::new(verdict).run(&*store, everything()).await.unwrap();
            }
        })
    });
    for task in [arrivals].into_iter().chain(releases).chain(workers) {
        task.await.unwrap();
    }
    let rest = work_off(&**store, |_| done()).await;
    let mut seen = order.lock().unwrap().clone();
    seen.extend(rest.iter().map(|claimed| claimed.message.offset));
    assert_eq!(seen, (0..800).collect::<Vec<_>>());
    assert_eq!(block_of(&**store, &OrderKey::new("F-1")).await, None);
}

/// Batches that write to a destination that nobody wrote to before, at once.
pub async fn a_new_destination_from_many_batches<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    for round in 0..10 {
        let messages: Vec<_> = aggregates(4).iter().map(|name| event(name, round)).collect();
        stored(&*stores[0], &messages).await;
        let topic = format!("new-{round}");
        let tasks: Vec<_> = (0..4)
            .zip(&messages)
            .map(|(place, message)| {
                let (store, topic) = (Arc::clone(&stores[place % 2]), topic.clone());
                let limits = ClaimLimits { lanes: 1, start: message.lane, ..everything() };
                tokio::spawn(async move {
                    let script = Script::writing(move |_| Changes {
                        intents: vec![intent(&kafka(&topic), "F-1", round)],
                        ..Changes::default()
                    });
                    batch_of(&*store, limits, script).await.unwrap().report.intents
                })
            })
            .collect();
        let mut written = 0;
        for task in tasks {
            written += task.await.unwrap();
        }
        let units = take(&*stores[1], &kafka(&topic), "o").await.units;
        assert_eq!(units.len(), written);
        work_off(&*stores[0], |_| done()).await;
    }
}
