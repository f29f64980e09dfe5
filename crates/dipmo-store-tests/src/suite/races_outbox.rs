//! Races of dispatchers: one of them has a lane, and one of them settles.

use std::collections::HashSet;
use std::sync::Arc;

use dipmo_domain::{InboxStatus, OutboxStatus, StoreError};
use dipmo_inbox::Stored;
use dipmo_outbox::Owner;
use dipmo_store::{LeaseParams, Replies};

use crate::Fixture;
use crate::support::{
    LONG, aggregates, alone, dispatched, done, event, intent, internal, kafka, rows, take,
    work_off, write_intents,
};

fn count_new(answers: &[Stored]) -> usize {
    answers.iter().filter(|answer| matches!(answer, Stored::New(_))).count()
}

/// Dispatchers that lease at once never get the same lane.
pub async fn leases_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    for round in 0..10 {
        let destination = kafka(&format!("t{round}"));
        let names = aggregates(64);
        let intents = names.iter().map(|name| intent(&destination, name, 1)).collect();
        write_intents(&*stores[0], intents).await;
        let tasks: Vec<_> = (0..8)
            .map(|place| {
                let (store, destination) = (Arc::clone(&stores[place % 2]), destination.clone());
                let owner = Owner(format!("owner-{place}"));
                tokio::spawn(async move {
                    let params = LeaseParams { owner, destination, lanes: 10, duration: LONG };
                    store.lease(&params).await.unwrap()
                })
            })
            .collect();
        let (mut lanes, mut count) = (HashSet::new(), 0);
        for task in tasks {
            let leases = task.await.unwrap();
            assert!(leases.len() <= 10);
            count += leases.len();
            lanes.extend(leases.into_iter().map(|lease| lease.lane));
        }
        assert_eq!(lanes.len(), count, "no lane twice");
    }
}

/// Two settle the same units at once: one succeeds, the other is fenced.
pub async fn settled_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for number in 0..20 {
        write_intents(&*store, vec![intent(&internal(), "F-1", number)]).await;
        let hand = take(&*store, &internal(), "o").await;
        let messages = [event("F-1", number)];
        let nobody = || -> Replies { Box::new(|_| Vec::new()) };
        let (here, there) = tokio::join!(
            hand.settle_with(&*store, |_| dispatched(), &messages, nobody()),
            hand.settle_with(&*another, |_| dispatched(), &messages, nobody()),
        );
        let fenced = |result: &Result<_, _>| matches!(result, Err(StoreError::Fenced { .. }));
        assert!(here.is_ok() != there.is_ok(), "{here:?} and {there:?}");
        assert!(fenced(&here) || fenced(&there), "{here:?} and {there:?}");
        hand.give_back(&*store).await;
    }
    let intents = store.outbox_rows(100).await.unwrap();
    assert!(intents.iter().all(|row| (row.status, row.attempts) == (OutboxStatus::Dispatched, 1)));
    let inbox = rows(&*store).await;
    let delivered = inbox.iter().filter(|row| row.message.aggregate_id.is_some()).count();
    assert_eq!(delivered, 20);
}

/// A settlement and a source bring the same messages at once, in opposite order.
pub async fn settled_and_stored_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for round in 0..20 {
        write_intents(&*store, vec![intent(&internal(), "F-1", round)]).await;
        let hand = take(&*store, &internal(), "o").await;
        let messages: Vec<_> = (0..20).map(|number| alone(round * 20 + number)).collect();
        let backwards: Vec<_> = messages.iter().rev().cloned().collect();
        let nobody: Replies = Box::new(|_| Vec::new());
        let (settled, answers) = tokio::join!(
            hand.settle_with(&*store, |_| dispatched(), &messages, nobody),
            another.store(&backwards, &[]),
        );
        assert_eq!(settled.unwrap().messages + count_new(&answers.unwrap()), 20);
        hand.give_back(&*store).await;
    }
    work_off(&*store, |_| done()).await;
    assert!(rows(&*store).await.iter().all(|row| row.status == InboxStatus::Processed));
}
