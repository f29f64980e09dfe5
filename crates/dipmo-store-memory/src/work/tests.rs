//! What happens around a batch while it is being decided.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use dipmo_domain::{Failure, InboxStatus, OrderKey, Timestamp};
use dipmo_store::{Changes, ClaimedBatch, Inspect as _, SettlementKind};

use super::*;
use crate::testing::{DONE, all, ended, migrated, polled_once, run, run_after, store_events};

fn statuses(store: &MemoryStore) -> Vec<InboxStatus> {
    ended(store.inbox_rows(100)).unwrap().iter().map(|row| row.status).collect()
}

#[test]
fn a_panic_of_the_logic_frees_the_lanes_and_writes_nothing() {
    let store = migrated();
    store_events(&store, "F-1", &[1]);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        run(&store, Needs::default(), |_, _| panic!("the logic panics"))
    }));
    assert!(panicked.is_err());
    assert_eq!(statuses(&store), [InboxStatus::Received]);
    let report = run(&store, Needs::default(), |batch, _| all(batch, &DONE)).unwrap();
    assert_eq!(report.messages, 1);
}

#[test]
fn a_killed_session_writes_nothing_and_the_next_one_does() {
    let store = migrated();
    store_events(&store, "F-1", &[1]);
    let other = store.clone();
    let killed = run(&store, Needs::default(), move |batch, _| {
        other.kill_sessions();
        let report = run(&other, Needs::default(), |batch, _| all(batch, &DONE)).unwrap();
        assert_eq!(report.messages, batch.messages.len());
        all(batch, &SettlementKind::Held)
    });
    assert!(matches!(killed, Err(StoreError::Fenced { .. })), "{killed:?}");
    assert_eq!(statuses(&store), [InboxStatus::Processed]);
}

#[test]
fn a_locked_lane_is_passed_over() {
    let store = migrated();
    store_events(&store, "F-1", &[1]);
    let other = store.clone();
    let outer = run(&store, Needs::default(), move |batch, _| {
        store_events(&other, "F-1", &[2]);
        let inner = run(&other, Needs::default(), |_, _| Changes::default());
        assert_eq!(inner, Ok(BatchReport::default()));
        all(batch, &DONE)
    });
    assert_eq!(outer.unwrap().messages, 1);
    assert_eq!(statuses(&store), [InboxStatus::Received, InboxStatus::Processed]);
}

#[test]
fn a_transaction_keeps_the_time_of_its_beginning() {
    let store = migrated();
    store_events(&store, "F-1", &[1]);
    let other = store.clone();
    run(&store, Needs::default(), move |batch, _| {
        other.advance(Duration::from_secs(9));
        all(batch, &DONE)
    })
    .unwrap();
    let rows = ended(store.inbox_rows(1)).unwrap();
    assert_eq!(rows[0].processed_at, Some(Timestamp::EPOCH));
}

/// A key whose head ended with more behind it than goes at once, all of that processed: 502 to 699
/// are held, and 700 is new.
fn being_lifted() -> MemoryStore {
    let store = migrated();
    store_events(&store, "F-1", &[1]);
    let retry =
        SettlementKind::Retry { after: Duration::ZERO, failure: Failure::new("code", "message") };
    run(&store, Needs::default(), move |batch, _| all(batch, &retry)).unwrap();
    store_events(&store, "F-1", &(2..700).collect::<Vec<_>>());
    let hold_all_but_the_head = |batch: &ClaimedBatch, _| {
        let mut changes = all(batch, &SettlementKind::Held);
        changes.settlements[0].kind = DONE;
        changes
    };
    let report = run(&store, Needs::default(), hold_all_but_the_head).unwrap();
    assert!(report.releasing, "more than 500 were held");
    let report = run(&store, Needs::default(), |batch, _| all(batch, &DONE)).unwrap();
    assert_eq!(report.messages, 500);
    store_events(&store, "F-1", &[700]);
    store
}

#[test]
fn nothing_is_let_go_between_the_claim_of_a_batch_and_its_reads() {
    let store = being_lifted();
    let other = store.clone();
    let key = OrderKey::new("F-1");
    let needs = Needs { blocks: vec![key.clone()], ..Needs::default() };
    // Between the two is where a batch asks what to read.
    let release = move || assert_eq!(polled_once(pin!(other.release(1_000))), Poll::Pending);
    run_after(&store, release, needs, move |batch, found| {
        assert_eq!(batch.messages[0].message.offset, 700);
        assert!(!found.blocks[&key].lets_pass(batch.messages[0].message.id), "it would overtake");
        all(batch, &SettlementKind::Held)
    })
    .unwrap();
    assert_eq!(ended(store.release(1_000)), Ok(199));
    assert_eq!(ended(store.release(1_000)), Ok(0));
    let mut order = Vec::new();
    run(&store, Needs::default(), move |batch, _| {
        order.extend(batch.messages.iter().map(|claimed| claimed.message.offset));
        assert_eq!(order, (502..=700).collect::<Vec<_>>());
        all(batch, &DONE)
    })
    .unwrap();
}

#[test]
fn who_waits_for_a_lane_gets_it_when_the_batch_ends() {
    let store = being_lifted();
    let waiting = Arc::new(Mutex::new(None));
    let (other, waits) = (store.clone(), Arc::clone(&waiting));
    run(&store, Needs::default(), move |batch, _| {
        let other = other.clone();
        let mut release = Box::pin(async move { other.release(1_000).await });
        assert_eq!(polled_once(release.as_mut()), Poll::Pending);
        *waits.lock().unwrap() = Some(release);
        all(batch, &SettlementKind::Held)
    })
    .unwrap();
    let mut release = waiting.lock().unwrap().take().unwrap();
    assert_eq!(polled_once(release.as_mut()), Poll::Ready(Ok(199)));
}
