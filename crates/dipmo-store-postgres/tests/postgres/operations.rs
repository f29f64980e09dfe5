//! Operations beside others: who performs at once, who loses the lease or dies between two lanes, who says to wait.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, Json, Lane, StoreError};
use dipmo_store::Side;
use dipmo_store::admin::{
    Act, AuditEntry, Begun, MOST_IN_OPERATION, NewOperation, Operable, OperationChange,
    OperationItem, OperationLease, OperationState, Page, Performed, Target,
};
use dipmo_store_tests::support::{
    Gate, LONG, Ran, Script, aggregate_in, batch, done, event, failed, inside, only_lane, row_of,
    stored, work_off,
};
use dipmo_store_tests::{Fixture as _, OperableFixture as _};
use tokio::task::JoinHandle;

use crate::support::fixture::Postgres;
use crate::support::waiting::{kill_who_waits, until_waiting};

fn entry() -> AuditEntry {
    AuditEntry {
        actor: "ann".to_owned(),
        role: "operator".to_owned(),
        action: "test".to_owned(),
        target: String::new(),
        reason: "a test".to_owned(),
        detail: Json::null(),
    }
}

/// Begins a retry of these messages, and leases it for so long.
async fn leased(store: &dyn Operable, ids: &[InboxId], duration: Duration) -> OperationLease {
    let target = Target::Ids { side: Side::Inbox, ids: ids.iter().map(|id| id.0).collect() };
    let new =
        NewOperation { act: Act::Retry, target, force: false, per_second: None, entry: entry() };
    let Begun::Running(operation) = store.begin_operation(&new).await.unwrap() else { panic!() };
    store.take_operation(Some(operation.id), "one", duration).await.unwrap().unwrap()
}

async fn items(store: &dyn Operable, lease: &OperationLease) -> Vec<OperationItem> {
    store.operation_items(lease.operation.id, None, None, 1_000).await.unwrap()
}

async fn results(store: &dyn Operable, lease: &OperationLease) -> Vec<Option<String>> {
    items(store, lease).await.into_iter().map(|item| item.result).collect()
}

/// How often each message was retried, by what is tried now.
async fn assert_retried_once(store: &dyn Operable, ids: &[InboxId]) {
    let tried = work_off(store, |_| done()).await;
    let mut retried: Vec<_> =
        tried.iter().map(|claimed| (claimed.message.id, claimed.retried)).collect();
    retried.sort_unstable();
    assert_eq!(retried, ids.iter().map(|id| (*id, 1)).collect::<Vec<_>>());
}

/// Two messages that failed, in lanes 3 and 9, and somebody who has lane 9.
async fn two_lanes_and_somebody_in_the_second(
    fixture: &Postgres<15>,
) -> (Vec<InboxId>, Gate, JoinHandle<Result<Ran, StoreError>>) {
    let store = fixture.store();
    let lanes = [3, 9].map(|index| Lane::from_index(index).unwrap());
    let ids = stored(&*store, &lanes.map(|lane| event(&aggregate_in(lane, 0), 1))).await;
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    // Of another key: it overtakes nobody.
    stored(&*store, &[event(&aggregate_in(lanes[1], 1), 2)]).await;
    let (gate, task) = inside(&store, only_lane(lanes[1]), Script::process_all()).await;
    (ids, gate, task)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_perform_at_once_do_each_item_once() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.operable();
    let messages: Vec<_> = (0..200).map(|n| event(&format!("F-{n}"), n)).collect();
    let ids = stored(&*store, &messages).await;
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let lease = leased(&*store, &ids, LONG).await;
    let all = store.next_items(&lease, 1_000).await.unwrap();
    let performs = |store: Arc<dyn Operable>| {
        let (lease, all) = (lease.clone(), all.clone());
        tokio::spawn(async move { store.perform(&lease, &all).await.unwrap() })
    };
    let tasks = [performs(fixture.another_operable().await), performs(Arc::clone(&store))];
    let (mut met, mut done) = (0, 0);
    for task in tasks {
        let performed = task.await.unwrap();
        met += performed.met;
        done += performed.done;
    }
    assert_eq!((met, done), (200, 200));
    let ended = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!((ended.state, ended.met, ended.done), (OperationState::Ended, 200, 200));
    assert_retried_once(&*store, &ids).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_loses_the_lease_between_lanes_did_what_it_did() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let (ids, gate, task) = two_lanes_and_somebody_in_the_second(&fixture).await;
    let lease = leased(&*store, &ids, Duration::ZERO).await;
    let all = items(&*store, &lease).await;
    let (performing, old) = (Arc::clone(&store), lease.clone());
    let performing = tokio::spawn(async move { performing.perform(&old, &all).await });
    until_waiting(&fixture.client().await, 1).await;
    let taken = another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    gate.open();
    task.await.unwrap().unwrap();
    let lost = performing.await.unwrap();
    assert!(matches!(lost, Err(StoreError::Fenced { .. })), "{lost:?}");
    assert_eq!(results(&*store, &lease).await, [Some("DONE".to_owned()), None]);
    assert_eq!(row_of(&*store, ids[1]).await.status, InboxStatus::Failed);
    let rest = another.next_items(&taken, 10).await.unwrap();
    let performed = another.perform(&taken, &rest).await.unwrap();
    assert_eq!(performed, Performed { met: 1, done: 1, releasing: false });
    assert_retried_once(&*store, &ids).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_dies_between_lanes_did_what_it_did() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.operable();
    let (ids, gate, task) = two_lanes_and_somebody_in_the_second(&fixture).await;
    let lease = leased(&*store, &ids, LONG).await;
    let all = items(&*store, &lease).await;
    let (performing, given) = (Arc::clone(&store), (lease.clone(), all.clone()));
    let performing = tokio::spawn(async move { performing.perform(&given.0, &given.1).await });
    kill_who_waits(&fixture.client().await).await;
    assert!(performing.await.unwrap().is_err());
    gate.open();
    task.await.unwrap().unwrap();
    let told = store.operation(lease.operation.id).await.unwrap().unwrap();
    assert_eq!((told.met, told.done), (1, 1), "the first lane was committed");
    let again = store.perform(&lease, &all).await.unwrap();
    assert_eq!(again, Performed { met: 1, done: 1, releasing: false });
    let ended = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!((ended.state, ended.met, ended.done), (OperationState::Ended, 2, 2));
    assert_retried_once(&*store, &ids).await;
}

/// Inside a transaction, where rows are changed and the operation is not yet.
#[tokio::test(flavor = "multi_thread")]
async fn who_dies_in_a_lane_did_nothing_there() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let lease = leased(&*store, &ids, LONG).await;
    let all = items(&*store, &lease).await;
    let locker = fixture.client().await;
    // The change of a row that failed is noted there.
    locker.batch_execute("begin; lock table dipmo_failure_note in exclusive mode").await.unwrap();
    let (performing, given) = (Arc::clone(&store), (lease.clone(), all.clone()));
    let performing = tokio::spawn(async move { performing.perform(&given.0, &given.1).await });
    kill_who_waits(&fixture.client().await).await;
    assert!(performing.await.unwrap().is_err());
    locker.batch_execute("rollback").await.unwrap();
    assert_eq!(results(&*store, &lease).await, [None]);
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Failed);
    assert_eq!(store.perform(&lease, &all).await.unwrap().done, 1);
    assert_retried_once(&*store, &ids).await;
}

/// Whoever says to wait waits for the lane at hand; when they have an answer, no other lane follows.
#[tokio::test(flavor = "multi_thread")]
async fn no_item_is_performed_after_somebody_said_to_wait() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let lane = |index| Lane::from_index(index).unwrap();
    let messages: Vec<_> = (0..64).map(|n| event(&aggregate_in(lane(n), 0), n)).collect();
    let ids = stored(&*store, &messages).await;
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let lease = leased(&*store, &ids, LONG).await;
    let all = items(&*store, &lease).await;
    let (locker, client) = (fixture.client().await, fixture.client().await);
    locker.batch_execute("begin; lock table dipmo_failure_note in exclusive mode").await.unwrap();
    let (performing, given) = (Arc::clone(&store), lease.clone());
    let performing = tokio::spawn(async move { performing.perform(&given, &all).await });
    until_waiting(&client, 1).await;
    let id = lease.operation.id;
    let mut pausing = tokio::spawn(async move {
        another.change_operation(id, OperationChange::Pause, &entry()).await
    });
    tokio::select! {
        () = until_waiting(&client, 2) => {}
        early = &mut pausing => panic!("it waits for the lane at hand: {early:?}"),
    }
    locker.batch_execute("rollback").await.unwrap();
    let paused = pausing.await.unwrap().unwrap().unwrap();
    let performed = performing.await.unwrap();
    assert!(matches!(performed, Err(StoreError::Fenced { .. })), "{performed:?}");
    let told = store.operation(id).await.unwrap().unwrap();
    assert_eq!(told, paused, "what was done until then, and nothing since");
    assert!((1..64).contains(&told.done), "{told:?}");
    let retried = store.inbox_rows(100).await.unwrap();
    let retried = retried.iter().filter(|row| row.status == InboxStatus::Retry).count();
    assert_eq!(u64::try_from(retried).unwrap(), told.done);
}

/// Ids are counted before anything is written, as what a filter finds is after.
#[tokio::test]
async fn more_than_an_operation_may_have_is_refused() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.operable();
    let most = i64::from(MOST_IN_OPERATION);
    let target = |ids| Target::Ids { side: Side::Outbox, ids };
    let too_many: Vec<i64> = (0..=most + 5).collect();
    let preview = store.preview(Act::Skip, &target(too_many.clone())).await.unwrap();
    assert_eq!(preview.items, u64::from(MOST_IN_OPERATION) + 1, "counted to one more");
    let new = |ids| NewOperation {
        act: Act::Skip,
        target: target(ids),
        force: false,
        per_second: None,
        entry: entry(),
    };
    assert_eq!(store.begin_operation(&new(too_many)).await.unwrap(), Begun::TooMany);
    // An id that is there twice is one item.
    let twice: Vec<i64> = (0..10).chain(0..10).collect();
    let begun = store.begin_operation(&new(twice)).await.unwrap();
    let Begun::Running(operation) = begun else { panic!() };
    assert_eq!(operation.items, 10);
    let listed = store.operations(Page::first(10)).await.unwrap().rows;
    assert_eq!(listed, [operation], "of the other one nothing was written");
}
