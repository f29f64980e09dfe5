//! Races of sources: many instances store at once, as if they had come one after the other.

use std::collections::HashSet;
use std::sync::Arc;

use dipmo_domain::StoreError;
use dipmo_inbox::{NewMessage, SourceOffset, SourceRange, Stored};
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

fn offsets(topic: u8, next_offset: i64) -> Vec<SourceOffset> {
    (0..10)
        .map(|partition| SourceOffset {
            group: "suite".to_owned(),
            topic: "t".to_owned(),
            partition,
            topic_id: Some([topic; 16]),
            next_offset,
        })
        .collect()
}

fn ranges(from: i64, to: Vec<SourceOffset>) -> Vec<SourceRange> {
    to.into_iter().map(|to| SourceRange { from, to }).collect()
}

/// Ranges of the same partitions from two instances, in opposite order.
pub async fn ranges_from_two_instances<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let (low, high) = (offsets(1, 0), offsets(1, 1));
    let both = tokio::join!(store.begin(&low), another.begin(&high));
    assert_eq!(both, (Ok(()), Ok(())));
    for next in 1..=20 {
        let forwards = ranges(next - 1, offsets(1, next));
        let backwards: Vec<_> = ranges(next, offsets(1, next + 1)).into_iter().rev().collect();
        let (here, there) =
            tokio::join!(store.store(&[], &forwards), another.store(&[], &backwards));
        assert_eq!((here, there), (Ok(vec![]), Ok(vec![])));
    }
    assert_eq!(store.offsets("suite").await.unwrap(), offsets(1, 21));
}

/// A range and the one after it at once: the later one is taken on top of the earlier one or not
/// at all.
pub async fn trap_9_a_range_overtakes_another<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for round in 0..20 {
        let at = round * 10;
        store.begin(&offsets(1, at)).await.unwrap();
        let (first, second) = (ranges(at, offsets(1, at + 2)), ranges(at + 2, offsets(1, at + 5)));
        let (first, second) = tokio::join!(store.store(&[], &first), another.store(&[], &second));
        assert_eq!(first, Ok(vec![]));
        let next = if second.is_ok() { at + 5 } else { at + 2 };
        assert_eq!(store.offsets("suite").await.unwrap(), offsets(1, next), "{second:?}");
    }
}

/// A topic is made anew while the old one is still being stored: its offsets are those of the new
/// one, whoever came first.
pub async fn trap_9_a_topic_is_made_anew_meanwhile<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    store.begin(&offsets(0, 100)).await.unwrap();
    for topic in 0..20 {
        let (old, new) = (ranges(100, offsets(topic, 200)), offsets(topic + 1, 100));
        let (stored, begun) = tokio::join!(store.store(&[], &old), another.begin(&new));
        assert_eq!(begun, Ok(()));
        assert_eq!(store.offsets("suite").await.unwrap(), new, "{stored:?}");
    }
}
