//! Races of sources: many instances store at once, as if they had come one after the other.

use std::collections::HashSet;
use std::sync::Arc;

use dipmo_domain::StoreError;
use dipmo_inbox::{NewMessage, SourceOffset, Stored};
use dipmo_store::Store;
use tokio::task::JoinHandle;

use crate::Fixture;
use crate::support::{alone, done, event, event_saying, inbox_id, rows, work_off};

/// Stores in a task of its own.
fn storing(
    store: &Arc<dyn Store>,
    messages: Vec<NewMessage>,
) -> JoinHandle<Result<Vec<Stored>, StoreError>> {
    let store = Arc::clone(store);
    tokio::spawn(async move { store.store(&messages, &[]).await })
}

fn count_new(answers: &[Stored]) -> usize {
    answers.iter().filter(|answer| matches!(answer, Stored::New(_))).count()
}

/// The same message from two instances at once: one is new, the other a duplicate of it.
pub async fn the_same_message_from_two_instances<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for number in 0..50 {
        let message = || vec![event("F-1", number)];
        let (here, there) = (storing(&store, message()), storing(&another, message()));
        let answers = [here.await.unwrap().unwrap()[0], there.await.unwrap().unwrap()[0]];
        assert_eq!(count_new(&answers), 1, "{answers:?}");
        let ids: HashSet<_> = answers.iter().map(inbox_id).collect();
        assert_eq!(ids.len(), 1, "both name the same message: {answers:?}");
    }
    assert_eq!(work_off(&*store, |_| done()).await.len(), 50);
}

/// Other contents under one id at once: one is new, the others are incidents.
pub async fn another_content_from_two_instances<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for number in 0..25 {
        let saying = |text| vec![event_saying("F-1", number, text)];
        let (here, there) = (storing(&store, saying("[1]")), storing(&another, saying("[2]")));
        let answers = [here.await.unwrap().unwrap()[0], there.await.unwrap().unwrap()[0]];
        assert_eq!(count_new(&answers), 1, "{answers:?}");
        let conflict = answers.iter().any(|answer| matches!(answer, Stored::Conflict(_)));
        assert!(conflict, "{answers:?}");
    }
    assert_eq!(store.incidents(100).await.unwrap().len(), 25);
}

/// Fifty calls in parallel that overlap: every message once.
pub async fn fifty_overlapping_calls<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await, fixture.another().await];
    let calls: Vec<_> = (0..50)
        .zip(stores.iter().cycle())
        .map(|(call, store)| storing(store, (call..call + 20).map(alone).collect()))
        .collect();
    let mut new = 0;
    for call in calls {
        new += count_new(&call.await.unwrap().unwrap());
    }
    assert_eq!(new, 69, "50 calls of 20, each one further than the last");
    assert_eq!(rows(&*stores[0]).await.len(), 69);
}

/// Two calls with the same messages in opposite order: both succeed, no deadlock.
pub async fn opposite_orders_both_succeed<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for round in 0..20 {
        let forwards: Vec<_> = (0..50).map(|number| alone(round * 50 + number)).collect();
        let backwards: Vec<_> = forwards.iter().rev().cloned().collect();
        let (here, there) = (storing(&store, forwards), storing(&another, backwards));
        let (here, there) = (here.await.unwrap().unwrap(), there.await.unwrap().unwrap());
        assert_eq!(count_new(&here) + count_new(&there), 50);
    }
}

/// Offsets of the same partitions from two instances, in opposite order.
pub async fn offsets_from_two_instances<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let offsets = |next_offset: i64| -> Vec<_> {
        (0..10)
            .map(|partition| SourceOffset {
                group: "suite".to_owned(),
                topic: "t".to_owned(),
                partition,
                topic_id: None,
                next_offset,
            })
            .collect()
    };
    for next in 1..=20 {
        let forwards = offsets(next);
        let backwards: Vec<_> = offsets(next + 1).into_iter().rev().collect();
        let (here, there) =
            tokio::join!(store.store(&[], &forwards), another.store(&[], &backwards));
        assert_eq!((here, there), (Ok(vec![]), Ok(vec![])));
    }
    assert_eq!(store.offsets("suite").await.unwrap(), offsets(21));
}
