//! What happens around a batch while it is being decided.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use dipmo_domain::{Failure, InboxStatus, Timestamp};
use dipmo_store::{Changes, ClaimedBatch, Inspect as _, SettlementKind};

use super::*;
use crate::testing::{DONE, all, ended, migrated, run, store_events};

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

#[test]
fn who_is_held_behind_a_block_that_is_lifted_meanwhile_is_let_go() {
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
    store_events(&store, "F-1", &[700]);
    let other = store.clone();
    run(&store, Needs::default(), move |batch, _| {
        assert_eq!(ended(other.release(1_000)), Ok(198));
        all(batch, &SettlementKind::Held)
    })
    .unwrap();
    let report = run(&store, Needs::default(), |batch, _| all(batch, &DONE)).unwrap();
    assert_eq!(report.messages, 699);
}
