//! Batches at once: what others can do while one is inside. Not for `single_writer` stores.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_inbox::Stored;
use dipmo_store::{Changes, ClaimedMessage, Needs, Replies, SettlementKind, Store};
use tokio::task::JoinHandle;

use crate::support::{
    Gate, Script, aggregate_in, aggregates, batch, dispatched, done, event, everything, gate,
    inside, intent, internal, kafka, new_state, only_lane, retry, row_of, rows, settle, stored,
    suite_key, take, work_off, write_intents,
};
use crate::{Fixture, items_table};

/// Trap 14: the lanes of a batch are passed over, the others are not.
pub async fn trap_14_locked_lanes_are_passed_over<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let names = aggregates(3);
    let messages: Vec<_> = names.iter().map(|name| event(name, 1)).collect();
    let ids = stored(&*store, &messages).await;
    let lane = messages[1].lane;
    let (gate, task) = inside(&store, only_lane(lane), Script::process_all()).await;
    // The next message of the same aggregate must not be taken while the first is inside.
    let next = stored(&*store, &[event(&names[1], 2)]).await;
    for store in [&store, &another] {
        let ran = batch(&**store, Script::process_all()).await.unwrap();
        assert!(!ran.report.lanes.contains(&lane));
        assert!(!ran.ids().contains(&next[0]) && !ran.ids().contains(&ids[1]));
    }
    gate.open();
    assert_eq!(task.await.unwrap().unwrap().ids(), [ids[1]]);
    let ran = batch(&*another, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), next, "what the first one committed is seen, what came since is there");
}

/// Two batches in different lanes are inside at the same time, and both commit.
pub async fn two_batches_are_inside_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let messages: Vec<_> = aggregates(2).iter().map(|name| event(name, 1)).collect();
    let ids = stored(&*store, &messages).await;
    let first = inside(&store, only_lane(messages[0].lane), Script::process_all()).await;
    let second = inside(&another, everything(), Script::process_all()).await;
    for ((gate, task), id) in [first, second].into_iter().zip(ids) {
        gate.open();
        assert_eq!(task.await.unwrap().unwrap().ids(), [id]);
    }
}

/// Storing does not wait for a batch, not even in its lane.
pub async fn storing_does_not_wait<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let first = stored(&*store, &[event("F-1", 1)]).await;
    let (gate, task) = inside(&store, everything(), Script::process_all()).await;
    let second = stored(&*another, &[event("F-1", 2)]).await;
    let third = stored(&*store, &[event("F-1", 3)]).await;
    gate.open();
    assert_eq!(task.await.unwrap().unwrap().ids(), first, "what came later is not in the batch");
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [second, third].concat());
}

/// Dispatching does not wait for a batch.
pub async fn dispatching_does_not_wait<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    stored(&*store, &[event("F-1", 1)]).await;
    let script = Script::writing(|_| Changes {
        intents: vec![intent(&kafka("t"), "F-1", 2)],
        ..Changes::default()
    });
    let (gate, task) = inside(&store, everything(), script).await;
    let mut hand = take(&*another, &kafka("t"), "o").await;
    assert_eq!(hand.units.len(), 1);
    hand.settle(&*another, |_| dispatched()).await.unwrap();
    gate.open();
    task.await.unwrap().unwrap();
    hand.reads_again(&*another).await;
    assert_eq!(hand.units.len(), 1, "what the batch wrote in the leased lane is there");
}

/// Nobody sees what a batch wrote before it commits.
pub async fn nobody_sees_a_batch_before_it_commits<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let (mut gate, guard) = gate();
    let script = Script::default()
        .wave(
            |_| Needs::default(),
            |batch, _| Changes {
                states: vec![new_state("S-1")],
                writes: vec![
                    dipmo_api::DomainWrite::upsert(items_table())
                        .set("REGION", "EU")
                        .set("ITEM_NO", 1)
                        .set("REVISION", 1),
                ],
                intents: vec![intent(&kafka("t"), "F-1", 1)],
                ..settle(batch, |_| Some(done()))
            },
        )
        .wave(
            |_| Needs::default(),
            |_, _| {
                guard.pass();
                Changes::default()
            },
        );
    let writer = Arc::clone(&store);
    let task = tokio::spawn(async move { batch(&*writer, script).await });
    gate.somebody_inside().await;
    assert_eq!(another.instance(&suite_key("S-1")).await, Ok(None));
    assert!(another.domain_rows(&items_table()).await.unwrap().is_empty());
    assert!(another.outbox_rows(10).await.unwrap().is_empty());
    assert!(another.due_destinations().await.unwrap().is_empty());
    let row = row_of(&*another, ids[0]).await;
    assert_eq!((row.attempts, row.processed_at), (0, None));
    gate.open();
    task.await.unwrap().unwrap();
    assert!(another.instance(&suite_key("S-1")).await.unwrap().is_some());
    assert_eq!(another.outbox_rows(10).await.unwrap().len(), 1);
}

/// A settlement with a message for the inbox, standing still before it commits.
async fn settling(
    store: &Arc<dyn Store>,
    message: dipmo_inbox::NewMessage,
) -> (Gate, JoinHandle<Result<usize, StoreError>>) {
    let asking = dipmo_outbox::NewIntent {
        reply_to: Some(suite_key("S-1")),
        ..intent(&internal(), "F-1", 1)
    };
    write_intents(&**store, vec![asking]).await;
    let hand = take(&**store, &internal(), "o").await;
    let (mut gate, guard) = gate();
    let replies: Replies = Box::new(move |_| {
        guard.pass();
        Vec::new()
    });
    let store = Arc::clone(store);
    let task = tokio::spawn(async move {
        let settled = hand.settle_with(&*store, |_| dispatched(), &[message], replies).await;
        settled.map(|report| report.messages)
    });
    gate.somebody_inside().await;
    (gate, task)
}

/// Trap 16: a message that commits after a later one was processed is processed all the same.
pub async fn trap_16_a_late_commit_is_not_passed_over<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let (gate, task) = settling(&store, event("F-1", 1)).await;
    let mut others = tokio::spawn(async move {
        stored(&*another, &[event("F-1", 2)]).await;
        batch(&*another, Script::process_all()).await.unwrap().messages
    });
    // A store that lets nobody write beside a settlement makes them wait, and has no such order.
    let beside = tokio::time::timeout(Duration::from_secs(1), &mut others).await;
    gate.open();
    assert_eq!(task.await.unwrap(), Ok(1));
    let mut processed = match beside {
        Ok(processed) => processed.unwrap(),
        Err(_) => others.await.unwrap(),
    };
    processed.extend(batch(&*store, Script::process_all()).await.unwrap().messages);
    let mut numbers: Vec<_> = processed.iter().map(|claimed| claimed.message.offset).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2], "both, whatever their ids");
}

/// The same message in a transaction that is still open: who comes second waits and is told.
pub async fn trap_8_the_same_message_in_an_open_transaction<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let (gate, task) = settling(&store, event("F-1", 1)).await;
    let storing = tokio::spawn(async move { another.store(&[event("F-1", 1)], &[]).await });
    gate.open();
    let settled = task.await.unwrap().unwrap();
    let answers = storing.await.unwrap().unwrap();
    let stored = usize::from(matches!(answers[0], Stored::New(_)));
    assert_eq!(settled + stored, 1, "{answers:?}");
    let copies = rows(&*store).await;
    assert_eq!(copies.iter().filter(|row| row.message.message_id == "F-1/1").count(), 1);
}

/// Letting go what is held does not disturb a batch in the same lane.
pub async fn releasing_does_not_disturb_a_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let messages: Vec<_> = (0..=510).map(|number| event("F-1", number)).collect();
    stored(&*store, &messages).await;
    for kind in [retry(Duration::ZERO), done()] {
        let verdict = move |claimed: &ClaimedMessage| match claimed.message.offset {
            0 => kind.clone(),
            _ => SettlementKind::Held,
        };
        batch(&*store, Script::settling(verdict)).await.unwrap();
    }
    // Inside are the 500 that were let go; the first of them fails again.
    let fails_again = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    let (gate, task) = inside(&store, everything(), Script::settling(fails_again)).await;
    let releasing = tokio::spawn(async move { another.release(100).await });
    gate.open();
    assert_eq!(task.await.unwrap().unwrap().messages.len(), 500);
    releasing.await.unwrap().unwrap();
    let tried = work_off(&*store, |_| done()).await;
    let numbers: Vec<_> = tried.iter().map(|claimed| claimed.message.offset).collect();
    assert_eq!(numbers, (1..=510).collect::<Vec<_>>());
}

/// A lane that somebody works on does not hide what can be let go in another.
pub async fn releasing_goes_on_beside_a_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let names = aggregates(2);
    let mut messages = Vec::new();
    for number in 0..=600 {
        messages.extend(names.iter().map(|name| event(name, number)));
    }
    stored(&*store, &messages).await;
    for kind in [retry(Duration::ZERO), done()] {
        let verdict = move |claimed: &ClaimedMessage| match claimed.message.offset {
            0 => kind.clone(),
            _ => SettlementKind::Held,
        };
        batch(&*store, Script::settling(verdict)).await.unwrap();
    }
    let held = async || {
        let all = rows(&*store).await;
        all.iter().filter(|row| row.held_behind.is_some()).count()
    };
    let before = held().await;
    stored(&*store, &[event(&aggregate_in(messages[0].lane, 1), 1)]).await;
    let only_first = only_lane(messages[0].lane);
    let (gate, task) = inside(&store, only_first, Script::process_all()).await;
    let mut let_go = another.release(1_000).await.unwrap();
    assert!(let_go > 0, "the free lane is let go");
    gate.open();
    task.await.unwrap().unwrap();
    while let more @ 1.. = another.release(1_000).await.unwrap() {
        let_go += more;
    }
    assert_eq!((let_go, held().await), (before, 0));
}
